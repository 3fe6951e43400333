//! What a document holds, read in one pass: objects of the kinds we know go straight into rows, lists
//! are walked item by item, everything else is passed over. The same for JSON and YAML, but for the way
//! an object takes.

use std::fmt;

use gpu_core::cluster::Kind;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use super::begun::Begun;
use super::copy::ObjectCopy;
use super::snippet::visible;
use super::tally::Tally;

/// How many keys of something foreign are named.
const KEYS_SHOWN: usize = 3;

/// What `apiVersion` and `kind` say something is.
#[derive(Clone, Copy)]
enum What {
    /// An object of a kind we read.
    Known(Kind),
    /// An object of another kind.
    Other,
    /// A list of anything.
    List,
    /// A list of one kind, whose items need not say it again.
    ListOf(Kind),
    /// A list of one kind that we do not read.
    ListOfOther,
}

impl What {
    fn of(api_version: &str, kind: &str) -> Self {
        match (Kind::of(api_version, kind), kind.strip_suffix("List")) {
            (Some(kind), _) => Self::Known(kind),
            (None, Some("")) => Self::List,
            (None, Some(item)) => {
                Kind::of(api_version, item).map_or(Self::ListOfOther, Self::ListOf)
            }
            (None, None) => Self::Other,
        }
    }

    /// What its items are that do not say.
    fn items(self) -> Option<Self> {
        match self {
            Self::ListOf(kind) => Some(Self::Known(kind)),
            Self::ListOfOther => Some(Self::Other),
            Self::List | Self::Known(_) | Self::Other => None,
        }
    }

    fn is_list(self) -> bool {
        matches!(self, Self::List | Self::ListOf(_) | Self::ListOfOther)
    }
}

/// Takes whatever is neither text nor made of parts for nothing.
macro_rules! passes_over_scalars {
    ($nothing:expr) => {
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

/// The way an object takes from its document to rows.
pub(super) trait Way: Copy {
    /// Takes an object of a known kind.
    fn object<'de, A: MapAccess<'de>>(
        self,
        tally: &mut Tally,
        kind: Kind,
        object: Begun<A, Self>,
    ) -> Result<(), A::Error>;

    /// Copies the value of the key that was just read, as JSON.
    fn copy_value<'de, A: MapAccess<'de>>(
        self,
        map: &mut A,
        out: &mut Vec<u8>,
    ) -> Result<(), A::Error>;
}

/// Reads one document.
pub(super) struct Document<'t, 'c, W>(pub(super) &'t mut Tally<'c>, pub(super) W);

impl<'de, W: Way> DeserializeSeed<'de> for Document<'_, '_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let Self(tally, way) = self;
        let thing = Thing {
            tally: &mut *tally,
            way,
            unsaid: None,
        };
        if let Some(copy) = thing.deserialize(from)? {
            tally.foreign(|| keys(&copy));
        }
        Ok(())
    }
}

fn keys(copy: &str) -> String {
    let fields: Map<String, Value> = serde_json::from_str(copy).unwrap_or_default();
    let keys: Vec<_> = fields.keys().collect();
    let shown: Vec<_> = keys.iter().take(KEYS_SHOWN).map(|it| visible(it)).collect();
    match keys.len() {
        0 => "an empty mapping".to_owned(),
        1 => format!("a mapping with the key {}", shown[0]),
        n if n > KEYS_SHOWN => format!(
            "a mapping with the keys {} and {} more",
            shown.join(", "),
            n - KEYS_SHOWN
        ),
        _ => format!("a mapping with the keys {}", shown.join(", ")),
    }
}

/// Reads an object, a list, or whatever it is. A copy of what does not say its kind is handed back.
struct Thing<'t, 'c, W> {
    tally: &'t mut Tally<'c>,
    way: W,
    /// What it is if it does not say.
    unsaid: Option<What>,
}

