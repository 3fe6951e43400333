//! What is read only after the first look has shown something wrong.

use super::Standing;
use crate::answer::{Finding, Severity};
use crate::cluster::{DeployLabel, Kind, Node, Read};
use crate::facts::operands::Id;

/// Of so many opted-out nodes the pods are read node by node; of more, in one list of all running pods.
const FEW_NODES: usize = 3;

/// Nobody offers GPUs on this node, on purpose.
pub fn offers_no_gpu_on_purpose(node: &Node) -> bool {
    node.is_opted_out() || node.deploy(Id::DevicePlugin) == DeployLabel::Off
}

/// The lists that explain these findings: events, quotas and Deployments of the operator's namespace;
/// and, for GPU nodes that were opted out, the pods that may still hold a GPU there.
pub fn second_look(standing: &Standing<'_>, findings: &[Finding]) -> Vec<Read> {
    let mut reads = Vec::new();
    let is_wrong = findings.iter().any(|it| it.severity != Severity::Info);
    if let (true, Some(home)) = (is_wrong, &standing.cluster.namespace) {
        let kinds = [Kind::Event, Kind::ResourceQuota, Kind::Deployment];
        reads.extend(kinds.map(|kind| Read::within(kind, home)));
    }
    let opted_out: Vec<_> = standing
        .nodes
        .iter()
        .map(|it| it.node)
        .filter(|it| it.is_gpu() && offers_no_gpu_on_purpose(it))
        .collect();
    let running =
        |more: String| Read::all(Kind::Pod).fields(&format!("status.phase=Running{more}"));
    match opted_out.len() {
        0 => {}
        1..=FEW_NODES => reads.extend(
            opted_out
                .iter()
                .map(|it| running(format!(",spec.nodeName={}", it.name))),
        ),
        _ => reads.push(running(String::new())),
    }
    reads
}
