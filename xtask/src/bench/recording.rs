//! A recorded cluster of any size, made of the operand lab's own objects.

use std::{fs, path::Path};

use serde_json::{Value, json};

/// The node that is repeated, with everything that runs on it.
const NODE: &str = "lab-node-0";
const STORY: &str = "tests/clusters/operand-lab/cluster.yaml";

/// A List as `kubectl get -o json` prints it: `n_nodes` nodes with their pods, and all DaemonSets.
pub(super) fn text(tree: &Path, n_nodes: usize) -> Result<String, String> {
    let path = tree.join(STORY);
    let yaml =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {STORY}: {error}"))?;
    let mut story: Value =
        serde_yaml::from_str(&yaml).map_err(|error| format!("{STORY}: {error}"))?;
    let items: Vec<Value> = story["items"]
        .as_array_mut()
        .map(std::mem::take)
        .unwrap_or_default();
    let (mut all, mut repeated) = (Vec::new(), Vec::new());
    for item in items {
        match item["kind"].as_str() {
            Some("Node") if item["metadata"]["name"] == NODE => repeated.push(item),
            Some("Pod") if item["spec"]["nodeName"] == NODE => repeated.push(item),
            Some("Node" | "Pod") => {}
            _ => all.push(item),
        }
    }
    if repeated.len() < 2 {
        return Err(format!("{STORY} has no {NODE} with pods"));
    }
    for number in 0..n_nodes {
        all.extend(repeated.iter().map(|it| copy(it, number)));
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": all});
    serde_json::to_string_pretty(&list).map_err(|error| error.to_string())
}

fn copy(item: &Value, number: usize) -> Value {
    let mut copy = item.clone();
    let name = item["metadata"]["name"].as_str().unwrap_or_default();
    if item["kind"] == "Node" {
        copy["metadata"]["name"] = json!(node(number));
        copy["metadata"]["labels"]["kubernetes.io/hostname"] = json!(node(number));
    } else {
        copy["metadata"]["name"] = json!(format!("{name}-{number}"));
        copy["spec"]["nodeName"] = json!(node(number));
    }
    copy["metadata"]["uid"] = json!(format!("{name}-{number}"));
    copy
}

fn node(number: usize) -> String {
    format!("gpu-{number:05}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn every_node_is_there_once_with_pods_of_its_own() {
        let list: Value = serde_json::from_str(&text(root(), 3).unwrap()).unwrap();
        let items = list["items"].as_array().unwrap();
        let of_kind = |kind: &str| items.iter().filter(|it| it["kind"] == kind).count();
        assert_eq!(of_kind("Node"), 3);
        let pods = of_kind("Pod");
        assert!(pods > 3 && pods % 3 == 0, "{pods}");
        let mut names: Vec<&Value> = items.iter().map(|it| &it["metadata"]["name"]).collect();
        names.dedup();
        assert_eq!(names.len(), items.len());
    }
}
