//! An operand waits although what it waits for is there.

use super::{Words, each_root, in_namespace};
use crate::answer::{Severity, Subject};
use crate::facts::barriers;
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "operand-waits",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "an operand's pod waits on the node, and nothing before it is broken",
    explanation: "Operands wait in init containers for files that other operands write. This one waits although the \
        operand that has to write the file is not itself in trouble, or its first container has not been started.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, _, trouble| {
        let (pod, what, cause) = match trouble {
            // At a barrier it is gpu-order's to say what it waits for.
            Trouble::Waits(pod, init, _) if barriers::at(root.operand, init).is_none() => (
                pod,
                format!("waits in init container {init}"),
                format!("init container {init} is at work and has not ended"),
            ),
            Trouble::Creating(pod) if standing.cluster.handler_refusal(pod).is_none() => (
                pod,
                format!("{} not started", root.verb("has", "have")),
                trouble.in_words(),
            ),
            _ => return None,
        };
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} {what} on node/{}{}",
                root.names(),
                node.node.name,
                root.waiting_behind()
            ),
            cause,
            evidence: vec![format!("{} is {}", pod.address(), pod.status)],
            fix: in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
        })
    })
}
