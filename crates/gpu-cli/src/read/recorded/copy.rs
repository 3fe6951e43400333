//! An object copied to JSON on one line, whatever it was written in, and the way to a place in it.
//!
//! Rows are read from JSON text alone. A reader of rows is a tenth of the program, so there is one and
//! not one for every form. A copy holds one object and is dropped with it.

use std::fmt;

use gpu_core::cluster::Objects;
use serde::Serialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};

use super::object::Way;

/// A copy that grows field by field.
#[derive(Default)]
pub(super) struct ObjectCopy(Vec<u8>);

impl ObjectCopy {
    /// Nothing yet, in room that is there already.
    pub(super) fn within(room: String) -> Self {
        let mut room = room.into_bytes();
        room.clear();
        Self(room)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the value of a key that was just read.
    pub(super) fn take<'de, A: MapAccess<'de>>(
        &mut self,
        way: impl Way,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.open();
        Key(&mut self.0).visit_str(key)?;
        way.copy_value(map, &mut self.0)
    }

    /// Takes all fields that are still to come.
    pub(super) fn take_rest<'de, A: MapAccess<'de>>(
        &mut self,
        way: impl Way,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.open();
        while map.next_key_seed(Key(&mut self.0))?.is_some() {
            way.copy_value(map, &mut self.0)?;
        }
        Ok(())
    }

    /// Adds a field.
    pub(super) fn put(&mut self, key: &str, text: &str) -> Result<(), serde_json::Error> {
        self.open();
        Key(&mut self.0).visit_str(key)?;
        put(&mut self.0, text)
    }

    /// Adds all fields of another copy.
    pub(super) fn append(&mut self, other: &Self) {
        self.open();
        if let Some((_, fields)) = other.0.split_first().filter(|(_, it)| !it.is_empty()) {
            separate(&mut self.0);
            self.0.extend_from_slice(fields);
        }
    }

    /// All of it.
    pub(super) fn finish(mut self) -> String {
        self.open();
        self.0.push(b'}');
        String::from_utf8(self.0).expect("whatever was copied is text")
    }

    fn open(&mut self) {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
    }
}

/// Copies a value from any form.
pub(super) struct Anything<'o>(pub(super) &'o mut Vec<u8>);

/// A comma, unless what comes is the first of its list or object.
fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[') | None) {
        out.push(b',');
    }
}

fn put<T: Serialize + ?Sized, E: Error>(out: &mut Vec<u8>, it: &T) -> Result<(), E> {
    serde_json::to_writer(out, it).map_err(E::custom)
}

impl<'de> DeserializeSeed<'de> for Anything<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Anything<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything that JSON has")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        while map.next_key_seed(Key(self.0))?.is_some() {
            map.next_value_seed(Anything(self.0))?;
        }
        self.0.push(b'}');
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        while seq.next_element_seed(Item(self.0))?.is_some() {}
        self.0.push(b']');
        Ok(())
    }
    fn visit_str<E: Error>(self, it: &str) -> Result<(), E> {
        put(self.0, it)
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        put(self.0, &())
    }
    fn visit_bool<E: Error>(self, it: bool) -> Result<(), E> {
        put(self.0, &it)
    }
    fn visit_i64<E: Error>(self, it: i64) -> Result<(), E> {
        put(self.0, &it)
    }
    fn visit_u64<E: Error>(self, it: u64) -> Result<(), E> {
        put(self.0, &it)
    }
    fn visit_f64<E: Error>(self, it: f64) -> Result<(), E> {
        put(self.0, &it)
    }
}

/// Copies an item of a list.
struct Item<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        separate(self.0);
        Anything(self.0).deserialize(from)
    }
}

/// Copies a key and what comes between it and its value.
struct Key<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<(), E> {
        separate(self.0);
        put(self.0, it)?;
        self.0.push(b':');
        Ok(())
    }
}

/// One object as JSON.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Objects for Text<'_> {
    type Error = serde_json::Error;

    fn rows<T: DeserializeOwned>(self) -> Result<Vec<T>, Self::Error> {
        serde_json::from_str(self.0).map(|it| vec![it])
    }
}

