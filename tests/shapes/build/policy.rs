//! Policies: as the Helm chart writes them, and as people write them by hand.

use serde_json::{Value, json};

use super::object::{INSTALLED, uid};
use super::release::Release;

/// A policy to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Policy(pub Value);

fn policy(kind: &str, version: &str, name: &str, spec: Value) -> Policy {
    Policy(json!({
        "apiVersion": format!("nvidia.com/{version}"), "kind": kind,
        "metadata": { "name": name, "uid": uid(&format!("{kind}/{name}")), "creationTimestamp": INSTALLED, "generation": 1 },
        "spec": spec,
        "status": { "state": "ready", "conditions": [
            { "type": "Ready", "status": "True", "reason": "Reconciled", "message": "", "lastTransitionTime": INSTALLED },
            { "type": "Error", "status": "False", "reason": "Ready", "message": "", "lastTransitionTime": INSTALLED },
        ] },
    }))
}

/// A ClusterPolicy of the Helm chart, with its defaults.
pub(crate) fn helm(release: &Release) -> Policy {
    let mut spec = json!({
        "daemonsets": { "updateStrategy": "RollingUpdate", "rollingUpdate": { "maxUnavailable": "1" },
            "tolerations": [{ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" }] },
        "operator": { "defaultRuntime": "containerd", "runtimeClass": "nvidia" },
        "driver": { "enabled": true, "usePrecompiled": false, "repository": "nvcr.io/nvidia", "image": "driver", "version": release.driver,
            "upgradePolicy": { "autoUpgrade": true, "maxParallelUpgrades": 1 } },
        "toolkit": { "enabled": true }, "devicePlugin": { "enabled": true }, "dcgm": { "enabled": false },
        "dcgmExporter": { "enabled": true }, "gfd": { "enabled": true }, "migManager": { "enabled": true },
        "nodeStatusExporter": { "enabled": false }, "mig": { "strategy": "single" },
        "validator": { "plugin": { "env": [] } }, "psa": { "enabled": false },
        "sandboxWorkloads": { "enabled": false, "defaultWorkload": "container" },
        "vgpuManager": { "enabled": false }, "vgpuDeviceManager": { "enabled": true }, "vfioManager": { "enabled": true },
        "sandboxDevicePlugin": { "enabled": true }, "kataManager": { "enabled": false },
        "ccManager": { "enabled": release.is(26, 3) }, "cdi": { "enabled": release.is(25, 10) },
    });
    if release.is(26, 3) {
        spec["sandboxWorkloads"]["mode"] = json!("kubevirt");
        spec["kataSandboxDevicePlugin"] = json!({ "enabled": true });
    }
    let mut it = policy("ClusterPolicy", "v1", "cluster-policy", spec);
    it.0["metadata"]["labels"] = json!({
        "app.kubernetes.io/component": "gpu-operator", "app.kubernetes.io/managed-by": "Helm",
        "app.kubernetes.io/version": release.tag, "helm.sh/chart": format!("gpu-operator-{}", release.tag),
    });
    it
}

/// A ClusterPolicy that a person wrote.
pub(crate) fn hand_written(name: &str, spec: Value) -> Policy {
    policy("ClusterPolicy", "v1", name, spec)
}

/// The GPUCluster of the Helm chart.
pub(crate) fn gpu_cluster(release: &Release) -> Policy {
    let spec = json!({ "dcgmExporter": { "enabled": true }, "draDriver": { "computeDomains": { "enabled": true } } });
    let mut it = policy("GPUCluster", "v1alpha1", "gpu-cluster", spec);
    it.0["metadata"]["labels"] =
        json!({ "helm.sh/chart": format!("gpu-operator-{}", release.tag) });
    it
}

pub(super) fn nvidia_driver(name: &str, spec: Value) -> Policy {
    policy("NVIDIADriver", "v1alpha1", name, spec)
}

impl Policy {
    /// With a field of its spec, by dotted path.
    pub(crate) fn with(mut self, path: &str, value: impl Into<Value>) -> Self {
        let mut at = &mut self.0["spec"];
        for key in path.split('.') {
            at = &mut at[key];
        }
        *at = value.into();
        self
    }

    /// Younger than the others.
    pub(crate) fn younger(mut self) -> Self {
        self.0["metadata"]["creationTimestamp"] = json!(super::object::NOW);
        self
    }

    /// In another state, with its condition Error.
    pub(crate) fn stopped(mut self, reason: &str, message: &str) -> Self {
        self.0["status"]["state"] = json!("notReady");
        self.0["status"]["conditions"] = json!([
            { "type": "Ready", "status": "False", "reason": "Error", "message": "", "lastTransitionTime": INSTALLED },
            { "type": "Error", "status": "True", "reason": reason, "message": message, "lastTransitionTime": INSTALLED },
        ]);
        self
    }

    /// In this state, without any condition.
    pub(crate) fn state(mut self, state: &str) -> Self {
        self.0["status"] = json!({ "state": state });
        self
    }

    /// What stands at a dotted path of its spec.
    pub(super) fn at(&self, path: &str) -> &Value {
        path.split('.').fold(&self.0["spec"], |at, key| &at[key])
    }

    /// A switch of its spec.
    pub(super) fn flag(&self, (path, default): (&str, bool)) -> bool {
        path.is_empty() || self.at(path).as_bool().unwrap_or(default)
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.0["kind"] == *kind
    }
}
