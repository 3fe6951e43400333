//! Clusters in one line, for tests.

use crate::answer::Answer;
use crate::cluster::rows::{self, Rows};
use crate::cluster::{Cluster, Coverage, DaemonSet, Kind, Node};
use crate::facts::operands::{CORE, Id, by_daemon_set};
use crate::standing::Scope;

/// Starts a node.
pub(crate) fn node(name: &str) -> NodeBuilder {
    let mut row = rows::Node::default();
    row.metadata.name = name.to_owned();
    row.status.conditions.push(rows::Condition {
        kind: "Ready".into(),
        status: rows::Text("True".into()),
        ..rows::Condition::default()
    });
    NodeBuilder(row)
}

/// A node being made.
pub(crate) struct NodeBuilder(rows::Node);

impl NodeBuilder {
    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.0
            .metadata
            .labels
            .insert(key.into(), rows::Text(value.into()));
        self
    }

    pub(crate) fn deploys(self, operand: Id, value: &str) -> Self {
        self.label(operand.row().label, value)
    }

    /// `key=value:effect`
    pub(crate) fn taint(mut self, text: &str) -> Self {
        let (pair, effect) = text.rsplit_once(':').unwrap();
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = Some(rows::Text(value.into()));
        self.0.spec.taints.push(rows::Taint {
            key: key.into(),
            value,
            effect: effect.into(),
        });
        self
    }

    pub(crate) fn not_ready(mut self, status: &str) -> Self {
        self.0.status.conditions[0].status = rows::Text(status.into());
        self
    }

    pub(crate) fn build(self) -> Node {
        cluster([self], [], []).nodes.remove(0)
    }
}

/// Starts a DaemonSet in namespace `gpu-operator`.
pub(crate) fn daemon_set(name: &str) -> DaemonSetBuilder {
    let mut row = rows::DaemonSet::default();
    row.metadata.name = name.to_owned();
    row.metadata.namespace = Some("gpu-operator".into());
    row.metadata.uid = Some(format!("uid-{name}"));
    if let Some(id) = by_daemon_set(name) {
        // As every install has it: a name alone makes no operand.
        let label = id.row().label.to_owned();
        row.spec
            .template
            .spec
            .node_selector
            .insert(label, rows::Text("true".into()));
    }
    DaemonSetBuilder(row)
}

/// The DaemonSet that the operator makes for an operand.
pub(crate) fn daemon_set_of(operand: Id) -> DaemonSetBuilder {
    let row = operand.row();
    let (crate::facts::operands::Name::Is(name) | crate::facts::operands::Name::Starts(name)) =
        row.daemon_sets[0];
    daemon_set(name).selects(row.label, "true")
}

/// A DaemonSet being made.
pub(crate) struct DaemonSetBuilder(rows::DaemonSet);

impl DaemonSetBuilder {
    pub(crate) fn selects(mut self, key: &str, value: &str) -> Self {
        self.0
            .spec
            .template
            .spec
            .node_selector
            .insert(key.into(), rows::Text(value.into()));
        self
    }

    pub(crate) fn tolerates(mut self, key: &str, operator: &str) -> Self {
        self.0
            .spec
            .template
            .spec
            .tolerations
            .push(rows::Toleration {
                key: Some(key.into()),
                operator: Some(operator.into()),
                ..rows::Toleration::default()
            });
        self
    }

    pub(crate) fn build(self) -> DaemonSet {
        cluster([], [self], []).daemon_sets.remove(0)
    }
}

/// Starts a pod of an operand's first DaemonSet, Running and Ready on a node.
pub(crate) fn pod_of(operand: Id, node: &str) -> PodBuilder {
    let owner = daemon_set_of(operand).0.metadata;
    let mut row = rows::Pod::default();
    row.metadata.name = format!("{}-{node}", owner.name);
    row.metadata.namespace = owner.namespace;
    row.metadata.owner_references.push(rows::Owner {
        kind: "DaemonSet".into(),
        name: owner.name,
        uid: owner.uid,
        controller: Some(true),
    });
    row.spec.node_name = Some(node.to_owned());
    PodBuilder(row).phase("Running", true)
}

