//! What is in the way of an operand that is wanted on a node: the lowest rung of the pod's ladder it stands on.

use jiff::Timestamp;

use super::admission;
use crate::cluster::pod::{Container, Ended, State};
use crate::cluster::{DaemonSet, Node, Pod, Refusal};

/// What is in the way, lowest rung first.
#[derive(Clone, Debug)]
pub enum Trouble<'a> {
    /// It has no DaemonSet at all.
    NoDaemonSet,
    /// Its DaemonSet does not want this node.
    Refused(&'a DaemonSet, Refusal),
    /// Its DaemonSet wants this node and has made no pod.
    NotCreated(&'a DaemonSet),
    /// The scheduler finds no place for the pod; its words.
    Unscheduled(&'a Pod, String),
    /// The kubelet has not started the first container: no sandbox, no volume, no network.
    Creating(&'a Pod),
    /// An init container runs and does not end: it waits for something. Which one, and since when.
    Waits(&'a Pod, String, Option<Timestamp>),
    /// An image cannot be pulled.
    Image(&'a Pod, ImageProblem),
    /// A container fails again and again.
    Fails(&'a Pod, Failure),
    /// All runs, and the pod is not Ready.
    NotReady(&'a Pod),
    /// The pod is on its way out.
    Terminating(&'a Pod),
    /// The pod has ended and nothing takes its place.
    Finished(&'a Pod),
}

/// An image that cannot be pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageProblem {
    /// The container that wants it.
    pub container: String,
    /// The image.
    pub image: String,
    /// `ErrImagePull`, `ImagePullBackOff`, `InvalidImageName` …
    pub reason: String,
    /// The kubelet's words.
    pub message: String,
}

/// A container that fails again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its name.
    pub container: String,
    /// Is it an init container?
    pub is_init: bool,
    /// How often it was started again.
    pub restarts: u32,
    /// `CrashLoopBackOff`, `RunContainerError` …
    pub reason: String,
    /// How it ended the last time, or why it could not start.
    pub how: String,
}

/// Words by which the kubelet says that an image cannot be had.
/// Source: kubernetes/kubernetes pkg/kubelet/images/types.go. Read at: v1.36.
const IMAGE_REASONS: [&str; 7] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];

/// A container that was restarted so often does not merely start slowly.
const OFTEN: u32 = 3;

/// What is in the way when there is no pod.
pub(super) fn without_pod<'a>(daemon_sets: &[&'a DaemonSet], node: &Node) -> Trouble<'a> {
    match admission::nearest(daemon_sets, node) {
        None => Trouble::NoDaemonSet,
        Some((daemon_set, Some(refusal))) => Trouble::Refused(daemon_set, refusal),
        Some((daemon_set, None)) => Trouble::NotCreated(daemon_set),
    }
}

/// What is in the way of the best of these pods; `None` where there is no pod.
pub(super) fn of_pods<'a>(pods: &[&'a Pod]) -> Option<Trouble<'a>> {
    let best = pods.iter().max_by_key(|it| {
        (
            !it.is_terminating(),
            !it.is_finished(),
            it.is_running(),
            it.bound,
        )
    })?;
    Some(of_pod(best))
}

fn of_pod(pod: &Pod) -> Trouble<'_> {
    if pod.is_terminating() {
        return Trouble::Terminating(pod);
    }
    if pod.is_finished() {
        return Trouble::Finished(pod);
    }
    let Some(details) = &pod.details else {
        return Trouble::NotReady(pod);
    };
    if !pod.bound {
        let words = details
            .unscheduled
            .as_ref()
            .map(|it| it.message.clone())
            .unwrap_or_default();
        return Trouble::Unscheduled(pod, words);
    }
    if let Some((_, it)) = details.waiting_init() {
        return of_container(pod, it, true).unwrap_or(match &it.state {
            State::Running(since) => Trouble::Waits(pod, it.name.clone(), *since),
            _ => Trouble::Creating(pod),
        });
    }
    let mut creating = false;
    for it in details.containers.iter().filter(|it| !it.ready) {
        if let Some(trouble) = of_container(pod, it, false) {
            return trouble;
        }
        creating |= !matches!(it.state, State::Running(_));
    }
    if creating {
        Trouble::Creating(pod)
    } else {
        Trouble::NotReady(pod)
    }
}

