//! The roster: one row an operand, in the order of every list.
//!
//! Source: NVIDIA/gpu-operator assets/, manifests/, controllers/state_manager.go,
//! api/nvidia/v1/clusterpolicy_types.go, deployments/gpu-operator/values.yaml;
//! NVIDIA/k8s-driver-manager cmd/driver-manager/main.go (who is paused).
//! Read at: a22dbf67 (2026-08-21), one day after v26.7.0. Check again:
//! `cargo xtask facts --against DIR`.

use super::labels::Pauser::{self, Driver as D, Mig as M, Vgpu as V};
use super::release::{self, Release};

/// An operand, as every other table and the model name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
pub enum Id {
    Driver, ContainerToolkit, OperatorValidator, DevicePlugin, MpsControlDaemon, GpuFeatureDiscovery,
    Dcgm, DcgmExporter, MigManager, NodeStatusExporter,
    SandboxDevicePlugin, KataSandboxDevicePlugin, SandboxValidator, VfioManager, VgpuManager,
    VgpuDeviceManager, KataManager, CcManager,
    DraDriver, DraValidator, DcgmDra, DcgmExporterDra,
}

/// What a node is for; decides which operands it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    /// Containers that use GPUs: the default.
    Container,
    /// Virtual machines that get whole GPUs.
    VmPassthrough,
    /// Virtual machines that get vGPUs.
    VmVgpu,
    /// A node of a GPUCluster: dynamic resource allocation.
    Dra,
}

impl Workload {
    /// The value of `nvidia.com/gpu.workload.config`; `dra` is our word for GPUCluster nodes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::VmPassthrough => "vm-passthrough",
            Self::VmVgpu => "vm-vgpu",
            Self::Dra => "dra",
        }
    }
}

/// What switches an operand on or off.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Path in the policy's spec, as `driver.enabled`; empty where there is no switch.
    pub path: &'static str,
    /// What the operator's code takes where the policy says nothing.
    pub code_default: bool,
    /// What the Helm chart writes.
    pub helm_default: bool,
}

