//! Pods that are missing, refused, stuck or failing.

use serde_json::{Value, json};

use super::{Broken, broken, with};
use crate::build::{Recording, Shape, V23_9, V24_9, V25_10, V26_3, V26_7, event, pod};
use crate::healthy::{by_hand, configured, defaults, dra, mps, openshift, pre_installed, sandbox};

const DRIVER: &str = "nvidia-driver-daemonset";
const TOOLKIT: &str = "nvidia-container-toolkit-daemonset";
const VALIDATOR: &str = "nvidia-operator-validator";
const PLUGIN: &str = "nvidia-device-plugin-daemonset";
const GFD: &str = "gpu-feature-discovery";
const EXPORTER: &str = "nvidia-dcgm-exporter";
const MIG: &str = "nvidia-mig-manager";

const OF_A: [&str; 6] = [DRIVER, TOOLKIT, VALIDATOR, PLUGIN, GFD, EXPORTER];
const LINES_OF_A: &[&str] = &[
    "gpu-a MISSING driver",
    "gpu-a MISSING container-toolkit",
    "gpu-a MISSING operator-validator",
    "gpu-a MISSING device-plugin",
    "gpu-a MISSING gpu-feature-discovery",
    "gpu-a MISSING dcgm-exporter",
];
const BEHIND_DRIVER: &[&str] = &[
    "gpu-a MISSING container-toolkit",
    "gpu-a MISSING operator-validator",
    "gpu-a MISSING device-plugin",
    "gpu-a MISSING gpu-feature-discovery",
    "gpu-a MISSING dcgm-exporter",
];
const QUOTA: &str = "Error creating: insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]";
const POD_SECURITY: &str = "Error creating: pods \"x\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container \"nvidia-driver-ctr\" must not set securityContext.privileged=true)";
const WEBHOOK: &str = "Error creating: admission webhook \"validate.kyverno.svc-fail\" denied the request: images from nvcr.io are not allowed";
const CONTAINERD: &str = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for \"nvidia\" is configured";
const CRI_O: &str = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to find runtime handler nvidia from runtime list map[crun:0xc0004 runc:0xc0005]";
const MEMORY: &str = "0/4 nodes are available: 1 Insufficient memory, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pods, 3 Preemption is not helpful for scheduling.";

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "no pod of GFD",
        || without(defaults(&V24_9), GFD, "gpu-a"),
        &[("gpu-a", "operand-missing")],
        &["gpu-a MISSING gpu-feature-discovery"],
    ),
    broken(
        "no pod of the MIG manager",
        || without(defaults(&V26_3), MIG, "gpu-b"),
        &[("gpu-b", "operand-missing")],
        &["gpu-b MISSING mig-manager"],
    ),
    broken(
        "no pod of the validator",
        || without(defaults(&V25_10), VALIDATOR, "gpu-a"),
        &[("gpu-a", "operand-missing")],
        &["gpu-a MISSING operator-validator"],
    ),
    broken(
        "no pod of dcgm, which is on by default",
        || without(by_hand(), "nvidia-dcgm", "gpu-a"),
        &[("gpu-a", "operand-missing")],
        &["gpu-a MISSING dcgm"],
    ),
    broken(
        "no pod of the MPS daemon",
        || without(mps(), "nvidia-device-plugin-mps-control-daemon", "gpu-b"),
        &[("gpu-b", "operand-missing")],
        &["gpu-b MISSING mps-control-daemon"],
    ),
    broken(
        "no pod of the toolkit beside a device plugin",
        || without(defaults(&V25_10), TOOLKIT, "gpu-a"),
        &[
            ("gpu-a", "operand-missing"),
            ("gpu-a", "device-plugin-without-toolkit"),
        ],
        &["gpu-a MISSING container-toolkit"],
    ),
    broken(
        "the device plugin's DaemonSet was deleted",
        || defaults(&V25_10).without_set(PLUGIN).record(),
        &[("gpu-a", "operand-missing"), ("gpu-b", "operand-missing")],
        &["gpu-a MISSING device-plugin", "gpu-b MISSING device-plugin"],
    ),
    broken(
        "the vfio manager's DaemonSet was deleted",
        || sandbox(&V26_7).without_set("nvidia-vfio-manager").record(),
        &[("vm-a", "operand-missing")],
        &["vm-a MISSING vfio-manager"],
    ),
    broken(
        "a quota does not cover the pods of a new node",
        || refused(QUOTA),
        &[("gpu-a", "creation-refused")],
        LINES_OF_A,
    ),
    broken(
        "pod security refuses privileged pods",
        || refused(POD_SECURITY),
        &[("gpu-a", "creation-refused")],
        LINES_OF_A,
    ),
    broken(
        "a webhook refuses the pods",
        || refused(WEBHOOK),
        &[("gpu-a", "creation-refused")],
        LINES_OF_A,
    ),
    broken(
        "the scheduler finds no memory for GFD",
        || edit(defaults(&V24_9), GFD, |it| pod::unscheduled(it, MEMORY)),
        &[("gpu-a", "pod-unscheduled")],
        &["gpu-a MISSING gpu-feature-discovery"],
    ),
    broken(
        "the toolkit's image is missing",
        || {
            edit_behind(TOOLKIT, |it| {
                pod::no_image(it, "nvidia-container-toolkit-ctr")
            })
        },
        &[("gpu-a", "image-not-pulled")],
        BEHIND_DRIVER,
    ),
    broken(
        "the image of a sidecar of the device plugin is missing",
        || {
            edit(configured(), PLUGIN, |it| {
                pod::no_image(it, "config-manager")
            })
        },
        &[("gpu-a", "image-not-pulled")],
        &[],
    ),
    broken(
        "the image of GFD's init container is missing",
        || {
            edit(defaults(&V26_7), GFD, |it| {
                pod::no_init_image(it, "toolkit-validation")
            })
        },
        &[("gpu-a", "image-not-pulled")],
        &["gpu-a MISSING gpu-feature-discovery"],
    ),
    broken(
        "the driver manager's image is missing",
        || edit_driver(|it| pod::no_init_image(it, "k8s-driver-manager")),
        &[("gpu-a", "image-not-pulled")],
        LINES_OF_A,
    ),
    broken(
        "the driver of an OpenShift node is missing",
        openshift_image,
        &[("worker-0", "image-not-pulled")],
        &[],
    ),
    broken(
        "the driver manager gives up",
        || edit_driver(|it| pod::init_crashes(it, "k8s-driver-manager", 9)),
        &[("gpu-a", "driver-manager-fails")],
        LINES_OF_A,
    ),
    broken(
        "the driver crashes",
        || edit_driver(|it| pod::crashes(it, "nvidia-driver-ctr", 6)),
        &[("gpu-a", "operand-crashes")],
        BEHIND_DRIVER,
    ),
    broken(
        "the driver crashes while operands are paused for it",
        crash_and_pause,
        &[("gpu-a", "operand-crashes")],
        &[],
    ),
    broken(
        "the driver's check fails in the toolkit",
        || edit_behind(TOOLKIT, |it| pod::init_crashes(it, "driver-validation", 12)),
        &[("gpu-a", "validation-fails")],
        BEHIND_DRIVER,
    ),
    broken(
        "the driver on the host does not answer",
        host_driver,
        &[("gpu-a", "barrier-stuck")],
        BEHIND_DRIVER,
    ),
    broken(
        "the toolkit waits for a driver that is Ready",
        || edit_behind(TOOLKIT, |it| pod::waits(it, "driver-validation")),
        &[("gpu-a", "barrier-stuck")],
        BEHIND_DRIVER,
    ),
    broken(
        "the validator waits for a toolkit that is Ready",
        || validator("toolkit-validation"),
        &[("gpu-a", "barrier-stuck")],
        BEHIND_TOOLKIT,
    ),
    broken(
        "the CUDA validation fails",
        || validator_fails("cuda-validation"),
        &[("gpu-a", "validation-fails")],
        &["gpu-a MISSING operator-validator"],
    ),
    broken(
        "the plugin validation fails",
        || validator_fails("plugin-validation"),
        &[("gpu-a", "validation-fails")],
        &["gpu-a MISSING operator-validator"],
    ),
    broken(
        "the MPS daemon's own init container fails",
        || {
            with(mps(), |it| {
                pod::init_crashes(
                    it.pod("nvidia-device-plugin-mps-control-daemon", "gpu-b"),
                    "mps-control-daemon-mounts",
                    4,
                )
            })
        },
        &[("gpu-b", "operand-crashes")],
        &["gpu-b MISSING mps-control-daemon"],
    ),
    broken(
        "containerd does not know the handler",
        || no_handler(defaults(&V24_9), CONTAINERD),
        &[("gpu-a", "runtime-handler-missing")],
        BEHIND_TOOLKIT,
    ),
    broken(
        "CRI-O does not know the handler",
        || no_handler(crio(), CRI_O),
        &[("gpu-a", "runtime-handler-missing")],
        BEHIND_TOOLKIT,
    ),
    broken(
        "the kubelet does not start GFD, and nobody says why",
        || edit(defaults(&V25_10), GFD, pod::is_created),
        &[("gpu-a", "operand-waits")],
        &["gpu-a MISSING gpu-feature-discovery"],
    ),
    broken(
        "the device plugin is not Ready",
        || edit(defaults(&V25_10), PLUGIN, pod::not_ready),
        &[("gpu-a", "operand-not-ready")],
        &[],
    ),
    broken(
        "the exporter is not Ready",
        || edit(defaults(&V23_9), EXPORTER, pod::not_ready),
        &[("gpu-a", "monitoring-not-ready")],
        &[],
    ),
    broken(
        "the exporter crashes",
        || {
            edit(defaults(&V26_7), EXPORTER, |it| {
                pod::crashes(it, EXPORTER, 14)
            })
        },
        &[("gpu-a", "monitoring-not-ready")],
        &[],
    ),
    broken(
        "GFD hangs in its deletion",
        || edit(defaults(&V25_10), GFD, pod::terminates),
        &[("gpu-a", "operand-not-ready")],
        &[],
    ),
    broken(
        "GFD was evicted and not replaced",
        || edit(defaults(&V25_10), GFD, evict),
        &[("gpu-a", "operand-not-ready")],
        &["gpu-a MISSING gpu-feature-discovery"],
    ),
    broken(
        "the vfio manager cannot unbind the host's driver",
        vfio,
        &[("vm-a", "driver-manager-fails")],
        &[
            "vm-a MISSING sandbox-device-plugin",
            "vm-a MISSING sandbox-validator",
            "vm-a MISSING vfio-manager",
        ],
    ),
    broken(
        "the DRA driver crashes",
        || {
            with(dra(), |it| {
                pod::crashes(
                    it.pod("nvidia-dra-driver-kubelet-plugin", "gpu-a"),
                    "gpus",
                    8,
                )
            })
        },
        &[("gpu-a", "operand-crashes")],
        &[],
    ),
    broken(
        "the DRA validator waits for a driver that is Ready",
        || {
            with(dra(), |it| {
                pod::waits(it.pod("nvidia-dra-validator", "gpu-a"), "gpu-validation")
            })
        },
        &[("gpu-a", "barrier-stuck")],
        &["gpu-a MISSING dra-validator"],
    ),
];

