//! Clusters without the operator, and what other people's DaemonSets look like beside it.

use serde_json::json;

use super::Healthy;
use super::installs::{changed, defaults, nodes};
use crate::build::{
    Card, Node, Set, Shape, V25_10, deployment_with_pods, foreign_set, marked_by_hand, workload,
};

/// They.
pub(crate) const ALL: &[Healthy] = &[
    ("no GPU, no NFD and no operator", nothing),
    ("the device plugin's chart alone", chart),
    (
        "the static manifests of device plugin and GFD",
        static_manifests,
    ),
    ("the static manifests beside NFD", static_and_nfd),
    (
        "the network operator's device plugins beside the GPU operator",
        network_operator,
    ),
    (
        "the device plugin of KubeVirt beside the operator's",
        kubevirt,
    ),
    (
        "a device plugin of other hardware beside the operator",
        other_hardware,
    ),
    (
        "another device plugin on a node that opted out of the operator's",
        other_plugin,
    ),
    ("a monitoring stack with an exporter of its own", exporter),
    ("a virtual node that offers GPUs of elsewhere", virtual_node),
    (
        "an operand of another vendor's operator in the same namespace",
        neighbours,
    ),
];

fn nothing() -> Shape {
    let web = deployment_with_pods(
        "default",
        "web",
        &json!({ "app": "web" }),
        "nginx:1",
        "node-a",
    );
    let proxy = foreign_set(
        "kube-system",
        "kube-proxy",
        "registry.k8s.io/kube-proxy:v1.33.1",
    )
    .tolerates(json!({ "operator": "Exists" }));
    Shape::of(&V25_10, vec![Node::bare("node-a"), Node::bare("node-b")])
        .with_set(proxy)
        .with(web)
}

fn gpu_nodes() -> Vec<Node> {
    let gpu = Node::bare("gpu-a").gfd(&V25_10, Card::T4);
    vec![Node::bare("node-a"), marked_by_hand(gpu)]
}

fn on_gpu_nodes(set: Set) -> Set {
    let taint = json!({ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" });
    set.tolerates(taint)
        .affine(json!([{ "key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"] }]))
}

fn chart() -> Shape {
    let image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1";
    let home = "nvidia-device-plugin";
    Shape::of(&V25_10, gpu_nodes())
        .with_set(on_gpu_nodes(foreign_set(
            home,
            "nvdp-nvidia-device-plugin",
            image,
        )))
        .with_set(on_gpu_nodes(foreign_set(
            home,
            "nvdp-nvidia-device-plugin-gpu-feature-discovery",
            image,
        )))
        .with([workload("team", "train", "gpu-a", "nvidia.com/gpu")])
}

/// `kubectl create -f nvidia-device-plugin.yml`: its name is that of the operator's.
pub(crate) fn static_plugin() -> Set {
    foreign_set(
        "kube-system",
        "nvidia-device-plugin-daemonset",
        "nvcr.io/nvidia/k8s-device-plugin:v0.17.1",
    )
    .selected_by("name", "nvidia-device-plugin-ds")
    .tolerates(json!({ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" }))
}

fn static_manifests() -> Shape {
    let gfd = foreign_set(
        "node-feature-discovery",
        "gpu-feature-discovery",
        "nvcr.io/nvidia/k8s-device-plugin:v0.17.1",
    );
    Shape::of(&V25_10, gpu_nodes())
        .with_set(static_plugin())
        .with_set(on_gpu_nodes(gfd))
        .with([workload("team", "train", "gpu-a", "nvidia.com/gpu")])
}

fn static_and_nfd() -> Shape {
    let gpu = Node::cpu("gpu-a")
        .label("feature.node.kubernetes.io/pci-0302_10de.present", "true")
        .gfd(&V25_10, Card::T4);
    Shape::of(&V25_10, vec![Node::cpu("node-a"), gpu])
        .within("node-feature-discovery")
        .nfd()
        .with_set(static_plugin())
}

/// SR-IOV devices come from an image under nvcr.io/nvidia too, and are no GPUs.
fn network_operator() -> Shape {
    let home = "nvidia-network-operator";
    let set = |name: &str, image: &str| {
        foreign_set(
            home,
            name,
            &format!("nvcr.io/nvidia/mellanox/{image}:network-operator-v25.7.0"),
        )
    };
    defaults(&V25_10)
        .with_set(set(
            "network-operator-sriov-device-plugin",
            "sriov-network-device-plugin",
        ))
        .with_set(set("rdma-shared-dp-ds", "k8s-rdma-shared-dev-plugin"))
        .with_set(set("mofed-ubuntu22.04-7d6c9b6f5-ds", "doca-driver"))
}

/// It offers GPUs that are bound to vfio-pci, of which container nodes have none.
fn kubevirt() -> Shape {
    let image = "nvcr.io/nvidia/kubevirt-gpu-device-plugin:v1.2.10";
    defaults(&V25_10).with_set(foreign_set(
        "kube-system",
        "nvidia-kubevirt-gpu-dp-daemonset",
        image,
    ))
}

fn other_hardware() -> Shape {
    defaults(&V25_10)
        .with_set(foreign_set(
            "kube-system",
            "amdgpu-device-plugin-daemonset",
            "rocm/k8s-device-plugin:1.31",
        ))
        .with_set(foreign_set(
            "kube-system",
            "intel-gpu-plugin",
            "intel/intel-gpu-plugin:0.32.0",
        ))
}

fn other_plugin() -> Shape {
    let set = foreign_set(
        "kube-system",
        "hami-device-plugin",
        "projecthami/hami:v2.6.1",
    )
    .selects("gpu", "on");
    let nodes = nodes(&V25_10).into_iter().map(|it| match it.name() {
        "gpu-a" => it.deploy("device-plugin", "false").label("gpu", "on"),
        _ => it,
    });
    let shape = Shape {
        nodes: nodes.collect(),
        ..defaults(&V25_10)
    };
    let own = Shape::of(&V25_10, shape.nodes)
        .nfd()
        .operated(crate::build::helm(&V25_10));
    own.with_set(set)
        .with([workload("team", "train", "gpu-a", "nvidia.com/gpu")])
}

fn exporter() -> Shape {
    let set = foreign_set(
        "monitoring",
        "nvidia-dcgm-exporter",
        "nvcr.io/nvidia/k8s/dcgm-exporter:4.2.0-4.1.0-ubuntu22.04",
    );
    changed(&V25_10, &[("dcgmExporter.enabled", false)]).with_set(on_gpu_nodes(set))
}

fn virtual_node() -> Shape {
    let node = Node::bare("burst")
        .label("type", "virtual-kubelet")
        .taint("virtual-kubelet.io/provider=elsewhere:NoSchedule")
        .resource("nvidia.com/gpu", 64);
    let mut shape = defaults(&V25_10);
    shape.nodes.push(node);
    shape
}

fn neighbours() -> Shape {
    let set = foreign_set(
        "gpu-operator",
        "gpu-health-monitor",
        "ghcr.io/nvidia/nvsentinel/gpu-health-monitor:v0.3.0",
    );
    defaults(&V25_10).with_set(on_gpu_nodes(set))
}
