//! The toolkit was started again after the operands that build on it.

use jiff::Timestamp;

use crate::answer::{Severity, Subject};
use crate::cluster::Pod;
use crate::cluster::pod::State as ContainerState;
use crate::facts::operands::Id;
use crate::standing::{Found, NodeStanding, Plugin, Rule, Standing, State};

pub(super) const RULE: Rule = Rule {
    id: "stale-prerequisite",
    severity: Severity::Info,
    plugin: Plugin::Order,
    summary: "driver or toolkit was started again after the device plugin that builds on it",
    explanation: "Operands check their prerequisite once, when they start. A driver or toolkit that is replaced later \
        leaves them running on what was there before. That is usually harmless after an update of the toolkit, and the \
        first thing to look at when GPUs act up: restart the operands behind it.",
    find,
};

/// A prerequisite that starts within so many seconds belongs to the same roll-out.
const SAME_ROLL_OUT: i64 = 600;

fn find(standing: &Standing<'_>) -> Vec<Found> {
    standing.nodes.iter().filter_map(on_node).collect()
}

/// When the first container of a Ready pod started.
fn started(pod: &Pod) -> Option<Timestamp> {
    match pod.details.as_ref()?.containers.first()?.state {
        ContainerState::Running(at) => at,
        _ => None,
    }
}

fn on_node(node: &NodeStanding<'_>) -> Option<Found> {
    let ready = |id| {
        let cell = node.cell(id).filter(|it| it.state == State::Ready)?;
        let pod = *cell.pods.iter().find(|it| it.ready)?;
        Some((pod, started(pod)?))
    };
    let (plugin, plugin_at) = ready(Id::DevicePlugin)?;
    let later = |id: Id| {
        ready(id)
            .filter(|(_, at)| at.as_second() - plugin_at.as_second() > SAME_ROLL_OUT)
            .map(|it| (id, it))
    };
    let (id, (pod, at)) = later(Id::Driver).or_else(|| later(Id::ContainerToolkit))?;
    let name = &node.node.name;
    Some(Found {
        operand: Some(id),
        subject: Subject::from(pod),
        message: format!(
            "{} on node/{name} was started after device-plugin, which builds on it",
            id.name()
        ),
        cause: "operands check what they build on only when they start".to_owned(),
        evidence: vec![
            format!("{} started at {at}", pod.address()),
            format!("{} started at {plugin_at}", plugin.address()),
        ],
        fix: format!(
            "kubectl delete {} -n {} if GPUs act up on the node",
            plugin.address(),
            plugin.namespace
        ),
        ..Found::on(node.node)
    })
}
