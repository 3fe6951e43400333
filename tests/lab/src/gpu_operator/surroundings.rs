//! What an install consists of beside the operands: the kinds, the policy, the operator itself, and NFD.
//!
//! Source: NVIDIA/gpu-operator deployments/gpu-operator. Read at: v24.9.2.

use serde_json::{Value, json};

use super::{NAMESPACE, POLICY, operands::Drivers, operands::RELEASE, operands::VALIDATOR};
use crate::PodState;

const OPERATOR: &str = "nvcr.io/nvidia/gpu-operator:v24.9.2";
const NFD: &str = "registry.k8s.io/nfd/node-feature-discovery:v0.16.6";

/// What is there before the first object of the operator's own kinds can be.
pub(super) fn before_the_policy() -> Vec<Value> {
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        kind("ClusterPolicy", "clusterpolicies", "clusterpolicy", "v1"),
        kind("NVIDIADriver", "nvidiadrivers", "nvidiadriver", "v1alpha1"),
    ]
}

/// A cluster-scoped kind of the operator, its fields unchecked.
fn kind(kind: &str, plural: &str, singular: &str, version: &str) -> Value {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let column =
        |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.nvidia.com")},
        "spec": {
            "group": "nvidia.com",
            "scope": "Cluster",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular},
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "additionalPrinterColumns": [
                    column("Status", "string", ".status.state"),
                    column("Age", "date", ".metadata.creationTimestamp"),
                ],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": free, "status": free}}},
            }],
        },
    })
}

fn chart_labels() -> Value {
    json!({
        "app.kubernetes.io/name": "gpu-operator",
        "app.kubernetes.io/instance": "gpu-operator",
        "app.kubernetes.io/version": RELEASE,
        "app.kubernetes.io/managed-by": "Helm",
        "app.kubernetes.io/component": "gpu-operator",
        "helm.sh/chart": format!("gpu-operator-{RELEASE}"),
    })
}

/// The policy as Helm writes it, as far as it switches operands.
pub(super) fn cluster_policy(drivers: Drivers) -> Value {
    let on = json!({"enabled": true});
    let off = json!({"enabled": false});
    let upgrade = json!({"autoUpgrade": true, "maxParallelUpgrades": 1, "maxUnavailable": "25%"});
    let (precompiled, version) = match drivers {
        Drivers::ByOs => (false, "550.144.03"),
        Drivers::ByKernel => (true, "550"),
    };
    json!({
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": POLICY, "labels": chart_labels()},
        "spec": {
            "operator": {"defaultRuntime": "containerd", "runtimeClass": "nvidia"},
            "daemonsets": {
                "priorityClassName": "system-node-critical",
                "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
                "updateStrategy": "RollingUpdate",
            },
            "driver": {
                "enabled": true, "useNvidiaDriverCRD": false, "usePrecompiled": precompiled,
                "repository": "nvcr.io/nvidia", "image": "driver", "version": version, "upgradePolicy": upgrade,
            },
            "toolkit": on, "devicePlugin": on, "gfd": on, "dcgm": off, "dcgmExporter": on,
            "migManager": on, "nodeStatusExporter": off,
            "sandboxWorkloads": {"enabled": false, "defaultWorkload": "container"},
            "vgpuManager": off, "vgpuDeviceManager": on, "vfioManager": on,
            "sandboxDevicePlugin": on, "kataManager": off, "ccManager": off,
        },
    })
}

/// The RuntimeClass that the operator makes for its operands.
pub(super) fn runtime_class() -> Value {
    json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"})
}

/// The operator, and NFD as its chart brings it.
pub(super) fn operator_and_nfd() -> Vec<Value> {
    let nfd = "node-feature-discovery";
    let mut operator = deployment(
        "gpu-operator",
        OPERATOR,
        json!({"app": "gpu-operator", "app.kubernetes.io/component": "gpu-operator"}),
    );
    operator["metadata"]["labels"] = chart_labels();
    let role = |it: &str| json!({"app.kubernetes.io/name": nfd, "app.kubernetes.io/instance": "gpu-operator", "role": it});
    vec![
        operator,
        deployment(
            "gpu-operator-node-feature-discovery-master",
            NFD,
            role("master"),
        ),
        deployment("gpu-operator-node-feature-discovery-gc", NFD, role("gc")),
        nfd_worker(role("worker")),
    ]
}

/// Tolerations for the nodes of the control plane.
fn control_plane_tolerations() -> Vec<Value> {
    let role = |it: &str| json!({"key": format!("node-role.kubernetes.io/{it}"), "operator": "Equal", "effect": "NoSchedule"});
    vec![role("master"), role("control-plane")]
}

fn deployment(name: &str, image: &str, labels: Value) -> Value {
    let short_name = name.trim_start_matches("gpu-operator-node-feature-discovery-");
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "priorityClassName": "system-node-critical",
                "tolerations": control_plane_tolerations(),
                "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
                "containers": [{"name": short_name, "image": image}],
            }},
        },
    })
}

fn nfd_worker(labels: Value) -> Value {
    let mut tolerations = control_plane_tolerations();
    tolerations
        .push(json!({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}));
    json!({
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "gpu-operator-node-feature-discovery-worker", "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "priorityClassName": "system-node-critical",
                "tolerations": tolerations,
                "containers": [{"name": "worker", "image": NFD}],
            }},
        },
    })
}

/// The pod in which the validator of a node ran a CUDA program, and which stays behind.
pub(super) fn cuda_validation(node: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("nvidia-cuda-validator-{node}"),
            "namespace": NAMESPACE,
            "labels": {"app": "nvidia-cuda-validator"},
            "annotations": {PodState::annotation(): PodState::Completed.to_string()},
        },
        "spec": {
            "nodeName": node,
            "restartPolicy": "OnFailure",
            "runtimeClassName": "nvidia",
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "initContainers": [{"name": "cuda-validation", "image": VALIDATOR}],
            "containers": [{"name": "nvidia-cuda-validator", "image": VALIDATOR}],
        },
    })
}
