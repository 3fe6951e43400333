//! Two device plugins offer the GPUs of one node.

use crate::answer::{Severity, Subject};
use crate::cluster::{DaemonSet, Pod};
use crate::facts::operands::Id;
use crate::standing::{Found, NodeStanding, Plugin, Rule, Standing};

pub(super) const RULE: Rule = Rule {
    id: "second-device-plugin",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "a second device plugin offers the GPUs of a node beside the operator's",
    explanation: "Both register nvidia.com/gpu with the kubelet, and the last one wins: allocations of the other are \
        lost. Clouds and earlier installs bring their own device plugin; one of the two has to be switched off.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    standing
        .nodes
        .iter()
        .filter_map(|it| on_node(standing, it))
        .collect()
}

fn on_node(standing: &Standing<'_>, node: &NodeStanding<'_>) -> Option<Found> {
    let own = node.cell(Id::DevicePlugin)?;
    let own_pod = *own.pods.iter().find(|it| !it.is_finished())?;
    let cluster = standing.cluster;
    let foreign = |pod: &Pod| -> Option<&DaemonSet> {
        let it = &cluster.daemon_sets[pod.daemon_set?];
        (it.is_foreign_device_plugin() && pod.is_running()).then_some(it)
    };
    let (other_pod, other) = node
        .pods
        .iter()
        .find_map(|pod| Some((*pod, foreign(pod)?)))?;
    let own_set = own
        .daemon_sets
        .first()
        .map_or("nvidia-device-plugin-daemonset", |it| it.name.as_str());
    let name = &node.node.name;
    Some(Found {
        operand: Some(Id::DevicePlugin),
        subject: Subject::from(other_pod),
        message: format!(
            "two device plugins on node/{name}: {own_set} of the operator and {} in namespace {}",
            other.name, other.namespace
        ),
        cause: "both register nvidia.com/gpu with the kubelet, and the last one wins".to_owned(),
        consequences: vec![
            "GPUs can be given out twice, or not at all after a restart of either".to_owned(),
        ],
        evidence: vec![
            format!(
                "{} in {} is {}",
                other_pod.address(),
                other_pod.namespace,
                other_pod.status
            ),
            format!(
                "{} in {} is {}",
                own_pod.address(),
                own_pod.namespace,
                own_pod.status
            ),
        ],
        fix: format!(
            "kubectl label node/{name} {}=false --overwrite, or take {} in namespace {} off the node",
            Id::DevicePlugin.row().label,
            other.name,
            other.namespace
        ),
        ..Found::on(node.node)
    })
}
