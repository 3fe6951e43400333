//! The operands as the operator's own manifests have them.
//!
//! Source: NVIDIA/gpu-operator assets/*/*daemonset.yaml, manifests/*/*daemonset.yaml, and the `Is…Enabled`
//! methods of api/nvidia/v1/clusterpolicy_types.go.

use super::release::Release;

/// One DaemonSet the operator makes.
pub(super) struct Part {
    /// Its name.
    pub(super) set: &'static str,
    /// Its deploy label, without the prefix.
    pub(super) deploy: &'static str,
    /// The label its pods are selected by.
    pub(super) label: (&'static str, &'static str),
    /// Its init containers.
    pub(super) inits: &'static [&'static str],
    /// Its containers.
    pub(super) containers: &'static [&'static str],
    /// Where its image lies, without the tag.
    pub(super) image: &'static str,
    /// Does it run with the RuntimeClass of the operator?
    pub(super) runtime: bool,
    /// What switches it on, and what counts where the policy does not say.
    pub(super) switch: (&'static str, bool),
    /// In which minute of a node's life it comes up.
    pub(super) rank: u32,
}

#[expect(clippy::too_many_arguments, reason = "the columns of a table")]
const fn part(
    set: &'static str,
    deploy: &'static str,
    inits: &'static [&'static str],
    containers: &'static [&'static str],
    image: &'static str,
    runtime: bool,
    switch: (&'static str, bool),
    rank: u32,
) -> Part {
    Part {
        set,
        deploy,
        label: ("app", set),
        inits,
        containers,
        image,
        runtime,
        switch,
        rank,
    }
}

const fn named(part: Part) -> Part {
    Part {
        label: ("name", part.set),
        ..part
    }
}

const GATE: &[&str] = &["toolkit-validation"];
const STEPS: &[&str] = &[
    "driver-validation",
    "toolkit-validation",
    "cuda-validation",
    "plugin-validation",
];
const SANDBOX_STEPS: &[&str] = &[
    "cc-manager-validation",
    "vfio-pci-validation",
    "vgpu-manager-validation",
    "vgpu-devices-validation",
];
const MANAGER: &[&str] = &["k8s-driver-manager"];

/// The DaemonSets of a ClusterPolicy.
#[rustfmt::skip]
pub(super) const PARTS: &[Part] = &[
    part("nvidia-driver-daemonset", "driver", MANAGER, &["nvidia-driver-ctr"], "nvcr.io/nvidia/driver", false, ("driver.enabled", true), 1),
    part("nvidia-container-toolkit-daemonset", "container-toolkit", &["driver-validation"], &["nvidia-container-toolkit-ctr"], "nvcr.io/nvidia/k8s/container-toolkit", false, ("toolkit.enabled", true), 4),
    part("nvidia-operator-validator", "operator-validator", STEPS, &["nvidia-operator-validator"], "nvcr.io/nvidia/cloud-native/gpu-operator-validator", true, ("", true), 5),
    part("nvidia-device-plugin-daemonset", "device-plugin", GATE, &["nvidia-device-plugin"], "nvcr.io/nvidia/k8s-device-plugin", true, ("devicePlugin.enabled", true), 5),
    part("nvidia-device-plugin-mps-control-daemon", "device-plugin", &["toolkit-validation", "mps-control-daemon-mounts"], &["mps-control-daemon-ctr"], "nvcr.io/nvidia/k8s-device-plugin", true, ("devicePlugin.enabled", true), 6),
    part("gpu-feature-discovery", "gpu-feature-discovery", GATE, &["gpu-feature-discovery"], "nvcr.io/nvidia/k8s-device-plugin", true, ("gfd.enabled", true), 5),
    part("nvidia-dcgm", "dcgm", GATE, &["nvidia-dcgm-ctr"], "nvcr.io/nvidia/cloud-native/dcgm", true, ("dcgm.enabled", true), 5),
    part("nvidia-dcgm-exporter", "dcgm-exporter", GATE, &["nvidia-dcgm-exporter"], "nvcr.io/nvidia/k8s/dcgm-exporter", true, ("dcgmExporter.enabled", true), 5),
    part("nvidia-mig-manager", "mig-manager", GATE, &["nvidia-mig-manager"], "nvcr.io/nvidia/cloud-native/k8s-mig-manager", true, ("migManager.enabled", true), 6),
    part("nvidia-node-status-exporter", "node-status-exporter", &[], &["nvidia-node-status-exporter"], "nvcr.io/nvidia/cloud-native/gpu-operator-validator", true, ("nodeStatusExporter.enabled", false), 5),
];

