//! The operator itself is not running.

use super::{Found, in_namespace};
use crate::answer::{Severity, Subject};
use crate::cluster::Deployment;
use crate::standing::{NodeStanding, Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "operator-not-running",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "the GPU operator's own Deployment has no available pod",
    explanation: "Without the operator nothing is labelled, deployed, repaired or upgraded. What runs keeps running, and \
        what is broken stays broken. Read only when something else is wrong.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    // A live cluster's Deployments are read only when something is wrong, so a recording is held to the same.
    let is_lost =
        |it: &NodeStanding<'_>| it.node.gpu_pci_label().is_some() && !it.node.has_deploy_label();
    if !standing
        .nodes
        .iter()
        .any(|it| !it.roots.is_empty() || is_lost(it))
    {
        return Vec::new();
    }
    let operators = standing
        .cluster
        .deployments
        .iter()
        .filter(|it| it.is_gpu_operator());
    operators
        .filter(|it| it.available == 0)
        .map(found)
        .collect()
}

fn found(it: &Deployment) -> Found {
    let (message, cause) = match (it.replicas, &it.trouble) {
        (0, _) => ("is scaled to 0", "spec.replicas is 0".to_owned()),
        (_, Some(why)) => ("has no available pod", why.message.clone()),
        (_, None) => ("has no available pod", "its pods are not Ready".to_owned()),
    };
    Found {
        message: format!(
            "the GPU operator is not running: deployment/{} in namespace {} {message}",
            it.name, it.namespace
        ),
        cause,
        consequences: vec![
            "nodes are not labelled and operands are neither made nor repaired".to_owned(),
        ],
        evidence: vec![format!(
            "deployment/{} has {} of {} replicas available",
            it.name, it.available, it.replicas
        )],
        fix: in_namespace(&format!("describe deployment/{}", it.name), &it.namespace),
        ..Found::about(Subject {
            kind: "Deployment",
            namespace: Some(it.namespace.clone()),
            name: it.name.clone(),
        })
    }
}
