//! What people and scripts read of the order.

use super::chain::{Chain, Verdict};
use super::rules::STRICT;
use crate::answer::{Block, Cell, Finding, Page, Severity, Table, Tone};
use crate::render::word;
use crate::standing::Standing;

/// `ok` or the id of the worst finding; with several nodes, the node's name in front.
pub(super) fn lines(chains: &[Chain], findings: &[Finding], is_single: bool) -> Vec<String> {
    let answer = |chain: &Chain| {
        let mut errors = findings
            .iter()
            .filter(|it| it.severity == Severity::Error && it.node.as_deref() == Some(&chain.node))
            .map(|it| it.rule);
        // The strict rule is what scripts look for, so it is the one shown where it applies.
        let strict = errors.clone().find(|it| *it == STRICT);
        match strict.or_else(|| errors.next()) {
            Some(rule) => rule,
            None if chain.verdict == Verdict::Unknown => "unknown",
            None => "ok",
        }
    };
    let line = |it: &Chain| match is_single {
        true => answer(it).to_owned(),
        false => format!("{} {}", word(&it.node), answer(it)),
    };
    chains.iter().map(line).collect()
}

/// Errors about no node at all.
pub(super) fn errors_beyond_lines(findings: &[Finding]) -> usize {
    findings
        .iter()
        .filter(|it| it.severity == Severity::Error && it.node.is_none())
        .count()
}

/// The page for people: the chain of each node that has one to show.
pub(super) fn page(
    standing: &Standing<'_>,
    chains: &[Chain],
    findings: &[Finding],
    wide: bool,
) -> Page {
    let is_shown = |it: &&Chain| wide || chains.len() == 1 || it.verdict != Verdict::Ok;
    let shown: Vec<_> = chains.iter().filter(is_shown).collect();
    let mut blocks: Vec<_> = shown.iter().flat_map(|it| node_blocks(it)).collect();
    let n_folded = chains.len() - shown.len();
    if n_folded > 0 {
        let plural = if n_folded == 1 { "" } else { "s" };
        blocks.push(Block::Text(vec![format!(
            "{n_folded} node{plural} in order (-o wide shows them)"
        )]));
    }
    let n_broken = chains
        .iter()
        .filter(|it| it.verdict == Verdict::Broken)
        .count();
    let n = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let (errors, warnings) = (n(Severity::Error), n(Severity::Warning));
    let summary = format!(
        "{} node{}, {n_broken} with a broken link; {errors} error{}, {warnings} warning{}",
        standing.nodes.len(),
        plural(standing.nodes.len()),
        plural(errors),
        plural(warnings),
    );
    Page { blocks, summary }
}

fn node_blocks(chain: &Chain) -> Vec<Block> {
    let title = match (&chain.first_broken, chain.verdict) {
        (Some(first), _) => format!("node/{}: first broken link is {first}", chain.node),
        (None, Verdict::Unknown) => format!("node/{}: could not tell", chain.node),
        (None, _) => format!("node/{}: in order", chain.node),
    };
    let header = ["LINK", "STATE", "WAITS-FOR", "WHY"]
        .map(str::to_owned)
        .to_vec();
    let row = |it: &super::chain::Link| {
        let tone = if it.is_broken {
            Tone::Bad
        } else if it.state == "ready" {
            Tone::Good
        } else {
            Tone::Quiet
        };
        let is_first = chain.first_broken.as_deref() == Some(&it.name);
        let name = if is_first {
            format!("> {}", it.name)
        } else {
            format!("  {}", it.name)
        };
        let waits = if it.waits_for.is_empty() {
            "<none>".to_owned()
        } else {
            it.waits_for.join(",")
        };
        vec![
            Cell::from(name),
            Cell::toned(it.state, tone),
            Cell::from(waits),
            Cell::from(it.why.clone()),
        ]
    };
    let table = Table {
        header,
        rows: chain.links.iter().map(row).collect(),
    };
    vec![Block::Text(vec![title]), Block::Table(table)]
}
