//! The bare operand lab, with no policy and no operator: there the audit ends with 1 exactly if a line says
//! MISSING, and the order exactly if a line says device-plugin-without-toolkit, whatever the labels say.

use serde_json::Value;

use crate::ask::{each, in_words};
use crate::build::{Node, Recording, Set, Shape, V24_6, pod};

const OPERANDS: [(&str, &str); 5] = [
    ("driver", "nvidia-driver-daemonset"),
    ("container-toolkit", "nvidia-container-toolkit-daemonset"),
    ("device-plugin", "nvidia-device-plugin-daemonset"),
    ("gpu-feature-discovery", "gpu-feature-discovery"),
    ("dcgm-exporter", "nvidia-dcgm-exporter"),
];

/// What is changed, the lines of the audit that are not OK, and those of the order that are not ok.
type Way = (
    &'static str,
    fn() -> Recording,
    &'static [&'static str],
    &'static [&'static str],
);

const WITHOUT: &str = "device-plugin-without-toolkit";

/// They.
const WAYS: &[Way] = &[
    ("as it is", || lab(|it| it), &[], &[]),
    (
        "an empty label",
        || lab(|it| it.deploy("driver", "")),
        &[],
        &[],
    ),
    (
        "an empty label of the device plugin",
        || lab(|it| it.deploy("device-plugin", "")),
        &[],
        &[],
    ),
    (
        "an odd label",
        || lab(|it| it.deploy("gpu-feature-discovery", "True")),
        &[],
        &[],
    ),
    (
        "a label that is absent",
        || lab(|it| it.without("nvidia.com/gpu.deploy.dcgm-exporter")),
        &[],
        &[],
    ),
    (
        "all labels absent",
        || lab(|it| it.without("nvidia.com/gpu.deploy.")),
        &[],
        &[],
    ),
    (
        "a node opted out",
        || {
            lab(|it| {
                it.without("nvidia.com/gpu.deploy.")
                    .deploy("operands", "false")
            })
        },
        &[],
        &[],
    ),
    (
        "paused operands under a driver that runs",
        || lab(|it| it.deploy("device-plugin", "paused-for-driver-upgrade")),
        &[],
        &[],
    ),
    (
        "paused operands for MIG",
        || {
            lab(|it| {
                it.deploy("dcgm-exporter", "paused-for-mig-change")
                    .label("nvidia.com/mig.config.state", "success")
            })
        },
        &[],
        &[],
    ),
    (
        "a driver that is pre-installed",
        || lab(|it| it.deploy("driver", "pre-installed")),
        &[],
        &[],
    ),
    (
        "a taint that evicts",
        || lab(|it| it.taint("team=ml:NoExecute")),
        ALL,
        &[],
    ),
    ("a cordoned node", || lab(Node::cordoned), &[], &[]),
    (
        "a node with a GPU that nobody marked",
        || lab(|it| it.without("nvidia.com/")),
        &[],
        &[],
    ),
    (
        "the toolkit opted out",
        || lab(|it| it.deploy("container-toolkit", "false")),
        &[],
        &["lab-node-0 device-plugin-without-toolkit"],
    ),
    (
        "the toolkit empty",
        || lab(|it| it.deploy("container-toolkit", "")),
        &[],
        &["lab-node-0 device-plugin-without-toolkit"],
    ),
    (
        "the toolkit's pod gone",
        || edited(|it| it.remove_pod(OPERANDS[1].1, "lab-node-0")),
        &["lab-node-0 MISSING container-toolkit"],
        &["lab-node-0 device-plugin-without-toolkit"],
    ),
    (
        "the driver's pod Pending",
        || {
            edited(|it| {
                pod::unscheduled(
                    it.pod(OPERANDS[0].1, "lab-node-0"),
                    "0/3 nodes are available: 1 Insufficient memory.",
                )
            })
        },
        &["lab-node-0 MISSING driver"],
        &[],
    ),
    (
        "a MIG capable node without MIG manager",
        || lab(|it| it.label("nvidia.com/mig.capable", "true")),
        &[],
        &[],
    ),
    (
        "fewer GPUs than counted",
        || {
            lab(|it| {
                it.label("nvidia.com/gpu.count", "8")
                    .offers("nvidia.com/gpu", 7, 7)
            })
        },
        &[],
        &[],
    ),
];

const ALL: &[&str] = &[
    "lab-node-0 MISSING driver",
    "lab-node-0 MISSING container-toolkit",
    "lab-node-0 MISSING device-plugin",
    "lab-node-0 MISSING gpu-feature-discovery",
    "lab-node-0 MISSING dcgm-exporter",
];

/// Three nodes and five DaemonSets without tolerations, one node changed.
fn lab(edit: fn(Node) -> Node) -> Recording {
    let gpu = |name: &str| {
        let it = Node::bare(name).pci();
        OPERANDS
            .iter()
            .fold(it, |it, (operand, _)| it.deploy(operand, "true"))
    };
    let nodes = vec![
        edit(gpu("lab-node-0")),
        gpu("lab-node-1").deploy("driver", "false"),
        Node::bare("lab-node-2"),
    ];
    let set = |(operand, name): &(&str, &str)| {
        Set::plain("gpu-operator", name, "nvcr.io/nvidia/x:1")
            .selects(&format!("nvidia.com/gpu.deploy.{operand}"), "true")
    };
    OPERANDS
        .iter()
        .map(set)
        .fold(Shape::of(&V24_6, nodes), Shape::with_set)
        .record()
}

fn edited(edit: fn(&mut Recording)) -> Recording {
    let mut recording = lab(|it| it);
    edit(&mut recording);
    recording
}

fn run(program: &str, list: &Value, format: &str) -> suite::Said {
    suite::plugin(program)
        .args(["-f", "-", "-o", format])
        .input(list.to_string())
        .run()
}

fn check(program: &str, list: &Value, want: &[&str], ends: &str) -> Vec<String> {
    let said = run(program, list, "lines");
    let lines: Vec<_> = said.out.lines().filter(|it| !it.ends_with(ends)).collect();
    let code = i32::from(!want.is_empty());
    let mut problems = Vec::new();
    if lines != want {
        problems.push(format!("{program} says {lines:?}, not {want:?}"));
    }
    if said.code != Some(code) {
        let report = run(program, list, "json").json();
        problems.push(format!(
            "{program} ends with {:?}, not {code}\n{}",
            said.code,
            in_words(&report)
        ));
    }
    problems
}

#[test]
fn in_the_bare_lab_the_lines_decide_the_exit_code() {
    assert!(
        WAYS.iter()
            .flat_map(|it| it.3)
            .all(|it| it.ends_with(WITHOUT))
    );
    each(
        WAYS,
        |it| it.0,
        |(_, made, missing, broken)| {
            let list = made().list();
            let mut problems = check("kubectl-gpu_audit", &list, missing, " OK");
            problems.extend(check("kubectl-gpu_order", &list, broken, " ok"));
            problems
        },
    );
}
