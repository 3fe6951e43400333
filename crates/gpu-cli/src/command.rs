//! What every plugin does instead of an answer.

use std::process::ExitCode;

use clap::Subcommand;

use crate::completion::CompletionArgs;
use crate::error::Error;
use crate::plugin::Plugin;
use crate::rules;

/// The commands that every plugin has; `#[command(flatten)]` it into a plugin's own, or take it as they are.
#[derive(Clone, Debug, Subcommand)]
pub enum SharedCommand {
    /// List the rules.
    Rules,
    /// Explain a rule.
    Explain {
        /// The rule's id.
        rule: String,
    },
    Completion(CompletionArgs),
}

impl SharedCommand {
    /// Does what was asked. The error is a rule that is not there, or that of [`CompletionArgs::run`].
    pub fn run(&self, plugin: &Plugin) -> Result<ExitCode, Error> {
        match self {
            Self::Rules => rules::list(&(plugin.rules)()),
            Self::Explain { rule } => rules::explain(&(plugin.rules)(), rule),
            Self::Completion(it) => it.run(plugin),
        }
    }
}
