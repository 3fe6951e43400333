//! kubectl gpu-audit: is every operand that should run on each node there, and if not, why.

pub mod roster;
mod rules;
mod view;
pub mod wire;

use crate::answer::{Answer, Finding, Gap, OwnFormat, Page};
use crate::cluster::{Cluster, Read};
use crate::facts::operands::{ROSTER, Workload};
use crate::facts::release::Release;
use crate::order;
use crate::render::lines;
use crate::standing::{self, Plugin, Scope, Standing, UnknownNode};

pub use rules::RULES;

const MATRIX: OwnFormat = OwnFormat {
    name: "matrix",
    about: "five columns of yes and no, and the number of pods",
};

/// The formats that only the audit has.
pub const FORMATS: &[OwnFormat] = &[MATRIX];

/// The columns that the table can be sorted by on nodes that run containers.
pub fn columns() -> Vec<&'static str> {
    let usual = ROSTER
        .iter()
        .filter(|it| it.workloads.contains(&Workload::Container));
    ["NODE"]
        .into_iter()
        .chain(usual.map(|it| it.column))
        .collect()
}

/// The audit of a cluster.
#[derive(Debug)]
pub struct Report<'a> {
    standing: Standing<'a>,
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
}

/// Audits the nodes of the scope. `release` overrides what the cluster says of the operator's release.
/// The error is a node that was named and is not there.
pub fn audit<'a>(
    cluster: &'a Cluster,
    scope: &Scope,
    release: Option<Release>,
) -> Result<Report<'a>, UnknownNode> {
    let standing = standing::standing(cluster, scope, release)?;
    let mut findings = standing::rule::run(RULES, Plugin::Audit, &standing);
    findings.extend(standing::rule::run(order::RULES, Plugin::Audit, &standing));
    standing::rule::sort(&mut findings);
    let gaps = standing.gaps();
    Ok(Report {
        standing,
        findings,
        gaps,
    })
}

/// The operator's release, where the cluster tells.
pub fn release(cluster: &Cluster) -> Option<Release> {
    standing::Regime::read(cluster, None).release
}

/// What to read once more before the audit is told: nothing where all is well.
pub fn second_look(cluster: &Cluster, scope: &Scope, release: Option<Release>) -> Vec<Read> {
    let first = audit(cluster, scope, release);
    first.map_or_else(
        |_| Vec::new(),
        |it| standing::second_look(&it.standing, &it.findings),
    )
}

impl Answer for Report<'_> {
    fn kind(&self) -> &'static str {
        "AuditReport"
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    fn page(&self, wide: bool) -> Page {
        view::page(&self.standing, &self.findings, wide)
    }

    fn lines(&self) -> Vec<String> {
        view::lines(&self.standing)
    }

    fn own_format(&self, name: &str) -> Option<String> {
        (name == MATRIX.name).then(|| lines(&view::matrix(&self.standing)))
    }

    fn errors_beyond_lines(&self) -> usize {
        view::errors_beyond_lines(&self.standing, &self.findings)
    }

    fn body(&self) -> crate::answer::wire::Body {
        wire::body(&self.standing)
    }
}
