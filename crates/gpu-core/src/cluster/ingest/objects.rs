//! One object of Kubernetes' → one of the model, kind by kind.

use std::collections::HashMap;

use jiff::Timestamp;

use super::super::Kind;
use super::super::daemon_set::{DaemonSet, Toleration};
use super::super::event::{Deployment, Event, ResourceQuota};
use super::super::node::{Condition, GpuResource, Node, Readiness, Taint};
use super::super::pod::{Container, Details, Ended, Owner, Phase, Pod, State};
use super::super::policy::Policy;
use super::super::rows::{self, Map};
use super::super::selector::{Labels, Requirement, Selector, Test};
use super::super::status_word::{Input, status_word};

/// Resources of NVIDIA start so.
const GPU_RESOURCE_PREFIX: &str = "nvidia.com/";

/// Reads times and remembers the newest.
pub(super) struct Clock(pub(super) Option<Timestamp>);

impl Clock {
    fn read(&mut self, text: Option<&str>) -> Option<Timestamp> {
        let at = text?.parse::<Timestamp>().ok()?;
        self.0 = self.0.max(Some(at));
        Some(at)
    }

    fn condition(&mut self, row: rows::Condition) -> Condition {
        self.read(row.last_heartbeat_time.as_deref());
        Condition {
            reason: row.reason.unwrap_or_default(),
            message: row.message.unwrap_or_default(),
            since: self.read(row.last_transition_time.as_deref()),
        }
    }
}

fn labels(map: Map) -> Labels {
    map.into_iter().map(|(key, value)| (key, value.0)).collect()
}

fn controller(meta: &rows::Meta) -> Option<Owner> {
    let owners = &meta.owner_references;
    let it = owners
        .iter()
        .find(|it| it.controller == Some(true))
        .or_else(|| owners.first())?;
    Some(Owner {
        kind: it.kind.clone(),
        name: it.name.clone(),
        uid: it.uid.clone(),
    })
}

pub(super) fn node(row: rows::Node, clock: &mut Clock) -> Node {
    let mut readiness = Readiness::Unsaid;
    for it in row.status.conditions {
        let (is_ready, status) = (it.kind == "Ready", it.status.0.clone());
        let condition = clock.condition(it);
        if is_ready {
            readiness = match status.as_str() {
                "True" => Readiness::Ready,
                "False" => Readiness::NotReady(condition),
                _ => Readiness::Unknown(condition),
            };
        }
    }
    let info = row.status.node_info;
    Node {
        gpu_resources: gpu_resources(&row.status.capacity, &row.status.allocatable),
        created: clock.read(row.metadata.creation_timestamp.as_deref()),
        name: row.metadata.name,
        labels: labels(row.metadata.labels),
        taints: row.spec.taints.into_iter().map(taint).collect(),
        unschedulable: row.spec.unschedulable,
        readiness,
        kernel: info.kernel_version.0,
        os_image: info.os_image.0,
        architecture: info.architecture.0,
        runtime: info.container_runtime_version.0,
    }
}

fn taint(row: rows::Taint) -> Taint {
    Taint {
        key: row.key,
        value: row.value.unwrap_or_default().0,
        effect: row.effect,
    }
}

fn gpu_resources(capacity: &Map, allocatable: &Map) -> Vec<GpuResource> {
    let number = |map: &Map, key: &str| map.get(key).and_then(|it| it.0.parse().ok()).unwrap_or(0);
    let gpu = |key: &&String| key.starts_with(GPU_RESOURCE_PREFIX);
    capacity
        .keys()
        .filter(gpu)
        .map(|key| GpuResource {
            name: key.clone(),
            capacity: number(capacity, key),
            allocatable: number(allocatable, key),
        })
        .collect()
}

pub(super) fn pod(row: rows::Pod, clock: &mut Clock) -> Pod {
    let owner = controller(&row.metadata);
    let made_for = pinned_node(&row.spec);
    let mut details = Details {
        created: clock.read(row.metadata.creation_timestamp.as_deref()),
        deleted: clock.read(row.metadata.deletion_timestamp.as_deref()),
        labels: labels(row.metadata.labels),
        gpu_requests: gpu_requests(&row.spec),
        init_containers: containers(
            row.spec.init_containers,
            row.status.init_container_statuses,
            clock,
        ),
        containers: containers(row.spec.containers, row.status.container_statuses, clock),
        runtime_class: row.spec.runtime_class_name,
        message: row.status.message.unwrap_or_default(),
        unscheduled: None,
    };
    clock.read(row.status.start_time.as_deref());
    let says = pod_conditions(row.status.conditions, &mut details, clock);
    let phase = row.status.phase.as_deref().unwrap_or("Unknown");
    let input = Input {
        phase,
        reason: row.status.reason.as_deref().filter(|it| !it.is_empty()),
        gated: says.gated,
        initialized: says.initialized,
        ready: says.ready,
        details: &details,
    };
    let (status, restarts) = status_word(&input);
    let bound = row
        .spec
        .node_name
        .as_deref()
        .is_some_and(|it| !it.is_empty());
    Pod {
        namespace: row.metadata.namespace.unwrap_or_default(),
        name: row.metadata.name,
        bound,
        node: row.spec.node_name.filter(|it| !it.is_empty()).or(made_for),
        owner,
        operand: None,
        daemon_set: None,
        phase: Phase::parse(phase),
        ready: says.ready,
        status,
        restarts,
        details: Some(Box::new(details)),
    }
}

