//! The driver image is the right one, and its container fails.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::{Ledger, Verdict};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "driver-container-fails",
    severity: Severity::Info,
    plugin: Plugin::DriverTag,
    summary: "the driver image is the right one and was pulled; what fails is inside the container",
    explanation: "The tag is what the node needs and the kubelet has pulled the image, so the tag is not the reason. A \
        driver that is not precompiled is built on the node and needs the headers of its kernel from the package \
        repositories: air-gapped sites and kernels that were taken out of the repositories fail there. The container's \
        log says which.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger
        .nodes()
        .filter(|it| matches!(ledger.verdict(it), Verdict::Ok | Verdict::Unknown))
    {
        let failing = node
            .running
            .iter()
            .find(|it| it.crashes() && !node.images().is_empty());
        let Some(it) = failing else { continue };
        found.push(Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.pod),
            message: format!(
                "the driver image of node/{} is the right one; its container fails inside ({}, {} restarts)",
                node.node.name, it.pod.status, it.container.restarts
            ),
            cause: "the image was pulled and its container started, so the tag is not the reason".to_owned(),
            evidence: vec![format!("{} runs {}", it.pod.address(), it.image)],
            fix: format!(
                "kubectl logs -n {} {} -c {} --previous",
                it.pod.namespace, it.pod.name, it.container.name
            ),
            ..Found::on(node.node)
        });
    }
    found
}
