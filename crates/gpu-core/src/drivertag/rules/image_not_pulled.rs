//! The kubelet cannot pull the driver image, although nothing else speaks against it.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::{Ledger, Verdict};
use crate::drivertag::outcome::Wish;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "image-not-pulled",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "the kubelet cannot pull the driver image that the node needs",
    explanation: "The DaemonSet asks for what the node needs, and the kubelet cannot have it: it does not exist, or the \
        node may not pull it, or does not reach the registry. The kubelet's own words tell which. An image that the \
        inventory or the registry lacks is reported as absent instead.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let is_told = matches!(ledger.verdict(node), Verdict::Absent | Verdict::Wrong);
        let troubled = node
            .running
            .iter()
            .find_map(|it| Some((it, it.pull_trouble()?)));
        let (Some((it, (reason, message))), false, Wish::Images(_)) =
            (troubled, is_told, &node.outcome.wish)
        else {
            continue;
        };
        let cause = match message {
            "" => format!("the kubelet says {reason}"),
            message => format!("the kubelet says {reason}: {message}"),
        };
        found.push(Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.pod),
            message: format!(
                "node/{} cannot pull {}, which it needs",
                node.node.name, it.image
            ),
            cause,
            consequences: vec![
                "the driver pod cannot start there, and all operands wait behind it".to_owned(),
            ],
            evidence: vec![format!("{} is {}", it.pod.address(), it.pod.status)],
            fix: format!(
                "kubectl describe pod -n {} {}",
                it.pod.namespace, it.pod.name
            ),
            ..Found::on(node.node)
        });
    }
    found
}
