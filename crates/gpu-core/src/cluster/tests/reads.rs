//! What is read in which round.

use crate::facts::operands::by_daemon_set;
use serde_json::{Value, json};

use crate::cluster::reads::{first_round, second_round};
use crate::cluster::{Cluster, Coverage, DaemonSet, Kind, Read};
use crate::testing::{recorded, take};

/// A list, in the words of kubectl.
fn in_words(read: &Read) -> String {
    let mut words = vec![read.kind.row().plural.to_owned()];
    words.extend(read.namespace.as_ref().map(|it| format!("-n {it}")));
    words.extend((!read.labels.is_empty()).then(|| format!("-l {}", read.labels)));
    words.extend((!read.fields.is_empty()).then(|| format!("--field-selector {}", read.fields)));
    words.join(" ")
}

fn words(reads: &[Read]) -> Vec<String> {
    reads.iter().map(in_words).collect()
}

fn set(namespace: &str, name: &str, image: &str) -> Value {
    let selector = by_daemon_set(name).map(|id| json!({ id.row().label: "true" }));
    json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": name, "namespace": namespace },
        "spec": { "selector": { "matchLabels": { "k8s-app": name } },
            "template": { "metadata": { "labels": { "k8s-app": name } },
                "spec": { "nodeSelector": selector, "containers": [{ "name": "c", "image": image }] } } } })
}

fn operand(namespace: &str) -> Value {
    set(
        namespace,
        "nvidia-dcgm",
        "nvcr.io/nvidia/cloud-native/dcgm:4.2.3-1-ubuntu22.04",
    )
}

fn nfd(namespace: &str) -> Value {
    set(
        namespace,
        "gpu-operator-node-feature-discovery-worker",
        "registry.k8s.io/nfd/node-feature-discovery:v0.17.3",
    )
}

/// GKE's own plugin for NVIDIA GPUs.
fn gke() -> Value {
    set(
        "kube-system",
        "nvidia-gpu-device-plugin",
        "gke.gcr.io/nvidia-gpu-device-plugin:v1.2",
    )
}

fn check_second(asked: Option<&str>, objects: Vec<Value>, want: &[&str]) {
    let mut cluster = Cluster {
        asked_namespace: asked.map(str::to_owned),
        ..Cluster::default()
    };
    take(&mut cluster, objects);
    assert_eq!(words(&second_round(&cluster)), want);
}

#[test]
fn the_first_round_looks_everywhere_and_reads_no_pod() {
    assert_eq!(
        words(&first_round(None)),
        [
            "nodes",
            "daemonsets",
            "clusterpolicies",
            "nvidiadrivers",
            "gpuclusters"
        ]
    );
}

#[test]
fn with_a_namespace_named_its_pods_come_in_the_first_round() {
    let all = first_round(Some("gpu-operator"));
    assert_eq!(words(&all)[5..], ["pods -n gpu-operator"]);
    assert_eq!(all.len(), 6);
}

#[test]
fn pods_are_read_where_operands_are() {
    check_second(
        None,
        vec![operand("gpu-operator")],
        &["pods -n gpu-operator"],
    );
    check_second(None, vec![], &[]);
}

#[test]
fn pods_that_the_first_round_brought_are_not_read_again() {
    check_second(Some("gpu-operator"), vec![operand("gpu-operator")], &[]);
    check_second(Some("gpu-operator"), vec![], &[]);
}

#[test]
fn nfd_in_a_namespace_of_its_own_is_read_too() {
    let objects = vec![operand("gpu-operator"), nfd("node-feature-discovery")];
    check_second(
        None,
        objects.clone(),
        &["pods -n gpu-operator", "pods -n node-feature-discovery"],
    );
    check_second(
        Some("gpu-operator"),
        objects,
        &["pods -n node-feature-discovery"],
    );
    check_second(
        None,
        vec![operand("gpu-operator"), nfd("gpu-operator")],
        &["pods -n gpu-operator"],
    );
}

#[test]
fn of_a_foreign_device_plugin_only_its_own_pods_are_read() {
    let want = [
        "pods -n gpu-operator",
        "pods -n kube-system -l k8s-app in (nvidia-gpu-device-plugin)",
    ];
    check_second(None, vec![operand("gpu-operator"), gke()], &want);
    check_second(
        Some("gpu-operator"),
        vec![operand("gpu-operator"), gke()],
        &want[1..],
    );
}

#[test]
fn a_foreign_device_plugin_in_a_namespace_that_is_read_anyway_costs_nothing() {
    let beside = set(
        "gpu-operator",
        "nvdp-nvidia-device-plugin",
        "nvcr.io/nvidia/k8s-device-plugin:v0.17.4",
    );
    check_second(
        None,
        vec![operand("gpu-operator"), beside.clone()],
        &["pods -n gpu-operator"],
    );
    check_second(
        None,
        vec![operand("gpu-operator"), beside.clone(), beside],
        &["pods -n gpu-operator"],
    );
}

#[test]
fn pods_that_cannot_be_asked_for_are_not_asked_for() {
    let mut odd = gke();
    odd["spec"]["selector"] = json!({ "matchExpressions": [{ "key": "a", "operator": "Sounds" }] });
    check_second(
        None,
        vec![operand("gpu-operator"), odd],
        &["pods -n gpu-operator"],
    );
}

#[test]
fn the_namespace_that_a_policy_names_is_read_even_when_empty() {
    let policy = json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": "a" },
        "status": { "namespace": "gpu-operator" } });
    check_second(None, vec![policy], &["pods -n gpu-operator"]);
}

