//! The value of `-o`: help and completion know the formats, and the frame says what is wrong with another.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use gpu_core::answer::OwnFormat;
use gpu_core::render::FORMATS;

/// The formats of a plugin: those that all have, and its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formats(pub(crate) &'static [OwnFormat]);

impl Formats {
    /// What is typed, and what it is for.
    pub(crate) fn all(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let shared = FORMATS.iter().map(|(_, name, about)| (*name, *about));
        shared.chain(self.0.iter().map(|it| (it.name, it.about)))
    }
}

impl TypedValueParser for Formats {
    type Value = String;

    /// Takes everything: kubectl's other formats deserve a better answer than a list.
    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |(name, about)| PossibleValue::new(name).help(about);
        Some(Box::new(self.all().map(value)))
    }
}
