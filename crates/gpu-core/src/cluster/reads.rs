//! What a plugin wants to read, in rounds: each round follows from what the rounds before have shown.

use std::collections::BTreeSet;

use super::{Cluster, Coverage, Kind};

/// One list to ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// The kind of object.
    pub kind: Kind,
    /// One namespace, or `None` for all of them.
    pub namespace: Option<String>,
    /// A label selector, or empty.
    pub labels: String,
    /// A field selector, or empty.
    pub fields: String,
}

impl Read {
    /// Every object of a kind.
    pub fn all(kind: Kind) -> Self {
        Self {
            kind,
            namespace: None,
            labels: String::new(),
            fields: String::new(),
        }
    }

    /// Every object of a kind in one namespace.
    pub fn within(kind: Kind, namespace: &str) -> Self {
        Self {
            namespace: Some(namespace.to_owned()),
            ..Self::all(kind)
        }
    }

    /// The same, narrowed by a label selector.
    pub fn labelled(self, selector: &str) -> Self {
        Self {
            labels: selector.to_owned(),
            ..self
        }
    }

    /// The same, narrowed by a field selector.
    pub fn fields(self, selector: &str) -> Self {
        Self {
            fields: selector.to_owned(),
            ..self
        }
    }
}

/// The first round: what says where everything is. With a namespace given, its pods need not wait.
pub fn first_round(namespace: Option<&str>) -> Vec<Read> {
    let mut reads: Vec<_> = [
        Kind::Node,
        Kind::DaemonSet,
        Kind::ClusterPolicy,
        Kind::NvidiaDriver,
        Kind::GpuCluster,
    ]
    .map(Read::all)
    .into();
    reads.extend(namespace.map(|it| Read::within(Kind::Pod, it)));
    reads
}

/// The second round: the pods of every namespace that holds an operand, NFD, or another device plugin;
/// and, where DaemonSets of all namespaces are forbidden, those of the operator's namespace alone.
pub fn second_round(cluster: &Cluster) -> Vec<Read> {
    let mut namespaces = BTreeSet::new();
    namespaces.extend(cluster.namespace.as_deref());
    let operator_side = |it: &&super::DaemonSet| it.operand.is_some() || it.is_nfd_worker();
    namespaces.extend(
        cluster
            .daemon_sets
            .iter()
            .filter(operator_side)
            .map(|it| it.namespace.as_str()),
    );
    let done = cluster.asked_namespace.as_deref();
    let mut reads: Vec<_> = namespaces
        .iter()
        .filter(|it| Some(**it) != done)
        .map(|it| Read::within(Kind::Pod, it))
        .collect();
    for it in cluster
        .daemon_sets
        .iter()
        .filter(|it| it.is_foreign_device_plugin())
    {
        if let (false, Some(labels)) = (
            namespaces.contains(it.namespace.as_str()),
            it.selector.to_query(),
        ) {
            reads.push(Read::within(Kind::Pod, &it.namespace).labelled(&labels));
        }
    }
    if let (Some(namespace), Some(Coverage::Unseen(_))) =
        (done, cluster.coverage.get(&Kind::DaemonSet))
    {
        reads.push(Read::within(Kind::DaemonSet, namespace));
    }
    reads.sort();
    reads.dedup();
    reads
}

impl super::DaemonSet {
    /// NFD's worker, which writes the labels everything starts from.
    pub fn is_nfd_worker(&self) -> bool {
        let says = |key: &str, value: &str| self.pod_labels.get(key).is_some_and(|it| it == value);
        self.name == "nfd-worker"
            || self.name.ends_with("node-feature-discovery-worker")
            || says("app.kubernetes.io/component", "worker")
                && says("app.kubernetes.io/name", "node-feature-discovery")
            || says("app", "nfd-worker")
            || says("role", "worker") && says("app.kubernetes.io/name", "node-feature-discovery")
    }

    /// A device plugin for NVIDIA GPUs that is not the operator's. GFD and the MPS daemon of the device plugin's own
    /// chart come from the same image and offer nothing; plugins for network cards and virtual machines offer
    /// something else.
    pub fn is_foreign_device_plugin(&self) -> bool {
        let says = |word: &str| {
            self.name.contains(word) || self.images.iter().any(|(_, image)| image.contains(word))
        };
        let offers_gpus = DEVICE_PLUGINS.iter().any(|it| says(it));
        let is_companion = ["feature-discovery", "mps-control"]
            .iter()
            .any(|it| self.name.contains(it));
        self.operand.is_none() && offers_gpus && !is_companion
    }
}

/// Words in the name or image of a DaemonSet that offers `nvidia.com/gpu`: NVIDIA's own, the clouds', HAMi's.
const DEVICE_PLUGINS: [&str; 4] = [
    "nvidia/k8s-device-plugin",
    "nvidia-gpu-device-plugin",
    "nvidia-device-plugin",
    "hami-device-plugin",
];
