//! Which DaemonSet a pod belongs to, and which operand.

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::facts::operands::Id;
use crate::testing::{recorded, take};

/// A DaemonSet of an operator that a ClusterPolicy owns.
fn daemon_set(namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "name": name, "namespace": namespace, "uid": format!("uid-{name}"),
            "ownerReferences": [{ "kind": "ClusterPolicy", "name": "cluster-policy", "controller": true }] },
        "spec": { "selector": { "matchLabels": { "app": name } }, "template": { "metadata": { "labels": { "app": name } } } } })
}

fn pod(namespace: &str, labels: Value, owner: Value) -> Value {
    let owners = if owner.is_null() {
        json!([])
    } else {
        json!([owner])
    };
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "pod", "namespace": namespace, "labels": labels, "ownerReferences": owners } })
}

fn owner(kind: &str, name: &str, uid: Value) -> Value {
    json!({ "kind": kind, "name": name, "uid": uid, "controller": true })
}

/// The DaemonSet that the one pod was given, by name, and its operand.
fn of_pod(cluster: &Cluster) -> (Option<&str>, Option<Id>) {
    let pod = &cluster.pods[0];
    let name = pod
        .daemon_set
        .map(|at| cluster.daemon_sets[at].name.as_str());
    (name, pod.operand)
}

/// A settled cluster with the plugin, the toolkit and one pod in the operator's namespace.
fn with(pod: Value) -> Cluster {
    recorded([
        daemon_set("gpu-operator", "nvidia-container-toolkit-daemonset"),
        daemon_set("gpu-operator", "nvidia-device-plugin-daemonset"),
        pod,
    ])
}

const PLUGIN: &str = "nvidia-device-plugin-daemonset";

#[test]
fn a_pod_belongs_to_the_daemon_set_that_owns_it() {
    for (uid, name) in [
        (json!("uid-nvidia-device-plugin-daemonset"), PLUGIN),
        // The UID decides, whatever the name.
        (json!("uid-nvidia-device-plugin-daemonset"), "renamed"),
        // Recordings without UIDs.
        (json!(null), PLUGIN),
        // A DaemonSet that was made again while its pods stayed.
        (json!("uid-of-the-one-before"), PLUGIN),
    ] {
        let cluster = with(pod(
            "gpu-operator",
            json!({}),
            owner("DaemonSet", name, uid.clone()),
        ));
        assert_eq!(
            of_pod(&cluster),
            (Some(PLUGIN), Some(Id::DevicePlugin)),
            "{name} {uid}"
        );
    }
}

#[test]
fn a_pod_whose_daemon_set_is_gone_is_known_by_the_name_of_it() {
    let labels = json!({ "app": "whatever" });
    for (name, want) in [
        ("nvidia-dcgm-exporter", Some(Id::DcgmExporter)),
        (
            "nvidia-driver-daemonset-5.15.0-69-generic-ubuntu22.04",
            Some(Id::Driver),
        ),
        ("somebody-elses", None),
    ] {
        let cluster = with(pod(
            "gpu-operator",
            labels.clone(),
            owner("DaemonSet", name, json!("gone")),
        ));
        assert_eq!(of_pod(&cluster), (None, want), "{name}");
    }
}

#[test]
fn pods_without_an_app_label_are_known_by_their_owner() {
    for (name, want) in [
        ("nvidia-vfio-manager", Id::VfioManager),
        ("nvidia-kata-manager", Id::KataManager),
        ("nvidia-cc-manager", Id::CcManager),
    ] {
        let cluster = recorded([
            daemon_set("gpu-operator", name),
            pod(
                "gpu-operator",
                json!({ "name": name }),
                owner("DaemonSet", name, json!(format!("uid-{name}"))),
            ),
        ]);
        assert_eq!(of_pod(&cluster), (Some(name), Some(want)));
    }
}

#[test]
fn the_dra_validator_keeps_apart_from_the_validator_whose_app_it_borrows() {
    let labels = json!({ "app": "nvidia-operator-validator", "app.kubernetes.io/name": "nvidia-dra-validator" });
    let owned = pod(
        "gpu-operator",
        labels.clone(),
        owner(
            "DaemonSet",
            "nvidia-dra-validator",
            json!("uid-nvidia-dra-validator"),
        ),
    );
    let sets = || {
        [
            daemon_set("gpu-operator", "nvidia-dra-validator"),
            daemon_set("gpu-operator", "nvidia-dcgm-dra"),
        ]
    };
    let cluster = recorded(sets().into_iter().chain([owned]));
    assert_eq!(
        of_pod(&cluster),
        (Some("nvidia-dra-validator"), Some(Id::DraValidator))
    );
    let orphan = pod("gpu-operator", labels, json!(null));
    let cluster = recorded([daemon_set("gpu-operator", "nvidia-dcgm-dra"), orphan]);
    assert_eq!(of_pod(&cluster), (None, Some(Id::DraValidator)));
}

#[test]
fn an_ownerless_pod_is_of_the_operand_whose_daemon_set_would_select_it() {
    let cluster = with(pod(
        "gpu-operator",
        json!({ "app": PLUGIN, "extra": "x" }),
        json!(null),
    ));
    assert_eq!(of_pod(&cluster), (None, Some(Id::DevicePlugin)));
}

#[test]
fn a_driver_orphaned_by_the_move_to_nvidia_drivers_is_known_by_its_labels() {
    for labels in [
        json!({ "app": "nvidia-driver-daemonset" }),
        json!({ "app": "nvidia-driver-daemonset-418.94.202410090804-0", "app.kubernetes.io/component": "nvidia-driver" }),
    ] {
        let cluster = with(pod("gpu-operator", labels.clone(), json!(null)));
        assert_eq!(of_pod(&cluster), (None, Some(Id::Driver)), "{labels}");
    }
}

