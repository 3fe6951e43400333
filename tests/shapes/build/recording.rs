//! What was recorded: a List, and the places in it where something can be broken.

use serde_json::{Value, json};

use super::object::{items, name};

/// All objects of a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// They.
    pub(crate) items: Vec<Value>,
}

impl Recording {
    fn is_pod_of(it: &Value, set: &str, node: &str) -> bool {
        let owner = it["metadata"]["ownerReferences"][0]["name"]
            .as_str()
            .unwrap_or_default();
        let place = items(&it["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][0]["matchFields"])
            .find_map(|it| it["values"][0].as_str());
        it["kind"] == "Pod" && owner == set && place == Some(node)
    }

    /// The pod of a DaemonSet on a node.
    pub(crate) fn pod(&mut self, set: &str, node: &str) -> &mut Value {
        let it = self
            .items
            .iter_mut()
            .find(|it| Self::is_pod_of(it, set, node));
        it.unwrap_or_else(|| panic!("no pod of {set} on {node}"))
    }

    /// Takes the pod of a DaemonSet off a node.
    pub(crate) fn remove_pod(&mut self, set: &str, node: &str) {
        let before = self.items.len();
        self.items.retain(|it| !Self::is_pod_of(it, set, node));
        assert_eq!(self.items.len() + 1, before, "one pod of {set} on {node}");
    }

    /// An object of this kind and name.
    pub(crate) fn object(&mut self, kind: &str, of: &str) -> &mut Value {
        let it = self
            .items
            .iter_mut()
            .find(|it| it["kind"] == *kind && name(it) == of);
        it.unwrap_or_else(|| panic!("no {kind} {of}"))
    }

    /// Counts anew how many pods each DaemonSet has; what it desires is known from the nodes.
    fn count(&mut self) {
        let pods: Vec<(Value, bool)> = self
            .items
            .iter()
            .filter(|it| it["kind"] == "Pod" && it["metadata"]["deletionTimestamp"].is_null())
            .map(|it| {
                (
                    it["metadata"]["ownerReferences"][0]["uid"].clone(),
                    is_ready(it),
                )
            })
            .collect();
        for set in self.items.iter_mut().filter(|it| it["kind"] == "DaemonSet") {
            let own: Vec<_> = pods
                .iter()
                .filter(|(owner, _)| *owner == set["metadata"]["uid"])
                .collect();
            let n_ready = own.iter().filter(|(_, ready)| *ready).count();
            let desired = set["status"]["desiredNumberScheduled"]
                .as_u64()
                .unwrap_or_default();
            let current = own
                .len()
                .min(usize::try_from(desired).expect("a small number"));
            set["status"] = json!({
                "desiredNumberScheduled": desired, "currentNumberScheduled": current,
                "numberMisscheduled": own.len() - current, "numberReady": n_ready.min(current),
                "numberAvailable": n_ready.min(current), "updatedNumberScheduled": current, "observedGeneration": 1,
            });
        }
    }

    /// As kubectl prints it.
    pub(crate) fn list(mut self) -> Value {
        self.count();
        json!({ "apiVersion": "v1", "kind": "List", "items": self.items })
    }
}

fn is_ready(pod: &Value) -> bool {
    items(&pod["status"]["conditions"]).any(|it| it["type"] == "Ready" && it["status"] == "True")
}
