//! Several NVIDIADrivers select one node.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::{Untold, Wish};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "nvidiadrivers-conflict",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "several NVIDIADriver objects select the same node",
    explanation: "Exactly one NVIDIADriver may select a GPU node; one with spec.default counts only where no other does. \
        Where two select the same node, the operator assigns no node at all (since v26.7) or refuses the objects.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for it in ledger.nodes() {
        let Wish::Untold(Untold::SeveralNvidiaDrivers(names)) = &it.outcome.wish else {
            continue;
        };
        found.push(Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.node),
            message: format!(
                "node/{} is selected by the NVIDIADrivers {}",
                it.node.name,
                names.join(" and ")
            ),
            cause: "their node selectors overlap".to_owned(),
            consequences: vec![
                "the operator changes the driver of no node until they do not".to_owned(),
            ],
            evidence: names
                .iter()
                .map(|it| format!("nvidiadriver/{it}"))
                .collect(),
            fix: format!(
                "kubectl edit nvidiadriver {}",
                names.first().map_or("", String::as_str)
            ),
            ..Found::on(it.node)
        });
    }
    found
}