const BEHIND_TOOLKIT: &[&str] = &[
    "gpu-a MISSING operator-validator",
    "gpu-a MISSING device-plugin",
    "gpu-a MISSING gpu-feature-discovery",
    "gpu-a MISSING dcgm-exporter",
];

fn without(shape: Shape, set: &str, node: &str) -> Recording {
    with(shape, |it| it.remove_pod(set, node))
}

fn edit(shape: Shape, set: &str, edit: impl FnOnce(&mut Value)) -> Recording {
    with(shape, |it| edit(it.pod(set, "gpu-a")))
}

/// No pod of a new node is made, and events say why.
fn refused(words: &str) -> Recording {
    with(defaults(&V24_9), |it| {
        for set in OF_A {
            it.remove_pod(set, "gpu-a");
            it.items.push(event(
                "DaemonSet",
                "gpu-operator",
                set,
                "FailedCreate",
                words,
            ));
        }
    })
}

fn wait_at_gate(it: &mut Recording) {
    for set in [PLUGIN, GFD, EXPORTER] {
        pod::waits(it.pod(set, "gpu-a"), "toolkit-validation");
    }
}

/// The toolkit does not come up; the validator waits as the toolkit does, the rest behind it.
fn edit_behind(set: &str, edit: impl FnOnce(&mut Value)) -> Recording {
    with(defaults(&V25_10), |it| {
        edit(it.pod(set, "gpu-a"));
        let init = it.pod(TOOLKIT, "gpu-a")["status"]["initContainerStatuses"][0].clone();
        let step = if init["ready"] == true {
            "toolkit-validation"
        } else {
            "driver-validation"
        };
        pod::waits(it.pod(VALIDATOR, "gpu-a"), step);
        wait_at_gate(it);
    })
}

