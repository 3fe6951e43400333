//! The operands of the container workload, as the operator makes them: one row a DaemonSet.
//!
//! Source: NVIDIA/gpu-operator assets/*/*daemonset.yaml, deployments/gpu-operator/values.yaml. Read at: v24.9.2.

use serde_json::{Map, Value, json};

use super::{DEPLOY, NAMESPACE, nodes::GpuNode};

/// The release that is installed.
pub(super) const RELEASE: &str = "v24.9.2";

const DRIVER: &str = "nvcr.io/nvidia/driver";
const DRIVER_MANAGER: &str = "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.7.0";
const TOOLKIT: &str = "nvcr.io/nvidia/k8s/container-toolkit:v1.17.4-ubuntu20.04";
pub(super) const VALIDATOR: &str = "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v24.9.2";
const DEVICE_PLUGIN: &str = "nvcr.io/nvidia/k8s-device-plugin:v0.17.0";
const EXPORTER: &str = "nvcr.io/nvidia/k8s/dcgm-exporter:3.3.9-3.6.1-ubuntu22.04";
const MIG_MANAGER: &str = "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.10.0-ubuntu20.04";

/// A container: its name and its image.
type Container = (&'static str, &'static str);
const TOOLKIT_VALIDATION: Container = ("toolkit-validation", VALIDATOR);

/// One operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// What the plugins call it.
    pub(super) id: &'static str,
    /// The end of the node label that asks for it.
    deploy_label: &'static str,
    /// Another node label its DaemonSet selects.
    also: Option<(&'static str, &'static str)>,
    /// The name of its DaemonSet, and the value of its pods' label `app`.
    daemon_set: &'static str,
    /// Another label of its pods that the DaemonSet selects.
    part_of: Option<&'static str>,
    inits: &'static [Container],
    container: Container,
    /// Does it run with the RuntimeClass that the toolkit configures?
    uses_gpu: bool,
}

const PLAIN: Operand = Operand {
    id: "",
    deploy_label: "",
    also: None,
    daemon_set: "",
    part_of: None,
    inits: &[TOOLKIT_VALIDATION],
    container: ("", ""),
    uses_gpu: true,
};

/// In the order in which the operator makes them; DCGM and the node status exporter are off by default.
#[rustfmt::skip]
pub(super) const OPERANDS: [Operand; 8] = [
    Operand {
        id: "driver", deploy_label: "driver", daemon_set: "nvidia-driver-daemonset",
        inits: &[("k8s-driver-manager", DRIVER_MANAGER)], container: ("nvidia-driver-ctr", DRIVER), uses_gpu: false, ..PLAIN
    },
    Operand {
        id: "container-toolkit", deploy_label: "container-toolkit", daemon_set: "nvidia-container-toolkit-daemonset",
        inits: &[("driver-validation", VALIDATOR)], container: ("nvidia-container-toolkit-ctr", TOOLKIT), uses_gpu: false, ..PLAIN
    },
    Operand {
        id: "operator-validator", deploy_label: "operator-validator", daemon_set: "nvidia-operator-validator",
        part_of: Some("gpu-operator"),
        inits: &[("driver-validation", VALIDATOR), TOOLKIT_VALIDATION, ("cuda-validation", VALIDATOR), ("plugin-validation", VALIDATOR)],
        container: ("nvidia-operator-validator", VALIDATOR), ..PLAIN
    },
    Operand {
        id: "device-plugin", deploy_label: "device-plugin", daemon_set: "nvidia-device-plugin-daemonset",
        container: ("nvidia-device-plugin", DEVICE_PLUGIN), ..PLAIN
    },
    Operand {
        id: "mps-control-daemon", deploy_label: "device-plugin", also: Some(("nvidia.com/mps.capable", "true")),
        daemon_set: "nvidia-device-plugin-mps-control-daemon",
        inits: &[TOOLKIT_VALIDATION, ("mps-control-daemon-mounts", DEVICE_PLUGIN)], container: ("mps-control-daemon-ctr", DEVICE_PLUGIN), ..PLAIN
    },
    Operand {
        id: "gpu-feature-discovery", deploy_label: "gpu-feature-discovery", daemon_set: "gpu-feature-discovery",
        part_of: Some("nvidia-gpu"),
        inits: &[TOOLKIT_VALIDATION, ("gpu-feature-discovery-imex-init", DEVICE_PLUGIN)],
        container: ("gpu-feature-discovery", DEVICE_PLUGIN), ..PLAIN
    },
    Operand {
        id: "dcgm-exporter", deploy_label: "dcgm-exporter", daemon_set: "nvidia-dcgm-exporter",
        container: ("nvidia-dcgm-exporter", EXPORTER), ..PLAIN
    },
    Operand {
        id: "mig-manager", deploy_label: "mig-manager", daemon_set: "nvidia-mig-manager",
        container: ("nvidia-mig-manager", MIG_MANAGER), ..PLAIN
    },
];

