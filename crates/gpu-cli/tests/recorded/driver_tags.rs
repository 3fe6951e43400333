//! What an answer about driver images costs beside reading the recording.

use std::time::{Duration, Instant};

use gpu_core::answer::Answer;
use gpu_core::drivertag::{self, Stock, WhatIf};
use gpu_core::standing::Scope;
use serde_json::{Value, json};

use crate::piped;

const NODES: usize = 5_000;
const COMBINATIONS: usize = 12;
/// Eight other operands on every node.
const OTHER_PODS: usize = 8 * NODES;

/// A node as NFD and GFD label one: its kernel is one of twelve.
fn node(at: usize) -> Value {
    let kernel = format!("5.15.0-{}-generic", 100 + at % COMBINATIONS);
    let mut labels = json!({
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.deploy.driver": "true",
        "feature.node.kubernetes.io/kernel-version.full": kernel,
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "22.04",
    });
    for n in 0..60 {
        labels[format!("feature.node.kubernetes.io/cpu-cpuid.FEATURE{n}")] = json!("true");
    }
    let image =
        |n| json!({ "names": [format!("registry.example/image-{n}:1")], "sizeBytes": 123_456_789 });
    let images: Vec<_> = (0..20).map(image).collect();
    json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": format!("gpu-{at:04}"), "labels": labels },
        "status": {
            "conditions": [{ "type": "Ready", "status": "True" }],
            "images": images,
            "nodeInfo": { "kernelVersion": kernel, "osImage": "Ubuntu 22.04.4 LTS", "architecture": "amd64" } } })
}

fn driver_set(at: usize) -> Value {
    let kernel = format!("5.15.0-{}-generic", 100 + at);
    let name = format!("nvidia-driver-daemonset-{kernel}-ubuntu22.04");
    json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "name": name, "namespace": "gpu-operator" },
        "spec": { "selector": { "matchLabels": { "app": "nvidia-driver-daemonset" } }, "template": { "spec": {
            "nodeSelector": { "feature.node.kubernetes.io/kernel-version.full": kernel, "nvidia.com/gpu.deploy.driver": "true" },
            "containers": [{ "name": "nvidia-driver-ctr", "image": format!("nvcr.io/nvidia/driver:535-{kernel}-ubuntu22.04") }] } } } })
}

fn driver_pod(at: usize) -> Value {
    let kernel = format!("5.15.0-{}-generic", 100 + at % COMBINATIONS);
    let image = format!("nvcr.io/nvidia/driver:535-{kernel}-ubuntu22.04");
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": format!("driver-{at}"), "namespace": "gpu-operator", "ownerReferences": [
            { "kind": "DaemonSet", "name": format!("nvidia-driver-daemonset-{kernel}-ubuntu22.04"), "controller": true }] },
        "spec": { "nodeName": format!("gpu-{at:04}"), "containers": [{ "name": "nvidia-driver-ctr", "image": image }] },
        "status": { "phase": "Running", "containerStatuses": [
            { "name": "nvidia-driver-ctr", "image": image, "ready": true, "state": { "running": {} } }] } })
}

/// A pod of another operand, as small as one can be.
fn other_pod(at: usize) -> Value {
    let (node, operand) = (at % NODES, at / NODES);
    let name = format!("operand-{operand}");
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": format!("{name}-{node}"), "namespace": "gpu-operator", "labels": { "app": name },
            "ownerReferences": [{ "kind": "DaemonSet", "name": name, "controller": true }] },
        "spec": { "nodeName": format!("gpu-{node:04}"), "containers": [{ "name": "main", "image": "registry.example/operand:1" }] },
        "status": { "phase": "Running", "containerStatuses": [
            { "name": "main", "image": "registry.example/operand:1", "ready": true, "state": { "running": {} } }] } })
}

#[test]
fn five_thousand_nodes_ask_twelve_questions_and_cost_little_beside_reading_them() {
    let mut items: Vec<_> = (0..NODES).map(node).collect();
    items.extend((0..COMBINATIONS).map(driver_set));
    items.extend((0..NODES).map(driver_pod));
    items.extend((0..OTHER_PODS).map(other_pod));
    let driver = json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": "535", "usePrecompiled": true });
    items.push(json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy",
        "metadata": { "name": "cluster-policy", "labels": { "app.kubernetes.io/version": "v24.9.2" } },
        "spec": { "driver": driver } }));
    let text = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
    let (cluster, parsed) = quickest(|| piped(&text).unwrap());
    let (lines, answered) = quickest(|| {
        let needs =
            drivertag::needs(&cluster, &Scope::default(), None, &WhatIf::default()).unwrap();
        assert_eq!(needs.questions().len(), COMBINATIONS);
        let report = drivertag::judge(needs, Stock::default());
        assert_eq!(report.findings(), []);
        report.lines()
    });
    assert_eq!(lines.len(), NODES);
    let share = answered.as_secs_f64() / parsed.as_secs_f64();
    println!(
        "reading {parsed:?}, answering {answered:?}: {:.1} % of it",
        share * 100.0
    );
    // Loose, because tests are built without optimisation and other programs run beside them.
    assert!(share < 0.5, "answering costs {share:.2} of reading");
}

/// The quickest of some runs, since whatever runs beside them only adds.
fn quickest<T>(run: impl Fn() -> T) -> (T, Duration) {
    let timed = || {
        let start = Instant::now();
        let done = run();
        (done, start.elapsed())
    };
    let runs = (0..3).map(|_| timed());
    runs.min_by_key(|it| it.1).expect("three runs")
}
