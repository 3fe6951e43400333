//! NFD sees a GPU on the node, and the operator has not taken it for a GPU node.

use super::Found;
use crate::answer::Severity;
use crate::facts::labels::{GPU_PRESENT, ON};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "gpu-not-recognised",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a node has a GPU by its PCI label and is not marked as a GPU node",
    explanation: "The operator writes nvidia.com/gpu.present=true on nodes with one of three PCI labels of NFD, and \
        then their deploy labels. Where that has not happened, the operator is not running, stopped at an error on \
        another node, or is too old to know this spelling of the label.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    if !super::is_managed(standing) {
        return Vec::new();
    }
    let nodes = standing.nodes.iter().map(|it| it.node);
    let unmarked = nodes.filter(|it| it.label(GPU_PRESENT) != Some(ON) && !it.has_deploy_label());
    unmarked
        .filter_map(|node| {
            let pci = node.gpu_pci_label()?;
            let present = node.label(GPU_PRESENT);
            Some(Found {
                message: format!("node/{} has a GPU ({pci}=true) and is not marked as a GPU node", node.name),
                cause: match present {
                    Some(value) => format!("the operator has not reconciled the node: {GPU_PRESENT}={value}"),
                    None => format!("the operator has not reconciled the node: no label {GPU_PRESENT}, no deploy label"),
                },
                consequences: vec!["no operand comes to the node".to_owned()],
                evidence: vec![format!("node/{} label {pci}=true", node.name)],
                fix: "kubectl logs -l app=gpu-operator -A --tail=50".to_owned(),
                ..Found::on(node)
            })
        })
        .collect()
}
