//! Where a test sits: flags, a folder with a kubeconfig, an environment, and the reader they make.

use std::path::{Path, PathBuf};

use clap::Parser;
use gpu_cli::Error;
use gpu_cli::args::SharedArgs;
use gpu_cli::read::{Environment, Program, Reader};
use gpu_core::cluster::{Cluster, Coverage, Kind};
use tempfile::TempDir;

use crate::server::Server;

#[derive(Parser)]
struct Plugin {
    #[command(flatten)]
    shared: SharedArgs,
}

/// A folder, an environment and flags.
pub(crate) struct Bench {
    dir: TempDir,
    pub(crate) environment: Environment,
    flags: Vec<String>,
}

impl Bench {
    /// Nothing at all.
    pub(crate) fn empty() -> Self {
        Self {
            dir: TempDir::new().unwrap(),
            environment: Environment::default(),
            flags: vec!["plugin".to_owned()],
        }
    }

    /// `--server` with this server's address.
    pub(crate) fn at(server: &Server) -> Self {
        Self::empty()
            .flag("--server")
            .flag(&format!("http://{}", server.host))
    }

    /// A kubeconfig in `KUBECONFIG` with one context `lab`; `cluster` and `user` are YAML in one line.
    pub(crate) fn with_config(cluster: &str, user: &str) -> Self {
        let mut bench = Self::empty();
        let path = bench.file("config", &config(cluster, user));
        bench.environment.kubeconfig = Some(path.into());
        bench
    }

    /// The same for a plain server.
    pub(crate) fn with_user(server: &Server, user: &str) -> Self {
        Self::with_config(&format!("server: 'http://{}'", server.host), user)
    }

    /// Adds words to the command line, split at spaces.
    pub(crate) fn flags(mut self, words: &str) -> Self {
        self.flags
            .extend(words.split_whitespace().map(str::to_owned));
        self
    }

    /// Adds one word.
    pub(crate) fn flag(mut self, word: &str) -> Self {
        self.flags.push(word.to_owned());
        self
    }

    /// Writes a file into the folder.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn args(&self) -> SharedArgs {
        Plugin::try_parse_from(&self.flags)
            .unwrap_or_else(|it| panic!("{it}"))
            .shared
    }

    pub(crate) fn open(&self) -> Result<Reader, Error> {
        let program = Program {
            name: "kubectl-gpu_audit",
            version: "0.1.0",
        };
        Reader::open_in(&self.args(), program, &self.environment)
    }

    /// Opens and reads both rounds.
    pub(crate) fn read(&self) -> Result<Cluster, Error> {
        self.open()?.cluster(&self.args())
    }

    /// The error's first line and hint.
    pub(crate) fn error(&self) -> String {
        let error = self.read().expect_err("this should fail");
        format!("{} | {}", error.line(), error.hint().unwrap_or_default())
    }
}

/// The text of a kubeconfig with the context `lab`.
pub(crate) fn config(cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: lab\n\
         clusters: [{{name: lab, cluster: {{{cluster}}}}}]\n\
         users: [{{name: me, user: {{{user}}}}}]\n\
         contexts: [{{name: lab, context: {{cluster: lab, user: me}}}}]\n"
    )
}

/// Why a kind was not seen.
pub(crate) fn gap(cluster: &Cluster, kind: Kind) -> String {
    match cluster.coverage.get(&kind) {
        Some(Coverage::Unseen(why)) => why.clone(),
        other => panic!("{kind:?} is {other:?}"),
    }
}

pub(crate) fn node_names(cluster: &Cluster) -> Vec<&str> {
    cluster.nodes.iter().map(|it| it.name.as_str()).collect()
}
