//! The fields of an object, wherever they wait: some were read before its kind was known.

use std::marker::PhantomData;
use std::vec;

use gpu_core::cluster::Objects;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, IntoDeserializer, MapAccess};
use serde_json::Value;

/// The fields of an object: those that were kept, then those still to come.
pub(super) struct Fields<'de, A> {
    kept: vec::IntoIter<(String, Value)>,
    value: Option<Value>,
    key: Option<String>,
    rest: A,
    document: PhantomData<&'de ()>,
}

impl<A> Fields<'_, A> {
    pub(super) fn new(kept: Vec<(String, Value)>, key: String, rest: A) -> Self {
        Self {
            kept: kept.into_iter(),
            value: None,
            key: Some(key),
            rest,
            document: PhantomData,
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = match self.kept.next() {
            Some((key, value)) => {
                self.value = Some(value);
                key
            }
            None => match self.key.take() {
                Some(key) => key,
                None => return self.rest.next_key_seed(seed),
            },
        };
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value).map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// One object, still in the document.
pub(super) struct One<'de, A>(pub(super) Fields<'de, A>);

impl<'de, A: MapAccess<'de>> Objects for One<'de, A> {
    type Error = A::Error;

    fn rows<T: DeserializeOwned>(self) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(self.0)).map(|it| vec![it])
    }
}
