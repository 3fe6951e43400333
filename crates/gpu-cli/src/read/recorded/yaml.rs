//! YAML: any number of documents, read as Kubernetes' own tools read them.

use gpu_core::cluster::Kind;
use serde::de::{DeserializeSeed, MapAccess};
use serde_yaml::budget::BudgetBreach;
use serde_yaml::{DuplicateKeyPolicy, Error};

use super::begun::Begun;
use super::copy::Anything;
use super::json;
use super::object::{Document, Way};
use super::snippet::Flaw;
use super::tally::Tally;

/// Nesting that is read: twice what the deepest objects have, and well within a thread's stack.
const MAX_DEPTH: usize = 64;

/// How much an alias may stand for, in all. kubectl writes none, people a handful.
const MAX_REPEATED: usize = 100_000;

/// What reads rows from YAML would be a large part of the program, and no quicker.
#[derive(Clone, Copy)]
struct Copied;

impl Way for Copied {
    fn object<'de, A: MapAccess<'de>>(
        self,
        tally: &mut Tally,
        kind: Kind,
        object: Begun<A, Self>,
    ) -> Result<(), A::Error> {
        tally.copied(kind, object)
    }

    fn copy_value<'de, A: MapAccess<'de>>(
        self,
        map: &mut A,
        out: &mut Vec<u8>,
    ) -> Result<(), A::Error> {
        map.next_value_seed(Anything(out))
    }
}

/// Reads the documents of a text from a position on.
pub(super) fn read(text: &str, from: usize, tally: &mut Tally) -> Result<(), Flaw> {
    for document in documents(text, from) {
        let part = &text[document.start..document.end];
        if is_blank(part) {
            continue;
        }
        // Between the marks of YAML there may be JSON, which has a faster reader and means the same.
        let json = part.strip_prefix("---").unwrap_or(part);
        let done = match json::starts(json) {
            true => json::read(json, tally).map(drop),
            false => one(part, tally),
        };
        done.map_err(|flaw| Flaw {
            line: flaw.line + text[..document.start].matches('\n').count(),
            ..flaw
        })?;
    }
    Ok(())
}

/// Is there nothing in it but white space, comments, directives and marks between documents?
pub(super) fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim_start_matches("---").trim();
        line.is_empty() || line == "..." || line.starts_with(['#', '%'])
    })
}

struct Span {
    start: usize,
    end: usize,
}

/// Where the documents are. A line that starts with `---` or `...` ends one wherever it stands, even
/// inside a string, so no parser is needed to tell.
fn documents(text: &str, from: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut start, mut at) = (from, from);
    for line in text[from..].split_inclusive('\n') {
        let mark = line.get(..3).filter(|it| matches!(*it, "---" | "..."));
        if mark.is_some() && line[3..].chars().next().is_none_or(char::is_whitespace) {
            spans.push(Span { start, end: at });
            start = if mark == Some("...") {
                at + line.len()
            } else {
                at
            };
        }
        at += line.len();
    }
    spans.push(Span { start, end: at });
    spans
}

fn one(part: &str, tally: &mut Tally) -> Result<(), Flaw> {
    if let Some(at) = part.find('\0') {
        // The parser would take it for the end of the text.
        return Err(Flaw::at(part, at, "a NUL character, which no text has"));
    }
    // A parser that compares every key with its neighbours takes twice as long. Without, a field that
    // is there twice does not fit its object, and is named by the second attempt.
    tally.begin_document();
    if read_as(part, DuplicateKeyPolicy::PassThrough, tally).is_err() {
        // What is broken may be the text or just one object; the second attempt tells that too.
        tally.again_with_care();
        read_as(part, DuplicateKeyPolicy::Error, tally).map_err(|error| flaw(&error))?;
    }
    match tally.is_half() {
        Some(why) => Err(Flaw::end(part, why)),
        None => Ok(()),
    }
}

fn read_as(part: &str, duplicate_keys: DuplicateKeyPolicy, tally: &mut Tally) -> Result<(), Error> {
    let options = options(duplicate_keys);
    serde_yaml::with_deserializer_from_str_with_options(part, options, |from| {
        Document(tally, Copied).deserialize(from)
    })
}

/// A recording may be as large as a cluster, so only what multiplies itself is limited.
fn options(duplicate_keys: DuplicateKeyPolicy) -> serde_yaml::Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
            max_total_comment_bytes: usize::MAX,
            max_recorded_anchor_events: MAX_REPEATED,
            max_depth: MAX_DEPTH,
        },
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: MAX_REPEATED,
        },
        legacy_octal_numbers: true,
        emit_comments: false,
        with_snippet: false,
        duplicate_keys: duplicate_keys,

    }
}

fn flaw(error: &Error) -> Flaw {
    let place = error.location();
    let place = place.map(|it| (it.line(), it.column()));
    let (line, column) = place.unwrap_or_default();
    let number = |it| usize::try_from(it).unwrap_or(usize::MAX).max(1);
    Flaw {
        line: number(line),
        column: number(column),
        why: why(error),
        cut_off: false,
    }
}

/// What is wrong, without the place.
fn why(error: &Error) -> String {
    match error {
        Error::AliasError { error, .. } => why(error),
        Error::Budget {
            breach: BudgetBreach::Depth { .. },
            ..
        } => format!("nested deeper than {MAX_DEPTH} levels"),
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } => {
            "its aliases stand for far more than any recording holds".to_owned()
        }
        _ => {
            let message = error.render_with_formatter(&serde_yaml::UserMessageFormatter);
            let end = message.find(" at line ").unwrap_or(message.len());
            message[..end].to_owned()
        }
    }
}
