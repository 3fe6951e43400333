//! The DaemonSet controller: which nodes a DaemonSet wants, and the pods it makes for them.

use serde_json::{Value, json};

use super::node::Node;
use super::object::items;
use super::pod;
use super::set::Set;

/// Taints that every DaemonSet's pods live with.
const ADDED: [(&str, &str); 6] = [
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
];

/// The tolerations that the controller adds to the pods it makes.
pub(super) fn added_tolerations() -> Vec<Value> {
    let toleration = |(key, effect): &(&str, &str)| json!({ "key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": effect });
    ADDED.iter().map(toleration).collect()
}

/// Does it put a pod on this node; and does a pod that is there already stay?
pub(super) struct Wish {
    pub(super) runs: bool,
    pub(super) stays: bool,
}

/// What a DaemonSet wants of a node.
pub(super) fn wish(set: &Set, node: &Node) -> Wish {
    let spec = &set.0["spec"]["template"]["spec"];
    let selector = spec["nodeSelector"].as_object();
    let is_selected = selector.is_none_or(|it| {
        it.iter()
            .all(|(key, value)| node.get(key) == value.as_str())
    });
    let terms = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"];
    let meets = |term: &Value| items(&term["matchExpressions"]).all(|it| meets(it, node));
    let is_affine = terms.is_null() || items(terms).any(meets);
    let fits = is_selected && is_affine;
    Wish {
        runs: fits && untolerated(spec, node).is_empty(),
        stays: fits && !untolerated(spec, node).contains(&"NoExecute"),
    }
}

fn meets(expression: &Value, node: &Node) -> bool {
    let has = node.get(expression["key"].as_str().unwrap_or_default());
    let is_among = || items(&expression["values"]).any(|it| it.as_str() == has);
    match expression["operator"].as_str() {
        Some("In") => has.is_some() && is_among(),
        Some("NotIn") => has.is_none() || !is_among(),
        Some("Exists") => has.is_some(),
        Some("DoesNotExist") => has.is_none(),
        other => panic!("no operator: {other:?}"),
    }
}

/// The effects of the taints that its pods do not tolerate.
fn untolerated<'a>(spec: &Value, node: &'a Node) -> Vec<&'a str> {
    let tolerations: Vec<_> = items(&spec["tolerations"])
        .cloned()
        .chain(added_tolerations())
        .collect();
    let is_covered = |taint: &&Value| tolerations.iter().any(|it| covers(it, taint));
    items(&node.0["spec"]["taints"])
        .filter(|taint| taint["effect"] != "PreferNoSchedule" && !is_covered(taint))
        .filter_map(|taint| taint["effect"].as_str())
        .collect()
}

fn covers(toleration: &Value, taint: &Value) -> bool {
    let is_any_value = toleration["operator"] == "Exists";
    let same = |key: &str| {
        toleration[key].as_str().unwrap_or_default() == taint[key].as_str().unwrap_or_default()
    };
    (toleration["effect"].is_null() || same("effect"))
        && (toleration["key"].is_null() && is_any_value || same("key"))
        && (is_any_value || same("value"))
}

/// Its pods, all Ready, and its own numbers.
pub(super) fn run(set: &mut Set, nodes: &[Node], rank: u32) -> Vec<Value> {
    let wanted: Vec<_> = nodes.iter().filter(|node| wish(set, node).runs).collect();
    set.0["status"]["desiredNumberScheduled"] = json!(wanted.len());
    // A node that was tainted later keeps the pods it has.
    let stay = nodes
        .iter()
        .filter(|node| wish(set, node).stays && is_lingering(node));
    let all = wanted
        .iter()
        .copied()
        .chain(stay.filter(|node| !wish(set, node).runs));
    all.map(|node| pod::ready(set, node, rank)).collect()
}

/// The node controller's own NoSchedule taints come after the pods.
fn is_lingering(node: &Node) -> bool {
    let is_own = |it: &Value| {
        it["key"]
            .as_str()
            .is_some_and(|it| it.starts_with("node.kubernetes.io/"))
    };
    items(&node.0["spec"]["taints"]).any(is_own)
}
