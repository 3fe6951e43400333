//! The operand lab: three nodes and five DaemonSets of a GPU operator, without the operator itself.

use std::fmt::Write;

use crate::{Error, PodState, Step};

/// The operator's namespace.
pub const NAMESPACE: &str = "gpu-operator";

/// A DaemonSet of the GPU operator.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// What the plugins call it.
    pub id: &'static str,
    /// The node label that asks for it.
    pub deploy_label: &'static str,
    /// The name of its DaemonSet, and the value of its pods' label `app`.
    pub daemon_set: &'static str,
    /// Its image.
    pub image: &'static str,
    /// The memory its pod requests.
    pub memory: &'static str,
}

/// The five of them, in the order in which they depend on each other.
pub const OPERANDS: [Operand; 5] = [
    Operand {
        id: "driver",
        deploy_label: "nvidia.com/gpu.deploy.driver",
        daemon_set: "nvidia-driver-daemonset",
        image: "nvcr.io/nvidia/driver:550.90.07-ubuntu22.04",
        memory: "512Mi",
    },
    Operand {
        id: "container-toolkit",
        deploy_label: "nvidia.com/gpu.deploy.container-toolkit",
        daemon_set: "nvidia-container-toolkit-daemonset",
        image: "nvcr.io/nvidia/k8s/container-toolkit:v1.16.2",
        memory: "128Mi",
    },
    Operand {
        id: "device-plugin",
        deploy_label: "nvidia.com/gpu.deploy.device-plugin",
        daemon_set: "nvidia-device-plugin-daemonset",
        image: "nvcr.io/nvidia/k8s-device-plugin:v0.16.2",
        memory: "128Mi",
    },
    Operand {
        id: "gpu-feature-discovery",
        deploy_label: "nvidia.com/gpu.deploy.gpu-feature-discovery",
        daemon_set: "gpu-feature-discovery",
        image: "nvcr.io/nvidia/k8s-device-plugin:v0.16.2",
        memory: "128Mi",
    },
    Operand {
        id: "dcgm-exporter",
        deploy_label: "nvidia.com/gpu.deploy.dcgm-exporter",
        daemon_set: "nvidia-dcgm-exporter",
        image: "nvcr.io/nvidia/k8s/dcgm-exporter:3.3.7-3.5.0-ubuntu22.04",
        memory: "128Mi",
    },
];

/// What sort of node it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// It has a GPU, and the operator brings the driver.
    Gpu,
    /// It has a GPU, and the host brings the driver.
    GpuWithHostDriver,
    /// It has no GPU.
    Plain,
}

const NODES: [(&str, NodeKind); 3] = [
    ("lab-node-0", NodeKind::Gpu),
    ("lab-node-1", NodeKind::GpuWithHostDriver),
    ("lab-node-2", NodeKind::Plain),
];

/// The operator's namespace, as YAML.
pub fn namespace() -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {NAMESPACE}\n")
}

/// The three nodes, as YAML.
pub fn nodes() -> String {
    NODES.map(|(name, kind)| node(name, kind)).concat()
}

/// One node, as a YAML document: for tests that add nodes.
pub fn node(name: &str, kind: NodeKind) -> String {
    let mut labels = String::new();
    let mut add = |key: &str, value: &str| {
        let _ = writeln!(labels, "    {key}: \"{value}\"");
    };
    add("kubernetes.io/arch", "amd64");
    add("kubernetes.io/hostname", name);
    add("kubernetes.io/os", "linux");
    if kind != NodeKind::Plain {
        add("feature.node.kubernetes.io/pci-10de.present", "true");
        add("nvidia.com/gpu.present", "true");
        for operand in OPERANDS {
            let wanted = if runs_on(&operand, kind) {
                "true"
            } else {
                "false"
            };
            add(operand.deploy_label, wanted);
        }
    }
    format!("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\n  labels:\n{labels}")
}

/// One of the five DaemonSets, by the operand's id, as YAML.
///
/// # Errors
/// [`Error::Unknown`], with the ids there are.
pub fn daemon_set(id: &str) -> Result<String, Error> {
    operand(id).map(|it| daemon_set_yaml(it, ""))
}

/// The same, with its pod on `node` held in `state` from the moment it is there.
///
/// # Errors
/// [`Error::Unknown`], with the ids there are.
pub fn daemon_set_holding(id: &str, node: &str, state: &PodState) -> Result<String, Error> {
    let key = PodState::annotation_on(node);
    let annotations = format!("      annotations:\n        {key}: \"{state}\"\n");
    operand(id).map(|it| daemon_set_yaml(it, &annotations))
}

/// The steps of the scenario: all of it, until every pod runs.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = vec![Step::Apply(namespace()), Step::Apply(nodes())];
    steps.extend(
        OPERANDS
            .iter()
            .map(|it| Step::Apply(daemon_set_yaml(it, ""))),
    );
    let pods = NODES.map(|(_, kind)| OPERANDS.iter().filter(|it| runs_on(it, kind)).count());
    steps.push(Step::AwaitRunning {
        namespace: NAMESPACE,
        n_pods: pods.iter().sum(),
    });
    steps
}

fn operand(id: &str) -> Result<&'static Operand, Error> {
    let found = OPERANDS.iter().find(|it| it.id == id);
    found.ok_or_else(|| Error::Unknown {
        kind: "operand",
        name: id.to_owned(),
        known: OPERANDS.map(|it| it.id).join(", "),
    })
}

fn runs_on(operand: &Operand, kind: NodeKind) -> bool {
    match kind {
        NodeKind::Gpu => true,
        NodeKind::GpuWithHostDriver => operand.id != "driver",
        NodeKind::Plain => false,
    }
}

fn daemon_set_yaml(operand: &Operand, annotations: &str) -> String {
    let Operand {
        id,
        deploy_label,
        daemon_set,
        image,
        memory,
    } = operand;
    format!(
        r#"---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {daemon_set}
  namespace: {NAMESPACE}
  labels:
    app: {daemon_set}
spec:
  selector:
    matchLabels:
      app: {daemon_set}
  template:
    metadata:
      labels:
        app: {daemon_set}
{annotations}    spec:
      nodeSelector:
        {deploy_label}: "true"
      containers:
        - name: {id}
          image: {image}
          resources:
            requests:
              memory: {memory}
"#
    )
}
