//! The version in a policy already ends in an OS part.

use super::{edit, field, policy_or_node};
use crate::answer::Severity;
use crate::drivertag::judge::Ledger;
use crate::drivertag::tag::Parts;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "driver-version-has-os",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "driver.version already ends in an OS part, which the operator appends again",
    explanation: "The operator always appends the node's system to driver.version, whatever stands there. A version that \
        was copied from a tag, such as 565.57.01-ubuntu22.04, gets the OS part twice, and no such image exists.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for node in ledger.nodes() {
        let version = node.outcome.version.as_deref().unwrap_or_default();
        let Some(parts) = Parts::of(version) else {
            continue;
        };
        let subject = policy_or_node(node);
        if found.iter().any(|it| it.subject == subject) {
            continue;
        }
        let bare = version.trim_end_matches(parts.os).trim_end_matches('-');
        let tag = node
            .images()
            .first()
            .map_or("", |it| ledger.image(it.1).version());
        found.push(Found {
            operand: Some(Id::Driver),
            message: format!(
                "{} is {version}, which already ends in the OS part",
                field(node, "version")
            ),
            cause: format!("the operator appends it a second time, which makes {tag}"),
            evidence: vec![format!("node/{} needs {tag}", node.node.name)],
            fix: format!("{}: set {} to {bare}", edit(node), field(node, "version")),
            ..Found::about(subject)
        });
    }
    found
}
