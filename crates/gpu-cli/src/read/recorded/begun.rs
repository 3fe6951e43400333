//! An object whose kind has just become known: what was read before is a copy, the rest is still to come.

use std::marker::PhantomData;

use gpu_core::cluster::Objects;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess};

use super::copy::ObjectCopy;
use super::object::Way;

/// An object in the middle of being read.
pub(super) struct Begun<A, W> {
    pub(super) way: W,
    /// Fields that came before it was known what they are fields of.
    pub(super) before: ObjectCopy,
    /// The key of the field that comes next.
    pub(super) key: String,
    pub(super) rest: A,
}

impl<'de, A: MapAccess<'de>, W: Way> Begun<A, W> {
    /// All of it as JSON.
    pub(super) fn copy(mut self) -> Result<String, A::Error> {
        self.before.take(self.way, &self.key, &mut self.rest)?;
        self.before.take_rest(self.way, &mut self.rest)?;
        Ok(self.before.finish())
    }

    /// Leaves it behind.
    pub(super) fn pass(mut self) -> Result<(), A::Error> {
        self.rest.next_value::<IgnoredAny>()?;
        while self.rest.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    /// What is still to come, as it comes.
    pub(super) fn remaining(self) -> Remaining<'de, A> {
        Remaining {
            key: Some(self.key),
            rest: self.rest,
            document: PhantomData,
        }
    }
}

/// One object, still in the document.
pub(super) struct Remaining<'de, A> {
    key: Option<String>,
    rest: A,
    document: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Remaining<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.key.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}

impl<'de, A: MapAccess<'de>> Objects for Remaining<'de, A> {
    type Error = A::Error;

    fn rows<T: DeserializeOwned>(self) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(self)).map(|it| vec![it])
    }
}
