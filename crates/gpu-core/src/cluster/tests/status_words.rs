//! The words that kubectl prints, for pods as the API server has them.

use serde_json::{Value, json};

use crate::testing::recorded;

/// The STATUS and RESTARTS of a pod with these init containers and containers: name, restart policy, status.
fn check(pod: Value, want: (&str, u32)) {
    let mut object =
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "b" } });
    if !pod["deleted"].is_null() {
        object["metadata"]["deletionTimestamp"] = pod["deleted"].clone();
    }
    let mut status = pod["status"].clone();
    for (list, statuses) in [
        ("initContainers", "initContainerStatuses"),
        ("containers", "containerStatuses"),
    ] {
        let rows = pod[list].as_array().cloned().unwrap_or_default();
        let named = |(at, row): (usize, &Value)| {
            let mut row = row.clone();
            row["name"] = format!("c{at}").into();
            row
        };
        let rows: Vec<Value> = rows.iter().enumerate().map(named).collect();
        object["spec"][list] = rows.clone().into();
        status[statuses] = rows
            .into_iter()
            .filter(|it| !it["state"].is_null())
            .collect();
    }
    object["status"] = status;
    let cluster = recorded([object]);
    let found = &cluster.pods[0];
    assert_eq!((found.status.as_str(), found.restarts), want, "{pod}");
}

fn waiting(reason: &str) -> Value {
    json!({ "state": { "waiting": { "reason": reason } } })
}

fn running(ready: bool, restarts: u32) -> Value {
    json!({ "state": { "running": {} }, "ready": ready, "started": true, "restartCount": restarts })
}

fn ended(code: i32, reason: &str) -> Value {
    json!({ "state": { "terminated": { "exitCode": code, "reason": reason } }, "restartCount": 2 })
}

fn sidecar(mut row: Value) -> Value {
    row["restartPolicy"] = "Always".into();
    row
}

#[test]
fn a_pod_that_no_kubelet_has_taken_shows_its_phase() {
    let unscheduled = json!({ "phase": "Pending", "conditions": [
        { "type": "PodScheduled", "status": "False", "reason": "Unschedulable" }] });
    check(
        json!({ "status": unscheduled, "initContainers": [{}, {}], "containers": [{}] }),
        ("Pending", 0),
    );
    let gated = json!({ "phase": "Pending", "conditions": [
        { "type": "PodScheduled", "status": "False", "reason": "SchedulingGated" }] });
    check(
        json!({ "status": gated, "initContainers": [{}], "containers": [{}] }),
        ("SchedulingGated", 0),
    );
}

#[test]
fn init_containers_are_counted_up_to_the_one_that_works() {
    let pending = json!({ "phase": "Pending" });
    for (inits, want) in [
        (
            json!([running(false, 0), waiting("PodInitializing")]),
            ("Init:0/2", 0),
        ),
        (
            json!([ended(0, "Completed"), running(false, 1)]),
            ("Init:1/2", 3),
        ),
        (json!([waiting("PodInitializing")]), ("Init:0/1", 0)),
        (json!([json!({ "state": {} })]), ("Init:0/1", 0)),
        (
            json!([waiting("ImagePullBackOff")]),
            ("Init:ImagePullBackOff", 0),
        ),
        (json!([ended(1, "Error")]), ("Init:Error", 2)),
        (json!([ended(137, "OOMKilled")]), ("Init:OOMKilled", 2)),
        (json!([ended(3, "")]), ("Init:ExitCode:3", 2)),
        (
            json!([json!({ "state": { "terminated": { "exitCode": 137, "signal": 9 } } })]),
            ("Init:Signal:9", 0),
        ),
    ] {
        check(
            json!({ "status": pending, "initContainers": inits, "containers": [waiting("PodInitializing")] }),
            want,
        );
    }
}

