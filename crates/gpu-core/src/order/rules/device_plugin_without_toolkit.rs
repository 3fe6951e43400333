//! The device plugin runs on a node and the container toolkit does not.

use crate::answer::{Severity, Subject};
use crate::facts::operands::Id;
use crate::standing::{Found, NodeStanding, Plugin, Rule, Standing, Switched};

pub(super) const RULE: Rule = Rule {
    id: "device-plugin-without-toolkit",
    severity: Severity::Error,
    plugin: Plugin::Order,
    summary: "the device plugin runs on the node and no container toolkit does",
    explanation: "The device plugin offers GPUs to pods, and the container toolkit is what puts them into containers. \
        Without it pods are scheduled and do not see their GPU. Not said where the policy switches the toolkit off, \
        because then the host brings its own.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    standing
        .nodes
        .iter()
        .filter_map(|node| on_node(standing, node))
        .collect()
}

fn on_node(standing: &Standing<'_>, node: &NodeStanding<'_>) -> Option<Found> {
    if let Switched::Off(_) = standing.regime.switched(Id::ContainerToolkit) {
        return None;
    }
    let pod = *node
        .cell(Id::DevicePlugin)?
        .pods
        .iter()
        .find(|it| it.is_running())?;
    let toolkit = node.cell(Id::ContainerToolkit);
    if toolkit.is_some_and(|it| it.is_running()) || !standing.is_sure() {
        return None;
    }
    let key = Id::ContainerToolkit.row().label;
    let label = match node.node.label(key) {
        Some(value) => format!("{key}={value}"),
        None => format!("{key} absent"),
    };
    let why = toolkit.map(|it| it.why.clone()).filter(|it| !it.is_empty());
    let name = &node.node.name;
    Some(Found {
        node: Some(name.clone()),
        operand: Some(Id::ContainerToolkit),
        subject: Subject::from(node.node),
        message: format!("device-plugin runs on node/{name} and container-toolkit does not"),
        cause: why
            .unwrap_or_else(|| format!("node/{name} has no pod of container-toolkit ({label})")),
        consequences: vec![
            "pods get a GPU from the scheduler and do not see it in their containers".to_owned(),
        ],
        evidence: vec![
            format!("{} is {}", pod.address(), pod.status),
            format!("node/{name} label {label}"),
        ],
        fix: match node.node.label(key) {
            Some("true") => format!("kubectl get pods -A --field-selector spec.nodeName={name}"),
            _ => format!("kubectl label node/{name} {key}=true --overwrite"),
        },
    })
}
