//! An operand that only watches GPUs does not work; workloads run without it.

use super::{Words, each_root, in_namespace, is_monitoring};
use crate::answer::{Severity, Subject};
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "monitoring-not-ready",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "DCGM or an exporter runs on the node and is not Ready",
    explanation: "Workloads get their GPUs without it, but nobody sees how the GPUs do: metrics of the node are missing.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, cell, trouble| {
        let pod = match trouble {
            Trouble::Fails(pod, _) | Trouble::NotReady(pod) | Trouble::Terminating(pod) => pod,
            _ => return None,
        };
        if !is_monitoring(root.operand) || cell.is_strictly_missing {
            return None;
        }
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} is not Ready on node/{}",
                root.operand.name(),
                node.node.name
            ),
            cause: trouble.in_words(),
            evidence: vec![format!(
                "{} is {} with {} restarts",
                pod.address(),
                pod.status,
                pod.restarts
            )],
            fix: in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
        })
    })
}
