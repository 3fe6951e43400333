//! Recorded input: the files, folders and standard input of `-f`, read into the model.

mod archive;
mod begun;
mod copy;
mod error;
mod json;
mod must_gather;
mod object;
mod snippet;
mod source;
mod tally;
mod text;
mod yaml;

use std::io::Read;

use gpu_core::cluster::kind::KINDS;
use gpu_core::cluster::{Cluster, Coverage, Kind};

pub use error::RecordedError;

use source::{Input, Origin, Place};
use tally::Tally;

/// Reads everything that was named into one cluster, which the caller has to settle.
///
/// A file that was named and cannot be read is an error. One that was found in a must-gather or
/// under `--recursive` becomes a gap instead, since such folders are half empty by nature.
pub fn read(
    filenames: &[String],
    recursive: bool,
    stdin: &mut dyn Read,
) -> Result<Cluster, RecordedError> {
    // Whoever writes to us waits until we have read; whatever else runs could take it from us.
    let mut piped = source::stdin(filenames, stdin)?;
    let mut cluster = Cluster::default();
    let mut tally = Tally::new(&mut cluster);
    for input in source::find(filenames, recursive)? {
        let mut seen = None;
        let bytes = match &input.place {
            Place::Stdin => Ok(std::mem::take(&mut piped)),
            Place::File(path) => source::bytes(&input.name, path),
        };
        let done = bytes.and_then(|bytes| {
            let text = seen.insert(text::decode(&input.name, bytes, source::LIMIT)?);
            take(&input, text, &mut tally)
        });
        match (done, input.origin) {
            (Ok(()), _) => {}
            (Err(error), Origin::Named) => return Err(error),
            (Err(error), Origin::Found) => tally.lost(&input, seen.as_deref(), &error),
        }
    }
    if let Some(error) = tally.nothing_at_all(filenames) {
        return Err(error);
    }
    let met = tally.into_met();
    // Nobody looks for secrets in a recording, so nobody has seen them.
    for row in KINDS.iter().filter(|it| it.kind != Kind::Secret) {
        let missing = row.expected_in_recordings && !met.contains(&row.kind);
        let coverage = if missing {
            Coverage::Unseen(format!("no {} in the recording", row.name))
        } else {
            Coverage::Seen
        };
        cluster.note(row.kind, coverage);
    }
    cluster.seen_at = cluster.newest;
    Ok(cluster)
}

/// Reads one input's text, whatever it is written in.
fn take(input: &Input, text: &str, tally: &mut Tally) -> Result<(), RecordedError> {
    if yaml::is_blank(text) {
        return Err(RecordedError::Empty {
            name: input.name.clone(),
        });
    }
    tally.begin(&input.name);
    let flawed = |flaw: snippet::Flaw| flaw.into_error(&input.name, text);
    let mut at = 0;
    if json::starts(text) {
        at = json::read(text, tally).map_err(flawed)?;
    }
    yaml::read(text, at, tally).map_err(flawed)?;
    match (input.origin, tally.nothing_here()) {
        (Origin::Found, Some(error)) => Err(error),
        (Origin::Found, None) | (Origin::Named, _) => Ok(()),
    }
}
