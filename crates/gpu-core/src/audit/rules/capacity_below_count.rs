//! The node offers fewer GPUs than GFD counted.

use super::Found;
use crate::answer::Severity;
use crate::cluster::Node;
use crate::cluster::node::GpuResource;
use crate::facts::operands::Id;
use crate::standing::{NodeStanding, Plugin, Rule, Standing, State};

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
/// What time-slicing renames it to, where it is told to rename.
const SHARED: &str = "nvidia.com/gpu.shared";

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let ready = |it: &&NodeStanding<'_>| {
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
    let replicas = number("nvidia.com/gpu.replicas").unwrap_or(1).max(1);
    let counted = number("nvidia.com/gpu.count")? * replicas;
    let is_mixed = node.label("nvidia.com/mig.strategy") == Some("mixed")
        || node
            .labels
            .keys()
            .any(|it| it.starts_with("nvidia.com/mig-"));
    let sum = |of: fn(&GpuResource) -> u64| -> u64 {
        node.gpu_resources
            .iter()
            .filter(|it| it.name == GPU || it.name == SHARED)
            .map(of)
            .sum()
    };
    let (capacity, allocatable) = (sum(|it| it.capacity), sum(|it| it.allocatable));
    if is_mixed || counted == 0 || (capacity >= counted && allocatable >= capacity) {
        return None;
    }
    Some(Found {
        operand: Some(Id::DevicePlugin),
        message: format!(
            "node/{} offers {} of {counted} GPUs that GFD counted",
            node.name,
            allocatable.min(capacity)
        ),
        cause: "the device plugin found a GPU unhealthy, or is not registered with the kubelet"
            .to_owned(),
        evidence: vec![
            format!(
                "node/{} capacity {GPU}={capacity}, allocatable {allocatable}",
                node.name
            ),
            format!(
                "node/{} labels say {counted} (nvidia.com/gpu.count times nvidia.com/gpu.replicas)",
                node.name
            ),
        ],
        fix: format!(
            "kubectl describe node/{}; nvidia-smi on the node shows a GPU that fell off",
            node.name
        ),
        ..Found::on(node)
    })
}
