//! A cluster as it is now: the one place with async, a current-thread runtime behind a plain interface.

mod api;
pub(crate) mod client;
mod credentials;
mod environment;
mod exec;
mod failure;
mod kubeconfig;
mod list;
mod names;
pub(crate) mod proxy;
mod retry;
mod target;
pub(crate) mod transport;
mod warning;

use futures_util::future::join_all;
use gpu_core::cluster::{Cluster, Coverage, Kind, Read};
use jiff::Timestamp;
use tokio::runtime::{Builder, Runtime};

use super::Program;
use super::names::Entries;
use crate::args::Access;
use crate::error::Error;
use api::Api;
use failure::Failure;

pub use environment::Environment;

/// kubectl lists every request from this verbosity on.
const LIST_REQUESTS: i32 = 6;

/// A connection to one API server.
pub struct Live {
    /// Taken only when dropped.
    runtime: Option<Runtime>,
    api: Api,
    context: Option<String>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live")
            .field("server", &self.server())
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// Ends without waiting for a name look-up that may still hang.
impl Drop for Live {
    fn drop(&mut self) {
        if let Some(it) = self.runtime.take() {
            it.shutdown_background();
        }
    }
}

impl Live {
    /// Chooses cluster and user, gets credentials, and prepares the connection; asks the server nothing.
    pub(super) fn open(
        access: &Access,
        program: Program,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let files = kubeconfig::load(access, environment)?;
        let mut target = target::choose(files, access, environment)?;
        let said = credentials::complete(&mut target, environment)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|it| Error::Configuration(format!("cannot start: {it}")))?;
        let (client, peer) = {
            let _inside = runtime.enter();
            client::connect(&target, program, environment)?
        };
        let api = Api::new(
            client,
            peer,
            access.request_timeout.0,
            access.v >= LIST_REQUESTS,
        );
        api.say(said);
        Ok(Self {
            runtime: Some(runtime),
            api,
            context: target.context,
        })
    }

    /// Reads all of these side by side. What of them could not be read is noted in the cluster;
    /// the error is for a server that cannot be reached, and for when nothing at all could be read.
    pub(super) fn read(&self, reads: &[Read], cluster: &mut Cluster) -> Result<(), Error> {
        let all = join_all(reads.iter().map(|it| list::read(&self.api, it)));
        let outcomes = self.inside().block_on(all);
        let mut failures = Vec::new();
        for (read, outcome) in reads.iter().zip(outcomes) {
            match outcome {
                Ok(part) => {
                    cluster.absorb(part);
                    if is_second_best(read, cluster) {
                        cluster.note_home(read.kind);
                    }
                }
                Err(Failure::Fatal(error)) => return Err(error),
                Err(failure) => failures.push((read, failure)),
            }
        }
        let nothing_seen = !cluster.coverage.values().any(|it| *it == Coverage::Seen);
        let dead = failures.iter().all(|(_, it)| !it.is_forbidden());
        for (read, failure) in &failures {
            cluster.note_read(read, failure.coverage(read.kind));
        }
        match failures.into_iter().next() {
            Some((_, failure)) if nothing_seen && dead => Err(failure.into_error()),
            _ => Ok(()),
        }
    }

    /// The names of all objects of a kind of the core group, with as little as can be read for them.
    pub(super) fn names(&self, plural: &str) -> Result<Vec<String>, Error> {
        let names = self.inside().block_on(names::read(&self.api, plural));
        names.map_err(Failure::into_error)
    }

    fn inside(&self) -> &Runtime {
        self.runtime
            .as_ref()
            .expect("the runtime is there until it is dropped")
    }

    /// Host and port of the API server.
    pub(super) fn server(&self) -> &str {
        &self.api.peer.host
    }

    /// The context's name, if there is one.
    pub(super) fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// The API server's clock at its last answer.
    pub(super) fn seen_at(&self) -> Option<Timestamp> {
        self.api.seen_at()
    }

    /// What the server warned of, each once.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.api.warnings()
    }

    /// Lines for stderr.
    pub(super) fn log(&self) -> Vec<String> {
        self.api.log()
    }

    /// Has a function called after every page.
    pub(super) fn on_progress(&mut self, tell: Box<dyn Fn(usize)>) {
        self.api.on_progress(tell);
    }
}

/// The names of the entries of the kubeconfig that counts.
pub(super) fn entries(
    access: &Access,
    environment: &Environment,
    of: Entries,
) -> Result<Vec<String>, Error> {
    let config = kubeconfig::load(access, environment)?.config;
    Ok(match of {
        Entries::Contexts => config.contexts.into_iter().map(|it| it.name).collect(),
        Entries::Clusters => config.clusters.into_iter().map(|it| it.name).collect(),
        Entries::Users => config.auth_infos.into_iter().map(|it| it.name).collect(),
    })
}

/// Is this all of the operator's own namespace, as asked for where all namespaces were refused?
fn is_second_best(read: &Read, cluster: &Cluster) -> bool {
    let home = cluster.asked_namespace.as_deref();
    let namespace = home.map(|it| Read::within(Kind::DaemonSet, it));
    namespace.as_ref() == Some(read)
}
