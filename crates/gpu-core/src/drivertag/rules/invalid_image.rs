//! A DaemonSet of the operator names something that is no image reference.

use crate::answer::{Severity, Subject};
use crate::cluster::DaemonSet;
use crate::drivertag::judge::Ledger;
use crate::drivertag::reference::Image;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "invalid-image",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "an operand's image is no image reference: a digest too short, a tag with a forbidden character",
    explanation: "The kubelet refuses such an image with InvalidImageName before it asks any registry. A sha256 digest \
        has 64 hexadecimal digits; a tag has at most 128 characters of letters, digits, dots, dashes and underscores. It \
        is looked for in the DaemonSets of all operands.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let sets = ledger.needs.cluster.daemon_sets.iter();
    sets.filter(|it| it.operand.is_some())
        .flat_map(of_daemon_set)
        .collect()
}

fn of_daemon_set(it: &DaemonSet) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (container, text) in &it.images {
        let Err(why) = Image::parse(text) else {
            continue;
        };
        let operand = it.operand.map_or("", |it| it.name());
        let message = format!("the image of {operand} is no image reference: {why}");
        if found.iter().any(|it| it.message == message) || text.is_empty() {
            continue;
        }
        found.push(Found {
            operand: it.operand,
            message,
            cause: "what the policy or the operator's bundle says was shortened or mistyped"
                .to_owned(),
            consequences: vec!["the kubelet refuses it with InvalidImageName".to_owned()],
            evidence: vec![format!("{} container {container}: {text}", it.address())],
            fix: format!("kubectl get {} -n {} -o yaml", it.address(), it.namespace),
            ..Found::about(Subject::from(it))
        });
    }
    found
}
