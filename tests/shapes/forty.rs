//! One broken node among 40: the default table fits one screen.

use serde_json::Value;
use suite::plugin;

use crate::ask::each;
use crate::build::{Card, Node, Recording, Shape, V25_10, event, helm, pod};

const BROKEN: &str = "gpu-17";
const LINES: usize = 40;
const COLUMNS: usize = 120;

/// What is wrong, and how it is made.
type Way = (&'static str, fn() -> Recording);

/// What can be wrong with one of 40 nodes.
const WAYS: &[Way] = &[
    ("a taint", || {
        shape(|it| it.taint("team=ml:NoSchedule")).record()
    }),
    ("a node nobody hears from", || {
        shape(|it| it.ready("Unknown")).record()
    }),
    ("lost labels", || {
        shape(|it| it.without("nvidia.com/gpu.deploy.")).record()
    }),
    ("an image", || {
        edited("nvidia-driver-daemonset", |it| {
            pod::no_image(it, "nvidia-driver-ctr")
        })
    }),
    ("a crash", || {
        edited("nvidia-driver-daemonset", |it| {
            pod::crashes(it, "nvidia-driver-ctr", 7)
        })
    }),
    ("a barrier", || {
        edited("nvidia-operator-validator", |it| {
            pod::waits(it, "toolkit-validation")
        })
    }),
    ("a refusal", refused),
];

fn shape(edit: fn(Node) -> Node) -> Shape {
    let name = |at: usize| format!("gpu-{at:02}");
    let nodes = (0..40)
        .map(|at| Node::gpu(&name(at), &V25_10, Card::A100))
        .collect();
    Shape::of(&V25_10, nodes)
        .nfd()
        .operated(helm(&V25_10))
        .node(BROKEN, edit)
}

fn edited(set: &str, edit: impl FnOnce(&mut Value)) -> Recording {
    let mut recording = shape(|it| it).record();
    edit(recording.pod(set, BROKEN));
    recording
}

fn refused() -> Recording {
    let mut recording = shape(|it| it).record();
    recording.remove_pod("gpu-feature-discovery", BROKEN);
    let words = "Error creating: pods \"gpu-feature-discovery-\" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=320, limited: pods=320";
    recording.items.push(event(
        "DaemonSet",
        "gpu-operator",
        "gpu-feature-discovery",
        "FailedCreate",
        words,
    ));
    recording
}

fn show(recording: Recording, format: &str) -> String {
    plugin("kubectl-gpu_audit")
        .args(["-f", "-", "-o", format])
        .input(recording.list().to_string())
        .run()
        .out
}

#[test]
fn one_broken_node_of_40_fits_one_screen() {
    each(
        WAYS,
        |it| it.0,
        |(_, made)| {
            let table = show(made(), "table");
            let head: Vec<_> = table.lines().take_while(|it| !it.is_empty()).collect();
            let n_columns = head
                .iter()
                .map(|it| it.chars().count())
                .max()
                .unwrap_or_default();
            // Sentences are not cut; a terminal shows the rest of a long one in its next row.
            let n_rows: usize = table
                .lines()
                .map(|it| it.chars().count().div_ceil(COLUMNS).max(1))
                .sum();
            let checks = [
                (
                    table.contains(BROKEN),
                    "the broken node is not named".to_owned(),
                ),
                (
                    table.contains("39 GPU nodes in order"),
                    "the others are not counted".to_owned(),
                ),
                (
                    n_columns <= COLUMNS,
                    format!("the table is {n_columns} columns wide"),
                ),
                (n_rows <= LINES, format!("it takes {n_rows} rows")),
            ];
            let wrong = checks.into_iter().filter(|(holds, _)| !holds);
            wrong
                .map(|(_, problem)| format!("{problem}:\n{table}"))
                .collect()
        },
    );
}

#[test]
fn wide_shows_all_40_nodes() {
    let wide = show(shape(|it| it.taint("team=ml:NoSchedule")).record(), "wide");
    for at in 0..40 {
        let name = format!("gpu-{at:02} ");
        assert!(
            wide.lines().any(|it| it.starts_with(&name)),
            "{name}:\n{wide}"
        );
    }
}
