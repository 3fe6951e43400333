//! What clouds and distributions bring along.

use serde_json::json;

use super::Healthy;
use crate::build::{
    Card, Node, Release, Shape, V23_9, V24_9, V25_10, V26_3, gke_device_plugin, hand_written, helm,
    openshift_driver, openshift_nfd, quota, workload,
};

/// They.
pub(crate) const ALL: &[Healthy] = &[
    ("GKE with Google's driver", gke),
    (
        "GKE with a pool that Google's own device plugin serves",
        gke_pool,
    ),
    ("AKS with driver and toolkit of the image", aks),
    ("EKS with Amazon Linux GPU images", eks),
    (
        "OpenShift with a driver DaemonSet per CoreOS version",
        || openshift(&V24_9),
    ),
    ("OpenShift of an older operator", || openshift(&V23_9)),
];

/// Nodes whose driver Google installs, with its device plugin told to stay away.
pub(crate) fn gke() -> Shape {
    let gpu = |name: &str| {
        Node::gpu(name, &V25_10, Card::A100)
            .os("cos", "117")
            .label("cloud.google.com/gke-accelerator", "nvidia-tesla-a100")
            .label("gke-no-default-nvidia-gpu-device-plugin", "true")
            .taint("nvidia.com/gpu=present:NoSchedule")
    };
    let policy = helm(&V25_10)
        .with("driver.enabled", false)
        .with("hostPaths.driverInstallDir", "/home/kubernetes/bin/nvidia")
        .with("toolkit.installDir", "/home/kubernetes/bin/nvidia");
    let nodes = vec![
        Node::cpu("pool-cpu-1"),
        gpu("pool-gpu-1"),
        gpu("pool-gpu-2"),
    ];
    let quotas = ["gpu-operator", "kube-system"]
        .map(|it| quota(it, "gcp-critical-pods", "system-node-critical", 100, 17));
    Shape::of(&V25_10, nodes)
        .nfd()
        .operated(policy)
        .with_set(gke_device_plugin())
        .with(quotas)
}

fn gke_pool() -> Shape {
    let own = Node::gpu("pool-own-1", &V25_10, Card::T4)
        .without("nvidia.com/cuda")
        .label("cloud.google.com/gke-accelerator", "nvidia-tesla-t4")
        .taint("nvidia.com/gpu=present:NoSchedule")
        .deploy("operands", "false");
    let mut shape = gke();
    shape.nodes.push(own);
    shape.with([workload("team", "train", "pool-own-1", "nvidia.com/gpu")])
}

/// Nodes whose image has driver and toolkit, and a taint of the pool.
pub(crate) fn aks() -> Shape {
    let sku = json!({ "key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule" });
    let policy = helm(&V25_10)
        .with("driver.enabled", false)
        .with("toolkit.enabled", false)
        .with("operator.runtimeClass", "nvidia-container-runtime")
        .with("daemonsets.tolerations", json!([sku]));
    let gpu = Node::gpu("aks-gpu-000000", &V25_10, Card::A100)
        .label("kubernetes.azure.com/accelerator", "nvidia")
        .taint("sku=gpu:NoSchedule");
    Shape::of(&V25_10, vec![Node::cpu("aks-system-000000"), gpu])
        .nfd()
        .operated(policy)
        .sets_where(
            |it| it.name().ends_with("worker"),
            |it| it.tolerates(sku.clone()),
        )
}

fn eks() -> Shape {
    let policy = helm(&V26_3)
        .with("driver.enabled", false)
        .with("toolkit.enabled", false);
    let gpu = Node::gpu("ip-10-0-1-17.ec2.internal", &V26_3, Card::T4)
        .os("amzn", "2023")
        .label("node.kubernetes.io/instance-type", "g4dn.xlarge");
    let cpu = Node::cpu("ip-10-0-1-18.ec2.internal").os("amzn", "2023");
    Shape::of(&V26_3, vec![cpu, gpu]).nfd().operated(policy)
}

/// Two CoreOS versions in the middle of a cluster update, NFD in its own namespace.
pub(crate) fn openshift(release: &'static Release) -> Shape {
    const OSTREE: [&str; 2] = ["418.94.202501221327-0", "418.94.202503112237-0"];
    let home = "nvidia-gpu-operator";
    let node = |name: &str, ostree: &str| {
        let ostree_label = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION";
        Node::gpu(name, release, Card::A100)
            .os("rhcos", "4.18")
            .kernel("5.14.0-427.50.1.el9_4.x86_64")
            .label(ostree_label, ostree)
            .runtime("cri-o://1.31.5")
    };
    let nodes = vec![
        Node::control_plane("master-0"),
        node("worker-0", OSTREE[0]),
        node("worker-1", OSTREE[1]),
    ];
    let on = [
        "daemonsets",
        "dcgm",
        "dcgmExporter",
        "devicePlugin",
        "driver",
        "gfd",
        "migManager",
        "nodeStatusExporter",
        "toolkit",
    ];
    let spec = on.iter().fold(json!({}), |mut spec, it| {
        spec[it] = json!({ "enabled": true });
        spec
    });
    let policy =
        hand_written("gpu-cluster-policy", spec).with("operator.use_ocp_driver_toolkit", true);
    let drivers = OSTREE.map(|it| openshift_driver(release, home, &policy, it));
    let (worker, nfd) = openshift_nfd("master-0");
    let shape = Shape::of(release, nodes)
        .within(home)
        .operated(policy)
        .without_set("nvidia-driver-daemonset");
    drivers
        .into_iter()
        .fold(shape.with_set(worker).with(nfd), Shape::with_set)
}
