//! More than one policy wants to rule the cluster.

use super::Found;
use crate::answer::{Severity, Subject};
use crate::cluster::{Kind, Policy};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "policies-conflict",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "there are two ClusterPolicies, or a ClusterPolicy beside a GPUCluster",
    explanation: "Only the oldest ClusterPolicy counts; any other gets the state ignored, whatever is written in it. A \
        GPUCluster cannot live beside a ClusterPolicy at all: nodes are no longer labelled while both are there.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let all = &standing.cluster.policies;
    let of = |kind| all.iter().filter(move |it| it.kind == kind);
    let mut found = Vec::new();
    if let Some(first) = of(Kind::ClusterPolicy).next() {
        found.extend(of(Kind::ClusterPolicy).skip(1).map(|it| ignored(it, first)));
        found.extend(of(Kind::GpuCluster).map(|it| exclusive(it, first)));
    }
    found
}

fn ignored(it: &Policy, first: &Policy) -> Found {
    Found {
        message: format!(
            "{} is ignored: only the oldest ClusterPolicy counts, {}",
            it.title(),
            first.title()
        ),
        cause: "the operator honours one ClusterPolicy, the oldest by creation time".to_owned(),
        consequences: vec![format!(
            "nothing that is set in {} has any effect",
            it.title()
        )],
        evidence: vec![format!("{} state {:?}", it.title(), it.state)],
        fix: format!(
            "kubectl delete {} after its settings are moved to {}",
            it.address(),
            first.address()
        ),
        ..Found::about(Subject::from(it))
    }
}

fn exclusive(it: &Policy, first: &Policy) -> Found {
    Found {
        message: format!("{} cannot live beside {}", it.title(), first.title()),
        cause: "a GPUCluster (DRA) and a ClusterPolicy (device plugin) exclude each other"
            .to_owned(),
        consequences: vec!["nodes are not labelled, so operands neither come nor go".to_owned()],
        evidence: vec![format!(
            "{} state {:?}, {} state {:?}",
            it.title(),
            it.state,
            first.title(),
            first.state
        )],
        fix: format!("kubectl delete {} or {}", first.address(), it.address()),
        ..Found::about(Subject::from(it))
    }
}
