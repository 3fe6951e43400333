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
}
