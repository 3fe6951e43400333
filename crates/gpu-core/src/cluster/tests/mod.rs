//! The model asked: who admits whom, what to read next, what was not seen.

mod coverage;
mod namespaces;
mod reads;
mod refusals;
mod selectors;
mod status_words;
