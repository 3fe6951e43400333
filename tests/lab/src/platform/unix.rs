//! Linux and macOS.

use std::{
    fs, io,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

use rustix::process;

use super::Signal;
use crate::Error;

/// Fails where there can be no lab.
pub(crate) fn supported() -> Result<(), Error> {
    Ok(())
}

/// Starts the command in a process group of its own, out of reach of the terminal's Ctrl-C.
pub(crate) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Sends a signal; a process that is already gone is fine.
pub(crate) fn send(pid: u32, signal: Signal) {
    let signal = match signal {
        Signal::Terminate => process::Signal::TERM,
        Signal::Kill => process::Signal::KILL,
    };
    if let Some(pid) = as_pid(pid) {
        // The only expected failure is that the process has just ended.
        let _ = process::kill_process(pid, signal);
    }
}

/// Sets `stop` on the signals that ask a process to end.
pub(crate) fn set_on_signals(stop: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(stop))?;
    }
    Ok(())
}

/// The leader of this process's session: the shell of the terminal; `None` if it is outside our view.
pub(crate) fn session_leader() -> Option<u32> {
    if cfg!(target_os = "linux") {
        // rustix's getsid panics where the leader is outside our process namespace, as in some containers.
        return leader_in(&after_name(std::process::id())?);
    }
    let leader = process::getsid(None).ok()?;
    u32::try_from(leader.as_raw_nonzero().get()).ok()
}

/// The session in the fields that [`after_name`] gives; the kernel writes 0 for one outside our view.
fn leader_in(fields: &[String]) -> Option<u32> {
    fields.get(3)?.parse().ok().filter(|&it| it != 0)
}

/// When the process started, in the system's own unit; `None` where the system does not tell, or there is no process.
pub(crate) fn started(pid: u32) -> Option<u64> {
    after_name(pid)?.get(19)?.parse().ok()
}

/// Whether the process runs; one that has ended and waits to be collected does not.
pub(crate) fn is_running(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        return after_name(pid).is_some_and(|fields| fields.first().is_some_and(|it| it != "Z"));
    }
    as_pid(pid).is_some_and(|pid| process::test_kill_process(pid).is_ok())
}

/// The command line of a process, its words separated by spaces; empty if there is none to see.
pub(crate) fn command_line(pid: u32) -> String {
    if cfg!(target_os = "linux") {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        return String::from_utf8_lossy(&words).replace('\0', " ");
    }
    let listed = Command::new("ps")
        .args(["-ww", "-o", "command=", "-p", &pid.to_string()])
        .output();
    listed.map_or_else(
        |_| String::new(),
        |it| String::from_utf8_lossy(&it.stdout).into_owned(),
    )
}

/// The one place of this user's labs.
pub(crate) fn labs_root() -> PathBuf {
    let user = process::getuid().as_raw();
    std::env::temp_dir().join(format!("kubectl-gpu-lab-{user}"))
}

/// Makes a folder that nobody else can look into; one that is already there must be ours.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(it) if it.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let found = fs::symlink_metadata(path)?;
    let ours = found.is_dir() && found.uid() == process::getuid().as_raw();
    if ours && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it is not a private folder of this user",
    ))
}

/// Writes a file that nobody else can read.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    io::Write::write_all(&mut options.open(path)?, text.as_bytes())
}

/// Whether the open file is still the one at `path`.
pub(crate) fn is_at(file: &fs::File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => open.ino() == there.ino() && open.dev() == there.dev(),
        _ => false,
    }
}

/// The fields of `/proc/PID/stat` after the name, which may itself hold spaces and brackets: the state comes first.
fn after_name(pid: u32) -> Option<Vec<String>> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

fn as_pid(pid: u32) -> Option<process::Pid> {
    process::Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(test)]
mod tests {
    use super::leader_in;

    #[test]
    fn a_session_leader_outside_our_process_namespace_is_nobody() {
        let leader =
            |fields: &str| leader_in(&fields.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(leader("S 4011 4012 4007 34816 4012"), Some(4007));
        assert_eq!(leader("S 0 1 0 0 -1"), None);
        assert_eq!(leader("S"), None);
    }
}
