//! The tables of facts, said a second time in the words of the upstream sources.

mod barriers;
mod images;
mod operands;
mod releases;
