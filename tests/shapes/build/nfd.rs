//! Node Feature Discovery: as the operator's chart brings it, and as OpenShift has it.

use serde_json::{Value, json};

use super::foreign::deployment_with_pods;
use super::release::Release;
use super::set::Set;

/// The NFD of the operator's chart: its worker, and everything else.
pub(crate) fn chart(release: &Release, home: &str, on: &str) -> (Set, Vec<Value>) {
    let image = format!("registry.k8s.io/nfd/node-feature-discovery:{}", release.nfd);
    let prefix = "gpu-operator-node-feature-discovery";
    let worker = Set::plain(home, &format!("{prefix}-worker"), &image)
        .label("app.kubernetes.io/name", "node-feature-discovery")
        .selected_by("role", "worker")
        .tolerates(json!({ "key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule" }))
        .tolerates(json!({ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" }));
    let mut rest = Vec::new();
    for role in ["master", "gc"] {
        let labels = json!({ "app.kubernetes.io/name": "node-feature-discovery", "role": role });
        rest.extend(deployment_with_pods(
            home,
            &format!("{prefix}-{role}"),
            &labels,
            &image,
            on,
        ));
    }
    (worker, rest)
}

/// The NFD of OpenShift's own operator.
pub(crate) fn openshift(on: &str) -> (Set, Vec<Value>) {
    let image = "registry.redhat.io/openshift4/ose-node-feature-discovery-rhel9@sha256:4567";
    let worker = Set::plain("openshift-nfd", "nfd-worker", image)
        .tolerates(json!({ "operator": "Exists", "effect": "NoSchedule" }));
    let labels = json!({ "app": "nfd-master" });
    (
        worker,
        deployment_with_pods("openshift-nfd", "nfd-master", &labels, image, on),
    )
}
