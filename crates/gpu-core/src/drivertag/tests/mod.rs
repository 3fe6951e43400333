//! The driver images as a whole: small clusters in JSON, and what is said about them.

mod choosing;
mod formats;
mod groups;
mod inventories;
mod nearest;
mod references;
mod rules;
mod stock;
mod tags;
mod wanted;
mod what_if;

use serde_json::{Value, json};

use super::existence::Existence;
use super::{Inventory, Report, Stock, WhatIf, judge, needs};
use crate::answer::Answer;
use crate::cluster::Cluster;
use crate::facts::images::{KERNEL, OS_ID, OS_VERSION};
use crate::standing::Scope;
use crate::testing::recorded;

const DRIVER_LABEL: &str = "nvidia.com/gpu.deploy.driver";

/// A GPU node: name, kernel, and system as `ubuntu 22.04`.
fn gpu_node(name: &str, kernel: &str, os: &str) -> Value {
    let (id, version) = os.split_once(' ').unwrap_or_default();
    let labels = json!({ "nvidia.com/gpu.present": "true", DRIVER_LABEL: "true",
        KERNEL: kernel, OS_ID: id, OS_VERSION: version });
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels },
        "status": { "nodeInfo": { "kernelVersion": kernel, "architecture": "amd64", "osImage": "" } } })
}

/// The same node with other labels; null takes one away.
fn labelled(mut node: Value, labels: &[(&str, Option<&str>)]) -> Value {
    for (key, value) in labels {
        let all = node["metadata"]["labels"].as_object_mut().unwrap();
        match value {
            Some(value) => all.insert((*key).to_owned(), json!(value)),
            None => all.remove(*key),
        };
    }
    node
}

/// A node that reports this of itself.
fn reporting(mut node: Value, kernel: &str, os_image: &str, architecture: &str) -> Value {
    node["status"]["nodeInfo"] =
        json!({ "kernelVersion": kernel, "osImage": os_image, "architecture": architecture });
    node
}

/// A ClusterPolicy of an operator's release (none for an empty text) with this spec.
fn cluster_policy(release: &str, spec: Value) -> Value {
    let labels = match release {
        "" => json!({}),
        it => json!({ "app.kubernetes.io/version": it }),
    };
    json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy",
        "metadata": { "name": "cluster-policy", "labels": labels }, "spec": spec,
        "status": { "state": "ready", "namespace": "gpu-operator" } })
}

/// A ClusterPolicy whose drivers come from nvcr.io.
fn drivers(release: &str, version: &str, precompiled: bool) -> Value {
    let driver = json!({ "enabled": true, "repository": "nvcr.io/nvidia", "image": "driver",
        "version": version, "usePrecompiled": precompiled });
    cluster_policy(release, json!({ "driver": driver }))
}

/// A ClusterPolicy that leaves drivers to NVIDIADrivers.
fn by_nvidia_drivers(release: &str) -> Value {
    cluster_policy(
        release,
        json!({ "driver": { "enabled": true, "useNvidiaDriverCRD": true } }),
    )
}

fn nvidia_driver(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver", "metadata": { "name": name }, "spec": spec })
}

/// A driver DaemonSet that asks for one image on the nodes with these labels.
fn driver_set(name: &str, image: &str, labels: &[(&str, &str)]) -> Value {
    let mut selector = json!({ DRIVER_LABEL: "true" });
    for (key, value) in labels {
        selector[*key] = json!(value);
    }
    let manager = json!({ "name": "k8s-driver-manager", "image": "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.6.10" });
    json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "name": name, "namespace": "gpu-operator", "uid": name,
            "ownerReferences": [{ "kind": "ClusterPolicy", "name": "cluster-policy", "controller": true }] },
        "spec": { "selector": { "matchLabels": { "app": name } }, "template": {
            "metadata": { "labels": { "app": name } },
            "spec": { "nodeSelector": selector, "initContainers": [manager],
                "containers": [{ "name": "nvidia-driver-ctr", "image": image }] } } },
        "status": { "desiredNumberScheduled": 1, "numberReady": 1 } })
}

/// A driver pod of the DaemonSet `nvidia-driver-daemonset`; its container is in this state.
fn driver_pod(node: &str, image: &str, state: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": format!("driver-{node}"), "namespace": "gpu-operator", "ownerReferences": [
            { "kind": "DaemonSet", "name": "nvidia-driver-daemonset", "uid": "nvidia-driver-daemonset", "controller": true }] },
        "spec": { "nodeName": node, "containers": [{ "name": "nvidia-driver-ctr", "image": image }] },
        "status": { "phase": "Running", "containerStatuses": [
            { "name": "nvidia-driver-ctr", "image": image, "restartCount": 3, "state": state }] } })
}

fn inventory(text: &str) -> Inventory {
    let mut inventory = Inventory::default();
    inventory.take(text).unwrap();
    inventory
}

/// The report on a whole cluster, against a list of images (none for an empty text).
fn report<'a>(cluster: &'a Cluster, list: &str, what_if: &WhatIf) -> Report<'a> {
    let needs = needs(cluster, &Scope::default(), None, what_if).unwrap();
    let stock = Stock {
        inventory: (!list.is_empty()).then(|| inventory(list)),
        ..Stock::default()
    };
    judge(needs, stock)
}

/// The report where a registry gives the same answer to every question.
fn answered<'a>(cluster: &'a Cluster, answer: &Existence) -> Report<'a> {
    let needs = needs(cluster, &Scope::default(), None, &WhatIf::default()).unwrap();
    let answers = needs.questions().iter().map(|_| answer.clone()).collect();
    judge(
        needs,
        Stock {
            answers,
            ..Stock::default()
        },
    )
}

/// What is said: the lines, the findings with their causes, the gaps.
fn said(report: &Report<'_>) -> String {
    let mut lines = report.lines();
    for it in report.findings() {
        lines.push(format!(
            "{} {}: {}",
            it.severity.name(),
            it.rule,
            it.message
        ));
        lines.push(format!("  because {}", it.cause));
        lines.push(format!("  fix {}", it.fix));
    }
    let gap = |it: &crate::answer::Gap| format!("gap {}: {}; {}", it.what, it.why, it.effect);
    lines.extend(report.gaps().iter().map(gap));
    lines.iter().map(|it| it.clone() + "\n").collect()
}

/// What is said about these objects as they are.
fn tell(objects: impl IntoIterator<Item = Value>, list: &str) -> String {
    let cluster = recorded(objects);
    said(&report(&cluster, list, &WhatIf::default()))
}

/// The lines alone.
fn lines(objects: impl IntoIterator<Item = Value>, list: &str) -> Vec<String> {
    let cluster = recorded(objects);
    report(&cluster, list, &WhatIf::default()).lines()
}