/// What a container itself says is wrong; `None` where it merely has not got there.
fn of_container<'a>(pod: &'a Pod, it: &Container, is_init: bool) -> Option<Trouble<'a>> {
    let fails = |reason: &str, how: String| {
        let reason = reason.to_owned();
        Some(Trouble::Fails(
            pod,
            Failure {
                container: it.name.clone(),
                is_init,
                restarts: it.restarts,
                reason,
                how,
            },
        ))
    };
    let last = |fallback: &str| {
        it.last
            .as_ref()
            .map_or_else(|| fallback.to_owned(), Ended::in_words)
    };
    match &it.state {
        State::Waiting(reason, message) if IMAGE_REASONS.contains(&reason.as_str()) => {
            let problem = ImageProblem {
                container: it.name.clone(),
                image: it.image.clone(),
                reason: reason.clone(),
                message: message.clone(),
            };
            Some(Trouble::Image(pod, problem))
        }
        State::Waiting(reason, message) => match reason.as_str() {
            "CrashLoopBackOff" => fails(reason, last(message)),
            "" | "PodInitializing" | "ContainerCreating" => None,
            _ => fails(reason, message.clone()),
        },
        State::Ended(ended) if ended.code != 0 || ended.signal != 0 => {
            fails(&ended.reason, ended.in_words())
        }
        State::Running(_)
            if it.restarts >= OFTEN && it.last.as_ref().is_some_and(|it| it.code != 0) =>
        {
            fails("Restarting", last(""))
        }
        _ => None,
    }
}

/// What keeps a pod from the one node it is made for. The scheduler counts over all nodes of the cluster
/// (`0/5 nodes are available: 1 Insufficient memory, 4 node(s) didn't satisfy …`), and a DaemonSet's pod
/// fits the affinity of one of them only, so the others are left out. Text of another form stays whole.
fn scheduler_reason(words: &str) -> String {
    let Some((_, reasons)) = words.split_once("nodes are available: ") else {
        return words.to_owned();
    };
    let first_sentence = reasons
        .split(". ")
        .next()
        .unwrap_or(reasons)
        .trim_end_matches('.');
    let is_of_others = |it: &&str| it.contains("NodeAffinity") || it.contains("node affinity");
    let own: Vec<_> = first_sentence
        .split(", ")
        .filter(|it| !is_of_others(it))
        .map(uncounted)
        .collect();
    if own.is_empty() {
        words.to_owned()
    } else {
        own.join(", ")
    }
}

/// `1 Insufficient memory` → `Insufficient memory`.
fn uncounted(reason: &str) -> &str {
    reason
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
}

