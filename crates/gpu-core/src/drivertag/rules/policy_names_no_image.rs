//! A policy does not say which image the driver is.

use super::{edit, policy_or_node};
use crate::answer::Severity;
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::{Untold, Wish};
use crate::drivertag::recipe::Unmade;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "policy-names-no-image",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "the policy's repository, image and version make no driver image",
    explanation: "A driver image is repository, image and version together; image alone is taken for a whole reference, and \
        with none of the three the operator's own default counts. With some of them missing the operator deploys nothing. \
        Precompiled drivers need a named image and cannot be given by digest, since the kernel is appended to the \
        version.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for it in ledger.nodes() {
        let Wish::Untold(Untold::Unmade(why)) = &it.outcome.wish else {
            continue;
        };
        // A missing label is a finding of its own, and an unknown default is no fault.
        let is_other = matches!(why, Unmade::NoKernel | Unmade::Environment);
        let subject = policy_or_node(it);
        if is_other || found.iter().any(|it| it.subject == subject) {
            continue;
        }
        let title = it
            .outcome
            .policy
            .map_or_else(|| "the policy".to_owned(), |it| it.title());
        found.push(Found {
            operand: Some(Id::Driver),
            message: format!("{title} makes no driver image"),
            cause: why.in_words(),
            consequences: vec!["no driver is deployed".to_owned()],
            evidence: vec![format!("for node/{}", it.node.name)],
            fix: edit(it),
            ..Found::about(subject)
        });
    }
    found
}
