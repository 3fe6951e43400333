//! Policies, events, quotas and Deployments.

use serde_json::{Value, json};

use super::at;
use crate::cluster::node::Condition;
use crate::cluster::{Deployment, Event, Kind, Policy, ResourceQuota};
use crate::testing::recorded;

fn policy(object: Value) -> Policy {
    recorded([object]).policies.remove(0)
}

fn event(object: Value) -> Event {
    recorded([object]).events.remove(0)
}

fn quota(object: Value) -> ResourceQuota {
    recorded([object]).quotas.remove(0)
}

fn deployment(object: Value) -> Deployment {
    recorded([object]).deployments.remove(0)
}

/// A ClusterPolicy that Helm made, as `kubectl get clusterpolicy -o json` prints it.
fn whole_policy() -> Value {
    json!({
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {
            "creationTimestamp": "2026-01-05T12:00:00Z",
            "generation": 2,
            "labels": { "app.kubernetes.io/component": "gpu-operator", "app.kubernetes.io/managed-by": "Helm",
                "app.kubernetes.io/version": "v25.3.4", "helm.sh/chart": "gpu-operator-v25.3.4" },
            "name": "cluster-policy",
            "uid": "policy-uid"
        },
        "spec": {
            "daemonsets": { "updateStrategy": "RollingUpdate" },
            "dcgm": { "enabled": false },
            "driver": { "enabled": true, "version": "580.82.07", "repository": "nvcr.io/nvidia", "upgradePolicy": null },
            "sandboxWorkloads": { "defaultWorkload": "container", "enabled": false }
        },
        "status": {
            "conditions": [
                { "lastTransitionTime": "2026-01-05T12:10:00Z", "message": "", "reason": "Error", "status": "False", "type": "Ready" },
                { "lastTransitionTime": "2026-01-05T12:10:01Z", "message": "driver is not ready", "reason": "OperandNotReady",
                  "status": "True", "type": "Error" }
            ],
            "namespace": "gpu-operator",
            "state": "notReady"
        }
    })
}

#[test]
fn a_policy_keeps_its_spec_as_written_and_what_the_operator_said_of_it() {
    let it = policy(whole_policy());
    assert_eq!(
        (it.kind, it.name.as_str()),
        (Kind::ClusterPolicy, "cluster-policy")
    );
    assert_eq!(it.title(), "ClusterPolicy/cluster-policy");
    assert_eq!(it.address(), "clusterpolicy/cluster-policy");
    assert_eq!(it.labels["helm.sh/chart"], "gpu-operator-v25.3.4");
    assert_eq!(it.created, at("2026-01-05T12:00:00Z"));
    assert_eq!(it.state, "notReady");
    assert_eq!(it.namespace.as_deref(), Some("gpu-operator"));
    let error = Condition {
        reason: "OperandNotReady".into(),
        message: "driver is not ready".into(),
        since: at("2026-01-05T12:10:01Z"),
    };
    assert_eq!(it.errors, [("Error".to_owned(), error)]);
}

#[test]
fn a_policy_is_asked_by_dotted_path_and_type() {
    let it = policy(whole_policy());
    for (path, want) in [
        ("driver.enabled", Some(true)),
        ("dcgm.enabled", Some(false)),
        ("toolkit.enabled", None),
        ("driver", None),
        ("driver.version", None),
        ("driver.upgradePolicy", None),
        ("driver.upgradePolicy.autoUpgrade", None),
        ("driver.version.major", None),
        ("", None),
    ] {
        assert_eq!(it.flag(path), want, "{path}");
    }
    assert_eq!(it.text("driver.version"), Some("580.82.07"));
    assert_eq!(it.text("driver.enabled"), None);
    assert!(it.at("driver.upgradePolicy").is_none(), "null is nothing");
    assert!(it.at("sandboxWorkloads").is_some_and(Value::is_object));
}

#[test]
fn a_policy_without_spec_or_status_says_nothing() {
    for kind in [Kind::ClusterPolicy, Kind::NvidiaDriver, Kind::GpuCluster] {
        let row = kind.row();
        let it = policy(
            json!({ "apiVersion": format!("{}/{}", row.group, row.version), "kind": row.name,
            "metadata": { "name": "a" }, "spec": null, "status": null }),
        );
        assert_eq!((it.kind, it.state.as_str()), (kind, ""));
        assert!(
            it.errors.is_empty() && it.namespace.is_none() && it.flag("driver.enabled").is_none()
        );
        assert_eq!(it.title(), format!("{}/a", row.name));
    }
}