impl<'a> Trouble<'a> {
    /// The pod it was read from.
    pub fn pod(&self) -> Option<&'a Pod> {
        match self {
            Self::NoDaemonSet | Self::Refused(..) | Self::NotCreated(_) => None,
            Self::Unscheduled(pod, _)
            | Self::Creating(pod)
            | Self::Waits(pod, _, _)
            | Self::Image(pod, _)
            | Self::Fails(pod, _)
            | Self::NotReady(pod)
            | Self::Terminating(pod)
            | Self::Finished(pod) => Some(pod),
        }
    }

    /// One clause that says it.
    pub fn in_words(&self) -> String {
        match self {
            Self::NoDaemonSet => "there is no DaemonSet for it".to_owned(),
            Self::Refused(it, Refusal::Taint(taint)) => {
                format!("{} does not tolerate the taint {taint}", it.address())
            }
            Self::Refused(it, Refusal::Label { key, has, wants }) => match has {
                Some(has) => format!(
                    "{} selects {key}={wants}, and the node has {key}={has}",
                    it.address()
                ),
                None => format!(
                    "{} selects {key}={wants}, and the node has no such label",
                    it.address()
                ),
            },
            Self::Refused(it, Refusal::Affinity { key, .. }) => {
                format!(
                    "the node affinity of {} does not match the node's {key}",
                    it.address()
                )
            }
            Self::NotCreated(it) => format!(
                "{} wants a pod on this node and has made none",
                it.address()
            ),
            Self::Unscheduled(_, words) if words.is_empty() => {
                "the scheduler has not placed its pod".to_owned()
            }
            Self::Unscheduled(_, words) => {
                format!(
                    "the scheduler finds no place for its pod: {}",
                    scheduler_reason(words)
                )
            }
            Self::Creating(_) => "the kubelet has not started its containers".to_owned(),
            Self::Waits(_, container, _) => format!("it waits in init container {container}"),
            Self::Image(_, it) => format!("image {} cannot be pulled ({})", it.image, it.reason),
            Self::Fails(_, it) => {
                let kind = if it.is_init {
                    "init container"
                } else {
                    "container"
                };
                format!(
                    "{kind} {} fails ({}), {} restarts: {}",
                    it.container, it.reason, it.restarts, it.how
                )
            }
            Self::NotReady(pod) => format!("its pod is {} and not Ready", pod.status),
            Self::Terminating(_) => "its pod is being deleted".to_owned(),
            Self::Finished(pod) => format!("its pod has ended ({})", pod.status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::operands::Id;
    use crate::testing::{PodBuilder, cluster, daemon_set, daemon_set_of, node, pod_of, recorded};
    use serde_json::{Value, json};

    #[test]
    fn the_scheduler_is_quoted_for_the_one_node_that_counts() {
        for (words, want) in [
            (
                "0/5 nodes are available: 1 Insufficient memory, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/5 nodes are available.",
                "Insufficient memory",
            ),
            (
                "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.",
                "Insufficient cpu, Too many pods",
            ),
            (
                "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
                "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
            ),
            (
                "no nodes available to schedule pods",
                "no nodes available to schedule pods",
            ),
        ] {
            assert_eq!(scheduler_reason(words), want);
        }
    }

    /// A bound pod of the driver with this spec and status, and what is in its way.
    fn check(spec: Value, status: Value, want: &str) {
        let mut object = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "nodeName": "gpu-1", "containers": [{ "name": "main", "image": "registry.example/driver:1" }] }, "status": status });
        object["spec"]
            .as_object_mut()
            .unwrap()
            .extend(spec.as_object().unwrap().clone());
        let cluster = recorded([object]);
        assert_eq!(
            rung(&of_pod(&cluster.pods[0])),
            want,
            "{:?}",
            cluster.pods[0]
        );
    }

    /// The rung a pod stands on, in short.
    fn rung(trouble: &Trouble<'_>) -> String {
        match trouble {
            Trouble::NoDaemonSet => "no DaemonSet".to_owned(),
            Trouble::Refused(..) => "refused".to_owned(),
            Trouble::NotCreated(_) => "not created".to_owned(),
            Trouble::Unscheduled(_, words) => format!("unscheduled: {words}"),
            Trouble::Creating(_) => "creating".to_owned(),
            Trouble::Waits(_, init, since) => {
                let since = since.map(|it| format!(" since {it}")).unwrap_or_default();
                format!("waits in {init}{since}")
            }
            Trouble::Image(_, it) => format!(
                "image {} of {}: {}, {}",
                it.image, it.container, it.reason, it.message
            ),
            Trouble::Fails(_, it) => {
                let init = if it.is_init { "init " } else { "" };
                format!(
                    "{init}{} fails {}×: {}, {}",
                    it.container, it.restarts, it.reason, it.how
                )
            }
            Trouble::NotReady(_) => "not ready".to_owned(),
            Trouble::Terminating(_) => "terminating".to_owned(),
            Trouble::Finished(_) => "finished".to_owned(),
        }
    }

    fn main(state: Value) -> Value {
        json!({ "phase": "Pending", "containerStatuses": [{ "name": "main", "state": state }] })
    }

    fn waiting(reason: &str, message: &str) -> Value {
        json!({ "waiting": { "reason": reason, "message": message } })
    }

    #[test]
    fn a_pod_that_no_kubelet_has_touched_is_being_created() {
        check(json!({}), json!({ "phase": "Pending" }), "creating");
        check(
            json!({}),
            main(waiting("ContainerCreating", "")),
            "creating",
        );
        check(json!({}), main(waiting("", "")), "creating");
        check(json!({}), main(json!({})), "creating");
        let inits = json!({ "initContainers": [{ "name": "driver-validation" }] });
        check(inits, main(waiting("PodInitializing", "")), "creating");
    }

    #[test]
    fn a_pod_without_a_place_quotes_the_scheduler() {
        let status = json!({ "phase": "Pending", "conditions": [{ "type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Too many pods." }] });
        let unbound = json!({ "nodeName": null });
        check(
            unbound.clone(),
            status,
            "unscheduled: 0/1 nodes are available: 1 Too many pods.",
        );
        check(unbound, json!({ "phase": "Pending" }), "unscheduled: ");
    }

    /// Two init containers of which the second has this status.
    fn second_init(status: Value) -> (Value, Value) {
        let mut status = status;
        status["name"] = "toolkit-validation".into();
        let done = json!({ "name": "driver-validation", "state": { "terminated": { "exitCode": 0, "reason": "Completed" } } });
        (
            json!({ "initContainers": [
            { "name": "driver-validation", "image": "registry.example/validator:1" },
            { "name": "toolkit-validation", "image": "registry.example/validator:1" }] }),
            json!({ "phase": "Pending", "initContainerStatuses": [done, status],
            "containerStatuses": [{ "name": "main", "state": { "waiting": { "reason": "PodInitializing" } } }] }),
        )
    }

    #[test]
    fn an_init_container_that_runs_waits_for_something() {
        for (status, want) in [
            (
                json!({ "state": { "running": { "startedAt": "2026-03-02T08:21:30Z" } } }),
                "waits in toolkit-validation since 2026-03-02T08:21:30Z",
            ),
            (
                json!({ "state": { "running": {} } }),
                "waits in toolkit-validation",
            ),
            // Restarted once or twice: it may still be waiting.
            (
                json!({ "state": { "running": {} }, "restartCount": 2, "lastState": { "terminated": { "exitCode": 1 } } }),
                "waits in toolkit-validation",
            ),
            (
                json!({ "state": { "running": {} }, "restartCount": 3, "lastState": { "terminated": { "exitCode": 1 } } }),
                "init toolkit-validation fails 3×: Restarting, exit code 1",
            ),
            (
                json!({ "state": { "running": {} }, "restartCount": 9, "lastState": { "terminated": { "exitCode": 0 } } }),
                "waits in toolkit-validation",
            ),
            (
                json!({ "state": { "waiting": { "reason": "PodInitializing" } } }),
                "creating",
            ),
        ] {
            let (spec, status) = second_init(status);
            check(spec, status, want);
        }
    }

    #[test]
    fn an_init_container_that_fails_says_how() {
        for (status, want) in [
            (
                json!({ "state": { "terminated": { "exitCode": 1, "reason": "Error" } }, "restartCount": 1 }),
                "init toolkit-validation fails 1×: Error, exit code 1",
            ),
            (
                json!({ "state": { "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s" } }, "restartCount": 7,
                "lastState": { "terminated": { "exitCode": 137, "reason": "OOMKilled" } } }),
                "init toolkit-validation fails 7×: CrashLoopBackOff, OOMKilled, exit code 137",
            ),
            // Where nothing is known of the last time, the kubelet's words have to do.
            (
                json!({ "state": { "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s" } }, "restartCount": 7 }),
                "init toolkit-validation fails 7×: CrashLoopBackOff, back-off 5m0s",
            ),
            (
                json!({ "state": { "waiting": { "reason": "RunContainerError", "message": "no such file" } } }),
                "init toolkit-validation fails 0×: RunContainerError, no such file",
            ),
            (
                json!({ "state": { "waiting": { "reason": "ImagePullBackOff", "message": "not found" } } }),
                "image registry.example/validator:1 of toolkit-validation: ImagePullBackOff, not found",
            ),
        ] {
            let (spec, status) = second_init(status);
            check(spec, status, want);
        }
    }

    #[test]
    fn every_word_of_the_kubelet_for_an_image_is_about_the_image() {
        for reason in [
            "ErrImagePull",
            "ImagePullBackOff",
            "InvalidImageName",
            "ErrImageNeverPull",
            "ImageInspectError",
            "RegistryUnavailable",
            "SignatureValidationFailed",
        ] {
            let want = format!("image registry.example/driver:1 of main: {reason}, why");
            check(json!({}), main(waiting(reason, "why")), &want);
        }
    }

    #[test]
    fn every_other_word_is_a_failure_of_the_container() {
        for reason in [
            "CreateContainerConfigError",
            "CreateContainerError",
            "RunContainerError",
            "PostStartHookError",
        ] {
            check(
                json!({}),
                main(waiting(reason, "why")),
                &format!("main fails 0×: {reason}, why"),
            );
        }
    }

    #[test]
    fn a_container_that_ended_or_ends_again_and_again_fails() {
        let status = |state: Value, restarts: u32, last: Value| {
            json!({ "phase": "Running", "containerStatuses": [{ "name": "main", "state": state, "restartCount": restarts,
            "lastState": { "terminated": last } }] })
        };
        let ended = |code: i32| json!({ "terminated": { "exitCode": code, "reason": "Error" } });
        let running = || json!({ "running": {} });
        for (status, want) in [
            (
                status(ended(2), 0, json!(null)),
                "main fails 0×: Error, exit code 2",
            ),
            (
                status(
                    waiting("CrashLoopBackOff", "back-off"),
                    5,
                    json!({ "exitCode": 1, "reason": "Error" }),
                ),
                "main fails 5×: CrashLoopBackOff, exit code 1",
            ),
            (
                status(running(), 3, json!({ "exitCode": 139, "signal": 11 })),
                "main fails 3×: Restarting, signal 11",
            ),
            (status(running(), 2, json!({ "exitCode": 1 })), "not ready"),
            (status(running(), 0, json!(null)), "not ready"),
            // It ended well and is about to be started again.
            (status(ended(0), 0, json!(null)), "creating"),
        ] {
            check(json!({}), status, want);
        }
    }

    #[test]
    fn a_container_that_is_ready_is_in_nobodys_way() {
        let two = json!({ "containers": [{ "name": "main" }, { "name": "beside" }] });
        let status = |beside: Value| {
            json!({ "phase": "Running", "containerStatuses": [
            { "name": "main", "ready": true, "state": { "running": {} }, "restartCount": 9,
              "lastState": { "terminated": { "exitCode": 1 } } },
            beside] })
        };
        let beside = |state: Value| json!({ "name": "beside", "state": state });
        check(
            two.clone(),
            status(beside(json!({ "running": {} }))),
            "not ready",
        );
        check(
            two.clone(),
            status(beside(waiting("CrashLoopBackOff", "b"))),
            "beside fails 0×: CrashLoopBackOff, b",
        );
        check(
            two,
            status(beside(waiting("ContainerCreating", ""))),
            "creating",
        );
    }

    #[test]
    fn an_end_and_a_deletion_come_before_everything_else() {
        let crash = || main(waiting("CrashLoopBackOff", ""));
        let mut failed = crash();
        failed["phase"] = "Failed".into();
        check(json!({}), failed, "finished");
        check(json!({}), json!({ "phase": "Succeeded" }), "finished");
        let object = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "a", "namespace": "b", "deletionTimestamp": "2026-03-02T08:21:30Z" },
        "spec": { "nodeName": "gpu-1" }, "status": crash() });
        let cluster = recorded([object]);
        assert_eq!(rung(&of_pod(&cluster.pods[0])), "terminating");
    }

    #[test]
    fn of_a_pod_that_was_read_as_a_summary_only_readiness_is_known() {
        let mut cluster = cluster(
            [],
            [],
            [pod_of(Id::Driver, "gpu-1").phase("Pending", false)],
        );
        cluster.pods[0].details = None;
        assert_eq!(rung(&of_pod(&cluster.pods[0])), "not ready");
    }

    #[test]
    fn of_several_pods_the_one_that_is_farthest_speaks() {
        let pod = |name: &str| pod_of(Id::Driver, "gpu-1").named(name);
        let said = |pods: Vec<PodBuilder>| {
            let cluster = cluster([], [], pods);
            let pods: Vec<_> = cluster.pods.iter().collect();
            of_pods(&pods).and_then(|it| it.pod().map(|it| it.name.clone()))
        };
        for (pods, want) in [
            (vec![], None),
            (
                vec![pod("a").terminating(), pod("b").phase("Pending", false)],
                Some("b"),
            ),
            (
                vec![
                    pod("a").phase("Failed", false),
                    pod("b").phase("Pending", false),
                ],
                Some("b"),
            ),
            (
                vec![
                    pod("a").phase("Running", false),
                    pod("b").phase("Pending", false),
                ],
                Some("a"),
            ),
            (
                vec![
                    pod("a").phase("Pending", false),
                    pod("b").phase("Failed", false),
                ],
                Some("a"),
            ),
            (
                vec![pod("a").phase("Pending", false), pod("b").unscheduled("no")],
                Some("a"),
            ),
            (
                vec![pod("a").unscheduled("no"), pod("b").phase("Pending", false)],
                Some("b"),
            ),
            (
                vec![pod("a").phase("Failed", false), pod("b").terminating()],
                Some("a"),
            ),
        ] {
            assert_eq!(said(pods).as_deref(), want);
        }
    }

    #[test]
    fn without_a_pod_the_daemon_sets_are_asked() {
        let node = node("gpu-1")
            .deploys(Id::Driver, "true")
            .taint("team=ml:NoSchedule")
            .build();
        let fits = daemon_set_of(Id::Driver)
            .tolerates("team", "Exists")
            .build();
        let tainted = daemon_set_of(Id::Driver).build();
        let elsewhere = daemon_set("nvidia-driver-daemonset-x")
            .selects("kernel", "x")
            .build();
        for (daemon_sets, want) in [
            (vec![], "there is no DaemonSet for it"),
            (
                vec![&fits],
                "daemonset/nvidia-driver-daemonset wants a pod on this node and has made none",
            ),
            (
                vec![&elsewhere, &fits],
                "daemonset/nvidia-driver-daemonset wants a pod on this node and has made none",
            ),
            (
                vec![&tainted],
                "daemonset/nvidia-driver-daemonset does not tolerate the taint team=ml:NoSchedule",
            ),
            (
                vec![&elsewhere],
                "daemonset/nvidia-driver-daemonset-x selects kernel=x, and the node has no such label",
            ),
        ] {
            let trouble = without_pod(&daemon_sets, &node);
            assert_eq!(trouble.in_words(), want);
            assert!(trouble.pod().is_none());
        }
    }

    #[test]
    fn the_scheduler_is_quoted_without_numbers_and_without_other_nodes() {
        for (words, want) in [
            (
                "0/1 nodes are available: 1 Insufficient memory.",
                "Insufficient memory",
            ),
            (
                "0/9 nodes are available: 1 node(s) had untolerated taint {team: ml}, 8 node(s) didn't match Pod's node affinity/selector. preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.",
                "node(s) had untolerated taint {team: ml}",
            ),
            (
                "0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
                "Insufficient cpu, Insufficient memory",
            ),
            ("", ""),
            ("nodes are available: ", ""),
            (
                "running Reserve plugin: timed out",
                "running Reserve plugin: timed out",
            ),
        ] {
            assert_eq!(scheduler_reason(words), want);
        }
    }
}
