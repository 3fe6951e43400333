//! The frame every plugin runs in: flags, reading a live or recorded cluster, standard output, exit code.

pub mod args;
mod command;
pub mod completion;
pub mod error;
mod formats;
mod frame;
pub mod help;
mod inventory;
mod nearest;
mod plugin;
pub mod read;
#[cfg(feature = "registry")]
pub mod registry;
mod rules;
mod text_file;
mod what_if;
mod write;
mod yaml;

pub use args::SharedArgs;
pub use command::SharedCommand;
pub use completion::CompletionArgs;
pub use error::Error;
pub use frame::{Frame, end, print, remark, unknown, unknown_node};
pub use inventory::InventoryArgs;
pub use plugin::{Example, Plugin, start};
pub use read::Program;
#[cfg(feature = "registry")]
pub use registry::RegistryArgs;
pub use rules::{RuleText, texts};
pub use what_if::WhatIfArgs;
