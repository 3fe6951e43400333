//! Kubernetes' shapes → the model: takes pages in, and says who belongs to whom.

mod objects;

use std::collections::HashMap;

use super::daemon_set::DaemonSet;
use super::pod::{Owner, Pod};
use super::rows::Rows;
use super::{Cluster, Kind, namespace};
use crate::facts::operands;
use objects::Clock;

impl Cluster {
    /// Takes one page or object into the model. Call `settle` after the last.
    pub fn take(&mut self, rows: Rows) {
        let mut clock = Clock(self.newest);
        match rows {
            Rows::Nodes(rows) => self
                .nodes
                .extend(rows.into_iter().map(|it| objects::node(it, &mut clock))),
            Rows::Pods(rows) => self
                .pods
                .extend(rows.into_iter().map(|it| objects::pod(it, &mut clock))),
            Rows::DaemonSets(rows) => self.daemon_sets.extend(
                rows.into_iter()
                    .map(|it| objects::daemon_set(it, &mut clock)),
            ),
            Rows::Policies(kind, rows) => self.policies.extend(
                rows.into_iter()
                    .map(|it| objects::policy(kind, it, &mut clock)),
            ),
            Rows::Events(rows) => self
                .events
                .extend(rows.into_iter().map(|it| objects::event(it, &mut clock))),
            Rows::ResourceQuotas(rows) => self.quotas.extend(rows.into_iter().map(objects::quota)),
            Rows::Deployments(rows) => self.deployments.extend(
                rows.into_iter()
                    .map(|it| objects::deployment(it, &mut clock)),
            ),
            Rows::Secrets(rows) => self.take_secrets(rows),
        }
        self.newest = clock.0;
    }

    /// Puts what was read in order, merges what was read twice (the later one wins), and says which
    /// operand each DaemonSet and pod belongs to. May be called again after more was read.
    pub fn settle(&mut self) {
        keep_last(&mut self.nodes, |it| it.name.clone());
        keep_last(&mut self.daemon_sets, |it| {
            (it.namespace.clone(), it.name.clone())
        });
        keep_last(&mut self.pods, |it| (it.namespace.clone(), it.name.clone()));
        keep_last(&mut self.policies, |it| (it.kind, it.name.clone()));
        keep_last(&mut self.deployments, |it| {
            (it.namespace.clone(), it.name.clone())
        });
        keep_last(&mut self.quotas, |it| {
            (it.namespace.clone(), it.name.clone())
        });
        self.policies
            .sort_by(|a, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
        keep_last(&mut self.events, |it| {
            let of = (it.kind.clone(), it.namespace.clone(), it.name.clone());
            (of, it.reason.clone(), it.message.clone(), it.at)
        });
        self.events.sort_by_key(|it| it.at);
        self.namespace = namespace::find(self);
        let home = self.namespace.as_deref();
        for it in &mut self.daemon_sets {
            it.operand = operand_of_daemon_set(it, home);
        }
        assign_pods(&self.daemon_sets, &mut self.pods, home);
    }
}

/// Sorts by key and keeps the last of those with the same key.
fn keep_last<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    items.reverse();
    items.sort_by_key(&key);
    items.dedup_by(|a, b| key(a) == key(b));
}

/// A DaemonSet that a policy owns or that selects a deploy label is an operand's: the one its name says, else the
/// one whose label it selects. The same name alone proves nothing: static manifests use it too.
fn operand_of_daemon_set(it: &DaemonSet, home: Option<&str>) -> Option<operands::Id> {
    if home.is_some_and(|home| home != it.namespace) {
        return None;
    }
    let owned = it.owner.as_ref().is_some_and(|it| {
        [Kind::ClusterPolicy, Kind::NvidiaDriver, Kind::GpuCluster]
            .iter()
            .any(|kind| kind.row().name == it.kind)
    });
    let selects = |label: &str| it.node_selector.0.iter().any(|req| req.key == label);
    let by_name = operands::by_daemon_set(&it.name).filter(|id| owned || selects(id.row().label));
    by_name.or_else(|| {
        let row = operands::ROSTER
            .iter()
            .find(|row| owned && row.also.is_none() && selects(row.label))?;
        Some(row.id)
    })
}

/// A pod belongs to the DaemonSet that owns it (by UID, else by name), else to the one whose selector
/// matches, else to the operand whose names or labels it carries.
fn assign_pods(daemon_sets: &[DaemonSet], pods: &mut [Pod], home: Option<&str>) {
    let mut by_uid = HashMap::new();
    let mut by_name = HashMap::new();
    for (at, it) in daemon_sets.iter().enumerate() {
        by_name.insert((it.namespace.as_str(), it.name.as_str()), at);
        if let Some(uid) = &it.uid {
            by_uid.insert(uid.as_str(), at);
        }
    }
    for pod in pods {
        let owned_by = |owner: &Owner| {
            let named = || by_name.get(&(pod.namespace.as_str(), owner.name.as_str()));
            owner
                .uid
                .as_deref()
                .and_then(|uid| by_uid.get(uid))
                .or_else(named)
                .copied()
        };
        let (daemon_set, operand) = match &pod.owner {
            Some(owner) if owner.kind == "DaemonSet" => match owned_by(owner) {
                Some(at) => (Some(at), daemon_sets[at].operand),
                None => (None, operands::by_daemon_set(&owner.name)),
            },
            Some(_) => (None, None),
            None => ownerless(daemon_sets, pod),
        };
        pod.daemon_set = daemon_set;
        pod.operand = operand.filter(|_| home.is_none_or(|home| home == pod.namespace));
    }
}

/// A pod without an owner: an orphan of a DaemonSet that was replaced, or one a person made.
fn ownerless(daemon_sets: &[DaemonSet], pod: &Pod) -> (Option<usize>, Option<operands::Id>) {
    let Some(details) = &pod.details else {
        return (None, None);
    };
    let selects = |it: &DaemonSet| {
        it.namespace == pod.namespace
            && !it.selector.0.is_empty()
            && it.selector.matches(&details.labels)
    };
    match daemon_sets.iter().position(selects) {
        Some(at) => (None, daemon_sets[at].operand),
        None => (
            None,
            operands::by_pod_label(|key| details.labels.get(key).map(String::as_str)),
        ),
    }
}

#[cfg(test)]
mod tests;