/// A pod being made.
pub(crate) struct PodBuilder(rows::Pod);

impl PodBuilder {
    pub(crate) fn phase(mut self, phase: &str, ready: bool) -> Self {
        self.0.status.phase = Some(phase.into());
        let status = rows::Text(if ready { "True" } else { "False" }.into());
        self.0.status.conditions = vec![rows::Condition {
            kind: "Ready".into(),
            status,
            ..rows::Condition::default()
        }];
        self
    }

    pub(crate) fn named(mut self, name: &str) -> Self {
        self.0.metadata.name = name.to_owned();
        self
    }

    pub(crate) fn terminating(mut self) -> Self {
        self.0.metadata.deletion_timestamp = Some("2026-03-02T09:00:00Z".into());
        self
    }

    /// Not bound yet, and made for its node; the scheduler says why.
    pub(crate) fn unscheduled(mut self, words: &str) -> Self {
        let name = rows::Requirement {
            key: "metadata.name".into(),
            operator: "In".into(),
            values: self
                .0
                .spec
                .node_name
                .take()
                .map(rows::Text)
                .into_iter()
                .collect(),
        };
        let term = rows::NodeSelectorTerm {
            match_fields: vec![name],
            ..rows::NodeSelectorTerm::default()
        };
        self.0.spec.affinity.node_affinity.required = Some(rows::NodeSelector {
            node_selector_terms: vec![term],
        });
        self = self.phase("Pending", false);
        self.0.status.conditions.push(rows::Condition {
            kind: "PodScheduled".into(),
            status: rows::Text("False".into()),
            reason: Some("Unschedulable".into()),
            message: Some(words.to_owned()),
            ..rows::Condition::default()
        });
        self
    }

    /// Its init containers: the first `done` have ended well, the next one runs.
    pub(crate) fn waits_in(mut self, inits: &[&str], done: usize) -> Self {
        for (at, name) in inits.iter().enumerate() {
            let mut status = rows::ContainerStatus {
                name: (*name).into(),
                ..rows::ContainerStatus::default()
            };
            match at.cmp(&done) {
                std::cmp::Ordering::Less => {
                    status.state.terminated = Some(rows::Terminated::default())
                }
                std::cmp::Ordering::Equal => status.state.running = Some(rows::Running::default()),
                std::cmp::Ordering::Greater => {
                    status.state.waiting = Some(rows::Waiting::default())
                }
            }
            self.0.status.init_container_statuses.push(status);
            self.0.spec.init_containers.push(rows::ContainerSpec {
                name: (*name).into(),
                ..Default::default()
            });
        }
        self.phase("Pending", false)
    }

    /// Its one container waits with this reason.
    pub(crate) fn container_waits(mut self, reason: &str) -> Self {
        let mut status = rows::ContainerStatus {
            name: "main".into(),
            ..rows::ContainerStatus::default()
        };
        status.state.waiting = Some(rows::Waiting {
            reason: Some(reason.into()),
            message: Some("no such image".into()),
        });
        self.0.status.container_statuses.push(status);
        let image = rows::Text("registry.example/driver:1".into());
        self.0.spec.containers.push(rows::ContainerSpec {
            name: "main".into(),
            image,
            ..Default::default()
        });
        self.phase("Pending", false)
    }
}