/// What the conditions of a pod say.
#[derive(Default)]
struct PodConditions {
    ready: bool,
    initialized: bool,
    gated: bool,
}

fn pod_conditions(
    rows: Vec<rows::Condition>,
    details: &mut Details,
    clock: &mut Clock,
) -> PodConditions {
    let mut says = PodConditions::default();
    for it in rows {
        let (kind, holds) = (it.kind.clone(), it.status.0 == "True");
        let condition = clock.condition(it);
        match kind.as_str() {
            "Ready" => says.ready = holds,
            "Initialized" => says.initialized = holds,
            "PodScheduled" if !holds => {
                says.gated = condition.reason == "SchedulingGated";
                details.unscheduled = Some(condition);
            }
            _ => {}
        }
    }
    says
}

/// The node that a DaemonSet's pod is made for: its required affinity names it, and the scheduler follows.
fn pinned_node(spec: &rows::PodSpec) -> Option<String> {
    let terms = &spec
        .affinity
        .node_affinity
        .required
        .as_ref()?
        .node_selector_terms;
    let mut fields = terms.iter().flat_map(|it| &it.match_fields);
    let it = fields.find(|it| it.key == "metadata.name" && it.operator == "In")?;
    it.values.first().map(|it| it.0.clone())
}

fn gpu_requests(spec: &rows::PodSpec) -> Vec<String> {
    let asked = spec.containers.iter().flat_map(|it| {
        it.resources
            .limits
            .keys()
            .chain(it.resources.requests.keys())
    });
    let mut found: Vec<_> = asked
        .filter(|it| it.starts_with(GPU_RESOURCE_PREFIX))
        .cloned()
        .collect();
    found.sort();
    found.dedup();
    found
}

fn containers(
    specs: Vec<rows::ContainerSpec>,
    statuses: Vec<rows::ContainerStatus>,
    clock: &mut Clock,
) -> Vec<Container> {
    let mut by_name: HashMap<_, _> = statuses
        .into_iter()
        .map(|it| (it.name.clone(), it))
        .collect();
    let mut container = |spec: rows::ContainerSpec| {
        let status = by_name.remove(&spec.name);
        let has_status = status.is_some();
        let status = status.unwrap_or_default();
        Container {
            sidecar: spec.restart_policy.as_deref() == Some("Always"),
            started: status.started == Some(true),
            name: spec.name,
            image: if spec.image.0.is_empty() {
                status.image.0
            } else {
                spec.image.0
            },
            ready: status.ready,
            restarts: status.restart_count,
            state: if has_status {
                state(status.state, clock)
            } else {
                State::Unsaid
            },
            last: status.last_state.terminated.map(|it| ended(it, clock)),
        }
    };
    specs.into_iter().map(&mut container).collect()
}

fn state(row: rows::ContainerState, clock: &mut Clock) -> State {
    if let Some(it) = row.terminated {
        State::Ended(ended(it, clock))
    } else if let Some(it) = row.running {
        State::Running(clock.read(it.started_at.as_deref()))
    } else {
        // A status that names none of the three waits, as the API says.
        let it = row.waiting.unwrap_or_default();
        State::Waiting(
            it.reason.unwrap_or_default(),
            it.message.unwrap_or_default(),
        )
    }
}

fn ended(row: rows::Terminated, clock: &mut Clock) -> Ended {
    Ended {
        code: row.exit_code,
        signal: row.signal,
        reason: row.reason.unwrap_or_default(),
        message: row.message.unwrap_or_default(),
        at: clock.read(row.finished_at.as_deref()),
    }
}

