//! The JSON of an audit, version 1.

use serde::Serialize;

use super::view;
use crate::answer::wire::{Body, json};
use crate::cluster::{DaemonSet, Pod};
use crate::standing::{Cell, NodeStanding, Standing};

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
        operator: standing.operator(),
        summary: standing.summary(),
        parts: vec![
            ("daemonSets", json(parts.daemon_sets)),
            ("nodes", json(parts.nodes)),
        ],
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Kind};
    use crate::facts::operands::{CORE, Id};
    use crate::standing::{Scope, standing};
    use crate::testing::{
        cluster, core_daemon_sets, daemon_set_of, gpu_node, node, pod_of, policy, take,
    };
    use expect_test::expect;
    use serde_json::{Value, json};

    /// The parts of the report beside the envelope.
    fn parts(cluster: &Cluster) -> Value {
        let body = body(&standing(cluster, &Scope::default(), None).unwrap());
        body.parts
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    fn two_nodes() -> Cluster {
        let nodes = [
            node("gpu-1").deploys(Id::DevicePlugin, "true"),
            node("gpu-2").deploys(Id::DevicePlugin, "false"),
        ];
        cluster(
            nodes,
            [daemon_set_of(Id::DevicePlugin)],
            [pod_of(Id::DevicePlugin, "gpu-1")],
        )
    }

    #[test]
    fn a_daemon_set_is_written_as_documented() {
        expect![[r#"
            [
              {
                "operand": "device-plugin",
                "namespace": "gpu-operator",
                "name": "nvidia-device-plugin-daemonset",
                "desired": 0,
                "current": 0,
                "ready": 0,
                "skips": [
                  {
                    "node": "gpu-2",
                    "label": "nvidia.com/gpu.deploy.device-plugin",
                    "value": "false"
                  }
                ]
              }
            ]
        "#]]
        .assert_eq(&format!("{:#}\n", parts(&two_nodes())["daemonSets"]));
    }

    #[test]
    fn a_node_is_written_as_documented() {
        expect![[r#"
            {
              "name": "gpu-1",
              "gpu": true,
              "workload": "container",
              "operands": [
                {
                  "operand": "device-plugin",
                  "state": "ready",
                  "label": {
                    "key": "nvidia.com/gpu.deploy.device-plugin",
                    "value": "true"
                  },
                  "daemonSets": [
                    "nvidia-device-plugin-daemonset"
                  ],
                  "pods": [
                    {
                      "namespace": "gpu-operator",
                      "name": "nvidia-device-plugin-daemonset-gpu-1",
                      "phase": "Running",
                      "ready": true,
                      "status": "Running",
                      "restarts": 0
                    }
                  ],
                  "why": ""
                }
              ]
            }
        "#]]
        .assert_eq(&format!("{:#}\n", parts(&two_nodes())["nodes"][0]));
    }

    #[test]
    fn an_absent_label_is_null_and_an_empty_one_is_not() {
        for (value, want) in [
            (None, json!(null)),
            (Some(""), json!("")),
            (Some("false"), json!("false")),
        ] {
            let start = node("gpu-1").label("nvidia.com/gpu.present", "true");
            let node = match value {
                Some(value) => start.deploys(Id::Dcgm, value),
                None => start,
            };
            let cluster = cluster([node], [daemon_set_of(Id::Dcgm)], []);
            let parts = parts(&cluster);
            assert_eq!(
                parts["nodes"][0]["operands"][0]["label"],
                json!({ "key": "nvidia.com/gpu.deploy.dcgm", "value": want })
            );
            assert_eq!(parts["daemonSets"][0]["skips"][0]["value"], want);
        }
    }

    #[test]
    fn a_node_says_what_it_is_for_and_whether_it_has_a_gpu() {
        let labelled = gpu_node("a").label("nvidia.com/gpu.workload.config", "vm-vgpu");
        let mut cluster = cluster([labelled, node("b")], [], []);
        let said = |cluster: &Cluster| -> Vec<Value> {
            let parts = parts(cluster);
            let nodes = parts["nodes"].as_array().unwrap();
            nodes
                .iter()
                .map(|it| json!([it["name"], it["gpu"], it["workload"]]))
                .collect()
        };
        assert_eq!(
            said(&cluster),
            [
                json!(["a", true, "container"]),
                json!(["b", false, "container"])
            ]
        );
        take(
            &mut cluster,
            [policy(
                Kind::ClusterPolicy,
                json!({ "sandboxWorkloads": { "enabled": true } }),
            )],
        );
        assert_eq!(
            said(&cluster),
            [
                json!(["a", true, "vm-vgpu"]),
                json!(["b", false, "container"])
            ]
        );
    }

    #[test]
    fn daemon_sets_come_in_the_order_of_the_roster_and_only_those_of_operands() {
        let sets = core_daemon_sets()
            .into_iter()
            .rev()
            .chain([crate::testing::daemon_set("somebody-elses")]);
        let parts = parts(&cluster([], sets, []));
        let names: Vec<_> = parts["daemonSets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["operand"].as_str().unwrap())
            .collect();
        assert_eq!(names, CORE.map(Id::name));
    }
}