fn edit_driver(edit: impl FnOnce(&mut Value)) -> Recording {
    with(defaults(&V24_9), |it| {
        edit(it.pod(DRIVER, "gpu-a"));
        pod::waits(it.pod(TOOLKIT, "gpu-a"), "driver-validation");
        pod::waits(it.pod(VALIDATOR, "gpu-a"), "driver-validation");
        wait_at_gate(it);
    })
}

fn crash_and_pause() -> Recording {
    let operands = [
        "container-toolkit",
        "operator-validator",
        "device-plugin",
        "gpu-feature-discovery",
        "dcgm",
        "dcgm-exporter",
    ];
    let shape = defaults(&V26_3).node("gpu-a", |it| {
        operands
            .iter()
            .fold(it, |it, name| it.deploy(name, "paused-for-driver-upgrade"))
    });
    with(shape, |it| {
        pod::crashes(it.pod(DRIVER, "gpu-a"), "nvidia-driver-ctr", 6)
    })
}

fn host_driver() -> Recording {
    with(pre_installed(), |it| {
        pod::waits(it.pod(TOOLKIT, "gpu-a"), "driver-validation");
        pod::waits(it.pod(VALIDATOR, "gpu-a"), "driver-validation");
        wait_at_gate(it);
    })
}

fn openshift_image() -> Recording {
    with(openshift(&V24_9), |it| {
        pod::no_image(
            it.pod("nvidia-driver-daemonset-418.94.202501221327-0", "worker-0"),
            "openshift-driver-toolkit-ctr",
        );
    })
}

