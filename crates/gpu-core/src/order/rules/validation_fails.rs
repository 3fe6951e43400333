//! A validation step of an operand fails, rather than waits.

use crate::answer::{Severity, Subject};
use crate::facts::barriers;
use crate::facts::operands::Id;
use crate::standing::trouble::Failure;
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, Switched, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "validation-fails",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "an operand's validation step fails, so what it checks does not work",
    explanation: "An init container of the operand checks its prerequisite by using it: nvidia-smi with the driver, a \
        container with the nvidia runtime, a CUDA program. That it fails, rather than waits, says that the \
        prerequisite is there and does not work, or that the host has to provide it and does not.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for root in &node.roots {
            let trouble = node.cell(root.operand).and_then(|it| it.trouble.as_ref());
            if let Some(Trouble::Fails(pod, failure)) = trouble {
                found.extend(on_node(standing, node, root, pod, failure));
            }
        }
    }
    found
}

fn on_node(
    standing: &Standing<'_>,
    node: &NodeStanding<'_>,
    root: &Root,
    pod: &crate::cluster::Pod,
    failure: &Failure,
) -> Option<Found> {
    let step = &failure.container;
    let checks = match barriers::at(root.operand, step) {
        Some(it) => Some(it.opener),
        None if step == "cuda-validation" => None,
        None => return None,
    };
    let name = &node.node.name;
    Some(Found {
        operand: Some(root.operand),
        subject: Subject::from(pod),
        message: format!(
            "{} fails in {step} on node/{name}: {}{}",
            root.operand.name(),
            failure.reason,
            root.waiting_behind()
        ),
        cause: checks.map_or_else(
            || failure.how.clone(),
            |id| cause(standing, node, id, &failure.how),
        ),
        consequences: node.consequences(root),
        evidence: vec![
            format!(
                "{} is {} with {} restarts",
                pod.address(),
                pod.status,
                pod.restarts
            ),
            format!("init container {step}: {}, {}", failure.reason, failure.how),
        ],
        fix: format!(
            "kubectl logs {} -c {step} -n {}",
            pod.address(),
            pod.namespace
        ),
        ..Found::on(node.node)
    })
}

/// What the failing step says about the prerequisite it checks.
fn cause(standing: &Standing<'_>, node: &NodeStanding<'_>, checks: Id, how: &str) -> String {
    let name = checks.name();
    match standing.regime.switched(checks) {
        Switched::Off(why) => {
            format!(
                "{name} is switched off ({why}), so the host has to provide it, and what the host has does not work: {how}"
            )
        }
        Switched::On => {
            let state = node.cell(checks).map_or("absent", |it| it.state.name());
            format!("{name} is {state} and cannot be used: {how}")
        }
    }
}
