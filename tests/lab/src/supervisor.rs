//! The process around a control plane: it ends with its owner, however that ends, and leaves nothing behind.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    Error, Programs,
    control_plane::ControlPlane,
    folder::Folder,
    platform,
    programs::last_lines,
    say,
    wait::{a_moment, wait_until},
};

/// The name of the program, and of its line in the list of processes.
const PROGRAM: &str = "lab-supervisor";
/// The file that says that the lab in a folder answers.
pub(crate) const READY: &str = "ready";
/// Longer than five processes take that all have to be killed.
const END: Duration = Duration::from_secs(30);

/// Whose end is the end of the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Whoever holds the other end of stdin.
    Stdin,
    /// The process that leads a terminal's session.
    Session(u32),
    /// Nobody: it runs until it is asked to end.
    Nobody,
}

impl Owner {
    fn as_argument(self) -> String {
        match self {
            Owner::Stdin => "stdin".to_owned(),
            Owner::Session(pid) => format!("session:{pid}"),
            Owner::Nobody => "nobody".to_owned(),
        }
    }

    fn from_argument(text: &str) -> Option<Owner> {
        match text.split_once(':') {
            None if text == "stdin" => Some(Owner::Stdin),
            None if text == "nobody" => Some(Owner::Nobody),
            Some(("session", pid)) => pid.parse().ok().map(Owner::Session),
            None | Some(_) => None,
        }
    }
}

/// A supervisor that this process started; dropping it ends a lab whose owner is stdin, and waits for the end.
pub(crate) struct Supervisor {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Supervisor {
    /// Starts a lab in the folder `name` and waits until it answers.
    ///
    /// # Errors
    /// [`Error::Supervisor`] with what the supervisor said.
    pub(crate) fn start(name: &str, owner: Owner) -> Result<(Supervisor, PathBuf), Error> {
        platform::supported()?;
        let folder = platform::labs_root().join(name);
        let program = program()?;
        let failed = |source| Error::Run {
            program: program.display().to_string(),
            source,
        };
        let mut command = Command::new(&program);
        command
            .arg(&folder)
            .arg(owner.as_argument())
            .stdout(Stdio::piped());
        platform::own_group(&mut command);
        match owner {
            Owner::Stdin => command.stdin(Stdio::piped()),
            // A pipe that stays open would keep whoever reads it waiting for as long as the lab runs.
            Owner::Session(_) | Owner::Nobody if !io::stderr().is_terminal() => {
                command.stdin(Stdio::null()).stderr(Stdio::null())
            }
            Owner::Session(_) | Owner::Nobody => command.stdin(Stdio::null()),
        };
        let mut child = command.spawn().map_err(failed)?;
        let stdout = child.stdout.take();
        let supervisor = Supervisor {
            stdin: child.stdin.take(),
            child,
        };
        let mut line = String::new();
        if let Some(stdout) = stdout {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(failed)?;
        }
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said["error"].as_str() {
            None if said["ready"] == true => Ok((supervisor, folder)),
            Some(error) => Err(Error::Supervisor(error.to_owned())),
            None => Err(Error::Supervisor(
                "the lab's supervisor ended while it started; start it again".to_owned(),
            )),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let Some(stdin) = self.stdin.take() else {
            return;
        };
        drop(stdin);
        let gone = || self.child.try_wait().ok().flatten();
        if wait_until(PROGRAM, END, gone).is_err() {
            say::say("the supervisor does not end; the next lab will sweep what it leaves");
            // It is our own child, so both can only fail if it has just ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The main function of `lab-supervisor FOLDER OWNER`: runs one lab, says on stdout in one line of JSON whether it is
/// ready, and ends with its owner, on a signal, or when a process of the lab ends.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let owner = arguments.get(1).and_then(|it| Owner::from_argument(it));
    let name = arguments
        .first()
        .and_then(|it| Path::new(it).file_name()?.to_str());
    let (Some(name), Some(owner)) = (name, owner) else {
        say::say("this program is started by the lab itself; use `cargo xtask lab up`");
        return ExitCode::from(2);
    };
    match supervise(name, owner) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Before the ready line the owner reads this; after it, nobody does.
            let _ = say::answer(&json!({"error": error.to_string()}).to_string());
            ExitCode::FAILURE
        }
    }
}

fn supervise(name: &str, owner: Owner) -> Result<(), Error> {
    platform::supported()?;
    let stop = Arc::new(AtomicBool::new(false));
    platform::set_on_signals(&stop).map_err(Error::file("the signal handlers"))?;
    if owner == Owner::Stdin {
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            // Nothing is ever written there: it ends when the last holder of the other end has gone.
            let _ = io::stdin().read_to_end(&mut Vec::new());
            stop.store(true, Ordering::Relaxed);
        });
    }
    let programs = Programs::find_or_build()?;
    let folder = Folder::create(name)?;
    folder.record(PROGRAM, std::process::id())?;
    let mut plane = ControlPlane::start(&programs, &folder, &stop)?;
    let ready = folder.path().join(READY);
    fs::write(&ready, "").map_err(Error::file(ready))?;
    if say::answer(&json!({"ready": true}).to_string()).is_err() {
        return Ok(());
    }
    while !stop.load(Ordering::Relaxed) && !has_gone(owner) {
        if let Some(error) = plane.ended(folder.path()) {
            say::say(&format!("{error}; the lab stops"));
            return Ok(());
        }
        a_moment();
    }
    Ok(())
}

fn has_gone(owner: Owner) -> bool {
    match owner {
        Owner::Session(leader) => !platform::is_running(leader),
        // The end of stdin sets the stop flag.
        Owner::Stdin | Owner::Nobody => false,
    }
}

/// The supervisor's program: Cargo gives its path only to tests of this package, so everybody else builds it, once per
/// process and usually in no time.
fn program() -> Result<PathBuf, Error> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(given) = env::var_os(format!("CARGO_BIN_EXE_{PROGRAM}")) {
        return Ok(given.into());
    }
    match BUILT.get() {
        Some(built) => Ok(built.clone()),
        None => build().map(|it| BUILT.get_or_init(|| it).clone()),
    }
}

fn build() -> Result<PathBuf, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "build",
            "--quiet",
            "--bin",
            PROGRAM,
            "--message-format",
            "json",
        ])
        .output()
        .map_err(|source| Error::Run {
            program: "cargo".to_owned(),
            source,
        })?;
    let executable = String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|it| it["executable"].as_str().map(PathBuf::from));
    executable.ok_or_else(|| {
        let output = last_lines(&String::from_utf8_lossy(&built.stderr));
        Error::Supervisor(format!(
            "cannot build {PROGRAM}; run `cargo build -p lab`: {output}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::Owner;

    #[test]
    fn an_owner_survives_the_command_line() {
        for owner in [Owner::Stdin, Owner::Session(42), Owner::Nobody] {
            assert_eq!(Owner::from_argument(&owner.as_argument()), Some(owner));
        }
        assert_eq!(Owner::from_argument("session:shell"), None);
        assert_eq!(Owner::from_argument("somebody"), None);
    }
}
