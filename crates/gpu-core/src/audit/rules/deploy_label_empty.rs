//! Deploy labels are there and empty.

use super::{Found, names};
use crate::answer::Severity;
use crate::cluster::DeployLabel;
use crate::facts::operands::Id;
use crate::facts::release::V26_7;
use crate::standing::{NodeStanding, Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "deploy-label-empty",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "deploy labels that the node should have are empty",
    explanation: "The DaemonSets select exactly true. An empty value is neither that nor a choice: k8s-driver-manager \
        writes it back where it found no label. Before v26.7 the operator keeps any value that is there, so the \
        operand stays away until the label is set; from v26.7 on it repairs an empty one. Empty labels of operands \
        that are not for this node mean nothing.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    if standing.regime.release.is_some_and(|it| it >= V26_7) {
        return Vec::new();
    }
    standing.nodes.iter().filter_map(on_node).collect()
}

fn on_node(it: &NodeStanding<'_>) -> Option<Found> {
    let is_empty = |cell: &&crate::standing::Cell<'_>| {
        cell.label == DeployLabel::Empty
            && cell.state == State::NotWanted
            && cell.operand.row().workloads.contains(&it.workload)
            && !cell.daemon_sets.is_empty()
    };
    let empty: Vec<Id> = it
        .cells
        .iter()
        .filter(is_empty)
        .map(|cell| cell.operand)
        .collect();
    let first = *empty.first()?;
    let node = it.node;
    let labels: Vec<_> = empty
        .iter()
        .map(|id| format!("{}=true", id.row().label))
        .collect();
    Some(Found {
        operand: Some(first),
        message: format!(
            "node/{} gets no pod of {}: the deploy labels are empty",
            node.name,
            names(&empty)
        ),
        cause: "an empty value is not true, and this operator never corrects a label that is there"
            .to_owned(),
        evidence: empty
            .iter()
            .map(|id| format!("node/{} label {}=\"\"", node.name, id.row().label))
            .collect(),
        fix: format!(
            "kubectl label node/{} --overwrite {}",
            node.name,
            labels.join(" ")
        ),
        ..Found::on(node)
    })
}
