//! A wanted operand has no pod on the node, and neither a taint nor the scheduler is the reason.

use super::{Words, each_root, in_namespace, labels_of};
use crate::answer::{Severity, Subject};
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "operand-missing",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "an operand that the node's deploy label asks for has no pod there",
    explanation: "A deploy label with the value true asks for an operand on the node. It is missing when no pod of its \
        DaemonSets is there: there is no DaemonSet (the operator has not made it, or was never installed), no \
        DaemonSet of the operand selects the node, or the DaemonSet wants the node and its pods are not created \
        (quota, admission, or a DaemonSet controller that is behind).",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, _, trouble| match trouble {
        Trouble::NoDaemonSet => Some(no_daemon_set(standing, node, root)),
        Trouble::Refused(it, refusal) if !matches!(refusal, crate::cluster::Refusal::Taint(_)) => {
            Some(Words {
                subject: Subject::from(*it),
                message: message(node, root),
                cause: trouble.in_words(),
                evidence: vec![labels_of(node, root)],
                fix: in_namespace(&format!("get {} -o yaml", it.address()), &it.namespace),
            })
        }
        Trouble::NotCreated(it) if standing.cluster.creation_refusal(it).is_none() => Some(Words {
            subject: Subject::from(*it),
            message: message(node, root),
            cause: format!(
                "{}, so its creation is refused or late (desired {}, current {})",
                trouble.in_words(),
                it.desired,
                it.current
            ),
            evidence: vec![labels_of(node, root)],
            fix: in_namespace(&format!("describe {}", it.address()), &it.namespace),
        }),
        _ => None,
    })
}

fn message(node: &NodeStanding<'_>, root: &Root) -> String {
    format!(
        "node/{} has no pod of {}{}",
        node.node.name,
        root.names(),
        root.waiting_behind()
    )
}

fn no_daemon_set(standing: &Standing<'_>, node: &NodeStanding<'_>, root: &Root) -> Words {
    let place = standing
        .cluster
        .namespace
        .as_ref()
        .map_or_else(String::new, |it| format!(" in namespace {it}"));
    let fix = match (standing.regime.leading(), &standing.cluster.namespace) {
        (Some(policy), _) => format!("kubectl describe {}", policy.address()),
        (None, Some(namespace)) => in_namespace("get daemonsets,pods", namespace),
        (None, None) => "kubectl get clusterpolicies,daemonsets -A".to_owned(),
    };
    Words {
        subject: Subject::from(node.node),
        message: message(node, root),
        cause: format!(
            "the node's deploy labels ask for it, and there is no DaemonSet for it{place}"
        ),
        evidence: vec![labels_of(node, root)],
        fix,
    }
}
