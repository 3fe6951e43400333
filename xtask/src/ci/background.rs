//! A command that runs beside the steps, its output kept in a file until somebody needs its result.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::{cargo::binaries, say::say};

const LAST_LINES: usize = 30;
/// So that nobody thinks a long wait is a hang.
const REMINDER: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(200);

/// A command that has been started; it is ended with this value.
pub(super) struct Background {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Background {
    /// Starts it.
    pub(super) fn start(name: &'static str, mut command: Command) -> Result<Self, String> {
        let log = binaries()?.join(format!("{}.log", name.replace(' ', "-")));
        let failed = |error| format!("cannot start the {name}: {error}");
        let file = File::create(&log).map_err(failed)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone().map_err(failed)?)
            .stderr(file)
            .spawn()
            .map_err(failed)?;
        say(&format!(
            "beside the other steps: {name} ({})",
            log.display()
        ));
        Ok(Self { name, child, log })
    }

    /// Waits for its end; the error has the last lines it said.
    pub(super) fn wait(mut self) -> Result<(), String> {
        let mut waited = Duration::ZERO;
        let status = loop {
            let failed = |error| format!("cannot wait for the {}: {error}", self.name);
            if let Some(status) = self.child.try_wait().map_err(failed)? {
                break status;
            }
            if waited.as_millis().is_multiple_of(REMINDER.as_millis()) {
                let last = self.last_lines(1);
                say(&format!("waiting for the {}: {last}", self.name));
            }
            std::thread::sleep(LOOK);
            waited += LOOK;
        };
        if status.success() {
            return Ok(());
        }
        let last = self.last_lines(LAST_LINES);
        Err(format!("the {} failed ({status}):\n{last}", self.name))
    }

    fn last_lines(&self, n_lines: usize) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(n_lines)..].join("\n")
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Both fail where it has ended by itself, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::cargo;

    #[test]
    fn a_command_that_works_and_one_that_fails_are_told_apart() {
        let start = |name, args: &[&str]| Background::start(name, cargo(args)).unwrap();
        start("version of cargo", &["--version"]).wait().unwrap();
        let error = start("wrong command", &["no-such-command"])
            .wait()
            .unwrap_err();
        assert!(error.contains("the wrong command failed"), "{error}");
        assert!(error.contains("no-such-command"), "{error}");
    }
}
