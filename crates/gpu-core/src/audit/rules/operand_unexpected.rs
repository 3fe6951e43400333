//! A pod of an operand runs although label or policy says no.

use super::{Found, in_namespace};
use crate::answer::{Severity, Subject};
use crate::standing::{Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "operand-unexpected",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "an operand runs on the node although its label or the policy says no",
    explanation: "A DaemonSet's pod leaves a node when the node no longer matches. One that stays is not managed any \
        more (its DaemonSet is gone, or a person made it), or the DaemonSet controller has not acted yet.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for cell in node.cells.iter().filter(|it| it.state == State::Unexpected) {
            let Some(pod) = cell.pods.iter().find(|it| it.is_running()) else {
                continue;
            };
            found.push(Found {
                node: Some(node.node.name.clone()),
                operand: Some(cell.operand),
                subject: Subject::from(*pod),
                message: format!(
                    "{} runs on node/{} and should not",
                    cell.operand.name(),
                    node.node.name
                ),
                cause: cell.why.clone(),
                consequences: Vec::new(),
                evidence: vec![format!("{} is {}", pod.address(), pod.status)],
                fix: in_namespace(&format!("get {} -o yaml", pod.address()), &pod.namespace),
            });
        }
    }
    found
}
