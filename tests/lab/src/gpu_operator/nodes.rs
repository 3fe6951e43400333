//! The nodes of an install: what Node Feature Discovery, GPU feature discovery and the operator wrote on them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::DEPLOY;
use crate::PodState;

/// The kernel of every node that was not renewed.
pub(super) const KERNEL: &str = "5.15.0-131-generic";

/// Operands whose deploy label the operator writes on every node for containers, deployed or not.
const DEPLOYED: [&str; 8] = [
    "driver",
    "container-toolkit",
    "operator-validator",
    "device-plugin",
    "gpu-feature-discovery",
    "dcgm",
    "dcgm-exporter",
    "node-status-exporter",
];

/// What GFD writes for two L4, which know no MIG.
const BY_GFD: [(&str, &str); 16] = [
    ("nvidia.com/cuda.driver-version.full", "550.144.03"),
    ("nvidia.com/cuda.driver-version.major", "550"),
    ("nvidia.com/cuda.driver-version.minor", "144"),
    ("nvidia.com/cuda.driver-version.revision", "03"),
    ("nvidia.com/cuda.runtime-version.full", "12.4"),
    ("nvidia.com/cuda.runtime-version.major", "12"),
    ("nvidia.com/cuda.runtime-version.minor", "4"),
    ("nvidia.com/gpu.compute.major", "8"),
    ("nvidia.com/gpu.compute.minor", "9"),
    ("nvidia.com/gpu.count", "2"),
    ("nvidia.com/gpu.family", "ada-lovelace"),
    ("nvidia.com/gpu.memory", "23034"),
    ("nvidia.com/gpu.product", "NVIDIA-L4"),
    ("nvidia.com/gpu.replicas", "1"),
    ("nvidia.com/mig.capable", "false"),
    ("nvidia.com/mps.capable", "false"),
];

/// A pod that is not Ready.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Its operand.
    pub(super) operand: &'static str,
    /// What the kubelet says about it.
    pub(super) state: PodState,
    /// The word that kubectl prints for that.
    pub(super) shows: &'static str,
}

/// A node with GPUs.
#[derive(Clone, Debug)]
pub(super) struct GpuNode {
    /// Its name.
    pub(super) name: &'static str,
    /// Its kernel.
    pub(super) kernel: &'static str,
    /// Was it in order once, so that it carries what GFD and the upgrade controller write?
    pub(super) is_known: bool,
    /// Does its kubelet offer the GPUs?
    pub(super) offers_gpus: bool,
    /// Labels that somebody has changed.
    pub(super) relabelled: Vec<(&'static str, &'static str)>,
    /// A taint that no operand tolerates: key and value.
    pub(super) taint: Option<(&'static str, &'static str)>,
    /// Is it cordoned?
    pub(super) is_cordoned: bool,
    /// The pods that are not Ready.
    pub(super) held: Vec<Held>,
}

impl GpuNode {
    /// A node on which all is well.
    pub(super) fn healthy(name: &'static str) -> Self {
        Self {
            name,
            kernel: KERNEL,
            is_known: true,
            offers_gpus: true,
            relabelled: Vec::new(),
            taint: None,
            is_cordoned: false,
            held: Vec::new(),
        }
    }

    /// Its labels.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let mut labels = found_by_nfd(self.name, self.kernel);
        let mut add = |key: &str, value: &str| labels.insert(key.to_owned(), value.to_owned());
        add("feature.node.kubernetes.io/pci-10de.present", "true");
        add("nvidia.com/gpu.present", "true");
        for operand in DEPLOYED {
            add(&format!("{DEPLOY}{operand}"), "true");
        }
        if self.is_known {
            BY_GFD.iter().for_each(|(key, value)| drop(add(key, value)));
            add("nvidia.com/gpu-driver-upgrade-state", "upgrade-done");
        }
        for (key, value) in &self.relabelled {
            add(key, value);
        }
        labels
    }

    /// How the pod of this operand is held here: the key of the annotation, and the state.
    pub(super) fn held(&self, operand: &str) -> Option<(String, &PodState)> {
        let held = self.held.iter().find(|it| it.operand == operand)?;
        Some((PodState::annotation_on(self.name), &held.state))
    }

    /// The word that kubectl prints for the pod of this operand.
    pub(super) fn shows(&self, operand: &str) -> &'static str {
        let held = self.held.iter().find(|it| it.operand == operand);
        held.map_or("Running", |it| it.shows)
    }

    /// The object.
    pub(super) fn manifest(&self) -> Value {
        let mut node = node(self.name, self.kernel, &self.labels());
        node["metadata"]["annotations"]["nvidia.com/gpu-driver-upgrade-enabled"] = json!("true");
        if self.offers_gpus {
            node["metadata"]["annotations"]["lab.kubectl-gpu.io/gpus"] = json!("2");
        }
        if let Some((key, value)) = self.taint {
            node["spec"]["taints"] = json!([{"key": key, "value": value, "effect": "NoSchedule"}]);
        }
        if self.is_cordoned {
            node["spec"]["unschedulable"] = json!(true);
        }
        node
    }
}

/// The node of the control plane, which has no GPU.
pub(super) fn control_plane(name: &str) -> Value {
    let mut labels = found_by_nfd(name, KERNEL);
    let role = "node-role.kubernetes.io/control-plane";
    labels.insert(role.to_owned(), String::new());
    let mut node = node(name, KERNEL, &labels);
    node["spec"]["taints"] = json!([{"key": role, "effect": "NoSchedule"}]);
    node
}

fn found_by_nfd(name: &str, kernel: &str) -> BTreeMap<String, String> {
    [
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/hostname", name),
        ("kubernetes.io/os", "linux"),
        ("feature.node.kubernetes.io/kernel-version.full", kernel),
        ("feature.node.kubernetes.io/system-os_release.ID", "ubuntu"),
        (
            "feature.node.kubernetes.io/system-os_release.VERSION_ID",
            "22.04",
        ),
        (
            "feature.node.kubernetes.io/system-os_release.VERSION_ID.major",
            "22",
        ),
        (
            "feature.node.kubernetes.io/system-os_release.VERSION_ID.minor",
            "04",
        ),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into()
}

fn node(name: &str, kernel: &str, labels: &BTreeMap<String, String>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {"lab.kubectl-gpu.io/kernel": kernel}},
        "spec": {},
    })
}
