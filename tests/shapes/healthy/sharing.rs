//! GPUs that are cut, shared or being cut.

use super::Healthy;
use super::installs::nodes;
use crate::build::{Card, Node, Policy, Shape, V24_6, V24_9, V25_10, helm};

/// They.
pub(crate) const ALL: &[Healthy] = &[
    ("MIG with strategy mixed", mixed),
    ("MIG with strategy single", single),
    ("time-slicing", time_slicing),
    ("time-slicing under another resource name", renamed),
    ("MPS", mps),
    ("a config per node for the device plugin", configured),
    ("a MIG change that is going on", || changing("pending")),
    ("a MIG change that needs a reboot", || changing("rebooting")),
    ("a card that only GFD knows to be MIG capable", || {
        of(V24_9_NODES)
    }),
    ("a new card before GFD has seen it", unseen_card),
    ("labels that the MIG manager made up", made_up),
    ("an operand that was just replaced", replaced),
];

const V24_9_NODES: fn(Node) -> Node = |it| {
    if it.name() == "gpu-b" {
        it.gfd(&V24_9, Card::B200)
    } else {
        it
    }
};

fn of(edit: fn(Node) -> Node) -> Shape {
    with(helm(&V24_9), edit)
}

fn with(policy: Policy, edit: fn(Node) -> Node) -> Shape {
    Shape::of(&V24_9, nodes(&V24_9).into_iter().map(edit).collect())
        .nfd()
        .operated(policy)
}

fn on_b(it: Node, edit: impl FnOnce(Node) -> Node) -> Node {
    if it.name() == "gpu-b" { edit(it) } else { it }
}

/// One GPU cut in seven, the others whole.
pub(crate) fn mixed() -> Shape {
    with(helm(&V24_9).with("mig.strategy", "mixed"), |it| {
        on_b(it, |it| {
            it.label("nvidia.com/mig.strategy", "mixed")
                .label("nvidia.com/mig.config", "custom")
                .label("nvidia.com/mig.config.state", "success")
                .label("nvidia.com/mig-1g.5gb.count", "7")
                .label(
                    "nvidia.com/mig-1g.5gb.product",
                    "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
                )
                .resource("nvidia.com/mig-1g.5gb", 7)
                .resource("nvidia.com/gpu", 7)
        })
    })
}

fn single() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.label("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")
                .label("nvidia.com/gpu.count", "56")
                .label("nvidia.com/gpu.memory", "4864")
                .label("nvidia.com/gpu.slices.gi", "1")
                .label("nvidia.com/mig.config", "all-1g.5gb")
                .label("nvidia.com/mig.config.state", "success")
                .resource("nvidia.com/gpu", 56)
        })
    })
}

fn time_slicing() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.label("nvidia.com/gpu.replicas", "4")
                .label("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-SHARED")
                .label("nvidia.com/gpu.sharing-strategy", "time-slicing")
                .resource("nvidia.com/gpu", 32)
        })
    })
}

/// The kubelet keeps the old resource, with nothing in it, until it is restarted.
fn renamed() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.label("nvidia.com/gpu.replicas", "4")
                .label("nvidia.com/gpu.sharing-strategy", "time-slicing")
                .resource("nvidia.com/gpu", 0)
                .resource("nvidia.com/gpu.shared", 32)
        })
    })
}

/// The MPS daemon runs where GFD says so.
pub(crate) fn mps() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.label("nvidia.com/mps.capable", "true")
                .label("nvidia.com/gpu.replicas", "10")
                .label("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-SHARED")
                .label("nvidia.com/gpu.sharing-strategy", "mps")
                .resource("nvidia.com/gpu", 80)
        })
    })
}

/// Two more containers that pick the node's config.
pub(crate) fn configured() -> Shape {
    let image = "nvcr.io/nvidia/k8s-device-plugin:v0.16.2";
    let policy = helm(&V24_6).with("devicePlugin.config.name", "plugin-config");
    Shape::of(&V24_6, nodes(&V24_6))
        .nfd()
        .operated(policy)
        .node("gpu-a", |it| {
            it.label("nvidia.com/device-plugin.config", "tesla-t4")
        })
        .sets_where(
            |it| it.deploys("device-plugin") || it.deploys("gpu-feature-discovery"),
            |it| {
                it.init("config-manager-init", image)
                    .sidecar("config-manager", image)
            },
        )
}

fn changing(state: &str) -> Shape {
    let paused = [
        "device-plugin",
        "gpu-feature-discovery",
        "dcgm-exporter",
        "dcgm",
        "nvsm",
    ];
    Shape::of(&V25_10, nodes(&V25_10))
        .nfd()
        .operated(helm(&V25_10))
        .node("gpu-b", |it| {
            let it = paused
                .iter()
                .fold(it, |it, name| it.deploy(name, "paused-for-mig-change"));
            it.label("nvidia.com/mig.config", "all-1g.5gb")
                .label("nvidia.com/mig.config.state", state)
        })
}

fn unseen_card() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.without("nvidia.com/mig.")
                .without("nvidia.com/gpu.product")
        })
    })
}

fn made_up() -> Shape {
    of(|it| {
        on_b(it, |it| {
            it.deploy("nvsm", "true")
                .deploy("dra-plugin-gpu", "true")
                .deploy("client", "true")
        })
    })
}

/// The old pod is still on its way out, and the new one Ready.
fn replaced() -> Shape {
    let shape = of(|it| it);
    let mut recording = shape.clone().record();
    let mut old = recording.pod("nvidia-dcgm-exporter", "gpu-a").clone();
    old["metadata"]["name"] = serde_json::json!("nvidia-dcgm-exporter-aaaaa");
    old["metadata"]["uid"] = serde_json::json!("0c1f3f2e-0000-4000-8000-000000000001");
    crate::build::pod::terminates(&mut old);
    shape.with([old])
}
