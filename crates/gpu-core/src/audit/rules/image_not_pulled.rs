//! An operand's image cannot be pulled.

use super::{Words, each_root, in_namespace};
use crate::answer::{Severity, Subject};
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "image-not-pulled",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "an image that an operand needs cannot be pulled on the node",
    explanation: "The kubelet cannot get the image: its tag does not exist, the registry refuses, or nobody answers. A \
        driver image is made for one kernel or one OS, so it is the first to be missing after a node was renewed; \
        kubectl gpu-drivertag says which image each node needs.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, _, trouble| {
        let Trouble::Image(pod, it) = trouble else {
            return None;
        };
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} on node/{} cannot pull its image {}{}",
                root.names(),
                node.node.name,
                it.image,
                root.waiting_behind()
            ),
            cause: format!(
                "container {} waits with {}: {}",
                it.container, it.reason, it.message
            ),
            evidence: vec![
                format!("{} is {}", pod.address(), pod.status),
                format!("image {}", it.image),
            ],
            fix: in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
        })
    })
}
