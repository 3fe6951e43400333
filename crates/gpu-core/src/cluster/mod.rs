//! The model: one cluster at one moment, with only the fields somebody reads.
//!
//! Readers fill `rows`, `ingest` turns them into the model page by page, `settle` says who belongs
//! to whom. What could not be seen is part of the model: unseen is not absent.

pub mod daemon_set;
pub mod event;
pub mod ingest;
pub mod kind;
pub mod namespace;
pub mod node;
pub mod pod;
pub mod policy;
pub mod pull_secret;
pub mod reads;
pub mod rows;
pub mod selector;
mod status_word;

use std::collections::BTreeMap;

use jiff::Timestamp;

pub use daemon_set::{DaemonSet, Refusal};
pub use event::{Deployment, Event, ResourceQuota};
pub use kind::{Kind, Objects};
pub use node::{DeployLabel, Node, Readiness};
pub use pod::{Phase, Pod};
pub use policy::Policy;
pub use pull_secret::PullSecret;
pub use reads::Read;

use crate::facts::operands::Id;

/// One cluster at one moment.
#[derive(Debug, Default)]
pub struct Cluster {
    /// Nodes, by name.
    pub nodes: Vec<Node>,
    /// DaemonSets, by namespace and name.
    pub daemon_sets: Vec<DaemonSet>,
    /// Pods, by namespace and name.
    pub pods: Vec<Pod>,
    /// Policies of every kind, oldest first.
    pub policies: Vec<Policy>,
    /// Events, oldest first.
    pub events: Vec<Event>,
    /// Quotas, by namespace and name.
    pub quotas: Vec<ResourceQuota>,
    /// Deployments, by namespace and name.
    pub deployments: Vec<Deployment>,
    /// The credentials images are pulled with, if somebody asked for them.
    pub pull_secrets: Vec<PullSecret>,
    /// The operator's namespace as the user named it.
    pub asked_namespace: Option<String>,
    /// The operator's namespace, as named or found; `None` where nothing tells.
    pub namespace: Option<String>,
    /// The time of the answer: the API server's clock, or the newest time in a recording.
    pub seen_at: Option<Timestamp>,
    /// The newest time met while reading.
    pub newest: Option<Timestamp>,
    /// How much of each kind was seen.
    pub coverage: BTreeMap<Kind, Coverage>,
    /// Objects that were there and could not be understood.
    pub unreadable: Vec<Unreadable>,
    /// What could not be seen outside the operator's namespace.
    pub elsewhere: Vec<Elsewhere>,
}

/// A kind that could not be seen outside the operator's namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The kind.
    pub kind: Kind,
    /// The namespace; `None` for all others.
    pub namespace: Option<String>,
    /// Why.
    pub why: String,
}

/// How much of a kind was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All that was asked for.
    Seen,
    /// The server does not have this kind, so there is none.
    NotServed,
    /// Some or all of it could not be seen; why.
    Unseen(String),
}

/// An object that was there and could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its kind.
    pub kind: Kind,
    /// What it is and what is wrong with it.
    pub why: String,
}

/// How containerd and CRI-O say that they have no runtime handler of the name asked for.
const HANDLER_WORDS: [&str; 2] = ["no runtime for", "failed to find runtime handler"];

impl Cluster {
    /// Was everything of this kind seen that was asked for? A kind nobody asked for was not.
    pub fn has_seen(&self, kind: Kind) -> bool {
        matches!(
            self.coverage.get(&kind),
            Some(Coverage::Seen | Coverage::NotServed)
        ) && !self.unreadable.iter().any(|it| it.kind == kind)
    }

    /// Why a kind was not seen in full, if it was asked for and was not.
    pub fn unseen(&self, kind: Kind) -> Option<String> {
        match self.coverage.get(&kind) {
            Some(Coverage::Unseen(why)) => Some(why.clone()),
            _ => self
                .unreadable
                .iter()
                .find(|it| it.kind == kind)
                .map(|it| it.why.clone()),
        }
    }

    /// Notes how much of a kind was seen; a failure is never overwritten by a later success.
    pub fn note(&mut self, kind: Kind, coverage: Coverage) {
        let known = self
            .coverage
            .entry(kind)
            .or_insert_with(|| coverage.clone());
        if matches!(coverage, Coverage::Unseen(_)) && !matches!(known, Coverage::Unseen(_)) {
            *known = coverage;
        }
    }

