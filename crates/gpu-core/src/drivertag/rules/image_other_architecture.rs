//! An image is there, and not for the node's processor.

use crate::answer::{Severity, Subject};
use crate::drivertag::existence::Existence;
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::architecture;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "image-other-architecture",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "the image is in the registry, but not for the node's architecture",
    explanation: "A tag names a list of images, one an architecture. That the tag exists says nothing about arm64: \
        precompiled images have arm64 only since July 2026 and not for every flavour, and many images built by oneself \
        have one architecture.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let own = architecture(node.node);
        let mut seen = Vec::new();
        for (role, at) in node.images() {
            let lacks = match &ledger.states[*at].registry {
                Existence::WrongArchitecture(lacking) => lacking.iter().any(|it| it == own),
                _ => false,
            };
            if !lacks || seen.contains(at) {
                continue;
            }
            seen.push(*at);
            found.push(Found {
                operand: Some(Id::Driver),
                subject: Subject::from(node.node),
                message: format!(
                    "node/{} is {own}, and {} is there for other architectures only",
                    node.node.name,
                    ledger.image(*at)
                ),
                cause: format!("the manifest list holds no image for linux/{own}"),
                consequences: vec!["the driver pod cannot start there".to_owned()],
                evidence: vec![format!("role {}", role.name())],
                fix: format!("build or copy the {own} image too"),
                ..Found::on(node.node)
            });
        }
    }
    found
}
