//! A deploy label holds a word that nobody reads.

use super::Found;
use crate::answer::Severity;
use crate::cluster::DeployLabel;
use crate::standing::{Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "deploy-label-odd",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a deploy label holds a value that neither operator nor DaemonSet knows",
    explanation: "Only true lets an operand run, and only false is a documented opt-out. Any other word, True and yes \
        among them, keeps the operand away as well, and the operator never corrects it.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for it in &standing.nodes {
        for cell in it
            .cells
            .iter()
            .filter(|cell| cell.state == State::NotWanted)
        {
            let DeployLabel::Other(value) = &cell.label else {
                continue;
            };
            let (node, key) = (it.node, cell.operand.row().label);
            found.push(Found {
                operand: Some(cell.operand),
                message: format!(
                    "node/{} gets no pod of {}: its deploy label is \"{value}\"",
                    node.name,
                    cell.operand.name()
                ),
                cause: "the DaemonSet selects exactly true, and nobody corrects another value"
                    .to_owned(),
                evidence: vec![format!("node/{} label {key}={value}", node.name)],
                fix: format!(
                    "kubectl label node/{} {key}=true --overwrite (or =false to opt out)",
                    node.name
                ),
                ..Found::on(node)
            });
        }
    }
    found
}
