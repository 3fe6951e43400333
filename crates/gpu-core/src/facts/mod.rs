//! What upstream does, as tables: a fact is something a new operator release could change.
//!
//! A fact is no decision and knows nothing of the model; every file names its source, when it was
//! read, and how to check it again (`cargo xtask facts --against DIR`).

pub mod barriers;
pub mod images;
pub mod labels;
pub mod operands;
pub mod release;

#[cfg(test)]
mod tests;
