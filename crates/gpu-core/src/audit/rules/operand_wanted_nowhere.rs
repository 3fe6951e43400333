//! Operands are deployed and want no pod, although GPU nodes are there; told where nodes cannot be read.

use super::{Found, names};
use crate::answer::{Severity, Subject};
use crate::cluster::{DaemonSet, Kind};
use crate::facts::operands::{Id, ON_SOME_NODES, Workload};
use crate::standing::{Plugin, Rule, Standing, Switched};

pub(super) const RULE: Rule = Rule {
    id: "operand-wanted-nowhere",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "operands that are switched on want 0 pods while another operand runs, and no node can be read",
    explanation: "Every operand's DaemonSet selects its own deploy label. If one of them has pods and others want none, \
        the labels of the others are not true on those nodes. Which value they have can only be said from the nodes.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let cluster = standing.cluster;
    let operands = || {
        cluster
            .daemon_sets
            .iter()
            .filter_map(|it| Some((it.operand?, it)))
    };
    let Some(running) = operands().map(|(_, it)| it).find(|it| it.desired > 0) else {
        return Vec::new();
    };
    if cluster.unseen(Kind::Node).is_none() || standing.regime.leading().is_none() {
        return Vec::new();
    }
    let is_everywhere = |id: Id| {
        id.row().workloads.contains(&Workload::Container)
            && id != Id::Driver
            && !ON_SOME_NODES.contains(&id)
    };
    let is_on = |id| standing.regime.switched(id) == Switched::On;
    let idle: Vec<(Id, &DaemonSet)> = operands()
        .filter(|(id, it)| it.desired == 0 && is_everywhere(*id) && is_on(*id))
        .collect();
    let Some((_, first)) = idle.first() else {
        return Vec::new();
    };
    let ids: Vec<_> = idle.iter().map(|(id, _)| *id).collect();
    vec![Found {
        message: format!(
            "{} want 0 pods while {} wants {}: no node has their deploy labels set to true",
            names(&ids),
            running.name,
            running.desired
        ),
        cause: "each of these DaemonSets selects its own deploy label; which value the nodes have could not be read".to_owned(),
        evidence: idle.iter().map(|(id, it)| format!("{} desired 0, selects {}=true", it.address(), id.row().label)).collect(),
        fix: "kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.deploy.container-toolkit".to_owned(),
        ..Found::about(Subject::from(*first))
    }]
}
