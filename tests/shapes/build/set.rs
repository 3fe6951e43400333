//! A DaemonSet, made of an operand's row or by hand.

use serde_json::{Value, json};

use super::object::{INSTALLED, items, owned_by, uid};
use super::parts::Part;
use super::release::Release;

/// A DaemonSet to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Set(pub Value);

impl Set {
    /// A DaemonSet with one container, for every node that has no taint.
    pub(crate) fn plain(namespace: &str, name: &str, image: &str) -> Self {
        let label = json!({ "app": name });
        Self(json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {
                "name": name, "namespace": namespace, "uid": uid(&format!("{namespace}/{name}")),
                "creationTimestamp": INSTALLED, "generation": 1, "labels": label,
            },
            "spec": {
                "selector": { "matchLabels": label },
                "template": {
                    "metadata": { "labels": label },
                    "spec": { "containers": [{ "name": "main", "image": image }] },
                },
                "updateStrategy": { "type": "RollingUpdate" },
            },
            "status": {},
        }))
    }

    /// The DaemonSet of an operand.
    pub(super) fn of(part: &Part, release: &Release, home: &str, owner: &Value) -> Self {
        let image = part.image(release);
        let init_image = match part.inits {
            ["k8s-driver-manager"] => {
                format!(
                    "nvcr.io/nvidia/cloud-native/k8s-driver-manager:{}",
                    release.manager
                )
            }
            _ => format!(
                "nvcr.io/nvidia/cloud-native/gpu-operator-validator:{}",
                release.tag
            ),
        };
        let containers = |names: &[&str], image: &str| -> Vec<Value> {
            names
                .iter()
                .map(|it| json!({ "name": it, "image": image }))
                .collect()
        };
        let mut it = Self::plain(home, part.set, &image);
        let labels = pod_labels(part, release);
        it.0["metadata"]["labels"] =
            json!({ "app": part.set, "helm.sh/chart": format!("gpu-operator-{}", release.tag) });
        it.0["metadata"]["annotations"] = json!({ "nvidia.com/last-applied-hash": "1700216551" });
        it.0["metadata"]["ownerReferences"] = owned_by(owner);
        it.0["spec"]["selector"]["matchLabels"] = json!({ part.label.0: part.label.1 });
        it.0["spec"]["template"]["metadata"]["labels"] = labels;
        let spec = &mut it.0["spec"]["template"]["spec"];
        spec["initContainers"] = containers(part.inits, &init_image).into();
        spec["containers"] = containers(part.containers, &image).into();
        spec["priorityClassName"] = json!("system-node-critical");
        spec["tolerations"] =
            json!([{ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" }]);
        if part.runtime {
            spec["runtimeClassName"] = json!("nvidia");
        }
        it.selects(&format!("nvidia.com/gpu.deploy.{}", part.deploy), "true")
    }

    /// Under another name; selector and `app` follow where they are the name.
    pub(crate) fn renamed(mut self, name: &str) -> Self {
        let old = std::mem::replace(&mut self.0["metadata"]["name"], json!(name));
        self.0["metadata"]["uid"] = json!(uid(name));
        for labels in [
            "/metadata/labels/app",
            "/spec/selector/matchLabels/app",
            "/spec/template/metadata/labels/app",
        ] {
            if let Some(app) = self.0.pointer_mut(labels).filter(|it| **it == old) {
                *app = json!(name);
            }
        }
        self
    }

    /// With its pods still carrying this `app`.
    pub(crate) fn app(mut self, app: &str) -> Self {
        self.0["spec"]["selector"]["matchLabels"]["app"] = json!(app);
        self.0["spec"]["template"]["metadata"]["labels"]["app"] = json!(app);
        self
    }

    /// Selecting nodes by one more label.
    pub(crate) fn selects(mut self, key: &str, value: &str) -> Self {
        self.0["spec"]["template"]["spec"]["nodeSelector"][key] = json!(value);
        self
    }

    /// With required node affinity: one term of these expressions.
    pub(crate) fn affine(mut self, expressions: Value) -> Self {
        self.0["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({ "nodeSelectorTerms": [{ "matchExpressions": expressions }] });
        self
    }

    /// Tolerating this too.
    pub(crate) fn tolerates(mut self, toleration: Value) -> Self {
        match self.0["spec"]["template"]["spec"]["tolerations"].as_array_mut() {
            Some(all) => all.push(toleration),
            None => self.0["spec"]["template"]["spec"]["tolerations"] = json!([toleration]),
        }
        self
    }

    /// Tolerating nothing.
    pub(crate) fn intolerant(mut self) -> Self {
        self.0["spec"]["template"]["spec"]["tolerations"] = json!([]);
        self
    }

    /// With a label on object and pods.
    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["labels"][key] = json!(value);
        self.0["spec"]["template"]["metadata"]["labels"][key] = json!(value);
        self
    }

    /// With a label that its selector asks for.
    pub(crate) fn selected_by(self, key: &str, value: &str) -> Self {
        let mut it = self.label(key, value);
        it.0["spec"]["selector"]["matchLabels"] = json!({ key: value });
        it
    }

    /// With one more container.
    pub(crate) fn sidecar(mut self, name: &str, image: &str) -> Self {
        let container = json!({ "name": name, "image": image });
        self.0["spec"]["template"]["spec"]["containers"]
            .as_array_mut()
            .expect("containers")
            .push(container);
        self
    }

    /// With one more init container.
    pub(crate) fn init(mut self, name: &str, image: &str) -> Self {
        let container = json!({ "name": name, "image": image });
        let inits = &mut self.0["spec"]["template"]["spec"]["initContainers"];
        match inits.as_array_mut() {
            Some(all) => all.push(container),
            None => *inits = json!([container]),
        }
        self
    }

    /// With another image in its containers.
    pub(crate) fn image(mut self, image: &str) -> Self {
        let containers = self.0["spec"]["template"]["spec"]["containers"].as_array_mut();
        containers
            .expect("containers")
            .iter_mut()
            .for_each(|it| it["image"] = json!(image));
        self
    }

    /// With another RuntimeClass, where it has one.
    pub(crate) fn runtime_class(mut self, name: &str) -> Self {
        if let Some(class) = self.0.pointer_mut("/spec/template/spec/runtimeClassName") {
            *class = json!(name);
        }
        self
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        super::object::name(&self.0)
    }

    /// Does its node selector ask for this deploy label?
    pub(crate) fn deploys(&self, operand: &str) -> bool {
        let key = format!("nvidia.com/gpu.deploy.{operand}");
        !self.0["spec"]["template"]["spec"]["nodeSelector"][key].is_null()
    }

    /// The names of its init containers and containers.
    pub(super) fn containers(&self, which: &str) -> Vec<String> {
        let all = items(&self.0["spec"]["template"]["spec"][which]);
        all.filter_map(|it| it["name"].as_str())
            .map(str::to_owned)
            .collect()
    }
}

fn pod_labels(part: &Part, release: &Release) -> Value {
    let mut labels = json!({ part.label.0: part.label.1, "app.kubernetes.io/managed-by": "gpu-operator",
        "helm.sh/chart": format!("gpu-operator-{}", release.tag) });
    match part.deploy {
        "driver" => {
            labels["app.kubernetes.io/component"] = json!("nvidia-driver");
            labels["nvidia.com/precompiled"] = json!("false");
        }
        "operator-validator" | "sandbox-validator" => {
            labels["app.kubernetes.io/part-of"] = json!("gpu-operator");
        }
        "dra-driver" => labels["app.kubernetes.io/name"] = json!("nvidia-dra-driver"),
        "dra-validator" => labels["app.kubernetes.io/name"] = json!("nvidia-dra-validator"),
        _ => {}
    }
    labels
}
