//! What people and scripts read of an audit.

use crate::answer::{Block, Cell as TableCell, Finding, Page, Severity, Table, Tone};
use crate::cluster::{Cluster, DaemonSet, Kind, Refusal};
use crate::facts::operands::{Id, ROSTER};
use crate::render::word;
use crate::standing::{Cell, NodeStanding, Standing, State};

/// So many nodes are shown whole; of more, those in order are folded into a count.
const NODES_SHOWN: usize = 12;

/// Names that a line of text lists before it counts the rest.
const NAMES_SHOWN: usize = 8;

/// The strict lines: `<node> MISSING <operand>` or `<node> OK`, `<node> UNKNOWN` where pods or DaemonSets were not read.
pub(super) fn lines(standing: &Standing<'_>) -> Vec<String> {
    let sure = standing.is_sure();
    let mut lines = Vec::new();
    for node in &standing.nodes {
        let name = word(&node.node.name);
        let missing: Vec<_> = node
            .cells
            .iter()
            .filter(|it| it.is_strictly_missing)
            .collect();
        match (sure, missing.is_empty()) {
            (false, _) => lines.push(format!("{name} UNKNOWN")),
            (true, true) => lines.push(format!("{name} OK")),
            (true, false) => lines.extend(
                missing
                    .iter()
                    .map(|it| format!("{name} MISSING {}", it.operand.name())),
            ),
        }
    }
    lines
}

/// The columns of the matrix: what each is called, and which operand it shows.
const MATRIX: [(&str, Id); 5] = [
    ("driver", Id::Driver),
    ("toolkit", Id::ContainerToolkit),
    ("device-plugin", Id::DevicePlugin),
    ("gfd", Id::GpuFeatureDiscovery),
    ("dcgm", Id::DcgmExporter),
];

/// The matrix: a Running pod or not, per node, and the number of Running pods of DaemonSets in the operator's namespace.
pub(super) fn matrix(standing: &Standing<'_>) -> Vec<String> {
    let row = |node: &NodeStanding<'_>| {
        let answer = |id| {
            if node.cell(id).is_some_and(Cell::is_running) {
                "yes"
            } else {
                "no"
            }
        };
        let columns = MATRIX
            .iter()
            .map(|(name, id)| format!(" {name}={}", answer(*id)))
            .collect::<String>();
        word(&node.node.name) + &columns
    };
    let mut lines: Vec<_> = standing.nodes.iter().map(row).collect();
    lines.push(format!("TOTAL_PODS={}", total_pods(standing.cluster)));
    lines
}

fn total_pods(cluster: &Cluster) -> usize {
    let home = cluster.namespace.as_deref();
    let counts = |it: &&crate::cluster::Pod| {
        home == Some(it.namespace.as_str())
            && it.is_running()
            && it
                .owner
                .as_ref()
                .is_some_and(|owner| owner.kind == "DaemonSet")
    };
    cluster.pods.iter().filter(counts).count()
}

/// Errors on nodes that no `MISSING` line names, or about no node at all.
pub(super) fn errors_beyond_lines(standing: &Standing<'_>, findings: &[Finding]) -> usize {
    let shown = |name: &str| {
        let node = standing.nodes.iter().find(|it| it.node.name == name);
        node.is_some_and(|it| it.cells.iter().any(|cell| cell.is_strictly_missing))
    };
    let beyond =
        |it: &&Finding| it.severity == Severity::Error && !it.node.as_deref().is_some_and(shown);
    findings.iter().filter(beyond).count()
}

/// The page for people.
pub(super) fn page(standing: &Standing<'_>, findings: &[Finding], wide: bool) -> Page {
    let is_large = !wide && standing.nodes.len() > NODES_SHOWN;
    let is_folded = |it: &&NodeStanding<'_>| is_large && is_quiet(it, findings);
    let (folded, shown): (Vec<_>, Vec<_>) = standing.nodes.iter().partition(is_folded);
    let mut blocks = vec![Block::Table(node_table(&shown, wide))];
    blocks.extend(fold(&folded));
    if wide {
        blocks.push(Block::Table(daemon_set_table(standing.cluster)));
        blocks.push(Block::Text(skips_in_words(standing)));
    }
    Page {
        blocks,
        summary: summary(standing, findings),
    }
}

/// Nothing to say about this node: no GPU, or all well.
fn is_quiet(node: &NodeStanding<'_>, findings: &[Finding]) -> bool {
    let blamed = findings
        .iter()
        .any(|it| it.node.as_deref() == Some(&node.node.name) && it.severity != Severity::Info);
    let shows = |it: &Cell<'_>| {
        matches!(
            it.state,
            State::Unknown | State::Paused | State::Unexpected | State::Missing | State::NotReady
        )
    };
    !blamed && !node.cells.iter().any(shows)
}

fn fold(folded: &[&NodeStanding<'_>]) -> Option<Block> {
    let n_gpu = folded.iter().filter(|it| it.node.is_gpu()).count();
    let n_other = folded.len() - n_gpu;
    let mut parts = Vec::new();
    if n_gpu > 0 {
        parts.push(format!("{} in order", count(n_gpu, "GPU node")));
    }
    if n_other > 0 {
        parts.push(format!("{} without GPU", count(n_other, "node")));
    }
    (!parts.is_empty())
        .then(|| Block::Text(vec![format!("{} (-o wide shows them)", parts.join(", "))]))
}

/// `1 node`, `2 nodes`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn node_table(nodes: &[&NodeStanding<'_>], wide: bool) -> Table {
    let has = |id: Id| {
        nodes.iter().any(|it| {
            it.cell(id)
                .is_some_and(|it| wide || it.state != State::Disabled)
        })
    };
    let columns: Vec<Id> = ROSTER
        .iter()
        .map(|it| it.id)
        .filter(|id| has(*id))
        .collect();
    let mut header = vec!["NODE".to_owned()];
    if wide {
        header.push("WORKLOAD".to_owned());
    }
    header.extend(columns.iter().map(|it| it.row().column.to_owned()));
    let row = |node: &&NodeStanding<'_>| {
        let mut cells = vec![TableCell::from(node.node.name.clone())];
        if wide {
            let workload = if node.node.is_gpu() {
                node.workload.name()
            } else {
                "<none>"
            };
            cells.push(workload.into());
        }
        cells.extend(columns.iter().map(|id| table_cell(node.cell(*id))));
        cells
    };
    Table {
        header,
        rows: nodes.iter().map(row).collect(),
    }
}

