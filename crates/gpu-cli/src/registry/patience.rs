//! How long we wait for one answer, everything included: tokens, tries, and pauses a registry asks for.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::failure::Failure;

/// Nobody waits longer than this at a registry's request, also with `--request-timeout 0`.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// The time that is left for one question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    limit: Option<Duration>,
    deadline: Option<Instant>,
}

impl Patience {
    /// Starts now; without a limit it never ends.
    pub(super) fn start(limit: Option<Duration>) -> Self {
        Self {
            limit,
            deadline: limit.and_then(|it| Instant::now().checked_add(it)),
        }
    }

    /// Is there time for a pause until then, and for a request after it?
    pub(super) fn allows(self, until: Instant) -> bool {
        let pause = until.saturating_duration_since(Instant::now());
        pause <= LONGEST_PAUSE && self.deadline.is_none_or(|it| until < it)
    }

    /// Does this, or gives up when the time is over; `None` then.
    pub(super) async fn bound<T>(self, work: impl Future<Output = T>) -> Option<T> {
        match self.deadline {
            None => Some(work.await),
            Some(deadline) => timeout_at(deadline, work).await.ok(),
        }
    }

    /// What is said when the time is over.
    pub(super) fn late(self) -> Failure {
        let limit = self.limit.unwrap_or_default();
        Failure::Unreachable(format!(
            "no answer within {limit:?}; give it longer with --request-timeout"
        ))
    }
}