impl<'de, W: Way> DeserializeSeed<'de> for Thing<'_, '_, W> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, W: Way> Visitor<'de> for Thing<'_, '_, W> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Self { tally, way, unsaid } = self;
        let mut head = Head::default();
        while let Some(key) = map.next_key::<String>()? {
            let what = head.what(unsaid);
            match (key.as_str(), what) {
                ("apiVersion", _) => head.api_version = map.next_value::<Word>()?.0,
                ("kind", _) => head.kind = map.next_value::<Word>()?.0,
                ("items", what) if what.is_none_or(What::is_list) => {
                    head.has_items = true;
                    let unsaid = what.and_then(What::items);
                    let items = Items {
                        tally: &mut *tally,
                        way,
                        unsaid,
                    };
                    head.kindless.extend(map.next_value_seed(items)?);
                }
                (_, Some(What::Known(kind))) => {
                    let object = Begun {
                        way,
                        before: head.before,
                        key,
                        rest: map,
                    };
                    way.object(tally, kind, object)?;
                    return Ok(None);
                }
                (_, Some(_)) => {
                    map.next_value::<IgnoredAny>()?;
                }
                (_, None) => {
                    tally.make_room(&mut head.before);
                    head.before.take(way, &key, &mut map)?;
                }
            }
        }
        head.finish(unsaid, tally).map_err(A::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while let Some(()) = seq.next_element_seed(Document(&mut *self.tally, self.way))? {}
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_str<E: Error>(self, it: &str) -> Result<Self::Value, E> {
        self.tally.foreign(|| {
            let start: String = it.chars().take(60).collect();
            format!("the text {start:?}")
        });
        Ok(None)
    }
    fn visit_bool<E: Error>(self, it: bool) -> Result<Self::Value, E> {
        self.visit_str(&it.to_string())
    }
    fn visit_i64<E: Error>(self, it: i64) -> Result<Self::Value, E> {
        self.visit_str(&it.to_string())
    }
    fn visit_u64<E: Error>(self, it: u64) -> Result<Self::Value, E> {
        self.visit_str(&it.to_string())
    }
    fn visit_f64<E: Error>(self, it: f64) -> Result<Self::Value, E> {
        self.visit_str(&it.to_string())
    }
}

/// What is known of something before all of it has been seen.
#[derive(Default)]
struct Head {
    api_version: Option<String>,
    kind: Option<String>,
    /// Fields that came before it was known what they are fields of.
    before: ObjectCopy,
    has_items: bool,
    /// Items that did not say their kind, in a list that had not said it yet either.
    kindless: Vec<String>,
}

impl Head {
    fn what(&self, unsaid: Option<What>) -> Option<What> {
        match (&self.api_version, &self.kind) {
            (Some(api_version), Some(kind)) => Some(What::of(api_version, kind)),
            _ => unsaid,
        }
    }

    /// All of it has been seen.
    fn finish(
        self,
        unsaid: Option<What>,
        tally: &mut Tally,
    ) -> Result<Option<String>, serde_json::Error> {
        match self.what(unsaid) {
            Some(What::Known(kind)) => tally.copy(kind, &self.copy()?)?,
            Some(What::Other) => tally.pass(),
            Some(What::List | What::ListOfOther) => tally.list(None),
            Some(What::ListOf(kind)) => {
                tally.list(Some(kind));
                for it in self.kindless {
                    tally.copy(kind, &it)?;
                }
            }
            None if self.has_items && self.api_version.is_some() => tally.half(),
            None => return self.copy().map(Some),
        }
        Ok(None)
    }

    /// A copy of its fields.
    fn copy(&self) -> Result<String, serde_json::Error> {
        let mut copy = ObjectCopy::default();
        for (key, it) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
            if let Some(it) = it {
                copy.put(key, it)?;
            }
        }
        copy.append(&self.before);
        Ok(copy.finish())
    }
}

/// Reads the items of a list, and hands back copies of those that do not say their kind.
struct Items<'t, 'c, W> {
    tally: &'t mut Tally<'c>,
    way: W,
    unsaid: Option<What>,
}

impl<'de, W: Way> DeserializeSeed<'de> for Items<'_, '_, W> {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, W: Way> Visitor<'de> for Items<'_, '_, W> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the items of a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Self { tally, way, unsaid } = self;
        let mut kindless = Vec::new();
        loop {
            let tally = &mut *tally;
            match seq.next_element_seed(Thing { tally, way, unsaid })? {
                Some(item) => kindless.extend(item),
                None => return Ok(kindless),
            }
        }
    }

    // Something else that happens to have a field of this name.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(map).map(|_| Vec::new())
    }
    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }
    // Go writes an empty list as null.
    passes_over_scalars!(Vec::new());
}

/// A word, or nothing if something else stands there.
struct Word(Option<String>);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WordVisitor)
    }
}

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Word, E> {
        Ok(Word(Some(it.to_owned())))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Word, A::Error> {
        IgnoredAny.visit_map(map).map(|_| Word(None))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Word, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| Word(None))
    }
    passes_over_scalars!(Word(None));
}
