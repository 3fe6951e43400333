//! How the tests run the plugins: built once, in a scrubbed environment, so that a run here equals a run anywhere.

pub mod expectation;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The repository's root.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()
            .expect("the tests lie in the repository")
    })
}

/// The folder of a recorded cluster.
pub fn recorded(name: &str) -> PathBuf {
    root().join("tests/clusters").join(name)
}

/// The folder of the built plugins. Cargo tells only the package that owns a binary where it is, so they
/// are built here, once a process; when nothing has changed that takes no time.
pub fn bin_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        // A test's own variables would tell some build scripts that they have to run again, and with them
        // half of the tree.
        let of_test = |key: &str| {
            [
                "CARGO_MANIFEST_",
                "CARGO_PKG_",
                "CARGO_CRATE_",
                "CARGO_PRIMARY_",
            ]
            .iter()
            .any(|it| key.starts_with(it))
        };
        for (key, _) in std::env::vars_os().filter(|(key, _)| key.to_str().is_some_and(of_test)) {
            cargo.env_remove(key);
        }
        let done = cargo
            .args(["build", "--quiet", "--workspace", "--bins"])
            .current_dir(root())
            .status()
            .expect("cargo runs");
        assert!(done.success(), "the plugins do not build");
        let test = std::env::current_exe().expect("a test knows where it is");
        // target/debug/deps/test → target/debug
        test.ancestors()
            .nth(2)
            .expect("tests lie in target/<profile>/deps")
            .to_path_buf()
    })
}

/// What a program said and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// Exit code; `None` where a signal ended it.
    pub code: Option<i32>,
}

impl Said {
    /// The report it printed as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|why| panic!("no JSON: {why}\n{self:?}"))
    }

    /// Checks how it ended and what it printed, line by line.
    #[track_caller]
    pub fn assert(&self, code: i32, lines: &[&str]) -> &Self {
        let said: Vec<_> = self.out.lines().collect();
        assert_eq!(said, lines, "stderr: {}", self.err);
        assert_eq!(self.code, Some(code), "stderr: {}", self.err);
        self
    }
}

/// A run of a program to be made.
#[derive(Debug)]
pub struct Run {
    command: Command,
    input: Option<Vec<u8>>,
}

/// A run of a plugin: no environment but what it needs, no standard input, working folder = the repository.
pub fn plugin(name: &str) -> Run {
    program(bin_dir().join(name))
}

/// A run of any program in the same surroundings, with the plugins on PATH.
pub fn program(path: impl AsRef<OsStr>) -> Run {
    let mut command = Command::new(path);
    let system_path = std::env::var_os("PATH").unwrap_or_default();
    let mut path = vec![bin_dir().to_path_buf()];
    path.extend(std::env::split_paths(&system_path));
    command
        .env_clear()
        .env(
            "PATH",
            std::env::join_paths(path).expect("PATH has no odd entries"),
        )
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .current_dir(root())
        .stdin(Stdio::null());
    Run {
        command,
        input: None,
    }
}

impl Run {
    /// With these arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// On a recorded cluster.
    pub fn arg_file(self, path: &Path) -> Self {
        self.args(["-f".as_ref(), path.as_os_str()])
    }

    /// With the words of a line as arguments.
    pub fn line(self, line: &str) -> Self {
        self.args(line.split_whitespace())
    }

    /// With an environment variable.
    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// In another folder.
    pub fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// With this on standard input.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// The command itself, for what needs more than an answer.
    pub fn command(self) -> Command {
        self.command
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Said {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if self.input.is_some() {
            self.command.stdin(Stdio::piped());
        }
        let mut child = self.command.spawn().expect("the program starts");
        if let Some(input) = self.input {
            let mut stdin = child.stdin.take().expect("standard input is a pipe");
            // A program that does not read its input to the end is a matter for the assertions.
            let _ = stdin.write_all(&input);
        }
        let output = child.wait_with_output().expect("the program ends");
        Said {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}
