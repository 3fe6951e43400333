//! Deploy labels that are lost, empty, odd, paused or opted out.

use super::{Broken, broken, with};
use crate::build::{Node, Recording, Shape, V24_9, V25_10, V26_3, V26_7, pod};
use crate::healthy::{defaults, sandbox};

const PLUGIN: &str = "nvidia-device-plugin-daemonset";
const GFD: &str = "gpu-feature-discovery";
const EXPORTER: &str = "nvidia-dcgm-exporter";

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "all deploy labels lost on v26.3",
        || lost(defaults(&V26_3)),
        &[("gpu-a", "deploy-labels-lost")],
        &[],
    ),
    broken(
        "all deploy labels lost on v26.7",
        || lost(defaults(&V26_7)),
        &[("gpu-a", "deploy-labels-lost")],
        &[],
    ),
    broken(
        "one deploy label empty on v24.9",
        || deploy(defaults(&V24_9), "device-plugin", ""),
        &[("gpu-a", "deploy-label-empty")],
        &[],
    ),
    broken(
        "one deploy label empty on v26.7",
        || deploy(defaults(&V26_7), "device-plugin", ""),
        &[("gpu-a", "*")],
        &[],
    ),
    broken("one deploy label absent", absent, &[("gpu-a", "*")], &[]),
    broken(
        "a deploy label that says True",
        || deploy(defaults(&V25_10), "device-plugin", "True"),
        &[("gpu-a", "deploy-label-odd")],
        &[],
    ),
    broken(
        "a deploy label that says enabled",
        || deploy(defaults(&V24_9), "gpu-feature-discovery", "enabled"),
        &[("gpu-a", "deploy-label-odd")],
        &[],
    ),
    broken(
        "a deploy label with control characters",
        || deploy(defaults(&V25_10), "dcgm-exporter", "\u{1b}[31mtrue\u{7}"),
        &[("gpu-a", "deploy-label-odd")],
        &[],
    ),
    broken(
        "a pause that a driver manager left",
        || {
            paused(
                &["device-plugin", "container-toolkit"],
                "paused-for-driver-upgrade",
            )
        },
        &[("gpu-a", "pause-stale")],
        &[],
    ),
    broken(
        "a pause upon a pause, both left",
        twice_paused,
        &[("gpu-b", "pause-stale")],
        &[],
    ),
    broken(
        "a pause that the MIG manager left",
        || mig_paused("success"),
        &[("gpu-b", "pause-stale")],
        &[],
    ),
    broken(
        "a pause after a MIG change that failed",
        || mig_paused("failed"),
        &[("gpu-b", "pause-stale")],
        &[],
    ),
    broken(
        "a pause that the vGPU device manager left",
        vgpu_paused,
        &[("vm-b", "pause-stale")],
        &[],
    ),
    broken(
        "the validator opted out, and GFD restarted",
        || without_validator(|it| it.deploy("operator-validator", "false")),
        &[("gpu-a", "barrier-stuck")],
        GFD_AND_EXPORTER,
    ),
    broken(
        "the validator's label absent, and GFD restarted",
        || without_validator(|it| it.without("nvidia.com/gpu.deploy.operator-validator")),
        &[("gpu-a", "barrier-stuck")],
        GFD_AND_EXPORTER,
    ),
    broken(
        "the validator paused by a driver manager that is gone",
        || without_validator(|it| it.deploy("operator-validator", "paused-for-driver-upgrade")),
        &[("gpu-a", "pause-stale"), ("gpu-a", "barrier-stuck")],
        GFD_AND_EXPORTER,
    ),
    broken(
        "the toolkit opted out beside a device plugin",
        || deploy(defaults(&V26_3), "container-toolkit", "false"),
        &[("gpu-a", "device-plugin-without-toolkit")],
        &[],
    ),
    broken(
        "the toolkit's label absent beside a device plugin",
        || {
            defaults(&V26_3)
                .node("gpu-a", |it| {
                    it.without("nvidia.com/gpu.deploy.container-toolkit")
                })
                .record()
        },
        &[("gpu-a", "device-plugin-without-toolkit")],
        &[],
    ),
    broken(
        "an operand that stayed after its node opted out",
        stayed,
        &[("gpu-a", "operand-unexpected")],
        &[],
    ),
    broken(
        "a MIG capable card without a label for the MIG manager",
        || {
            defaults(&V25_10)
                .node("gpu-b", |it| {
                    it.without("nvidia.com/gpu.deploy.mig-manager")
                })
                .record()
        },
        &[("gpu-b", "mig-manager-unlabelled")],
        &[],
    ),
];

const GFD_AND_EXPORTER: &[&str] = &[
    "gpu-a MISSING gpu-feature-discovery",
    "gpu-a MISSING dcgm-exporter",
];

fn lost(shape: Shape) -> Recording {
    shape
        .node("gpu-a", |it| it.without("nvidia.com/gpu.deploy."))
        .record()
}

fn deploy(shape: Shape, operand: &str, value: &str) -> Recording {
    shape.node("gpu-a", |it| it.deploy(operand, value)).record()
}

fn absent() -> Recording {
    defaults(&V25_10)
        .node("gpu-a", |it| {
            it.without("nvidia.com/gpu.deploy.device-plugin")
        })
        .record()
}

fn paused(operands: &[&str], value: &str) -> Recording {
    let pause = |it: Node| {
        operands
            .iter()
            .fold(it, |it, operand| it.deploy(operand, value))
    };
    defaults(&V24_9).node("gpu-a", pause).record()
}

fn twice_paused() -> Recording {
    let both = "paused-for-mig-change_paused-for-driver-upgrade";
    defaults(&V25_10)
        .node("gpu-b", |it| {
            it.deploy("device-plugin", both)
                .label("nvidia.com/mig.config.state", "success")
        })
        .record()
}

fn mig_paused(state: &str) -> Recording {
    let pause = |it: Node| {
        [
            "device-plugin",
            "gpu-feature-discovery",
            "dcgm-exporter",
            "dcgm",
            "nvsm",
        ]
        .iter()
        .fold(it, |it, operand| {
            it.deploy(operand, "paused-for-mig-change")
        })
    };
    defaults(&V25_10)
        .node("gpu-b", |it| {
            pause(it).label("nvidia.com/mig.config.state", state)
        })
        .record()
}

fn vgpu_paused() -> Recording {
    let pause = |it: Node| {
        it.deploy("sandbox-device-plugin", "paused-for-vgpu-change")
            .deploy("sandbox-validator", "paused-for-vgpu-change")
            .label("nvidia.com/vgpu.config.state", "success")
    };
    sandbox(&V26_7).node("vm-b", pause).record()
}

/// Nothing opens the gate for what starts after the validator has gone.
fn without_validator(edit: fn(Node) -> Node) -> Recording {
    with(defaults(&V24_9).node("gpu-a", edit), |it| {
        for set in [GFD, EXPORTER] {
            pod::waits(it.pod(set, "gpu-a"), "toolkit-validation");
        }
    })
}

fn stayed() -> Recording {
    let mut before = defaults(&V25_10).record();
    let mut left = before.pod(PLUGIN, "gpu-a").clone();
    pod::orphan(&mut left);
    with(
        defaults(&V25_10).node("gpu-a", |it| it.deploy("device-plugin", "false")),
        |it| it.items.push(left),
    )
}
