//! A DaemonSet asks a node to run another driver image than it needs.

use super::edit;
use crate::answer::{Severity, Subject};
use crate::cluster::Kind;
use crate::drivertag::judge::Ledger;
use crate::drivertag::reference::Image;
use crate::drivertag::tag::Parts;
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "asks-another-image",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "the driver DaemonSet of a node asks for another image than the node needs",
    explanation: "The tag a node needs follows from its own labels; the one it is asked to run is in the template of \
        the driver DaemonSet that selects it. They differ when another node's system decides (a ClusterPolicy takes \
        the system of one GPU node for all of them), when the operator has not followed a change of the policy, or \
        when a new release of the operator names images in another way. The driver then does not load, or the image is \
        not found.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let mut seen: Vec<(&Image, &Image)> = Vec::new();
        for (at, asked, needed) in ledger.wrong(node) {
            // A tag that breaks off is a finding of its own.
            if seen.contains(&(asked, needed)) || asked.version().ends_with('-') {
                continue;
            }
            seen.push((asked, needed));
            let daemon_set = ledger.needs.asking[at].daemon_set;
            let runs = node.running.iter().filter(|it| it.was_started());
            let runs = runs.map(|it| format!("{} runs {}", it.pod.address(), it.image));
            let mut evidence = vec![format!("{} asks for {asked}", daemon_set.address())];
            evidence.extend(runs.take(1));
            found.push(Found {
                operand: Some(Id::Driver),
                subject: Subject::from(daemon_set),
                message: format!(
                    "node/{} needs {}, and {} asks for {}",
                    node.node.name,
                    needed.version(),
                    daemon_set.address(),
                    asked.version()
                ),
                cause: cause(ledger, node, asked, needed),
                consequences: vec![
                    "the driver does not load there after the next start of its pod".to_owned(),
                ],
                evidence,
                fix: fix(node),
                ..Found::on(node.node)
            });
        }
    }
    found
}

fn fix(node: &NodeNeeds<'_>) -> String {
    match node.outcome.policy {
        Some(policy) => format!("kubectl describe {}", policy.address()),
        None => edit(node),
    }
}

fn cause(ledger: &Ledger<'_>, node: &NodeNeeds<'_>, asked: &Image, needed: &Image) -> String {
    let parts = (Parts::of(asked.version()), Parts::of(needed.version()));
    let (Some(asks), Some(needs)) = parts else {
        return "the DaemonSet does not follow the policy".to_owned();
    };
    if asks.os != needs.os {
        let own = node
            .profile
            .os
            .as_ref()
            .map(|it| it.candidates())
            .unwrap_or_default();
        if own.iter().any(|it| it == asks.os) {
            return format!(
                "releases of the operator differ in the OS part, {} or {}, and the DaemonSet has that of another release",
                asks.os, needs.os
            );
        }
        let other = ledger
            .needs
            .nodes
            .iter()
            .find(|it| it.outcome.os_tag.as_deref() == Some(asks.os));
        let is_shared = node
            .outcome
            .policy
            .is_some_and(|it| it.kind == Kind::ClusterPolicy);
        return match other {
            Some(other) if is_shared => format!(
                "under a ClusterPolicy the system of one GPU node decides for all, and node/{} is {}",
                other.node.name, asks.os
            ),
            Some(other) => format!("{} is the system of node/{}", asks.os, other.node.name),
            None => format!(
                "no GPU node is {}, so the DaemonSet was made for something that is gone",
                asks.os
            ),
        };
    }
    if asks.kernel != needs.kernel {
        return match (asks.kernel, needs.kernel) {
            (Some(a), Some(b)) => format!("it is for kernel {a}, and the node runs {b}"),
            (None, _) => {
                "the policy asks for precompiled drivers, and the DaemonSet does not".to_owned()
            }
            (_, None) => {
                "the DaemonSet asks for a precompiled driver, and the policy does not".to_owned()
            }
        };
    }
    format!(
        "the policy asks for driver {}, and the operator has not brought it to the DaemonSet, which has {}",
        needs.version, asks.version
    )
}
