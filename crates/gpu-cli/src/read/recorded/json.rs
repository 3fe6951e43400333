//! JSON: one document, or several one after the other.

use gpu_core::cluster::Kind;
use serde::de::{DeserializeSeed, MapAccess};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error};

use super::begun::Begun;
use super::copy::Anything;
use super::object::{Document, Way};
use super::snippet::Flaw;
use super::tally::Tally;

/// The two attempts at a document.
#[derive(Clone, Copy)]
enum Attempt {
    /// Rows are read from JSON, so that an object needs no copy, and a field's copy no look inside.
    First,
    /// By way of copies, in which everything was looked at.
    Careful,
}

impl Way for Attempt {
    fn object<'de, A: MapAccess<'de>>(
        self,
        tally: &mut Tally,
        kind: Kind,
        object: Begun<A, Self>,
    ) -> Result<(), A::Error> {
        match self {
            Self::First => tally.as_it_comes(kind, object),
            Self::Careful => tally.copied(kind, object),
        }
    }

    fn copy_value<'de, A: MapAccess<'de>>(
        self,
        map: &mut A,
        out: &mut Vec<u8>,
    ) -> Result<(), A::Error> {
        match self {
            Self::First => out.extend_from_slice(map.next_value::<&RawValue>()?.get().as_bytes()),
            Self::Careful => map.next_value_seed(Anything(out))?,
        }
        Ok(())
    }
}

/// Does this text start like JSON that holds something?
pub(super) fn starts(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Reads the JSON at the start of a text, and says where it ends: at the end, or where YAML goes on.
pub(super) fn read(text: &str, tally: &mut Tally) -> Result<usize, Flaw> {
    let Some(mut at) = first(text, 0, tally)? else {
        return Ok(text.len());
    };
    // Positions cost a look at all of the text, so from here on each document is cut out before it is read.
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        if rest.is_empty() || rest.starts_with("---") {
            return Ok(at);
        }
        let mut stream = Deserializer::from_str(rest).into_iter::<&RawValue>();
        let document = stream.next().transpose();
        if let Some(raw) = document.map_err(|error| flaw(text, at, &error))? {
            first(&text[..at + raw.get().len()], at, tally)?;
        }
        at += stream.byte_offset();
    }
}

/// Reads the document that begins at a place, and says where another one begins.
fn first(text: &str, at: usize, tally: &mut Tally) -> Result<Option<usize>, Flaw> {
    tally.begin_document();
    let mut from = Deserializer::from_str(&text[at..]);
    let mut done = Document(tally, Attempt::First).deserialize(&mut from);
    if matches!(&done, Err(error) if error.is_data()) {
        tally.again_with_care();
        from = Deserializer::from_str(&text[at..]);
        done = Document(tally, Attempt::Careful).deserialize(&mut from);
    }
    done.map_err(|error| flaw(text, at, &error))?;
    if let Some(why) = tally.is_half() {
        return Err(Flaw::end(text, why));
    }
    let next = |error| at + offset(&text[at..], &error).saturating_sub(1);
    Ok(from.end().err().map(next))
}

/// Where in the text an error points, in bytes.
fn offset(text: &str, error: &Error) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    (lines.map(str::len).sum::<usize>() + error.column()).min(text.len())
}

/// An error in the document that starts at `at`.
fn flaw(text: &str, at: usize, error: &Error) -> Flaw {
    let message = error.to_string();
    let why = message
        .rsplit_once(" at line ")
        .map_or(&*message, |(why, _)| why);
    match error.is_eof() {
        true => Flaw::end(text, why),
        false => Flaw::at(text, at + offset(&text[at..], error).saturating_sub(1), why),
    }
}
