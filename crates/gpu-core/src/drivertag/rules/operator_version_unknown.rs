//! Nothing tells the operator's release, and the rules of the releases differ for a node.

use crate::answer::Severity;
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::Wish;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "operator-version-unknown",
    severity: Severity::Info,
    plugin: Plugin::DriverTag,
    summary: "the operator's version is not known, and the tag follows the rule that the DaemonSet shows",
    explanation: "From v26.3 on the OS part of rocky, and from v26.7 on that of rhel and ol, has the major version only. \
        Where no policy, Deployment or DaemonSet names the operator's release, the tag that the DaemonSet asks for shows \
        which rule is in force; --operator-version says it for certain, or shows what an upgrade would change.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    if ledger.needs.regime.release.is_some() {
        return Vec::new();
    }
    let first = ledger.nodes().find_map(|it| {
        let candidates = it.profile.os.as_ref().ok()?.candidates();
        let is_told = matches!(it.outcome.wish, Wish::Images(_)) && it.outcome.os_tag.is_some();
        (is_told && candidates.len() > 1).then_some((it, candidates))
    });
    let Some((it, candidates)) = first else {
        return Vec::new();
    };
    let os = it.outcome.os_tag.as_deref().unwrap_or_default();
    vec![Found {
        message: format!(
            "the operator's version is not known; its DaemonSet follows the rule that gives {os}"
        ),
        cause: "no policy, Deployment or DaemonSet names the operator's release".to_owned(),
        evidence: vec![format!(
            "by the releases there are it may be {}",
            candidates.join(" or ")
        )],
        fix: "pass --operator-version".to_owned(),
        ..Found::about(super::policy_or_node(it))
    }]
}
