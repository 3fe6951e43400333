//! The chain of a node: each operand as a link, what it waits for, and the first broken one.

use std::collections::HashMap;

use crate::answer::{Finding, Severity};
use crate::facts::barriers::{self, Barrier, VALIDATOR_STEPS};
use crate::facts::operands::{Id, ON_SOME_NODES};
use crate::standing::{Cell, NodeStanding, State, Trouble};

/// The chain of one node.
#[derive(Debug)]
pub struct Chain {
    /// The node.
    pub node: String,
    /// Is the order as it should be?
    pub verdict: Verdict,
    /// The first broken link.
    pub first_broken: Option<String>,
    /// Links, prerequisites first.
    pub links: Vec<Link>,
}

/// Is the order on a node as it should be?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every link holds, or is not there for a good reason.
    Ok,
    /// A link is broken.
    Broken,
    /// What it needs could not be seen.
    Unknown,
}

impl Verdict {
    /// As the JSON report writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Broken => "broken",
            Self::Unknown => "unknown",
        }
    }
}

/// One link: an operand, or a step of the validator.
#[derive(Debug)]
pub struct Link {
    /// The operand's name, or `operator-validator/driver` and so on for a step.
    pub name: String,
    /// The state of the operand, or of the step.
    pub state: &'static str,
    /// What it waits for: operands.
    pub waits_for: Vec<&'static str>,
    /// The barrier it stands at, while it waits.
    pub barrier: Option<&'static Barrier>,
    /// Is it broken?
    pub is_broken: bool,
    /// Why it is in this state.
    pub why: String,
}

/// The first error about each node: asking all findings for each node would take the square of the nodes.
pub(super) fn first_errors(findings: &[Finding]) -> HashMap<&str, &Finding> {
    let mut first = HashMap::new();
    for it in findings.iter().filter(|it| it.severity == Severity::Error) {
        if let Some(node) = it.node.as_deref() {
            first.entry(node).or_insert(it);
        }
    }
    first
}

/// The chain of one node.
pub(super) fn chain(
    node: &NodeStanding<'_>,
    errors: &HashMap<&str, &Finding>,
    is_sure: bool,
) -> Chain {
    let mut links = Vec::new();
    for cell in node.cells.iter().filter(|it| is_shown(it)) {
        if cell.operand == Id::OperatorValidator {
            links.extend(steps(cell));
        } else {
            links.push(link(cell));
        }
    }
    let error = errors.get(node.node.name.as_str());
    let root = node.roots.first().map(|it| it.first().name());
    let by_rule = error.and_then(|it| it.operand);
    let first_broken = root
        .or(by_rule.map(Id::name))
        .map(|name| first_link(&links, name));
    let unknown = !is_sure || node.cells.iter().any(|it| it.state == State::Unknown);
    let verdict = match (error.is_some() || first_broken.is_some(), unknown) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Ok,
    };
    Chain {
        node: node.node.name.clone(),
        verdict,
        first_broken,
        links,
    }
}

/// Is this operand a link here? Not one that is switched off, nor one that this node merely is not meant for.
fn is_shown(cell: &Cell<'_>) -> bool {
    match cell.state {
        State::Disabled => cell.is_running(),
        State::NotWanted => !ON_SOME_NODES.contains(&cell.operand),
        _ => true,
    }
}

/// The first broken link of an operand. For the validator that is its first broken step; where it does not run at
/// all, the step that the others wait for.
fn first_link(links: &[Link], operand: &str) -> String {
    let of_operand = |it: &&Link| it.name.split('/').next() == Some(operand);
    let broken = links.iter().find(|it| of_operand(it) && it.is_broken);
    let awaited = || {
        links
            .iter()
            .filter(of_operand)
            .find(|it| it.name.ends_with("/toolkit"))
    };
    broken
        .or_else(awaited)
        .map_or(operand, |it| &it.name)
        .to_owned()
}

fn link(cell: &Cell<'_>) -> Link {
    Link {
        name: cell.operand.name().to_owned(),
        state: cell.state.name(),
        waits_for: barriers::prerequisites(cell.operand)
            .into_iter()
            .map(Id::name)
            .collect(),
        barrier: waiting_at(cell),
        is_broken: cell.trouble.is_some(),
        why: cell.why.clone(),
    }
}

