//! The JSON of an audit, version 1.

use serde::Serialize;

use super::view;
use crate::answer::wire::{Body, Operator, Summary, json};
use crate::cluster::{DaemonSet, Pod};
use crate::standing::{Cell, NodeStanding, Regime, Standing};

/// A DaemonSet of an operand.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireDaemonSet {
    operand: &'static str,
    namespace: String,
    name: String,
    desired: u32,
    current: u32,
    ready: u32,
    /// GPU nodes that its node selector skips.
    skips: Vec<WireSkip>,
}

/// A GPU node that a DaemonSet skips, and the label that made it skip.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireSkip {
    node: String,
    label: String,
    /// Null where the label is absent.
    value: Option<String>,
}

/// A node and its operands.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireNode {
    name: String,
    gpu: bool,
    workload: &'static str,
    operands: Vec<WireOperand>,
}

/// How an operand stands on a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireOperand {
    operand: &'static str,
    state: &'static str,
    label: WireLabel,
    daemon_sets: Vec<String>,
    pods: Vec<WirePod>,
    why: String,
}

/// A deploy label.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireLabel {
    key: &'static str,
    /// Null where the label is absent.
    value: Option<String>,
}

/// A pod of an operand.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WirePod {
    namespace: String,
    name: String,
    phase: &'static str,
    ready: bool,
    status: String,
    restarts: u32,
}

/// The parts of an AuditReport beside the envelope.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditParts {
    daemon_sets: Vec<WireDaemonSet>,
    nodes: Vec<WireNode>,
}

/// The parts of the report.
pub(super) fn body(standing: &Standing<'_>) -> Body {
    let daemon_sets = view::by_operand(standing.cluster)
        .into_iter()
        .filter_map(|it| daemon_set(standing, it))
        .collect();
    let parts = AuditParts {
        daemon_sets,
        nodes: standing.nodes.iter().map(node).collect(),
    };
    Body {
        operator: operator(&standing.regime),
        summary: summary(standing),
        parts: vec![
            ("daemonSets", json(parts.daemon_sets)),
            ("nodes", json(parts.nodes)),
        ],
    }
}

/// The operator as every report shows it.
pub(crate) fn operator(regime: &Regime<'_>) -> Operator {
    let policy = regime.leading();
    Operator {
        version: regime.release.map(|it| it.to_string()),
        policy: policy.map(crate::cluster::Policy::title),
        state: policy
            .map(|it| it.state.clone())
            .filter(|it| !it.is_empty()),
    }
}

/// The numbers as every report shows them.
pub(crate) fn summary(standing: &Standing<'_>) -> Summary {
    let mut summary = Summary {
        nodes: standing.nodes.len(),
        gpu_nodes: standing.nodes.iter().filter(|it| it.node.is_gpu()).count(),
        ..Summary::default()
    };
    for cell in standing.nodes.iter().flat_map(|it| &it.cells) {
        *summary.by_state.entry(cell.state.name()).or_default() += 1;
    }
    summary
}

fn daemon_set(standing: &Standing<'_>, it: &DaemonSet) -> Option<WireDaemonSet> {
    let skips = view::skips(standing, it).into_iter();
    Some(WireDaemonSet {
        operand: it.operand?.name(),
        namespace: it.namespace.clone(),
        name: it.name.clone(),
        desired: it.desired,
        current: it.current,
        ready: it.ready,
        skips: skips
            .map(|(node, label, value)| WireSkip {
                node: node.to_owned(),
                label,
                value,
            })
            .collect(),
    })
}

fn node(it: &NodeStanding<'_>) -> WireNode {
    WireNode {
        name: it.node.name.clone(),
        gpu: it.node.is_gpu(),
        workload: it.workload.name(),
        operands: it.cells.iter().map(|cell| operand(it, cell)).collect(),
    }
}

fn operand(node: &NodeStanding<'_>, it: &Cell<'_>) -> WireOperand {
    let key = it.operand.row().label;
    WireOperand {
        operand: it.operand.name(),
        state: it.state.name(),
        label: WireLabel {
            key,
            value: node.node.label(key).map(str::to_owned),
        },
        daemon_sets: it.daemon_sets.iter().map(|it| it.name.clone()).collect(),
        pods: it.pods.iter().map(|it| pod(it)).collect(),
        why: it.why.clone(),
    }
}

fn pod(it: &Pod) -> WirePod {
    WirePod {
        namespace: it.namespace.clone(),
        name: it.name.clone(),
        phase: it.phase.name(),
        ready: it.ready,
        status: it.status.clone(),
        restarts: it.restarts,
    }
}
