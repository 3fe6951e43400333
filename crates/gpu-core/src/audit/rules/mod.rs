//! The audit's rules, one file each; `RULES` is the list of them all.

mod capacity_below_count;
mod creation_refused;
mod deploy_label_absent;
mod deploy_label_empty;
mod deploy_label_odd;
mod deploy_labels_lost;
mod gpu_label_without_gpu;
mod gpu_not_recognised;
mod image_not_pulled;
mod mig_manager_unlabelled;
mod monitoring_not_ready;
mod nfd_absent;
mod nfd_pci_label_unknown;
mod nfd_restarts;
mod nfd_worker_missing;
mod node_not_ready;
mod operand_crashes;
mod operand_missing;
mod operand_not_ready;
mod operand_unexpected;
mod operand_waits;
mod operand_wanted_nowhere;
mod operator_not_running;
mod opted_out_in_use;
mod pause_stale;
mod pod_unscheduled;
mod policies_conflict;
mod policy_error;
mod taint_not_tolerated;

use crate::answer::Subject;
use crate::cluster::DeployLabel;
use crate::facts::labels::{DEPLOY_PREFIX, Pauser};
use crate::facts::operands::Id;
use crate::standing::{Cell, Found, NodeStanding, Root, Rule, Standing, State, Trouble};

/// All rules of gpu-audit, by name.
pub const RULES: &[Rule] = &[
    capacity_below_count::RULE,
    creation_refused::RULE,
    deploy_label_absent::RULE,
    deploy_label_empty::RULE,
    deploy_label_odd::RULE,
    deploy_labels_lost::RULE,
    gpu_label_without_gpu::RULE,
    gpu_not_recognised::RULE,
    image_not_pulled::RULE,
    mig_manager_unlabelled::RULE,
    monitoring_not_ready::RULE,
    nfd_absent::RULE,
    nfd_pci_label_unknown::RULE,
    nfd_restarts::RULE,
    nfd_worker_missing::RULE,
    node_not_ready::RULE,
    operand_crashes::RULE,
    operand_missing::RULE,
    operand_not_ready::RULE,
    operand_unexpected::RULE,
    operand_waits::RULE,
    operand_wanted_nowhere::RULE,
    operator_not_running::RULE,
    opted_out_in_use::RULE,
    pause_stale::RULE,
    pod_unscheduled::RULE,
    policies_conflict::RULE,
    policy_error::RULE,
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
                consequences: node.consequences(root),
                evidence: words
                    .evidence
                    .into_iter()
                    .chain(node.paused_behind(root))
                    .collect(),
                fix: words.fix,
            });
        }
    }
    found
}

/// `driver, container-toolkit`.
fn names(operands: &[Id]) -> String {
    operands
        .iter()
        .map(|it| it.name())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The operands that this pauser has paused on a node.
fn paused_by(node: &NodeStanding<'_>, pauser: Pauser) -> Vec<Id> {
    let is_paused = |it: &&Cell<'_>| matches!(&it.label, DeployLabel::Paused { by, .. } if by.first() == Some(&pauser));
    node.cells
        .iter()
        .filter(is_paused)
        .filter(|it| it.state == State::Paused)
        .map(|it| it.operand)
        .collect()
}

/// Does an operator look after this cluster: is there a policy, or a DaemonSet of an operand?
fn is_managed(standing: &Standing<'_>) -> bool {
    standing.regime.leading().is_some()
        || standing
            .cluster
            .daemon_sets
            .iter()
            .any(|it| it.operand.is_some())
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
