//! What is true of GPU operators, and what follows from it. No network, files, clock, environment or printing.
//!
//! In reading order: `facts` (what upstream does), `cluster` (the model), `answer` (the shape of every
//! result), `standing` (where each operand stands on each node), one module a plugin (`audit`,
//! `order`, `drivertag`), `render` (answer → text).

pub mod answer;
pub mod audit;
pub mod cluster;
pub mod drivertag;
pub mod facts;
pub mod order;
pub mod render;
pub mod standing;
#[cfg(test)]
mod testing;