#[test]
fn where_daemon_sets_of_all_namespaces_are_forbidden_those_of_the_named_one_are_asked_for() {
    let forbidden = || Coverage::Unseen("daemonsets.apps is forbidden".into());
    let mut cluster = Cluster {
        asked_namespace: Some("gpu-operator".into()),
        ..Cluster::default()
    };
    cluster.note(Kind::DaemonSet, forbidden());
    cluster.settle();
    assert_eq!(
        words(&second_round(&cluster)),
        ["daemonsets -n gpu-operator"]
    );
    // Without a name there is no namespace to ask for.
    let mut cluster = Cluster::default();
    cluster.note(Kind::DaemonSet, forbidden());
    cluster.settle();
    assert_eq!(words(&second_round(&cluster)), [""; 0]);
}

#[test]
fn reads_are_narrowed_one_after_the_other() {
    let read = Read::within(Kind::Event, "gpu-operator")
        .fields("type=Warning")
        .labelled("app=x");
    assert_eq!(
        in_words(&read),
        "events -n gpu-operator -l app=x --field-selector type=Warning"
    );
    assert_eq!(in_words(&Read::all(Kind::Node)), "nodes");
}

fn daemon_set(object: Value) -> DaemonSet {
    recorded([object]).daemon_sets.remove(0)
}

#[test]
fn nfds_worker_is_known_in_every_install() {
    let labelled = |name: &str, labels: Value| {
        let mut object = set("nfd", name, "registry.example/nfd:1");
        object["spec"]["template"]["metadata"]["labels"] = labels;
        daemon_set(object)
    };
    for (name, labels, want) in [
        // The operator's Helm chart, AICR's override, OpenShift's operator, kustomize.
        (
            "gpu-operator-node-feature-discovery-worker",
            json!({}),
            true,
        ),
        ("node-feature-discovery-worker", json!({}), true),
        ("nfd-worker", json!({ "app": "nfd-worker" }), true),
        ("renamed", json!({ "app": "nfd-worker" }), true),
        (
            "renamed",
            json!({ "app.kubernetes.io/name": "node-feature-discovery", "role": "worker" }),
            true,
        ),
        (
            "renamed",
            json!({ "app.kubernetes.io/name": "node-feature-discovery", "app.kubernetes.io/component": "worker" }),
            true,
        ),
        (
            "renamed",
            json!({ "app.kubernetes.io/name": "node-feature-discovery" }),
            false,
        ),
        (
            "renamed",
            json!({ "app.kubernetes.io/name": "node-feature-discovery", "role": "topology-updater" }),
            false,
        ),
        ("renamed", json!({ "role": "worker" }), false),
        (
            "gpu-operator-node-feature-discovery-master",
            json!({}),
            false,
        ),
        (
            "gpu-feature-discovery",
            json!({ "app": "gpu-feature-discovery" }),
            false,
        ),
        ("my-worker", json!({}), false),
    ] {
        assert_eq!(
            labelled(name, labels.clone()).is_nfd_worker(),
            want,
            "{name} {labels}"
        );
    }
}

/// Is this DaemonSet in kube-system a device plugin beside that of an operator elsewhere?
fn check_foreign(name: &str, image: &str, want: bool) {
    let cluster = recorded([operand("a"), set("kube-system", name, image), nfd("a")]);
    let found = cluster.daemon_sets.iter().find(|it| it.name == name);
    let found = found.unwrap().is_foreign_device_plugin();
    assert_eq!(found, want, "{name} {image}");
}

#[test]
fn a_foreign_device_plugin_is_one_for_nvidia_that_is_not_the_operators() {
    let upstream = "nvcr.io/nvidia/k8s-device-plugin:v0.17.4";
    let gke = "gke.gcr.io/nvidia-gpu-device-plugin@sha256:0";
    check_foreign("nvidia-gpu-device-plugin", gke, true);
    check_foreign("nvidia-gpu-device-plugin-large-cos", gke, true);
    check_foreign("nvidia-device-plugin-daemonset", upstream, true);
    check_foreign("nvdp-nvidia-device-plugin", upstream, true);
    check_foreign("gpus", "mirror.example/nvidia/k8s-device-plugin:1", true);
}

#[test]
fn plugins_for_other_devices_and_other_parts_of_nvidia_are_none() {
    for (name, image) in [
        ("amdgpu-device-plugin-daemonset", "rocm/k8s-device-plugin"),
        (
            "sriov-device-plugin",
            "ghcr.io/sriov-network-device-plugin:v3.7",
        ),
        (
            "nvidia-driver-installer",
            "gke.gcr.io/nvidia-driver-installer:1",
        ),
        ("dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3"),
        (
            "nvidia-dra-driver-gpu-kubelet-plugin",
            "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.3.0",
        ),
        ("kube-proxy", "registry.k8s.io/kube-proxy:v1.33.0"),
    ] {
        check_foreign(name, image, false);
    }
}

#[test]
fn no_operand_is_foreign() {
    for name in [
        "nvidia-device-plugin-daemonset",
        "nvidia-device-plugin-mps-control-daemon",
        "nvidia-sandbox-device-plugin-daemonset",
        "nvidia-kata-sandbox-device-plugin-daemonset",
        "gpu-feature-discovery",
    ] {
        let it = daemon_set(set(
            "gpu-operator",
            name,
            "nvcr.io/nvidia/k8s-device-plugin:v0.17.4",
        ));
        assert!(!it.is_foreign_device_plugin(), "{name}");
    }
}