/// A settled cluster of which everything was seen.
pub(crate) fn cluster(
    nodes: impl IntoIterator<Item = NodeBuilder>,
    daemon_sets: impl IntoIterator<Item = DaemonSetBuilder>,
    pods: impl IntoIterator<Item = PodBuilder>,
) -> Cluster {
    let mut cluster = Cluster::default();
    cluster.take(Rows::Nodes(nodes.into_iter().map(|it| it.0).collect()));
    cluster.take(Rows::DaemonSets(
        daemon_sets.into_iter().map(|it| it.0).collect(),
    ));
    cluster.take(Rows::Pods(pods.into_iter().map(|it| it.0).collect()));
    for kind in [Kind::Node, Kind::DaemonSet, Kind::Pod] {
        cluster.note(kind, Coverage::Seen);
    }
    cluster.settle();
    cluster
}

/// What an audit of the whole cluster says, in text: the strict lines, then each finding with its cause and consequences.
pub(crate) fn audit_text(cluster: &Cluster) -> String {
    let report = crate::audit::audit(cluster, &Scope::default(), None).unwrap();
    answer_text(&report)
}

/// The same for gpu-order.
pub(crate) fn order_text(cluster: &Cluster) -> String {
    let report =
        crate::order::order(cluster, &Scope::default(), None, crate::audit::RULES).unwrap();
    answer_text(&report)
}

fn answer_text(answer: &dyn Answer) -> String {
    let mut lines = answer.lines();
    for it in answer.findings() {
        lines.push(format!(
            "{} {}: {}",
            it.severity.name(),
            it.rule,
            it.message
        ));
        lines.push(format!("  because {}", it.cause));
        lines.extend(it.consequences.iter().map(|it| format!("  then {it}")));
        lines.push(format!("  fix {}", it.fix));
    }
    lines.extend(
        answer
            .gaps()
            .iter()
            .map(|it| format!("gap {}: {}; {}", it.what, it.why, it.effect)),
    );
    lines.iter().map(|it| it.clone() + "\n").collect()
}

/// A GPU node that deploys the five core operands.
pub(crate) fn gpu_node(name: &str) -> NodeBuilder {
    let start = node(name).label("nvidia.com/gpu.present", "true");
    CORE.iter()
        .fold(start, |node, id| node.deploys(*id, "true"))
}

/// The DaemonSets of the five core operands.
pub(crate) fn core_daemon_sets() -> Vec<DaemonSetBuilder> {
    CORE.iter().map(|id| daemon_set_of(*id)).collect()
}

/// Running pods of some operands on a node.
pub(crate) fn running(operands: &[Id], node: &str) -> Vec<PodBuilder> {
    operands.iter().map(|id| pod_of(*id, node)).collect()
}

/// A settled cluster of objects as an API server writes them, each with its `apiVersion` and `kind`.
pub(crate) fn recorded(objects: impl IntoIterator<Item = serde_json::Value>) -> Cluster {
    let mut cluster = Cluster::default();
    take(&mut cluster, objects);
    cluster
}

/// Takes more objects into a cluster and settles it again.
pub(crate) fn take(cluster: &mut Cluster, objects: impl IntoIterator<Item = serde_json::Value>) {
    for object in objects {
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        let kind = Kind::of(text("apiVersion"), text("kind")).unwrap();
        cluster.take(kind.read(Recorded(object)).unwrap());
    }
    cluster.settle();
}

/// One object as JSON.
struct Recorded(serde_json::Value);

impl crate::cluster::kind::Objects for Recorded {
    type Error = serde_json::Error;

    fn rows<T: serde::de::DeserializeOwned>(self) -> Result<Vec<T>, Self::Error> {
        serde_json::from_value(self.0).map(|it| vec![it])
    }
}

/// A policy as JSON, with nothing but its name and spec.
pub(crate) fn policy(kind: Kind, spec: serde_json::Value) -> serde_json::Value {
    let row = kind.row();
    let name = match kind {
        Kind::GpuCluster => "gpu-cluster",
        _ => "cluster-policy",
    };
    serde_json::json!({ "apiVersion": format!("{}/{}", row.group, row.version), "kind": row.name,
        "metadata": { "name": name }, "spec": spec })
}
