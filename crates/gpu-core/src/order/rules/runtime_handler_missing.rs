//! The container runtime does not know the runtime class that operands use.

use crate::answer::{Severity, Subject};
use crate::cluster::Pod;
use crate::facts::operands::Id;
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, State, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "runtime-handler-missing",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "operands get no sandbox because the container runtime has no handler for their RuntimeClass",
    explanation: "All operands but driver and toolkit run with the RuntimeClass nvidia. The container toolkit writes the \
        handler of that name into the runtime's configuration and restarts it. Where it writes another file than the \
        runtime reads (as with the containerd of k3s and rke2), pods stay in ContainerCreating.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for root in &node.roots {
            if let Some(Trouble::Creating(pod)) =
                node.cell(root.operand).and_then(|it| it.trouble.as_ref())
            {
                found.extend(on_node(standing, node, root, pod));
            }
        }
    }
    found
}

fn on_node(
    standing: &Standing<'_>,
    node: &NodeStanding<'_>,
    root: &Root,
    pod: &Pod,
) -> Option<Found> {
    let words = standing.cluster.handler_refusal(pod)?;
    let class = pod
        .details
        .as_ref()
        .and_then(|it| it.runtime_class.clone())
        .unwrap_or_else(|| "nvidia".to_owned());
    let name = &node.node.name;
    let toolkit = node.cell(Id::ContainerToolkit);
    let cause = match toolkit.map(|it| it.state) {
        Some(State::Ready) => {
            format!(
                "the toolkit is Ready, so it has written the handler {class} where {} does not read it",
                node.node.runtime
            )
        }
        Some(_) => {
            format!("the toolkit, which has to configure {class} in the runtime, does not run")
        }
        None => format!("the host's own runtime has to know {class}, and it does not"),
    };
    Some(Found {
        operand: Some(root.operand),
        subject: Subject::from(pod),
        message: format!(
            "{} {} no sandbox on node/{name}: its container runtime has no handler \"{class}\" configured",
            root.names(),
            root.verb("gets", "get")
        ),
        cause,
        consequences: node.consequences(root),
        evidence: vec![
            words.to_owned(),
            format!("node/{name} runs {}", node.node.runtime),
        ],
        fix: format!(
            "set toolkit.env CONTAINERD_CONFIG and CONTAINERD_SOCKET (CRI-O: RUNTIME) to what the kubelet of node/{name} uses"
        ),
        ..Found::on(node.node)
    })
}
