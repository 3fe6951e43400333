//! Where the operator put its operands: the first that tells.

use crate::facts::operands::by_daemon_set;
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::testing::take;

fn policy(api_version: &str, kind: &str, namespace: Value) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "a" }, "status": { "namespace": namespace } })
}

fn cluster_policy(namespace: &str) -> Value {
    policy("nvidia.com/v1", "ClusterPolicy", json!(namespace))
}

fn operator(namespace: &str) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "gpu-operator", "namespace": namespace, "labels": { "app": "gpu-operator" } } })
}

fn daemon_set(namespace: &str, name: &str) -> Value {
    let selector = by_daemon_set(name).map(|id| json!({ id.row().label: "true" }));
    json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": name, "namespace": namespace },
        "spec": { "template": { "spec": { "nodeSelector": selector } } } })
}

fn found(asked: Option<&str>, objects: Vec<Value>) -> Option<String> {
    let mut cluster = Cluster {
        asked_namespace: asked.map(str::to_owned),
        ..Cluster::default()
    };
    take(&mut cluster, objects);
    cluster.namespace
}

#[test]
fn each_source_is_asked_only_when_those_before_it_are_silent() {
    let driver = || policy("nvidia.com/v1alpha1", "NVIDIADriver", json!("by-driver"));
    let gpu_cluster = || policy("nvidia.com/v1alpha1", "GPUCluster", json!("by-gpu-cluster"));
    let set = || daemon_set("by-daemon-set", "nvidia-dcgm");
    let all = || {
        vec![
            set(),
            operator("by-deployment"),
            driver(),
            gpu_cluster(),
            cluster_policy("by-policy"),
        ]
    };
    assert_eq!(found(Some("asked"), all()).as_deref(), Some("asked"));
    let mut left = all();
    for want in [
        "by-policy",
        "by-gpu-cluster",
        "by-driver",
        "by-deployment",
        "by-daemon-set",
    ] {
        assert_eq!(found(None, left.clone()).as_deref(), Some(want));
        left.pop();
    }
    assert_eq!(found(None, left), None);
}

#[test]
fn a_policy_that_says_nothing_is_passed_over() {
    for silent in [json!(null), json!("")] {
        let objects = vec![
            policy("nvidia.com/v1", "ClusterPolicy", silent),
            operator("gpu-operator"),
        ];
        assert_eq!(found(None, objects).as_deref(), Some("gpu-operator"));
    }
}

#[test]
fn the_namespace_with_most_operands_wins_and_the_first_by_name_if_even() {
    for (sets, want) in [
        (
            vec![
                ("a", "nvidia-dcgm"),
                ("b", "nvidia-dcgm"),
                ("b", "nvidia-dcgm-exporter"),
            ],
            Some("b"),
        ),
        (vec![("b", "nvidia-dcgm"), ("a", "nvidia-dcgm")], Some("a")),
        // Neighbours count for nothing.
        (
            vec![
                ("a", "kube-proxy"),
                ("a", "calico-node"),
                ("b", "nvidia-dcgm"),
            ],
            Some("b"),
        ),
        (vec![("kube-system", "nvidia-gpu-device-plugin")], None),
        (vec![], None),
    ] {
        let objects = sets
            .iter()
            .map(|(namespace, name)| daemon_set(namespace, name))
            .collect();
        assert_eq!(found(None, objects).as_deref(), want, "{sets:?}");
    }
}

#[test]
fn another_deployment_tells_nothing() {
    let other = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "gpu-operator-node-feature-discovery-master", "namespace": "a", "labels": { "app.kubernetes.io/name": "node-feature-discovery" } } });
    assert_eq!(found(None, vec![other]), None);
}
