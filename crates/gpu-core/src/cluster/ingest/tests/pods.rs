//! Pods and their containers.

use serde_json::{Value, json};

use super::at;
use crate::cluster::pod::{Details, Ended, Owner, State};
use crate::cluster::{Phase, Pod};
use crate::testing::recorded;

fn read(object: Value) -> Pod {
    recorded([object]).pods.remove(0)
}

/// A pod with this spec and status.
fn pod(spec: Value, status: Value) -> Pod {
    read(json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "a", "namespace": "b" }, "spec": spec, "status": status }))
}

fn details(pod: &Pod) -> &Details {
    pod.details.as_deref().unwrap()
}

/// A pod of the toolkit that waits for the driver, as `kubectl get pod -o json` prints it.
fn whole() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": "2026-03-02T08:20:00Z",
            "generateName": "nvidia-container-toolkit-daemonset-",
            "labels": { "app": "nvidia-container-toolkit-daemonset", "controller-revision-hash": "6d9f" },
            "name": "nvidia-container-toolkit-daemonset-x7k2p",
            "namespace": "gpu-operator",
            "ownerReferences": [{ "apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true,
                "kind": "DaemonSet", "name": "nvidia-container-toolkit-daemonset",
                "uid": "11111111-2222-3333-4444-555555555555" }]
        },
        "spec": {
            "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{ "matchFields": [
                    { "key": "metadata.name", "operator": "In", "values": ["gpu-1"] }
                ] }]
            } } },
            "containers": [{ "image": "nvcr.io/nvidia/k8s/container-toolkit:v1.17.8",
                "name": "nvidia-container-toolkit-ctr", "resources": {} }],
            "initContainers": [{ "image": "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v25.3.4",
                "name": "driver-validation", "resources": {} }],
            "nodeName": "gpu-1",
            "priorityClassName": "system-node-critical",
            "runtimeClassName": "nvidia",
            "tolerations": [{ "effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists" }]
        },
        "status": {
            "conditions": [
                { "lastProbeTime": null, "lastTransitionTime": "2026-03-02T08:20:00Z",
                  "message": "containers with incomplete status: [driver-validation]",
                  "reason": "ContainersNotInitialized", "status": "False", "type": "Initialized" },
                { "lastProbeTime": null, "lastTransitionTime": "2026-03-02T08:20:00Z",
                  "reason": "ContainersNotReady", "status": "False", "type": "Ready" },
                { "lastProbeTime": null, "lastTransitionTime": "2026-03-02T08:20:00Z",
                  "status": "True", "type": "PodScheduled" }
            ],
            "containerStatuses": [{
                "image": "nvcr.io/nvidia/k8s/container-toolkit:v1.17.8", "imageID": "", "lastState": {},
                "name": "nvidia-container-toolkit-ctr", "ready": false, "restartCount": 0, "started": false,
                "state": { "waiting": { "reason": "PodInitializing" } }
            }],
            "hostIP": "10.0.0.7",
            "initContainerStatuses": [{
                "containerID": "containerd://abc", "image": "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v25.3.4",
                "lastState": { "terminated": { "exitCode": 1, "finishedAt": "2026-03-02T08:21:00Z", "reason": "Error",
                    "message": "driver is not ready", "startedAt": "2026-03-02T08:20:30Z" } },
                "name": "driver-validation", "ready": false, "restartCount": 2, "started": true,
                "state": { "running": { "startedAt": "2026-03-02T08:21:30Z" } }
            }],
            "phase": "Pending",
            "qosClass": "BestEffort",
            "startTime": "2026-03-02T08:20:01Z"
        }
    })
}

