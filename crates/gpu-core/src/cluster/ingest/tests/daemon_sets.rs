//! DaemonSets.

use serde_json::{Value, json};

use super::at;
use crate::cluster::DaemonSet;
use crate::cluster::daemon_set::Toleration;
use crate::cluster::pod::Owner;
use crate::cluster::selector::Test;
use crate::testing::recorded;

fn read(object: Value) -> DaemonSet {
    recorded([object]).daemon_sets.remove(0)
}

/// A DaemonSet whose pods have this spec.
fn of(spec: Value) -> DaemonSet {
    read(
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "template": { "spec": spec } } }),
    )
}

/// The driver's DaemonSet, as `kubectl get daemonset -o json` prints it.
fn whole() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "annotations": { "deprecated.daemonset.template.generation": "3", "nvidia.com/last-applied-hash": "123" },
            "creationTimestamp": "2026-03-01T10:00:00Z",
            "labels": { "app": "nvidia-driver-daemonset", "app.kubernetes.io/component": "nvidia-driver",
                "helm.sh/chart": "gpu-operator-v25.3.4" },
            "name": "nvidia-driver-daemonset",
            "namespace": "gpu-operator",
            "ownerReferences": [{ "apiVersion": "nvidia.com/v1", "blockOwnerDeletion": true, "controller": true,
                "kind": "ClusterPolicy", "name": "cluster-policy", "uid": "policy-uid" }],
            "uid": "driver-uid"
        },
        "spec": {
            "revisionHistoryLimit": 10,
            "selector": { "matchLabels": { "app": "nvidia-driver-daemonset" } },
            "template": {
                "metadata": {
                    "creationTimestamp": null,
                    "labels": { "app": "nvidia-driver-daemonset", "app.kubernetes.io/component": "nvidia-driver",
                        "nvidia.com/precompiled": "false" }
                },
                "spec": {
                    "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [] } },
                    "containers": [
                        { "image": "nvcr.io/nvidia/driver:580.105.08-ubuntu22.04", "name": "nvidia-driver-ctr" },
                        { "image": "nvcr.io/nvidia/driver:580.105.08-ubuntu22.04", "name": "nvidia-peermem-ctr" }
                    ],
                    "hostNetwork": true,
                    "hostPID": true,
                    "initContainers": [
                        { "image": "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.8.1", "name": "k8s-driver-manager" }
                    ],
                    "nodeSelector": { "nvidia.com/gpu.deploy.driver": "true",
                        "feature.node.kubernetes.io/kernel-version.full": "5.15.0-69-generic" },
                    "priorityClassName": "system-node-critical",
                    "tolerations": [
                        { "effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists" },
                        { "effect": "NoExecute", "key": "team", "operator": "Equal", "value": "ml" },
                        { "operator": "Exists" },
                        { "key": "dedicated", "value": true }
                    ]
                }
            },
            "updateStrategy": { "type": "OnDelete" }
        },
        "status": { "currentNumberScheduled": 3, "desiredNumberScheduled": 4, "numberAvailable": 2,
            "numberMisscheduled": 0, "numberReady": 2, "numberUnavailable": 2, "observedGeneration": 3 }
    })
}

#[test]
fn every_field_that_somebody_reads_is_kept() {
    let it = read(whole());
    assert_eq!(
        (it.namespace.as_str(), it.name.as_str()),
        ("gpu-operator", "nvidia-driver-daemonset")
    );
    assert_eq!(it.address(), "daemonset/nvidia-driver-daemonset");
    assert_eq!(it.uid.as_deref(), Some("driver-uid"));
    assert_eq!(it.created, at("2026-03-01T10:00:00Z"));
    assert_eq!(
        it.owner,
        Some(Owner {
            kind: "ClusterPolicy".into(),
            name: "cluster-policy".into(),
            uid: Some("policy-uid".into()),
        })
    );
    assert_eq!(it.pod_labels["nvidia.com/precompiled"], "false");
    assert!(it.selector.matches(&it.pod_labels));
    assert!(it.host_network);
    assert_eq!(it.priority_class.as_deref(), Some("system-node-critical"));
    assert_eq!((it.desired, it.current, it.ready), (4, 3, 2));
}

