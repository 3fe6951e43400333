//! A GPU node carries not one deploy label.

use super::Found;
use crate::answer::Severity;
use crate::facts::labels::{DEPLOY_PREFIX, GPU_PRESENT, ON};
use crate::standing::{NodeStanding, Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "deploy-labels-lost",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a GPU node carries not one deploy label, so no operand comes to it",
    explanation: "The operator writes nvidia.com/gpu.deploy.* labels on every node with nvidia.com/gpu.present=true \
        unless nvidia.com/gpu.deploy.operands=false. A node with neither is lost: no DaemonSet selects it, nothing is \
        ever missing there by label, and the ClusterPolicy says ready. Look at the operator's log, and whether NFD \
        rewrote the node's labels; the operator writes them again when the node's labels change.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    if !super::is_managed(standing) {
        return Vec::new();
    }
    standing
        .nodes
        .iter()
        .filter(|it| is_lost(it))
        .map(|it| found(standing, it))
        .collect()
}

fn is_lost(it: &NodeStanding<'_>) -> bool {
    it.node.label(GPU_PRESENT) == Some(ON)
        && !it.node.has_deploy_label()
        && !it.node.is_unreachable()
}

fn found(standing: &Standing<'_>, it: &NodeStanding<'_>) -> Found {
    let node = it.node;
    let peers = standing
        .cluster
        .nodes
        .iter()
        .filter(|it| it.has_deploy_label())
        .map(|it| it.name.as_str());
    let peers: Vec<_> = peers.take(3).collect();
    let mut evidence = vec![format!("node/{} label {GPU_PRESENT}=true", node.name)];
    if !peers.is_empty() {
        evidence.push(format!("{} has deploy labels", peers.join(", ")));
    }
    Found {
        message: format!(
            "node/{} is a GPU node and has no deploy label, so no operand runs there",
            node.name
        ),
        cause: format!(
            "no label {DEPLOY_PREFIX}* is on the node: they were removed, or the operator never wrote them"
        ),
        consequences: vec!["pods that ask for GPUs find none on this node".to_owned()],
        evidence,
        fix: format!(
            "kubectl label node/{} {GPU_PRESENT}=false --overwrite (the operator then labels it anew; else see its log)",
            node.name
        ),
        ..Found::on(node)
    }
}