#[test]
fn an_ownerless_pod_with_labels_of_nobody_is_nobodys() {
    for labels in [
        json!({}),
        json!(null),
        json!({ "app": "my-job" }),
        json!({ "app": "nvidia-cuda-validator" }),
    ] {
        let cluster = with(pod("gpu-operator", labels.clone(), json!(null)));
        assert_eq!(of_pod(&cluster), (None, None), "{labels}");
    }
}

#[test]
fn a_daemon_set_without_a_selector_takes_no_orphans() {
    let bare = json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "name": "nvidia-dcgm", "namespace": "gpu-operator" } });
    let cluster = recorded([
        bare,
        pod("gpu-operator", json!({ "app": "my-job" }), json!(null)),
    ]);
    assert_eq!(of_pod(&cluster), (None, None));
}

#[test]
fn pods_of_other_owners_are_no_operands_whatever_their_labels() {
    let labels = json!({ "app": PLUGIN });
    for kind in ["ReplicaSet", "Job", "StatefulSet", "Node", "ClusterPolicy"] {
        let cluster = with(pod(
            "gpu-operator",
            labels.clone(),
            owner(kind, "x", json!("x")),
        ));
        assert_eq!(of_pod(&cluster), (None, None), "{kind}");
    }
}

#[test]
fn the_validators_own_test_pods_belong_to_nobody() {
    for app in ["nvidia-cuda-validator", "nvidia-device-plugin-validator"] {
        let made = owner("ClusterPolicy", "cluster-policy", json!("policy-uid"));
        let cluster = with(pod("gpu-operator", json!({ "app": app }), made));
        assert_eq!(of_pod(&cluster), (None, None), "{app}");
    }
}

#[test]
fn only_the_operators_namespace_holds_operands() {
    let elsewhere = || {
        [
            daemon_set("monitoring", "nvidia-dcgm-exporter"),
            pod(
                "monitoring",
                json!({ "app": "nvidia-dcgm-exporter" }),
                owner("DaemonSet", "nvidia-dcgm-exporter", json!(null)),
            ),
        ]
    };
    let sets = [
        daemon_set("gpu-operator", PLUGIN),
        daemon_set("gpu-operator", "nvidia-dcgm"),
    ];
    let cluster = recorded(sets.into_iter().chain(elsewhere()));
    assert_eq!(cluster.namespace.as_deref(), Some("gpu-operator"));
    assert_eq!(cluster.daemon_sets_of(Id::DcgmExporter).count(), 0);
    // The pod still belongs to its DaemonSet.
    assert_eq!(of_pod(&cluster), (Some("nvidia-dcgm-exporter"), None));
}

#[test]
fn a_pod_of_the_same_name_in_another_namespace_is_not_mixed_up() {
    let there = pod(
        "monitoring",
        json!({}),
        owner("DaemonSet", PLUGIN, json!(null)),
    );
    assert_eq!(of_pod(&with(there)), (None, None));
}

#[test]
fn a_daemon_set_with_an_unknown_name_is_known_by_the_deploy_label_it_selects() {
    let made_by = |kind: &str, label: &str| {
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": { "name": "renamed", "namespace": "gpu-operator", "ownerReferences": [{ "kind": kind, "name": "x" }] },
            "spec": { "template": { "spec": { "nodeSelector": { label: "true" } } } } })
    };
    for (kind, label, want) in [
        (
            "ClusterPolicy",
            "nvidia.com/gpu.deploy.driver",
            Some(Id::Driver),
        ),
        (
            "NVIDIADriver",
            "nvidia.com/gpu.deploy.driver",
            Some(Id::Driver),
        ),
        (
            "NVIDIADriver",
            "nvidia.com/gpu.deploy.vgpu-manager",
            Some(Id::VgpuManager),
        ),
        (
            "GPUCluster",
            "nvidia.com/gpu.deploy.dra-driver",
            Some(Id::DraDriver),
        ),
        // Two operands share this label; the one without a second label is meant.
        (
            "ClusterPolicy",
            "nvidia.com/gpu.deploy.device-plugin",
            Some(Id::DevicePlugin),
        ),
        ("ClusterPolicy", "nvidia.com/gpu.deploy.client", None),
        ("ClusterPolicy", "kubernetes.io/os", None),
        // A third party's DaemonSet may select the label too.
        ("HelmRelease", "nvidia.com/gpu.deploy.driver", None),
    ] {
        let cluster = recorded([made_by(kind, label)]);
        assert_eq!(cluster.daemon_sets[0].operand, want, "{kind} {label}");
    }
}

#[test]
fn who_belongs_to_whom_is_decided_again_when_more_was_read() {
    let mut cluster = recorded([
        daemon_set("kube-system", "nvidia-device-plugin-daemonset"),
        pod(
            "kube-system",
            json!({}),
            owner("DaemonSet", PLUGIN, json!(null)),
        ),
    ]);
    assert_eq!(of_pod(&cluster), (Some(PLUGIN), Some(Id::DevicePlugin)));
    let policy = json!({ "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": "cluster-policy" },
        "status": { "namespace": "gpu-operator" } });
    take(&mut cluster, [policy]);
    assert_eq!(cluster.namespace.as_deref(), Some("gpu-operator"));
    assert_eq!(of_pod(&cluster), (Some(PLUGIN), None));
}
