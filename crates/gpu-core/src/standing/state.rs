//! The state of one operand on one node: the first that fits, from a closed list.

use std::collections::HashMap;

use super::regime::{Regime, Switched};
use super::trouble::{self, Trouble};
use crate::cluster::{Cluster, DaemonSet, DeployLabel, Kind, Node, Pod};
use crate::facts::operands::{Id, ROSTER, Workload};

/// How an operand stands on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rustfmt::skip]
pub enum State {
    Unknown, Disabled, PreInstalled, OptedOut, Paused, NotWanted, Unexpected, Missing, NotReady, Ready,
}

/// One row a state: its name, and what it means.
pub const STATES: [(State, &str, &str); 10] = [
    (
        State::Unknown,
        "unknown",
        "what it needs could not be read, or nobody hears from the node",
    ),
    (
        State::Disabled,
        "disabled",
        "the policy (or its default) switches the operand off",
    ),
    (
        State::PreInstalled,
        "pre-installed",
        "the driver is on the host; the node's label says so",
    ),
    (
        State::OptedOut,
        "opted-out",
        "the deploy label is false, or gpu.deploy.operands is",
    ),
    (
        State::Paused,
        "paused",
        "the deploy label holds a pause value",
    ),
    (
        State::NotWanted,
        "not-wanted",
        "the deploy label is absent, empty or another word, and nothing runs",
    ),
    (
        State::Unexpected,
        "unexpected",
        "a pod runs although the label or the policy says no",
    ),
    (
        State::Missing,
        "missing",
        "wanted, and there is no pod of it on the node",
    ),
    (
        State::NotReady,
        "not-ready",
        "a pod is there and is not Ready",
    ),
    (State::Ready, "ready", "a Ready pod"),
];

impl State {
    /// As every output writes it.
    pub fn name(self) -> &'static str {
        STATES[self as usize].1
    }
}

/// How one operand stands on one node, and what that was read from.
#[derive(Debug)]
pub struct Cell<'a> {
    /// The operand.
    pub operand: Id,
    /// What its deploy label says here.
    pub label: DeployLabel,
    /// Its state.
    pub state: State,
    /// Its pods on this node.
    pub pods: Vec<&'a Pod>,
    /// Its DaemonSets, whichever nodes they are for.
    pub daemon_sets: Vec<&'a DaemonSet>,
    /// By the strict rule: the label is exactly `true`, nothing switches it off, and no pod is in phase Running.
    pub is_strictly_missing: bool,
    /// Why it is in this state, one sentence; empty for `ready`.
    pub why: String,
    /// What is in the way of a wanted operand.
    pub trouble: Option<Trouble<'a>>,
}

impl<'a> Cell<'a> {
    /// The pod that its state was read from.
    pub fn telling_pod(&self) -> Option<&'a Pod> {
        let ready = || {
            self.pods
                .iter()
                .find(|it| it.ready && !it.is_terminating())
                .copied()
        };
        self.trouble
            .as_ref()
            .and_then(Trouble::pod)
            .or_else(ready)
            .or_else(|| self.pods.first().copied())
    }

    /// Is a pod of it in phase Running here?
    pub fn is_running(&self) -> bool {
        self.pods.iter().any(|it| it.is_running())
    }
}

/// Pods, by node: going through all of them for each node would take the square of the nodes.
pub struct PodsByNode<'a>(HashMap<&'a str, Vec<&'a Pod>>);

impl<'a> PodsByNode<'a> {
    /// Sorts the pods by the node they are on or made for.
    pub fn new(cluster: &'a Cluster) -> Self {
        let mut by_node: HashMap<_, Vec<_>> = HashMap::new();
        for pod in &cluster.pods {
            if let Some(node) = pod.node.as_deref() {
                by_node.entry(node).or_default().push(pod);
            }
        }
        Self(by_node)
    }

