//! The frame every plugin runs in: flags, reading a live or recorded cluster, standard output, exit code.

pub mod args;
pub mod error;
mod frame;
mod nearest;
pub mod read;
mod rules;
mod write;
mod yaml;

pub use args::SharedArgs;
pub use error::Error;
pub use frame::{Frame, end, print, remark, unknown, unknown_node};
pub use read::Program;
pub use rules::{explain, rules};
