//! A driver DaemonSet of an NVIDIADriver that no longer wants its nodes.

use crate::answer::{Severity, Subject};
use crate::cluster::Kind;
use crate::drivertag::judge::Ledger;
use crate::drivertag::view::some_names;
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "daemonset-orphaned",
    severity: Severity::Warning,
    plugin: Plugin::DriverTag,
    summary: "a driver DaemonSet serves nodes that its NVIDIADriver does not select any more",
    explanation: "An NVIDIADriver makes one DaemonSet a pool of nodes. When its node selector is narrowed, a DaemonSet \
        may stay behind with the former selector (before v26.3 always): its nodes keep a driver that nobody updates, \
        and lose it when the DaemonSet is cleaned up.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, asking) in ledger.needs.asking.iter().enumerate() {
        let daemon_set = asking.daemon_set;
        let of = |kind: Kind| kind.row().name;
        let owner = daemon_set
            .owner
            .as_ref()
            .filter(|it| it.kind == of(Kind::NvidiaDriver));
        let Some(owner) = owner else { continue };
        let nodes: Vec<_> = ledger
            .needs
            .nodes
            .iter()
            .filter(|it| it.chosen_by.contains(&at))
            .collect();
        let belongs = |it: &NodeNeeds<'_>| {
            it.outcome
                .policy
                .is_some_and(|it| it.kind == Kind::NvidiaDriver && it.name == owner.name)
        };
        if nodes.is_empty()
            || nodes.iter().any(|it| belongs(it))
            || !ledger.follows_nvidia_drivers()
        {
            continue;
        }
        let names: Vec<_> = nodes.iter().map(|it| it.node.name.as_str()).collect();
        found.push(Found {
            operand: Some(Id::Driver),
            message: format!(
                "{} is an orphan: no NVIDIADriver wants it for its nodes {}",
                daemon_set.address(),
                some_names(&names)
            ),
            cause: format!(
                "nvidiadriver/{} made it and does not select these nodes",
                owner.name
            ),
            consequences: vec!["they keep a driver that nobody updates".to_owned()],
            evidence: vec![format!(
                "desired {}, ready {}",
                daemon_set.desired, daemon_set.ready
            )],
            fix: format!(
                "kubectl get nvidiadriver {} -o jsonpath={{.spec.nodeSelector}}",
                owner.name
            ),
            ..Found::about(Subject::from(daemon_set))
        });
    }
    found
}
