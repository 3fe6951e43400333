//! What `settle` does with what was read in any order and more than once.

use serde_json::{Value, json};

use super::at;
use crate::cluster::{Cluster, Kind};
use crate::testing::{recorded, take};

fn object(api_version: &str, kind: &str, namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "namespace": namespace } })
}

fn names<T>(items: &[T], name: impl Fn(&T) -> String) -> Vec<String> {
    items.iter().map(name).collect()
}

#[test]
fn everything_is_sorted_by_namespace_and_name() {
    let mut objects = Vec::new();
    for (namespace, name) in [("b", "y"), ("a", "z"), ("b", "x"), ("a", "a")] {
        objects.push(object("v1", "Pod", namespace, name));
        objects.push(object("apps/v1", "DaemonSet", namespace, name));
        objects.push(object("apps/v1", "Deployment", namespace, name));
        objects.push(object("v1", "ResourceQuota", namespace, name));
        objects.push(object("v1", "Node", "", name));
    }
    let it = recorded(objects);
    let sorted = ["a/a", "a/z", "b/x", "b/y"];
    assert_eq!(
        names(&it.pods, |it| format!("{}/{}", it.namespace, it.name)),
        sorted
    );
    assert_eq!(
        names(&it.daemon_sets, |it| format!(
            "{}/{}",
            it.namespace, it.name
        )),
        sorted
    );
    assert_eq!(
        names(&it.deployments, |it| format!(
            "{}/{}",
            it.namespace, it.name
        )),
        sorted
    );
    assert_eq!(
        names(&it.quotas, |it| format!("{}/{}", it.namespace, it.name)),
        sorted
    );
    assert_eq!(names(&it.nodes, |it| it.name.clone()), ["a", "x", "y", "z"]);
}

#[test]
fn of_what_was_read_twice_the_later_one_counts() {
    let pod = |phase: &str| json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "b" }, "status": { "phase": phase } });
    let node = |cordoned: bool| json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" }, "spec": { "unschedulable": cordoned } });
    let mut it = recorded([pod("Pending"), node(true), pod("Running"), node(false)]);
    assert_eq!(names(&it.pods, |it| it.status.clone()), ["Running"]);
    assert_eq!((it.nodes.len(), it.nodes[0].unschedulable), (1, false));
    take(&mut it, [pod("Failed")]);
    assert_eq!(names(&it.pods, |it| it.status.clone()), ["Failed"]);
}

#[test]
fn objects_of_one_name_in_two_namespaces_or_kinds_are_two() {
    let it = recorded([
        object("v1", "Pod", "a", "x"),
        object("v1", "Pod", "b", "x"),
        object("nvidia.com/v1", "ClusterPolicy", "", "x"),
        object("nvidia.com/v1alpha1", "NVIDIADriver", "", "x"),
        object("nvidia.com/v1alpha1", "GPUCluster", "", "x"),
    ]);
    assert_eq!((it.pods.len(), it.policies.len()), (2, 3));
    assert_eq!(it.gpu_cluster().map(|it| it.kind), Some(Kind::GpuCluster));
    assert_eq!(it.nvidia_drivers().count(), 1);
}

#[test]
fn the_oldest_cluster_policy_is_the_one_that_counts() {
    let policy = |name: &str, created: Value| json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": name, "creationTimestamp": created } });
    for (objects, want) in [
        (
            vec![
                policy("young", json!("2026-02-01T00:00:00Z")),
                policy("old", json!("2026-01-01T00:00:00Z")),
            ],
            Some("old"),
        ),
        (
            vec![
                policy("old", json!("2026-01-01T00:00:00Z")),
                policy("young", json!("2026-02-01T00:00:00Z")),
            ],
            Some("old"),
        ),
        // Made in the same second: by name, so that the answer does not depend on the order of reading.
        (
            vec![
                policy("b", json!("2026-01-01T00:00:00Z")),
                policy("a", json!("2026-01-01T00:00:00Z")),
            ],
            Some("a"),
        ),
        (vec![], None),
    ] {
        let it = recorded(objects);
        assert_eq!(it.cluster_policy().map(|it| it.name.as_str()), want);
    }
}

#[test]
fn events_are_sorted_by_time() {
    let event = |reason: &str, time: Value| {
        json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": reason, "namespace": "a" }, "reason": reason,
            "lastTimestamp": time })
    };
    let it = recorded([
        event("Second", json!("2026-03-02T09:00:00Z")),
        event("Third", json!("2026-03-02T09:00:01Z")),
        event("First", json!("2026-03-02T08:00:00Z")),
        event("NoTime", json!(null)),
    ]);
    assert_eq!(
        names(&it.events, |it| it.reason.clone()),
        ["NoTime", "First", "Second", "Third"]
    );
}

#[test]
fn the_newest_time_is_looked_for_wherever_a_time_stands() {
    let newest = |object: Value| recorded([object]).newest;
    let old = "2026-01-01T00:00:00Z";
    let new = "2026-03-02T10:00:00Z";
    for object in [
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a", "creationTimestamp": new } }),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a", "creationTimestamp": old }, "status": {
            "conditions": [{ "type": "DiskPressure", "status": "False", "lastHeartbeatTime": new, "lastTransitionTime": old }] } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "creationTimestamp": old, "deletionTimestamp": new } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "status": { "startTime": new } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": { "containers": [{ "name": "c" }] },
            "status": { "containerStatuses": [{ "name": "c", "state": { "running": { "startedAt": new } } }] } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": { "containers": [{ "name": "c" }] },
            "status": { "containerStatuses": [{ "name": "c", "lastState": { "terminated": { "exitCode": 1, "finishedAt": new } } }] } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": new }] } }),
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "creationTimestamp": new } }),
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Available", "status": "True", "lastTransitionTime": new }] } }),
        json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": "a", "creationTimestamp": new } }),
        json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "a", "creationTimestamp": old }, "lastTimestamp": new }),
    ] {
        assert_eq!(newest(object.clone()), at(new), "{object}");
    }
    assert_eq!(
        newest(json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" } })),
        None
    );
}

#[test]
fn the_newest_time_never_goes_back() {
    let node = |name: &str, time: &str| json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "creationTimestamp": time } });
    let it = recorded([
        node("a", "2026-03-02T10:00:00Z"),
        node("b", "2026-03-02T09:00:00Z"),
    ]);
    assert_eq!(it.newest, at("2026-03-02T10:00:00Z"));
}

#[test]
fn settling_again_changes_nothing() {
    let mut it = recorded([
        object("v1", "Node", "", "gpu-1"),
        object("apps/v1", "DaemonSet", "gpu-operator", "nvidia-dcgm"),
        object("v1", "Pod", "gpu-operator", "nvidia-dcgm-x"),
    ]);
    let text = |it: &Cluster| {
        format!(
            "{:?} {:?} {:?} {:?}",
            it.nodes, it.daemon_sets, it.pods, it.namespace
        )
    };
    let before = text(&it);
    it.settle();
    assert_eq!(text(&it), before);
}
