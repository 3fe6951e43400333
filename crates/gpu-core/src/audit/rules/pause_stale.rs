//! A pause that nobody will take away.

use super::{Found, names, paused_by};
use crate::answer::Severity;
use crate::cluster::{DeployLabel, Node};
use crate::facts::labels::{DEPLOY_PREFIX, PAUSES, Pauser};
use crate::facts::operands::Id;
use crate::standing::{Cell, NodeStanding, Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "pause-stale",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "operands are still paused although who paused them is done",
    explanation: "The driver manager, the MIG manager and the vGPU device manager pause operands by a value in their \
        deploy labels and set them back when they are done. When one is killed in between, the value stays, and the \
        operator never touches a value that is not empty. The operands come back when the labels are set to true, or \
        at the next run of who paused them.",
    find,
};

/// Label in which the MIG manager says how far it is, and the values by which it says that it is done.
const MIG_STATE: &str = "nvidia.com/mig.config.state";
const MIG_DONE: [&str; 2] = ["success", "failed"];

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let pausers = || PAUSES.iter().map(|(pauser, _, _)| *pauser);
    standing
        .nodes
        .iter()
        .flat_map(|it| pausers().filter_map(move |pauser| on_node(it, pauser)))
        .collect()
}

fn on_node(it: &NodeStanding<'_>, pauser: Pauser) -> Option<Found> {
    let paused = paused_by(it, pauser);
    let first = *paused.first()?;
    let done = done(it, pauser)?;
    let node = it.node;
    let labels: Vec<_> = paused_labels(node, pauser)
        .map(|key| format!("{key}=true"))
        .collect();
    let mut evidence = vec![
        done,
        format!(
            "node/{} deploy labels {}: {}",
            node.name,
            pauser.value(),
            names(&paused)
        ),
    ];
    if let Some(state) = node.label(UPGRADE_STATE).filter(|it| *it != UPGRADE_DONE) {
        evidence.push(format!(
            "node/{} label {UPGRADE_STATE}={state}: the upgrade waits for them too",
            node.name
        ));
    }
    let mut consequences = Vec::new();
    if paused.contains(&Id::DevicePlugin) {
        consequences.push("pods that ask for GPUs find none on this node".to_owned());
    }
    Some(Found {
        operand: Some(first),
        message: format!(
            "{} on node/{} {}",
            names(&paused),
            node.name,
            if paused.len() == 1 {
                "is paused and nobody will bring it back"
            } else {
                "are paused and nobody will bring them back"
            }
        ),
        cause: format!(
            "{} is done and left {} in the deploy labels; the operator never corrects it",
            pauser.name(),
            pauser.value()
        ),
        consequences,
        evidence,
        fix: format!(
            "kubectl label node/{} --overwrite {}",
            node.name,
            labels.join(" ")
        ),
        ..Found::on(node)
    })
}

/// Label in which the upgrade controller says how far it is, and the value for done.
const UPGRADE_STATE: &str = "nvidia.com/gpu-driver-upgrade-state";
const UPGRADE_DONE: &str = "upgrade-done";

/// Every deploy label that this pauser has left, those of switched-off operands too: they would be a trap later.
fn paused_labels(node: &Node, pauser: Pauser) -> impl Iterator<Item = &str> {
    node.labels
        .iter()
        .filter_map(move |(key, value)| match DeployLabel::parse(Some(value)) {
            DeployLabel::Paused { by, .. }
                if key.starts_with(DEPLOY_PREFIX) && by.first() == Some(&pauser) =>
            {
                Some(key.as_str())
            }
            _ => None,
        })
}

/// By what one sees that the pauser is done; `None` while it may still be at work.
fn done(it: &NodeStanding<'_>, pauser: Pauser) -> Option<String> {
    let ready = |cell: &&Cell<'_>| cell.state == State::Ready;
    match pauser {
        Pauser::Driver => {
            let cell = it
                .cell(Id::Driver)
                .filter(ready)
                .or_else(|| it.cell(Id::VgpuManager).filter(ready))?;
            let pod = cell.pods.iter().find(|it| it.ready)?;
            let started = pod.details.as_ref().and_then(|it| it.created);
            let since = started.map_or_else(String::new, |at| format!(" since {at}"));
            Some(format!(
                "{} is Ready: {} runs{since}",
                cell.operand.name(),
                pod.address()
            ))
        }
        Pauser::Mig => {
            let state = it
                .node
                .label(MIG_STATE)
                .filter(|it| MIG_DONE.contains(it))?;
            Some(format!("node/{} label {MIG_STATE}={state}", it.node.name))
        }
        Pauser::Vgpu => {
            let state = it
                .node
                .label("nvidia.com/vgpu.config.state")
                .filter(|it| MIG_DONE.contains(it))?;
            Some(format!(
                "node/{} label nvidia.com/vgpu.config.state={state}",
                it.node.name
            ))
        }
    }
}