#[test]
fn only_conditions_that_hold_are_errors() {
    let it = policy(
        json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": "a" },
        "status": { "state": "ready", "conditions": [
            { "type": "Ready", "status": "True", "reason": "Reconciled" },
            { "type": "Error", "status": "False", "reason": "Ready" },
            { "type": "Stuck", "status": "Unknown" }] } }),
    );
    assert!(it.errors.is_empty());
}

#[test]
fn an_event_of_the_core_api_is_read() {
    let it = event(json!({
        "apiVersion": "v1",
        "kind": "Event",
        "count": 14,
        "eventTime": null,
        "firstTimestamp": "2026-03-02T08:00:00Z",
        "involvedObject": { "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "nvidia-driver-daemonset",
            "namespace": "gpu-operator", "uid": "driver-uid" },
        "lastTimestamp": "2026-03-02T09:00:00Z",
        "message": "Error creating: pods \"nvidia-driver-daemonset-\" is forbidden: exceeded quota",
        "metadata": { "creationTimestamp": "2026-03-02T08:00:00Z", "name": "nvidia-driver-daemonset.17a", "namespace": "gpu-operator" },
        "reason": "FailedCreate",
        "reportingComponent": "daemonset-controller",
        "source": { "component": "daemonset-controller" },
        "type": "Warning"
    }));
    assert_eq!(
        (it.kind.as_str(), it.namespace.as_str(), it.name.as_str()),
        ("DaemonSet", "gpu-operator", "nvidia-driver-daemonset")
    );
    assert_eq!((it.reason.as_str(), it.count), ("FailedCreate", 14));
    assert!(it.message.ends_with("exceeded quota"));
    assert_eq!(it.at, at("2026-03-02T09:00:00Z"));
}

#[test]
fn an_event_of_the_newer_api_is_read_by_its_own_names() {
    let it = event(json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "action": "Scheduling",
        "deprecatedCount": 3,
        "deprecatedFirstTimestamp": "2026-03-02T08:00:00Z",
        "deprecatedLastTimestamp": "2026-03-02T08:30:00Z",
        "deprecatedSource": {},
        "eventTime": null,
        "metadata": { "creationTimestamp": "2026-03-02T08:00:00Z", "name": "a.17b", "namespace": "gpu-operator" },
        "note": "0/3 nodes are available",
        "reason": "FailedScheduling",
        "regarding": { "kind": "Pod", "name": "a", "namespace": "gpu-operator" },
        "reportingController": "default-scheduler",
        "type": "Warning"
    }));
    assert_eq!((it.kind.as_str(), it.name.as_str()), ("Pod", "a"));
    assert_eq!(
        (it.message.as_str(), it.count),
        ("0/3 nodes are available", 3)
    );
    assert_eq!(it.at, at("2026-03-02T08:30:00Z"));
}

#[test]
fn an_event_happened_when_it_was_last_seen() {
    let with = |more: Value| {
        let mut object = json!({ "apiVersion": "v1", "kind": "Event",
            "metadata": { "name": "a", "namespace": "b", "creationTimestamp": "2026-03-02T08:00:00Z" } });
        let fields = more.as_object().unwrap().clone();
        object.as_object_mut().unwrap().extend(fields);
        event(object)
    };
    for (more, want, count) in [
        (json!({}), "2026-03-02T08:00:00Z", 1),
        (
            json!({ "count": null, "series": null }),
            "2026-03-02T08:00:00Z",
            1,
        ),
        (
            json!({ "eventTime": "2026-03-02T08:05:00.123456Z" }),
            "2026-03-02T08:05:00.123456Z",
            1,
        ),
        (
            json!({ "eventTime": "2026-03-02T08:05:00.123456Z", "lastTimestamp": "2026-03-02T08:06:00Z", "count": 2 }),
            "2026-03-02T08:06:00Z",
            2,
        ),
        // What the scheduler repeats, it counts in a series.
        (
            json!({ "eventTime": "2026-03-02T08:05:00.123456Z", "lastTimestamp": null,
                "series": { "count": 9, "lastObservedTime": "2026-03-02T08:45:00.5Z" } }),
            "2026-03-02T08:45:00.5Z",
            9,
        ),
    ] {
        let it = with(more);
        assert_eq!((it.at, it.count), (at(want), count));
    }
}

