//! kubectl gpu-drivertag: which driver image each node needs, and whether it is there.
//!
//! `needs` says what is needed; whoever asks a registry does it then; `judge` holds the answers against it.

mod asked;
pub mod existence;
mod groups;
pub mod inventory;
mod judge;
mod kernel;
mod nearest;
mod os_tag;
mod outcome;
mod owner;
mod recipe;
pub mod reference;
mod rules;
mod running;
pub mod tag;
mod view;
mod wanted;
pub mod what_if;
pub mod wire;

#[cfg(test)]
mod tests;

use crate::answer::{Answer, Finding, Gap, OwnFormat, Page};
use crate::cluster::{Cluster, Kind, Read};
use crate::facts::release::Release;
use crate::standing::Regime;

pub use inventory::Inventory;
pub use judge::{Ledger, Stock};
pub use rules::{RULES, TagRule};
pub use wanted::{Needs, needs};
pub use what_if::{Change, WhatIf};

const MIRROR: OwnFormat = OwnFormat {
    name: "mirror",
    about: "the full references of all needed images, for a copier",
};

const BUILD_MATRIX: OwnFormat = OwnFormat {
    name: "build-matrix",
    about: "a JSON array of branch, kernel, os and arch of the driver images that are to be built",
};

/// The formats that only gpu-drivertag has.
pub const FORMATS: &[OwnFormat] = &[MIRROR, BUILD_MATRIX];

/// The columns that the table can be sorted by, some of them with `-o wide` alone.
pub fn columns() -> Vec<&'static str> {
    [&view::COLUMNS[..], &view::WIDE_COLUMNS].concat()
}

/// Which image each node needs, and whether it is there.
#[derive(Debug)]
pub struct Report<'a> {
    ledger: Ledger<'a>,
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
}

/// What to read before anything is told: the operator's Deployment, where nothing else names its release.
pub fn second_look(cluster: &Cluster, release: Option<Release>) -> Vec<Read> {
    match (&cluster.namespace, Regime::read(cluster, release).release) {
        (Some(home), None) => vec![Read::within(Kind::Deployment, home)],
        _ => Vec::new(),
    }
}

/// Holds what is needed against what there is.
pub fn judge(needs: Needs<'_>, stock: Stock) -> Report<'_> {
    let ledger = Ledger::new(needs, stock);
    Report {
        findings: ledger.findings(),
        gaps: ledger.gaps(),
        ledger,
    }
}

impl Answer for Report<'_> {
    fn kind(&self) -> &'static str {
        "DriverTagReport"
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    fn page(&self, wide: bool) -> Page {
        view::page(&self.ledger, &self.findings, wide)
    }

    fn lines(&self) -> Vec<String> {
        view::lines(&self.ledger)
    }

    fn own_format(&self, name: &str) -> Option<String> {
        match name {
            name if name == MIRROR.name => Some(view::mirror(&self.ledger)),
            name if name == BUILD_MATRIX.name => Some(wire::build_matrix(&self.ledger)),
            _ => None,
        }
    }

    fn errors_beyond_lines(&self) -> usize {
        view::errors_beyond_lines(&self.ledger, &self.findings)
    }

    fn body(&self) -> crate::answer::wire::Body {
        wire::body(&self.ledger)
    }
}
