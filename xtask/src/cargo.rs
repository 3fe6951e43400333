//! Running cargo from a program that cargo runs.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What `cargo run` sets for this program alone. Left in place, build scripts that watch these variables would run
/// again at every change between `cargo xtask ci` and a plain `cargo test`.
const OURS: &[&str] = &[
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PKG_",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_PRIMARY_PACKAGE",
];

/// The root of the work tree.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// cargo with these arguments, in the root of the work tree.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if OURS.iter().any(|it| text.starts_with(it)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command whose output the person sees.
pub(crate) fn see(mut command: Command) -> Result<(), String> {
    let program = name(&command);
    let status = command
        .status()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{program} failed ({status})"))
}

/// Runs a command and takes what it prints; if it fails, its stderr is the reason.
pub(crate) fn take(mut command: Command) -> Result<String, String> {
    let program = name(&command);
    let output = command
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    Err(format!("{program} failed ({status}): {}", said.trim_end()))
}

/// The program's name without its folder.
fn name(command: &Command) -> String {
    let path = Path::new(command.get_program());
    let name = path.file_stem().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Where the programs of the workspace lie once they are built: this one is among them.
pub(crate) fn binaries() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let folder = this.parent().ok_or("I lie in no folder")?;
    // The tests of this program lie one folder deeper.
    let above = folder.parent().filter(|_| folder.ends_with("deps"));
    Ok(above.unwrap_or(folder).to_owned())
}

/// The path of one program of the workspace.
pub(crate) fn binary(name: &str) -> Result<PathBuf, String> {
    Ok(binaries()?.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Builds every program of the workspace, with the features that the tests use too.
pub(crate) fn build_binaries() -> Result<(), String> {
    see(cargo(&["build", "--workspace", "--bins", "--locked"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_does_not_hear_of_this_package() {
        let command = cargo(&["metadata"]);
        let removed = |name: &str| {
            command
                .get_envs()
                .any(|(key, value)| key == name && value.is_none())
        };
        assert!(removed("CARGO_PKG_NAME") && removed("CARGO_MANIFEST_DIR"));
        assert!(!removed("CARGO_HOME") && !removed("CARGO_TARGET_DIR"));
    }

    #[test]
    fn a_program_that_fails_is_told_with_its_reason() {
        let error = take(cargo(&["no-such-command"])).unwrap_err();
        assert!(error.contains("no-such-command"), "{error}");
    }

    #[test]
    fn the_root_is_where_the_workspace_is() {
        assert!(root().join("clippy.toml").is_file());
    }
}
