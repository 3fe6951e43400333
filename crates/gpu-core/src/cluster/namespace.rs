//! Which namespace the operator put its operands in.

use super::{Cluster, Kind};
use crate::facts::labels::DEPLOY_PREFIX;
use crate::facts::operands::by_daemon_set;
use std::collections::BTreeMap;

/// The operator's namespace: as the user named it, else as a policy's status says, else where its
/// Deployment is, else where most DaemonSets with an operand's name are (the first by name if even).
pub fn find(cluster: &Cluster) -> Option<String> {
    cluster
        .asked_namespace
        .clone()
        .or_else(|| said_by_policy(cluster, Kind::ClusterPolicy))
        .or_else(|| said_by_policy(cluster, Kind::GpuCluster))
        .or_else(|| said_by_policy(cluster, Kind::NvidiaDriver))
        .or_else(|| {
            cluster
                .deployments
                .iter()
                .find(|it| it.is_gpu_operator())
                .map(|it| it.namespace.clone())
        })
        .or_else(|| most_operands(cluster))
}

fn said_by_policy(cluster: &Cluster, kind: Kind) -> Option<String> {
    let mut said = cluster
        .policies
        .iter()
        .filter(|it| it.kind == kind)
        .filter_map(|it| it.namespace.clone());
    said.find(|it| !it.is_empty())
}

fn most_operands(cluster: &Cluster) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for it in cluster.daemon_sets.iter().filter(|it| is_operands(it)) {
        *counts.entry(&it.namespace).or_default() += 1;
    }
    let most = counts.values().max().copied()?;
    counts
        .into_iter()
        .find(|(_, n)| *n == most)
        .map(|(name, _)| name.to_owned())
}

/// Named like an operand's DaemonSet, and selecting a deploy label or owned by somebody.
fn is_operands(it: &super::DaemonSet) -> bool {
    let by_label = it
        .node_selector
        .0
        .iter()
        .any(|req| req.key.starts_with(DEPLOY_PREFIX));
    by_daemon_set(&it.name).is_some() && (by_label || it.owner.is_some())
}
