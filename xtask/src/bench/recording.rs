//! A recorded cluster of any size, made of a story's own objects.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};

/// A List as `kubectl get -o json` prints it: the nodes of a story in `tests/clusters` and what runs on them again and
/// again, until there are `n_nodes` or some more, and everything else once.
pub(super) fn text(tree: &Path, story: &str, n_nodes: usize) -> Result<String, String> {
    let path = tree.join("tests/clusters").join(story).join("cluster.yaml");
    let yaml = fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut list: Value =
        serde_yaml::from_str(&yaml).map_err(|error| format!("{story}: {error}"))?;
    let items: Vec<Value> = list["items"]
        .as_array_mut()
        .map(std::mem::take)
        .unwrap_or_default();
    let nodes: BTreeSet<String> = items.iter().filter_map(node).collect();
    let copies = n_nodes.div_ceil(nodes.len().max(1));
    let is_repeated = |it: &Value| {
        let on = it["spec"]["nodeName"].as_str();
        node(it).is_some() || (it["kind"] == "Pod" && on.is_some_and(|it| nodes.contains(it)))
    };
    let (repeated, mut all): (Vec<Value>, Vec<Value>) = items.into_iter().partition(is_repeated);
    for number in 0..copies {
        all.extend(repeated.iter().map(|it| copy(it, number)));
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": all});
    serde_json::to_string_pretty(&list).map_err(|error| error.to_string())
}

/// The name of a node.
fn node(item: &Value) -> Option<String> {
    let name = item["metadata"]["name"].as_str()?;
    (item["kind"] == "Node").then(|| name.to_owned())
}

fn copy(item: &Value, number: usize) -> Value {
    let mut copy = item.clone();
    let rename = |it: &mut Value| {
        if let Some(name) = it.as_str() {
            *it = json!(format!("{name}-{number:05}"));
        }
    };
    rename(&mut copy["metadata"]["name"]);
    rename(&mut copy["metadata"]["uid"]);
    match node(item) {
        Some(_) => rename(&mut copy["metadata"]["labels"]["kubernetes.io/hostname"]),
        None => rename(&mut copy["spec"]["nodeName"]),
    }
    copy
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::*;
    use crate::{
        bench::time,
        cargo::{binary, build_binaries, root},
    };

    #[test]
    fn every_node_is_there_once_with_pods_of_its_own() {
        let list: Value = serde_json::from_str(&text(root(), "operand-lab", 6).unwrap()).unwrap();
        let items = list["items"].as_array().unwrap();
        let of_kind = |kind: &'static str| items.iter().filter(move |it| it["kind"] == kind);
        assert_eq!(of_kind("Node").count(), 6);
        let on: BTreeSet<&str> = of_kind("Pod")
            .filter_map(|it| it["spec"]["nodeName"].as_str())
            .collect();
        assert_eq!(on.len(), 4, "two of three nodes have pods");
        let names: BTreeSet<&str> = items
            .iter()
            .filter_map(|it| it["metadata"]["name"].as_str())
            .collect();
        assert_eq!(names.len(), items.len());
    }

    /// Whatever is looked for on a node is looked for among what is on that node: rules that went through all pods for
    /// each node once took the square, half a minute for five thousand nodes.
    #[test]
    fn eight_times_the_nodes_take_no_more_than_some_eight_times_as_long() {
        build_binaries().unwrap();
        let program = binary("kubectl-gpu_audit").unwrap();
        let place = tempfile::tempdir().unwrap();
        for story in [
            "operand-lab",
            "C07-nfd-worker-does-not-tolerate",
            "C31-two-device-plugins",
            "C03-paused-behind-a-failing-driver",
        ] {
            let quickest = |n_nodes: usize| {
                let file = place.path().join(format!("{story}-{n_nodes}.json"));
                fs::write(&file, text(root(), story, n_nodes).unwrap()).unwrap();
                let mut audit = Command::new(&program);
                audit
                    .args(["--fail-on", "never", "-o", "json", "-f"])
                    .arg(&file);
                let once = |_| time(&mut audit).unwrap();
                (0..2).map(once).min().unwrap_or(Duration::ZERO)
            };
            let (few, many) = (quickest(100), quickest(800));
            let ratio = many.as_secs_f64() / few.as_secs_f64();
            // The square would be 64; the rest is for whatever else the machine does.
            assert!(ratio < 24.0, "{story}: {few:?}, {many:?}");
        }
    }
}
