//! An install in which all is well, and six in which one node has no working GPU.

use super::{
    Install,
    nodes::{GpuNode, Held},
    operands::Drivers,
};
use crate::{PodState, Step};

/// The value by which k8s-driver-manager takes operands away.
const PAUSED: &str = "paused-for-driver-upgrade";

/// Every pod is Ready.
pub(crate) fn healthy() -> Vec<Step> {
    two_nodes("ready", GpuNode::healthy("gpu-b"))
}

/// The taint came when the labels were there, and the pods went away when the node was started anew.
pub(crate) fn untolerated_taint() -> Vec<Step> {
    let tainted = GpuNode {
        taint: Some(("team", "ml")),
        offers_gpus: false,
        ..GpuNode::healthy("gpu-b")
    };
    two_nodes("ready", tainted)
}

/// The node is new, so nothing has ever run on it.
pub(crate) fn driver_stuck_in_init() -> Vec<Step> {
    let mut held = behind_the_driver();
    held.push(Held {
        operand: "driver",
        state: PodState::CrashLoop(Some("k8s-driver-manager".to_owned())),
        shows: "Init:CrashLoopBackOff",
    });
    let fresh = GpuNode {
        is_known: false,
        offers_gpus: false,
        held,
        ..GpuNode::healthy("gpu-b")
    };
    two_nodes("notReady", fresh)
}

/// The operands waited in vain when the node was started anew.
pub(crate) fn validator_opted_out() -> Vec<Step> {
    let opted_out = GpuNode {
        relabelled: vec![("nvidia.com/gpu.deploy.operator-validator", "false")],
        offers_gpus: false,
        held: behind_the_validator(),
        ..GpuNode::healthy("gpu-b")
    };
    two_nodes("notReady", opted_out)
}

/// The driver manager was ended before it took its pause away, so the upgrade waits for a validator that is paused.
pub(crate) fn stale_pause() -> Vec<Step> {
    let paused = GpuNode {
        relabelled: vec![
            ("nvidia.com/gpu.deploy.container-toolkit", PAUSED),
            ("nvidia.com/gpu.deploy.operator-validator", PAUSED),
            ("nvidia.com/gpu.deploy.device-plugin", PAUSED),
            ("nvidia.com/gpu.deploy.gpu-feature-discovery", PAUSED),
            ("nvidia.com/gpu.deploy.dcgm", PAUSED),
            ("nvidia.com/gpu.deploy.dcgm-exporter", PAUSED),
            ("nvidia.com/gpu-driver-upgrade-state", "validation-required"),
        ],
        is_cordoned: true,
        offers_gpus: false,
        ..GpuNode::healthy("gpu-b")
    };
    two_nodes("ready", paused)
}

/// Drivers are precompiled, and nobody has published one for the kernel that the node got.
pub(crate) fn image_not_pullable() -> Vec<Step> {
    let mut held = behind_the_driver();
    held.push(Held {
        operand: "driver",
        state: PodState::ImagePullBackOff(Some("nvidia-driver-ctr".to_owned())),
        shows: "ImagePullBackOff",
    });
    let renewed = GpuNode {
        kernel: "5.15.0-134-generic",
        offers_gpus: false,
        held,
        ..GpuNode::healthy("gpu-d")
    };
    let mut nodes = ["gpu-a", "gpu-b", "gpu-c"].map(GpuNode::healthy).to_vec();
    nodes.push(renewed);
    let install = Install {
        nodes,
        drivers: Drivers::ByKernel,
        state: "notReady",
    };
    install.steps()
}

/// The toolkit went when its label became `false`; nothing takes the device plugin away with it.
pub(crate) fn device_plugin_without_toolkit() -> Vec<Step> {
    let opted_out = GpuNode {
        relabelled: vec![("nvidia.com/gpu.deploy.container-toolkit", "false")],
        ..GpuNode::healthy("gpu-b")
    };
    two_nodes("ready", opted_out)
}

/// gpu-a is in order, the other is not.
fn two_nodes(state: &'static str, other: GpuNode) -> Vec<Step> {
    let install = Install {
        nodes: vec![GpuNode::healthy("gpu-a"), other],
        drivers: Drivers::ByOs,
        state,
    };
    install.steps()
}

fn behind_the_driver() -> Vec<Held> {
    let waiting = |operand, init: &str, shows| Held {
        operand,
        state: PodState::Init(init.to_owned()),
        shows,
    };
    let mut held = behind_the_validator();
    held.push(waiting(
        "container-toolkit",
        "driver-validation",
        "Init:0/1",
    ));
    held.push(waiting(
        "operator-validator",
        "driver-validation",
        "Init:0/4",
    ));
    held
}

/// Operands that wait until the validator has seen the toolkit work.
fn behind_the_validator() -> Vec<Held> {
    let waiting = |operand, shows| Held {
        operand,
        state: PodState::Init("toolkit-validation".to_owned()),
        shows,
    };
    vec![
        waiting("device-plugin", "Init:0/1"),
        waiting("gpu-feature-discovery", "Init:0/2"),
        waiting("dcgm-exporter", "Init:0/1"),
    ]
}
