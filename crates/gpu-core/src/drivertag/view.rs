//! What people and scripts read of the driver images.

use std::collections::BTreeSet;

use super::groups::{self, Group};
use super::judge::{Availability, Ledger, Verdict};
use super::outcome::Wish;
use super::wanted::{NodeNeeds, StageNeeds};
use super::wire::why;
use crate::answer::{Block, Cell, Finding, Page, Severity, Table, Tone};
use crate::render::{lines as joined, word};

/// So many nodes are shown whole; of more, those in order are folded into a count.
const NODES_SHOWN: usize = 12;
/// Names that a cell lists before it counts the rest.
const NAMES_SHOWN: usize = 3;

/// Nodes with what is absent first, then by name.
fn ordered<'b, 'a>(ledger: &'b Ledger<'a>) -> Vec<&'b NodeNeeds<'a>> {
    let mut nodes: Vec<_> = ledger.nodes().collect();
    let is_absent = |it: &NodeNeeds<'_>| ledger.verdict(it) == Verdict::Absent;
    nodes.sort_by_cached_key(|it| !is_absent(it));
    nodes
}

/// `<node> <driver tag> present|absent|unknown`; a node without a tag has `-` there, and one whose host brings the
/// driver says so.
pub(super) fn lines(ledger: &Ledger<'_>) -> Vec<String> {
    let line = |it: &&NodeNeeds<'_>| {
        let name = word(&it.node.name);
        match (&it.outcome.wish, it.images().first()) {
            (Wish::Images(_), Some((_, at))) => {
                let state = ledger.availability(it).name();
                Some(format!(
                    "{name} {} {state}",
                    word(ledger.image(*at).version())
                ))
            }
            (Wish::Host(_), _) => Some(format!("{name} - pre-installed")),
            (Wish::Nothing(_), _) => None,
            (Wish::Images(_) | Wish::Untold(_), _) => Some(format!("{name} - unknown")),
        }
    };
    ordered(ledger).iter().filter_map(line).collect()
}

/// Errors that no line says `absent` about.
pub(super) fn errors_beyond_lines(ledger: &Ledger<'_>, findings: &[Finding]) -> usize {
    let absent: BTreeSet<_> = ledger
        .nodes()
        .filter(|it| ledger.availability(it) == Availability::Absent && !it.images().is_empty())
        .map(|it| it.node.name.as_str())
        .collect();
    let beyond = |it: &&Finding| {
        it.severity == Severity::Error && !it.node.as_deref().is_some_and(|it| absent.contains(it))
    };
    findings.iter().filter(beyond).count()
}

/// The full references of all needed images, sorted.
pub(super) fn mirror(ledger: &Ledger<'_>) -> String {
    let all: BTreeSet<_> = ledger
        .needs
        .images
        .iter()
        .map(|it| word(&it.image.to_string()))
        .collect();
    joined(&all.into_iter().collect::<Vec<_>>())
}

/// The page for people: stages of a change, nodes, groups.
pub(super) fn page(ledger: &Ledger<'_>, findings: &[Finding], wide: bool) -> Page {
    let nodes = ordered(ledger);
    let is_large = !wide && nodes.len() > NODES_SHOWN;
    let blamed: BTreeSet<_> = findings
        .iter()
        .filter(|it| it.severity != Severity::Info)
        .filter_map(|it| it.node.as_deref())
        .collect();
    let is_quiet = |it: &&&NodeNeeds<'_>| {
        let verdict = ledger.verdict(it);
        is_large
            && !matches!(verdict, Verdict::Absent | Verdict::Wrong)
            && !blamed.contains(it.node.name.as_str())
    };
    let (folded, shown): (Vec<_>, Vec<_>) = nodes.iter().partition(is_quiet);
    let mut blocks = Vec::new();
    if !ledger.needs.stages.is_empty() {
        blocks.push(Block::Table(stage_table(ledger)));
    }
    blocks.push(Block::Table(node_table(ledger, &shown, wide)));
    if !folded.is_empty() {
        let text = format!(
            "{} in order (-o wide shows them)",
            count(folded.len(), "node")
        );
        blocks.push(Block::Text(vec![text]));
    }
    let groups = groups::groups(ledger);
    if groups.len() > 1 || wide {
        blocks.push(Block::Table(group_table(ledger, &groups)));
    }
    let odd: Vec<_> = groups::odd_ones(ledger).iter().map(odd_in_words).collect();
    if !odd.is_empty() {
        blocks.push(Block::Text(odd));
    }
    Page {
        blocks,
        summary: summary(ledger, findings),
    }
}