/// How the names of an operand's DaemonSets look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Exactly this.
    Is(&'static str),
    /// This and more: one DaemonSet a kernel, an OS or a driver.
    Starts(&'static str),
}

impl Name {
    /// Does a DaemonSet of this name fit?
    pub fn fits(self, name: &str) -> bool {
        match self {
            Self::Is(whole) => name == whole,
            Self::Starts(start) => name.len() > start.len() && name.starts_with(start),
        }
    }
}

/// One row of the roster.
#[derive(Debug)]
pub struct Operand {
    /// Its key in every other table.
    pub id: Id,
    /// Its name in every output.
    pub name: &'static str,
    /// Its column in a table for people.
    pub column: &'static str,
    /// The node label that lets it run; its DaemonSets select `true`.
    pub label: &'static str,
    /// A second node label its DaemonSets select.
    pub also: Option<(&'static str, &'static str)>,
    /// The names of its DaemonSets.
    pub daemon_sets: &'static [Name],
    /// The label its pods carry, for pods whose DaemonSet is gone; three operands have no `app`.
    pub pod_label: (&'static str, &'static str),
    /// What switches it.
    pub switch: Switch,
    /// The value of `sandboxWorkloads.mode` it needs, where it needs one.
    pub mode: Option<&'static str>,
    /// The nodes it is for.
    pub workloads: &'static [Workload],
    /// The first release that has it.
    pub since: Release,
    /// The first release that no longer deploys it.
    pub until: Option<Release>,
    /// Who takes it away for a while.
    pub paused_by: &'static [Pauser],
}

const C: &[Workload] = &[Workload::Container];
const PASS: &[Workload] = &[Workload::VmPassthrough];
const VGPU: &[Workload] = &[Workload::VmVgpu];
const VM: &[Workload] = &[Workload::VmPassthrough, Workload::VmVgpu];
const DRA: &[Workload] = &[Workload::Dra];
const DRIVER_NODES: &[Workload] = &[Workload::Container, Workload::Dra];

const DRIVER_NAMES: &[Name] = &[
    Name::Is("nvidia-driver-daemonset"),
    Name::Starts("nvidia-driver-daemonset-"),
    Name::Starts("nvidia-gpu-driver-"),
    Name::Starts("nvidia-vgpu-driver-"),
];
const VGPU_MANAGER_NAMES: &[Name] = &[
    Name::Is("nvidia-vgpu-manager-daemonset"),
    Name::Starts("nvidia-vgpu-manager-daemonset-"),
    Name::Starts("nvidia-vgpu-host-manager-driver-"),
];

const fn switch(path: &'static str, code_default: bool, helm_default: bool) -> Switch {
    Switch {
        path,
        code_default,
        helm_default,
    }
}
const ALWAYS: Switch = switch("", true, true);

macro_rules! operand {
    ($id:ident, $column:literal, $name:literal, $label:literal, $names:expr, $pod:expr, $switch:expr, $loads:expr, $since:expr, $paused:expr) => {
        Operand {
            id: Id::$id,
            name: $name,
            column: $column,
            label: concat!("nvidia.com/gpu.deploy.", $label),
            also: None,
            daemon_sets: $names,
            pod_label: $pod,
            switch: $switch,
            mode: None,
            workloads: $loads,
            since: $since,
            until: None,
            paused_by: $paused,
        }
    };
}

const OLD: Release = release::ALWAYS;
const APP: &str = "app";

/// All operands; `ROSTER[id as usize]` is the row of `id`.
#[rustfmt::skip]
pub const ROSTER: [Operand; 22] = [
    operand!(Driver, "DRIVER",              "driver",                "driver",                DRIVER_NAMES,                                          (APP, "nvidia-driver-daemonset"),            switch("driver.enabled", true, true),              DRIVER_NODES, OLD,                 &[]),
    operand!(ContainerToolkit, "TOOLKIT",    "container-toolkit",     "container-toolkit",     &[Name::Is("nvidia-container-toolkit-daemonset")],     (APP, "nvidia-container-toolkit-daemonset"), switch("toolkit.enabled", true, true),             C,            OLD,                 &[D]),
    operand!(OperatorValidator, "VALIDATOR",   "operator-validator",    "operator-validator",    &[Name::Is("nvidia-operator-validator")],              (APP, "nvidia-operator-validator"),          ALWAYS,                                            C,            OLD,                 &[D]),
    operand!(DevicePlugin, "PLUGIN",        "device-plugin",         "device-plugin",         &[Name::Is("nvidia-device-plugin-daemonset")],         (APP, "nvidia-device-plugin-daemonset"),     switch("devicePlugin.enabled", true, true),        C,            OLD,                 &[D, M]),
    Operand { also: Some(("nvidia.com/mps.capable", "true")), ..
    operand!(MpsControlDaemon, "MPS",    "mps-control-daemon",    "device-plugin",         &[Name::Is("nvidia-device-plugin-mps-control-daemon")], (APP, "nvidia-device-plugin-mps-control-daemon"), switch("devicePlugin.enabled", true, true),  C,            release::V24_3,      &[D, M]) },
    operand!(GpuFeatureDiscovery, "GFD", "gpu-feature-discovery", "gpu-feature-discovery", &[Name::Is("gpu-feature-discovery")],                  (APP, "gpu-feature-discovery"),              switch("gfd.enabled", true, true),                 C,            OLD,                 &[D, M]),
    operand!(Dcgm, "DCGM",                "dcgm",                  "dcgm",                  &[Name::Is("nvidia-dcgm")],                            (APP, "nvidia-dcgm"),                        switch("dcgm.enabled", true, false),               C,            OLD,                 &[D, M]),
    operand!(DcgmExporter, "EXPORTER",        "dcgm-exporter",         "dcgm-exporter",         &[Name::Is("nvidia-dcgm-exporter")],                   (APP, "nvidia-dcgm-exporter"),               switch("dcgmExporter.enabled", true, true),        C,            OLD,                 &[D, M]),
    operand!(MigManager, "MIG",          "mig-manager",           "mig-manager",           &[Name::Is("nvidia-mig-manager")],                     (APP, "nvidia-mig-manager"),                 switch("migManager.enabled", true, true),          C,            OLD,                 &[D]),
    operand!(NodeStatusExporter, "STATUS-EXPORTER",  "node-status-exporter",  "node-status-exporter",  &[Name::Is("nvidia-node-status-exporter")],            (APP, "nvidia-node-status-exporter"),        switch("nodeStatusExporter.enabled", false, false), C,           OLD,                 &[]),
    Operand { mode: Some("kubevirt"), ..
    operand!(SandboxDevicePlugin, "SANDBOX-PLUGIN", "sandbox-device-plugin", "sandbox-device-plugin", &[Name::Is("nvidia-sandbox-device-plugin-daemonset")], (APP, "nvidia-sandbox-device-plugin-daemonset"), switch("sandboxDevicePlugin.enabled", false, true), VM,     OLD,                 &[D, V]) },
    Operand { mode: Some("kata"), ..
    operand!(KataSandboxDevicePlugin, "KATA-PLUGIN", "kata-sandbox-device-plugin", "kata-sandbox-device-plugin", &[Name::Is("nvidia-kata-sandbox-device-plugin-daemonset")], (APP, "nvidia-kata-sandbox-device-plugin-daemonset"), switch("kataSandboxDevicePlugin.enabled", false, true), PASS, release::V26_3, &[]) },
    operand!(SandboxValidator, "SANDBOX-VALIDATOR",    "sandbox-validator",     "sandbox-validator",     &[Name::Is("nvidia-sandbox-validator")],               (APP, "nvidia-sandbox-validator"),           ALWAYS,                                            VM,           OLD,                 &[D, V]),
    operand!(VfioManager, "VFIO",         "vfio-manager",          "vfio-manager",          &[Name::Is("nvidia-vfio-manager")],                    ("name", "nvidia-vfio-manager"),             switch("vfioManager.enabled", false, true),        PASS,         OLD,                 &[]),
    operand!(VgpuManager, "VGPU-MANAGER",         "vgpu-manager",          "vgpu-manager",          VGPU_MANAGER_NAMES,                                    (APP, "nvidia-vgpu-manager-daemonset"),      switch("vgpuManager.enabled", false, false),       VGPU,         OLD,                 &[]),
    operand!(VgpuDeviceManager, "VGPU-DEVICE",   "vgpu-device-manager",   "vgpu-device-manager",   &[Name::Is("nvidia-vgpu-device-manager")],             (APP, "nvidia-vgpu-device-manager"),         switch("vgpuDeviceManager.enabled", false, true),  VGPU,         OLD,                 &[D]),
    Operand { until: Some(release::V26_7), ..
    operand!(KataManager, "KATA-MANAGER",         "kata-manager",          "kata-manager",          &[Name::Is("nvidia-kata-manager")],                    ("name", "nvidia-kata-manager"),             switch("kataManager.enabled", false, false),       PASS,         release::V23_6,      &[]) },
    Operand { mode: Some("kata"), ..
    operand!(CcManager, "CC-MANAGER",           "cc-manager",            "cc-manager",            &[Name::Is("nvidia-cc-manager")],                      ("name", "nvidia-cc-manager"),               switch("ccManager.enabled", false, true),          VM,           release::V23_6,      &[]) },
    operand!(DraDriver, "DRA-DRIVER",           "dra-driver",            "dra-driver",            &[Name::Is("nvidia-dra-driver-kubelet-plugin")],       (APP, "nvidia-dra-driver-kubelet-plugin"),   ALWAYS,                                            DRA,          release::V26_7,      &[D]),
    operand!(DraValidator, "DRA-VALIDATOR",        "dra-validator",         "dra-validator",         &[Name::Is("nvidia-dra-validator")],                   ("app.kubernetes.io/name", "nvidia-dra-validator"), ALWAYS,                                     DRA,          release::V26_7,      &[D]),
    operand!(DcgmDra, "DCGM-DRA",             "dcgm-dra",              "dcgm-dra",              &[Name::Is("nvidia-dcgm-dra")],                        (APP, "nvidia-dcgm-dra"),                    switch("dcgm.enabled", false, false),              DRA,          release::V26_7,      &[D]),
    operand!(DcgmExporterDra, "EXPORTER-DRA",     "dcgm-exporter-dra",     "dcgm-exporter-dra",     &[Name::Is("nvidia-dcgm-exporter-dra")],               (APP, "nvidia-dcgm-exporter-dra"),           switch("dcgmExporter.enabled", true, true),        DRA,          release::V26_7,      &[D]),
];

/// The five operands that make up the smallest working node, in the order of `roster`.
pub const CORE: [Id; 5] = [
    Id::Driver,
    Id::ContainerToolkit,
    Id::DevicePlugin,
    Id::GpuFeatureDiscovery,
    Id::DcgmExporter,
];

/// Operands that only some GPU nodes get: those that can do MIG, those that share by MPS.
pub const ON_SOME_NODES: [Id; 2] = [Id::MigManager, Id::MpsControlDaemon];

impl Id {
    /// Its row.
    pub fn row(self) -> &'static Operand {
        &ROSTER[self as usize]
    }

    /// Its name in every output.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

/// The operand whose DaemonSets are named so; the longest pattern wins.
pub fn by_daemon_set(name: &str) -> Option<Id> {
    let fits = |row: &&Operand| row.daemon_sets.iter().any(|it| it.fits(name));
    ROSTER.iter().find(fits).map(|row| row.id)
}

/// The operand whose pods carry one of these labels; for pods whose DaemonSet is not there.
pub fn by_pod_label<'a>(label: impl Fn(&str) -> Option<&'a str>) -> Option<Id> {
    let carries = |row: &&Operand| label(row.pod_label.0) == Some(row.pod_label.1);
    // The DRA validator also carries the operator validator's `app`, so its own label is asked first.
    ROSTER
        .iter()
        .rev()
        .find(carries)
        .map(|row| row.id)
        .or_else(|| match label("app.kubernetes.io/component")? {
            "nvidia-driver" => Some(Id::Driver),
            "nvidia-vgpu-host-manager" => Some(Id::VgpuManager),
            _ => None,
        })
}

