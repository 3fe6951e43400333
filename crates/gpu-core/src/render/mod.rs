//! Answer → text. Nothing here prints, and nothing here knows a plugin.

mod findings;
mod plain;
mod table;

use crate::answer::wire::{self, Envelope};
use crate::answer::{Answer, Block};

pub use plain::{json_safe, plain, word};

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, what they need first.
    Table,
    /// For people, everything.
    Wide,
    /// For scripts, one record a line.
    Lines,
    /// The report as JSON.
    Json,
    /// The report as YAML.
    Yaml,
    /// The objects with findings, as kubectl names them.
    Name,
    /// A format that only this plugin has.
    Own(&'static str),
}

/// One row a format that every plugin has: what is typed after `-o`, and what it is for.
pub const FORMATS: [(Format, &str, &str); 6] = [
    (Format::Table, "table", "for people (default on a terminal)"),
    (
        Format::Wide,
        "wide",
        "for people, with every node and the DaemonSets",
    ),
    (
        Format::Lines,
        "lines",
        "for scripts, one record a line (default through a pipe)",
    ),
    (
        Format::Json,
        "json",
        "for programs, documented by a JSON Schema",
    ),
    (Format::Yaml, "yaml", "the same as YAML"),
    (
        Format::Name,
        "name",
        "the objects with findings, as kubectl names them",
    ),
];

/// How a page for people is to look.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// With colours.
    pub color: bool,
    /// Without table headers.
    pub no_headers: bool,
    /// Column to sort the first table by, as typed.
    pub sort_by: Option<String>,
}

/// A column that is not there: the one asked for, and those there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchColumn {
    /// As typed.
    pub asked: String,
    /// The columns there are.
    pub known: Vec<String>,
}

/// The answer as a page for people.
pub fn page(answer: &dyn Answer, wide: bool, look: &Look) -> Result<String, NoSuchColumn> {
    let page = answer.page(wide);
    let mut parts = Vec::new();
    let mut sort_by = look.sort_by.as_deref();
    for block in page.blocks {
        parts.push(match block {
            Block::Table(it) => table::table(it, look, sort_by.take())?,
            Block::Text(lines) => lines.iter().map(|it| plain(it) + "\n").collect(),
        });
    }
    parts.push(findings::findings(answer.findings(), look.color));
    parts.push(findings::gaps(answer.gaps(), look.color));
    parts.push(plain(&page.summary) + "\n");
    parts.retain(|it| !it.trim().is_empty());
    Ok(parts.join("\n"))
}

/// Lines for scripts.
pub fn lines(lines: &[String]) -> String {
    lines.iter().map(|it| it.clone() + "\n").collect()
}

/// The report as indented JSON that is safe on a terminal.
pub fn json(answer: &dyn Answer, envelope: &Envelope) -> String {
    let report = wire::report(answer, envelope);
    json_safe(&format!("{report:#}")) + "\n"
}

/// The objects with findings, each once, in the order of the findings.
pub fn names(answer: &dyn Answer) -> String {
    let mut seen = Vec::new();
    for it in answer.findings() {
        let address = word(&it.subject.address());
        if !seen.contains(&address) {
            seen.push(address);
        }
    }
    lines(&seen)
}

#[cfg(test)]
mod tests;