pub(super) fn daemon_set(row: rows::DaemonSet, clock: &mut Clock) -> DaemonSet {
    let owner = controller(&row.metadata);
    let template = row.spec.template;
    let spec = template.spec;
    let exact = |(key, value): (String, rows::Text)| Requirement {
        key,
        test: Test::In(vec![value.0]),
    };
    let terms = spec
        .affinity
        .node_affinity
        .required
        .map(|it| it.node_selector_terms)
        .unwrap_or_default();
    let image = |it: &rows::ContainerSpec| (it.name.clone(), it.image.0.clone());
    DaemonSet {
        created: clock.read(row.metadata.creation_timestamp.as_deref()),
        namespace: row.metadata.namespace.unwrap_or_default(),
        name: row.metadata.name,
        uid: row.metadata.uid,
        owner,
        operand: None,
        labels: labels(row.metadata.labels),
        pod_labels: labels(template.metadata.labels),
        selector: row.spec.selector.into(),
        node_selector: Selector(spec.node_selector.into_iter().map(exact).collect()),
        affinity: terms.into_iter().map(term).collect(),
        tolerations: spec.tolerations.into_iter().map(toleration).collect(),
        host_network: spec.host_network,
        images: spec
            .init_containers
            .iter()
            .chain(&spec.containers)
            .map(image)
            .collect(),
        init_containers: spec
            .init_containers
            .iter()
            .map(|it| it.name.clone())
            .collect(),
        priority_class: spec.priority_class_name,
        desired: row.status.desired_number_scheduled,
        current: row.status.current_number_scheduled,
        ready: row.status.number_ready,
    }
}

fn term(row: rows::NodeSelectorTerm) -> Selector {
    Selector(
        row.match_expressions
            .into_iter()
            .chain(row.match_fields)
            .map(Requirement::from)
            .collect(),
    )
}

fn toleration(row: rows::Toleration) -> Toleration {
    Toleration {
        key: row.key.unwrap_or_default(),
        any_value: row.operator.as_deref() == Some("Exists"),
        value: row.value.unwrap_or_default().0,
        effect: row.effect.unwrap_or_default(),
    }
}

pub(super) fn policy(kind: Kind, row: rows::Policy, clock: &mut Clock) -> Policy {
    let mut errors = Vec::new();
    for it in row.status.conditions {
        let (name, holds) = (it.kind.clone(), it.status.0 == "True");
        let condition = clock.condition(it);
        if holds && name != "Ready" {
            errors.push((name, condition));
        }
    }
    Policy {
        kind,
        created: clock.read(row.metadata.creation_timestamp.as_deref()),
        name: row.metadata.name,
        labels: labels(row.metadata.labels),
        spec: row.spec,
        state: row.status.state.unwrap_or_default(),
        namespace: row.status.namespace,
        errors,
    }
}

pub(super) fn event(row: rows::Event, clock: &mut Clock) -> Event {
    let series = row.series.unwrap_or_default();
    let at = series
        .last_observed_time
        .or(row.last_timestamp)
        .or(row.event_time)
        .or(row.metadata.creation_timestamp);
    Event {
        kind: row.involved_object.kind,
        namespace: row.involved_object.namespace.unwrap_or_default(),
        name: row.involved_object.name,
        reason: row.reason.unwrap_or_default(),
        message: row.message.unwrap_or_default(),
        at: clock.read(at.as_deref()),
        count: series.count.or(row.count).unwrap_or(1),
    }
}

pub(super) fn quota(row: rows::ResourceQuota) -> ResourceQuota {
    let used = row.status.used;
    let limit = |(name, hard): (String, rows::Text)| {
        let used = used.get(&name).cloned().unwrap_or_default().0;
        (name, hard.0, used)
    };
    let scopes = row.spec.scope_selector.match_expressions;
    let classes = scopes
        .into_iter()
        .filter(|it| it.scope_name == "PriorityClass" && it.operator == "In");
    ResourceQuota {
        namespace: row.metadata.namespace.unwrap_or_default(),
        name: row.metadata.name,
        priority_classes: classes.flat_map(|it| it.values).map(|it| it.0).collect(),
        limits: row.spec.hard.into_iter().map(limit).collect(),
    }
}

pub(super) fn deployment(row: rows::Deployment, clock: &mut Clock) -> Deployment {
    let mut trouble = None;
    for it in row.status.conditions {
        let failing = it.kind == "ReplicaFailure" && it.status.0 == "True";
        let lacking = it.kind == "Available" && it.status.0 == "False";
        let condition = clock.condition(it);
        if failing || lacking && trouble.is_none() {
            trouble = Some(condition);
        }
    }
    Deployment {
        namespace: row.metadata.namespace.unwrap_or_default(),
        name: row.metadata.name,
        labels: labels(row.metadata.labels),
        replicas: row.spec.replicas.unwrap_or(1),
        available: row.status.available_replicas,
        images: row
            .spec
            .template
            .spec
            .containers
            .into_iter()
            .map(|it| it.image.0)
            .collect(),
        trouble,
    }
}