#[test]
fn a_quota_keeps_limits_use_and_the_priority_classes_it_is_for() {
    let it = quota(json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": { "name": "gpu-operator-quota", "namespace": "gpu-operator" },
        "spec": {
            "hard": { "pods": 100, "requests.cpu": "4" },
            "scopeSelector": { "matchExpressions": [
                { "operator": "In", "scopeName": "PriorityClass", "values": ["system-node-critical", "system-cluster-critical"] },
                { "operator": "Exists", "scopeName": "NotTerminating" }
            ] }
        },
        "status": { "hard": { "pods": "100", "requests.cpu": "4" }, "used": { "pods": "98" } }
    }));
    assert_eq!(
        (it.namespace.as_str(), it.name.as_str()),
        ("gpu-operator", "gpu-operator-quota")
    );
    assert_eq!(
        it.priority_classes,
        ["system-node-critical", "system-cluster-critical"]
    );
    let limit =
        |name: &str, hard: &str, used: &str| (name.to_owned(), hard.to_owned(), used.to_owned());
    assert_eq!(
        it.limits,
        [limit("pods", "100", "98"), limit("requests.cpu", "4", "")]
    );
}

#[test]
fn a_quota_without_scope_is_for_every_class() {
    let it = quota(
        json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "hard": null, "scopeSelector": null }, "status": null }),
    );
    assert!(it.priority_classes.is_empty() && it.limits.is_empty());
}

/// The operator's own Deployment, as Helm makes it.
fn operator(conditions: Value, available: Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "gpu-operator", "namespace": "gpu-operator",
            "labels": { "app": "gpu-operator", "app.kubernetes.io/component": "gpu-operator", "app.kubernetes.io/version": "v25.3.4" } },
        "spec": { "replicas": 2, "template": { "spec": { "containers": [
            { "name": "gpu-operator", "image": "nvcr.io/nvidia/gpu-operator:v25.3.4" }] } } },
        "status": { "availableReplicas": available, "conditions": conditions, "replicas": 2 }
    })
}

#[test]
fn a_deployment_keeps_how_many_of_its_pods_there_are_and_which_image_they_run() {
    let it = deployment(operator(json!([]), json!(1)));
    assert_eq!((it.replicas, it.available), (2, 1));
    assert_eq!(it.images, ["nvcr.io/nvidia/gpu-operator:v25.3.4"]);
    assert_eq!(it.labels["app.kubernetes.io/version"], "v25.3.4");
    assert!(it.trouble.is_none());
    let bare = deployment(json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "a", "namespace": "b" }, "spec": { "replicas": null }, "status": { "availableReplicas": null } }));
    assert_eq!((bare.replicas, bare.available), (1, 0));
}

#[test]
fn the_trouble_of_a_deployment_is_the_condition_that_says_most() {
    let condition = |kind: &str, status: &str| json!({ "type": kind, "status": status, "reason": format!("{kind}Reason"), "message": "m" });
    let lacking = condition("Available", "False");
    let failing = condition("ReplicaFailure", "True");
    for (conditions, want) in [
        (json!([]), None),
        (
            json!([
                condition("Available", "True"),
                condition("Progressing", "True")
            ]),
            None,
        ),
        (json!([condition("ReplicaFailure", "False")]), None),
        (json!([lacking]), Some("AvailableReason")),
        (json!([lacking, failing]), Some("ReplicaFailureReason")),
        (json!([failing, lacking]), Some("ReplicaFailureReason")),
    ] {
        let it = deployment(operator(conditions.clone(), json!(0)));
        let reason = it.trouble.map(|it| it.reason);
        assert_eq!(reason.as_deref(), want, "{conditions}");
    }
}

#[test]
fn the_operator_is_known_by_its_labels() {
    let labelled = |labels: Value| {
        deployment(json!({ "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": "gpu-operator", "namespace": "x", "labels": labels } }))
    };
    for (labels, want) in [
        (json!({ "app": "gpu-operator" }), true),
        (
            json!({ "app.kubernetes.io/component": "gpu-operator" }),
            true,
        ),
        (json!({ "app": "node-feature-discovery" }), false),
        (json!({ "app.kubernetes.io/name": "gpu-operator" }), false),
        (json!(null), false),
    ] {
        assert_eq!(labelled(labels.clone()).is_gpu_operator(), want, "{labels}");
    }
}
