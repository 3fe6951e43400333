//! Operands are paused for a driver that does not come up.

use super::{Found, in_namespace, names, paused_by};
use crate::answer::{Severity, Subject};
use crate::facts::labels::Pauser;
use crate::facts::operands::Id;
use crate::standing::{NodeStanding, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "pause-behind-driver",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "operands are paused for a driver upgrade, and the driver does not come up",
    explanation: "The driver manager, an init container of the driver pod, pauses the node's operands before it \
        replaces the driver and takes the pause away when it is done. While the driver pod fails, they stay paused. \
        The driver is the thing to look at.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    standing.nodes.iter().filter_map(on_node).collect()
}

fn on_node(it: &NodeStanding<'_>) -> Option<Found> {
    let paused = paused_by(it, Pauser::Driver);
    let driver = [Id::Driver, Id::VgpuManager]
        .into_iter()
        .find_map(|id| it.cell(id).filter(|it| it.trouble.is_some()))?;
    let trouble = driver.trouble.as_ref()?;
    if paused.is_empty() {
        return None;
    }
    let node = it.node;
    let name = driver.operand.name();
    let pod = trouble.pod();
    Some(Found {
        operand: Some(driver.operand),
        subject: pod.map_or_else(|| Subject::from(node), Subject::from),
        message: format!(
            "{name} does not come up on node/{}, and {} stay paused until it does",
            node.name,
            names(&paused)
        ),
        cause: trouble.in_words(),
        evidence: vec![format!(
            "node/{} deploy labels {}: {}",
            node.name,
            Pauser::Driver.value(),
            names(&paused)
        )],
        fix: match (pod, trouble) {
            (Some(pod), Trouble::Fails(_, it)) => in_namespace(
                &format!("logs {} -c {}", pod.address(), it.container),
                &pod.namespace,
            ),
            (Some(pod), _) => in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
            (None, _) => format!("kubectl describe node/{}", node.name),
        },
        ..Found::on(node)
    })
}