/// The operand of this name, if there is one.
pub fn by_name(name: &str) -> Option<Id> {
    ROSTER.iter().find(|row| row.name == name).map(|row| row.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_at_its_own_place() {
        for (at, row) in ROSTER.iter().enumerate() {
            assert_eq!(row.id as usize, at, "{}", row.name);
            assert_eq!(by_name(row.name), Some(row.id));
        }
    }

    #[test]
    fn names_are_unique_and_kebab_case() {
        for row in &ROSTER {
            assert!(
                row.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                row.name
            );
            assert_eq!(
                ROSTER.iter().filter(|it| it.name == row.name).count(),
                1,
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn a_daemon_set_belongs_to_one_operand_at_most() {
        for row in &ROSTER {
            for name in row.daemon_sets {
                let (Name::Is(text) | Name::Starts(text)) = *name;
                let text = if matches!(name, Name::Starts(_)) {
                    format!("{text}x")
                } else {
                    text.to_owned()
                };
                let owners: Vec<_> = ROSTER
                    .iter()
                    .filter(|it| it.daemon_sets.iter().any(|n| n.fits(&text)))
                    .map(|it| it.name)
                    .collect();
                assert_eq!(owners, [row.name], "{text}");
            }
        }
    }

    #[test]
    fn daemon_sets_are_found_by_the_names_of_every_install() {
        for (name, want) in [
            ("nvidia-driver-daemonset", Some(Id::Driver)),
            (
                "nvidia-driver-daemonset-5.15.0-69-generic-ubuntu22.04",
                Some(Id::Driver),
            ),
            (
                "nvidia-driver-daemonset-411.86.202212072103-0",
                Some(Id::Driver),
            ),
            ("nvidia-gpu-driver-ubuntu22.04-67cddccdf5", Some(Id::Driver)),
            (
                "nvidia-vgpu-host-manager-driver-ubuntu22.04-67cddccdf5",
                Some(Id::VgpuManager),
            ),
            (
                "nvidia-device-plugin-mps-control-daemon",
                Some(Id::MpsControlDaemon),
            ),
            ("nvidia-dcgm", Some(Id::Dcgm)),
            ("nvidia-dcgm-exporter", Some(Id::DcgmExporter)),
            ("nvidia-gpu-device-plugin", None),
            ("gpu-operator-node-feature-discovery-worker", None),
        ] {
            assert_eq!(by_daemon_set(name), want, "{name}");
        }
    }

    #[test]
    fn pods_without_an_app_label_and_pods_with_a_borrowed_one_are_told_apart() {
        let of = |labels: &[(&str, &'static str)]| {
            by_pod_label(|key| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| *v))
        };
        assert_eq!(
            of(&[("name", "nvidia-vfio-manager")]),
            Some(Id::VfioManager)
        );
        assert_eq!(
            of(&[("app", "nvidia-operator-validator")]),
            Some(Id::OperatorValidator)
        );
        assert_eq!(
            of(&[
                ("app", "nvidia-operator-validator"),
                ("app.kubernetes.io/name", "nvidia-dra-validator")
            ]),
            Some(Id::DraValidator)
        );
        assert_eq!(
            of(&[
                ("app", "nvidia-driver-daemonset-411.86.2022"),
                ("app.kubernetes.io/component", "nvidia-driver")
            ]),
            Some(Id::Driver)
        );
        assert_eq!(of(&[("app", "nvidia-cuda-validator")]), None);
    }
}
