//! From many operands that do not work to the few that are themselves broken.

use super::state::{Cell, State};
use super::trouble::{Failure, Trouble};
use crate::cluster::Refusal;
use crate::facts::barriers;
use crate::facts::operands::Id;

/// Something that is itself broken on a node, and what waits behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The first broken operand.
    pub operand: Id,
    /// Operands broken by the very same thing, such as one taint.
    pub alike: Vec<Id>,
    /// Operands that wait behind these, nearest first.
    pub behind: Vec<Id>,
    /// The operand they wait for, where it is not coming: opted out, paused, switched off, not wanted.
    pub lacks: Option<Id>,
}

impl Root {
    /// The operands of the root itself: `driver, container-toolkit`.
    pub fn names(&self) -> String {
        std::iter::once(&self.operand)
            .chain(&self.alike)
            .map(|it| it.name())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The verb that goes with `names`.
    pub fn verb(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.alike.is_empty() { one } else { several }
    }

    /// The link of the chain that is broken: what is not coming, else the operand itself.
    pub fn first(&self) -> Id {
        self.lacks.unwrap_or(self.operand)
    }

    /// What waits, for the end of a message: `; container-toolkit waits behind it`, `; 5 operands wait behind it`.
    pub fn waiting_behind(&self) -> String {
        match self.behind.as_slice() {
            [] => String::new(),
            [one] => format!("; {} waits behind it", one.name()),
            more => format!("; {} operands wait behind it", more.len()),
        }
    }
}

/// The roots of one node, in the order of the roster.
pub(super) fn roots(cells: &[Cell<'_>]) -> Vec<Root> {
    let troubled: Vec<&Cell<'_>> = cells.iter().filter(|it| it.trouble.is_some()).collect();
    let mut roots: Vec<(Root, Option<String>)> = Vec::new();
    for cell in troubled.iter().filter(|it| blocker(cells, it).is_none()) {
        let key = cell
            .trouble
            .as_ref()
            .and_then(|it| shared_cause(cell.operand, it));
        match roots.iter_mut().find(|(_, it)| it.is_some() && *it == key) {
            Some((root, _)) => root.alike.push(cell.operand),
            None => {
                let lacks = lacking(cells, cell);
                roots.push((
                    Root {
                        operand: cell.operand,
                        alike: Vec::new(),
                        behind: Vec::new(),
                        lacks,
                    },
                    key,
                ));
            }
        }
    }
    for cell in &troubled {
        if let Some(first) = first_broken(cells, cell)
            && let Some((root, _)) = roots
                .iter_mut()
                .find(|(it, _)| it.operand == first || it.alike.contains(&first))
        {
            root.behind.push(cell.operand);
        }
    }
    roots.into_iter().map(|(root, _)| root).collect()
}

/// Two operands with the same key are broken by the same thing.
fn shared_cause(operand: Id, trouble: &Trouble<'_>) -> Option<String> {
    match trouble {
        Trouble::NoDaemonSet => Some("no DaemonSet".to_owned()),
        Trouble::Refused(_, Refusal::Taint(taint)) => Some(format!("taint {taint}")),
        Trouble::NotCreated(_) => Some("not created".to_owned()),
        Trouble::Unscheduled(_, words) => Some(format!("unscheduled {words}")),
        Trouble::Creating(_) => Some("not started".to_owned()),
        Trouble::Waits(_, init, _)
        | Trouble::Fails(
            _,
            Failure {
                container: init,
                is_init: true,
                ..
            },
        ) => barriers::at(operand, init)
            .map(|it| format!("waits for {} in {init}", it.opener.name())),
        _ => None,
    }
}

/// The operand this one waits for, if that one does not work either.
fn blocker(cells: &[Cell<'_>], cell: &Cell<'_>) -> Option<Id> {
    let init = match cell.trouble.as_ref()? {
        Trouble::Waits(_, init, _) => init,
        Trouble::Fails(_, failure) if failure.is_init => &failure.container,
        // A pod with a RuntimeClass gets no sandbox before the toolkit has configured the runtime.
        Trouble::Creating(pod) => {
            let toolkit = cells.iter().find(|it| it.operand == Id::ContainerToolkit)?;
            let needs_it = pod
                .details
                .as_ref()
                .is_some_and(|it| it.runtime_class.is_some());
            return (needs_it && toolkit.trouble.is_some()).then_some(Id::ContainerToolkit);
        }
        _ => return None,
    };
    let barrier = barriers::at(cell.operand, init)?;
    let opener = cells.iter().find(|it| it.operand == barrier.opener)?;
    let is_past = barrier.step.is_some_and(|step| is_past_step(opener, step));
    (opener.trouble.is_some() && !is_past).then_some(barrier.opener)
}

/// The operand that a cell waits for and that is not coming.
fn lacking(cells: &[Cell<'_>], cell: &Cell<'_>) -> Option<Id> {
    let Trouble::Waits(_, init, _) = cell.trouble.as_ref()? else {
        return None;
    };
    let opener = barriers::at(cell.operand, init)?.opener;
    let off = [State::OptedOut, State::Paused, State::NotWanted];
    cells
        .iter()
        .find(|it| it.operand == opener && off.contains(&it.state))
        .map(|it| it.operand)
}

/// Has the opener's pod finished the step that opens the barrier?
fn is_past_step(opener: &Cell<'_>, step: &str) -> bool {
    let Some(details) = opener.telling_pod().and_then(|it| it.details.as_ref()) else {
        return false;
    };
    let Some(at) = details
        .init_containers
        .iter()
        .position(|it| it.name == step)
    else {
        return false;
    };
    details
        .waiting_init()
        .is_none_or(|(waiting, _)| waiting > at)
}

/// The end of the chain of blockers; `None` for an operand that is not blocked.
fn first_broken(cells: &[Cell<'_>], cell: &Cell<'_>) -> Option<Id> {
    let mut at = blocker(cells, cell)?;
    let mut seen = vec![cell.operand];
    loop {
        if seen.contains(&at) {
            return Some(at);
        }
        seen.push(at);
        let next = cells
            .iter()
            .find(|it| it.operand == at && it.state != State::Ready)?;
        match blocker(cells, next) {
            Some(further) => at = further,
            None => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::standing::{Scope, standing};
    use crate::testing::{
        NodeBuilder, PodBuilder, cluster, core_daemon_sets, daemon_set_of, gpu_node, pod_of,
        running,
    };

    const VALIDATOR_INITS: [&str; 4] = [
        "driver-validation",
        "toolkit-validation",
        "cuda-validation",
        "plugin-validation",
    ];

    /// The roots of the first node: `root, alike <- what waits behind`.
    fn said(cluster: &Cluster) -> Vec<String> {
        let standing = standing(cluster, &Scope::default(), None).unwrap();
        let names = |ids: &[Id]| {
            ids.iter()
                .map(|it| it.name())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let one = |it: &Root| match it.behind.as_slice() {
            [] => it.names(),
            behind => format!("{} <- {}", it.names(), names(behind)),
        };
        standing.nodes[0].roots.iter().map(one).collect()
    }

    /// The roots of a node of the five core operands and the validator, with these pods beside the ready ones.
    fn check(node: NodeBuilder, ready: &[Id], others: Vec<PodBuilder>, want: &[&str]) {
        let node = node.deploys(Id::OperatorValidator, "true");
        let sets = core_daemon_sets()
            .into_iter()
            .chain([daemon_set_of(Id::OperatorValidator)]);
        let pods = running(ready, "gpu-1").into_iter().chain(others);
        assert_eq!(said(&cluster([node], sets, pods)), want);
    }

    fn waits(operand: Id, init: &str) -> PodBuilder {
        pod_of(operand, "gpu-1").waits_in(&[init], 0)
    }

    fn validator(done: usize) -> PodBuilder {
        pod_of(Id::OperatorValidator, "gpu-1").waits_in(&VALIDATOR_INITS, done)
    }

    fn fails(operand: Id) -> PodBuilder {
        pod_of(operand, "gpu-1").container_waits("CrashLoopBackOff")
    }

    /// Pods of everything that waits for the validator's toolkit step.
    fn three_wait() -> Vec<PodBuilder> {
        [Id::DevicePlugin, Id::GpuFeatureDiscovery, Id::DcgmExporter]
            .map(|id| waits(id, "toolkit-validation"))
            .into()
    }

    const ALL: [Id; 6] = [
        Id::Driver,
        Id::ContainerToolkit,
        Id::OperatorValidator,
        Id::DevicePlugin,
        Id::GpuFeatureDiscovery,
        Id::DcgmExporter,
    ];

    #[test]
    fn a_node_on_which_all_is_well_has_none() {
        check(gpu_node("gpu-1"), &ALL, vec![], &[]);
    }

    #[test]
    fn everything_behind_a_failing_driver_is_led_back_to_it() {
        let mut pods = vec![
            fails(Id::Driver),
            waits(Id::ContainerToolkit, "driver-validation"),
            validator(0),
        ];
        pods.extend(three_wait());
        check(
            gpu_node("gpu-1"),
            &[],
            pods,
            &[
                "driver <- container-toolkit, operator-validator, device-plugin, gpu-feature-discovery, dcgm-exporter",
            ],
        );
    }

    #[test]
    fn a_toolkit_that_fails_holds_up_the_validator_and_all_behind_it() {
        let mut pods = vec![fails(Id::ContainerToolkit), validator(1)];
        pods.extend(three_wait());
        check(
            gpu_node("gpu-1"),
            &[Id::Driver],
            pods,
            &[
                "container-toolkit <- operator-validator, device-plugin, gpu-feature-discovery, dcgm-exporter",
            ],
        );
    }

    #[test]
    fn a_plugin_that_fails_holds_up_only_the_validators_last_step() {
        let ready = [
            Id::Driver,
            Id::ContainerToolkit,
            Id::GpuFeatureDiscovery,
            Id::DcgmExporter,
        ];
        check(
            gpu_node("gpu-1"),
            &ready,
            vec![fails(Id::DevicePlugin), validator(3)],
            &["device-plugin <- operator-validator"],
        );
    }

    #[test]
    fn who_waits_for_a_step_that_the_validator_has_passed_is_not_behind_it() {
        let ready = [
            Id::Driver,
            Id::ContainerToolkit,
            Id::DevicePlugin,
            Id::DcgmExporter,
        ];
        check(
            gpu_node("gpu-1"),
            &ready,
            vec![
                validator(3),
                waits(Id::GpuFeatureDiscovery, "toolkit-validation"),
            ],
            &["operator-validator", "gpu-feature-discovery"],
        );
    }

    #[test]
    fn without_the_validator_its_followers_wait_for_a_pod_that_is_not_there() {
        check(
            gpu_node("gpu-1"),
            &[Id::Driver, Id::ContainerToolkit],
            three_wait(),
            &["operator-validator <- device-plugin, gpu-feature-discovery, dcgm-exporter"],
        );
    }

    #[test]
    fn one_taint_is_one_root_however_many_it_keeps_away() {
        check(
            gpu_node("gpu-1").taint("team=ml:NoSchedule"),
            &[],
            vec![],
            &[
                "driver, container-toolkit, operator-validator, device-plugin, gpu-feature-discovery, dcgm-exporter",
            ],
        );
    }

    #[test]
    fn operands_without_any_daemon_set_are_one_root() {
        let cluster = cluster(
            [gpu_node("gpu-1")],
            [daemon_set_of(Id::Driver)],
            running(&[Id::Driver], "gpu-1"),
        );
        assert_eq!(
            said(&cluster),
            ["container-toolkit, device-plugin, gpu-feature-discovery, dcgm-exporter"]
        );
    }

    #[test]
    fn pods_that_find_no_place_for_one_reason_are_one_root() {
        let unscheduled = |id, words: &str| pod_of(id, "gpu-1").unscheduled(words);
        let ready = [Id::Driver, Id::ContainerToolkit, Id::OperatorValidator];
        check(
            gpu_node("gpu-1"),
            &ready,
            vec![
                unscheduled(Id::DevicePlugin, "Too many pods"),
                unscheduled(Id::GpuFeatureDiscovery, "Insufficient memory"),
                unscheduled(Id::DcgmExporter, "Too many pods"),
            ],
            &["device-plugin, dcgm-exporter", "gpu-feature-discovery"],
        );
    }

    #[test]
    fn containers_that_fail_each_for_itself_are_roots_of_their_own() {
        let ready = [
            Id::Driver,
            Id::ContainerToolkit,
            Id::OperatorValidator,
            Id::GpuFeatureDiscovery,
        ];
        check(
            gpu_node("gpu-1"),
            &ready,
            vec![fails(Id::DevicePlugin), fails(Id::DcgmExporter)],
            &["device-plugin", "dcgm-exporter"],
        );
    }

    #[test]
    fn an_operand_that_nobody_wants_here_holds_nobody_up() {
        // The driver is on the host: the toolkit waits for something else.
        let node = gpu_node("gpu-1").deploys(Id::Driver, "pre-installed");
        let ready = [
            Id::OperatorValidator,
            Id::DevicePlugin,
            Id::GpuFeatureDiscovery,
            Id::DcgmExporter,
        ];
        check(
            node,
            &ready,
            vec![waits(Id::ContainerToolkit, "driver-validation")],
            &["container-toolkit"],
        );
    }

    #[test]
    fn a_wait_in_an_init_container_of_its_own_is_nobodys_fault() {
        let ready = [
            Id::Driver,
            Id::ContainerToolkit,
            Id::OperatorValidator,
            Id::GpuFeatureDiscovery,
            Id::DcgmExporter,
        ];
        check(
            gpu_node("gpu-1"),
            &ready,
            vec![waits(Id::DevicePlugin, "config-manager-init")],
            &["device-plugin"],
        );
    }

    #[test]
    fn what_follows_is_said_with_the_right_number() {
        let root = |alike: &[Id], behind: &[Id]| Root {
            operand: Id::Driver,
            alike: alike.to_vec(),
            behind: behind.to_vec(),
            lacks: None,
        };
        for (root, names, behind) in [
            (root(&[], &[]), "driver", ""),
            (root(&[], &[Id::Dcgm]), "driver", "; dcgm waits behind it"),
            (
                root(&[Id::ContainerToolkit], &[Id::Dcgm, Id::DcgmExporter]),
                "driver, container-toolkit",
                "; 2 operands wait behind it",
            ),
        ] {
            assert_eq!(
                (root.names().as_str(), root.waiting_behind().as_str()),
                (names, behind)
            );
        }
        assert_eq!(root(&[], &[]).verb("waits", "wait"), "waits");
        assert_eq!(root(&[Id::Dcgm], &[]).verb("waits", "wait"), "wait");
    }
}
