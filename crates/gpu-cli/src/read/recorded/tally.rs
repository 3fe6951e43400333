//! What the reading has come to: objects taken, kinds met, and what was found instead.

use std::collections::BTreeSet;

use gpu_core::cluster::rows::{Meta, Rows};
use gpu_core::cluster::{Cluster, Coverage, Kind, Unreadable};
use serde::de::{Error, MapAccess};
use serde_json::Value;

use super::begun::Begun;
use super::copy::{ObjectCopy, Text, complaint};
use super::error::RecordedError;
use super::must_gather;
use super::object::Way;
use super::snippet::visible;
use super::source::Input;

/// What the reading has come to so far.
pub(super) struct Tally<'c> {
    cluster: &'c mut Cluster,
    /// The input being read, as messages name it.
    name: String,
    n_objects: usize,
    n_lists: usize,
    /// The same two when this input began.
    n_before: usize,
    met: BTreeSet<Kind>,
    /// What this input held instead of objects, and what the first of all inputs did.
    foreign: Option<String>,
    first_foreign: Option<String>,
    /// Objects of known kinds that this document has given so far.
    n_taken: usize,
    /// How many of them an earlier attempt at the same document took.
    n_skipped: usize,
    /// Was there a list that ended before it said of what?
    half: bool,
    /// Is every object looked at as a whole first, so that a broken one spoils no other?
    careful: bool,
    /// What the copy of an object was written to: asking for the memory each time is a fifth of the time.
    room: String,
}

impl<'c> Tally<'c> {
    /// Nothing read yet.
    pub(super) fn new(cluster: &'c mut Cluster) -> Self {
        Self {
            cluster,
            name: String::new(),
            n_objects: 0,
            n_lists: 0,
            n_before: 0,
            met: BTreeSet::new(),
            foreign: None,
            first_foreign: None,
            n_taken: 0,
            n_skipped: 0,
            half: false,
            careful: false,
            room: String::new(),
        }
    }

