//! The scheduler finds no place on the node for an operand's pod.

use super::{Words, each_root, in_namespace};
use crate::answer::{Severity, Subject};
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "pod-unscheduled",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "the scheduler finds no place on the node for an operand's pod",
    explanation: "The DaemonSet counts the node and made a pod for it, and the scheduler cannot bind it: too little \
        memory or CPU, too many pods, a port that is taken. The pod stays Pending, on the node and yet on none.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, cell, trouble| {
        let Trouble::Unscheduled(pod, words) = trouble else {
            return None;
        };
        let mut evidence: Vec<_> = cell
            .pods
            .iter()
            .map(|it| format!("{} is {} without a node", it.address(), it.phase.name()))
            .collect();
        evidence.push(words.clone());
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "pods of {} for node/{} cannot be scheduled{}",
                root.names(),
                node.node.name,
                root.waiting_behind()
            ),
            cause: trouble.in_words(),
            evidence,
            fix: in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
        })
    })
}
