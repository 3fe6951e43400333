//! Nodes.

use serde_json::{Value, json};

use super::at;
use crate::cluster::node::{Condition, GpuResource, Taint};
use crate::cluster::{Node, Readiness};
use crate::testing::recorded;

fn read(object: Value) -> Node {
    recorded([object]).nodes.remove(0)
}

/// A node, as `kubectl get node -o json` prints one of a cloud's GPU machines.
fn whole() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": { "nvidia.com/gpu-driver-upgrade-enabled": "true" },
            "creationTimestamp": "2026-03-02T08:15:00Z",
            "labels": {
                "feature.node.kubernetes.io/pci-10de.present": "true",
                "kubernetes.io/hostname": "gpu-1",
                "nvidia.com/gpu.deploy.driver": "pre-installed",
                "nvidia.com/gpu.present": "true"
            },
            "name": "gpu-1",
            "resourceVersion": "4711",
            "uid": "2d8a2c3e-1111-4222-8333-444455556666"
        },
        "spec": {
            "podCIDR": "10.244.1.0/24",
            "providerID": "aws:///eu-west-1a/i-0abc",
            "taints": [
                { "effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present" },
                { "effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": "2026-03-02T09:00:00Z" }
            ],
            "unschedulable": true
        },
        "status": {
            "addresses": [{ "address": "10.0.0.7", "type": "InternalIP" }],
            "allocatable": { "cpu": "15890m", "memory": "64Gi", "nvidia.com/gpu": "7", "pods": "110" },
            "capacity": { "cpu": "16", "memory": "66Gi", "nvidia.com/gpu": "8", "nvidia.com/mig-1g.5gb": "0", "pods": "110" },
            "conditions": [
                {
                    "lastHeartbeatTime": "2026-03-02T09:10:11Z",
                    "lastTransitionTime": "2026-03-02T08:15:30Z",
                    "message": "kubelet has sufficient memory available",
                    "reason": "KubeletHasSufficientMemory",
                    "status": "False",
                    "type": "MemoryPressure"
                },
                {
                    "lastHeartbeatTime": "2026-03-02T09:10:12Z",
                    "lastTransitionTime": "2026-03-02T08:16:00Z",
                    "message": "kubelet is posting ready status",
                    "reason": "KubeletReady",
                    "status": "True",
                    "type": "Ready"
                }
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "containerRuntimeVersion": "containerd://1.7.22",
                "kernelVersion": "5.15.0-1066-aws+",
                "kubeletVersion": "v1.31.2",
                "osImage": "Ubuntu 22.04.5 LTS"
            }
        }
    })
}

#[test]
fn every_field_that_somebody_reads_is_kept() {
    let node = read(whole());
    assert_eq!(node.name, "gpu-1");
    assert_eq!(node.labels.len(), 4);
    assert_eq!(
        node.label("nvidia.com/gpu.deploy.driver"),
        Some("pre-installed")
    );
    assert_eq!(node.created, at("2026-03-02T08:15:00Z"));
    assert!(node.unschedulable);
    assert_eq!(node.kernel, "5.15.0-1066-aws+");
    assert_eq!(node.os_image, "Ubuntu 22.04.5 LTS");
    assert_eq!(node.architecture, "amd64");
    assert_eq!(node.runtime, "containerd://1.7.22");
    assert_eq!(node.readiness, Readiness::Ready);
    let taint = |key: &str, value: &str| Taint {
        key: key.into(),
        value: value.into(),
        effect: "NoSchedule".into(),
    };
    assert_eq!(
        node.taints,
        [
            taint("nvidia.com/gpu", "present"),
            taint("node.kubernetes.io/unschedulable", "")
        ]
    );
}

#[test]
fn gpus_are_counted_by_name_and_nothing_else_is() {
    let resource = |name: &str, capacity, allocatable| GpuResource {
        name: name.into(),
        capacity,
        allocatable,
    };
    assert_eq!(
        read(whole()).gpu_resources,
        [
            resource("nvidia.com/gpu", 8, 7),
            resource("nvidia.com/mig-1g.5gb", 0, 0)
        ]
    );
    let odd = read(
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" },
        "status": { "capacity": { "nvidia.com/gpu": 4, "nvidia.com/gpu.shared": "many", "amd.com/gpu": "2" } } }),
    );
    assert_eq!(
        odd.gpu_resources,
        [
            resource("nvidia.com/gpu", 4, 0),
            resource("nvidia.com/gpu.shared", 0, 0)
        ]
    );
}

#[test]
fn a_node_is_as_ready_as_its_condition_says() {
    let condition = |reason: &str| Condition {
        reason: reason.into(),
        message: "said so".into(),
        since: at("2026-03-02T08:16:00Z"),
    };
    for (status, reason, want) in [
        ("True", "KubeletReady", Readiness::Ready),
        (
            "False",
            "KubeletNotReady",
            Readiness::NotReady(condition("KubeletNotReady")),
        ),
        (
            "Unknown",
            "NodeStatusUnknown",
            Readiness::Unknown(condition("NodeStatusUnknown")),
        ),
        ("Maybe", "Odd", Readiness::Unknown(condition("Odd"))),
    ] {
        let node = read(
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Ready", "status": status, "reason": reason,
                "message": "said so", "lastTransitionTime": "2026-03-02T08:16:00Z" }] } }),
        );
        assert_eq!(node.readiness, want);
        assert_eq!(node.is_unreachable(), status != "True");
    }
}

#[test]
fn a_node_without_that_condition_is_not_called_unreachable() {
    for conditions in [
        json!(null),
        json!([]),
        json!([{ "type": "DiskPressure", "status": "Unknown" }]),
    ] {
        let node = read(
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" },
            "status": { "conditions": conditions } }),
        );
        assert_eq!(node.readiness, Readiness::Unsaid);
        assert!(!node.is_unreachable());
    }
}

#[test]
fn a_node_of_which_only_the_name_is_written_is_read() {
    for object in [
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" } }),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a", "labels": null },
            "spec": null, "status": null }),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" },
            "spec": { "taints": null, "unschedulable": null },
            "status": { "capacity": null, "allocatable": null, "nodeInfo": null } }),
    ] {
        let node = read(object);
        assert_eq!(node.name, "a");
        assert!(node.labels.is_empty() && node.taints.is_empty() && !node.unschedulable);
        assert!(node.gpu_resources.is_empty() && node.kernel.is_empty());
        assert_eq!(node.created, None);
    }
}

#[test]
fn values_that_tools_rewrote_are_read_as_the_text_they_were() {
    let node = read(json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": "a", "labels": { "nvidia.com/gpu.present": true, "nvidia.com/gpu.count": 8,
            "nvidia.com/cuda.runtime-version.full": 12.5, "below": -1, "empty": null } },
        "spec": { "taints": [{ "key": "dedicated", "value": true, "effect": "NoExecute" }] } }));
    for (key, want) in [
        ("nvidia.com/gpu.present", "true"),
        ("nvidia.com/gpu.count", "8"),
        ("nvidia.com/cuda.runtime-version.full", "12.5"),
        ("below", "-1"),
        ("empty", ""),
    ] {
        assert_eq!(node.label(key), Some(want), "{key}");
    }
    assert_eq!(node.taints[0].to_string(), "dedicated=true:NoExecute");
}

#[test]
fn a_time_that_is_none_is_left_out() {
    let node = read(json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": "a", "creationTimestamp": "yesterday" } }));
    assert_eq!(node.created, None);
}