    /// Another input begins.
    pub(super) fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.n_before = self.n_objects + self.n_lists;
        self.foreign = None;
    }

    /// Another document begins.
    pub(super) fn begin_document(&mut self) {
        (self.n_taken, self.n_skipped) = (0, 0);
        (self.half, self.careful) = (false, false);
    }

    /// The same document begins again, because an object in it did not have the shape of its kind.
    /// That is rare, so only then is the price of reading every object twice paid.
    pub(super) fn again_with_care(&mut self) {
        (self.n_skipped, self.n_taken, self.careful) = (self.n_taken, 0, true);
    }

    /// The error for this input, if it held nothing of Kubernetes, not even an empty list.
    pub(super) fn nothing_here(&self) -> Option<RecordedError> {
        let is_nothing = self.n_objects + self.n_lists == self.n_before;
        is_nothing.then(|| nothing(std::slice::from_ref(&self.name), self.foreign.as_ref()))
    }

    /// The error for all inputs together, if none held an object.
    pub(super) fn nothing_at_all(&self, names: &[String]) -> Option<RecordedError> {
        (self.n_objects == 0).then(|| nothing(names, self.first_foreign.as_ref()))
    }

    /// The kinds that were there.
    pub(super) fn into_met(self) -> BTreeSet<Kind> {
        self.met
    }

    /// Notes that an input which was found below a folder could not be read.
    pub(super) fn lost(&mut self, input: &Input, text: Option<&str>, error: &RecordedError) {
        for kind in must_gather::kinds(&input.name, text) {
            let why = error.in_one_line();
            self.cluster.note(kind, Coverage::Unseen(why));
        }
    }

    /// Something that is not of Kubernetes; the first is remembered.
    pub(super) fn foreign(&mut self, found: impl FnOnce() -> String) {
        if self.foreign.is_none() {
            let found = found();
            self.first_foreign.get_or_insert_with(|| found.clone());
            self.foreign = Some(found);
        }
    }

    /// A list that ended before it said of what. kubectl writes the kind after the items, so this is
    /// how a YAML recording ends that was cut off between two lines.
    pub(super) fn half(&mut self) {
        self.half = true;
    }

    /// Does this document lack its end, and how does one know?
    pub(super) fn is_half(&self) -> Option<&'static str> {
        self.half.then_some("the list has items and no kind")
    }

    /// An object of a kind that nobody reads.
    pub(super) fn pass(&mut self) {
        self.n_objects += 1;
    }

    /// A list, and the kind it says it is of: where it is empty, there are none.
    pub(super) fn list(&mut self, of: Option<Kind>) {
        self.n_lists += 1;
        self.met.extend(of);
    }

    /// Takes an object of a known kind as it comes, where nothing of it was read before.
    pub(super) fn as_it_comes<'de, A: MapAccess<'de>>(
        &mut self,
        kind: Kind,
        object: Begun<A, impl Way>,
    ) -> Result<(), A::Error> {
        if !object.before.is_empty() {
            return self.copied(kind, object);
        }
        if self.is_taken() {
            return object.pass();
        }
        let rows = kind.read(object.remaining())?;
        self.take(kind, rows);
        Ok(())
    }

    /// Takes an object of a known kind by way of a copy.
    pub(super) fn copied<'de, A: MapAccess<'de>>(
        &mut self,
        kind: Kind,
        mut object: Begun<A, impl Way>,
    ) -> Result<(), A::Error> {
        if self.is_taken() {
            return object.pass();
        }
        self.make_room(&mut object.before);
        let copy = object.copy()?;
        self.read(kind, &copy).map_err(A::Error::custom)?;
        self.room = copy;
        Ok(())
    }

    /// Gives a copy that is about to begin the memory of an earlier one.
    pub(super) fn make_room(&mut self, copy: &mut ObjectCopy) {
        if copy.is_empty() {
            *copy = ObjectCopy::within(std::mem::take(&mut self.room));
        }
    }

    /// Takes a copy of an object that was kept until its kind was known.
    pub(super) fn copy(&mut self, kind: Kind, copy: &str) -> Result<(), serde_json::Error> {
        if self.is_taken() {
            return Ok(());
        }
        self.read(kind, copy)
    }

    /// Reads a copy. What is wrong with one is left to the second attempt, which can tell an object that
    /// does not fit its kind from a document that is none.
    fn read(&mut self, kind: Kind, copy: &str) -> Result<(), serde_json::Error> {
        match kind.read(Text(copy)) {
            Ok(rows) => self.take(kind, rows),
            Err(error) if !self.careful => return Err(error),
            Err(_) => self.mend(kind, copy),
        }
        Ok(())
    }

    /// Takes of a field that is there twice the last, as Kubernetes does, and names what is still broken.
    fn mend(&mut self, kind: Kind, copy: &str) {
        let value: Value = serde_json::from_str(copy).unwrap_or_default();
        let copy = value.to_string();
        match kind.read(Text(&copy)) {
            Ok(rows) => self.take(kind, rows),
            Err(error) => {
                let why = complaint(&copy, &error);
                let why = format!("{} in {}: {why}", address(kind, &value), self.name);
                self.broken(kind, &why);
            }
        }
    }

    /// Did an earlier attempt take the object that begins here?
    fn is_taken(&mut self) -> bool {
        let is_taken = self.n_taken < self.n_skipped;
        self.n_taken += usize::from(is_taken);
        is_taken
    }

    fn take(&mut self, kind: Kind, rows: Rows) {
        if meta(&rows).is_none_or(|it| it.name.is_empty()) {
            let why = format!("{} without a name in {}", word(kind), self.name);
            return self.broken(kind, &why);
        }
        self.count(kind);
        self.cluster.take(rows);
    }

    fn broken(&mut self, kind: Kind, why: &str) {
        self.count(kind);
        let why = visible(why);
        self.cluster.unreadable.push(Unreadable { kind, why });
    }

    fn count(&mut self, kind: Kind) {
        self.n_taken += 1;
        self.n_objects += 1;
        self.met.insert(kind);
    }
}

fn nothing(names: &[String], foreign: Option<&String>) -> RecordedError {
    let shown = |it: &String| match it.as_str() {
        "-" => "<stdin>".to_owned(),
        name => visible(name),
    };
    let verb = if names.len() == 1 { "holds" } else { "hold" };
    let names: Vec<_> = names.iter().map(shown).collect();
    let they_hold = format!("{} {verb}", names.join(", "));
    match foreign {
        Some(found) => RecordedError::Foreign {
            they_hold,
            found: found.clone(),
        },
        None => RecordedError::Hollow { they_hold },
    }
}

/// A kind as one writes it in a sentence.
fn word(kind: Kind) -> String {
    kind.row().name.to_lowercase()
}

/// `pod gpu-operator/nvidia-driver-x`
fn address(kind: Kind, value: &Value) -> String {
    let text = |key| value.pointer(key).and_then(Value::as_str);
    let name = text("/metadata/name").unwrap_or("without a name");
    match text("/metadata/namespace") {
        Some(namespace) => format!("{} {namespace}/{name}", word(kind)),
        None => format!("{} {name}", word(kind)),
    }
}

fn meta(rows: &Rows) -> Option<&Meta> {
    match rows {
        Rows::Nodes(it) => it.first().map(|it| &it.metadata),
        Rows::Pods(it) => it.first().map(|it| &it.metadata),
        Rows::DaemonSets(it) => it.first().map(|it| &it.metadata),
        Rows::Policies(_, it) => it.first().map(|it| &it.metadata),
        Rows::Events(it) => it.first().map(|it| &it.metadata),
        Rows::ResourceQuotas(it) => it.first().map(|it| &it.metadata),
        Rows::Deployments(it) => it.first().map(|it| &it.metadata),
        Rows::Secrets(it) => it.first().map(|it| &it.metadata),
    }
}
