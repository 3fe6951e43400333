//! Every operand, as upstream's DaemonSets, policy types and Helm values have it.

use crate::facts::labels::{DEPLOY_PREFIX, PAUSES, Pauser};
use crate::facts::operands::{
    CORE, Id, Name, Operand, ROSTER, Workload, by_daemon_set, by_name, by_pod_label,
};
use crate::facts::release::{Release, V22_9, V23_6, V24_3, V26_3, V26_7};

/// Compares one aspect of every operand with a list that names them all, in the order of every output.
fn check<T: PartialEq + std::fmt::Debug>(want: [(&str, T); 22], aspect: fn(&'static Operand) -> T) {
    for (row, (name, want)) in ROSTER.iter().zip(want) {
        assert_eq!(row.name, name);
        assert_eq!(aspect(row), want, "{name}");
    }
}

fn labelled(pairs: &[(&str, &'static str)]) -> Option<Id> {
    by_pod_label(|key| pairs.iter().find(|it| it.0 == key).map(|it| it.1))
}

#[test]
fn every_operand_is_asked_for_by_its_own_label_but_for_mps_which_shares_the_plugins() {
    check(
        [
            ("driver", "driver"),
            ("container-toolkit", "container-toolkit"),
            ("operator-validator", "operator-validator"),
            ("device-plugin", "device-plugin"),
            ("mps-control-daemon", "device-plugin"),
            ("gpu-feature-discovery", "gpu-feature-discovery"),
            ("dcgm", "dcgm"),
            ("dcgm-exporter", "dcgm-exporter"),
            ("mig-manager", "mig-manager"),
            ("node-status-exporter", "node-status-exporter"),
            ("sandbox-device-plugin", "sandbox-device-plugin"),
            ("kata-sandbox-device-plugin", "kata-sandbox-device-plugin"),
            ("sandbox-validator", "sandbox-validator"),
            ("vfio-manager", "vfio-manager"),
            ("vgpu-manager", "vgpu-manager"),
            ("vgpu-device-manager", "vgpu-device-manager"),
            ("kata-manager", "kata-manager"),
            ("cc-manager", "cc-manager"),
            ("dra-driver", "dra-driver"),
            ("dra-validator", "dra-validator"),
            ("dcgm-dra", "dcgm-dra"),
            ("dcgm-exporter-dra", "dcgm-exporter-dra"),
        ],
        |it| it.label.strip_prefix("nvidia.com/gpu.deploy.").unwrap(),
    );
}

#[test]
fn only_the_mps_daemon_asks_for_a_second_label() {
    for row in &ROSTER {
        let want = (row.id == Id::MpsControlDaemon).then_some(("nvidia.com/mps.capable", "true"));
        assert_eq!(row.also, want, "{}", row.name);
    }
}

#[test]
fn pods_carry_the_label_that_the_daemon_set_gives_them() {
    check(
        [
            ("driver", ("app", "nvidia-driver-daemonset")),
            (
                "container-toolkit",
                ("app", "nvidia-container-toolkit-daemonset"),
            ),
            ("operator-validator", ("app", "nvidia-operator-validator")),
            ("device-plugin", ("app", "nvidia-device-plugin-daemonset")),
            (
                "mps-control-daemon",
                ("app", "nvidia-device-plugin-mps-control-daemon"),
            ),
            ("gpu-feature-discovery", ("app", "gpu-feature-discovery")),
            ("dcgm", ("app", "nvidia-dcgm")),
            ("dcgm-exporter", ("app", "nvidia-dcgm-exporter")),
            ("mig-manager", ("app", "nvidia-mig-manager")),
            (
                "node-status-exporter",
                ("app", "nvidia-node-status-exporter"),
            ),
            (
                "sandbox-device-plugin",
                ("app", "nvidia-sandbox-device-plugin-daemonset"),
            ),
            (
                "kata-sandbox-device-plugin",
                ("app", "nvidia-kata-sandbox-device-plugin-daemonset"),
            ),
            ("sandbox-validator", ("app", "nvidia-sandbox-validator")),
            // These three have no `app` label.
            ("vfio-manager", ("name", "nvidia-vfio-manager")),
            ("vgpu-manager", ("app", "nvidia-vgpu-manager-daemonset")),
            ("vgpu-device-manager", ("app", "nvidia-vgpu-device-manager")),
            ("kata-manager", ("name", "nvidia-kata-manager")),
            ("cc-manager", ("name", "nvidia-cc-manager")),
            ("dra-driver", ("app", "nvidia-dra-driver-kubelet-plugin")),
            // Its `app` is the operator validator's.
            (
                "dra-validator",
                ("app.kubernetes.io/name", "nvidia-dra-validator"),
            ),
            ("dcgm-dra", ("app", "nvidia-dcgm-dra")),
            ("dcgm-exporter-dra", ("app", "nvidia-dcgm-exporter-dra")),
        ],
        |it| it.pod_label,
    );
}

#[test]
fn switches_stand_where_the_policy_has_them_with_the_defaults_of_code_and_chart() {
    check(
        [
            ("driver", ("driver.enabled", true, true)),
            ("container-toolkit", ("toolkit.enabled", true, true)),
            ("operator-validator", ("", true, true)),
            ("device-plugin", ("devicePlugin.enabled", true, true)),
            ("mps-control-daemon", ("devicePlugin.enabled", true, true)),
            ("gpu-feature-discovery", ("gfd.enabled", true, true)),
            // On where nothing is said, and Helm says that it is off.
            ("dcgm", ("dcgm.enabled", true, false)),
            ("dcgm-exporter", ("dcgmExporter.enabled", true, true)),
            ("mig-manager", ("migManager.enabled", true, true)),
            (
                "node-status-exporter",
                ("nodeStatusExporter.enabled", false, false),
            ),
            (
                "sandbox-device-plugin",
                ("sandboxDevicePlugin.enabled", false, true),
            ),
            (
                "kata-sandbox-device-plugin",
                ("kataSandboxDevicePlugin.enabled", false, true),
            ),
            ("sandbox-validator", ("", true, true)),
            ("vfio-manager", ("vfioManager.enabled", false, true)),
            ("vgpu-manager", ("vgpuManager.enabled", false, false)),
            (
                "vgpu-device-manager",
                ("vgpuDeviceManager.enabled", false, true),
            ),
            ("kata-manager", ("kataManager.enabled", false, false)),
            ("cc-manager", ("ccManager.enabled", false, true)),
            ("dra-driver", ("", true, true)),
            ("dra-validator", ("", true, true)),
            ("dcgm-dra", ("dcgm.enabled", false, false)),
            ("dcgm-exporter-dra", ("dcgmExporter.enabled", true, true)),
        ],
        |it| {
            (
                it.switch.path,
                it.switch.code_default,
                it.switch.helm_default,
            )
        },
    );
}

#[test]
fn operands_are_for_the_nodes_that_the_operator_labels_with_them() {
    use Workload::{Container, Dra, VmPassthrough, VmVgpu};
    let of = |workload: Workload| -> Vec<&str> {
        let rows = ROSTER.iter().filter(|it| it.workloads.contains(&workload));
        rows.map(|it| it.name).collect()
    };
    assert_eq!(
        of(Container),
        [
            "driver",
            "container-toolkit",
            "operator-validator",
            "device-plugin",
            "mps-control-daemon",
            "gpu-feature-discovery",
            "dcgm",
            "dcgm-exporter",
            "mig-manager",
            "node-status-exporter",
        ]
    );
    assert_eq!(
        of(VmPassthrough),
        [
            "sandbox-device-plugin",
            "kata-sandbox-device-plugin",
            "sandbox-validator",
            "vfio-manager",
            "kata-manager",
            "cc-manager",
        ]
    );
    assert_eq!(
        of(VmVgpu),
        [
            "sandbox-device-plugin",
            "sandbox-validator",
            "vgpu-manager",
            "vgpu-device-manager",
            "cc-manager",
        ]
    );
    assert_eq!(
        of(Dra),
        [
            "driver",
            "dra-driver",
            "dra-validator",
            "dcgm-dra",
            "dcgm-exporter-dra"
        ]
    );
}

#[test]
fn the_sandbox_plugins_and_the_cc_manager_need_a_mode() {
    for row in &ROSTER {
        let want = match row.id {
            Id::SandboxDevicePlugin => Some("kubevirt"),
            Id::KataSandboxDevicePlugin | Id::CcManager => Some("kata"),
            _ => None,
        };
        assert_eq!(row.mode, want, "{}", row.name);
    }
}

#[test]
fn workloads_are_named_as_the_node_label_names_them() {
    for (workload, name) in [
        (Workload::Container, "container"),
        (Workload::VmPassthrough, "vm-passthrough"),
        (Workload::VmVgpu, "vm-vgpu"),
        (Workload::Dra, "dra"),
    ] {
        assert_eq!(workload.name(), name);
    }
}

fn is_of(row: &Operand, release: Release) -> bool {
    release >= row.since && row.until.is_none_or(|until| release < until)
}

#[test]
fn releases_begin_and_end_where_upstream_added_and_retired_an_operand() {
    let before = |it: Release| Release {
        major: it.major,
        minor: it.minor - 1,
        patch: 99,
    };
    for (id, since) in [
        (Id::KataManager, V23_6),
        (Id::CcManager, V23_6),
        (Id::MpsControlDaemon, V24_3),
        (Id::KataSandboxDevicePlugin, V26_3),
        (Id::DraDriver, V26_7),
        (Id::DraValidator, V26_7),
        (Id::DcgmDra, V26_7),
        (Id::DcgmExporterDra, V26_7),
    ] {
        assert!(
            !is_of(id.row(), before(since)),
            "{} before {since}",
            id.name()
        );
        assert!(is_of(id.row(), since), "{} in {since}", id.name());
    }
    let kata = Id::KataManager.row();
    assert!(is_of(kata, before(V26_7)) && !is_of(kata, V26_7));
}

#[test]
fn every_release_has_the_operands_that_existed_from_the_start() {
    for release in [V22_9, V23_6, V24_3, V26_3, V26_7] {
        for id in CORE.into_iter().chain([
            Id::OperatorValidator,
            Id::Dcgm,
            Id::MigManager,
            Id::NodeStatusExporter,
            Id::SandboxDevicePlugin,
            Id::SandboxValidator,
            Id::VfioManager,
            Id::VgpuManager,
            Id::VgpuDeviceManager,
        ]) {
            assert!(is_of(id.row(), release), "{} in {release}", id.name());
        }
    }
}

#[test]
fn each_pauser_takes_away_the_operands_that_hold_what_it_changes() {
    let paused_by = |pauser: Pauser| -> Vec<&str> {
        let rows = ROSTER.iter().filter(|it| it.paused_by.contains(&pauser));
        rows.map(|it| it.name).collect()
    };
    assert_eq!(
        paused_by(Pauser::Driver),
        [
            "container-toolkit",
            "operator-validator",
            "device-plugin",
            "mps-control-daemon",
            "gpu-feature-discovery",
            "dcgm",
            "dcgm-exporter",
            "mig-manager",
            "sandbox-device-plugin",
            "sandbox-validator",
            "vgpu-device-manager",
            "dra-driver",
            "dra-validator",
            "dcgm-dra",
            "dcgm-exporter-dra",
        ]
    );
    assert_eq!(
        paused_by(Pauser::Mig),
        [
            "device-plugin",
            "mps-control-daemon",
            "gpu-feature-discovery",
            "dcgm",
            "dcgm-exporter",
        ]
    );
    assert_eq!(
        paused_by(Pauser::Vgpu),
        ["sandbox-device-plugin", "sandbox-validator"]
    );
}

#[test]
fn pausers_write_the_values_that_upstream_writes() {
    assert_eq!(
        PAUSES.map(|(_, value, _)| value),
        [
            "paused-for-driver-upgrade",
            "paused-for-mig-change",
            "paused-for-vgpu-change"
        ]
    );
    for (pauser, _, name) in PAUSES {
        assert_eq!(pauser.name(), name);
        assert!(
            name.starts_with("the "),
            "{name} stands in the middle of a sentence"
        );
    }
}

#[test]
fn every_daemon_set_of_an_operator_install_is_found_by_its_name() {
    for (name, want) in [
        ("nvidia-driver-daemonset", Id::Driver),
        // Precompiled: one for each kernel and OS.
        ("nvidia-driver-daemonset-5.14.0-503.el9-rhel9.4", Id::Driver),
        // OpenShift's driver toolkit: one for each RHCOS version.
        ("nvidia-driver-daemonset-418.94.202410090804-0", Id::Driver),
        // NVIDIADriver: type, OS and hash.
        ("nvidia-gpu-driver-rhel9-5b6f7c8d9", Id::Driver),
        ("nvidia-vgpu-driver-ubuntu22.04-6c4d7f9bd", Id::Driver),
        (
            "nvidia-vgpu-host-manager-driver-rhel9-7d8f",
            Id::VgpuManager,
        ),
        ("nvidia-vgpu-manager-daemonset", Id::VgpuManager),
        (
            "nvidia-vgpu-manager-daemonset-418.94.202410090804-0",
            Id::VgpuManager,
        ),
        ("nvidia-container-toolkit-daemonset", Id::ContainerToolkit),
        ("nvidia-operator-validator", Id::OperatorValidator),
        ("nvidia-device-plugin-daemonset", Id::DevicePlugin),
        (
            "nvidia-device-plugin-mps-control-daemon",
            Id::MpsControlDaemon,
        ),
        ("gpu-feature-discovery", Id::GpuFeatureDiscovery),
        ("nvidia-dcgm", Id::Dcgm),
        ("nvidia-dcgm-exporter", Id::DcgmExporter),
        ("nvidia-mig-manager", Id::MigManager),
        ("nvidia-node-status-exporter", Id::NodeStatusExporter),
        (
            "nvidia-sandbox-device-plugin-daemonset",
            Id::SandboxDevicePlugin,
        ),
        (
            "nvidia-kata-sandbox-device-plugin-daemonset",
            Id::KataSandboxDevicePlugin,
        ),
        ("nvidia-sandbox-validator", Id::SandboxValidator),
        ("nvidia-vfio-manager", Id::VfioManager),
        ("nvidia-vgpu-device-manager", Id::VgpuDeviceManager),
        ("nvidia-kata-manager", Id::KataManager),
        ("nvidia-cc-manager", Id::CcManager),
        ("nvidia-dra-driver-kubelet-plugin", Id::DraDriver),
        ("nvidia-dra-validator", Id::DraValidator),
        ("nvidia-dcgm-dra", Id::DcgmDra),
        ("nvidia-dcgm-exporter-dra", Id::DcgmExporterDra),
    ] {
        assert_eq!(by_daemon_set(name), Some(want), "{name}");
    }
}

#[test]
fn neighbours_with_names_that_come_close_are_nobodys() {
    for name in [
        "nvidia-driver-installer",
        "nvidia-driver-daemonset-",
        "nvidia-gpu-driver-",
        "nvidia-device-plugin",
        "nvdp-nvidia-device-plugin",
        "nvidia-dra-driver-gpu-kubelet-plugin",
        "nvidia-dcgm-exporter-custom",
        "dcgm-exporter",
        "my-nvidia-dcgm",
        "",
    ] {
        assert_eq!(by_daemon_set(name), None, "{name}");
    }
}

#[test]
fn every_operand_is_found_by_each_of_its_daemon_set_names() {
    for row in &ROSTER {
        for name in row.daemon_sets {
            let example = match *name {
                Name::Is(whole) => whole.to_owned(),
                Name::Starts(start) => format!("{start}5.15.0-ubuntu22.04"),
            };
            assert_eq!(by_daemon_set(&example), Some(row.id), "{example}");
        }
    }
}

#[test]
fn every_operand_is_found_by_the_label_of_its_pods() {
    for row in &ROSTER {
        assert_eq!(labelled(&[row.pod_label]), Some(row.id), "{}", row.name);
    }
}

#[test]
fn pods_that_only_look_like_operands_are_nobodys() {
    for labels in [
        &[][..],
        &[("app", "gpu-operator")],
        &[("app", "nvidia-cuda-validator")],
        &[("app", "nvidia-device-plugin-validator")],
        &[("app", "nvidia-dcgm-exporter-2")],
        &[("name", "nvidia-dcgm-exporter")],
        &[("app.kubernetes.io/name", "node-feature-discovery")],
        &[("app.kubernetes.io/component", "gpu-operator")],
    ] {
        assert_eq!(labelled(labels), None, "{labels:?}");
    }
}

#[test]
fn a_driver_pod_with_an_app_of_its_own_is_found_by_its_component() {
    let app = ("app", "nvidia-gpu-driver-ubuntu22.04-67cddccdf5");
    let component = ("app.kubernetes.io/component", "nvidia-driver");
    assert_eq!(labelled(&[app, component]), Some(Id::Driver));
    assert_eq!(labelled(&[app]), None);
}

#[test]
fn operands_are_found_by_the_names_that_outputs_use_and_by_no_other() {
    for row in &ROSTER {
        assert_eq!(by_name(row.name), Some(row.id));
        assert_eq!(row.id.row().name, row.id.name());
    }
    for name in ["", "Driver", "toolkit", "gfd", "nvidia-dcgm", "driver "] {
        assert_eq!(by_name(name), None, "{name}");
    }
}

#[test]
fn the_core_is_the_smallest_working_node() {
    assert_eq!(
        CORE.map(Id::name),
        [
            "driver",
            "container-toolkit",
            "device-plugin",
            "gpu-feature-discovery",
            "dcgm-exporter"
        ]
    );
}

#[test]
fn columns_are_short_upper_case_and_told_apart() {
    for row in &ROSTER {
        let legal = |c: char| c.is_ascii_uppercase() || c == '-';
        assert!(
            row.column.chars().all(legal) && row.column.len() <= 17,
            "{}",
            row.column
        );
        let same = ROSTER.iter().filter(|it| it.column == row.column);
        assert_eq!(same.count(), 1, "{}", row.column);
    }
}

#[test]
fn labels_and_paths_are_well_formed() {
    for row in &ROSTER {
        assert!(row.label.starts_with(DEPLOY_PREFIX), "{}", row.label);
        let legal = row.switch.path.is_empty() || row.switch.path.ends_with(".enabled");
        assert!(legal, "{}", row.switch.path);
        assert!(
            row.until.is_none_or(|until| row.since < until),
            "{}",
            row.name
        );
        assert!(
            !row.workloads.is_empty() && !row.daemon_sets.is_empty(),
            "{}",
            row.name
        );
    }
}
