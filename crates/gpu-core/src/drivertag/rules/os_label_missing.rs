//! A node has no OS labels, so nobody can say which image it needs.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::{Untold, Wish};
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "os-label-missing",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "a GPU node has no OS labels from NFD, so its driver tag cannot be made",
    explanation: "The OS part of a tag is made from NFD's labels system-os_release.ID and VERSION_ID. Where they are \
        missing on the node that the operator looks at, the operator stops for all nodes (older releases: make a tag \
        that ends in a dash); under NVIDIADrivers the node gets no driver. The node's osImage is no substitute: it is \
        written for people.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let say = |it: &NodeNeeds<'_>| {
        let Wish::Untold(Untold::OsLabels(missing)) = &it.outcome.wish else {
            return None;
        };
        // Without a policy nobody makes a tag of these labels.
        it.outcome.policy?;
        let asked = it
            .chosen_by
            .iter()
            .flat_map(|at| &ledger.needs.asking[*at].images);
        Some(Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.node),
            message: format!(
                "node/{} is missing the labels {}, so nobody can say which driver image it needs",
                it.node.name,
                missing.join(" and ")
            ),
            cause: "NFD has not labelled it, or its worker cannot run there".to_owned(),
            consequences: vec![
                "the operator makes no driver for it, or one whose tag has no OS part".to_owned(),
            ],
            evidence: asked
                .map(|it| format!("asked to run {}", it.text))
                .collect(),
            fix: "kubectl get pods -A -o wide -l app.kubernetes.io/name=node-feature-discovery"
                .to_owned(),
            ..Found::on(it.node)
        })
    };
    ledger.nodes().filter_map(say).collect()
}