/// What is wrong, and where: `spec.containers[1].name: invalid type …`
pub(super) fn complaint(text: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let why = message
        .rsplit_once(" at line ")
        .map_or(&*message, |(why, _)| why);
    // There is but one line, so the column counts from the start.
    match path(text.get(..error.column()).unwrap_or(text)) {
        path if path.is_empty() => why.to_owned(),
        path => format!("{path}: {why}"),
    }
}

/// One step on the way to a place.
enum Step<'a> {
    /// Into an object, and the key once it is known.
    Key(Option<&'a str>),
    /// Into a list.
    Item(usize),
}

/// Where in its object a text is that breaks off.
fn path(text: &str) -> String {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at += 1;
        match (byte, steps.last_mut()) {
            (b'{', _) => steps.push(Step::Key(None)),
            (b'[', _) => steps.push(Step::Item(0)),
            (b'}' | b']', _) => drop(steps.pop()),
            (b',', Some(Step::Key(key))) => *key = None,
            (b',', Some(Step::Item(n))) => *n += 1,
            (b'"', step) => {
                let quoted = quoted(&text[at..]);
                at += quoted.len() + 1;
                if let Some(Step::Key(key @ None)) = step {
                    *key = Some(quoted);
                }
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(Some(key)) if path.is_empty() => path += key,
            Step::Key(Some(key)) => path = format!("{path}.{key}"),
            Step::Key(None) => {}
            Step::Item(n) => path = format!("{path}[{n}]"),
        }
    }
    path
}

/// What stands before the next quotation mark that is not itself quoted.
fn quoted(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().position(|it| {
        let is_end = it == b'"' && !escaped;
        escaped = it == b'\\' && !escaped;
        is_end
    });
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
mod tests {
    use gpu_core::cluster::Kind;
    use serde_json::Value;

    use super::*;

    fn copy(text: &str) -> String {
        let mut out = Vec::new();
        let mut from = serde_json::Deserializer::from_str(text);
        Anything(&mut out).deserialize(&mut from).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_copy_says_the_same() {
        for text in [
            r#"{}"#,
            r#"[]"#,
            r#"{"a":[],"b":{},"c":[{},[],{"d":null}],"":""}"#,
            r#"[1,-2,2.5,18446744073709551615,true,false,null]"#,
            r#"{"a\"b\\":"{[\n\u0000\u00e4\"","c":"[","d":"{"}"#,
        ] {
            let said = serde_json::from_str::<Value>(&copy(text)).unwrap();
            assert_eq!(said, serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        assert_eq!(copy("{ \"a\" : [ 1 , { } ] }"), r#"{"a":[1,{}]}"#);
    }

    #[test]
    fn a_complaint_leads_to_the_place() {
        for (text, want) in [
            (
                r#"{"spec":{"containers":[{"name":"\"{,["},{"name":"b","image":[]}]}}"#,
                "spec.containers[1].image: invalid type: sequence, expected text",
            ),
            (
                r#"{"metadata":{"name":"a"},"spec":7}"#,
                "spec: invalid type: integer `7`, expected struct PodSpec",
            ),
            (
                r#"{"spec":{"nodeName":{"a":1}},"status":{}}"#,
                "spec.nodeName: invalid type: map, expected a string",
            ),
            (
                r#"{"metadata":{"labels":{"a":{},"b":1}}}"#,
                "metadata.labels.a: invalid type: map, expected text",
            ),
            (
                r#"{"status":{"containerStatuses":[{"restartCount":-1}]}}"#,
                "status.containerStatuses[0].restartCount: invalid value: integer `-1`, expected u32",
            ),
        ] {
            let error = Kind::Pod.read(Text(text)).unwrap_err();
            assert_eq!(complaint(text, &error), want);
        }
        let error = Kind::Pod.read(Text("7")).unwrap_err();
        assert_eq!(
            complaint("7", &error),
            "invalid type: integer `7`, expected struct Pod"
        );
    }
}
