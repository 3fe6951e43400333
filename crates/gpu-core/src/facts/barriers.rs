//! Barriers: the init container an operand waits in, and which operand's step lets it go on.
//!
//! Operands do not wait for each other's readiness but for files in `/run/nvidia/validations`; from
//! the API server one only sees the init container that does not finish.
//! Source: NVIDIA/gpu-operator assets/*/*daemonset.yaml, manifests/*/*daemonset.yaml,
//! cmd/nvidia-validator/main.go. Read at: a22dbf67 (2026-08-21). Check again:
//! `cargo xtask facts --against DIR`.

use super::operands::Id;

/// One init container that waits for somebody else.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    /// The operand whose pod waits.
    pub waiter: Id,
    /// The init container it waits in.
    pub init_container: &'static str,
    /// The file it waits for, in `/run/nvidia/validations`; empty where it waits for no file but checks by itself.
    pub file: &'static str,
    /// The operand that has to open it.
    pub opener: Id,
    /// The init container of the opener that writes the file, where it is not the operand as a whole.
    pub step: Option<&'static str>,
}

const fn barrier(
    waiter: Id,
    init_container: &'static str,
    file: &'static str,
    opener: Id,
    step: Option<&'static str>,
) -> Barrier {
    Barrier {
        waiter,
        init_container,
        file,
        opener,
        step,
    }
}

/// All barriers, in the order of the roster.
#[rustfmt::skip]
pub const BARRIERS: &[Barrier] = &[
    barrier(Id::ContainerToolkit,      "driver-validation",       ".driver-ctr-ready",  Id::Driver,            None),
    barrier(Id::OperatorValidator,     "driver-validation",       ".driver-ctr-ready",  Id::Driver,            None),
    barrier(Id::OperatorValidator,     "toolkit-validation",      "",                   Id::ContainerToolkit,  None),
    barrier(Id::OperatorValidator,     "plugin-validation",       "",                   Id::DevicePlugin,      None),
    barrier(Id::DevicePlugin,          "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::MpsControlDaemon,      "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::GpuFeatureDiscovery,   "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::Dcgm,                  "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::DcgmExporter,          "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::MigManager,            "toolkit-validation",      "toolkit-ready",      Id::OperatorValidator, Some("toolkit-validation")),
    barrier(Id::SandboxDevicePlugin,   "vfio-pci-validation",     "vfio-pci-ready",     Id::SandboxValidator,  Some("vfio-pci-validation")),
    barrier(Id::SandboxDevicePlugin,   "vgpu-devices-validation", "vgpu-devices-ready", Id::SandboxValidator,  Some("vgpu-devices-validation")),
    barrier(Id::KataSandboxDevicePlugin, "vfio-pci-validation",   "vfio-pci-ready",     Id::SandboxValidator,  Some("vfio-pci-validation")),
    barrier(Id::SandboxValidator,      "cc-manager-validation",   "",                   Id::CcManager,         None),
    barrier(Id::SandboxValidator,      "vfio-pci-validation",     "",                   Id::VfioManager,       None),
    barrier(Id::SandboxValidator,      "vgpu-manager-validation", "",                   Id::VgpuManager,       None),
    barrier(Id::SandboxValidator,      "vgpu-devices-validation", "",                   Id::VgpuDeviceManager, None),
    barrier(Id::VgpuDeviceManager,     "vgpu-manager-validation", "vgpu-manager-ready", Id::SandboxValidator,  Some("vgpu-manager-validation")),
    barrier(Id::DraDriver,             "driver-validation",       ".driver-ctr-ready",  Id::Driver,            None),
    barrier(Id::DraValidator,          "gpu-validation",          "",                   Id::DraDriver,         None),
];

/// The init container that unloads an old driver and pauses the node's operands meanwhile.
pub const DRIVER_MANAGER: &str = "k8s-driver-manager";

/// The validator's steps, in the order its init containers run.
pub const VALIDATOR_STEPS: [(&str, &str); 4] = [
    ("driver-validation", "driver"),
    ("toolkit-validation", "toolkit"),
    ("cuda-validation", "cuda"),
    ("plugin-validation", "plugin"),
];

/// The barrier at which `waiter` stands in `init_container`, if that init container is one.
pub fn at(waiter: Id, init_container: &str) -> Option<&'static Barrier> {
    BARRIERS
        .iter()
        .find(|it| it.waiter == waiter && it.init_container == init_container)
}

/// Is this init container a check of what came before, rather than work of the operand's own?
pub fn is_check(operand: Id, init_container: &str) -> bool {
    at(operand, init_container).is_some()
        || init_container == DRIVER_MANAGER
        || VALIDATOR_STEPS
            .iter()
            .any(|(step, _)| *step == init_container)
}

/// The operands that `waiter` waits for, without repeats, in table order.
pub fn prerequisites(waiter: Id) -> Vec<Id> {
    let mut found = Vec::new();
    for it in BARRIERS.iter().filter(|it| it.waiter == waiter) {
        if !found.contains(&it.opener) {
            found.push(it.opener);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_opens_a_barrier_is_an_init_container_of_the_opener() {
        for it in BARRIERS {
            if let Some(step) = it.step {
                assert!(
                    at(it.opener, step).is_some()
                        || VALIDATOR_STEPS.iter().any(|(name, _)| *name == step),
                    "{step} of {:?}",
                    it.opener
                );
            }
        }
    }

    #[test]
    fn following_barriers_step_by_step_always_ends() {
        for start in BARRIERS {
            let mut at_barrier = start;
            let mut n_hops = 0;
            while let Some(next) = at_barrier.step.and_then(|step| at(at_barrier.opener, step)) {
                at_barrier = next;
                n_hops += 1;
                assert!(n_hops < BARRIERS.len(), "a loop from {:?}", start.waiter);
            }
        }
    }
}
