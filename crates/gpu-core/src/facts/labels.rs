//! Node labels that the operator, NFD and GFD write, and the values a deploy label can hold.
//!
//! Source: NVIDIA/gpu-operator controllers/state_manager.go; NVIDIA/k8s-driver-manager
//! cmd/driver-manager/main.go; NVIDIA/mig-parted cmd/nvidia-mig-manager/reconfigure_mig.go;
//! NVIDIA/vgpu-device-manager cmd/nvidia-k8s-vgpu-dm/operand_labels.go;
//! kubernetes-sigs/node-feature-discovery source/. Read at: 2026-08. Check again:
//! `cargo xtask facts --against DIR`.

/// Every deploy label starts so.
pub const DEPLOY_PREFIX: &str = "nvidia.com/gpu.deploy.";
/// `false` on a node opts all operands of it out.
pub const DEPLOY_OPERANDS: &str = "nvidia.com/gpu.deploy.operands";
/// `true` on what the operator takes for a GPU node, `false` once it no longer is.
pub const GPU_PRESENT: &str = "nvidia.com/gpu.present";
/// Which workloads the node is for; read only when sandbox workloads are enabled.
pub const WORKLOAD_CONFIG: &str = "nvidia.com/gpu.workload.config";
/// Every NFD label starts so.
pub const NFD_PREFIX: &str = "feature.node.kubernetes.io/";
/// The three PCI labels that make a node a GPU node, and no other spelling does.
pub const GPU_PCI: [&str; 3] = [
    "feature.node.kubernetes.io/pci-10de.present",
    "feature.node.kubernetes.io/pci-0302_10de.present",
    "feature.node.kubernetes.io/pci-0300_10de.present",
];
/// NVIDIA's PCI vendor id, as NFD writes it.
pub const NVIDIA_PCI_VENDOR: &str = "10de";
/// The value that makes a DaemonSet's node selector match.
pub const ON: &str = "true";
/// The value by which a person opts out.
pub const OFF: &str = "false";
/// The host owns the driver; written by k8s-driver-manager on the driver's label.
pub const PRE_INSTALLED: &str = "pre-installed";

/// Who takes operands away for a while by a value in their deploy label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pauser {
    /// k8s-driver-manager, before it replaces the driver.
    Driver,
    /// MIG manager, while it reconfigures.
    Mig,
    /// vGPU device manager, while it reconfigures.
    Vgpu,
}

/// One row a pauser: the value it writes and the name it goes by.
pub const PAUSES: [(Pauser, &str, &str); 3] = [
    (
        Pauser::Driver,
        "paused-for-driver-upgrade",
        "the driver manager (init container k8s-driver-manager)",
    ),
    (Pauser::Mig, "paused-for-mig-change", "the MIG manager"),
    (
        Pauser::Vgpu,
        "paused-for-vgpu-change",
        "the vGPU device manager",
    ),
];

impl Pauser {
    /// The value this pauser writes into a deploy label.
    pub fn value(self) -> &'static str {
        self.row().1
    }

    /// How to name it in a sentence.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        &PAUSES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pauser_finds_its_own_row() {
        for (pauser, value, _) in PAUSES {
            assert_eq!(pauser.value(), value);
        }
    }
}
