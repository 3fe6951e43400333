//! cargo-deny: installed once per machine, outside the work tree.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use super::background::Background;
use crate::{
    Failure,
    cargo::{cargo, root, see},
    tools,
};

const VERSION: &str = "0.20.2";

/// Checks bans, licences and sources, once it is installed.
pub(super) fn check(install: Option<Background>) -> Result<(), String> {
    if let Some(install) = install {
        install.wait()?;
    }
    see(deny(
        &["--locked", "check", "--hide-inclusion-graph"],
        &["bans", "licenses", "sources"],
    ))
}

/// `cargo xtask advisories`: known weaknesses of what we depend on. Its database is on GitHub, and changes without any
/// change of ours; so it is no part of `cargo xtask ci`.
pub(crate) fn advisories(args: &[String]) -> Result<(), Failure> {
    if !args.is_empty() {
        let why = format!("advisories takes no arguments, not '{}'", args.join(" "));
        return Err(Failure::Usage(why));
    }
    if let Some(install) = install()? {
        install.wait()?;
    }
    Ok(see(deny(&["--locked", "check"], &["advisories"]))?)
}

fn deny(flags: &[&str], checks: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(flags).args(checks);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Starts to install it where it is not there.
pub(super) fn install() -> Result<Option<Background>, String> {
    if program().is_file() {
        return Ok(None);
    }
    let mut command = cargo(&["install", "cargo-deny", "--version", VERSION, "--locked"]);
    // Its own target folder: in ours it would wait for every build step.
    command
        .arg("--root")
        .arg(folder())
        .env_remove("CARGO_TARGET_DIR");
    Background::start("cargo-deny", command).map(Some)
}

fn program() -> PathBuf {
    let name = format!("cargo-deny{}", env::consts::EXE_SUFFIX);
    folder().join("bin").join(name)
}

fn folder() -> PathBuf {
    tools::folder(&format!("cargo-deny-{VERSION}"))
}