/// The DaemonSets of a ClusterPolicy with sandbox workloads.
#[rustfmt::skip]
pub(super) const SANDBOX: &[Part] = &[
    part("nvidia-vgpu-manager-daemonset", "vgpu-manager", MANAGER, &["nvidia-vgpu-manager-ctr"], "registry.example/vgpu-manager", false, ("vgpuManager.enabled", false), 1),
    part("nvidia-vgpu-device-manager", "vgpu-device-manager", &["vgpu-manager-validation"], &["nvidia-vgpu-device-manager"], "nvcr.io/nvidia/cloud-native/vgpu-device-manager", false, ("vgpuDeviceManager.enabled", false), 3),
    part("nvidia-sandbox-validator", "sandbox-validator", SANDBOX_STEPS, &["nvidia-sandbox-validator"], "nvcr.io/nvidia/cloud-native/gpu-operator-validator", false, ("", true), 4),
    named(part("nvidia-vfio-manager", "vfio-manager", MANAGER, &["nvidia-vfio-manager"], "nvcr.io/nvidia/cuda", false, ("vfioManager.enabled", false), 2)),
    part("nvidia-sandbox-device-plugin-daemonset", "sandbox-device-plugin", &["vfio-pci-validation", "vgpu-devices-validation"], &["nvidia-sandbox-device-plugin-ctr"], "nvcr.io/nvidia/kubevirt-gpu-device-plugin", false, ("sandboxDevicePlugin.enabled", false), 5),
    part("nvidia-kata-sandbox-device-plugin-daemonset", "kata-sandbox-device-plugin", &["vfio-pci-validation"], &["nvidia-kata-sandbox-device-plugin-ctr"], "nvcr.io/nvidia/cloud-native/nvidia-sandbox-device-plugin", false, ("kataSandboxDevicePlugin.enabled", false), 5),
    named(part("nvidia-kata-manager", "kata-manager", &[], &["nvidia-kata-manager"], "nvcr.io/nvidia/cloud-native/k8s-kata-manager", false, ("kataManager.enabled", false), 2)),
    named(part("nvidia-cc-manager", "cc-manager", &[], &["nvidia-cc-manager"], "nvcr.io/nvidia/cloud-native/k8s-cc-manager", false, ("ccManager.enabled", false), 2)),
];

/// The DaemonSets of a GPUCluster.
#[rustfmt::skip]
pub(super) const DRA: &[Part] = &[
    part("nvidia-dra-driver-kubelet-plugin", "dra-driver", &["driver-validation"], &["gpus", "compute-domains"], "nvcr.io/nvidia/dra-driver-nvidia-gpu", false, ("", true), 4),
    Part { label: ("app", "nvidia-operator-validator"), ..
    part("nvidia-dra-validator", "dra-validator", &["gpu-validation"], &["nvidia-dra-validator"], "nvcr.io/nvidia/gpu-operator", false, ("", true), 5) },
    part("nvidia-dcgm-dra", "dcgm-dra", &[], &["nvidia-dcgm-ctr"], "nvcr.io/nvidia/cloud-native/dcgm", false, ("dcgm.enabled", false), 5),
    part("nvidia-dcgm-exporter-dra", "dcgm-exporter-dra", &[], &["nvidia-dcgm-exporter-dra"], "nvcr.io/nvidia/k8s/dcgm-exporter", false, ("dcgmExporter.enabled", true), 5),
];

impl Part {
    /// The driver's own row, for DaemonSets of other names.
    pub(super) fn driver() -> &'static Self {
        &PARTS[0]
    }

    /// The row of the driver for hosts of vGPUs.
    pub(super) fn vgpu_manager() -> &'static Self {
        &SANDBOX[0]
    }

    /// The image a release takes for it.
    pub(super) fn image(&self, release: &Release) -> String {
        let tag = match self.deploy {
            "driver" => format!("{}-ubuntu22.04", release.driver),
            "container-toolkit" => release.toolkit.to_owned(),
            "device-plugin" | "gpu-feature-discovery" => release.plugin.to_owned(),
            "mig-manager" => release.mig.to_owned(),
            "operator-validator" | "sandbox-validator" | "dra-validator" => release.tag.to_owned(),
            _ => "1.0.0".to_owned(),
        };
        format!("{}:{tag}", self.image)
    }
}
