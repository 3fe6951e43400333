//! Recorded clusters that were made here, so that every rule has one; they are kept as the builder makes them.
//! `WRITE_STORIES=1 cargo test -p suite --test shapes` writes them anew.

use serde_json::Value;
use suite::recorded;

use crate::build::{
    Card, Node, Recording, Shape, V24_9, V25_10, V26_3, V26_7, gpu_cluster, hand_written, helm, pod,
};

/// The name of its folder, and how it is made.
type Story = (&'static str, fn() -> Recording);

/// They.
const STORIES: &[Story] = &[
    ("capacity-below-count", || {
        small(&[])
            .node("gpu-a", |it| it.offers("nvidia.com/gpu", 8, 7))
            .record()
    }),
    ("deploy-label-removed", || {
        small(&[])
            .node("gpu-a", |it| {
                it.without("nvidia.com/gpu.deploy.device-plugin")
            })
            .record()
    }),
    ("deploy-label-capitalised", || {
        small(&[])
            .node("gpu-a", |it| it.deploy("device-plugin", "True"))
            .record()
    }),
    ("device-plugin-not-ready", || {
        edited("nvidia-device-plugin-daemonset", pod::not_ready)
    }),
    ("device-plugin-stayed-after-opt-out", stayed),
    ("gfd-never-started", || {
        edited("gpu-feature-discovery", pod::is_created)
    }),
    ("driver-restarted-under-the-device-plugin", || {
        edited("nvidia-driver-daemonset", |it| pod::started(it, 40))
    }),
    ("clusterpolicy-that-stops", stopped),
    ("two-clusterpolicies", two),
    ("healthy-gpucluster-with-host-drivers", gpu_cluster_alone),
];

/// A control-plane node and a GPU node.
fn small(labels: &[(&str, &str)]) -> Shape {
    let gpu = labels.iter().fold(
        Node::gpu("gpu-a", &V25_10, Card::A100),
        |it, (operand, value)| it.deploy(operand, value),
    );
    Shape::of(&V25_10, vec![Node::control_plane("cp-a"), gpu])
        .nfd()
        .operated(helm(&V25_10))
}

fn edited(set: &str, edit: impl FnOnce(&mut Value)) -> Recording {
    let mut recording = small(&[]).record();
    edit(recording.pod(set, "gpu-a"));
    recording
}

fn stayed() -> Recording {
    let mut left = small(&[])
        .record()
        .pod("nvidia-device-plugin-daemonset", "gpu-a")
        .clone();
    pod::orphan(&mut left);
    let mut recording = small(&[("device-plugin", "false")]).record();
    recording.items.push(left);
    recording
}

fn stopped() -> Recording {
    let nodes = vec![
        Node::control_plane("cp-a"),
        Node::gpu("gpu-a", &V26_3, Card::T4),
    ];
    let why = "unable to retrieve OS information of GPU node gpu-b: label feature.node.kubernetes.io/system-os_release.ID not found";
    let mut shape = Shape::of(&V26_3, nodes).nfd().operated(helm(&V26_3));
    let policy = shape.policies.remove(0);
    shape
        .with_policy(policy.stopped("ReconcileFailed", why))
        .record()
}

fn two() -> Recording {
    let nodes = vec![
        Node::control_plane("cp-a"),
        Node::gpu("gpu-a", &V24_9, Card::T4),
    ];
    let other = hand_written(
        "gpu-cluster-policy",
        serde_json::json!({ "dcgm": { "enabled": true }, "driver": { "enabled": false } }),
    );
    Shape::of(&V24_9, nodes)
        .nfd()
        .operated(helm(&V24_9))
        .with_policy(other.younger().state("ignored"))
        .record()
}

fn gpu_cluster_alone() -> Recording {
    let nodes = vec![Node::control_plane("cp-a"), Node::cpu("gpu-a").pci()];
    Shape::of(&V26_7, nodes)
        .nfd()
        .operated(gpu_cluster(&V26_7))
        .record()
}

#[test]
fn recorded_stories_are_what_the_builder_makes() {
    for (name, made) in STORIES {
        let list = made().list();
        let file = recorded(name).join("cluster.yaml");
        if std::env::var_os("WRITE_STORIES").is_some() {
            std::fs::create_dir_all(recorded(name)).expect("a folder");
            std::fs::write(&file, serde_yaml::to_string(&list).expect("YAML"))
                .expect("it is written");
        }
        let text = std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{name}: {why}"));
        let kept: Value = serde_yaml::from_str(&text).expect("YAML");
        assert!(
            kept == list,
            "{name} is not what the builder makes; WRITE_STORIES=1 writes it anew"
        );
    }
}
