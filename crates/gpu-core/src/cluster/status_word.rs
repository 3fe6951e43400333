//! The word kubectl prints under STATUS for a pod, and the number under RESTARTS.
//!
//! Source: kubernetes/kubernetes pkg/printers/internalversion/printers.go (printPod). Read at: v1.36.

use super::pod::{Container, Details, Ended, State};

/// What of a pod's object the word depends on.
pub(super) struct Input<'a> {
    /// `status.phase`.
    pub(super) phase: &'a str,
    /// `status.reason`.
    pub(super) reason: Option<&'a str>,
    /// Condition PodScheduled is False with reason SchedulingGated.
    pub(super) gated: bool,
    /// Condition Initialized.
    pub(super) initialized: bool,
    /// Condition Ready.
    pub(super) ready: bool,
    /// Containers.
    pub(super) details: &'a Details,
}

/// The word and the number of restarts.
pub(super) fn status_word(pod: &Input<'_>) -> (String, u32) {
    let mut word = pod.reason.unwrap_or(pod.phase).to_owned();
    if pod.gated {
        "SchedulingGated".clone_into(&mut word);
    }
    let (mut restarts, mut sidecar_restarts) = (0, 0);
    let mut initializing = false;
    let n_init = pod.details.init_containers.len();
    for (at, it) in pod.details.init_containers.iter().enumerate() {
        // Until the kubelet has taken the pod there are no statuses, and kubectl counts none.
        if it.state == State::Unsaid {
            continue;
        }
        restarts += it.restarts;
        sidecar_restarts += if it.sidecar { it.restarts } else { 0 };
        if let Some(init_word) = init_word(it, at, n_init) {
            word = format!("Init:{init_word}");
            initializing = true;
            break;
        }
    }
    if !initializing || pod.initialized {
        restarts = sidecar_restarts;
        word = main_word(pod, word, &mut restarts);
    }
    if pod.details.deleted.is_some() {
        word = match pod.reason {
            Some("NodeLost") => "Unknown".to_owned(),
            _ if pod.phase == "Succeeded" || pod.phase == "Failed" => word,
            _ => "Terminating".to_owned(),
        };
    }
    (word, restarts)
}

/// What an init container that is not done contributes; `None` once it is.
fn init_word(it: &Container, at: usize, n_init: usize) -> Option<String> {
    match &it.state {
        State::Ended(ended) if ended.code == 0 && ended.signal == 0 => None,
        State::Ended(ended) => Some(ended_word(ended)),
        State::Running(_) if it.sidecar && it.started => None,
        State::Waiting(reason, _) if !reason.is_empty() && reason != "PodInitializing" => {
            Some(reason.clone())
        }
        _ => Some(format!("{at}/{n_init}")),
    }
}

fn ended_word(ended: &Ended) -> String {
    match ended.reason.as_str() {
        "" if ended.signal != 0 => format!("Signal:{}", ended.signal),
        "" => format!("ExitCode:{}", ended.code),
        reason => reason.to_owned(),
    }
}

fn main_word(pod: &Input<'_>, mut word: String, restarts: &mut u32) -> String {
    let mut has_running = false;
    for it in pod.details.containers.iter().rev() {
        *restarts += it.restarts;
        match &it.state {
            State::Waiting(reason, _) if !reason.is_empty() => word.clone_from(reason),
            State::Ended(ended) => word = ended_word(ended),
            State::Running(_) if it.ready => has_running = true,
            _ => {}
        }
    }
    if word == "Completed" && has_running {
        return if pod.ready { "Running" } else { "NotReady" }.to_owned();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(state: State, ready: bool, restarts: u32) -> Container {
        Container {
            name: "c".into(),
            image: String::new(),
            ready,
            restarts,
            state,
            last: None,
            started: true,
            sidecar: false,
        }
    }
    fn ended(code: i32, reason: &str) -> State {
        State::Ended(Ended {
            code,
            signal: 0,
            reason: reason.into(),
            message: String::new(),
            at: None,
        })
    }
    fn waiting(reason: &str) -> State {
        State::Waiting(reason.into(), String::new())
    }
    fn word(phase: &str, init: Vec<Container>, main: Vec<Container>) -> (String, u32) {
        let details = Details {
            init_containers: init,
            containers: main,
            ..Details::default()
        };
        status_word(&Input {
            phase,
            reason: None,
            gated: false,
            initialized: false,
            ready: false,
            details: &details,
        })
    }

    #[test]
    #[rustfmt::skip]
    fn the_word_is_the_one_kubectl_prints() {
        let run = || State::Running(None);
        for (phase, init, main, want) in [
            ("Running", vec![], vec![container(run(), true, 0)], ("Running", 0)),
            ("Pending", vec![container(run(), false, 0)], vec![container(waiting("PodInitializing"), false, 0)], ("Init:0/1", 0)),
            ("Pending", vec![container(ended(0, "Completed"), true, 0), container(waiting("PodInitializing"), false, 0)], vec![], ("Init:1/2", 0)),
            ("Pending", vec![container(waiting("CrashLoopBackOff"), false, 4)], vec![], ("Init:CrashLoopBackOff", 4)),
            ("Pending", vec![container(ended(1, "Error"), false, 2)], vec![], ("Init:Error", 2)),
            ("Pending", vec![], vec![container(waiting("ImagePullBackOff"), false, 0)], ("ImagePullBackOff", 0)),
            ("Running", vec![container(ended(0, ""), true, 3)], vec![container(waiting("CrashLoopBackOff"), false, 7)], ("CrashLoopBackOff", 7)),
            ("Succeeded", vec![], vec![container(ended(0, "Completed"), false, 0)], ("Completed", 0)),
            ("Running", vec![], vec![container(ended(0, "Completed"), false, 0), container(run(), true, 1)], ("NotReady", 1)),
            ("Failed", vec![], vec![container(ended(3, ""), false, 0)], ("ExitCode:3", 0)),
            ("Pending", vec![], vec![], ("Pending", 0)),
        ] {
            assert_eq!(
                word(phase, init, main),
                (want.0.to_owned(), want.1),
                "{want:?}"
            );
        }
    }

    #[test]
    fn a_pod_that_is_being_deleted_says_so_unless_it_has_ended() {
        let details = Details {
            deleted: Some(jiff::Timestamp::UNIX_EPOCH),
            ..Details::default()
        };
        let word = |phase, reason| {
            status_word(&Input {
                phase,
                reason,
                gated: false,
                initialized: true,
                ready: false,
                details: &details,
            })
            .0
        };
        assert_eq!(word("Running", None), "Terminating");
        assert_eq!(word("Running", Some("NodeLost")), "Unknown");
        assert_eq!(word("Failed", Some("Evicted")), "Evicted");
    }
}
