//! The shape of every result: findings, gaps, verdict, and the rows a person reads.

mod finding;
mod page;
pub mod wire;

pub use finding::{Finding, Gap, Severity, Subject};
pub use page::{Block, Cell, Page, Table, Tone};

/// What a plugin says in the end; everything else about output is the same for all plugins.
pub trait Answer {
    /// `kind` of the JSON report, such as `AuditReport`.
    fn kind(&self) -> &'static str;

    /// What is wrong, worst first.
    fn findings(&self) -> &[Finding];

    /// What could not be seen and mattered.
    fn gaps(&self) -> &[Gap];

    /// For people. With `wide`, everything; without, what a person needs first.
    fn page(&self, wide: bool) -> Page;

    /// For scripts: one record a line.
    fn lines(&self) -> Vec<String>;

    /// The whole text of a format that only this plugin has; `None` for any other name.
    fn own_format(&self, _name: &str) -> Option<String> {
        None
    }

    /// Errors that `lines` has no words for.
    fn errors_beyond_lines(&self) -> usize;

    /// What stands in the JSON report beside the envelope.
    fn body(&self) -> wire::Body;

    /// The answer as a whole.
    fn verdict(&self) -> Verdict {
        if self
            .findings()
            .iter()
            .any(|it| it.severity == Severity::Error)
        {
            Verdict::Findings
        } else if self.gaps().is_empty() {
            Verdict::Ok
        } else {
            Verdict::Unknown
        }
    }
}

/// A format that only one plugin has: what is typed after `-o`, and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnFormat {
    /// What is typed.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// The answer as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No error, and everything that mattered was seen.
    Ok,
    /// There is an error.
    Findings,
    /// No error was seen, but not everything that mattered was.
    Unknown,
}

impl Verdict {
    /// As the JSON report writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Findings => "findings",
            Self::Unknown => "unknown",
        }
    }
}

/// From which severity on findings make the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Errors only: the default.
    Error,
    /// Warnings too.
    Warning,
    /// Nothing does.
    Never,
}

/// The exit code of an answer: 0 nothing wrong, 1 findings, 3 could not tell and nothing worse found.
pub fn exit_code(answer: &dyn Answer, fail_on: FailOn) -> u8 {
    let fails = |it: &Finding| match fail_on {
        FailOn::Error => it.severity == Severity::Error,
        FailOn::Warning => it.severity != Severity::Info,
        FailOn::Never => false,
    };
    if answer.findings().iter().any(fails) {
        1
    } else if !answer.gaps().is_empty() {
        3
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
