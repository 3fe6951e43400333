//! An operand's pod is there and not Ready, for no reason that its containers tell.

use super::{Words, and_behind, each_root, in_namespace, is_monitoring, operands};
use crate::answer::{Severity, Subject};
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "operand-not-ready",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "an operand's pod is on the node and not Ready",
    explanation: "All containers run and the pod is not Ready (its probes fail), the pod is being deleted, or it has \
        ended and the DaemonSet controller has not replaced it yet.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, cell, trouble| {
        let (Trouble::NotReady(pod) | Trouble::Terminating(pod) | Trouble::Finished(pod)) = trouble
        else {
            return None;
        };
        if is_monitoring(root.operand) && !cell.is_strictly_missing {
            return None;
        }
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} is not Ready on node/{}{}",
                operands(root),
                node.node.name,
                and_behind(root)
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
