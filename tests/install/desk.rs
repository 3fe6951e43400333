//! A user's desk: a home and a krew of its own, the lab's kubectl, and archives that are served on loopback.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lab::Krew;
use suite::{Said, bin_dir, root};

/// The plugins as krew names them, and their programs.
pub(crate) const PLUGINS: [(&str, &str); 3] = [
    ("gpu-audit", "kubectl-gpu_audit"),
    ("gpu-drivertag", "kubectl-gpu_drivertag"),
    ("gpu-order", "kubectl-gpu_order"),
];

/// The release that this tree makes.
pub(crate) const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// A place of the test's own; it goes away with the value.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    krew: Krew,
}

impl Desk {
    /// An empty home, `kubectl` and `kubectl-krew` on `PATH`, and an empty index in place of krew's own.
    pub(crate) fn new(krew: Krew, kubectl: &Path) -> Desk {
        let desk = Desk {
            folder: tempfile::tempdir().expect("a folder"),
            krew,
        };
        for name in ["bin", "home", "own-index/plugins"] {
            fs::create_dir_all(desk.path(name)).expect("a folder");
        }
        link(kubectl, &desk.path("bin/kubectl"));
        link(&desk.krew.krew, &desk.path("bin/kubectl-krew"));
        fs::write(desk.path("own-index/plugins/.keep"), "").expect("a file");
        let index = desk.path("own-index");
        for words in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--message", "empty"],
        ] {
            let mut git = desk.command("git");
            let said = run(git.current_dir(&index).args(words));
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        desk
    }

    /// A path of this desk.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where krew has put a plugin's files.
    pub(crate) fn store(&self, plugin: &str, version: &str) -> PathBuf {
        self.path("krew/store").join(plugin).join(version)
    }

    /// A program in this desk's environment, with nothing of the caller's but what builds and runs programs.
    pub(crate) fn command(&self, program: &str) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.path("krew/bin"), self.path("bin")];
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)));
        let index = format!("file://{}", self.path("own-index").display());
        let mut command = Command::new(program);
        command
            .env("PATH", path.expect("folders without colons"))
            .env("KREW_ROOT", self.path("krew"))
            .env("KREW_NO_UPGRADE_CHECK", "1")
            .env("KREW_DEFAULT_INDEX_URI", index)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "desk");
            command.env(format!("GIT_{role}_EMAIL"), "desk@localhost");
        }
        command
    }

    /// `kubectl` with these words.
    pub(crate) fn kubectl(&self, words: &[&str]) -> Said {
        run(self
            .command("kubectl")
            .env("HOME", self.path("home"))
            .args(words))
    }

    /// `kubectl` with these words, which has to end well; returns what it said, both streams.
    #[track_caller]
    pub(crate) fn kubectl_does(&self, words: &[&str]) -> String {
        let said = self.kubectl(words);
        assert_eq!(said.code, Some(0), "kubectl {words:?}: {said:?}");
        said.out + &said.err
    }

    /// krew's own validation of a manifest.
    pub(crate) fn validate(&self, manifest: &Path) -> Said {
        let validate = self.krew.validate.to_str().expect("a plain name");
        let mut command = self.command(validate);
        run(command
            .env("HOME", self.path("home"))
            .arg("-manifest")
            .arg(manifest))
    }
}

/// One of the project's chores.
pub(crate) fn xtask(words: &[&str]) -> Said {
    run(&mut chore(words))
}

/// One that has to end well.
#[track_caller]
pub(crate) fn xtask_does(words: &[&str]) -> String {
    let said = xtask(words);
    assert_eq!(said.code, Some(0), "cargo xtask {words:?}: {said:?}");
    said.out
}

fn chore(words: &[&str]) -> Command {
    let mut command = Command::new(bin_dir().join("xtask"));
    command.current_dir(root()).args(words).stdin(Stdio::null());
    command
}

/// Files that are served on loopback until this goes away.
pub(crate) struct Served {
    server: Child,
    /// The address that a file's name is appended to.
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(folder: &Path) -> Served {
        let folder = folder.to_str().expect("a plain name");
        let mut server = chore(&["krew", "serve", "--dist", folder])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("xtask runs");
        let mut url = String::new();
        let stdout = server.stdout.take().expect("it is piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("xtask says where it serves");
        let url = url.trim_end().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{url:?}");
        Served { server, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Runs a command and takes what it says.
pub(crate) fn run(command: &mut Command) -> Said {
    let output = command.output();
    let output = output.unwrap_or_else(|why| panic!("{command:?} does not run: {why}"));
    let text = |it: Vec<u8>| String::from_utf8_lossy(&it).into_owned();
    Said {
        out: text(output.stdout),
        err: text(output.stderr),
        code: output.status.code(),
    }
}

fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}
