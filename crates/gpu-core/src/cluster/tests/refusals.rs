//! Which nodes a DaemonSet admits, as the DaemonSet controller decides it.

use serde_json::{Value, json};

use crate::cluster::node::Taint;
use crate::cluster::{DaemonSet, Node, Refusal};
use crate::testing::{node, recorded};

/// A DaemonSet whose pods have this spec.
fn of(spec: Value) -> DaemonSet {
    let object = json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "template": { "spec": spec } } });
    recorded([object]).daemon_sets.remove(0)
}

fn affinity(terms: Value) -> Value {
    json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": terms } } } })
}

fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({ "key": key, "operator": operator, "values": values })
}

fn gpu_node() -> Node {
    node("gpu-1")
        .label("nvidia.com/gpu.deploy.driver", "true")
        .label("zone", "a")
        .label("cuda.major", "550")
        .build()
}

/// What keeps the pods off the node, in short.
fn refusal(spec: Value, node: &Node) -> Option<String> {
    of(spec).refuses(node).map(|it| match it {
        Refusal::Label { key, has, wants } => format!("label {key}={wants}, has {has:?}"),
        Refusal::Affinity { key, has } => format!("affinity {key}, has {has:?}"),
        Refusal::Taint(taint) => format!("taint {taint}"),
    })
}

#[test]
fn a_daemon_set_without_wishes_admits_every_node() {
    assert_eq!(refusal(json!({}), &gpu_node()), None);
    assert_eq!(refusal(json!({}), &node("cpu-1").build()), None);
}