/// `1 node`, `2 nodes`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "<none>" } else { text }
}

/// The columns of the table of nodes.
pub(super) const COLUMNS: [&str; 5] = ["NODE", "NEEDS", "ASKED", "RUNS", "IMAGE"];
/// Those that it has besides with `-o wide`.
pub(super) const WIDE_COLUMNS: [&str; 6] =
    ["KERNEL", "OS", "ARCH", "INVENTORY", "REGISTRY", "NEAREST"];

fn node_table(ledger: &Ledger<'_>, nodes: &[&&NodeNeeds<'_>], wide: bool) -> Table {
    let mut names = COLUMNS.to_vec();
    if wide {
        names.extend(WIDE_COLUMNS);
    }
    Table {
        header: header(&names),
        rows: nodes.iter().map(|it| node_row(ledger, it, wide)).collect(),
    }
}

fn node_row(ledger: &Ledger<'_>, it: &NodeNeeds<'_>, wide: bool) -> Vec<Cell> {
    let driver = it.images().first().map(|it| it.1);
    let needs = match (driver, ledger.verdict(it)) {
        (Some(at), _) => Cell::from(short(ledger.image(at).version())),
        (None, Verdict::PreInstalled) => Cell::toned("pre-installed", Tone::Quiet),
        (None, Verdict::Unknown) => Cell::toned("unknown", Tone::Odd),
        (None, _) => Cell::toned("-", Tone::Quiet),
    };
    let is_wrong = ledger.wrong(it).next().is_some();
    let asked = it
        .chosen_by
        .iter()
        .flat_map(|at| &ledger.needs.asking[*at].images)
        .next();
    let asked = asked.map_or("-", |it| {
        it.image.as_ref().map_or(it.text, |it| short(it.version()))
    });
    let runs = it.running.iter().find(|it| it.was_started());
    let mut row = vec![
        Cell::from(it.node.name.clone()),
        needs,
        Cell::toned(asked, if is_wrong { Tone::Bad } else { Tone::Plain }),
        Cell::from(runs.map_or("-", |it| short(it.image.version()))),
        match driver {
            Some(_) => availability(ledger.availability(it)),
            None => Cell::toned("-", Tone::Quiet),
        },
    ];
    if wide {
        let state = driver.map(|it| &ledger.states[it]);
        let kernel = it.profile.kernel.as_deref().unwrap_or_default();
        let os = it.outcome.os_tag.as_deref().unwrap_or_default();
        row.extend([
            Cell::from(or_none(kernel)),
            Cell::from(or_none(os)),
            Cell::from(or_none(super::outcome::architecture(it.node))),
            Cell::from(state.map_or("-", |it| it.inventory.name())),
            Cell::from(state.map_or("-", |it| it.registry.name())),
            Cell::from(state.and_then(|it| it.nearest.as_deref()).unwrap_or("-")),
        ]);
    }
    row
}

/// So many characters of a digest tell it from others, as docker shows it: `sha256:` and twelve digits.
const SHORT_DIGEST: usize = 19;

fn short(version: &str) -> &str {
    match version.starts_with("sha256:") {
        true => version.get(..SHORT_DIGEST).unwrap_or(version),
        false => version,
    }
}

fn availability(it: Availability) -> Cell {
    match it {
        Availability::Absent => Cell::toned("ABSENT", Tone::Bad),
        Availability::Unknown => Cell::toned("unknown", Tone::Quiet),
        Availability::Present => Cell::toned("present", Tone::Good),
    }
}

