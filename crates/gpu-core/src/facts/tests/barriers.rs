//! Who waits for whom, as the init containers of upstream's DaemonSets have it.

use crate::facts::barriers::{
    BARRIERS, Barrier, DRIVER_MANAGER, VALIDATOR_STEPS, at, prerequisites,
};
use crate::facts::operands::{Id, ROSTER};

fn names(ids: Vec<Id>) -> Vec<&'static str> {
    ids.into_iter().map(Id::name).collect()
}

#[test]
fn operands_wait_for_what_upstream_lets_them_wait_for() {
    for row in &ROSTER {
        let want: &[&str] = match row.id {
            Id::ContainerToolkit | Id::DraDriver => &["driver"],
            Id::OperatorValidator => &["driver", "container-toolkit", "device-plugin"],
            // Not for the toolkit: the validator is what writes toolkit-ready.
            Id::DevicePlugin
            | Id::MpsControlDaemon
            | Id::GpuFeatureDiscovery
            | Id::Dcgm
            | Id::DcgmExporter
            | Id::MigManager => &["operator-validator"],
            Id::SandboxDevicePlugin | Id::KataSandboxDevicePlugin | Id::VgpuDeviceManager => {
                &["sandbox-validator"]
            }
            Id::SandboxValidator => &[
                "cc-manager",
                "vfio-manager",
                "vgpu-manager",
                "vgpu-device-manager",
            ],
            Id::DraValidator => &["dra-driver"],
            Id::Driver
            | Id::NodeStatusExporter
            | Id::VfioManager
            | Id::VgpuManager
            | Id::KataManager
            | Id::CcManager
            | Id::DcgmDra
            | Id::DcgmExporterDra => &[],
        };
        assert_eq!(names(prerequisites(row.id)), want, "{}", row.name);
    }
}

/// Who waits, in which init container, and for which file of which operand.
type Row = (Id, &'static str, Option<(&'static str, &'static str)>);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (Id::ContainerToolkit, "driver-validation", Some((".driver-ctr-ready", "driver"))),
    (Id::OperatorValidator, "driver-validation", Some((".driver-ctr-ready", "driver"))),
    (Id::OperatorValidator, "toolkit-validation", Some(("", "container-toolkit"))),
    (Id::OperatorValidator, "plugin-validation", Some(("", "device-plugin"))),
    // It starts a pod of its own and waits for nobody.
    (Id::OperatorValidator, "cuda-validation", None),
    (Id::DevicePlugin, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::DevicePlugin, "config-manager-init", None),
    (Id::MpsControlDaemon, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::MpsControlDaemon, "mps-control-daemon-mounts", None),
    (Id::GpuFeatureDiscovery, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::Dcgm, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::DcgmExporter, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::MigManager, "toolkit-validation", Some(("toolkit-ready", "operator-validator"))),
    (Id::SandboxDevicePlugin, "vfio-pci-validation", Some(("vfio-pci-ready", "sandbox-validator"))),
    (Id::SandboxDevicePlugin, "vgpu-devices-validation", Some(("vgpu-devices-ready", "sandbox-validator"))),
    (Id::KataSandboxDevicePlugin, "vfio-pci-validation", Some(("vfio-pci-ready", "sandbox-validator"))),
    (Id::KataSandboxDevicePlugin, "vgpu-devices-validation", None),
    (Id::SandboxValidator, "cc-manager-validation", Some(("", "cc-manager"))),
    (Id::SandboxValidator, "vfio-pci-validation", Some(("", "vfio-manager"))),
    (Id::SandboxValidator, "vgpu-manager-validation", Some(("", "vgpu-manager"))),
    (Id::SandboxValidator, "vgpu-devices-validation", Some(("", "vgpu-device-manager"))),
    (Id::VgpuDeviceManager, "vgpu-manager-validation", Some(("vgpu-manager-ready", "sandbox-validator"))),
    (Id::DraDriver, "driver-validation", Some((".driver-ctr-ready", "driver"))),
    // The driver manager works; it does not wait at a barrier.
    (Id::Driver, "k8s-driver-manager", None),
    (Id::VfioManager, "k8s-driver-manager", None),
    (Id::ContainerToolkit, "toolkit-validation", None),
];

