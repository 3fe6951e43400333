//! The small structs that readers fill: Kubernetes' shapes, with only the fields somebody reads.
//!
//! `null` and an absent field are the same, and a number where a string is usual is taken as text,
//! because recordings pass through many tools before they get here.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// What one list, page or recorded object turned into.
#[derive(Debug)]
pub enum Rows {
    /// `v1` Node.
    Nodes(Vec<Node>),
    /// `v1` Pod.
    Pods(Vec<Pod>),
    /// `apps/v1` DaemonSet.
    DaemonSets(Vec<DaemonSet>),
    /// ClusterPolicy, NVIDIADriver or GPUCluster.
    Policies(super::Kind, Vec<Policy>),
    /// `v1` Event.
    Events(Vec<Event>),
    /// `v1` ResourceQuota.
    ResourceQuotas(Vec<ResourceQuota>),
    /// `apps/v1` Deployment.
    Deployments(Vec<Deployment>),
    /// `v1` Secret.
    Secrets(Vec<Secret>),
}

/// Text that may have been written as a number or a boolean.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("text")
    }
    fn visit_str<E: Error>(self, it: &str) -> Result<Text, E> {
        Ok(Text(it.to_owned()))
    }
    fn visit_string<E: Error>(self, it: String) -> Result<Text, E> {
        Ok(Text(it))
    }
    fn visit_bool<E: Error>(self, it: bool) -> Result<Text, E> {
        Ok(Text(it.to_string()))
    }
    fn visit_i64<E: Error>(self, it: i64) -> Result<Text, E> {
        Ok(Text(it.to_string()))
    }
    fn visit_u64<E: Error>(self, it: u64) -> Result<Text, E> {
        Ok(Text(it.to_string()))
    }
    fn visit_f64<E: Error>(self, it: f64) -> Result<Text, E> {
        Ok(Text(it.to_string()))
    }
    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text::default())
    }
}

/// `data` of a Secret. Whatever its shape, neither an error nor Debug quotes it.
#[derive(Clone, Default, serde::Deserialize)]
#[serde(transparent)]
pub struct SecretData(pub serde_json::Value);

impl std::fmt::Debug for SecretData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretData(…)")
    }
}

/// Takes `null` for the default.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
}

/// Labels, annotations, selectors and quantities.
pub type Map = BTreeMap<String, Text>;

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attr:meta])* $field:ident : $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $(
            #[doc = "The field of this name in Kubernetes' API."]
            $(#[$attr])*
            #[serde(deserialize_with = "or_default")]
            pub $field: $type,
        )* }
    )*};
}

