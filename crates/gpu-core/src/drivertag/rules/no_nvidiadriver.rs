//! Drivers come from NVIDIADrivers, and none selects a node.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::{Untold, Wish};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "no-nvidiadriver",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "drivers come from NVIDIADriver objects, and none selects this GPU node",
    explanation: "With driver.useNvidiaDriverCRD each GPU node needs exactly one NVIDIADriver whose node selector matches \
        it. A node that none selects gets no driver, or keeps one that nobody manages, and nothing reports it.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let nodes = ledger
        .nodes()
        .filter(|it| matches!(it.outcome.wish, Wish::Untold(Untold::NoNvidiaDriver)));
    let drivers: Vec<_> = ledger.needs.cluster.nvidia_drivers().collect();
    let selectors = drivers.iter().map(|it| {
        let selector = it
            .at("nodeSelector")
            .map_or_else(|| "{}".to_owned(), ToString::to_string);
        format!("{} selects {selector}", it.address())
    });
    let selectors: Vec<_> = selectors.collect();
    nodes
        .map(|it| {
            let keeps = it
                .chosen_by
                .iter()
                .map(|at| ledger.needs.asking[*at].daemon_set.address());
            let keeps: Vec<_> = keeps.collect();
            let follows = match keeps.is_empty() {
                true => "it gets no driver, and all operands wait for one".to_owned(),
                false => format!(
                    "it keeps the driver of {}, which nobody manages",
                    keeps.join(", ")
                ),
            };
            Found {
                operand: Some(Id::Driver),
                subject: Subject::from(it.node),
                message: format!("no NVIDIADriver selects node/{}", it.node.name),
                cause: match drivers.is_empty() {
                    true => "there is no NVIDIADriver at all".to_owned(),
                    false => {
                        "the node selectors of all NVIDIADrivers ask for labels it does not have"
                            .to_owned()
                    }
                },
                consequences: vec![follows],
                evidence: selectors.clone(),
                fix: "kubectl get nvidiadrivers -o yaml".to_owned(),
                ..Found::on(it.node)
            }
        })
        .collect()
}
