//! Waiting with a limit: the one place of the lab that sleeps.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::Error;

/// Short enough that nobody waits for it, long enough to cost nothing.
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// Calls `look` until it returns something, and returns that.
///
/// # Errors
/// [`Error::Timeout`], naming `what`, when `limit` has passed.
pub fn wait_until<T>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> Option<T>,
) -> Result<T, Error> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if Instant::now() >= deadline {
            return Err(Error::Timeout {
                what: what.to_owned(),
                limit,
            });
        }
        a_moment();
    }
}

/// The time between two looks at something that may take for ever.
pub(crate) fn a_moment() {
    thread::sleep(BETWEEN_LOOKS);
}
