//! A pod: a summary that is always there, and details that may not have been read.

use jiff::Timestamp;

use super::node::Condition;
use super::selector::Labels;
use crate::facts::operands::Id;

/// A pod, with only the fields somebody reads.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The node it is bound to; for a DaemonSet's pod that waits for the scheduler, the node it is made for.
    pub node: Option<String>,
    /// Is it bound to that node?
    pub bound: bool,
    /// Who made it.
    pub owner: Option<Owner>,
    /// The operand it belongs to.
    pub operand: Option<Id>,
    /// Index of its DaemonSet in `Cluster::daemon_sets`.
    pub daemon_set: Option<usize>,
    /// `status.phase`.
    pub phase: Phase,
    /// Condition Ready.
    pub ready: bool,
    /// The word kubectl prints under STATUS.
    pub status: String,
    /// The number kubectl prints under RESTARTS.
    pub restarts: u32,
    /// What only the whole object tells; `None` where it was not read.
    pub details: Option<Box<Details>>,
}

/// `status.phase` of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not all containers have started.
    Pending,
    /// Bound, and a container runs, starts or restarts.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, one of them badly.
    Failed,
    /// The node does not say.
    Unknown,
}

impl Phase {
    /// Reads `status.phase`; anything else is `Unknown`.
    pub fn parse(text: &str) -> Self {
        match text {
            "Pending" => Self::Pending,
            "Running" => Self::Running,
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            _ => Self::Unknown,
        }
    }

    /// As the API server writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }
}

/// The controller of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// `DaemonSet`, `ClusterPolicy` …
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its UID, where the record has it.
    pub uid: Option<String>,
}

/// What only the whole object tells.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// Its labels.
    pub labels: Labels,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When its deletion was asked for.
    pub deleted: Option<Timestamp>,
    /// Why the scheduler finds no place, where it says so.
    pub unscheduled: Option<Condition>,
    /// Init containers in their order.
    pub init_containers: Vec<Container>,
    /// Containers in their order.
    pub containers: Vec<Container>,
    /// `spec.runtimeClassName`.
    pub runtime_class: Option<String>,
    /// The `nvidia.com/` resources its containers ask for (init containers left out, as the operator does).
    pub gpu_requests: Vec<String>,
    /// `status.message`.
    pub message: String,
}

/// A container, as wished and as it is.
#[derive(Clone, Debug)]
pub struct Container {
    /// Its name.
    pub name: String,
    /// The image its spec names.
    pub image: String,
    /// Is it ready?
    pub ready: bool,
    /// How often it was started again.
    pub restarts: u32,
    /// How it is now.
    pub state: State,
    /// How it ended the last time.
    pub last: Option<Ended>,
    /// An init container that keeps running beside the others.
    pub sidecar: bool,
    /// Its startup probe has passed, or it has none and runs.
    pub started: bool,
}

/// How a container is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits, with a reason and a message.
    Waiting(String, String),
    /// It runs, since then.
    Running(Option<Timestamp>),
    /// It ended.
    Ended(Ended),
    /// It has no status: the kubelet has not taken the pod.
    Unsaid,
}

/// How a container ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Exit code.
    pub code: i32,
    /// Signal, 0 for none.
    pub signal: i32,
    /// One word, such as `OOMKilled`.
    pub reason: String,
    /// The last words, where the kubelet kept them.
    pub message: String,
    /// When.
    pub at: Option<Timestamp>,
}

impl Ended {
    /// As a short clause: `OOMKilled, exit code 137`.
    pub fn in_words(&self) -> String {
        let how = if self.signal != 0 {
            format!("signal {}", self.signal)
        } else {
            format!("exit code {}", self.code)
        };
        match self.reason.as_str() {
            "" | "Error" | "Completed" => how,
            reason => format!("{reason}, {how}"),
        }
    }
}

impl Details {
    /// The first init container that has not done its work, with its place and how many there are.
    pub fn waiting_init(&self) -> Option<(usize, &Container)> {
        self.init_containers.iter().enumerate().find(|(_, it)| {
            let done =
                matches!(&it.state, State::Ended(ended) if ended.code == 0 && ended.signal == 0);
            !(done || it.sidecar && it.started && matches!(it.state, State::Running(_)))
        })
    }
}