    /// All that are on a node or made for it.
    pub fn on(&self, node: &str) -> &[&'a Pod] {
        self.0.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    fn of(&self, node: &str, operand: Id) -> Vec<&'a Pod> {
        self.on(node)
            .iter()
            .filter(|it| it.operand == Some(operand))
            .copied()
            .collect()
    }
}

/// How every operand stands that has anything to do with this node.
pub(super) fn cells<'a>(
    cluster: &'a Cluster,
    regime: &Regime<'_>,
    node: &'a Node,
    workload: Workload,
    pods: &PodsByNode<'a>,
) -> Vec<Cell<'a>> {
    let is_gpu = node.is_gpu();
    let mut cells = Vec::new();
    for row in &ROSTER {
        let pods = pods.of(&node.name, row.id);
        let label = gated_label(node, row.id);
        let is_for_node = is_gpu
            && row.workloads.contains(&workload)
            && (cluster.daemon_sets_of(row.id).next().is_some() || regime.leading().is_some());
        // The MPS daemon shares the device plugin's label; without its own gate it has nothing to do with the node.
        let is_gated_off = row.also.is_some() && label == DeployLabel::Absent && pods.is_empty();
        if is_gated_off || (!is_for_node && pods.is_empty() && label == DeployLabel::Absent) {
            continue;
        }
        let daemon_sets = cluster.daemon_sets_of(row.id).collect();
        let switched = regime.switched(row.id);
        cells.push(cell(
            cluster,
            node,
            Wish {
                operand: row.id,
                label,
                switched,
            },
            pods,
            daemon_sets,
        ));
    }
    cells
}

/// The operand's label; absent where a second label it selects does not match.
fn gated_label(node: &Node, operand: Id) -> DeployLabel {
    match operand.row().also {
        Some((key, value)) if node.label(key) != Some(value) => DeployLabel::Absent,
        _ => node.deploy(operand),
    }
}

/// What label and policy ask for.
struct Wish {
    operand: Id,
    label: DeployLabel,
    switched: Switched,
}

fn cell<'a>(
    cluster: &'a Cluster,
    node: &'a Node,
    wish: Wish,
    pods: Vec<&'a Pod>,
    daemon_sets: Vec<&'a DaemonSet>,
) -> Cell<'a> {
    let is_on = wish.label == DeployLabel::On;
    let runs = pods
        .iter()
        .any(|it| it.is_running() && !it.is_terminating());
    let unread = [Kind::Pod, Kind::DaemonSet]
        .into_iter()
        .find_map(|kind| cluster.unseen(kind));
    let (mut state, mut why) = if let Some(why) = unread {
        (State::Unknown, why)
    } else if let (
        true,
        State::Missing | State::Paused | State::NotWanted | State::OptedOut | State::PreInstalled,
    ) = (node.is_unreachable(), wished_state(node, &wish).0)
    {
        (
            State::Unknown,
            format!("node/{} is not Ready, so its pods tell nothing", node.name),
        )
    } else {
        wished_state(node, &wish)
    };
    let refused = matches!(
        state,
        State::Disabled | State::PreInstalled | State::OptedOut | State::NotWanted
    );
    if refused && runs {
        why = format!("a pod runs although {why}");
        state = State::Unexpected;
    }
    let mut trouble = None;
    if state == State::Missing {
        (state, trouble) = match trouble::of_pods(&pods) {
            _ if pods.iter().any(|it| it.ready && !it.is_terminating()) => (State::Ready, None),
            Some(it) => (State::NotReady, Some(it)),
            None => (
                State::Missing,
                Some(trouble::without_pod(&daemon_sets, node)),
            ),
        };
        why = trouble.as_ref().map(Trouble::in_words).unwrap_or_default();
    }
    let is_off = matches!(wish.switched, Switched::Off(_));
    let is_strictly_missing = is_on && !is_off && !pods.iter().any(|it| it.is_running());
    Cell {
        operand: wish.operand,
        label: wish.label,
        state,
        pods,
        daemon_sets,
        is_strictly_missing,
        why,
        trouble,
    }
}

