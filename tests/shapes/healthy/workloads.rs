//! Virtual machines, confidential containers and dynamic resource allocation.

use super::Healthy;
use super::installs::nodes;
use crate::build::{
    Card, Node, Policy, Release, Shape, V24_9, V26_3, V26_7, foreign_set, gpu_cluster, helm,
    nvidia_driver, pool, workload,
};

/// They.
pub(crate) const ALL: &[Healthy] = &[
    ("virtual machines beside containers, v24.9", || {
        sandbox(&V24_9)
    }),
    ("virtual machines beside containers, v26.7", || {
        sandbox(&V26_7)
    }),
    ("virtual machines as the default workload", by_default),
    ("workload labels while sandbox workloads are off", ignored),
    ("confidential containers with kata", kata),
    ("kata manager and cc-manager of v24.9", old_kata),
    ("kata manager of v26.3", kata_of_v26_3),
    ("an NVIDIADriver for hosts of vGPUs", vgpu_hosts),
    ("a GPUCluster with an NVIDIADriver", dra),
    ("a GPUCluster with dcgm", || {
        Shape::of(&V26_7, gpu_nodes())
            .nfd()
            .operated(gpu_cluster(&V26_7).with("dcgm.enabled", true))
    }),
    ("a GPUCluster with drivers on the hosts", || {
        gpu_cluster_of(gpu_nodes())
    }),
    (
        "a GPUCluster, which does not look at operands=false",
        || gpu_cluster_of(opted_out()),
    ),
    ("the DRA chart beside a ClusterPolicy", dra_chart),
];

fn virtual_machine(name: &str, workload: &str) -> Node {
    Node::cpu(name)
        .pci()
        .label("nvidia.com/gpu.workload.config", workload)
        .resource("nvidia.com/GA102GL_A10", 2)
}

fn sandbox_policy(release: &Release) -> Policy {
    helm(release)
        .with("sandboxWorkloads.enabled", true)
        .with("vgpuManager.enabled", true)
}

/// A node of each workload.
pub(crate) fn sandbox(release: &'static Release) -> Shape {
    let mut nodes = nodes(release);
    nodes.push(virtual_machine("vm-a", "vm-passthrough"));
    nodes.push(virtual_machine("vm-b", "vm-vgpu"));
    Shape::of(release, nodes)
        .nfd()
        .operated(sandbox_policy(release))
}

fn by_default() -> Shape {
    let policy = sandbox_policy(&V24_9).with("sandboxWorkloads.defaultWorkload", "vm-passthrough");
    let mut nodes = vec![
        Node::cpu("cpu-a"),
        Node::cpu("vm-a")
            .pci()
            .resource("nvidia.com/GA102GL_A10", 2),
    ];
    nodes.push(
        Node::gpu("gpu-a", &V24_9, Card::T4).label("nvidia.com/gpu.workload.config", "container"),
    );
    nodes.push(virtual_machine("vm-b", "no-such-word"));
    Shape::of(&V24_9, nodes).nfd().operated(policy)
}

fn ignored() -> Shape {
    let nodes = nodes(&V24_9).into_iter().map(|it| match it.name() {
        "gpu-a" => it.label("nvidia.com/gpu.workload.config", "vm-vgpu"),
        _ => it,
    });
    Shape::of(&V24_9, nodes.collect())
        .nfd()
        .operated(helm(&V24_9))
}

fn kata() -> Shape {
    let policy = sandbox_policy(&V26_3).with("sandboxWorkloads.mode", "kata");
    let mut nodes = nodes(&V26_3);
    nodes.push(virtual_machine("vm-a", "vm-passthrough"));
    // Its label for the sandbox device plugin is set, and in this mode nobody deploys that.
    nodes.push(virtual_machine("vm-b", "vm-vgpu"));
    Shape::of(&V26_3, nodes).nfd().operated(policy)
}

fn old_kata() -> Shape {
    let policy = sandbox_policy(&V24_9)
        .with("kataManager.enabled", true)
        .with("ccManager.enabled", true);
    let mut nodes = nodes(&V24_9);
    nodes.push(virtual_machine("vm-a", "vm-passthrough"));
    Shape::of(&V24_9, nodes).nfd().operated(policy)
}

fn kata_of_v26_3() -> Shape {
    let policy = sandbox_policy(&V26_3).with("kataManager.enabled", true);
    let nodes = vec![
        Node::cpu("cpu-a"),
        virtual_machine("vm-a", "vm-passthrough"),
    ];
    Shape::of(&V26_3, nodes).nfd().operated(policy)
}

/// The policy's own vGPU manager is off, as Helm has it.
fn vgpu_hosts() -> Shape {
    let policy = helm(&V26_3)
        .with("sandboxWorkloads.enabled", true)
        .with("driver.useNvidiaDriverCRD", true);
    let driver = nvidia_driver("hosts", "vgpu-host-manager", "580.126.08");
    let set = pool(&V26_3, "gpu-operator", &driver, ("ubuntu", "22.04"));
    let nodes = vec![Node::cpu("cpu-a"), virtual_machine("vm-b", "vm-vgpu")];
    Shape::of(&V26_3, nodes)
        .nfd()
        .operated(policy)
        .with_set(set)
        .with_policy(driver)
}

fn gpu_nodes() -> Vec<Node> {
    let gpu = |name: &str| Node::cpu(name).pci();
    vec![
        Node::control_plane("cp-a"),
        Node::cpu("cpu-a"),
        gpu("gpu-a"),
        gpu("gpu-b"),
    ]
}

fn gpu_cluster_of(nodes: Vec<Node>) -> Shape {
    Shape::of(&V26_7, nodes).nfd().operated(gpu_cluster(&V26_7))
}

fn opted_out() -> Vec<Node> {
    let opt_out = |it: Node| {
        if it.name() == "gpu-a" {
            it.deploy("operands", "false")
        } else {
            it
        }
    };
    gpu_nodes().into_iter().map(opt_out).collect()
}

/// The whole DRA stack with a driver of the operator's.
pub(crate) fn dra() -> Shape {
    let driver = nvidia_driver("default", "gpu", V26_7.driver).with("default", true);
    let set = pool(&V26_7, "gpu-operator", &driver, ("ubuntu", "22.04"));
    let owner = "nvidia.com/gpu-operator.driver.owner";
    gpu_cluster_of(gpu_nodes())
        .node("gpu-a", |it| it.label(owner, "default"))
        .node("gpu-b", |it| it.label(owner, "default"))
        .with_set(set)
        .with_policy(driver)
        .with([workload("team", "train", "gpu-a", "cpu")])
}

fn dra_chart() -> Shape {
    let home = "nvidia-dra-driver-gpu";
    let plugin = foreign_set(
        home,
        "nvidia-dra-driver-gpu-kubelet-plugin",
        "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0",
    )
    .selects("nvidia.com/gpu.present", "true");
    Shape::of(&V26_3, nodes(&V26_3))
        .nfd()
        .operated(helm(&V26_3))
        .with_set(plugin)
}