    /// Notes how a list came out. What fails in another namespace than the operator's leaves the operands'
    /// own kinds seen, and is kept apart for whoever asks about other namespaces.
    pub fn note_read(&mut self, read: &Read, coverage: Coverage) {
        // A list narrowed by a selector is a look at something else than the operands.
        let is_narrow = !read.labels.is_empty() || !read.fields.is_empty();
        let is_elsewhere =
            is_narrow || (read.namespace.is_some() && read.namespace != self.namespace);
        match coverage {
            Coverage::Unseen(why) if is_elsewhere => {
                self.elsewhere.push(Elsewhere {
                    kind: read.kind,
                    namespace: read.namespace.clone(),
                    why,
                });
            }
            other => self.note(read.kind, other),
        }
    }

    /// Notes that the operator's own namespace could be read although not all namespaces could: that is all
    /// its operands need, and what the others hold stays unseen.
    pub fn note_home(&mut self, kind: Kind) {
        if let Some(Coverage::Unseen(why)) = self.coverage.insert(kind, Coverage::Seen) {
            self.elsewhere.push(Elsewhere {
                kind,
                namespace: None,
                why,
            });
        }
    }

    /// Why a kind was not seen in namespaces other than the operator's, if it was not.
    pub fn unseen_elsewhere(&self, kind: Kind) -> Option<&Elsewhere> {
        self.elsewhere.iter().find(|it| it.kind == kind)
    }

    /// Takes over everything another, unsettled cluster holds: one list, read apart so that it could be
    /// started again. Call `settle` after the last.
    pub fn absorb(&mut self, part: Self) {
        self.nodes.extend(part.nodes);
        self.daemon_sets.extend(part.daemon_sets);
        self.pods.extend(part.pods);
        self.policies.extend(part.policies);
        self.events.extend(part.events);
        self.quotas.extend(part.quotas);
        self.deployments.extend(part.deployments);
        self.pull_secrets.extend(part.pull_secrets);
        self.unreadable.extend(part.unreadable);
        self.newest = self.newest.max(part.newest);
        for (kind, coverage) in part.coverage {
            self.note(kind, coverage);
        }
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|it| it.name == name)
    }

    /// The DaemonSets that serve an operand.
    pub fn daemon_sets_of(&self, operand: Id) -> impl Iterator<Item = &DaemonSet> {
        self.daemon_sets
            .iter()
            .filter(move |it| it.operand == Some(operand))
    }

    /// The newest event about an object with this reason.
    pub fn newest_event(
        &self,
        kind: &str,
        namespace: &str,
        name: &str,
        reason: &str,
    ) -> Option<&Event> {
        let is_about = |it: &&Event| {
            it.reason == reason && it.kind == kind && it.namespace == namespace && it.name == name
        };
        self.events.iter().rev().find(is_about)
    }

    /// The kubelet's words, if it says that the container runtime has no handler for this pod's RuntimeClass.
    pub fn handler_refusal(&self, pod: &Pod) -> Option<&str> {
        let event =
            self.newest_event("Pod", &pod.namespace, &pod.name, "FailedCreatePodSandBox")?;
        let is_said = HANDLER_WORDS.iter().any(|it| event.message.contains(it));
        is_said.then_some(event.message.as_str())
    }

    /// Why the newest attempt to create a pod of this DaemonSet was refused, if it was.
    pub fn creation_refusal(&self, it: &DaemonSet) -> Option<&str> {
        let event = self.newest_event("DaemonSet", &it.namespace, &it.name, "FailedCreate")?;
        Some(event.message.as_str())
    }

    /// The ClusterPolicy that counts: the oldest.
    pub fn cluster_policy(&self) -> Option<&Policy> {
        self.policies
            .iter()
            .find(|it| it.kind == Kind::ClusterPolicy)
    }

    /// The GPUCluster, if there is one.
    pub fn gpu_cluster(&self) -> Option<&Policy> {
        self.policies.iter().find(|it| it.kind == Kind::GpuCluster)
    }

    /// All NVIDIADrivers.
    pub fn nvidia_drivers(&self) -> impl Iterator<Item = &Policy> {
        self.policies
            .iter()
            .filter(|it| it.kind == Kind::NvidiaDriver)
    }
}

#[cfg(test)]
mod tests;
