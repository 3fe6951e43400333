//! A GPU node lacks a deploy label that its peers' kind of node has.

use super::{Found, names};
use crate::answer::Severity;
use crate::cluster::DeployLabel;
use crate::facts::operands::{Id, ON_SOME_NODES};
use crate::facts::release::V26_7;
use crate::standing::{Cell, NodeStanding, Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "deploy-label-absent",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a GPU node lacks a deploy label that every node of its kind gets",
    explanation: "The operator writes the deploy labels of a node together. One that is gone was removed by hand, which \
        is no opt-out: the operator writes it again at its next look at the node, and takes an empty one for absent \
        from v26.7 on. Until then the operand stays away. To opt out, set the label to false.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    if standing.regime.leading().is_none() {
        return Vec::new();
    }
    // Before v26.7 an empty label stays empty, which is another rule's to say.
    let repairs_empty = standing.regime.release.is_some_and(|it| it >= V26_7);
    standing
        .nodes
        .iter()
        .filter_map(|it| on_node(it, repairs_empty))
        .collect()
}

fn on_node(it: &NodeStanding<'_>, repairs_empty: bool) -> Option<Found> {
    let is_absent = |cell: &&Cell<'_>| {
        let label = cell.label == DeployLabel::Absent
            || (repairs_empty && cell.label == DeployLabel::Empty);
        label
            && cell.state == State::NotWanted
            && cell.operand.row().workloads.contains(&it.workload)
            && !ON_SOME_NODES.contains(&cell.operand)
            && !cell.daemon_sets.is_empty()
            && !is_told_otherwise(it, cell.operand)
    };
    let absent: Vec<Id> = it
        .cells
        .iter()
        .filter(is_absent)
        .map(|cell| cell.operand)
        .collect();
    let first = *absent.first()?;
    // A node without any deploy label is lost as a whole.
    if !it.node.has_deploy_label() || it.node.is_opted_out() {
        return None;
    }
    let node = it.node;
    let labels: Vec<_> = absent
        .iter()
        .map(|id| format!("{}=true", id.row().label))
        .collect();
    Some(Found {
        operand: Some(first),
        message: format!("node/{} gets no pod of {}: it lacks the deploy label", node.name, names(&absent)),
        cause: "the operator writes all deploy labels of a node together, so this one was removed or emptied".to_owned(),
        evidence: absent.iter().map(|id| format!("node/{} label {} absent or empty", node.name, id.row().label)).collect(),
        fix: format!("kubectl label node/{} --overwrite {}", node.name, labels.join(" ")),
        ..Found::on(node)
    })
}

/// gpu-order's rules already name an operand that others wait for in vain, and a toolkit under a running device plugin.
fn is_told_otherwise(it: &NodeStanding<'_>, operand: Id) -> bool {
    let runs = |id| it.cell(id).is_some_and(Cell::is_running);
    it.roots.iter().any(|root| root.lacks == Some(operand))
        || (operand == Id::ContainerToolkit && runs(Id::DevicePlugin))
}