fn group_table(ledger: &Ledger<'_>, groups: &[Group<'_, '_>]) -> Table {
    let row = |it: &Group<'_, '_>| {
        let worst = it.nodes.iter().map(|it| ledger.availability(it)).min();
        let names: Vec<_> = it.nodes.iter().map(|it| it.node.name.as_str()).collect();
        vec![
            Cell::from(or_none(it.key.version)),
            Cell::from(or_none(it.key.kernel)),
            Cell::from(or_none(it.key.os)),
            Cell::from(or_none(it.key.arch)),
            Cell::from(it.nodes.len().to_string()),
            availability(worst.unwrap_or(Availability::Unknown)),
            Cell::from(some_names(&names)),
        ]
    };
    Table {
        header: header(&["BRANCH", "KERNEL", "OS", "ARCH", "COUNT", "IMAGE", "NODES"]),
        rows: groups.iter().map(row).collect(),
    }
}

/// `a, b, c and 2 more`.
pub(super) fn some_names(names: &[&str]) -> String {
    let shown = names[..names.len().min(NAMES_SHOWN)].join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn odd_in_words(it: &groups::Odd<'_>) -> String {
    format!(
        "node/{} is the odd one of pool {}: {}, while {} have {}",
        it.node,
        or_none(&it.pool),
        it.has.join(" "),
        count(it.n_others, "node"),
        it.others_have.join(" ")
    )
}

fn stage_table(ledger: &Ledger<'_>) -> Table {
    let rows = ledger.needs.stages.iter().enumerate();
    Table {
        header: header(&["STAGE", "CHANGE", "COUNT", "NEEDS-FIRST", "IMAGE"]),
        rows: rows
            .flat_map(|(at, it)| stage_rows(ledger, at, it))
            .collect(),
    }
}

fn stage_rows(ledger: &Ledger<'_>, at: usize, stage: &StageNeeds) -> Vec<Vec<Cell>> {
    let mut images: Vec<_> = stage.images.iter().copied().collect();
    images.sort_by_key(|it| (ledger.states[*it].availability(), ledger.image(*it)));
    let lead = |text: String, first: bool| Cell::from(if first { text } else { String::new() });
    let row = |(n, image): (usize, Option<usize>)| {
        let (needs, state) = match image {
            Some(it) => (
                Cell::from(ledger.image(it).version()),
                availability(ledger.states[it].availability()),
            ),
            None => (Cell::toned("-", Tone::Quiet), Cell::toned("-", Tone::Quiet)),
        };
        vec![
            lead((at + 1).to_string(), n == 0),
            lead(stage.title.clone(), n == 0),
            lead(stage.nodes.len().to_string(), n == 0),
            needs,
            state,
        ]
    };
    match images.is_empty() {
        true => vec![row((0, None))],
        false => images.into_iter().map(Some).enumerate().map(row).collect(),
    }
}

fn summary(ledger: &Ledger<'_>, findings: &[Finding]) -> String {
    let n = |verdict| {
        ledger
            .nodes()
            .filter(|it| ledger.verdict(it) == verdict)
            .count()
    };
    let n_errors = findings
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .count();
    let images = &ledger.needs.images;
    let n_absent = ledger
        .states
        .iter()
        .filter(|it| it.availability() == Availability::Absent)
        .count();
    let host = match n(Verdict::PreInstalled) {
        0 => String::new(),
        it => format!(" ({it} with a driver of the host)"),
    };
    let when = match ledger.needs.is_what_if() {
        true => "after the change: ",
        false => "",
    };
    let release = ledger.needs.regime.release.map_or_else(
        || "operator of unknown version".to_owned(),
        |it| format!("operator {it}"),
    );
    let untold = ledger
        .nodes()
        .filter(|it| matches!(it.outcome.wish, Wish::Untold(_)));
    let untold = match untold.map(why).next() {
        Some(why) => format!("; not told: {why}"),
        None => String::new(),
    };
    format!(
        "{when}{}{host}, {} needed, {n_absent} absent; {}; {release}{untold}",
        count(ledger.nodes().count(), "node"),
        count(images.len(), "image"),
        count(n_errors, "error"),
    )
}
