//! A full version where a branch belongs, or the other way round.

use super::{confused, edit, policy_or_node};
use crate::answer::Severity;
use crate::drivertag::judge::{Availability, Ledger};
use crate::drivertag::outcome::Wish;
use crate::facts::images::NVIDIA_DRIVER;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "branch-and-version-confused",
    severity: Severity::Warning,
    plugin: Plugin::DriverTag,
    summary: "driver.version is a full version with precompiled drivers, or a branch without",
    explanation: "NVIDIA's precompiled images for Ubuntu are tagged with the driver's branch (580-6.8.0-51-generic-\
        ubuntu24.04), all others with the full version (580.126.20-ubuntu24.04). The operator only joins what it is \
        given, so a version of the wrong kind makes a tag that does not exist. Images built by oneself may be named \
        otherwise; where such a tag is known to be there, nothing is said.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for node in ledger.nodes() {
        let is_open = ledger.availability(node) == Availability::Unknown
            && matches!(node.outcome.wish, Wish::Images(_));
        let is_nvidias = node
            .images()
            .first()
            .is_some_and(|it| ledger.image(it.1).name == NVIDIA_DRIVER);
        let Some(why) = confused(node).filter(|_| is_open && is_nvidias) else {
            continue;
        };
        let tag = node.images().first().map(|it| ledger.image(it.1).version());
        let subject = policy_or_node(node);
        if found.iter().any(|it| it.subject == subject) {
            continue;
        }
        found.push(Found {
            message: format!("the tag {} will not be found", tag.unwrap_or_default()),
            cause: why,
            evidence: vec![format!("node/{} needs it", node.node.name)],
            fix: edit(node),
            ..Found::about(subject)
        });
    }
    found
}
