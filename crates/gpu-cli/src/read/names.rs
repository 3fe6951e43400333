//! Names and nothing else, for those who choose among them: of objects, and of the entries of a kubeconfig.

use std::collections::BTreeSet;

use super::{Environment, Live, Program, live, recorded};
use crate::args::{Access, SharedArgs};
use crate::error::Error;

/// Objects that are chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    Nodes,
    Namespaces,
}

/// Entries of a kubeconfig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entries {
    Contexts,
    Clusters,
    Users,
}

/// The names of the objects there are, from where the arguments say. Standard input is not read, for it may be a
/// terminal. The error says why they cannot be had.
pub(crate) fn objects(
    of: Objects,
    args: &SharedArgs,
    program: Program,
    environment: &Environment,
) -> Result<Vec<String>, Error> {
    let files = &args.input.filename;
    if files.iter().any(|it| it == "-") {
        return Ok(Vec::new());
    }
    if !files.is_empty() {
        return recorded_names(of, files, args.input.recursive);
    }
    let live = Live::open(&args.access, program, environment)?;
    live.names(match of {
        Objects::Nodes => "nodes",
        Objects::Namespaces => "namespaces",
    })
}

/// The names of the entries that the arguments could name.
pub(crate) fn entries(
    of: Entries,
    access: &Access,
    environment: &Environment,
) -> Result<Vec<String>, Error> {
    live::entries(access, environment, of)
}

fn recorded_names(of: Objects, files: &[String], recursive: bool) -> Result<Vec<String>, Error> {
    let cluster = recorded::read(files, recursive, &mut std::io::empty())?;
    let names: BTreeSet<String> = match of {
        Objects::Nodes => cluster.nodes.into_iter().map(|it| it.name).collect(),
        Objects::Namespaces => {
            let of_pods = cluster.pods.into_iter().map(|it| it.namespace);
            let of_daemon_sets = cluster.daemon_sets.into_iter().map(|it| it.namespace);
            of_pods.chain(of_daemon_sets).collect()
        }
    };
    Ok(names.into_iter().collect())
}
