//! `rules` and `explain`: what a plugin looks for, from its own list.

use std::process::ExitCode;

use gpu_core::standing::Rule;

use crate::error::Error;
use crate::frame::{print, unknown};

/// The id and the summary of every rule.
pub fn names<F>(rules: &'static [Rule<F>]) -> Vec<(&'static str, &'static str)> {
    rules.iter().map(|it| (it.id, it.summary)).collect()
}

/// Lists rules: id, severity, summary.
pub fn rules<F>(rules: &[Rule<F>]) -> Result<ExitCode, Error> {
    let width = rules.iter().map(|it| it.id.len()).max().unwrap_or_default();
    let line = |it: &Rule<F>| {
        format!(
            "{:<width$}   {:<7}   {}\n",
            it.id,
            it.severity.name(),
            it.summary
        )
    };
    print(&rules.iter().map(line).collect::<String>())
}

/// Explains one rule. The error names the nearest rule there is.
pub fn explain<F>(rules: &[Rule<F>], id: &str) -> Result<ExitCode, Error> {
    let Some(it) = rules.iter().find(|it| it.id == id) else {
        let known: Vec<_> = rules.iter().map(|it| it.id).collect();
        return Err(unknown("rule", id, &known));
    };
    print(&format!(
        "{} ({})\n\n{}.\n\n{}\n",
        it.id,
        it.severity.name(),
        it.summary,
        it.explanation
    ))
}
