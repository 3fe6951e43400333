//! The node offers fewer GPUs than GFD counted.

use super::Found;
use crate::answer::Severity;
use crate::cluster::Node;
use crate::facts::operands::Id;
use crate::standing::{Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "capacity-below-count",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a node offers fewer GPUs than GFD counted on it",
    explanation: "The device plugin takes a GPU out of the offer when it reports an error, and offers none while it is \
        not registered with the kubelet (after a restart of the kubelet, for example). Time-slicing multiplies the \
        number; with MIG in mixed strategy other resources are offered, and nothing is said here.",
    find,
};

const GPU: &str = "nvidia.com/gpu";

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let ready = |it: &&crate::standing::NodeStanding<'_>| {
        it.cell(Id::DevicePlugin)
            .is_some_and(|it| it.state == State::Ready)
    };
    standing
        .nodes
        .iter()
        .filter(ready)
        .filter_map(|it| on_node(it.node))
        .collect()
}

fn on_node(node: &Node) -> Option<Found> {
    let number = |key: &str| node.label(key).and_then(|it| it.parse::<u64>().ok());
    let counted = number("nvidia.com/gpu.count")?;
    let is_plain = node
        .label("nvidia.com/gpu.product")
        .is_none_or(|it| !it.contains("SHARED"));
    let is_mig = node.label("nvidia.com/mig.strategy") == Some("mixed")
        || node
            .labels
            .keys()
            .any(|it| it.starts_with("nvidia.com/mig-"));
    let offered = node.gpu_resources.iter().find(|it| it.name == GPU)?;
    let replicas = number("nvidia.com/gpu.replicas").unwrap_or(1).max(1);
    if is_mig
        || !is_plain
        || (offered.capacity >= counted * replicas && offered.allocatable >= offered.capacity)
    {
        return None;
    }
    Some(Found {
        operand: Some(Id::DevicePlugin),
        message: format!(
            "node/{} offers {} of {} GPUs that GFD counted",
            node.name,
            offered.allocatable.min(offered.capacity),
            counted * replicas
        ),
        cause: "the device plugin found a GPU unhealthy, or is not registered with the kubelet"
            .to_owned(),
        evidence: vec![
            format!(
                "node/{} capacity {GPU}={}, allocatable {}",
                node.name, offered.capacity, offered.allocatable
            ),
            format!("node/{} label nvidia.com/gpu.count={counted}", node.name),
        ],
        fix: format!(
            "kubectl describe node/{}; nvidia-smi on the node shows a GPU that fell off",
            node.name
        ),
        ..Found::on(node)
    })
}