/// What the driver's image is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drivers {
    /// One image for all kernels, built on the node.
    ByOs,
    /// One image and one DaemonSet a kernel.
    ByKernel,
}

/// A DaemonSet as it will be.
#[derive(Clone, Debug)]
pub(super) struct DaemonSet {
    operand: Operand,
    /// Its name.
    pub(super) name: String,
    driver_image: String,
    node_selector: Vec<(String, String)>,
}

/// The DaemonSets of an install on these nodes.
pub(super) fn daemon_sets(nodes: &[GpuNode], drivers: Drivers) -> Vec<DaemonSet> {
    let mut kernels: Vec<&str> = nodes.iter().map(|it| it.kernel).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let mut all = Vec::new();
    for operand in OPERANDS {
        match (operand.id, drivers) {
            ("driver", Drivers::ByKernel) => {
                all.extend(kernels.iter().map(|it| precompiled(operand, it)));
            }
            _ => all.push(regular(operand)),
        }
    }
    all
}

fn regular(operand: Operand) -> DaemonSet {
    let mut node_selector = vec![(
        format!("{DEPLOY}{}", operand.deploy_label),
        "true".to_owned(),
    )];
    node_selector.extend(
        operand
            .also
            .map(|(key, value)| (key.to_owned(), value.to_owned())),
    );
    DaemonSet {
        operand,
        name: operand.daemon_set.to_owned(),
        driver_image: format!("{DRIVER}:550.144.03-ubuntu22.04"),
        node_selector,
    }
}

fn precompiled(operand: Operand, kernel: &str) -> DaemonSet {
    let mut it = regular(operand);
    it.name = format!("{}-{kernel}-ubuntu22.04", operand.daemon_set);
    it.driver_image = format!("{DRIVER}:550-{kernel}-ubuntu22.04");
    let key = "feature.node.kubernetes.io/kernel-version.full";
    it.node_selector.push((key.to_owned(), kernel.to_owned()));
    it
}

impl DaemonSet {
    /// What the plugins call its operand.
    pub(super) fn operand(&self) -> &'static str {
        self.operand.id
    }

    /// Does it put a pod on this node?
    pub(super) fn wants(&self, node: &GpuNode) -> bool {
        let labels = node.labels();
        let has = |(key, value): &(String, String)| labels.get(key) == Some(value);
        node.taint.is_none() && self.node_selector.iter().all(has)
    }

    /// The object, with the pods of `nodes` held as they say.
    pub(super) fn manifest(&self, nodes: &[GpuNode]) -> Value {
        let selected = self.selected_labels();
        let mut labels = selected.clone();
        labels.extend(entries(&[
            ("helm.sh/chart", &format!("gpu-operator-{RELEASE}")),
            ("app.kubernetes.io/managed-by", "gpu-operator"),
        ]));
        if self.operand.id == "driver" {
            let is_precompiled = if self.name == self.operand.daemon_set {
                "false"
            } else {
                "true"
            };
            labels.extend(entries(&[
                ("nvidia.com/precompiled", is_precompiled),
                ("app.kubernetes.io/component", "nvidia-driver"),
            ]));
        }
        let strategy = match self.operand.id {
            "driver" => json!({"type": "OnDelete"}),
            _ => json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}),
        };
        json!({
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": self.name, "namespace": NAMESPACE, "labels": labels},
            "spec": {
                "selector": {"matchLabels": selected},
                "updateStrategy": strategy,
                "template": {"metadata": {"labels": labels, "annotations": self.held(nodes)}, "spec": self.pod()},
            },
        })
    }

    fn selected_labels(&self) -> Map<String, Value> {
        let mut labels = entries(&[("app", self.operand.daemon_set)]);
        labels.extend(
            self.operand
                .part_of
                .map(|it| ("app.kubernetes.io/part-of".to_owned(), json!(it))),
        );
        labels
    }

    fn held(&self, nodes: &[GpuNode]) -> Map<String, Value> {
        let notes = nodes.iter().filter_map(|it| it.held(self.operand.id));
        notes
            .map(|(key, state)| (key, json!(state.to_string())))
            .collect()
    }

    fn pod(&self) -> Value {
        let container = |(name, image): &Container| {
            let image = if *image == DRIVER {
                &self.driver_image
            } else {
                *image
            };
            json!({"name": name, "image": image, "securityContext": {"privileged": true}})
        };
        let selector: Map<String, Value> = self
            .node_selector
            .iter()
            .map(|(key, value)| (key.clone(), json!(value)))
            .collect();
        let mut pod = json!({
            "nodeSelector": selector,
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "priorityClassName": "system-node-critical",
            "initContainers": self.operand.inits.iter().map(container).collect::<Vec<_>>(),
            "containers": [container(&self.operand.container)],
        });
        if self.operand.uses_gpu {
            pod["runtimeClassName"] = json!("nvidia");
        }
        pod
    }
}

fn entries(all: &[(&str, &str)]) -> Map<String, Value> {
    all.iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect()
}
