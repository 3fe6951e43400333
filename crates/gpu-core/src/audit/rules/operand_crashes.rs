//! A container of an operand fails again and again.

use super::{Words, each_root, in_namespace, is_monitoring};
use crate::answer::{Severity, Subject};
use crate::facts::barriers;
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "operand-crashes",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "a container of an operand fails again and again on the node",
    explanation: "The container starts and ends with an error, or cannot start at all. The last exit code and the \
        container's own log say why.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, cell, trouble| {
        let Trouble::Fails(pod, it) = trouble else {
            return None;
        };
        // What a check says is gpu-order's to tell.
        if it.is_init && barriers::is_check(root.operand, &it.container) {
            return None;
        }
        if is_monitoring(root.operand) && !cell.is_strictly_missing {
            return None;
        }
        let which = if it.is_init {
            "init container"
        } else {
            "container"
        };
        let log = if it.restarts > 0 { " --previous" } else { "" };
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} fails on node/{}: {which} {} is in {} after {} restarts{}",
                root.names(),
                node.node.name,
                it.container,
                it.reason,
                it.restarts,
                root.waiting_behind()
            ),
            cause: format!(
                "the last attempt of {which} {} ended so: {}",
                it.container, it.how
            ),
            evidence: vec![format!(
                "{} is {} with {} restarts",
                pod.address(),
                pod.status,
                pod.restarts
            )],
            fix: in_namespace(
                &format!("logs {} -c {}{log}", pod.address(), it.container),
                &pod.namespace,
            ),
        })
    })
}