fn validator(step: &str) -> Recording {
    with(defaults(&V25_10), |it| {
        pod::waits(it.pod(VALIDATOR, "gpu-a"), step);
        wait_at_gate(it);
    })
}

/// The gate was open before, so what runs keeps running.
fn validator_fails(step: &str) -> Recording {
    edit(defaults(&V24_9), VALIDATOR, |it| {
        pod::init_crashes(it, step, 21)
    })
}

fn crio() -> Shape {
    defaults(&V25_10).node("gpu-a", |it| it.runtime("cri-o://1.33.1"))
}

fn no_handler(shape: Shape, words: &str) -> Recording {
    with(shape, |it| {
        for set in [VALIDATOR, PLUGIN, GFD, EXPORTER] {
            pod::is_created(it.pod(set, "gpu-a"));
            let name = it.pod(set, "gpu-a")["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            it.items.push(event(
                "Pod",
                "gpu-operator",
                &name,
                "FailedCreatePodSandBox",
                words,
            ));
        }
    })
}

fn evict(it: &mut Value) {
    it["status"] = json!({ "phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: ephemeral-storage.", "startTime": "2026-03-01T09:00:00Z" });
}

fn vfio() -> Recording {
    with(sandbox(&V24_9), |it| {
        pod::init_crashes(
            it.pod("nvidia-vfio-manager", "vm-a"),
            "k8s-driver-manager",
            15,
        );
        pod::waits(
            it.pod("nvidia-sandbox-validator", "vm-a"),
            "vfio-pci-validation",
        );
        pod::waits(
            it.pod("nvidia-sandbox-device-plugin-daemonset", "vm-a"),
            "vfio-pci-validation",
        );
    })
}