fn table_cell(cell: Option<&Cell<'_>>) -> TableCell {
    let Some(cell) = cell else {
        return TableCell::toned("-", Tone::Quiet);
    };
    match cell.state {
        State::Ready => TableCell::toned("ready", Tone::Good),
        State::Missing => TableCell::toned("MISSING", Tone::Bad),
        // kubectl's own word says more than "not-ready".
        State::NotReady => {
            let status = cell
                .trouble
                .as_ref()
                .and_then(crate::standing::Trouble::pod)
                .map(|it| it.status.clone());
            match status.as_deref() {
                None | Some("Running") => TableCell::toned("not-ready", Tone::Bad),
                Some(status) => TableCell::toned(status, Tone::Bad),
            }
        }
        state @ (State::Paused | State::Unexpected | State::Unknown) => {
            TableCell::toned(state.name(), Tone::Odd)
        }
        state @ (State::Disabled | State::PreInstalled | State::OptedOut | State::NotWanted) => {
            TableCell::toned(state.name(), Tone::Quiet)
        }
    }
}

fn daemon_set_table(cluster: &Cluster) -> Table {
    let header = ["OPERAND", "DAEMONSET", "DESIRED", "CURRENT", "READY"]
        .map(str::to_owned)
        .to_vec();
    let row = |it: &DaemonSet| -> Option<Vec<TableCell>> {
        let cells = [
            it.name.clone(),
            it.desired.to_string(),
            it.current.to_string(),
            it.ready.to_string(),
        ];
        let operand = it.operand?.name();
        Some(
            std::iter::once(operand.into())
                .chain(cells.into_iter().map(TableCell::from))
                .collect(),
        )
    };
    Table {
        header,
        rows: by_operand(cluster).into_iter().filter_map(row).collect(),
    }
}

/// The DaemonSets of operands, in the order of the roster.
pub(super) fn by_operand(cluster: &Cluster) -> Vec<&DaemonSet> {
    let mut found: Vec<_> = cluster
        .daemon_sets
        .iter()
        .filter(|it| it.operand.is_some())
        .collect();
    found.sort_by_key(|it| it.operand);
    found
}

/// A GPU node that a DaemonSet's selector skips: its name, the label, and the value it has.
pub(super) type Skip<'a> = (&'a str, String, Option<String>);

/// The GPU nodes that the selector of a DaemonSet skips, each with the value that made it skip.
pub(super) fn skips<'a>(standing: &Standing<'a>, it: &DaemonSet) -> Vec<Skip<'a>> {
    let gpu_nodes = standing
        .nodes
        .iter()
        .map(|node| node.node)
        .filter(|node| node.is_gpu());
    gpu_nodes
        .filter_map(|node| match it.unselected(node) {
            Some(Refusal::Label { key, has, .. }) => Some((node.name.as_str(), key, has)),
            _ => None,
        })
        .collect()
}

fn skips_in_words(standing: &Standing<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let all = by_operand(standing.cluster);
    for it in &all {
        let Some(operand) = it.operand else { continue };
        let alone = all
            .iter()
            .filter(|other| other.operand == it.operand)
            .count()
            == 1;
        let which = if alone {
            operand.name().to_owned()
        } else {
            format!("{} ({})", operand.name(), it.name)
        };
        let skips = skips(standing, it);
        let mut text = format!("{which}: desired {}", it.desired);
        for (at, (node, key, has)) in skips.iter().take(NAMES_SHOWN).enumerate() {
            let lead = if at == 0 { ", skips" } else { "," };
            let value = has
                .as_ref()
                .map_or_else(|| format!("{key} absent"), |has| format!("{key}={has}"));
            text.push_str(&format!("{lead} {node} ({value})"));
        }
        if skips.len() > NAMES_SHOWN {
            text.push_str(&format!(
                " and {}",
                count(skips.len() - NAMES_SHOWN, "more node")
            ));
        }
        lines.push(text);
    }
    lines
}

fn summary(standing: &Standing<'_>, findings: &[Finding]) -> String {
    let n = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let n_gpu = standing.nodes.iter().filter(|it| it.node.is_gpu()).count();
    let operator = match (standing.regime.leading(), standing.regime.release) {
        (None, None) => "no ClusterPolicy".to_owned(),
        (None, Some(release)) => format!("operator {release}, no ClusterPolicy"),
        (Some(policy), release) => {
            let state = if policy.state.is_empty() {
                "no state yet"
            } else {
                &policy.state
            };
            let release = release.map_or_else(String::new, |it| format!("operator {it}, "));
            format!("{release}{} {state}", policy.title())
        }
    };
    let nodes_unseen = if standing.cluster.has_seen(Kind::Node) {
        ""
    } else {
        " seen"
    };
    format!(
        "{}{nodes_unseen}, {n_gpu} with GPU; {}, {}; {operator}",
        count(standing.nodes.len(), "node"),
        count(n(Severity::Error), "error"),
        count(n(Severity::Warning), "warning"),
    )
}
