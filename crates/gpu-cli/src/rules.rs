//! `rules` and `explain`: what a plugin looks for, from its own list.

use std::process::ExitCode;

use gpu_core::standing::Rule;

use crate::error::Error;
use crate::frame::{print, unknown};

/// What a rule says of itself.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// Its name.
    pub id: &'static str,
    /// How bad its findings are.
    pub severity: &'static str,
    /// What it looks for, in a line.
    pub summary: &'static str,
    /// What a finding means, and what to do.
    pub explanation: &'static str,
}

/// What every rule of a list says of itself.
pub fn texts<F>(rules: &'static [Rule<F>]) -> Vec<RuleText> {
    let text = |it: &'static Rule<F>| RuleText {
        id: it.id,
        severity: it.severity.name(),
        summary: it.summary,
        explanation: it.explanation,
    };
    rules.iter().map(text).collect()
}

/// Lists rules: id, severity, summary.
pub(crate) fn list(rules: &[RuleText]) -> Result<ExitCode, Error> {
    let width = rules.iter().map(|it| it.id.len()).max().unwrap_or_default();
    let line = |it: &RuleText| {
        let RuleText {
            id,
            severity,
            summary,
            ..
        } = it;
        format!("{id:<width$}   {severity:<7}   {summary}\n")
    };
    print(&rules.iter().map(line).collect::<String>())
}

/// Explains one rule. The error names the nearest rule there is.
pub(crate) fn explain(rules: &[RuleText], id: &str) -> Result<ExitCode, Error> {
    let Some(it) = rules.iter().find(|it| it.id == id) else {
        let known: Vec<_> = rules.iter().map(|it| it.id).collect();
        return Err(unknown("rule", id, &known));
    };
    print(&format!(
        "{} ({})\n\n{}.\n\n{}\n",
        it.id, it.severity, it.summary, it.explanation
    ))
}
