//! The NFD master restarts again and again, so labels come and go.

use super::{Found, in_namespace};
use crate::answer::{Severity, Subject};
use crate::cluster::{Cluster, Pod};
use crate::standing::{Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "nfd-restarts",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "the NFD master restarts again and again, so labels and operands come and go",
    explanation: "When NFD loses a node's features for a moment, its PCI labels disappear, the operator strips the deploy \
        labels, and every operand of the node is deleted and made anew. Between two restarts all looks well; running \
        GPU pods suffer each time. The usual cause is a memory limit that is too low for the number of nodes.",
    find,
};

/// So many restarts of a Deployment's pod are no accident.
const OFTEN: u32 = 5;
/// Operands made within so many seconds of each other were made at once.
const AT_ONCE: i64 = 120;
const A_DAY: i64 = 24 * 3600;

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let cluster = standing.cluster;
    let masters = cluster
        .pods
        .iter()
        .filter(|it| is_nfd_master(it) && it.restarts >= OFTEN && is_recent(cluster, it));
    let mut masters = masters.peekable();
    let young = masters.peek().and_then(|_| young_operands(cluster));
    masters.map(|it| found(it, young.clone())).collect()
}

/// Did it end within the last day? Restarts of a year are no trouble of today.
fn is_recent(cluster: &Cluster, pod: &Pod) -> bool {
    let ended = pod
        .details
        .as_ref()
        .and_then(|it| it.containers.iter().find_map(|it| it.last.as_ref()?.at));
    match (cluster.seen_at, ended) {
        (Some(now), Some(at)) => now.as_second() - at.as_second() < A_DAY,
        _ => true,
    }
}

fn is_nfd_master(pod: &Pod) -> bool {
    let says = |key: &str, value: &str| {
        pod.details
            .as_ref()
            .is_some_and(|it| it.labels.get(key).is_some_and(|it| it == value))
    };
    pod.name.contains("node-feature-discovery-master")
        || pod.name.starts_with("nfd-master")
        || says("app", "nfd-master")
        || says("app.kubernetes.io/name", "node-feature-discovery") && says("role", "master")
}

fn found(pod: &Pod, young: Option<String>) -> Found {
    let last = pod
        .details
        .as_ref()
        .and_then(|it| it.containers.iter().find_map(|it| it.last.as_ref()));
    let how = last.map_or_else(String::new, |it| {
        format!(", last ended by {}", it.in_words())
    });
    let mut evidence = vec![format!(
        "{} has {} restarts{how}",
        pod.address(),
        pod.restarts
    )];
    evidence.extend(young);
    Found {
        message: format!(
            "the NFD master (node-feature-discovery) has restarted {} times, so node labels can flap",
            pod.restarts
        ),
        cause: format!(
            "{} in namespace {} ends again and again{how}",
            pod.address(),
            pod.namespace
        ),
        consequences: vec![
            "each time a node loses its PCI label for a moment, all its operands are made anew"
                .to_owned(),
        ],
        evidence,
        fix: in_namespace(
            &format!("logs {} --previous", pod.address()),
            &pod.namespace,
        ) + "; raise its memory limit if it was OOMKilled",
        ..Found::about(Subject::from(pod))
    }
}

/// All operands made at once, long after their nodes: the trace of labels that were gone for a moment.
fn young_operands(cluster: &Cluster) -> Option<String> {
    let made = cluster
        .pods
        .iter()
        .filter(|it| it.operand.is_some())
        .filter_map(|it| it.details.as_ref()?.created);
    let (first, last) = (made.clone().min()?, made.max()?);
    let now = cluster.seen_at?;
    let oldest = cluster
        .nodes
        .iter()
        .filter(|it| it.is_gpu())
        .filter_map(|it| it.created)
        .max()?;
    let is_at_once = last.as_second() - first.as_second() <= AT_ONCE;
    let is_late = first.as_second() - oldest.as_second() > A_DAY;
    let minutes = (now.as_second() - first.as_second()) / 60;
    (is_at_once && is_late).then(|| format!("all operand pods were made at the same time, {minutes} minutes ago, on nodes that are days old"))
}