#[test]
fn every_field_that_somebody_reads_is_kept() {
    let pod = read(whole());
    assert_eq!(pod.namespace, "gpu-operator");
    assert_eq!(pod.name, "nvidia-container-toolkit-daemonset-x7k2p");
    assert_eq!(
        pod.address(),
        "pod/nvidia-container-toolkit-daemonset-x7k2p"
    );
    assert_eq!((pod.node.as_deref(), pod.bound), (Some("gpu-1"), true));
    assert_eq!(
        pod.owner,
        Some(Owner {
            kind: "DaemonSet".into(),
            name: "nvidia-container-toolkit-daemonset".into(),
            uid: Some("11111111-2222-3333-4444-555555555555".into()),
        })
    );
    assert_eq!((pod.phase, pod.ready), (Phase::Pending, false));
    assert_eq!((pod.status.as_str(), pod.restarts), ("Init:0/1", 2));
    let details = details(&pod);
    assert_eq!(details.labels["app"], "nvidia-container-toolkit-daemonset");
    assert_eq!(details.created, at("2026-03-02T08:20:00Z"));
    assert_eq!(details.deleted, None);
    assert_eq!(details.runtime_class.as_deref(), Some("nvidia"));
    assert_eq!(details.message, "");
    assert!(details.unscheduled.is_none() && details.gpu_requests.is_empty());
}

#[test]
fn containers_keep_what_was_wished_and_how_they_do() {
    let pod = read(whole());
    let [init] = &details(&pod).init_containers[..] else {
        panic!("one init container")
    };
    assert_eq!(init.name, "driver-validation");
    assert_eq!(
        init.image,
        "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v25.3.4"
    );
    assert_eq!((init.ready, init.restarts, init.sidecar), (false, 2, false));
    assert_eq!(init.state, State::Running(at("2026-03-02T08:21:30Z")));
    let last = init.last.as_ref().unwrap();
    assert_eq!(
        (last.code, last.signal, last.reason.as_str()),
        (1, 0, "Error")
    );
    assert_eq!(last.message, "driver is not ready");
    assert_eq!(last.at, at("2026-03-02T08:21:00Z"));
    let [main] = &details(&pod).containers[..] else {
        panic!("one container")
    };
    assert_eq!(
        main.state,
        State::Waiting("PodInitializing".into(), String::new())
    );
    assert_eq!(main.last, None);
}

#[test]
fn the_state_of_a_container_is_the_one_it_names() {
    for (state, want) in [
        (
            json!({ "running": { "startedAt": null } }),
            State::Running(None),
        ),
        (
            json!({ "waiting": { "reason": "ImagePullBackOff", "message": "Back-off pulling image" } }),
            State::Waiting("ImagePullBackOff".into(), "Back-off pulling image".into()),
        ),
        (
            json!({ "terminated": { "exitCode": 137, "signal": 9, "reason": "OOMKilled", "finishedAt": "2026-03-02T08:21:00Z" } }),
            State::Ended(Ended {
                code: 137,
                signal: 9,
                reason: "OOMKilled".into(),
                message: String::new(),
                at: at("2026-03-02T08:21:00Z"),
            }),
        ),
        // As the API says, a container without any of the three waits.
        (json!({}), State::Waiting(String::new(), String::new())),
        (json!(null), State::Waiting(String::new(), String::new())),
        (
            json!({ "running": null, "terminated": null, "waiting": {} }),
            State::Waiting(String::new(), String::new()),
        ),
    ] {
        let pod = pod(
            json!({ "containers": [{ "name": "c", "image": "i" }] }),
            json!({ "containerStatuses": [{ "name": "c", "state": state }] }),
        );
        assert_eq!(details(&pod).containers[0].state, want);
    }
}

#[test]
fn a_container_without_a_status_says_nothing_and_a_status_without_a_container_is_dropped() {
    let pod = pod(
        json!({ "containers": [{ "name": "one", "image": "first" }, { "name": "two" }] }),
        json!({ "containerStatuses": [
            { "name": "two", "image": "resolved", "ready": true, "state": { "running": {} } },
            { "name": "three", "ready": true }
        ] }),
    );
    let containers: Vec<_> = details(&pod)
        .containers
        .iter()
        .map(|it| (it.name.as_str(), it.image.as_str(), it.state.clone()))
        .collect();
    // Where the spec has no image, the one that runs is shown.
    assert_eq!(
        containers,
        [
            ("one", "first", State::Unsaid),
            ("two", "resolved", State::Running(None))
        ]
    );
}

