//! A DaemonSet wants a pod, and its creation is refused.

use super::{Words, each_root, in_namespace};
use crate::answer::{Severity, Subject};
use crate::cluster::{Cluster, DaemonSet};
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "creation-refused",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a DaemonSet wants pods and the API server refuses to create them",
    explanation: "Desired is above current, and FailedCreate events say why: a quota that does not cover the pods' \
        priority class (system-node-critical needs a ResourceQuota of its own on some clouds), pod security that does \
        not allow privileged pods in the namespace, or an admission webhook. Node, label and taint are in order.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, _, trouble| {
        let Trouble::NotCreated(it) = trouble else {
            return None;
        };
        let words = standing.cluster.creation_refusal(it)?;
        Some(Words {
            subject: Subject::from(*it),
            message: format!(
                "node/{} gets no pod of {}: their creation is refused{}",
                node.node.name,
                root.names(),
                root.waiting_behind()
            ),
            cause: words.to_owned(),
            evidence: evidence(standing.cluster, it, words),
            fix: fix(it, words),
        })
    })
}

fn evidence(cluster: &Cluster, it: &DaemonSet, words: &str) -> Vec<String> {
    let mut evidence = vec![format!(
        "{} desired {}, current {}",
        it.address(),
        it.desired,
        it.current
    )];
    evidence.extend(
        it.priority_class
            .iter()
            .map(|class| format!("{} has priority class {class}", it.address())),
    );
    if words.contains("quota") {
        let quotas: Vec<_> = cluster
            .quotas
            .iter()
            .filter(|quota| quota.namespace == it.namespace)
            .map(|it| it.name.as_str())
            .collect();
        evidence.push(match quotas.as_slice() {
            [] => format!("namespace {} has no ResourceQuota", it.namespace),
            some => format!(
                "namespace {} has ResourceQuota {}",
                it.namespace,
                some.join(", ")
            ),
        });
    }
    evidence
}

fn fix(it: &DaemonSet, words: &str) -> String {
    if let Some((_, rest)) = words.split_once("exceeded quota: ") {
        let name = rest.split(',').next().unwrap_or(rest);
        return in_namespace(&format!("edit resourcequota/{name}"), &it.namespace)
            + ": raise what is used up";
    }
    if words.contains("quota") {
        let quota = serde_json::json!({
            "apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": { "name": "gpu-operator", "namespace": it.namespace },
            "spec": { "hard": { "pods": "1000" }, "scopeSelector": { "matchExpressions": [{
                "operator": "In", "scopeName": "PriorityClass",
                "values": ["system-node-critical", "system-cluster-critical"] }] } },
        });
        return format!("echo '{quota}' | kubectl apply -f -");
    }
    if words.contains("PodSecurity") || words.contains("violates") {
        return format!(
            "kubectl label namespace/{} pod-security.kubernetes.io/enforce=privileged --overwrite",
            it.namespace
        );
    }
    in_namespace(&format!("describe {}", it.address()), &it.namespace)
}
