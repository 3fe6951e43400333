//! Reading: a cluster as it is now, or recorded objects, into one `Cluster`.

pub mod live;
pub(crate) mod names;
pub mod recorded;
mod wire;

use gpu_core::cluster::{Cluster, Read, reads};

use crate::args::{SharedArgs, given};
use crate::error::Error;

pub use live::{Environment, Live};

/// The program that asks, as cluster admins see it in their audit log.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The binary's name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Program {
    /// A program by its binary's name and its version.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self { name, version }
    }
}

/// Where answers come from.
#[derive(Debug)]
pub enum Reader {
    /// A cluster as it is now.
    Live(Box<Live>),
    /// What `--filename` names.
    Recorded {
        /// As typed.
        filenames: Vec<String>,
        /// Go into folders?
        recursive: bool,
    },
}

/// Where an answer came from, for its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A cluster as it is now.
    Live {
        /// The kubeconfig's context; `None` in a pod or with `--server` alone.
        context: Option<String>,
        /// Host and port of the API server.
        server: String,
    },
    /// Recorded objects.
    Recorded {
        /// As typed.
        paths: Vec<String>,
    },
}

impl Reader {
    /// Finds out where to read from; nothing is asked of a cluster yet, but a credential plugin runs.
    /// The error says what is wrong with the kubeconfig or the flags.
    pub fn open(args: &SharedArgs, program: Program) -> Result<Self, Error> {
        if args.input.filename.is_empty() {
            return Self::open_in(args, program, &Environment::of_process());
        }
        Ok(Self::Recorded {
            filenames: args.input.filename.clone(),
            recursive: args.input.recursive,
        })
    }

    /// The same for a live cluster, in an environment given.
    pub fn open_in(
        args: &SharedArgs,
        program: Program,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let live = Live::open(&args.access, program, environment)?;
        Ok(Self::Live(Box::new(live)))
    }

    /// Reads what every answer starts from: both rounds, settled.
    /// What could not be read is noted in the cluster; the error is for when nothing could.
    pub fn cluster(&self, args: &SharedArgs) -> Result<Cluster, Error> {
        let namespace = given(args.access.namespace.as_ref());
        let mut cluster = match self {
            Self::Live(_) => Cluster::default(),
            Self::Recorded {
                filenames,
                recursive,
            } => recorded::read(filenames, *recursive, &mut std::io::stdin().lock())?,
        };
        cluster.asked_namespace = namespace.map(str::to_owned);
        self.more(&mut cluster, &reads::first_round(namespace))?;
        let second = reads::second_round(&cluster);
        self.more(&mut cluster, &second)?;
        Ok(cluster)
    }

    /// Reads a later round into the cluster and settles it; a recording has nothing more to give.
    pub fn more(&self, cluster: &mut Cluster, reads: &[Read]) -> Result<(), Error> {
        if let Self::Live(live) = self {
            live.read(reads, cluster)?;
            cluster.seen_at = live.seen_at();
        }
        cluster.settle();
        Ok(())
    }

    /// Where the answers come from.
    pub fn source(&self) -> Source {
        match self {
            Self::Live(live) => Source::Live {
                context: live.context().map(str::to_owned),
                server: live.server().to_owned(),
            },
            Self::Recorded { filenames, .. } => Source::Recorded {
                paths: filenames.clone(),
            },
        }
    }

    /// What the server warned of so far, each once, for stderr as `Warning: …`.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Live(live) => live.warnings(),
            Self::Recorded { .. } => Vec::new(),
        }
    }

    /// Lines for stderr: what a credential plugin said and, from `-v 6` on, one line a request.
    pub fn log(&self) -> Vec<String> {
        match self {
            Self::Live(live) => live.log(),
            Self::Recorded { .. } => Vec::new(),
        }
    }

    /// Has a function called with the number of pages read so far after every page.
    pub fn on_progress(&mut self, tell: Box<dyn Fn(usize)>) {
        if let Self::Live(live) = self {
            live.on_progress(tell);
        }
    }
}
