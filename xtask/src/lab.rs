//! `cargo xtask lab up|down|status|apply NAME`: the real control plane, kept running for a person.

use std::{env, process::Command};

/// Runs the lab's own command with `args`, which speaks for itself on stdout and stderr.
///
/// # Errors
/// If it cannot be built, or failed; it has then said why.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "run",
            "--quiet",
            "--package",
            "lab",
            "--bin",
            "labctl",
            "--",
        ])
        .args(args)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("the lab's command failed ({status})"))
}
