//! The states a pod can be held in: our annotation, and the word kubectl prints for each.

use std::fmt;

/// The annotation on a pod, or on a pod template, that asks for a state; with `.NODE` behind it, on that node only.
const ANNOTATION: &str = "lab.kubectl-gpu.io/state";

/// What the lab's kubelet is asked to say about a pod. Without a container the first main one is meant; the container
/// of `ImagePullBackOff`, `CrashLoop` and `NotReady` may be an init container too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodState {
    /// Everything runs; as without the annotation.
    Ready,
    /// Scheduled, and nothing has started: `ContainerCreating`, or `Init:0/N`.
    Pending,
    /// The named init container runs, those before it have completed: `Init:M/N`.
    Init(String),
    /// A container's image cannot be pulled: `ImagePullBackOff`.
    ImagePullBackOff(Option<String>),
    /// A container ends each time it is started: `CrashLoopBackOff`, with seven restarts.
    CrashLoop(Option<String>),
    /// Everything runs and a container is not ready: `Running`, `0/1`.
    NotReady(Option<String>),
    /// Everything has run and ended well, for good: `Completed`.
    Completed,
}

impl PodState {
    /// The key of the annotation, for a pod wherever it runs.
    pub fn annotation() -> String {
        ANNOTATION.to_owned()
    }

    /// The key of the annotation that counts on one node only, and before the other: for the template of a DaemonSet,
    /// which all of its pods share.
    pub fn annotation_on(node: &str) -> String {
        format!("{ANNOTATION}.{node}")
    }
}

/// The value of the annotation.
impl fmt::Display for PodState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, container) = match self {
            PodState::Ready => ("ready", None),
            PodState::Pending => ("pending", None),
            PodState::Init(container) => ("init", Some(container)),
            PodState::ImagePullBackOff(container) => ("image-pull-backoff", container.as_ref()),
            PodState::CrashLoop(container) => ("crash-loop", container.as_ref()),
            PodState::NotReady(container) => ("not-ready", container.as_ref()),
            PodState::Completed => ("completed", None),
        };
        match container {
            Some(container) => write!(f, "{state}:{container}"),
            None => f.write_str(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PodState;

    #[test]
    fn a_state_is_written_with_its_container_if_it_names_one() {
        let value = |it: PodState| it.to_string();
        assert_eq!(value(PodState::CrashLoop(None)), "crash-loop");
        assert_eq!(
            value(PodState::CrashLoop(Some("driver".into()))),
            "crash-loop:driver"
        );
        assert_eq!(value(PodState::Init("wait".into())), "init:wait");
        assert_eq!(PodState::annotation_on("n1"), "lab.kubectl-gpu.io/state.n1");
    }
}
