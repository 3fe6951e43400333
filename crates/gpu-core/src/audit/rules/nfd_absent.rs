//! No node carries a label of Node Feature Discovery.

use super::Found;
use crate::answer::{Severity, Subject};
use crate::cluster::Kind;
use crate::facts::labels::NFD_PREFIX;
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "nfd-absent",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "no node carries a label of Node Feature Discovery",
    explanation: "The operator finds GPU nodes by the PCI labels that Node Feature Discovery writes. Without them it \
        takes no node for a GPU node and deploys nothing.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let cluster = standing.cluster;
    let Some(policy) = standing.regime.leading() else {
        return Vec::new();
    };
    if cluster.unseen(Kind::Node).is_some()
        || cluster.nodes.is_empty()
        || cluster.nodes.iter().any(|it| it.has_nfd_label())
    {
        return Vec::new();
    }
    let worker = cluster.daemon_sets.iter().find(|it| it.is_nfd_worker());
    let cause = match worker {
        Some(it) => format!("{} in namespace {} has {} of {} pods Ready and no node has its labels", it.address(), it.namespace, it.ready, it.desired),
        None => "Node Feature Discovery (NFD) is not installed: there is no worker DaemonSet in any namespace".to_owned(),
    };
    vec![Found {
        message: format!("no node has a {NFD_PREFIX} label, so the operator finds no GPU node"),
        cause,
        consequences: vec!["no deploy labels and no operands, on no node".to_owned()],
        evidence: vec![format!(
            "{} nodes without any {NFD_PREFIX}* label",
            cluster.nodes.len()
        )],
        fix: match worker {
            Some(it) => format!("kubectl describe {} -n {}", it.address(), it.namespace),
            None => {
                "install NFD: helm upgrade … --set nfd.enabled=true, or its own chart".to_owned()
            }
        },
        ..Found::about(Subject::from(policy))
    }]
}
