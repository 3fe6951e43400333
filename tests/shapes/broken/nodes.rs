//! Nodes that keep operands away, or that nobody hears from.

use super::{Broken, broken, with};
use crate::build::{Node, Recording, V23_9, V24_9, V25_10, V26_3, V26_7, pod};
use crate::healthy::{
    by_hand, defaults, dra, openshift, pools, precompiled_kernels, sandbox, tolerated,
};

const ALL_OF_A: &[&str] = &[
    "gpu-a MISSING driver",
    "gpu-a MISSING container-toolkit",
    "gpu-a MISSING operator-validator",
    "gpu-a MISSING device-plugin",
    "gpu-a MISSING gpu-feature-discovery",
    "gpu-a MISSING dcgm-exporter",
];
const TAINT: &[(&str, &str)] = &[("gpu-a", "taint-not-tolerated")];

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "a taint with a value",
        || tainted(defaults(&V23_9), "pool=batch:NoSchedule"),
        TAINT,
        ALL_OF_A,
    ),
    broken(
        "a taint that evicts",
        || tainted(defaults(&V26_7), "dedicated:NoExecute"),
        TAINT,
        ALL_OF_A,
    ),
    broken(
        "a taint of the network plugin",
        || {
            tainted(
                defaults(&V25_10),
                "node.cilium.io/agent-not-ready:NoSchedule",
            )
        },
        TAINT,
        ALL_OF_A,
    ),
    broken(
        "a tolerated key with another value",
        || tainted(tolerated(), "team=web:NoExecute"),
        TAINT,
        ALL_OF_A,
    ),
    broken(
        "a tolerated key with another effect",
        || tainted(tolerated(), "team=ml:NoSchedule"),
        TAINT,
        ALL_OF_A,
    ),
    broken(
        "a taint that keeps the OpenShift driver away",
        || tainted_as("worker-0"),
        &[("worker-0", "taint-not-tolerated")],
        ALL_OF_WORKER,
    ),
    broken(
        "a taint that only the NVIDIADriver does not tolerate",
        driver_alone,
        &[("gpu-b", "taint-not-tolerated")],
        &[
            "gpu-b MISSING driver",
            "gpu-b MISSING container-toolkit",
            "gpu-b MISSING operator-validator",
            "gpu-b MISSING device-plugin",
            "gpu-b MISSING gpu-feature-discovery",
            "gpu-b MISSING dcgm-exporter",
            "gpu-b MISSING mig-manager",
        ],
    ),
    broken(
        "a taint on a node of virtual machines",
        || {
            sandbox(&V24_9)
                .node("vm-a", |it| it.taint("vms:NoSchedule"))
                .record()
        },
        &[("vm-a", "taint-not-tolerated")],
        &[
            "vm-a MISSING sandbox-device-plugin",
            "vm-a MISSING sandbox-validator",
            "vm-a MISSING vfio-manager",
        ],
    ),
    broken(
        "a taint on a node of a GPUCluster",
        || {
            dra()
                .node("gpu-a", |it| it.taint("team=ml:NoSchedule"))
                .record()
        },
        TAINT,
        &[
            "gpu-a MISSING driver",
            "gpu-a MISSING dra-driver",
            "gpu-a MISSING dra-validator",
            "gpu-a MISSING dcgm-exporter-dra",
        ],
    ),
    broken(
        "a taint while dcgm is on by default",
        || tainted(by_hand(), "team=ml:NoSchedule"),
        TAINT,
        &[
            "gpu-a MISSING driver",
            "gpu-a MISSING container-toolkit",
            "gpu-a MISSING operator-validator",
            "gpu-a MISSING device-plugin",
            "gpu-a MISSING gpu-feature-discovery",
            "gpu-a MISSING dcgm",
            "gpu-a MISSING dcgm-exporter",
        ],
    ),
    broken(
        "a GPU node that is not Ready",
        || {
            defaults(&V25_10)
                .node("gpu-a", |it| it.ready("False"))
                .record()
        },
        &[("gpu-a", "node-not-ready")],
        &[],
    ),
    broken(
        "a GPU node that is unreachable",
        || {
            defaults(&V23_9)
                .node("gpu-b", |it| it.ready("Unknown"))
                .record()
        },
        &[("gpu-b", "node-not-ready")],
        &[],
    ),
    broken(
        "a node without GPU that is unreachable",
        || {
            defaults(&V25_10)
                .node("cpu-a", |it| it.ready("Unknown"))
                .record()
        },
        &[],
        &[],
    ),
    broken(
        "a kernel that has no precompiled driver",
        new_kernel,
        &[("gpu-b", "operand-missing")],
        &[
            "gpu-b MISSING driver",
            "gpu-b MISSING container-toolkit",
            "gpu-b MISSING operator-validator",
            "gpu-b MISSING device-plugin",
            "gpu-b MISSING gpu-feature-discovery",
            "gpu-b MISSING dcgm-exporter",
            "gpu-b MISSING mig-manager",
        ],
    ),
    broken(
        "a node that no NVIDIADriver selects",
        unselected,
        &[("gpu-b", "operand-missing")],
        &["gpu-b MISSING driver"],
    ),
];

const ALL_OF_WORKER: &[&str] = &[
    "worker-0 MISSING driver",
    "worker-0 MISSING container-toolkit",
    "worker-0 MISSING operator-validator",
    "worker-0 MISSING device-plugin",
    "worker-0 MISSING gpu-feature-discovery",
    "worker-0 MISSING dcgm",
    "worker-0 MISSING dcgm-exporter",
    "worker-0 MISSING mig-manager",
    "worker-0 MISSING node-status-exporter",
];

fn tainted(shape: crate::build::Shape, taint: &str) -> Recording {
    shape.node("gpu-a", |it| it.taint(taint)).record()
}

fn tainted_as(node: &str) -> Recording {
    openshift(&V24_9)
        .node(node, |it| {
            it.taint("node-role.kubernetes.io/infra:NoSchedule")
        })
        .record()
}

/// What starts without a driver waits, the rest behind it.
fn wait_for_driver(it: &mut Recording, node: &str) {
    pod::waits(
        it.pod("nvidia-container-toolkit-daemonset", node),
        "driver-validation",
    );
    pod::waits(
        it.pod("nvidia-operator-validator", node),
        "driver-validation",
    );
    for set in [
        "nvidia-device-plugin-daemonset",
        "gpu-feature-discovery",
        "nvidia-dcgm-exporter",
        "nvidia-mig-manager",
    ] {
        pod::waits(it.pod(set, node), "toolkit-validation");
    }
}

fn driver_alone() -> Recording {
    let toleration =
        serde_json::json!({ "key": "team", "operator": "Exists", "effect": "NoSchedule" });
    let shape = pools(&V26_3)
        .node("gpu-b", |it| it.taint("team=ml:NoSchedule"))
        .sets_where(
            |it| !it.deploys("driver"),
            |it| it.tolerates(toleration.clone()),
        );
    with(shape, |it| wait_for_driver(it, "gpu-b"))
}

fn new_kernel() -> Recording {
    let shape = precompiled_kernels().node("gpu-b", |it: Node| it.kernel("5.15.0-122-generic"));
    with(shape, |it| wait_for_driver(it, "gpu-b"))
}

/// The operands that are up stay up; only the driver has gone.
fn unselected() -> Recording {
    pools(&V25_10)
        .node("gpu-b", |it| {
            it.label("pool", "stable").os("ubuntu", "20.04")
        })
        .record()
}
