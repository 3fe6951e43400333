//! The one folder of a lab: held by a lock for as long as its supervisor lives, swept by the next lab if that was killed.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    Error,
    platform::{self, Signal},
    wait::wait_until,
};

/// Held for the life of a lab; free means that its supervisor is gone.
const LOCK: &str = "lock";
/// One line per process: pid, start time, name.
const PROCESSES: &str = "processes";
/// How long a killed process may take to vanish.
const KILLED: Duration = Duration::from_secs(5);

/// A lab's folder, owned by the supervisor; dropped with all it holds.
pub(crate) struct Folder {
    path: PathBuf,
    lock: Option<File>,
}

impl Folder {
    /// Sweeps what killed supervisors left, then makes the folder `name`.
    ///
    /// # Errors
    /// [`Error::Supervisor`] if a living lab has that name; [`Error::File`] if the folder cannot be made.
    pub(crate) fn create(name: &str) -> Result<Folder, Error> {
        let root = Root::lock()?;
        root.sweep()?;
        let path = root.path.join(name);
        if path.exists() {
            return Err(Error::Supervisor(format!(
                "a lab already runs in {}; stop it with `cargo xtask lab down`",
                path.display()
            )));
        }
        platform::private_folder(&path).map_err(Error::file(&path))?;
        let lock = File::create(path.join(LOCK)).map_err(Error::file(&path))?;
        lock.lock().map_err(Error::file(&path))?;
        Ok(Folder {
            path,
            lock: Some(lock),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a process, so that a later lab can end it if this one cannot.
    pub(crate) fn record(&self, name: &str, pid: u32) -> Result<(), Error> {
        let path = self.path.join(PROCESSES);
        let started = platform::started(pid).unwrap_or_default();
        File::options()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut it| writeln!(it, "{pid} {started} {name}"))
            .map_err(Error::file(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        match Root::lock() {
            Ok(root) => {
                self.lock = None;
                root.remove(&self.path);
            }
            // Without the lock somebody else may be at work there; the next lab sweeps.
            Err(error) => {
                crate::say::say(&format!("{} is left behind: {error}", self.path.display()))
            }
        }
    }
}

/// Where the lab called `name` lies, if it runs.
pub(crate) fn running(name: &str) -> Option<PathBuf> {
    let path = platform::labs_root().join(name);
    is_live(&path).then_some(path)
}

/// The supervisor of the lab in this folder, if it is verifiably that.
pub(crate) fn supervisor(folder: &Path) -> Option<u32> {
    let mut recorded = recorded(folder).into_iter();
    recorded
        .find(|it| it.name == "lab-supervisor" && it.is_of(folder))
        .map(|it| it.pid)
}

/// Ends what killed supervisors left and deletes their folders.
///
/// # Errors
/// [`Error::File`] if the place of the labs cannot be used.
pub(crate) fn sweep() -> Result<(), Error> {
    let root = Root::lock()?;
    root.sweep()?;
    root.remove_if_empty();
    Ok(())
}

/// The place of this user's labs, while nobody else makes or removes one there.
struct Root {
    path: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Root {
    /// The lock file goes away with the last lab, so the one that was opened may no longer be the one that counts.
    fn lock() -> Result<Root, Error> {
        let path = platform::labs_root();
        let lock = path.join(".lock");
        loop {
            platform::private_folder(&path).map_err(Error::file(&path))?;
            let held = match File::create(&lock) {
                Err(it) if it.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(Error::file(&lock))?,
            };
            held.lock().map_err(Error::file(&lock))?;
            if platform::is_at(&held, &lock) {
                return Ok(Root {
                    path,
                    lock,
                    _held: held,
                });
            }
        }
    }

    fn sweep(&self) -> Result<(), Error> {
        let entries = fs::read_dir(&self.path).map_err(Error::file(&self.path))?;
        for folder in entries.flatten().map(|it| it.path()) {
            if !folder.is_dir() || is_live(&folder) {
                continue;
            }
            let left: Vec<Recorded> = recorded(&folder)
                .into_iter()
                .filter(|it| it.is_of(&folder))
                .collect();
            for process in &left {
                platform::send(process.pid, Signal::Kill);
            }
            for process in &left {
                let gone = || (!platform::is_running(process.pid)).then_some(());
                wait_until(&process.name, KILLED, gone)?;
            }
            fs::remove_dir_all(&folder).map_err(Error::file(folder))?;
        }
        Ok(())
    }

    fn remove(&self, folder: &Path) {
        if let Err(error) = fs::remove_dir_all(folder) {
            crate::say::say(&format!("{} is left behind: {error}", folder.display()));
        }
        self.remove_if_empty();
    }

    fn remove_if_empty(&self) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        if entries.map(|it| it.path()).all(|it| it == self.lock) {
            // Whoever waits for the lock notices that it is gone; if this fails, an empty folder stays.
            let _ = fs::remove_file(&self.lock).and_then(|()| fs::remove_dir(&self.path));
        }
    }
}

/// A line of the list of processes.
struct Recorded {
    pid: u32,
    started: u64,
    name: String,
}

impl Recorded {
    /// Whether the process still is the recorded one: process ids are used again, by anybody.
    fn is_of(&self, folder: &Path) -> bool {
        let same = platform::started(self.pid).unwrap_or_default() == self.started;
        let named = || platform::command_line(self.pid).contains(&*folder.to_string_lossy());
        platform::is_running(self.pid) && same && named()
    }
}

fn recorded(folder: &Path) -> Vec<Recorded> {
    let text = fs::read_to_string(folder.join(PROCESSES)).unwrap_or_default();
    let parse = |line: &str| {
        let mut words = line.splitn(3, ' ');
        Some(Recorded {
            pid: words.next()?.parse().ok()?,
            started: words.next()?.parse().ok()?,
            name: words.next()?.to_owned(),
        })
    };
    text.lines().filter_map(parse).collect()
}

/// Only a living supervisor holds the lock of its folder.
fn is_live(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|it| it.try_lock().is_err())
}
