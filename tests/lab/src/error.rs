//! Why there is no lab, or why it could not do what was asked.

use std::{io, path::PathBuf, time::Duration};

/// What is needed to build the control plane and is not there.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
    /// Some programs have to be built and there is no Go.
    #[error(
        "the lab lacks {} and there is no `go` to build {}: install Go 1.26 or newer, \
         or set KUBEBUILDER_ASSETS for etcd, kube-apiserver and kubectl and put the others into {}",
        programs.join(", "), if programs.len() == 1 { "it" } else { "them" }, cache.display()
    )]
    Go {
        /// The programs found nowhere.
        programs: Vec<&'static str>,
        /// Where programs that are already built are looked for.
        cache: PathBuf,
    },
    /// Go is there and did not build one of them.
    #[error("`go {verb}` failed for {program}; run `go {verb} {package}` in {} to see all of it: {output}", module.display())]
    Build {
        /// What Go was told to do.
        verb: &'static str,
        /// The program.
        program: &'static str,
        /// The Go package it is built from.
        package: &'static str,
        /// The folder of the Go module.
        module: PathBuf,
        /// The end of what Go said.
        output: String,
    },
}

/// Why a lab could not start, or could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is missing; tests may be skipped for that, and for nothing else.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A file or folder could not be read or written.
    #[error("cannot use {}: {source}; check its owner and the free space there", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A process could not be started.
    #[error("cannot run {program}: {source}; check that it is there and executable")]
    Run {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A process of the control plane ended by itself.
    #[error("{program} ended by itself ({status}); its last lines: {log}")]
    Ended {
        /// The program.
        program: &'static str,
        /// Its exit status.
        status: String,
        /// The end of its log.
        log: String,
    },
    /// Something did not happen in time.
    #[error("gave up after {} s waiting for {what}; the logs in the lab's folder say more", limit.as_secs())]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        limit: Duration,
    },
    /// kubectl ran and failed.
    #[error("`kubectl {command}` failed; run it with the lab's KUBECONFIG to try again: {output}")]
    Kubectl {
        /// Its arguments.
        command: String,
        /// What it wrote to stderr.
        output: String,
    },
    /// The supervisor could not be built, or said why it does not start.
    #[error("{0}")]
    Supervisor(String),
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}; this is a fault of the lab")]
    Certificate(#[from] rcgen::Error),
    /// The lab was told to stop while it started.
    #[error("stopped while starting; start it again")]
    Stopped,
    /// A name that is not in a list of ours.
    #[error("no {kind} is called {name:?}; there are: {known}")]
    Unknown {
        /// What sort of name it is.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A lab holds one scenario.
    #[error(
        "the lab already holds {0}, and two scenarios would mix; `cargo xtask lab down`, then `up`, then apply"
    )]
    Taken(String),
    /// There is no lab to talk to.
    #[error("no lab is running; start one with `cargo xtask lab up`")]
    NotRunning,
    /// The lab needs signals and process groups.
    #[error("the lab runs on Linux and macOS only; use one of them, or WSL")]
    Platform,
}

impl Error {
    /// Turns what the system said about `path` into an error that names it.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}
