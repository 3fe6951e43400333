//! An operand's pod is there and not Ready, for no reason that its containers tell.

use super::{Words, each_root, in_namespace, is_monitoring};
use crate::answer::{Severity, Subject};
use crate::cluster::Pod;
use crate::cluster::pod::State;
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "operand-not-ready",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "an operand's pod is on the node and not Ready",
    explanation: "All containers run and the pod is not Ready (its probes fail), the pod is being deleted, or it has \
        ended and the DaemonSet controller has not replaced it yet.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, cell, trouble| {
        let (Trouble::NotReady(pod) | Trouble::Terminating(pod) | Trouble::Finished(pod)) = trouble
        else {
            return None;
        };
        if is_monitoring(root.operand) && !cell.is_strictly_missing {
            return None;
        }
        Some(Words {
            subject: Subject::from(*pod),
            message: format!(
                "{} is not Ready on node/{}{}",
                root.names(),
                node.node.name,
                root.waiting_behind()
            ),
            cause: build_running(standing, root.operand, pod).unwrap_or_else(|| trouble.in_words()),
            evidence: vec![format!(
                "{} is {} with {} restarts",
                pod.address(),
                pod.status,
                pod.restarts
            )],
            fix: in_namespace(&format!("describe {}", pod.address()), &pod.namespace),
        })
    })
}

/// A driver that is built on the node takes its time: the startup probe allows about 20 minutes.
/// Source: NVIDIA/gpu-operator assets/state-driver/0500_daemonset.yaml.
const BUILD_MINUTES: i64 = 21;

/// Says so while a driver may still be building.
fn build_running(standing: &Standing<'_>, operand: Id, pod: &Pod) -> Option<String> {
    let container = pod
        .details
        .as_ref()?
        .containers
        .iter()
        .find(|it| !it.ready)?;
    let State::Running(Some(since)) = container.state else {
        return None;
    };
    let minutes = (standing.cluster.seen_at?.as_second() - since.as_second()) / 60;
    (operand == Id::Driver && minutes < BUILD_MINUTES).then(|| {
        format!(
            "container {} has been at work for {minutes} minutes; building a driver takes up to 20",
            container.name
        )
    })
}
