//! A DaemonSet: which nodes it admits, and why it skips the others.

use jiff::Timestamp;

use super::node::{Node, Taint};
use super::pod::Owner;
use super::selector::{Labels, Requirement, Selector, Test};
use crate::facts::operands::Id;

/// A DaemonSet, with only the fields somebody reads.
#[derive(Clone, Debug)]
pub struct DaemonSet {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its UID, where the record has it.
    pub uid: Option<String>,
    /// Who made it: a ClusterPolicy, an NVIDIADriver, a GPUCluster, Helm …
    pub owner: Option<Owner>,
    /// The operand it serves.
    pub operand: Option<Id>,
    /// Its own labels; Helm writes the operator's release there.
    pub labels: Labels,
    /// Labels of its pods.
    pub pod_labels: Labels,
    /// Selects its pods.
    pub selector: Selector,
    /// Selects its nodes: `spec.template.spec.nodeSelector`.
    pub node_selector: Selector,
    /// Required node affinity: terms of which one has to match. Empty where it asks for nothing.
    pub affinity: Vec<Selector>,
    /// Taints its pods can live with.
    pub tolerations: Vec<Toleration>,
    /// Its pods use the host's network, and so tolerate its absence.
    pub host_network: bool,
    /// Containers of its template: name and image, init containers first.
    pub images: Vec<(String, String)>,
    /// Names of the init containers of its template.
    pub init_containers: Vec<String>,
    /// `spec.template.spec.priorityClassName`.
    pub priority_class: Option<String>,
    /// `status.desiredNumberScheduled`.
    pub desired: u32,
    /// `status.currentNumberScheduled`.
    pub current: u32,
    /// `status.numberReady`.
    pub ready: u32,
    /// When it was made.
    pub created: Option<Timestamp>,
}

/// What a pod can live with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key; empty for every key.
    pub key: String,
    /// `Exists` rather than `Equal`.
    pub any_value: bool,
    /// The taint's value, where it matters.
    pub value: String,
    /// The effect; empty for every effect.
    pub effect: String,
}

impl Toleration {
    /// Does it cover this taint?
    pub fn covers(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() && self.any_value || self.key == taint.key)
            && (self.any_value || self.value == taint.value)
    }
}

impl std::fmt::Display for Toleration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.key.is_empty() { "*" } else { &self.key };
        let value = if self.any_value {
            "=*".to_owned()
        } else {
            format!("={}", self.value)
        };
        let effect = if self.effect.is_empty() {
            "*"
        } else {
            &self.effect
        };
        write!(f, "{key}{value}:{effect}")
    }
}

/// Why a DaemonSet puts no pod on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A node label that its node selector asks for has another value, or is absent.
    Label {
        /// The label's key.
        key: String,
        /// The value it has; `None` where it is absent.
        has: Option<String>,
        /// The value that would match.
        wants: String,
    },
    /// No term of its node affinity matches; the requirement that failed in the first of them.
    Affinity {
        /// The label's key.
        key: String,
        /// The value it has; `None` where it is absent.
        has: Option<String>,
    },
    /// A taint its pods do not tolerate.
    Taint(Taint),
}

/// The taints that the DaemonSet controller tolerates for every DaemonSet; the last only with host network.
/// Source: kubernetes/kubernetes pkg/controller/daemon/util/daemonset_util.go. Read at: v1.36.
const ADDED_TOLERATIONS: [(&str, &str); 7] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ("node.kubernetes.io/network-unavailable", "NoSchedule"),
];

impl DaemonSet {
    /// Why it puts no pod on this node; `None` where it does.
    pub fn refuses(&self, node: &Node) -> Option<Refusal> {
        self.unselected(node)
            .or_else(|| self.unaffine(node))
            .or_else(|| self.untolerated(node).map(|it| Refusal::Taint(it.clone())))
    }

    /// The part of its node selector that this node does not meet.
    pub fn unselected(&self, node: &Node) -> Option<Refusal> {
        self.node_selector
            .unmet(&node.labels)
            .map(|it| Refusal::Label {
                key: it.key.clone(),
                has: node.label(&it.key).map(str::to_owned),
                wants: match &it.test {
                    Test::In(values) => values.join(","),
                    _ => String::new(),
                },
            })
    }

    fn unaffine(&self, node: &Node) -> Option<Refusal> {
        // A term on metadata.name reads the node's name like a label.
        let met = |it: &Requirement| match it.key.as_str() {
            "metadata.name" => it.meets(Some(&node.name)),
            key => it.meets(node.label(key)),
        };
        // A term without requirements matches no node, as the scheduler has it.
        let unmet: Vec<_> = self
            .affinity
            .iter()
            .filter(|term| !term.0.is_empty())
            .map(|term| term.0.iter().find(|it| !met(it)))
            .collect();
        if self.affinity.is_empty() || unmet.iter().any(Option::is_none) {
            return None;
        }
        let first = unmet.into_iter().flatten().next();
        let key = first.map(|it| it.key.clone()).unwrap_or_default();
        Some(Refusal::Affinity {
            has: node.label(&key).map(str::to_owned),
            key,
        })
    }

    /// The first taint of this node that keeps its pods away.
    pub fn untolerated<'a>(&self, node: &'a Node) -> Option<&'a Taint> {
        node.taints
            .iter()
            .find(|it| it.effect != "PreferNoSchedule" && !self.tolerates(it))
    }

    fn tolerates(&self, taint: &Taint) -> bool {
        let added = ADDED_TOLERATIONS
            .iter()
            .take(if self.host_network { 7 } else { 6 });
        added
            .into_iter()
            .any(|(key, effect)| *key == taint.key && *effect == taint.effect)
            || self.tolerations.iter().any(|it| it.covers(taint))
    }

    /// As kubectl addresses it.
    pub fn address(&self) -> String {
        format!("daemonset/{}", self.name)
    }
}
