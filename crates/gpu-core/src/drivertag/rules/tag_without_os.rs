//! A driver DaemonSet asks for a tag that ends in a dash.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "tag-without-os",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "a driver DaemonSet asks for a tag that ends in a dash: the OS part is missing",
    explanation: "The operator found no OS labels on the GPU node it looked at and appended nothing after the dash. No \
        such image exists. Once NFD labels the nodes, the operator makes the tag anew.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for asking in &ledger.needs.asking {
        let broken = asking.images.iter().find(|it| it.text.ends_with('-'));
        let Some(it) = broken else { continue };
        found.push(Found {
            operand: Some(Id::Driver),
            message: format!("{} asks for {}, whose tag has no OS part", asking.daemon_set.address(), it.text),
            cause: "the GPU node that the operator looked at has no OS labels".to_owned(),
            consequences: vec!["no such image exists, and no driver pod can start".to_owned()],
            evidence: vec![format!("role {}", it.role.name())],
            fix: "kubectl get nodes -L feature.node.kubernetes.io/system-os_release.ID,feature.node.kubernetes.io/system-os_release.VERSION_ID".to_owned(),
            ..Found::about(Subject::from(asking.daemon_set))
        });
    }
    found
}
