//! Pods: Ready at first, and what can be wrong with one.

use serde_json::{Value, json};

use super::controller::added_tolerations;
use super::node::Node;
use super::object::{NOW, at, name, namespace, owned_by, suffix, uid};
use super::set::Set;

/// The Ready pod of a DaemonSet on a node.
pub(super) fn ready(set: &Set, node: &Node, rank: u32) -> Value {
    let (home, of) = (namespace(&set.0), set.name());
    let full = format!("{of}-{}", suffix(&format!("{home}/{of}@{}", node.name())));
    let mut spec = set.0["spec"]["template"]["spec"].clone();
    spec["nodeName"] = json!(node.name());
    let term = json!({ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [node.name()] }] });
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        json!({ "nodeSelectorTerms": [term] });
    let own = spec["tolerations"].as_array().cloned().unwrap_or_default();
    spec["tolerations"] = own.into_iter().chain(added_tolerations()).collect();
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": full, "namespace": home, "uid": uid(&full), "creationTimestamp": at(0),
            "labels": set.0["spec"]["template"]["metadata"]["labels"], "ownerReferences": owned_by(&set.0),
        },
        "spec": spec,
        "status": { "phase": "Running", "startTime": at(0) },
    });
    pod["status"]["initContainerStatuses"] = set
        .containers("initContainers")
        .iter()
        .map(|it| done(&pod, it, rank))
        .collect();
    pod["status"]["containerStatuses"] = set
        .containers("containers")
        .iter()
        .map(|it| running(&pod, it, &at(rank)))
        .collect();
    say(&mut pod, true, true);
    pod
}

fn status(pod: &Value, container: &str, state: Value) -> Value {
    let specs = ["initContainers", "containers"]
        .map(|it| pod["spec"][it].as_array().cloned().unwrap_or_default());
    let spec = specs
        .concat()
        .into_iter()
        .find(|it| it["name"] == *container);
    let image = spec.map(|it| it["image"].clone()).unwrap_or_default();
    json!({ "name": container, "image": image, "ready": false, "started": false, "restartCount": 0, "lastState": {}, "state": state })
}

fn done(pod: &Value, container: &str, rank: u32) -> Value {
    let state = json!({ "terminated": { "exitCode": 0, "reason": "Completed", "startedAt": at(0), "finishedAt": at(rank) } });
    let mut it = status(pod, container, state);
    it["ready"] = json!(true);
    it
}

fn running(pod: &Value, container: &str, since: &str) -> Value {
    let mut it = status(pod, container, json!({ "running": { "startedAt": since } }));
    (it["ready"], it["started"]) = (json!(true), json!(true));
    it
}

fn waiting(reason: &str, message: &str) -> Value {
    match message {
        "" => json!({ "waiting": { "reason": reason } }),
        _ => json!({ "waiting": { "reason": reason, "message": message } }),
    }
}

/// Writes the conditions.
fn say(pod: &mut Value, initialized: bool, ready: bool) {
    let condition = |kind: &str, holds: bool| json!({ "type": kind, "status": if holds { "True" } else { "False" }, "lastTransitionTime": at(5) });
    pod["status"]["conditions"] = json!([
        condition("Initialized", initialized),
        condition("Ready", ready),
        condition("ContainersReady", ready),
        condition("PodScheduled", true),
    ]);
}

/// Puts an init container into a state: those before it are done, all after it have not begun.
fn stop_at_init(pod: &mut Value, init: &str, edit: impl FnOnce(&mut Value)) {
    let inits = pod["status"]["initContainerStatuses"]
        .as_array_mut()
        .expect("it has init containers");
    let stop = inits
        .iter()
        .position(|it| it["name"] == *init)
        .unwrap_or_else(|| panic!("no init container {init}"));
    for it in &mut inits[stop..] {
        it["ready"] = json!(false);
        it["state"] = waiting("PodInitializing", "");
    }
    edit(&mut inits[stop]);
    for it in pod["status"]["containerStatuses"]
        .as_array_mut()
        .expect("it has containers")
    {
        (it["ready"], it["started"]) = (json!(false), json!(false));
        it["state"] = waiting("PodInitializing", "");
    }
    pod["status"]["phase"] = json!("Pending");
    say(pod, false, false);
}

fn container<'a>(pod: &'a mut Value, container: &str) -> &'a mut Value {
    let all = pod["status"]["containerStatuses"]
        .as_array_mut()
        .expect("it has containers");
    let it = all.iter_mut().find(|it| it["name"] == *container);
    it.unwrap_or_else(|| panic!("no container {container}"))
}

/// It waits in an init container.
pub(crate) fn waits(pod: &mut Value, init: &str) {
    stop_at_init(pod, init, |it| {
        it["state"] = json!({ "running": { "startedAt": at(6) } })
    });
}

fn fail(it: &mut Value, restarts: u32, code: i32) {
    it["restartCount"] = json!(restarts);
    it["state"] = waiting(
        "CrashLoopBackOff",
        "back-off 5m0s restarting failed container",
    );
    it["lastState"] = json!({ "terminated": { "exitCode": code, "reason": "Error", "startedAt": at(50), "finishedAt": at(51) } });
}

