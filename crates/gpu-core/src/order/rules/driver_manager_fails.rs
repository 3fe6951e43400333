//! The driver manager, first init container of driver pods, gives up again and again.

use crate::answer::{Severity, Subject};
use crate::cluster::{DeployLabel, Pod};
use crate::facts::barriers::DRIVER_MANAGER;
use crate::facts::operands::{Id, Workload};
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "driver-manager-fails",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "the driver manager fails in the driver pod's init container, so no driver comes up",
    explanation: "k8s-driver-manager unloads the old driver before the new one starts: it pauses operands, evicts GPU \
        pods if it may, and unloads the kernel modules. It fails when a pod or process still uses the driver, when \
        operands do not go away within five minutes, and when it finds a working driver on the host, which it marks \
        by nvidia.com/gpu.deploy.driver=pre-installed.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for root in &node.roots {
            let trouble = node.cell(root.operand).and_then(|it| it.trouble.as_ref());
            let Some(Trouble::Fails(pod, failure)) = trouble else {
                continue;
            };
            if failure.is_init && failure.container == DRIVER_MANAGER {
                let users = gpu_pods(node);
                found.push(on_node(node, root, pod, &users, &failure.how));
            }
        }
    }
    found
}

/// Pods on the node that ask for a GPU and so may hold the driver.
fn gpu_pods(node: &NodeStanding<'_>) -> Vec<String> {
    let others = node
        .pods
        .iter()
        .filter(|it| it.is_running() && it.operand.is_none());
    others
        .filter(|it| {
            it.details
                .as_ref()
                .is_some_and(|it| !it.gpu_requests.is_empty())
        })
        .map(|it| format!("{}/{}", it.namespace, it.name))
        .collect()
}

fn on_node(node: &NodeStanding<'_>, root: &Root, pod: &Pod, users: &[String], how: &str) -> Found {
    let name = &node.node.name;
    let operand = root.operand.name();
    let key = Id::Driver.row().label;
    let is_marked = node.node.deploy(Id::Driver) == DeployLabel::PreInstalled;
    let label = node
        .node
        .label(key)
        .map_or_else(|| format!("{key} absent"), |it| format!("{key}={it}"));
    let cause = if is_marked {
        format!(
            "it found a working NVIDIA driver on the host and marked it {key}=pre-installed; on a node for workload {} \
             the host driver has to go",
            node.workload.name()
        )
    } else if !users.is_empty() {
        format!(
            "the driver is in use by {}; the last attempt ended with {how}",
            users.join(", ")
        )
    } else if node.workload != Workload::Container {
        format!(
            "a driver on the host, or one that is in use, does not go away; the last attempt ended with {how}"
        )
    } else {
        format!(
            "the driver is in use, or operands did not go away in time; the last attempt ended with {how}"
        )
    };
    let mut evidence = vec![
        format!(
            "{} is {} with {} restarts",
            pod.address(),
            pod.status,
            pod.restarts
        ),
        format!(
            "node/{name} is for workload {} and has label {label}",
            node.workload.name()
        ),
    ];
    evidence.extend(node.paused_behind(root));
    Found {
        operand: Some(root.operand),
        subject: Subject::from(pod),
        message: format!(
            "{operand} does not start on node/{name}: {DRIVER_MANAGER} fails, {} restarts{}",
            pod.restarts,
            root.waiting_behind()
        ),
        cause,
        consequences: node.consequences(root),
        evidence,
        fix: format!(
            "kubectl logs {} -c {DRIVER_MANAGER} --previous -n {}",
            pod.address(),
            pod.namespace
        ),
        ..Found::on(node.node)
    }
}
