//! A policy says itself that it cannot be carried out.

use super::Found;
use crate::answer::{Severity, Subject};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "policy-error",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a ClusterPolicy, NVIDIADriver or GPUCluster reports that it cannot be carried out",
    explanation: "The operator writes into the policy's conditions why it stopped: an error while reconciling, a \
        prerequisite that is not met, or two NVIDIADrivers that select the same node, which stops the assignment of \
        drivers for all nodes. That operands are not Ready is said by other rules, node by node.",
    find,
};

/// Reasons that stop the operator, rather than describe what it waits for.
/// Source: NVIDIA/gpu-operator internal/conditions/.
const STOPPING: [&str; 3] = [
    "ReconcileFailed",
    "PrerequisiteNotMet",
    "ConflictingNodeSelector",
];

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    // That a ClusterPolicy and a GPUCluster exclude each other is said once, by policies-conflict.
    if standing.regime.policy.is_some() && standing.regime.gpu_cluster.is_some() {
        return Vec::new();
    }
    for policy in &standing.cluster.policies {
        let stopping = policy
            .errors
            .iter()
            .filter(|(_, it)| STOPPING.contains(&it.reason.as_str()));
        for (kind, it) in stopping {
            found.push(Found {
                message: format!("{} cannot be carried out: {}", policy.title(), it.reason),
                cause: it.message.clone(),
                consequences: vec![
                    "what is missing or broken is not repaired while this lasts".to_owned(),
                ],
                evidence: vec![format!(
                    "{} condition {kind}={}, state {}",
                    policy.title(),
                    it.reason,
                    policy.state
                )],
                fix: format!("kubectl describe {}", policy.address()),
                ..Found::about(Subject::from(policy))
            });
        }
    }
    found
}
