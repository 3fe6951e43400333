//! NFD writes NVIDIA's PCI devices under a label that the operator does not read.

use super::Found;
use crate::answer::{Severity, Subject};
use crate::cluster::Node;
use crate::facts::labels::{GPU_PCI, GPU_PRESENT, NFD_PREFIX, NVIDIA_PCI_VENDOR, ON};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "nfd-pci-label-unknown",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "NFD labels NVIDIA's PCI devices in a form that the operator does not read",
    explanation: "Which parts of a PCI device NFD writes into the label's name is set by deviceLabelFields in its worker's \
        configuration. The operator knows the vendor alone (pci-10de) and class with vendor for display and 3D \
        controllers (pci-0300_10de, pci-0302_10de). After a change to another form every GPU node is taken for a node \
        without GPU, and all operands are removed at once.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let Some(policy) = standing.regime.leading() else {
        return Vec::new();
    };
    let lost: Vec<_> = standing
        .nodes
        .iter()
        .filter_map(|it| Some((it.node, unknown_label(it.node)?)))
        .collect();
    let Some((_, label)) = lost.first() else {
        return Vec::new();
    };
    let names: Vec<_> = lost.iter().map(|(node, _)| node.name.as_str()).collect();
    vec![Found {
        message: format!(
            "{} of {} nodes have an NVIDIA device that the operator does not see ({}): NFD labels it {label}",
            names.len(),
            standing.nodes.len(),
            names.join(", ")
        ),
        cause: format!(
            "the operator reads {} only",
            GPU_PCI
                .map(|it| it.trim_start_matches(NFD_PREFIX))
                .join(", ")
        ),
        consequences: vec![
            "the nodes are not GPU nodes any more, and no operand runs there".to_owned(),
        ],
        evidence: lost
            .iter()
            .map(|(node, label)| format!("node/{} label {label}=true", node.name))
            .take(8)
            .collect(),
        fix: "set sources.pci.deviceLabelFields to [vendor] in the configuration of NFD's worker"
            .to_owned(),
        ..Found::about(Subject::from(policy))
    }]
}

/// A label of NVIDIA's vendor that is none of the three, on a node without any of them.
fn unknown_label(node: &Node) -> Option<String> {
    if node.gpu_pci_label().is_some() || node.label(GPU_PRESENT) == Some(ON) {
        return None;
    }
    let is_nvidia = |key: &&String| {
        key.strip_prefix(NFD_PREFIX)
            .and_then(|it| it.strip_prefix("pci-")?.strip_suffix(".present"))
            .is_some_and(|it| it.split('_').any(|part| part == NVIDIA_PCI_VENDOR))
    };
    node.labels
        .iter()
        .filter(|(_, value)| *value == ON)
        .map(|(key, _)| key)
        .find(is_nvidia)
        .cloned()
}
