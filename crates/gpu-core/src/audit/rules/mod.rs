//! The audit's rules, one file each; `RULES` is the list of them all.

mod image_not_pulled;
mod monitoring_not_ready;
mod node_not_ready;
mod operand_crashes;
mod operand_missing;
mod operand_not_ready;
mod operand_unexpected;
mod operand_waits;
mod pod_unscheduled;
mod taint_not_tolerated;

use crate::answer::Subject;
use crate::facts::labels::DEPLOY_PREFIX;
use crate::facts::operands::Id;
use crate::standing::{Cell, Found, NodeStanding, Root, Rule, Standing, Trouble};

/// All rules of gpu-audit, by name.
pub const RULES: &[Rule] = &[
    image_not_pulled::RULE,
    monitoring_not_ready::RULE,
    node_not_ready::RULE,
    operand_crashes::RULE,
    operand_missing::RULE,
    operand_not_ready::RULE,
    operand_unexpected::RULE,
    operand_waits::RULE,
    pod_unscheduled::RULE,
    taint_not_tolerated::RULE,
];

/// What a rule says about one root; node, operand and consequences follow from the root.
struct Words {
    subject: Subject,
    message: String,
    cause: String,
    evidence: Vec<String>,
    fix: String,
}

/// Asks about every root of every node, and makes findings of the answers.
fn each_root<'a>(
    standing: &Standing<'a>,
    say: impl Fn(&NodeStanding<'a>, &Root, &Cell<'a>, &Trouble<'a>) -> Option<Words>,
) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for root in &node.roots {
            let Some(cell) = node.cell(root.operand) else {
                continue;
            };
            let Some(words) = cell
                .trouble
                .as_ref()
                .and_then(|it| say(node, root, cell, it))
            else {
                continue;
            };
            found.push(Found {
                node: Some(node.node.name.clone()),
                operand: Some(root.operand),
                subject: words.subject,
                message: words.message,
                cause: words.cause,
                consequences: consequences(node, root),
                evidence: words.evidence,
                fix: words.fix,
            });
        }
    }
    found
}

/// What waits behind a root, a clause each.
fn consequences(node: &NodeStanding<'_>, root: &Root) -> Vec<String> {
    let clause = |id: &Id| {
        let why = node.cell(*id).map(|it| it.why.clone()).unwrap_or_default();
        format!("{}: {why}", id.name())
    };
    root.behind.iter().map(clause).collect()
}

/// The operands of a root itself: `driver, container-toolkit`.
fn operands(root: &Root) -> String {
    std::iter::once(&root.operand)
        .chain(&root.alike)
        .map(|it| it.name())
        .collect::<Vec<_>>()
        .join(", ")
}

/// What waits, for the end of a message: `; container-toolkit, device-plugin wait for it`.
fn and_behind(root: &Root) -> String {
    match root.behind.as_slice() {
        [] => String::new(),
        [one] => format!("; {} waits behind it", one.name()),
        more => {
            let names = more
                .iter()
                .map(|it| it.name())
                .collect::<Vec<_>>()
                .join(", ");
            format!("; {names} wait behind it")
        }
    }
}

/// The labels that a root's operands are wanted by, as one clause of evidence.
fn labels_of(node: &NodeStanding<'_>, root: &Root) -> String {
    let ids = std::iter::once(&root.operand).chain(&root.alike);
    let mut names: Vec<_> = ids
        .filter_map(|id| id.row().label.strip_prefix(DEPLOY_PREFIX))
        .collect();
    names.dedup();
    let name = &node.node.name;
    match names.as_slice() {
        [one] => format!("node/{name} label {DEPLOY_PREFIX}{one}=true"),
        more => format!(
            "node/{name} labels {DEPLOY_PREFIX}{{{}}}=true",
            more.join(",")
        ),
    }
}

/// `kubectl … -n NAMESPACE`, with the namespace of an object.
fn in_namespace(command: &str, namespace: &str) -> String {
    format!("kubectl {command} -n {namespace}")
}

/// Operands that watch GPUs; workloads run without them.
fn is_monitoring(operand: Id) -> bool {
    matches!(
        operand,
        Id::Dcgm | Id::DcgmExporter | Id::NodeStatusExporter | Id::DcgmDra | Id::DcgmExporterDra
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_by_unique_kebab_case_ids() {
        for pair in RULES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{}", pair[1].id);
        }
        for rule in RULES {
            assert!(
                rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                rule.id
            );
            assert!(
                !rule.summary.ends_with('.') && !rule.summary.is_empty(),
                "{}",
                rule.id
            );
        }
    }
}