fn waiting_at(cell: &Cell<'_>) -> Option<&'static Barrier> {
    match cell.trouble.as_ref()? {
        Trouble::Waits(_, init, _) => barriers::at(cell.operand, init),
        Trouble::Fails(_, it) if it.is_init => barriers::at(cell.operand, &it.container),
        _ => None,
    }
}

/// The validator's steps; where its init containers were not seen, each step stands as the operand does.
fn steps(cell: &Cell<'_>) -> Vec<Link> {
    let details = cell.telling_pod().and_then(|it| it.details.as_ref());
    let inits = details
        .map(|it| it.init_containers.as_slice())
        .unwrap_or_default();
    let waiting = details.and_then(|it| it.waiting_init()).map(|(at, _)| at);
    let mut links = Vec::new();
    for (init, step) in VALIDATOR_STEPS {
        let at = inits.iter().position(|it| it.name == init);
        if at.is_none() && !inits.is_empty() {
            continue;
        }
        let is_done =
            at.is_some() && waiting.is_none_or(|waiting| at.is_some_and(|at| at < waiting));
        let is_current = at.is_some() && at == waiting;
        let state = if is_done { State::Ready } else { cell.state };
        let barrier = barriers::at(cell.operand, init);
        links.push(Link {
            name: format!("{}/{step}", cell.operand.name()),
            state: state.name(),
            waits_for: barrier.map(|it| it.opener.name()).into_iter().collect(),
            barrier: barrier.filter(|_| is_current),
            is_broken: cell.trouble.is_some() && (is_current || inits.is_empty()),
            why: match (is_done, is_current || inits.is_empty() || waiting.is_none()) {
                (true, _) => String::new(),
                (false, true) => cell.why.clone(),
                (false, false) => "not reached yet".to_owned(),
            },
        });
    }
    // All steps are done and the pod is in trouble all the same: then it is the validator itself.
    if cell.trouble.is_some() && !links.iter().any(|it| it.is_broken) {
        links.push(link(cell));
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Coverage, Kind};
    use crate::standing::{Scope, standing};
    use crate::testing::{
        NodeBuilder, PodBuilder, cluster, core_daemon_sets, daemon_set_of, gpu_node, node, pod_of,
        policy, running, take,
    };

    const INITS: [&str; 4] = [
        "driver-validation",
        "toolkit-validation",
        "cuda-validation",
        "plugin-validation",
    ];

    const READY: [Id; 5] = [
        Id::Driver,
        Id::ContainerToolkit,
        Id::DevicePlugin,
        Id::GpuFeatureDiscovery,
        Id::DcgmExporter,
    ];

    /// The chain of the first node, without any finding.
    fn chain_of(cluster: &Cluster) -> Chain {
        let standing = standing(cluster, &Scope::default(), None).unwrap();
        chain(&standing.nodes[0], &HashMap::new(), standing.is_sure())
    }

    /// The chain of a node of the five core operands and the validator, where these are ready and the others are as given.
    fn with(ready: &[Id], others: Vec<PodBuilder>) -> Chain {
        with_node(
            gpu_node("gpu-1").deploys(Id::OperatorValidator, "true"),
            ready,
            others,
        )
    }

    fn with_node(node: NodeBuilder, ready: &[Id], others: Vec<PodBuilder>) -> Chain {
        let sets = core_daemon_sets()
            .into_iter()
            .chain([daemon_set_of(Id::OperatorValidator)]);
        let pods = running(ready, "gpu-1").into_iter().chain(others);
        chain_of(&cluster([node], sets, pods))
    }

    /// Each link with its state, a `!` where it is broken, and the file of the barrier it stands at.
    fn in_words(chain: &Chain) -> Vec<String> {
        let one = |it: &Link| {
            let broken = if it.is_broken { "!" } else { "" };
            let at = it
                .barrier
                .map(|it| format!(" at {}", it.init_container))
                .unwrap_or_default();
            format!("{}{broken} {}{at}", it.name, it.state)
        };
        chain.links.iter().map(one).collect()
    }

    fn validator(done: usize) -> PodBuilder {
        pod_of(Id::OperatorValidator, "gpu-1").waits_in(&INITS, done)
    }

    #[test]
    fn links_come_in_the_order_of_the_roster_with_the_validator_in_steps() {
        let chain = with(&READY, vec![validator(4).phase("Running", true)]);
        assert_eq!(
            in_words(&chain),
            [
                "driver ready",
                "container-toolkit ready",
                "operator-validator/driver ready",
                "operator-validator/toolkit ready",
                "operator-validator/cuda ready",
                "operator-validator/plugin ready",
                "device-plugin ready",
                "gpu-feature-discovery ready",
                "dcgm-exporter ready",
            ]
        );
        assert_eq!((chain.verdict, chain.first_broken), (Verdict::Ok, None));
        assert_eq!(chain.node, "gpu-1");
    }

    #[test]
    fn each_link_knows_what_it_waits_for() {
        let chain = with(&READY, vec![validator(4).phase("Running", true)]);
        let waits: Vec<_> = chain
            .links
            .iter()
            .map(|it| (it.name.as_str(), it.waits_for.join(",")))
            .collect();
        for (name, want) in [
            ("driver", ""),
            ("container-toolkit", "driver"),
            ("operator-validator/driver", "driver"),
            ("operator-validator/toolkit", "container-toolkit"),
            ("operator-validator/cuda", ""),
            ("operator-validator/plugin", "device-plugin"),
            ("device-plugin", "operator-validator"),
            ("gpu-feature-discovery", "operator-validator"),
            ("dcgm-exporter", "operator-validator"),
        ] {
            assert!(
                waits.contains(&(name, want.to_owned())),
                "{name}: {waits:?}"
            );
        }
    }

    #[test]
    fn the_validators_steps_stand_apart() {
        for (done, want, first) in [
            (
                0,
                [
                    "driver! not-ready at driver-validation",
                    "toolkit not-ready",
                    "cuda not-ready",
                    "plugin not-ready",
                ],
                "operator-validator/driver",
            ),
            (
                1,
                [
                    "driver ready",
                    "toolkit! not-ready at toolkit-validation",
                    "cuda not-ready",
                    "plugin not-ready",
                ],
                "operator-validator/toolkit",
            ),
            (
                2,
                // It waits for nobody, so there is no barrier.
                [
                    "driver ready",
                    "toolkit ready",
                    "cuda! not-ready",
                    "plugin not-ready",
                ],
                "operator-validator/cuda",
            ),
            (
                3,
                [
                    "driver ready",
                    "toolkit ready",
                    "cuda ready",
                    "plugin! not-ready at plugin-validation",
                ],
                "operator-validator/plugin",
            ),
        ] {
            let chain = with(&READY, vec![validator(done)]);
            assert_eq!(
                in_words(&chain)[2..6],
                want.map(|it| format!("operator-validator/{it}"))
            );
            assert_eq!(chain.first_broken.as_deref(), Some(first));
            assert_eq!(chain.verdict, Verdict::Broken);
        }
    }

    #[test]
    fn a_step_that_the_validator_does_not_take_is_no_link() {
        let three = pod_of(Id::OperatorValidator, "gpu-1")
            .waits_in(&INITS[..3], 3)
            .phase("Running", true);
        let chain = with(&READY, vec![three]);
        let steps: Vec<_> = chain
            .links
            .iter()
            .filter(|it| it.name.contains('/'))
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(
            steps,
            [
                "operator-validator/driver",
                "operator-validator/toolkit",
                "operator-validator/cuda"
            ]
        );
    }

    #[test]
    fn without_init_containers_each_step_stands_as_the_validator_does() {
        let seen = with(&READY, vec![pod_of(Id::OperatorValidator, "gpu-1")]);
        assert!(
            in_words(&seen)[2..6]
                .iter()
                .all(|it| it.ends_with(" ready")),
            "{:?}",
            in_words(&seen)
        );
        let missing = with(&READY, vec![]);
        assert!(
            in_words(&missing)[2..6]
                .iter()
                .all(|it| it.ends_with("! missing")),
            "{:?}",
            in_words(&missing)
        );
        assert_eq!(
            missing.first_broken.as_deref(),
            Some("operator-validator/driver")
        );
    }

    #[test]
    fn a_link_that_waits_names_its_barrier_and_the_first_broken_one_is_where_the_fault_is() {
        let toolkit = pod_of(Id::ContainerToolkit, "gpu-1").waits_in(&["driver-validation"], 0);
        let plugin = pod_of(Id::DevicePlugin, "gpu-1").waits_in(&["toolkit-validation"], 0);
        let driver = pod_of(Id::Driver, "gpu-1").container_waits("ImagePullBackOff");
        let chain = with(&[], vec![driver, toolkit, validator(0), plugin]);
        assert_eq!(
            in_words(&chain)[..7],
            [
                "driver! not-ready",
                "container-toolkit! not-ready at driver-validation",
                "operator-validator/driver! not-ready at driver-validation",
                "operator-validator/toolkit not-ready",
                "operator-validator/cuda not-ready",
                "operator-validator/plugin not-ready",
                "device-plugin! not-ready at toolkit-validation",
            ]
        );
        assert_eq!(chain.first_broken.as_deref(), Some("driver"));
        let barrier = chain.links[6].barrier.unwrap();
        assert_eq!(
            (barrier.file, barrier.opener),
            ("toolkit-ready", Id::OperatorValidator)
        );
    }

    #[test]
    fn operands_that_are_not_there_for_a_good_reason_break_nothing() {
        for value in ["false", "pre-installed", "paused-for-driver-upgrade", ""] {
            let node = gpu_node("gpu-1").deploys(Id::Driver, value);
            let sets = core_daemon_sets();
            let chain = chain_of(&cluster([node], sets, running(&READY[1..], "gpu-1")));
            assert_eq!(
                (chain.verdict, chain.first_broken),
                (Verdict::Ok, None),
                "{value}"
            );
            let driver = &chain.links[0];
            assert!(
                driver.name == "driver" && !driver.is_broken && !driver.why.is_empty(),
                "{value}"
            );
        }
    }

    #[test]
    fn what_a_policy_switches_off_is_no_link_unless_it_runs() {
        let names = |pods: Vec<PodBuilder>| -> Vec<String> {
            let mut cluster = cluster([gpu_node("gpu-1")], core_daemon_sets(), pods);
            take(
                &mut cluster,
                [policy(
                    Kind::ClusterPolicy,
                    serde_json::json!({ "driver": { "enabled": false } }),
                )],
            );
            chain_of(&cluster)
                .links
                .into_iter()
                .map(|it| it.name)
                .collect()
        };
        assert!(!names(vec![]).contains(&"driver".to_owned()));
        assert!(names(running(&[Id::Driver], "gpu-1")).contains(&"driver".to_owned()));
    }

    #[test]
    fn a_node_that_has_nothing_to_do_with_gpus_has_no_links() {
        let chain = chain_of(&cluster([node("cpu-1")], core_daemon_sets(), []));
        assert!(chain.links.is_empty());
        assert_eq!(chain.verdict, Verdict::Ok);
    }

    #[test]
    fn what_could_not_be_seen_makes_the_verdict_unknown() {
        let mut unseen = cluster(
            [gpu_node("gpu-1")],
            core_daemon_sets(),
            running(&READY, "gpu-1"),
        );
        unseen.note(Kind::Pod, Coverage::Unseen("forbidden".into()));
        let unreachable = cluster(
            [gpu_node("gpu-1").not_ready("Unknown")],
            core_daemon_sets(),
            running(&READY, "gpu-1"),
        );
        for cluster in [unseen, unreachable] {
            let chain = chain_of(&cluster);
            assert_eq!(
                (chain.verdict, chain.first_broken),
                (Verdict::Unknown, None)
            );
            assert!(
                chain
                    .links
                    .iter()
                    .all(|it| it.state == "unknown" && !it.is_broken)
            );
        }
    }

    #[test]
    fn an_error_about_the_node_breaks_the_chain_at_its_operand() {
        let cluster = cluster(
            [gpu_node("gpu-1"), gpu_node("gpu-2")],
            core_daemon_sets(),
            running(&READY, "gpu-1"),
        );
        let standing = standing(&cluster, &Scope::default(), None).unwrap();
        let finding = |node: &str, severity| Finding {
            rule: "some-rule",
            severity,
            node: Some(node.to_owned()),
            operand: Some(Id::DevicePlugin),
            subject: standing.nodes[0].node.into(),
            message: String::new(),
            cause: String::new(),
            consequences: Vec::new(),
            evidence: Vec::new(),
            fix: String::new(),
        };
        for (node, severity, verdict, first) in [
            (
                "gpu-1",
                Severity::Error,
                Verdict::Broken,
                Some("device-plugin"),
            ),
            ("gpu-1", Severity::Warning, Verdict::Ok, None),
            ("gpu-2", Severity::Error, Verdict::Ok, None),
        ] {
            let chain = chain(
                &standing.nodes[0],
                &first_errors(&[finding(node, severity)]),
                true,
            );
            assert_eq!(
                (chain.verdict, chain.first_broken.as_deref()),
                (verdict, first),
                "{node} {severity:?}"
            );
        }
    }

    #[test]
    fn verdicts_are_named_as_the_report_documents_them() {
        let names = [Verdict::Ok, Verdict::Broken, Verdict::Unknown].map(Verdict::name);
        assert_eq!(names, ["ok", "broken", "unknown"]);
    }
}