#[test]
fn a_sidecar_that_runs_holds_nothing_up() {
    let status = json!({ "phase": "Running", "conditions": [
        { "type": "Initialized", "status": "True" }, { "type": "Ready", "status": "True" }] });
    for (inits, containers, want) in [
        (
            json!([sidecar(running(true, 0))]),
            json!([running(true, 0)]),
            ("Running", 0),
        ),
        // Its restarts go on counting, those of a plain init container do not.
        (
            json!([ended(0, "Completed"), sidecar(running(true, 4))]),
            json!([running(true, 1)]),
            ("Running", 5),
        ),
        (
            json!([sidecar(running(true, 0))]),
            json!([waiting("CrashLoopBackOff")]),
            ("CrashLoopBackOff", 0),
        ),
    ] {
        check(
            json!({ "status": status, "initContainers": inits, "containers": containers }),
            want,
        );
    }
    let pending = json!({ "phase": "Pending" });
    let inits = json!([sidecar(waiting("CrashLoopBackOff")), {}]);
    check(
        json!({ "status": pending, "initContainers": inits }),
        ("Init:CrashLoopBackOff", 0),
    );
}

#[test]
fn the_first_container_has_the_last_word() {
    let status = json!({ "phase": "Running" });
    for (containers, want) in [
        (json!([running(true, 1), running(true, 2)]), ("Running", 3)),
        (json!([running(false, 0)]), ("Running", 0)),
        (
            json!([waiting("CrashLoopBackOff"), waiting("ImagePullBackOff")]),
            ("CrashLoopBackOff", 0),
        ),
        (
            json!([waiting("ErrImagePull"), running(true, 0)]),
            ("ErrImagePull", 0),
        ),
        (
            json!([waiting("ContainerCreating")]),
            ("ContainerCreating", 0),
        ),
        (json!([waiting("")]), ("Running", 0)),
        (json!([ended(137, "OOMKilled")]), ("OOMKilled", 2)),
        (json!([ended(1, "Error"), running(true, 0)]), ("Error", 2)),
        (
            json!([json!({ "state": { "terminated": { "exitCode": 143, "signal": 15 } } })]),
            ("Signal:15", 0),
        ),
        (
            json!([json!({ "state": { "terminated": { "exitCode": 7 } } })]),
            ("ExitCode:7", 0),
        ),
    ] {
        check(json!({ "status": status, "containers": containers }), want);
    }
}

#[test]
fn a_pod_with_a_container_that_still_runs_is_not_completed() {
    let containers = json!([ended(0, "Completed"), running(true, 0)]);
    let with = |ready: &str| json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": ready }] });
    check(
        json!({ "status": with("True"), "containers": containers }),
        ("Running", 2),
    );
    check(
        json!({ "status": with("False"), "containers": containers }),
        ("NotReady", 2),
    );
    let all_ended = json!([ended(0, "Completed")]);
    check(
        json!({ "status": { "phase": "Succeeded" }, "containers": all_ended }),
        ("Completed", 2),
    );
}

#[test]
fn what_the_kubelet_says_of_the_whole_pod_comes_before_its_phase() {
    for (status, want) in [
        (json!({ "phase": "Failed", "reason": "Evicted" }), "Evicted"),
        (
            json!({ "phase": "Failed", "reason": "NodeAffinity" }),
            "NodeAffinity",
        ),
        (
            json!({ "phase": "Failed", "reason": "Terminated" }),
            "Terminated",
        ),
        (
            json!({ "phase": "Running", "reason": "NodeLost" }),
            "NodeLost",
        ),
        (json!({ "phase": "Failed", "reason": null }), "Failed"),
        (json!({ "phase": "Unknown" }), "Unknown"),
    ] {
        check(json!({ "status": status }), (want, 0));
    }
}

#[test]
fn deletion_hides_everything_but_a_lost_node_and_an_end() {
    let deleted = "2026-03-02T09:00:00Z";
    for (status, containers, want) in [
        (
            json!({ "phase": "Running" }),
            json!([waiting("CrashLoopBackOff")]),
            "Terminating",
        ),
        (
            json!({ "phase": "Pending" }),
            json!([waiting("ContainerCreating")]),
            "Terminating",
        ),
        (
            json!({ "phase": "Running", "reason": "NodeLost" }),
            json!([]),
            "Unknown",
        ),
        (
            json!({ "phase": "Succeeded" }),
            json!([ended(0, "Completed")]),
            "Completed",
        ),
        (
            json!({ "phase": "Failed", "reason": "Evicted" }),
            json!([]),
            "Evicted",
        ),
    ] {
        let restarts = if want == "Completed" { 2 } else { 0 };
        check(
            json!({ "deleted": deleted, "status": status, "containers": containers }),
            (want, restarts),
        );
    }
}
