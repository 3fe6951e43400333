//! GFD runs on the node and has not written its labels.

use jiff::Timestamp;

use crate::answer::{Severity, Subject};
use crate::cluster::Node;
use crate::cluster::pod::State as ContainerState;
use crate::facts::operands::Id;
use crate::standing::{Cell, Found, NodeStanding, Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "gfd-labels-missing",
    severity: Severity::Warning,
    plugin: Plugin::Order,
    summary: "GPU feature discovery is Ready on the node, and the node has none of its CUDA labels",
    explanation: "GFD that starts before the driver finds no library, writes no labels and does not look again. A \
        scheduling rule on nvidia.com/cuda.* leaves the node out without a word. Restarting the GFD pod brings them.",
    find,
};

const CUDA_PREFIX: &str = "nvidia.com/cuda.";

fn has_labels(node: &Node) -> bool {
    node.labels.keys().any(|it| it.starts_with(CUDA_PREFIX))
}

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let peers: Vec<_> = standing
        .cluster
        .nodes
        .iter()
        .filter(|it| has_labels(it))
        .map(|it| it.name.as_str())
        .collect();
    standing
        .nodes
        .iter()
        .filter_map(|it| on_node(it, &peers))
        .collect()
}

/// When the main container of an operand started.
fn started(cell: &Cell<'_>) -> Option<Timestamp> {
    let details = cell.pods.iter().find(|it| it.ready)?.details.as_ref()?;
    match details.containers.first()?.state {
        ContainerState::Running(at) => at,
        _ => None,
    }
}

fn on_node(node: &NodeStanding<'_>, peers: &[&str]) -> Option<Found> {
    let gfd = node
        .cell(Id::GpuFeatureDiscovery)
        .filter(|it| it.state == State::Ready)?;
    if has_labels(node.node) {
        return None;
    }
    let driver = node.cell(Id::Driver).and_then(started);
    let is_early = driver
        .zip(started(gfd))
        .is_some_and(|(driver, gfd)| gfd < driver);
    if !is_early && peers.is_empty() {
        return None;
    }
    let pod = *gfd.pods.first()?;
    let name = &node.node.name;
    let cause = if is_early {
        "its container started before the driver's, found no driver library, and has not looked again"
    } else {
        "GFD has not written them, or NFD has not put them on the node"
    };
    let mut evidence = vec![format!("node/{name} has no label {CUDA_PREFIX}*")];
    evidence.extend(peers.first().map(|it| format!("node/{it} has them")));
    evidence.extend(started(gfd).map(|at| format!("gpu-feature-discovery started at {at}")));
    evidence.extend(driver.map(|at| format!("driver started at {at}")));
    Some(Found {
        operand: Some(Id::GpuFeatureDiscovery),
        subject: Subject::from(pod),
        message: format!(
            "gpu-feature-discovery is Ready on node/{name}, and the node has no CUDA label (nvidia.com/cuda.*)"
        ),
        cause: cause.to_owned(),
        consequences: vec!["scheduling rules on these labels leave the node out".to_owned()],
        evidence,
        fix: format!("kubectl delete {} -n {}", pod.address(), pod.namespace),
        ..Found::on(node.node)
    })
}