#[test]
fn an_init_container_that_restarts_always_is_a_sidecar() {
    let pod = pod(
        json!({ "initContainers": [
            { "name": "once" }, { "name": "beside", "restartPolicy": "Always" }, { "name": "odd", "restartPolicy": "OnFailure" }
        ] }),
        json!({}),
    );
    let sidecars: Vec<_> = details(&pod)
        .init_containers
        .iter()
        .map(|it| it.sidecar)
        .collect();
    assert_eq!(sidecars, [false, true, false]);
}

#[test]
fn a_pod_that_waits_for_the_scheduler_belongs_to_the_node_it_is_made_for() {
    let pinned = |key: &str, operator: &str, values: Value| {
        json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{ "matchFields": [{ "key": key, "operator": operator, "values": values }] }] } } } })
    };
    for (spec, node, bound) in [
        (
            pinned("metadata.name", "In", json!(["gpu-1"])),
            Some("gpu-1"),
            false,
        ),
        (pinned("metadata.name", "In", json!([])), None, false),
        (
            pinned("metadata.name", "NotIn", json!(["gpu-1"])),
            None,
            false,
        ),
        (
            pinned("metadata.namespace", "In", json!(["gpu-1"])),
            None,
            false,
        ),
        (json!({ "nodeName": "gpu-2" }), Some("gpu-2"), true),
        (json!({ "nodeName": "" }), None, false),
        (json!({ "nodeName": null, "affinity": null }), None, false),
        (
            json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": null } } }),
            None,
            false,
        ),
        // A label of the node is no name of a node.
        (
            json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{ "matchExpressions": [
                    { "key": "metadata.name", "operator": "In", "values": ["gpu-1"] }] }] } } } }),
            None,
            false,
        ),
    ] {
        let pod = pod(spec.clone(), json!({ "phase": "Pending" }));
        assert_eq!((pod.node.as_deref(), pod.bound), (node, bound), "{spec}");
    }
}

#[test]
fn where_a_pod_is_wins_over_where_it_was_meant_to_be() {
    let mut object = whole();
    object["spec"]["nodeName"] = "gpu-2".into();
    assert_eq!(read(object).node.as_deref(), Some("gpu-2"));
}

#[test]
fn the_scheduler_is_quoted_while_it_finds_no_place() {
    let condition = |status: &str, reason: &str| {
        json!({ "phase": "Pending", "conditions": [{ "type": "PodScheduled", "status": status, "reason": reason,
            "message": "0/3 nodes are available", "lastTransitionTime": "2026-03-02T08:20:00Z" }] })
    };
    let waits = pod(json!({}), condition("False", "Unschedulable"));
    let said = details(&waits).unscheduled.as_ref().unwrap();
    assert_eq!(said.reason, "Unschedulable");
    assert_eq!(said.message, "0/3 nodes are available");
    assert_eq!(said.since, at("2026-03-02T08:20:00Z"));
    assert_eq!(waits.status, "Pending");
    let gated = pod(json!({}), condition("False", "SchedulingGated"));
    assert_eq!(gated.status, "SchedulingGated");
    let placed = pod(json!({}), condition("True", ""));
    assert!(details(&placed).unscheduled.is_none());
}

