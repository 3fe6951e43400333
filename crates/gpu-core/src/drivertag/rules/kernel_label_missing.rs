//! Drivers are precompiled, and a node has no kernel label.

use crate::answer::{Severity, Subject};
use crate::drivertag::judge::Ledger;
use crate::drivertag::outcome::{Untold, Wish};
use crate::drivertag::recipe::Unmade;
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::images::KERNEL;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "kernel-label-missing",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "drivers are precompiled, and a GPU node has no kernel label from NFD",
    explanation: "The kernel in the tag of a precompiled driver is NFD's label kernel-version.full. Under a ClusterPolicy \
        one GPU node without it stops the operator for all nodes; under an NVIDIADriver that node alone gets no driver, \
        with nothing but a line in the operator's log. What the node itself reports is no substitute: it may hold \
        characters that a tag cannot.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let is_lacking = |it: &&NodeNeeds<'_>| {
        let is_untold = matches!(
            it.outcome.wish,
            Wish::Untold(Untold::Unmade(Unmade::NoKernel))
        );
        // Without a policy nobody makes a tag of this label.
        is_untold && it.outcome.policy.is_some()
    };
    let lacking = ledger.nodes().filter(is_lacking);
    lacking
        .map(|it| Found {
            operand: Some(Id::Driver),
            subject: Subject::from(it.node),
            message: format!(
                "node/{} has no label {KERNEL}, so nobody can say which driver image it needs",
                it.node.name
            ),
            cause: "NFD has not labelled it, or its worker cannot run there".to_owned(),
            evidence: vec![format!(
                "node/{} reports kernel {}",
                it.node.name, it.node.kernel
            )],
            fix: "kubectl get pods -A -o wide -l app.kubernetes.io/name=node-feature-discovery"
                .to_owned(),
            ..Found::on(it.node)
        })
        .collect()
}
