//! What is in a cluster beside the operator: other DaemonSets, Deployments, workloads, quotas, events.

use serde_json::{Value, json};

use super::node::Node;
use super::object::{INSTALLED, NOW, at, suffix, uid};
use super::pod;
use super::set::Set;

/// A DaemonSet that is nobody's operand.
pub(crate) fn foreign_set(namespace: &str, name: &str, image: &str) -> Set {
    Set::plain(namespace, name, image)
}

/// A Deployment and its one pod.
pub(crate) fn deployment_with_pods(
    namespace: &str,
    name: &str,
    labels: &Value,
    image: &str,
    on: &str,
) -> Vec<Value> {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": name, "namespace": namespace, "uid": uid(&format!("{namespace}/{name}")), "creationTimestamp": INSTALLED, "labels": labels },
        "spec": { "replicas": 1, "selector": { "matchLabels": labels }, "template": {
            "metadata": { "labels": labels }, "spec": { "containers": [{ "name": name.rsplit('-').next(), "image": image }] } } },
        "status": { "replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "conditions": [{
            "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastTransitionTime": INSTALLED }] },
    });
    let pod = pod::of_replica_set(&deployment, on);
    vec![deployment, pod]
}

/// A Running pod that asks for GPUs.
pub(crate) fn workload(namespace: &str, name: &str, node: &str, resource: &str) -> Value {
    let owner = json!({ "metadata": { "name": name, "namespace": namespace }, "spec": { "template": {
        "metadata": { "labels": { "app": name } },
        "spec": { "containers": [{ "name": "main", "image": "registry.example/train:1", "resources": { "limits": { resource: "1" } } }] } } } });
    pod::of_replica_set(&owner, node)
}

/// A quota that covers one priority class.
pub(crate) fn quota(namespace: &str, name: &str, class: &str, hard: u32, used: u32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": { "name": name, "namespace": namespace, "uid": uid(name), "creationTimestamp": INSTALLED },
        "spec": { "hard": { "pods": hard.to_string() }, "scopeSelector": { "matchExpressions": [
            { "scopeName": "PriorityClass", "operator": "In", "values": [class] }] } },
        "status": { "hard": { "pods": hard.to_string() }, "used": { "pods": used.to_string() } },
    })
}

/// An event about an object.
pub(crate) fn event(kind: &str, namespace: &str, of: &str, reason: &str, message: &str) -> Value {
    let name = format!("{of}.{}", suffix(message));
    json!({
        "apiVersion": "v1", "kind": "Event", "type": "Warning",
        "metadata": { "name": name, "namespace": namespace, "uid": uid(&name), "creationTimestamp": at(10) },
        "involvedObject": { "kind": kind, "namespace": namespace, "name": of },
        "reason": reason, "message": message, "count": 17, "firstTimestamp": at(10), "lastTimestamp": NOW,
    })
}

/// GKE's own device plugin: in kube-system on every cluster, for nodes that do not say no.
pub(crate) fn gke_device_plugin() -> Set {
    let taint = json!({ "operator": "Exists" });
    foreign_set(
        "kube-system",
        "nvidia-gpu-device-plugin",
        "gke.gcr.io/nvidia-gpu-device-plugin@sha256:89ab",
    )
    .tolerates(taint)
    .affine(json!([
        { "key": "cloud.google.com/gke-accelerator", "operator": "Exists" },
        { "key": "gke-no-default-nvidia-gpu-device-plugin", "operator": "DoesNotExist" },
    ]))
}

/// A GPU node that the device plugin chart, or a person, marked.
pub(crate) fn marked_by_hand(node: Node) -> Node {
    node.label("nvidia.com/gpu.present", "true")
}
