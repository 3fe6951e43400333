//! A node can do MIG and has no deploy label for the MIG manager.

use super::Found;
use crate::answer::Severity;
use crate::cluster::{DeployLabel, Node};
use crate::facts::operands::{Id, Workload};
use crate::standing::{NodeStanding, Plugin, Rule, Standing, State, Switched};

pub(super) const RULE: Rule = Rule {
    id: "mig-manager-unlabelled",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a node can do MIG and has no deploy label for the MIG manager",
    explanation: "The operator labels nodes for the MIG manager when GFD says that they are MIG capable, or by product \
        (H100, A100, A30). Without the label the node keeps its MIG layout and follows no change of nvidia.com/mig.config.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    standing
        .nodes
        .iter()
        .filter_map(|it| on_node(standing, it))
        .collect()
}

/// What makes the operator take a node for MIG capable.
/// Source: NVIDIA/gpu-operator controllers/state_manager.go.
fn capable_by(node: &Node) -> Option<String> {
    if node
        .label("nvidia.com/vgpu.host-driver-version")
        .is_some_and(|it| !it.is_empty())
    {
        return None;
    }
    if let Some(value) = node.label("nvidia.com/mig.capable") {
        return (value == "true").then(|| "nvidia.com/mig.capable=true".to_owned());
    }
    let product = node.label("nvidia.com/gpu.product")?;
    let lower = product.to_lowercase();
    ["h100", "a100", "a30"]
        .iter()
        .any(|it| lower.contains(it))
        .then(|| format!("nvidia.com/gpu.product={product}"))
}

fn on_node(standing: &Standing<'_>, it: &NodeStanding<'_>) -> Option<Found> {
    let cell = it.cell(Id::MigManager)?;
    let capable = capable_by(it.node)?;
    let is_absent = matches!(cell.label, DeployLabel::Absent | DeployLabel::Empty)
        && cell.state == State::NotWanted;
    let is_on = standing.regime.switched(Id::MigManager) == Switched::On;
    if !is_absent
        || !is_on
        || it.workload != Workload::Container
        || it.node.is_opted_out()
        || cell.daemon_sets.is_empty()
    {
        return None;
    }
    let (node, key) = (it.node, Id::MigManager.row().label);
    Some(Found {
        operand: Some(Id::MigManager),
        message: format!(
            "node/{} can do MIG ({capable}) and has no label for mig-manager, so it gets no pod",
            node.name
        ),
        cause: format!("{key} is absent or empty, and the DaemonSet selects {key}=true"),
        consequences: vec![
            "a change of nvidia.com/mig.config is not carried out on the node".to_owned(),
        ],
        evidence: vec![format!("node/{} label {capable}", node.name)],
        fix: format!("kubectl label node/{} {key}=true --overwrite", node.name),
        ..Found::on(node)
    })
}
