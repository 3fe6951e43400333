//! kubectl gpu-order: which prerequisite is missing on this node, and what is the first broken link.

mod chain;
mod rules;
mod view;
pub mod wire;

use crate::answer::{Answer, Finding, Gap, Page};
use crate::cluster::{Cluster, Read};
use crate::facts::release::Release;
use crate::standing::{self, Plugin, Rule, Scope, Standing, UnknownNode};

pub use chain::{Chain, Link, Verdict};
pub use rules::{RULES, STRICT};

/// The formats that only gpu-order has.
pub const FORMATS: &[crate::answer::OwnFormat] = &[];

/// The columns that a table can be sorted by.
pub fn columns() -> Vec<&'static str> {
    view::COLUMNS.to_vec()
}

/// The order of operands on the nodes of a scope.
#[derive(Debug)]
pub struct Report<'a> {
    standing: Standing<'a>,
    chains: Vec<Chain>,
    /// One node was named, so a line needs no name.
    is_single: bool,
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
}

/// Looks at the order on the nodes of the scope. `others` are the rules of the audit, whose errors are
/// warnings here. `release` overrides what the cluster says. The error is a node that is not there.
pub fn order<'a>(
    cluster: &'a Cluster,
    scope: &Scope,
    release: Option<Release>,
    others: &[Rule],
) -> Result<Report<'a>, UnknownNode> {
    let standing = standing::standing(cluster, scope, release)?;
    let mut findings = standing::rule::run(RULES, Plugin::Order, &standing);
    findings.extend(standing::rule::run(others, Plugin::Order, &standing));
    standing::rule::sort(&mut findings);
    let gaps = standing.gaps();
    let errors = chain::first_errors(&findings);
    let chains = standing
        .nodes
        .iter()
        .map(|it| chain::chain(it, &errors, standing.is_sure()))
        .collect();
    Ok(Report {
        standing,
        chains,
        is_single: scope.names.len() == 1,
        findings,
        gaps,
    })
}

/// What to read once more before the order is told: nothing where all is well.
pub fn second_look(
    cluster: &Cluster,
    scope: &Scope,
    release: Option<Release>,
    others: &[Rule],
) -> Vec<Read> {
    let first = order(cluster, scope, release, others);
    first.map_or_else(
        |_| Vec::new(),
        |it| standing::second_look(&it.standing, &it.findings),
    )
}

impl Answer for Report<'_> {
    fn kind(&self) -> &'static str {
        "OrderReport"
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    fn page(&self, wide: bool) -> Page {
        view::page(&self.standing, &self.chains, &self.findings, wide)
    }

    fn lines(&self) -> Vec<String> {
        view::lines(&self.chains, &self.findings, self.is_single)
    }

    fn errors_beyond_lines(&self) -> usize {
        view::errors_beyond_lines(&self.findings)
    }

    fn body(&self) -> crate::answer::wire::Body {
        wire::body(&self.standing, &self.chains)
    }
}
