//! Policies that contradict each other, or that the operator cannot carry out.

use super::{Broken, broken};
use crate::build::{Recording, V24_9, V25_10, V26_7, gpu_cluster, hand_written, helm};
use crate::healthy::{defaults, dra};

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "a second ClusterPolicy",
        second,
        &[("gpu-cluster-policy", "policies-conflict")],
        &[],
    ),
    broken(
        "a GPUCluster beside a ClusterPolicy",
        both,
        &[("gpu-cluster", "policies-conflict")],
        &[],
    ),
    broken(
        "a ClusterPolicy beside a GPUCluster",
        other_way,
        &[("gpu-cluster", "policies-conflict")],
        &[],
    ),
    broken(
        "a ClusterPolicy that cannot be carried out",
        stopped,
        &[("cluster-policy", "policy-error")],
        &[],
    ),
];

fn second() -> Recording {
    let other = hand_written(
        "gpu-cluster-policy",
        serde_json::json!({ "dcgm": { "enabled": true } }),
    );
    defaults(&V24_9)
        .with_policy(other.younger().state("ignored"))
        .record()
}

/// Each says of the other that it must go.
fn both() -> Recording {
    let mut shape = defaults(&V26_7);
    let first = shape.policies.remove(0);
    let conflict = "conflicting GPUCluster resource \"gpu-cluster\" detected; ClusterPolicy and GPUCluster cannot co-exist";
    shape
        .policies
        .push(first.stopped("ReconcileFailed", conflict));
    let other = gpu_cluster(&V26_7).younger().stopped(
        "PrerequisiteNotMet",
        "ClusterPolicy and GPUCluster cannot co-exist",
    );
    shape.with_policy(other).record()
}

/// The operator stops at once, so the DRA stack stays as it is.
fn other_way() -> Recording {
    let mut shape = dra();
    shape.policies[0].0["metadata"]["creationTimestamp"] =
        serde_json::json!("2026-03-01T08:00:00Z");
    shape.with_policy(helm(&V26_7).younger()).record()
}

fn stopped() -> Recording {
    let mut shape = defaults(&V25_10);
    let first = shape.policies.remove(0);
    shape.policies.push(first.stopped(
        "ReconcileFailed",
        "Failed to reconcile state-driver: failed to get node feature labels of gpu-a",
    ));
    shape.record()
}
