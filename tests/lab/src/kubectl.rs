//! Running the lab's own kubectl, with nothing of the user's environment in it.

use std::{
    env,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::Error;

/// A command that sees the lab's folder as its home, so that it neither reads nor leaves anything in the user's.
pub(crate) fn scrubbed(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("TMPDIR", home);
    if let Some(path) = env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// Runs `command`, a kubectl, with `arguments` and with `input` on stdin.
///
/// # Errors
/// [`Error::Run`] if it does not start; that kubectl fails is in the output.
pub(crate) fn run(mut command: Command, arguments: &[&str], input: &str) -> Result<Output, Error> {
    let failed = |source| Error::Run {
        program: "kubectl".to_owned(),
        source,
    };
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A kubectl that ends before it has read everything says why on stderr.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(failed)
}

/// Like [`run`], and returns stdout.
///
/// # Errors
/// [`Error::Kubectl`] too, if kubectl fails.
pub(crate) fn succeed(command: Command, arguments: &[&str], input: &str) -> Result<String, Error> {
    let output = run(command, arguments, input)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Error::Kubectl {
        command: arguments.join(" "),
        output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}
