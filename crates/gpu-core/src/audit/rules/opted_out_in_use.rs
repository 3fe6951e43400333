//! A pod still uses a GPU of a node whose operands are opted out.

use super::Found;
use crate::answer::{Severity, Subject};
use crate::cluster::{Node, Pod};
use crate::facts::labels::DEPLOY_OPERANDS;
use crate::facts::operands::Id;
use crate::standing::{Plugin, Rule, Standing, offers_no_gpu_on_purpose};

pub(super) const RULE: Rule = Rule {
    id: "opted-out-in-use",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a pod still holds a GPU of a node whose operands are opted out",
    explanation: "Opting a node out takes its operands away and leaves running pods alone. A pod that got its GPU \
        before keeps it, although the node no longer offers any, and loses it when the operands come back or the pod \
        moves.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in standing
        .nodes
        .iter()
        .map(|it| it.node)
        .filter(|it| is_empty_on_purpose(it))
    {
        for pod in standing
            .cluster
            .pods
            .iter()
            .filter(|it| holds_gpu(it, node))
        {
            found.push(on_node(node, pod));
        }
    }
    found
}

/// Opted out, and nobody else offers its GPUs either.
fn is_empty_on_purpose(node: &Node) -> bool {
    offers_no_gpu_on_purpose(node) && node.gpu_resources.iter().all(|it| it.allocatable == 0)
}

fn holds_gpu(pod: &Pod, node: &Node) -> bool {
    pod.node.as_deref() == Some(&node.name)
        && pod.is_running()
        && pod.operand.is_none()
        && pod
            .details
            .as_ref()
            .is_some_and(|it| !it.gpu_requests.is_empty())
}

fn on_node(node: &Node, pod: &Pod) -> Found {
    let asks = pod
        .details
        .as_ref()
        .map(|it| it.gpu_requests.join(", "))
        .unwrap_or_default();
    let label = if node.is_opted_out() {
        DEPLOY_OPERANDS
    } else {
        Id::DevicePlugin.row().label
    };
    Found {
        subject: Subject::from(pod),
        message: format!(
            "pod/{} in namespace {} still uses a GPU ({asks}) of node/{}, whose operands are opted out",
            pod.name, pod.namespace, node.name
        ),
        cause: format!("{label}=false took the operands away and leaves running pods alone"),
        consequences: vec![
            "the pod loses its GPU when the operands come back, and finds none when it moves"
                .to_owned(),
        ],
        evidence: vec![
            format!("{} is {} and asks for {asks}", pod.address(), pod.status),
            format!("node/{} label {label}=false", node.name),
        ],
        fix: format!(
            "kubectl delete {} -n {} when its work is done",
            pod.address(),
            pod.namespace
        ),
        ..Found::on(node)
    }
}
