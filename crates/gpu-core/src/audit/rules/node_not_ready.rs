//! A GPU node is not Ready, so its pods tell nothing.

use super::Found;
use crate::answer::Severity;
use crate::cluster::{Cluster, DaemonSet, Node, Readiness};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "node-not-ready",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a GPU node is not Ready",
    explanation: "The kubelet says that the node is not Ready, or says nothing any more. What the API server has of \
        its pods is what it last heard, so no operand of it can be judged.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let gpu_nodes = standing
        .nodes
        .iter()
        .map(|it| it.node)
        .filter(|it| it.is_gpu());
    gpu_nodes
        .filter_map(|node| {
            let (word, it) = match &node.readiness {
                Readiness::NotReady(it) => ("not Ready", it),
                Readiness::Unknown(it) => ("unreachable", it),
                Readiness::Ready | Readiness::Unsaid => return None,
            };
            let mut evidence = vec![format!("condition Ready: {} ({})", it.reason, it.message)];
            evidence.extend(it.since.map(|at| format!("since {at}")));
            evidence.extend(
                node.taints
                    .iter()
                    .map(|it| format!("node/{} taint {it}", node.name)),
            );
            evidence.extend(intolerant(standing.cluster, node));
            Some(Found {
                message: format!(
                    "node/{} is {word}: what runs there cannot be known",
                    node.name
                ),
                cause: it.message.clone(),
                evidence,
                fix: format!("kubectl describe node/{}", node.name),
                ..Found::on(node)
            })
        })
        .collect()
}

/// DaemonSets whose desired number falls while the node is away, because they do not tolerate its own taints.
fn intolerant(cluster: &Cluster, node: &Node) -> Option<String> {
    let operands = cluster
        .daemon_sets
        .iter()
        .filter(|it| it.operand.is_some() && it.unselected(node).is_none());
    let untolerated = |it: &DaemonSet| {
        it.untolerated(node)
            .filter(|it| it.key.starts_with("node.kubernetes.io/"))
            .cloned()
    };
    let refusing: Vec<_> = operands
        .filter_map(|it| Some((it.name.as_str(), untolerated(it)?)))
        .collect();
    let (_, taint) = refusing.first()?;
    let names: Vec<_> = refusing.iter().map(|(name, _)| *name).collect();
    Some(format!(
        "not tolerating {taint}, these want no pod there meanwhile: {}",
        names.join(", ")
    ))
}
