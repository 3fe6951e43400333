//! GPUs that are offered wrongly, twice, or not at all.

use super::{Broken, broken, with};
use crate::build::{
    Card, Node, Recording, Shape, V24_9, V25_10, V26_7, gke_device_plugin, helm, pod, workload,
};
use crate::healthy::{defaults, gke, installs_nodes, static_plugin};

const FEWER: &[(&str, &str)] = &[("gpu-b", "capacity-below-count")];
const TWO: &[(&str, &str)] = &[
    ("gpu-a", "second-device-plugin"),
    ("gpu-b", "second-device-plugin"),
];

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "one GPU of eight fell off",
        || offers(|it| it.offers("nvidia.com/gpu", 7, 7)),
        FEWER,
        &[],
    ),
    broken(
        "one GPU of eight is unhealthy",
        || offers(|it| it.offers("nvidia.com/gpu", 8, 7)),
        FEWER,
        &[],
    ),
    broken(
        "the device plugin lost its kubelet",
        || offers(|it| it.offers("nvidia.com/gpu", 8, 0)),
        FEWER,
        &[],
    ),
    broken(
        "the kubelet never heard of the device plugin",
        || offers(unheard),
        FEWER,
        &[],
    ),
    broken(
        "time-slicing gives fewer than it should",
        || offers(sliced),
        FEWER,
        &[],
    ),
    broken(
        "slices of MIG strategy single are missing",
        || {
            offers(|it| {
                it.label("nvidia.com/gpu.count", "56")
                    .offers("nvidia.com/gpu", 49, 49)
            })
        },
        FEWER,
        &[],
    ),
    broken(
        "the static manifest beside the operator",
        || defaults(&V25_10).with_set(static_plugin()).record(),
        TWO,
        &[],
    ),
    broken(
        "the cloud's device plugin beside the operator",
        clouds,
        &[("pool-gpu-1", "second-device-plugin")],
        &[],
    ),
    broken(
        "a pod holds a GPU of a node that opted out",
        opted_out,
        &[("gpu-a", "opted-out-in-use")],
        &[],
    ),
    broken(
        "GFD has written no labels",
        || {
            defaults(&V24_9)
                .node("gpu-a", |it| {
                    it.without("nvidia.com/cuda").without("nvidia.com/gfd")
                })
                .record()
        },
        &[("gpu-a", "gfd-labels-missing")],
        &[],
    ),
    broken(
        "a machine that is labelled for a GPU and has none",
        no_gpu,
        &[
            ("vm-a", "gpu-label-without-gpu"),
            ("vm-a", "operand-crashes"),
        ],
        &[
            "vm-a MISSING container-toolkit",
            "vm-a MISSING operator-validator",
            "vm-a MISSING device-plugin",
            "vm-a MISSING gpu-feature-discovery",
            "vm-a MISSING dcgm-exporter",
        ],
    ),
];

fn offers(edit: fn(Node) -> Node) -> Recording {
    defaults(&V25_10).node("gpu-b", edit).record()
}

fn unheard(mut it: Node) -> Node {
    for which in ["capacity", "allocatable"] {
        it.0["status"][which]
            .as_object_mut()
            .expect("resources")
            .remove("nvidia.com/gpu");
    }
    it
}

fn sliced(it: Node) -> Node {
    it.label("nvidia.com/gpu.replicas", "4")
        .label("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-SHARED")
        .label("nvidia.com/gpu.sharing-strategy", "time-slicing")
        .offers("nvidia.com/gpu", 8, 8)
}

fn clouds() -> Recording {
    gke()
        .node("pool-gpu-1", |it| {
            it.without("gke-no-default-nvidia-gpu-device-plugin")
        })
        .with_set(gke_device_plugin().renamed("nvidia-gpu-device-plugin-large-cos"))
        .without_set("nvidia-gpu-device-plugin")
        .record()
}

fn opted_out() -> Recording {
    let nodes = installs_nodes(&V26_7)
        .into_iter()
        .map(|it| match it.name() {
            "gpu-a" => it
                .deploy("operands", "false")
                .offers("nvidia.com/gpu", 0, 0),
            _ => it,
        });
    Shape::of(&V26_7, nodes.collect())
        .nfd()
        .operated(helm(&V26_7))
        .with([workload("team", "train", "gpu-a", "nvidia.com/gpu")])
        .record()
}

fn no_gpu() -> Recording {
    let mut nodes = installs_nodes(&V24_9);
    nodes.push(Node::cpu("vm-a").pci());
    with(
        Shape::of(&V24_9, nodes).nfd().operated(helm(&V24_9)),
        |it| {
            pod::crashes(
                it.pod("nvidia-driver-daemonset", "vm-a"),
                "nvidia-driver-ctr",
                31,
            );
            pod::waits(
                it.pod("nvidia-container-toolkit-daemonset", "vm-a"),
                "driver-validation",
            );
            pod::waits(
                it.pod("nvidia-operator-validator", "vm-a"),
                "driver-validation",
            );
            for set in [
                "nvidia-device-plugin-daemonset",
                "gpu-feature-discovery",
                "nvidia-dcgm-exporter",
            ] {
                pod::waits(it.pod(set, "vm-a"), "toolkit-validation");
            }
        },
    )
}

#[test]
fn a_card_is_known_by_its_labels() {
    let node = Node::gpu("gpu-a", &V25_10, Card::B200);
    assert_eq!(node.get("nvidia.com/gpu.count"), Some("8"));
}
