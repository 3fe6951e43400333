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

impl Cell<'_> {
    /// Is a pod of it in phase Running here?
    pub fn is_running(&self) -> bool {
        self.pods.iter().any(|it| it.is_running())
    }
}

/// Pods of operands, by node.
pub struct PodsByNode<'a>(HashMap<&'a str, Vec<&'a Pod>>);

impl<'a> PodsByNode<'a> {
    /// Sorts the pods of operands by the node they are on or made for.
    pub fn new(cluster: &'a Cluster) -> Self {
        let mut by_node: HashMap<_, Vec<_>> = HashMap::new();
        for pod in cluster.pods.iter().filter(|it| it.operand.is_some()) {
            if let Some(node) = pod.node.as_deref() {
                by_node.entry(node).or_default().push(pod);
            }
        }
        Self(by_node)
    }

    fn of(&self, node: &str, operand: Id) -> Vec<&'a Pod> {
        let on_node = self.0.get(node).map(Vec::as_slice).unwrap_or_default();
        on_node
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
        let switched = regime.switched(row.id, workload);
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
    } else if node.is_unreachable() {
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
    if node.is_opted_out() && wish.label != DeployLabel::On {
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

    #[test]
    fn every_state_stands_at_its_own_place() {
        for (at, (state, _, _)) in STATES.iter().enumerate() {
            assert_eq!(*state as usize, at);
        }
    }
}