#[test]
fn a_barrier_is_known_by_the_init_container_that_waits_at_it() {
    for (waiter, init, want) in ROWS {
        let found = at(*waiter, init).map(|it| (it.file, it.opener.name()));
        assert_eq!(found, *want, "{init} of {}", waiter.name());
    }
}

#[test]
fn whoever_waits_for_a_file_of_the_validators_waits_for_one_step_of_it() {
    for it in BARRIERS {
        let by_validator = matches!(it.opener, Id::OperatorValidator | Id::SandboxValidator);
        assert_eq!(it.step.is_some(), by_validator, "{it:?}");
        // The step has the name of the init container that waits, in all of upstream's DaemonSets.
        assert!(
            it.step.is_none_or(|step| step == it.init_container),
            "{it:?}"
        );
    }
}

#[test]
fn no_operand_waits_for_itself_and_no_init_container_is_listed_twice() {
    for it in BARRIERS {
        assert_ne!(it.waiter, it.opener);
        let same = |other: &&Barrier| {
            other.waiter == it.waiter && other.init_container == it.init_container
        };
        assert_eq!(BARRIERS.iter().filter(same).count(), 1, "{it:?}");
    }
}

#[test]
fn barriers_are_listed_in_the_order_of_the_roster() {
    assert!(BARRIERS.is_sorted_by_key(|it| it.waiter));
}

#[test]
fn operands_wait_only_for_operands_of_a_node_that_both_are_for() {
    for it in BARRIERS {
        let shares = |workload| it.opener.row().workloads.contains(workload);
        assert!(it.waiter.row().workloads.iter().any(shares), "{it:?}");
    }
}

/// Operands that a waiter's first barrier leads to, up to the one that waits for nobody.
fn chain(waiter: Id, init: &str) -> Vec<&'static str> {
    let mut names = vec![waiter.name()];
    let mut next = at(waiter, init);
    while let Some(barrier) = next {
        names.push(barrier.opener.name());
        next = match barrier.step {
            Some(step) => at(barrier.opener, step),
            None => BARRIERS.iter().find(|it| it.waiter == barrier.opener),
        };
    }
    names
}

#[test]
fn every_chain_ends_at_the_operand_that_touches_the_hardware() {
    for (waiter, init, want) in [
        (
            Id::DcgmExporter,
            "toolkit-validation",
            &[
                "dcgm-exporter",
                "operator-validator",
                "container-toolkit",
                "driver",
            ][..],
        ),
        (
            Id::ContainerToolkit,
            "driver-validation",
            &["container-toolkit", "driver"],
        ),
        (
            Id::OperatorValidator,
            "toolkit-validation",
            &["operator-validator", "container-toolkit", "driver"],
        ),
        (
            Id::SandboxDevicePlugin,
            "vfio-pci-validation",
            &["sandbox-device-plugin", "sandbox-validator", "vfio-manager"],
        ),
        (
            Id::SandboxDevicePlugin,
            "vgpu-devices-validation",
            &[
                "sandbox-device-plugin",
                "sandbox-validator",
                "vgpu-device-manager",
                "sandbox-validator",
                "vgpu-manager",
            ],
        ),
        (
            Id::DraDriver,
            "driver-validation",
            &["dra-driver", "driver"],
        ),
    ] {
        assert_eq!(chain(waiter, init), want);
    }
}

#[test]
fn the_validator_takes_four_steps_of_which_one_waits_for_nobody() {
    let steps = VALIDATOR_STEPS.map(|(init, step)| {
        let opener = at(Id::OperatorValidator, init).map(|it| it.opener.name());
        (step, opener)
    });
    assert_eq!(
        steps,
        [
            ("driver", Some("driver")),
            ("toolkit", Some("container-toolkit")),
            ("cuda", None),
            ("plugin", Some("device-plugin")),
        ]
    );
    assert_eq!(DRIVER_MANAGER, "k8s-driver-manager");
}
