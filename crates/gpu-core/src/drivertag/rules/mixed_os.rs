//! GPU nodes of several systems under one ClusterPolicy, which knows one.

use std::collections::BTreeMap;

use crate::answer::{Severity, Subject};
use crate::cluster::{Kind, Policy};
use crate::drivertag::judge::Ledger;
use crate::drivertag::view::some_names;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "mixed-os",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "GPU nodes of several systems share one ClusterPolicy, which gives all of them one OS part",
    explanation: "Under a ClusterPolicy the OS part of every driver tag comes from one GPU node, the first that the \
        operator is shown; which one that is may change, and then the image of every node changes. Nodes of another \
        system get an image that does not fit. Use one system for all GPU nodes, or NVIDIADriver objects, which give \
        each pool its own tag. With precompiled drivers the operator also refuses one kernel under two systems.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut by_os: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut policy = None;
    for it in ledger.needs.nodes.iter().filter(|it| it.wants_driver()) {
        let shared = it
            .outcome
            .policy
            .filter(|it| it.kind == Kind::ClusterPolicy);
        if let (Some(shared), Some(os)) = (shared, &it.outcome.os_tag) {
            policy = Some(shared);
            by_os.entry(os).or_default().push(&it.node.name);
        }
    }
    let Some(policy) = policy else {
        return Vec::new();
    };
    if by_os.len() < 2 {
        return between(ledger, policy);
    }
    let kinds: Vec<_> = by_os.keys().copied().collect();
    let evidence = by_os
        .iter()
        .map(|(os, nodes)| format!("{os}: {}", some_names(nodes)));
    let when = if ledger.needs.is_what_if() {
        "after the change "
    } else {
        ""
    };
    vec![Found {
        operand: Some(Id::Driver),
        message: format!(
            "{when}GPU nodes have {} systems ({}), and {} makes one driver image for all of them",
            kinds.len(),
            kinds.join(", "),
            policy.title()
        ),
        cause: "under a ClusterPolicy the system of one GPU node decides the tag of every driver pod".to_owned(),
        consequences: vec![
            "nodes of the other systems get an image that does not fit".to_owned(),
            "the image changes for all nodes when the operator looks at another node first".to_owned(),
        ],
        evidence: evidence.collect(),
        fix: "set driver.useNvidiaDriverCRD=true and make one NVIDIADriver a system, or keep one system".to_owned(),
        ..Found::about(Subject::from(policy))
    }]
}

/// All nodes are of one system after the change, and were of several on the way.
fn between(ledger: &Ledger<'_>, policy: &Policy) -> Vec<Found> {
    let mixed = ledger
        .needs
        .stages
        .iter()
        .enumerate()
        .find(|(_, it)| it.systems.len() > 1);
    let found = mixed.map(|(at, stage)| Found {
        operand: Some(Id::Driver),
        message: format!(
            "after stage {} ({}) GPU nodes have {} systems, and {} makes one driver image for all of them",
            at + 1,
            stage.title,
            stage.systems.len(),
            policy.title()
        ),
        cause: "under a ClusterPolicy the system of one GPU node decides the tag of every driver pod".to_owned(),
        consequences: vec!["until the last stage some nodes get an image that does not fit".to_owned()],
        evidence: stage.systems.iter().cloned().collect(),
        fix: "set driver.useNvidiaDriverCRD=true and make one NVIDIADriver a system first".to_owned(),
        ..Found::about(Subject::from(policy))
    });
    found.into_iter().collect()
}