/// An init container fails again and again.
pub(crate) fn init_crashes(pod: &mut Value, init: &str, restarts: u32) {
    stop_at_init(pod, init, |it| fail(it, restarts, 1));
}

/// A container fails again and again.
pub(crate) fn crashes(pod: &mut Value, name: &str, restarts: u32) {
    let it = container(pod, name);
    (it["ready"], it["started"]) = (json!(false), json!(false));
    fail(it, restarts, 1);
    say(pod, true, false);
}

/// The image of a container cannot be pulled.
pub(crate) fn no_image(pod: &mut Value, name: &str) {
    let it = container(pod, name);
    (it["ready"], it["started"]) = (json!(false), json!(false));
    let words = format!("Back-off pulling image {}: not found", it["image"]);
    it["state"] = waiting("ImagePullBackOff", &words);
    let others = pod["status"]["containerStatuses"]
        .as_array()
        .is_some_and(|it| it.len() > 1);
    pod["status"]["phase"] = json!(if others { "Running" } else { "Pending" });
    say(pod, true, false);
}

/// The image of an init container cannot be pulled.
pub(crate) fn no_init_image(pod: &mut Value, init: &str) {
    stop_at_init(pod, init, |it| {
        let words = format!("Back-off pulling image {}: not found", it["image"]);
        it["state"] = waiting("ImagePullBackOff", &words);
    });
}

/// The kubelet has not started its first container.
pub(crate) fn is_created(pod: &mut Value) {
    for which in ["initContainerStatuses", "containerStatuses"] {
        for it in pod["status"][which].as_array_mut().into_iter().flatten() {
            (it["ready"], it["started"]) = (json!(false), json!(false));
            it["state"] = waiting("PodInitializing", "");
        }
    }
    pod["status"]["phase"] = json!("Pending");
    say(pod, false, false);
}

/// All its containers run and it is not Ready.
pub(crate) fn not_ready(pod: &mut Value) {
    for it in pod["status"]["containerStatuses"]
        .as_array_mut()
        .expect("it has containers")
    {
        it["ready"] = json!(false);
    }
    say(pod, true, false);
}

/// The scheduler finds no place for it.
pub(crate) fn unscheduled(pod: &mut Value, words: &str) {
    pod["spec"]
        .as_object_mut()
        .expect("a spec")
        .remove("nodeName");
    pod["status"] = json!({ "phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words, "lastTransitionTime": at(1),
    }] });
}

/// Its deletion has been asked for.
pub(crate) fn terminates(pod: &mut Value) {
    pod["metadata"]["deletionTimestamp"] = json!(NOW);
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
}

/// It was started again at another minute.
pub(crate) fn started(pod: &mut Value, minute: u32) {
    for it in pod["status"]["containerStatuses"]
        .as_array_mut()
        .expect("it has containers")
    {
        it["state"] = json!({ "running": { "startedAt": at(minute) } });
    }
}

/// Its owner is gone, and it stayed.
pub(crate) fn orphan(pod: &mut Value) {
    pod["metadata"]
        .as_object_mut()
        .expect("metadata")
        .remove("ownerReferences");
}

/// A pod that ran to its end.
pub(super) fn completed(home: &str, base: &str, node: &str, owner: &Value) -> Value {
    let full = format!("{base}-{}", suffix(&format!("{base}@{node}")));
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": full, "namespace": home, "uid": uid(&full), "creationTimestamp": at(5),
            "labels": { "app": base }, "ownerReferences": owned_by(owner) },
        "spec": { "nodeName": node, "restartPolicy": "OnFailure", "runtimeClassName": "nvidia",
            "containers": [{ "name": base, "image": "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v1" }] },
        "status": { "phase": "Succeeded", "startTime": at(5) },
    });
    pod["status"]["containerStatuses"] = json!([done(&pod, base, 5)]);
    pod["status"]["containerStatuses"][0]["ready"] = json!(false);
    say(&mut pod, true, false);
    pod
}

/// A Running pod of a ReplicaSet on a node.
pub(super) fn of_replica_set(deployment: &Value, node: &str) -> Value {
    let (home, of) = (namespace(deployment), name(deployment));
    let replica_set = format!("{of}-{}", suffix(of));
    let full = format!("{replica_set}-{}", suffix(&format!("{of}@{node}")));
    let owner = json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": replica_set, "uid": uid(&replica_set) } });
    let mut spec = deployment["spec"]["template"]["spec"].clone();
    spec["nodeName"] = json!(node);
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": full, "namespace": home, "uid": uid(&full), "creationTimestamp": at(0),
            "labels": deployment["spec"]["template"]["metadata"]["labels"], "ownerReferences": owned_by(&owner) },
        "spec": spec,
        "status": { "phase": "Running", "startTime": at(0) },
    });
    let names: Vec<_> = super::object::items(&pod["spec"]["containers"])
        .filter_map(|it| it["name"].as_str())
        .map(str::to_owned)
        .collect();
    pod["status"]["containerStatuses"] = names.iter().map(|it| running(&pod, it, &at(0))).collect();
    say(&mut pod, true, true);
    pod
}
