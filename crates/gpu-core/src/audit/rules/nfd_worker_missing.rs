//! The NFD worker has no pod on a node that looks like a GPU node.

use super::Found;
use crate::answer::Severity;
use crate::cluster::{Cluster, DaemonSet, Kind, Node, Refusal};
use crate::facts::labels::NFD_PREFIX;
use crate::standing::{NodeStanding, Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "nfd-worker-missing",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "the NFD worker has no pod on a node that looks like a GPU node",
    explanation: "Node Feature Discovery's worker writes the labels by which GPU nodes, kernels and operating systems \
        are found. Where it cannot run, usually because of a taint, the node gets none of them and no error says so. \
        If the node was made a GPU node by hand, the operator lacks its kernel and OS labels, and one such node can \
        stop the whole reconcile.",
    find,
};

/// NFD's label for the running kernel, which every labelled node has.
const KERNEL: &str = "feature.node.kubernetes.io/kernel-version.full";
/// Taints with this key mark GPU nodes by convention.
const GPU_TAINT: &str = "nvidia.com/gpu";

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let cluster = standing.cluster;
    let workers: Vec<_> = cluster
        .daemon_sets
        .iter()
        .filter(|it| it.is_nfd_worker())
        .collect();
    if workers.is_empty()
        || cluster.unseen(Kind::Pod).is_some()
        || cluster.unseen_elsewhere(Kind::Pod).is_some()
    {
        return Vec::new();
    }
    let nodes = standing.nodes.iter();
    nodes
        .filter(|it| looks_like_gpu(it.node) && !has_worker(cluster, it))
        .filter_map(|it| found(&workers, it.node))
        .collect()
}

fn looks_like_gpu(node: &Node) -> bool {
    // A virtual node has no kubelet, so no worker can run there and none is missed.
    if node.label("type") == Some("virtual-kubelet")
        || node
            .taints
            .iter()
            .any(|it| it.key == "virtual-kubelet.io/provider")
    {
        return false;
    }
    let is_tainted = node.taints.iter().any(|it| it.key == GPU_TAINT);
    let is_known =
        node.is_gpu() || node.gpu_pci_label().is_some() || !node.gpu_resources.is_empty();
    node.label(KERNEL).is_none() && (is_tainted || is_known)
}

fn has_worker(cluster: &Cluster, node: &NodeStanding<'_>) -> bool {
    node.pods.iter().any(|it| {
        let of_worker = it
            .daemon_set
            .is_some_and(|at| cluster.daemon_sets[at].is_nfd_worker());
        of_worker && it.is_running()
    })
}

fn found(workers: &[&DaemonSet], node: &Node) -> Option<Found> {
    let worker = workers.first()?;
    let describe = format!(
        "kubectl describe {} -n {}",
        worker.address(),
        worker.namespace
    );
    let (cause, mut evidence, fix) = match worker.refuses(node) {
        Some(Refusal::Taint(taint)) => {
            let all: Vec<_> = worker.tolerations.iter().map(ToString::to_string).collect();
            let cause = format!("{} does not tolerate the taint {taint}", worker.address());
            let fix = format!(
                "kubectl edit {} -n {}: add {{key: {}, operator: Exists}} to spec.template.spec.tolerations",
                worker.address(),
                worker.namespace,
                taint.key
            );
            let evidence = vec![
                format!("node/{} taint {taint}", node.name),
                format!("it tolerates {}", all.join(", ")),
            ];
            (cause, evidence, fix)
        }
        Some(_) => (
            format!("{} does not select the node", worker.address()),
            Vec::new(),
            describe,
        ),
        None => (
            format!(
                "{} selects the node and has no Running pod there",
                worker.address()
            ),
            Vec::new(),
            describe,
        ),
    };
    evidence.push(format!("node/{} has no label {KERNEL}", node.name));
    evidence.extend(node.gpu_pci_label().map(|it| {
        format!(
            "node/{} label {it}=true was not written by NFD's worker",
            node.name
        )
    }));
    Some(Found {
        message: format!("node/{} has no NFD worker (node-feature-discovery), so its {NFD_PREFIX} labels are missing", node.name),
        cause,
        consequences: vec!["the operator does not see its GPU, kernel and OS, and operands do not come or stop coming".to_owned()],
        evidence,
        fix,
        ..Found::on(node)
    })
}