#[test]
fn every_label_of_the_node_selector_has_to_match_exactly() {
    for (selector, want) in [
        (json!({ "zone": "a" }), None),
        (
            json!({ "zone": "a", "nvidia.com/gpu.deploy.driver": "true" }),
            None,
        ),
        (
            json!({ "zone": "b" }),
            Some(r#"label zone=b, has Some("a")"#),
        ),
        (
            json!({ "zone": "A" }),
            Some(r#"label zone=A, has Some("a")"#),
        ),
        (
            json!({ "zone": "a", "pool": "x" }),
            Some("label pool=x, has None"),
        ),
        // Selects an empty value, which is not an absent one.
        (json!({ "pool": "" }), Some("label pool=, has None")),
    ] {
        let found = refusal(json!({ "nodeSelector": selector }), &gpu_node());
        assert_eq!(found.as_deref(), want, "{selector}");
    }
}

#[test]
fn each_value_of_a_deploy_label_but_true_keeps_the_operand_away() {
    let selector = json!({ "nodeSelector": { "nvidia.com/gpu.deploy.driver": "true" } });
    for value in [
        "false",
        "",
        "True",
        "pre-installed",
        "paused-for-driver-upgrade",
    ] {
        let node = node("gpu-1")
            .label("nvidia.com/gpu.deploy.driver", value)
            .build();
        let want = Refusal::Label {
            key: "nvidia.com/gpu.deploy.driver".into(),
            has: Some(value.into()),
            wants: "true".into(),
        };
        assert_eq!(of(selector.clone()).refuses(&node), Some(want));
    }
}

#[test]
fn operators_of_the_affinity_mean_what_the_scheduler_means_by_them() {
    for (expression, admits) in [
        (expression("zone", "In", &["a", "b"]), true),
        (expression("zone", "In", &["b"]), false),
        (expression("absent", "In", &["b"]), false),
        (expression("zone", "NotIn", &["b"]), true),
        (expression("zone", "NotIn", &["a"]), false),
        (expression("absent", "NotIn", &["a"]), true),
        (expression("zone", "Exists", &[]), true),
        (expression("absent", "Exists", &[]), false),
        (expression("zone", "DoesNotExist", &[]), false),
        (expression("absent", "DoesNotExist", &[]), true),
        (expression("cuda.major", "Gt", &["534"]), true),
        (expression("cuda.major", "Gt", &["550"]), false),
        (expression("cuda.major", "Lt", &["551"]), true),
        (expression("cuda.major", "Lt", &["550"]), false),
        // Text is no number, and nothing is not zero.
        (expression("zone", "Gt", &["0"]), false),
        (expression("absent", "Lt", &["9"]), false),
        (expression("cuda.major", "Gt", &["many"]), false),
        (expression("zone", "Sounds", &["a"]), false),
    ] {
        let spec = affinity(json!([{ "matchExpressions": [expression] }]));
        assert_eq!(refusal(spec, &gpu_node()).is_none(), admits, "{expression}");
    }
}

#[test]
fn one_term_is_enough_and_all_of_it_has_to_match() {
    let yes = || expression("zone", "In", &["a"]);
    let no = || expression("zone", "In", &["b"]);
    for (terms, admits) in [
        (json!([{ "matchExpressions": [yes(), yes()] }]), true),
        (json!([{ "matchExpressions": [yes(), no()] }]), false),
        (
            json!([{ "matchExpressions": [no()] }, { "matchExpressions": [yes()] }]),
            true,
        ),
        (
            json!([{ "matchExpressions": [no()] }, { "matchExpressions": [no()] }]),
            false,
        ),
        // A term without requirements matches nothing, and neither does no term at all of those that are required.
        (json!([{}]), false),
        (
            json!([{ "matchExpressions": [] }, { "matchExpressions": [yes()] }]),
            true,
        ),
        (
            json!([{ "matchExpressions": [] }, { "matchExpressions": [no()] }]),
            false,
        ),
    ] {
        let found = refusal(affinity(terms.clone()), &gpu_node());
        assert_eq!(found.is_none(), admits, "{terms}");
    }
}

#[test]
fn the_requirement_that_fails_first_is_named() {
    let spec = affinity(json!([
        { "matchExpressions": [expression("zone", "Exists", &[]), expression("pool", "In", &["x"])] },
        { "matchExpressions": [expression("rack", "Exists", &[])] }
    ]));
    assert_eq!(
        refusal(spec, &gpu_node()).as_deref(),
        Some("affinity pool, has None")
    );
}

#[test]
fn a_node_is_matched_by_its_name_as_a_field() {
    for (operator, name, admits) in [
        ("In", "gpu-1", true),
        ("In", "gpu-2", false),
        ("NotIn", "gpu-1", false),
        ("NotIn", "gpu-2", true),
    ] {
        let spec =
            affinity(json!([{ "matchFields": [expression("metadata.name", operator, &[name])] }]));
        assert_eq!(
            refusal(spec, &gpu_node()).is_none(),
            admits,
            "{operator} {name}"
        );
    }
}

const EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "PreferNoSchedule"];

/// Kubernetes' own rule, written as its documentation words it.
fn tolerates(toleration: &Value, taint: (&str, &str, &str)) -> bool {
    let text = |key: &str| toleration[key].as_str().unwrap_or_default();
    let same_effect = text("effect").is_empty() || text("effect") == taint.2;
    match text("operator") {
        "Exists" if text("key").is_empty() => same_effect,
        "Exists" => same_effect && text("key") == taint.0,
        _ => same_effect && text("key") == taint.0 && text("value") == taint.1,
    }
}

#[test]
fn a_toleration_covers_what_kubernetes_says_it_covers() {
    let mut n_cases = 0;
    for operator in ["Exists", "Equal", ""] {
        for key in ["team", "other", ""] {
            for value in ["ml", "web", ""] {
                for effect in ["NoSchedule", "NoExecute", "PreferNoSchedule", ""] {
                    let toleration = json!({ "key": key, "operator": operator, "value": value, "effect": effect });
                    let it = of(json!({ "tolerations": [toleration] }));
                    for (taint_value, taint_effect) in
                        EFFECTS.iter().flat_map(|it| [("ml", *it), ("", *it)])
                    {
                        let taint = Taint {
                            key: "team".into(),
                            value: taint_value.into(),
                            effect: taint_effect.into(),
                        };
                        let want = tolerates(&toleration, ("team", taint_value, taint_effect));
                        assert_eq!(
                            it.tolerations[0].covers(&taint),
                            want,
                            "{toleration} {taint}"
                        );
                        n_cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(n_cases, 3 * 3 * 3 * 4 * 6);
}

#[test]
fn taints_keep_pods_away_by_their_effect() {
    for (effect, want) in [
        ("NoSchedule", Some("taint team=ml:NoSchedule")),
        ("NoExecute", Some("taint team=ml:NoExecute")),
        // A wish of the scheduler, which a DaemonSet's pod ignores.
        ("PreferNoSchedule", None),
    ] {
        let node = node("gpu-1").taint(&format!("team=ml:{effect}")).build();
        assert_eq!(refusal(json!({}), &node).as_deref(), want);
    }
}

#[test]
fn every_taint_needs_a_toleration_and_the_first_without_is_named() {
    let node = node("gpu-1")
        .taint("nvidia.com/gpu=present:NoSchedule")
        .taint("team=ml:NoSchedule")
        .taint("rack=7:NoExecute")
        .build();
    let gpu = json!({ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" });
    let team = json!({ "key": "team", "operator": "Equal", "value": "ml" });
    let rack = json!({ "key": "rack", "operator": "Exists" });
    for (tolerations, want) in [
        (json!([]), Some("taint nvidia.com/gpu=present:NoSchedule")),
        (json!([gpu]), Some("taint team=ml:NoSchedule")),
        (json!([gpu, team]), Some("taint rack=7:NoExecute")),
        (json!([rack, team, gpu]), None),
        (json!([{ "operator": "Exists" }]), None),
        (
            json!([{ "operator": "Exists", "effect": "NoSchedule" }]),
            Some("taint rack=7:NoExecute"),
        ),
    ] {
        let found = refusal(json!({ "tolerations": tolerations }), &node);
        assert_eq!(found.as_deref(), want, "{tolerations}");
    }
}

#[test]
fn the_daemon_set_controller_tolerates_what_befalls_nodes() {
    for (taint, admits) in [
        ("node.kubernetes.io/not-ready:NoExecute", true),
        ("node.kubernetes.io/unreachable:NoExecute", true),
        ("node.kubernetes.io/disk-pressure:NoSchedule", true),
        ("node.kubernetes.io/memory-pressure:NoSchedule", true),
        ("node.kubernetes.io/pid-pressure:NoSchedule", true),
        ("node.kubernetes.io/unschedulable:NoSchedule", true),
        // Only these effects of them, and no other taint of Kubernetes.
        ("node.kubernetes.io/not-ready:NoSchedule", false),
        ("node.kubernetes.io/disk-pressure:NoExecute", false),
        (
            "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
            false,
        ),
        ("node-role.kubernetes.io/control-plane:NoSchedule", false),
        ("node.cilium.io/agent-not-ready:NoSchedule", false),
    ] {
        let node = node("gpu-1").taint(taint).build();
        assert_eq!(refusal(json!({}), &node).is_none(), admits, "{taint}");
    }
}

#[test]
fn a_missing_network_is_tolerated_by_those_who_bring_their_own() {
    let node = node("gpu-1")
        .taint("node.kubernetes.io/network-unavailable:NoSchedule")
        .build();
    assert_eq!(refusal(json!({ "hostNetwork": true }), &node), None);
    let want = "taint node.kubernetes.io/network-unavailable:NoSchedule";
    assert_eq!(
        refusal(json!({ "hostNetwork": false }), &node).as_deref(),
        Some(want)
    );
}

#[test]
fn a_label_is_blamed_before_affinity_and_affinity_before_a_taint() {
    let tainted = || node("gpu-1").taint("team=ml:NoSchedule");
    let spec = || {
        let mut spec =
            affinity(json!([{ "matchExpressions": [expression("zone", "Exists", &[])] }]));
        spec["nodeSelector"] = json!({ "pool": "x" });
        spec
    };
    for (node, want) in [
        (tainted(), "label pool=x, has None"),
        (tainted().label("pool", "x"), "affinity zone, has None"),
        (
            tainted().label("pool", "x").label("zone", "a"),
            "taint team=ml:NoSchedule",
        ),
    ] {
        assert_eq!(refusal(spec(), &node.build()).as_deref(), Some(want));
    }
}

#[test]
fn a_cordoned_node_still_gets_its_pods() {
    let cordoned = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" }, "spec": { "unschedulable": true,
        "taints": [{ "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule" }] } });
    let node = recorded([cordoned]).nodes.remove(0);
    assert_eq!(refusal(json!({}), &node), None);
}