impl Pod {
    /// In phase Running: the one thing the strict rule asks.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Is it being deleted?
    pub fn is_terminating(&self) -> bool {
        self.status == "Terminating" || self.details.as_ref().is_some_and(|it| it.deleted.is_some())
    }

    /// Has it ended for good? Such pods stay listed and mean nothing for an operand.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// As kubectl addresses it.
    pub fn address(&self) -> String {
        format!("pod/{}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{node, pod_of};

    fn ended(code: i32, signal: i32, reason: &str) -> Ended {
        Ended {
            code,
            signal,
            reason: reason.into(),
            message: String::new(),
            at: None,
        }
    }

    #[test]
    fn an_end_is_told_by_its_reason_where_that_says_more_than_its_code() {
        for (it, want) in [
            (ended(1, 0, "Error"), "exit code 1"),
            (ended(0, 0, "Completed"), "exit code 0"),
            (ended(2, 0, ""), "exit code 2"),
            (ended(137, 0, "OOMKilled"), "OOMKilled, exit code 137"),
            (ended(137, 9, "Error"), "signal 9"),
            (ended(128, 0, "StartError"), "StartError, exit code 128"),
            (
                ended(143, 15, "DeadlineExceeded"),
                "DeadlineExceeded, signal 15",
            ),
        ] {
            assert_eq!(it.in_words(), want);
        }
    }

    /// Where a pod with init containers in these states waits; the last field of a state says that it is a sidecar.
    fn waits(states: Vec<(State, bool)>) -> Option<usize> {
        let container = |(state, sidecar): (State, bool)| Container {
            name: "c".into(),
            image: String::new(),
            ready: false,
            restarts: 0,
            state,
            last: None,
            started: true,
            sidecar,
        };
        let details = Details {
            init_containers: states.into_iter().map(container).collect(),
            ..Details::default()
        };
        details.waiting_init().map(|(at, _)| at)
    }

    #[test]
    fn a_pod_waits_in_the_first_init_container_that_has_not_done_its_work() {
        let done = || (State::Ended(ended(0, 0, "Completed")), false);
        let failed = || (State::Ended(ended(1, 0, "Error")), false);
        let killed = || (State::Ended(ended(0, 9, "Error")), false);
        let runs = || (State::Running(None), false);
        let sidecar = || (State::Running(None), true);
        let waiting = || {
            (
                State::Waiting("PodInitializing".into(), String::new()),
                false,
            )
        };
        let unsaid = || (State::Unsaid, false);
        for (states, want) in [
            (vec![], None),
            (vec![done()], None),
            (vec![runs(), waiting()], Some(0)),
            (vec![done(), runs(), waiting()], Some(1)),
            (vec![done(), failed()], Some(1)),
            (vec![killed()], Some(0)),
            (vec![sidecar(), done()], None),
            (vec![sidecar(), runs()], Some(1)),
            (vec![unsaid(), unsaid()], Some(0)),
        ] {
            assert_eq!(waits(states.clone()), want, "{states:?}");
        }
    }

    #[test]
    fn a_pod_that_ended_is_finished_and_no_other_is() {
        for (phase, running, finished) in [
            ("Pending", false, false),
            ("Running", true, false),
            ("Succeeded", false, true),
            ("Failed", false, true),
            ("Unknown", false, false),
        ] {
            let pods = crate::testing::cluster(
                [node("a")],
                [],
                [pod_of(Id::Dcgm, "a").phase(phase, false)],
            )
            .pods;
            assert_eq!(
                (pods[0].is_running(), pods[0].is_finished()),
                (running, finished),
                "{phase}"
            );
            assert_eq!(pods[0].phase.name(), phase);
            assert!(!pods[0].is_terminating());
        }
    }

    #[test]
    fn a_summary_without_details_still_tells_that_a_pod_is_on_its_way_out() {
        let mut pods = crate::testing::cluster([], [], [pod_of(Id::Dcgm, "a")]).pods;
        let pod = &mut pods[0];
        pod.details = None;
        assert!(!pod.is_terminating());
        pod.status = "Terminating".into();
        assert!(pod.is_terminating());
    }
}