rows! {
    /// `metadata` of any object.
    Meta {
        name: String, namespace: Option<String>, uid: Option<String>,
        labels: Map, annotations: Map, owner_references: Vec<Owner>,
        creation_timestamp: Option<String>, deletion_timestamp: Option<String>,
    }
    /// One owner reference.
    Owner { kind: String, name: String, uid: Option<String>, controller: Option<bool> }
    /// A condition of a node, pod, deployment or policy.
    Condition {
        #[serde(rename = "type")] kind: String, status: Text, reason: Option<String>, message: Option<String>,
        last_transition_time: Option<String>, last_heartbeat_time: Option<String>,
    }

    /// A Node.
    Node { metadata: Meta, spec: NodeSpec, status: NodeStatus }
    /// `spec` of a Node.
    NodeSpec { unschedulable: bool, taints: Vec<Taint> }
    /// A taint.
    Taint { key: String, value: Option<Text>, effect: String }
    /// `status` of a Node.
    NodeStatus { conditions: Vec<Condition>, capacity: Map, allocatable: Map, node_info: NodeInfo }
    /// `status.nodeInfo`.
    NodeInfo { kernel_version: Text, os_image: Text, architecture: Text, container_runtime_version: Text }

    /// A Pod.
    Pod { metadata: Meta, spec: PodSpec, status: PodStatus }
    /// `spec` of a Pod or of a template.
    PodSpec {
        node_name: Option<String>, node_selector: Map, affinity: Affinity, tolerations: Vec<Toleration>,
        init_containers: Vec<ContainerSpec>, containers: Vec<ContainerSpec>,
        runtime_class_name: Option<String>, priority_class_name: Option<String>, host_network: bool,
    }
    /// A container's wish.
    ContainerSpec { name: String, image: Text, restart_policy: Option<String>, resources: Resources }
    /// What a container asks for.
    Resources { limits: Map, requests: Map }
    /// `spec.affinity`.
    Affinity { node_affinity: NodeAffinity }
    /// `spec.affinity.nodeAffinity`.
    NodeAffinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")] required: Option<NodeSelector>,
    }
    /// Terms of which one has to match.
    NodeSelector { node_selector_terms: Vec<NodeSelectorTerm> }
    /// Requirements which all have to match.
    NodeSelectorTerm { match_expressions: Vec<Requirement>, match_fields: Vec<Requirement> }
    /// One requirement on a label or field.
    Requirement { key: String, operator: String, values: Vec<Text> }
    /// A toleration.
    Toleration { key: Option<String>, operator: Option<String>, value: Option<Text>, effect: Option<String> }
    /// `status` of a Pod.
    PodStatus {
        phase: Option<String>, reason: Option<String>, message: Option<String>, conditions: Vec<Condition>,
        init_container_statuses: Vec<ContainerStatus>, container_statuses: Vec<ContainerStatus>,
        start_time: Option<String>,
    }
    /// How a container does.
    ContainerStatus {
        name: String, image: Text, ready: bool, restart_count: u32, started: Option<bool>,
        state: ContainerState, last_state: ContainerState,
    }
    /// One of the three states of a container, or none.
    ContainerState { waiting: Option<Waiting>, running: Option<Running>, terminated: Option<Terminated> }
    /// A container that waits.
    Waiting { reason: Option<String>, message: Option<String> }
    /// A container that runs.
    Running { started_at: Option<String> }
    /// A container that ended.
    Terminated { exit_code: i32, signal: i32, reason: Option<String>, message: Option<String>, finished_at: Option<String> }

    /// A DaemonSet.
    DaemonSet { metadata: Meta, spec: DaemonSetSpec, status: DaemonSetStatus }
    /// `spec` of a DaemonSet.
    DaemonSetSpec { selector: LabelSelector, template: Template }
    /// A label selector.
    LabelSelector { match_labels: Map, match_expressions: Vec<Requirement> }
    /// A pod template.
    Template { metadata: Meta, spec: PodSpec }
    /// `status` of a DaemonSet.
    DaemonSetStatus {
        desired_number_scheduled: u32, current_number_scheduled: u32, number_ready: u32, number_misscheduled: u32,
        conditions: Vec<Condition>,
    }

    /// A ClusterPolicy, NVIDIADriver or GPUCluster.
    Policy { metadata: Meta, spec: serde_json::Value, status: PolicyStatus }
    /// `status` of a policy.
    PolicyStatus { state: Option<String>, namespace: Option<String>, conditions: Vec<Condition> }

    /// An Event, of either API.
    Event {
        metadata: Meta, #[serde(alias = "regarding")] involved_object: Involved, reason: Option<String>,
        #[serde(alias = "note")] message: Option<String>, #[serde(rename = "type")] severity: Option<String>,
        #[serde(alias = "deprecatedLastTimestamp")] last_timestamp: Option<String>, event_time: Option<String>,
        #[serde(alias = "deprecatedCount")] count: Option<u32>, series: Option<EventSeries>,
    }
    /// An event that happens again and again.
    EventSeries { count: Option<u32>, last_observed_time: Option<String> }
    /// What an event is about.
    Involved { kind: String, namespace: Option<String>, name: String }

    /// A ResourceQuota.
    ResourceQuota { metadata: Meta, spec: QuotaSpec, status: QuotaStatus }
    /// `spec` of a quota.
    QuotaSpec { hard: Map, scopes: Vec<String>, scope_selector: ScopeSelector }
    /// `spec.scopeSelector` of a quota.
    ScopeSelector { match_expressions: Vec<ScopeRequirement> }
    /// One requirement of a quota's scope.
    ScopeRequirement { scope_name: String, operator: String, values: Vec<Text> }
    /// `status` of a quota.
    QuotaStatus { hard: Map, used: Map }

    /// A Deployment.
    Deployment { metadata: Meta, spec: DeploymentSpec, status: DeploymentStatus }
    /// `spec` of a Deployment.
    DeploymentSpec { replicas: Option<u32>, template: Template }
    /// `status` of a Deployment.
    DeploymentStatus { available_replicas: u32, conditions: Vec<Condition> }

    /// A Secret.
    Secret { metadata: Meta, #[serde(rename = "type")] kind: String, data: SecretData }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_absent_and_odd_types_are_read_without_complaint() {
        let node: Node = serde_json::from_str(
            r#"{"metadata":{"name":"a","labels":{"x":true,"n":7,"e":null}},"spec":null,"status":{"conditions":null,"capacity":{"nvidia.com/gpu":8}}}"#,
        )
        .unwrap();
        assert_eq!(node.metadata.labels["x"].0, "true");
        assert_eq!(node.metadata.labels["n"].0, "7");
        assert_eq!(node.metadata.labels["e"].0, "");
        assert_eq!(node.status.capacity["nvidia.com/gpu"].0, "8");
    }

    #[test]
    fn text_is_whatever_a_tool_wrote_for_it() {
        for (json, want) in [
            (r#""x""#, "x"),
            (r#""""#, ""),
            ("true", "true"),
            ("7", "7"),
            ("-7", "-7"),
            ("18446744073709551615", "18446744073709551615"),
            ("1.5", "1.5"),
            ("null", ""),
        ] {
            assert_eq!(
                serde_json::from_str::<Text>(json).unwrap().0,
                want,
                "{json}"
            );
        }
        for json in ["[]", "{}", "[1]"] {
            let error = serde_json::from_str::<Text>(json).unwrap_err().to_string();
            assert!(error.contains("expected text"), "{error}");
        }
    }

    #[test]
    fn fields_that_nobody_reads_are_passed_over() {
        let pod: Pod = serde_json::from_str(
        r#"{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:x":{}}}]},"spec":{"volumes":[{"emptyDir":{}}],
            "containers":[{"name":"c","env":[{"name":"A","value":"b"}]}]},"extra":[1,[2]]}"#,
    )
    .unwrap();
        assert_eq!(pod.metadata.name, "a");
        assert_eq!(pod.spec.containers[0].name, "c");
    }

    #[test]
    fn every_shape_is_read_from_nothing_and_from_nulls() {
        fn check<T: serde::de::DeserializeOwned>(fields: &[&str]) {
            serde_json::from_str::<T>("{}").unwrap();
            for field in fields {
                serde_json::from_str::<T>(&format!(r#"{{"{field}":null}}"#)).unwrap();
            }
        }
        check::<Node>(&["metadata", "spec", "status"]);
        check::<Pod>(&["metadata", "spec", "status"]);
        check::<DaemonSet>(&["metadata", "spec", "status"]);
        check::<Policy>(&["metadata", "spec", "status"]);
        check::<Event>(&[
            "metadata",
            "involvedObject",
            "regarding",
            "reason",
            "message",
            "note",
            "count",
            "series",
        ]);
        check::<ResourceQuota>(&["metadata", "spec", "status"]);
        check::<Deployment>(&["metadata", "spec", "status"]);
        check::<PodStatus>(&[
            "conditions",
            "initContainerStatuses",
            "containerStatuses",
            "phase",
        ]);
        check::<ContainerStatus>(&["state", "lastState", "restartCount", "ready"]);
        check::<Terminated>(&["exitCode", "signal", "reason", "finishedAt"]);
        check::<Toleration>(&["key", "operator", "value", "effect"]);
        check::<Meta>(&[
            "labels",
            "annotations",
            "ownerReferences",
            "uid",
            "creationTimestamp",
        ]);
    }

    #[test]
    fn what_cannot_be_meant_is_an_error_that_names_the_place() {
        for (json, place) in [
            (
                r#"{"status":{"containerStatuses":[{"restartCount":-1}]}}"#,
                "u32",
            ),
            (r#"{"metadata":{"ownerReferences":{}}}"#, "sequence"),
            (r#"{"spec":{"hostNetwork":"yes"}}"#, "boolean"),
            (r#"{"spec":7}"#, "PodSpec"),
        ] {
            let error = serde_json::from_str::<Pod>(json)
                .map(|_| ())
                .unwrap_err()
                .to_string();
            assert!(error.contains(place), "{error}");
        }
    }
}