#[test]
fn init_containers_come_first_among_its_images() {
    let it = read(whole());
    let names: Vec<_> = it.images.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "k8s-driver-manager",
            "nvidia-driver-ctr",
            "nvidia-peermem-ctr"
        ]
    );
    assert_eq!(
        it.images[1].1,
        "nvcr.io/nvidia/driver:580.105.08-ubuntu22.04"
    );
    assert_eq!(it.init_containers, ["k8s-driver-manager"]);
}

#[test]
fn each_label_of_its_node_selector_is_one_requirement() {
    let it = read(whole());
    let mut keys: Vec<_> = it
        .node_selector
        .0
        .iter()
        .map(|it| it.key.as_str())
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "feature.node.kubernetes.io/kernel-version.full",
            "nvidia.com/gpu.deploy.driver"
        ]
    );
    for it in &it.node_selector.0 {
        assert!(
            matches!(&it.test, Test::In(values) if values.len() == 1),
            "{it:?}"
        );
    }
}

#[test]
fn tolerations_are_read_with_the_defaults_of_the_api() {
    let toleration = |key: &str, any_value, value: &str, effect: &str| Toleration {
        key: key.into(),
        any_value,
        value: value.into(),
        effect: effect.into(),
    };
    assert_eq!(
        read(whole()).tolerations,
        [
            toleration("nvidia.com/gpu", true, "", "NoSchedule"),
            toleration("team", false, "ml", "NoExecute"),
            toleration("", true, "", ""),
            // Without an operator it is Equal, and without an effect it is every effect.
            toleration("dedicated", false, "true", ""),
        ]
    );
    let words: Vec<_> = read(whole())
        .tolerations
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        words,
        [
            "nvidia.com/gpu=*:NoSchedule",
            "team=ml:NoExecute",
            "*=*:*",
            "dedicated=true:*"
        ]
    );
}

#[test]
fn a_term_of_its_affinity_holds_labels_and_fields() {
    let it = of(
        json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [
            { "matchExpressions": [{ "key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"] }],
              "matchFields": [{ "key": "metadata.name", "operator": "NotIn", "values": ["gpu-9"] }] },
            { "matchExpressions": [{ "key": "cpu", "operator": "DoesNotExist" }] }
        ] } } } }),
    );
    let keys: Vec<Vec<_>> = it
        .affinity
        .iter()
        .map(|term| term.0.iter().map(|it| it.key.as_str()).collect())
        .collect();
    assert_eq!(
        keys,
        [vec!["nvidia.com/gpu.present", "metadata.name"], vec!["cpu"]]
    );
    assert_eq!(it.affinity[1].0[0].test, Test::Absent);
}

#[test]
fn what_it_would_merely_prefer_does_not_count() {
    let it = of(
        json!({ "affinity": { "nodeAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [
        { "weight": 1, "preference": { "matchExpressions": [{ "key": "a", "operator": "Exists" }] } }] } } }),
    );
    assert!(it.affinity.is_empty());
}

#[test]
fn its_pods_are_selected_by_labels_and_by_expressions() {
    let it = read(
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "selector": { "matchLabels": { "app": "x" }, "matchExpressions": [
            { "key": "tier", "operator": "In", "values": ["gpu", "node"] },
            { "key": "old", "operator": "DoesNotExist" }] } } }),
    );
    let labels = |pairs: &[(&str, &str)]| {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    };
    assert!(
        it.selector
            .matches(&labels(&[("app", "x"), ("tier", "node")]))
    );
    assert!(
        !it.selector
            .matches(&labels(&[("app", "x"), ("tier", "cpu")]))
    );
    assert!(
        !it.selector
            .matches(&labels(&[("app", "x"), ("tier", "gpu"), ("old", "")]))
    );
}

#[test]
fn a_daemon_set_that_has_just_been_made_has_no_numbers() {
    for object in [
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a" } }),
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "namespace": null },
            "spec": { "selector": null, "template": null }, "status": {} }),
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a" }, "spec": { "template": {
            "metadata": null, "spec": { "nodeSelector": null, "tolerations": null, "affinity": null,
                "initContainers": null, "containers": null, "hostNetwork": null } } } }),
    ] {
        let it = read(object);
        assert_eq!((it.desired, it.current, it.ready), (0, 0, 0));
        assert!(it.selector.0.is_empty() && it.node_selector.0.is_empty());
        assert!(it.tolerations.is_empty() && it.affinity.is_empty() && it.images.is_empty());
        assert!(!it.host_network && it.owner.is_none() && it.namespace.is_empty());
    }
}