#[test]
fn gpus_are_asked_for_by_containers_and_not_by_init_containers() {
    let asks = |name: &str| json!({ "limits": { name: "1" }, "requests": { name: 1 } });
    for (spec, want) in [
        (
            json!({ "containers": [{ "name": "c", "resources": asks("nvidia.com/gpu") }] }),
            &["nvidia.com/gpu"][..],
        ),
        (
            json!({ "initContainers": [{ "name": "i", "resources": asks("nvidia.com/gpu") }] }),
            &[],
        ),
        (
            json!({ "containers": [{ "name": "c", "resources": asks("cpu") }] }),
            &[],
        ),
        (
            json!({ "containers": [{ "name": "c", "resources": null }] }),
            &[],
        ),
        (
            json!({ "containers": [
                { "name": "c", "resources": { "limits": { "nvidia.com/mig-1g.5gb": "1" } } },
                { "name": "d", "resources": { "requests": { "nvidia.com/gpu": "2" } } },
                { "name": "e", "resources": asks("nvidia.com/gpu") }
            ] }),
            &["nvidia.com/gpu", "nvidia.com/mig-1g.5gb"],
        ),
    ] {
        assert_eq!(
            details(&pod(spec.clone(), json!({}))).gpu_requests,
            want,
            "{spec}"
        );
    }
}

#[test]
fn phases_are_read_as_written_and_the_rest_is_unknown() {
    for (phase, want) in [
        (json!("Pending"), Phase::Pending),
        (json!("Running"), Phase::Running),
        (json!("Succeeded"), Phase::Succeeded),
        (json!("Failed"), Phase::Failed),
        (json!("Unknown"), Phase::Unknown),
        (json!("running"), Phase::Unknown),
        (json!(null), Phase::Unknown),
    ] {
        assert_eq!(pod(json!({}), json!({ "phase": phase })).phase, want);
    }
}

#[test]
fn only_the_condition_ready_makes_a_pod_ready() {
    for (conditions, want) in [
        (json!([{ "type": "Ready", "status": "True" }]), true),
        (json!([{ "type": "Ready", "status": true }]), false),
        (json!([{ "type": "Ready", "status": "False" }]), false),
        (
            json!([{ "type": "ContainersReady", "status": "True" }]),
            false,
        ),
        (json!([]), false),
        (json!(null), false),
    ] {
        let status = json!({ "phase": "Running", "conditions": conditions });
        assert_eq!(pod(json!({}), status).ready, want, "{conditions}");
    }
}

#[test]
fn a_pod_that_is_being_deleted_says_since_when() {
    let mut object = whole();
    object["metadata"]["deletionTimestamp"] = "2026-03-02T09:00:00Z".into();
    object["metadata"]["deletionGracePeriodSeconds"] = 30.into();
    let pod = read(object);
    assert!(pod.is_terminating() && !pod.is_finished());
    assert_eq!(details(&pod).deleted, at("2026-03-02T09:00:00Z"));
    assert_eq!(pod.status, "Terminating");
}

#[test]
fn an_evicted_pod_says_why() {
    let evicted = pod(
        json!({ "nodeName": "gpu-1", "containers": [{ "name": "c" }] }),
        json!({ "phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: ephemeral-storage." }),
    );
    assert_eq!(evicted.status, "Evicted");
    assert!(evicted.is_finished());
    assert_eq!(
        details(&evicted).message,
        "The node was low on resource: ephemeral-storage."
    );
    let empty = pod(json!({}), json!({ "phase": "Running", "reason": "" }));
    assert_eq!(empty.status, "Running");
}

#[test]
fn the_controller_is_the_owner_even_when_it_is_not_the_first() {
    let owner = |kind: &str, controller: Value| json!({ "kind": kind, "name": "x", "uid": null, "controller": controller });
    for (owners, want) in [
        (
            json!([owner("Node", json!(false)), owner("DaemonSet", json!(true))]),
            Some("DaemonSet"),
        ),
        (
            json!([owner("Node", json!(null)), owner("DaemonSet", json!(null))]),
            Some("Node"),
        ),
        (json!([]), None),
        (json!(null), None),
    ] {
        let pod = read(json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "a", "namespace": "b", "ownerReferences": owners } }));
        assert_eq!(pod.owner.map(|it| it.kind).as_deref(), want, "{owners}");
    }
}