/// The state that label and policy alone give; `Missing` for what is wanted, until its pods are looked at.
fn wished_state(node: &Node, wish: &Wish) -> (State, String) {
    let key = wish.operand.row().label;
    if let Switched::Off(why) = &wish.switched {
        return (State::Disabled, why.clone());
    }
    if node.is_opted_out() && !matches!(wish.label, DeployLabel::On | DeployLabel::PreInstalled) {
        return (
            State::OptedOut,
            format!("{}=false", crate::facts::labels::DEPLOY_OPERANDS),
        );
    }
    match &wish.label {
        DeployLabel::On => (State::Missing, String::new()),
        DeployLabel::PreInstalled => (State::PreInstalled, format!("{key}=pre-installed")),
        DeployLabel::Off => (State::OptedOut, format!("{key}=false")),
        DeployLabel::Paused { by, .. } => {
            let who = by
                .iter()
                .map(|it| it.name())
                .collect::<Vec<_>>()
                .join(" and ");
            (
                State::Paused,
                format!(
                    "{key}={} was written by {who}",
                    node.label(key).unwrap_or_default()
                ),
            )
        }
        DeployLabel::Absent => (State::NotWanted, format!("{key} is absent")),
        DeployLabel::Empty => (State::NotWanted, format!("{key} is empty")),
        DeployLabel::Other(value) => (
            State::NotWanted,
            format!("{key} is \"{value}\", which selects nothing"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Coverage;
    use crate::standing::{Scope, standing};
    use crate::testing::{
        NodeBuilder, PodBuilder, cluster, daemon_set_of, gpu_node, node, pod_of, policy, running,
        take,
    };
    use serde_json::{Value, json};

    #[test]
    fn every_state_stands_at_its_own_place() {
        for (at, (state, _, _)) in STATES.iter().enumerate() {
            assert_eq!(*state as usize, at);
        }
    }

    /// How one operand stands on a node of one DaemonSet and these pods, under this policy.
    fn stands(
        operand: Id,
        node: NodeBuilder,
        pods: Vec<PodBuilder>,
        spec: Option<Value>,
    ) -> Option<(State, bool)> {
        let mut cluster = cluster([node], [daemon_set_of(operand)], pods);
        take(&mut cluster, spec.map(|it| policy(Kind::ClusterPolicy, it)));
        of(&cluster, operand)
    }

    /// State and strict rule of an operand on the cluster's first node.
    fn of(cluster: &Cluster, operand: Id) -> Option<(State, bool)> {
        let standing = standing(cluster, &Scope::default(), None).unwrap();
        let cell = standing.nodes[0].cell(operand)?;
        Some((cell.state, cell.is_strictly_missing))
    }

    const ID: Id = Id::DevicePlugin;

    /// A node whose deploy label of the device plugin has this value.
    fn labelled(value: Option<&str>) -> NodeBuilder {
        let node = node("gpu-1").label("nvidia.com/gpu.present", "true");
        match value {
            Some(value) => node.deploys(ID, value),
            None => node,
        }
    }

    fn ready() -> PodBuilder {
        pod_of(ID, "gpu-1")
    }

    fn waiting() -> PodBuilder {
        pod_of(ID, "gpu-1").waits_in(&["toolkit-validation"], 0)
    }

    #[test]
    fn without_a_pod_the_label_says_how_an_operand_stands() {
        for (value, want, strictly_missing) in [
            (Some("true"), State::Missing, true),
            (Some("false"), State::OptedOut, false),
            (Some(""), State::NotWanted, false),
            (None, State::NotWanted, false),
            (Some("True"), State::NotWanted, false),
            (Some("on"), State::NotWanted, false),
            (Some("pre-installed"), State::PreInstalled, false),
            (Some("paused-for-driver-upgrade"), State::Paused, false),
            (Some("paused-for-mig-change"), State::Paused, false),
            (
                Some("paused-for-mig-change_paused-for-driver-upgrade"),
                State::Paused,
                false,
            ),
            (
                Some("false_paused-for-driver-upgrade"),
                State::Paused,
                false,
            ),
        ] {
            let found = stands(ID, labelled(value), vec![], None);
            assert_eq!(found, Some((want, strictly_missing)), "{value:?}");
        }
    }

    #[test]
    fn with_a_pod_that_runs_the_label_says_whether_it_should() {
        for (value, want) in [
            (Some("true"), State::Ready),
            (Some("false"), State::Unexpected),
            (Some(""), State::Unexpected),
            (None, State::Unexpected),
            (Some("on"), State::Unexpected),
            (Some("pre-installed"), State::Unexpected),
            // It is on its way out, or just about to be.
            (Some("paused-for-driver-upgrade"), State::Paused),
        ] {
            let found = stands(ID, labelled(value), vec![ready()], None);
            assert_eq!(found, Some((want, false)), "{value:?}");
        }
    }

    #[test]
    fn a_pod_that_does_not_run_is_no_surprise_where_none_is_wanted() {
        for (value, want) in [
            (Some("false"), State::OptedOut),
            (Some(""), State::NotWanted),
            (None, State::NotWanted),
        ] {
            let found = stands(ID, labelled(value), vec![waiting()], None);
            assert_eq!(found, Some((want, false)), "{value:?}");
        }
    }

    #[test]
    fn a_pod_that_is_on_its_way_out_is_no_surprise() {
        let found = stands(
            ID,
            labelled(Some("false")),
            vec![ready().terminating()],
            None,
        );
        assert_eq!(found, Some((State::OptedOut, false)));
    }

    #[test]
    fn a_wanted_operand_stands_as_its_best_pod_does() {
        let another = |pod: PodBuilder| pod.named("another");
        for (pods, want, strictly_missing) in [
            (vec![], State::Missing, true),
            (vec![ready()], State::Ready, false),
            (
                vec![ready().phase("Running", false)],
                State::NotReady,
                false,
            ),
            (vec![ready().phase("Pending", false)], State::NotReady, true),
            (vec![ready().phase("Unknown", false)], State::NotReady, true),
            (vec![ready().phase("Failed", false)], State::NotReady, true),
            (
                vec![ready().phase("Succeeded", false)],
                State::NotReady,
                true,
            ),
            (vec![waiting()], State::NotReady, true),
            // Two pods of one operand, as while a DaemonSet is replaced.
            (vec![waiting(), another(ready())], State::Ready, false),
            (vec![ready(), another(waiting())], State::Ready, false),
            // The strict rule asks for the phase alone; a pod on its way out is still in it.
            (vec![ready().terminating()], State::NotReady, false),
            (
                vec![ready().terminating(), another(ready())],
                State::Ready,
                false,
            ),
        ] {
            let found = stands(ID, labelled(Some("true")), pods, None);
            assert_eq!(found, Some((want, strictly_missing)));
        }
    }

    #[test]
    fn what_a_policy_switches_off_is_disabled_whatever_the_label() {
        let off = || Some(json!({ "devicePlugin": { "enabled": false } }));
        for value in [
            Some("true"),
            Some("false"),
            Some(""),
            None,
            Some("paused-for-driver-upgrade"),
        ] {
            let found = stands(ID, labelled(value), vec![], off());
            assert_eq!(found, Some((State::Disabled, false)), "{value:?}");
            let found = stands(ID, labelled(value), vec![ready()], off());
            assert_eq!(found, Some((State::Unexpected, false)), "{value:?}");
        }
        let found = stands(ID, labelled(Some("true")), vec![], Some(json!({})));
        assert_eq!(found, Some((State::Missing, true)));
    }

    #[test]
    fn a_default_that_is_off_disables_too() {
        let node = || node("gpu-1").deploys(Id::NodeStatusExporter, "true");
        let with = |spec| stands(Id::NodeStatusExporter, node(), vec![], Some(spec));
        assert_eq!(with(json!({})), Some((State::Disabled, false)));
        let on = json!({ "nodeStatusExporter": { "enabled": true } });
        assert_eq!(with(on), Some((State::Missing, true)));
    }

    #[test]
    fn a_node_opted_out_as_a_whole_wants_nothing_but_what_is_labelled_all_the_same() {
        let out = |value| labelled(value).label("nvidia.com/gpu.deploy.operands", "false");
        for (value, want, strictly_missing) in [
            (None, State::OptedOut, false),
            (Some(""), State::OptedOut, false),
            (Some("false"), State::OptedOut, false),
            (Some("true"), State::Missing, true),
        ] {
            let found = stands(ID, out(value), vec![], None);
            assert_eq!(found, Some((want, strictly_missing)), "{value:?}");
        }
    }

    #[test]
    fn an_unreachable_node_tells_nothing_of_its_pods() {
        for status in ["False", "Unknown"] {
            for (value, pods) in [
                (Some("true"), vec![ready()]),
                (Some("true"), vec![]),
                (None, vec![ready()]),
            ] {
                let found = stands(ID, labelled(value).not_ready(status), pods, None);
                assert_eq!(
                    found.map(|it| it.0),
                    Some(State::Unknown),
                    "{status} {value:?}"
                );
            }
        }
    }

    #[test]
    fn without_pods_or_daemon_sets_nothing_is_known() {
        for kind in [Kind::Pod, Kind::DaemonSet] {
            let mut cluster = cluster([labelled(Some("true"))], [daemon_set_of(ID)], [ready()]);
            cluster.note(kind, Coverage::Unseen("forbidden".into()));
            assert_eq!(
                of(&cluster, ID).map(|it| it.0),
                Some(State::Unknown),
                "{kind:?}"
            );
        }
        let mut cluster = cluster([labelled(Some("true"))], [daemon_set_of(ID)], [ready()]);
        cluster.note(Kind::Event, Coverage::Unseen("forbidden".into()));
        assert_eq!(of(&cluster, ID).map(|it| it.0), Some(State::Ready));
    }

    #[test]
    fn the_mps_daemon_has_to_do_only_with_nodes_that_are_capable_of_it() {
        let id = Id::MpsControlDaemon;
        let capable = |value: &str| labelled(Some("true")).label("nvidia.com/mps.capable", value);
        assert_eq!(stands(id, labelled(Some("true")), vec![], None), None);
        assert_eq!(stands(id, capable("false"), vec![], None), None);
        assert_eq!(
            stands(id, capable("true"), vec![], None),
            Some((State::Missing, true))
        );
        let pod = || vec![pod_of(id, "gpu-1")];
        assert_eq!(
            stands(id, capable("true"), pod(), None),
            Some((State::Ready, false))
        );
        assert_eq!(
            stands(id, capable("false"), pod(), None),
            Some((State::Unexpected, false))
        );
    }

    #[test]
    fn a_node_has_cells_for_what_it_is_labelled_with_and_for_what_is_deployed() {
        let names = |cluster: &Cluster| -> Vec<&str> {
            let standing = standing(cluster, &Scope::default(), None).unwrap();
            standing.nodes[0]
                .cells
                .iter()
                .map(|it| it.operand.name())
                .collect()
        };
        // Without any GPU there is nothing to say.
        assert_eq!(
            names(&cluster([node("cpu-1")], [daemon_set_of(ID)], [])),
            [""; 0]
        );
        // In the bare lab only labels tell.
        let core = [
            "driver",
            "container-toolkit",
            "device-plugin",
            "gpu-feature-discovery",
            "dcgm-exporter",
        ];
        assert_eq!(names(&cluster([gpu_node("gpu-1")], [], [])), core);
        // A DaemonSet tells that its operand belongs to every GPU node.
        let present = || node("gpu-1").label("nvidia.com/gpu.present", "true");
        assert_eq!(
            names(&cluster([present()], [daemon_set_of(Id::Dcgm)], [])),
            ["dcgm"]
        );
        assert_eq!(
            names(&cluster([present()], [daemon_set_of(Id::VfioManager)], [])),
            [""; 0]
        );
        // A pod on a node without GPU is there all the same.
        let pods = running(&[Id::Driver], "cpu-1");
        assert_eq!(
            names(&cluster([node("cpu-1")], [daemon_set_of(Id::Driver)], pods)),
            ["driver"]
        );
    }

    #[test]
    fn under_a_policy_a_gpu_node_has_all_operands_of_its_workload() {
        let names = |spec: Value, label: &str| -> Vec<&str> {
            let node = node("gpu-1")
                .label("nvidia.com/gpu.present", "true")
                .label("nvidia.com/gpu.workload.config", label);
            let mut cluster = cluster([node], [], []);
            take(&mut cluster, [policy(Kind::ClusterPolicy, spec)]);
            let standing = standing(&cluster, &Scope::default(), None).unwrap();
            standing.nodes[0]
                .cells
                .iter()
                .map(|it| it.operand.name())
                .collect()
        };
        let on = || json!({ "sandboxWorkloads": { "enabled": true } });
        let containers = names(json!({}), "vm-vgpu");
        assert_eq!(containers, names(on(), "container"));
        assert!(
            containers.contains(&"driver") && !containers.contains(&"vgpu-manager"),
            "{containers:?}"
        );
        let vgpu = names(on(), "vm-vgpu");
        assert!(
            vgpu.contains(&"vgpu-manager") && !vgpu.contains(&"driver"),
            "{vgpu:?}"
        );
    }

    #[test]
    fn every_operand_that_does_not_stand_well_says_why() {
        for value in [
            Some("true"),
            Some("false"),
            Some(""),
            None,
            Some("x"),
            Some("pre-installed"),
            Some("paused-for-mig-change"),
        ] {
            let cluster = cluster([labelled(value)], [daemon_set_of(ID)], []);
            let standing = standing(&cluster, &Scope::default(), None).unwrap();
            let cell = standing.nodes[0].cell(ID).unwrap();
            assert!(
                !cell.why.is_empty() && !cell.why.ends_with('.'),
                "{value:?}: {}",
                cell.why
            );
            assert_eq!(cell.trouble.is_some(), value == Some("true"), "{value:?}");
        }
        let cluster = cluster([labelled(Some("true"))], [daemon_set_of(ID)], [ready()]);
        let standing = standing(&cluster, &Scope::default(), None).unwrap();
        let cell = standing.nodes[0].cell(ID).unwrap();
        assert!(cell.why.is_empty() && cell.trouble.is_none());
    }

    #[test]
    fn states_are_named_as_the_report_documents_them() {
        let names = STATES.map(|(_, name, _)| name);
        assert_eq!(
            names,
            [
                "unknown",
                "disabled",
                "pre-installed",
                "opted-out",
                "paused",
                "not-wanted",
                "unexpected",
                "missing",
                "not-ready",
                "ready",
            ]
        );
        for (state, name, meaning) in STATES {
            assert_eq!(state.name(), name);
            assert!(!meaning.is_empty() && !meaning.ends_with('.'), "{meaning}");
        }
    }

    #[test]
    fn a_pod_that_waits_for_the_scheduler_counts_for_the_node_it_is_made_for() {
        let unbound =
            || pod_of(ID, "gpu-1").unscheduled("0/1 nodes are available: 1 Insufficient memory.");
        let found = stands(ID, labelled(Some("true")), vec![unbound()], None);
        assert_eq!(found, Some((State::NotReady, true)));
    }
}
