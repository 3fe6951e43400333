//! Recorded input: what is read from files, folders and standard input, and what is said when it cannot be.

// Said once more for clippy, which knows tests by it.
#![cfg(test)]

mod driver_tags;
mod errors;
mod folders;
mod forms;
mod hostile;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use gpu_cli::read::recorded::{self, RecordedError};
use gpu_core::cluster::Cluster;
use tempfile::TempDir;

/// A folder with these files in it.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

/// What `-f` makes of these names, seen from a folder.
pub(crate) fn read_in(
    root: &Path,
    names: &[&str],
    recursive: bool,
) -> Result<Cluster, RecordedError> {
    let inside = |name: &&str| match *name {
        "-" => "-".to_owned(),
        name => root.join(name).to_str().unwrap().to_owned(),
    };
    let names: Vec<_> = names.iter().map(inside).collect();
    recorded::read(&names, recursive, &mut &b""[..]).map(|mut cluster| {
        cluster.settle();
        cluster
    })
}

/// What is read from these files, named in this order.
pub(crate) fn read(files: &[(&str, &[u8])]) -> Result<Cluster, RecordedError> {
    let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    read_in(folder(files).path(), &names, false)
}

/// What is read from standard input.
pub(crate) fn piped(text: impl AsRef<[u8]>) -> Result<Cluster, RecordedError> {
    recorded::read(&["-".to_owned()], false, &mut text.as_ref()).map(|mut cluster| {
        cluster.settle();
        cluster
    })
}

/// The whole message for standard input.
pub(crate) fn complaint(text: impl AsRef<[u8]>) -> String {
    piped(text).unwrap_err().to_string()
}

/// The message with the folder's own path taken out.
pub(crate) fn complaint_in(root: &Path, names: &[&str], recursive: bool) -> String {
    let message = read_in(root, names, recursive).unwrap_err().to_string();
    message.replace(&format!("{}/", root.display()), "")
}

/// `nodes a b; pods x/c`, to compare in one line.
pub(crate) fn names(cluster: &Cluster) -> String {
    let mut line = String::from("nodes");
    for it in &cluster.nodes {
        write!(line, " {}", it.name).unwrap();
    }
    line += "; pods";
    for it in &cluster.pods {
        write!(line, " {}/{}", it.namespace, it.name).unwrap();
    }
    line += "; daemonsets";
    for it in &cluster.daemon_sets {
        write!(line, " {}/{}", it.namespace, it.name).unwrap();
    }
    line
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) const NODE_JSON: &str = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}"#;
pub(crate) const POD_JSON: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"x","name":"p"},"spec":{"nodeName":"a"}}"#;
pub(crate) const SET_JSON: &str =
    r#"{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"x","name":"d"}}"#;
pub(crate) const NODE_YAML: &str = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n";
pub(crate) const POD_YAML: &str =
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: x\n";
pub(crate) const ALL: &str = "nodes a; pods x/p; daemonsets x/d";
