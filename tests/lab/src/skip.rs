//! Tests without a control plane: skipped out loud where it cannot be built, and failed in CI.

use std::{
    env,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{Error, Krew, Lab, Programs, platform, say::say};

/// Starts a lab for the test `name`. Where a program is missing and cannot be built, says on stderr what is needed,
/// counts the test as skipped, and returns `None`: the test should then return.
///
/// # Panics
/// If the lab does not start for any other reason, and with `CI=true` for that reason too.
pub fn start_or_skip(name: &str) -> Option<Lab> {
    programs_or_skip(name)?;
    match Lab::start() {
        Ok(lab) => Some(lab),
        Err(error) => panic!("{name} needs the lab: {error}"),
    }
}

/// The same for a test that starts its labs in another way: only finds or builds the programs.
///
/// # Panics
/// As [`start_or_skip`].
pub fn programs_or_skip(name: &str) -> Option<Programs> {
    or_skip(name, Programs::find_or_build)
}

/// The same for a test that needs the image registry and no control plane.
///
/// # Panics
/// As [`start_or_skip`].
pub fn registry_or_skip(name: &str) -> Option<PathBuf> {
    or_skip(name, Programs::registry)
}

/// The same for a test that needs krew.
///
/// # Panics
/// As [`start_or_skip`].
pub fn krew_or_skip(name: &str) -> Option<Krew> {
    or_skip(name, Programs::krew)
}

fn or_skip<T>(name: &str, find: impl FnOnce() -> Result<T, Error>) -> Option<T> {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let in_ci = env::var("CI").is_ok_and(|it| it == "true");
    match platform::supported().and_then(|()| find()) {
        Ok(found) => Some(found),
        Err(reason @ (Error::Missing(_) | Error::Platform)) if !in_ci => {
            let n_skipped = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
            say(&format!(
                "SKIPPED {name} ({n_skipped} in this program so far): {reason}"
            ));
            None
        }
        Err(error) => panic!("{name} needs the lab: {error}"),
    }
}
