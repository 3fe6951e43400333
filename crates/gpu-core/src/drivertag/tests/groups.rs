//! Nodes that need the same, and the one that does not.

use serde_json::Value;

use super::{drivers, gpu_node, labelled, reporting};
use crate::drivertag::groups::{groups, odd_ones};
use crate::drivertag::{Ledger, Stock, WhatIf, needs};
use crate::standing::Scope;
use crate::testing::recorded;

const OLD: &str = "5.15.0-117-generic";
const NEW: &str = "5.15.0-118-generic";

fn node(name: &str, kernel: &str) -> Value {
    gpu_node(name, kernel, "ubuntu 22.04")
}

fn pooled(name: &str, kernel: &str, pool: &str) -> Value {
    labelled(
        node(name, kernel),
        &[("eks.amazonaws.com/nodegroup", Some(pool))],
    )
}

/// The groups as `count kernel arch`, and the odd ones as `node of pool`.
fn seen(mut objects: Vec<Value>) -> (Vec<String>, Vec<String>) {
    objects.push(drivers("v24.9.2", "535", true));
    let cluster = recorded(objects);
    let needs = needs(&cluster, &Scope::default(), None, &WhatIf::default()).unwrap();
    let ledger = Ledger::new(needs, Stock::default());
    let group = |it: &crate::drivertag::groups::Group<'_, '_>| {
        format!("{} {} {}", it.nodes.len(), it.key.kernel, it.key.arch)
    };
    let odd = |it: &crate::drivertag::groups::Odd<'_>| format!("{} of {}", it.node, it.pool);
    (
        groups(&ledger).iter().map(group).collect(),
        odd_ones(&ledger).iter().map(odd).collect(),
    )
}

#[test]
fn the_largest_group_comes_first_and_a_driver_of_the_host_is_in_none() {
    let host = labelled(
        node("gpu-h", NEW),
        &[("nvidia.com/gpu.deploy.driver", Some("false"))],
    );
    let arm = reporting(node("gpu-z", NEW), NEW, "", "arm64");
    let (groups, _) = seen(vec![
        node("gpu-a", OLD),
        node("gpu-b", NEW),
        node("gpu-c", NEW),
        host,
        arm,
    ]);
    assert_eq!(
        groups,
        [
            format!("2 {NEW} amd64"),
            format!("1 {OLD} amd64"),
            format!("1 {NEW} arm64"),
        ]
    );
}

#[test]
fn one_node_unlike_all_others_of_its_pool_is_odd() {
    for (nodes, want) in [
        (
            vec![node("a", OLD), node("b", OLD), node("c", NEW)],
            &["c of amd64"][..],
        ),
        // Two against one is a crowd; one against one is none.
        (vec![node("a", OLD), node("b", NEW)], &[]),
        (vec![node("a", OLD), node("b", OLD)], &[]),
        (
            vec![
                node("a", OLD),
                node("b", OLD),
                node("c", NEW),
                node("d", NEW),
            ],
            &[],
        ),
        // Pools are looked at each for itself.
        (
            vec![
                pooled("a", OLD, "x"),
                pooled("b", OLD, "x"),
                pooled("c", NEW, "x"),
                pooled("d", NEW, "y"),
                pooled("e", NEW, "y"),
            ],
            &["c of x"],
        ),
    ] {
        assert_eq!(seen(nodes).1, want);
    }
}
