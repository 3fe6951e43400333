//! NVIDIA has never published an image of this kind.

use super::never_published;
use crate::answer::{Severity, Subject};
use crate::drivertag::judge::{Availability, Ledger};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "image-never-published",
    severity: Severity::Warning,
    plugin: Plugin::DriverTag,
    summary: "NVIDIA publishes no driver image for this system, or none precompiled for this kernel flavour",
    explanation: "nvcr.io/nvidia/driver holds images for Ubuntu, RHEL, Rocky and RHCOS, and precompiled ones for Ubuntu \
        and the flavours aws, azure, azure-fde, generic, nvidia and oracle. For other systems the tag is made all the \
        same, and the pull fails. It is said where nobody was asked whether the image exists; a list or a registry \
        knows better.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let images = ledger.needs.images.iter().zip(&ledger.states);
    let never: Vec<_> = images
        .map(|(it, state)| match state.availability() {
            Availability::Unknown => never_published(&it.image),
            Availability::Absent | Availability::Present => None,
        })
        .collect();
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let mut seen = Vec::new();
        for (role, at) in node.images() {
            let Some((why, hint)) = never[*at].as_ref().filter(|_| !seen.contains(at)) else {
                continue;
            };
            seen.push(*at);
            let image = ledger.image(*at);
            found.push(Found {
                operand: Some(Id::Driver),
                subject: Subject::from(node.node),
                message: format!(
                    "node/{} needs {image}, which NVIDIA has never published",
                    node.node.name
                ),
                cause: why.clone(),
                evidence: vec![format!("role {}", role.name())],
                fix: hint.clone(),
                ..Found::on(node.node)
            });
        }
    }
    found
}
