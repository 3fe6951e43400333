//! A driver pod runs the image from before a change.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::drivertag::tag::Parts;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "driver-image-outdated",
    severity: Severity::Info,
    plugin: Plugin::DriverTag,
    summary: "a driver pod still runs the image from before a change",
    explanation: "Driver DaemonSets replace a pod only when it is deleted (OnDelete), so that a node keeps its driver \
        until the upgrade controller or a person gets to it. Until then the pod runs the former image. An upgrade of \
        the operator alone can do it: from v26.3 on rocky, and from v26.7 on rhel and ol lose the minor in the tag.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let stale = node.running.iter().find_map(|it| {
            let needed = node.images().iter().find(|(role, _)| *role == it.role)?;
            let needed = ledger.image(needed.1);
            (it.was_started() && it.image.differs(needed)).then_some((it, needed))
        });
        // Where even the DaemonSet asks for another image, that is the finding.
        let Some((it, needed)) = stale.filter(|_| ledger.wrong(node).next().is_none()) else {
            continue;
        };
        let candidates = node
            .profile
            .os
            .as_ref()
            .map(|it| it.candidates())
            .unwrap_or_default();
        let was = Parts::of(it.image.version());
        let is_renamed = was.is_some_and(|was| {
            Some(was.os) != node.outcome.os_tag.as_deref()
                && candidates.iter().any(|it| it == was.os)
        });
        let cause = match is_renamed {
            true => {
                "an upgrade of the operator changed how the OS part is named; mirrors filled by the former name lack the new one"
            }
            false => "its pod is replaced only when it is deleted",
        };
        found.push(Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.pod),
            message: format!(
                "node/{} still runs {} and gets {} when its driver pod is replaced",
                node.node.name,
                it.image.version(),
                needed.version()
            ),
            cause: cause.to_owned(),
            evidence: vec![format!("{} runs {}", it.pod.address(), it.image)],
            fix: format!("kubectl delete pod -n {} {}", it.pod.namespace, it.pod.name),
            ..Found::on(node.node)
        });
    }
    found
}
