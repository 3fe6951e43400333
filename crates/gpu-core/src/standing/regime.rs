//! What the policies ask for: the release, what each node is for, and which operands are switched off.

use crate::cluster::selector::Labels;
use crate::cluster::{Cluster, Kind, Node, Policy};
use crate::facts::operands::{Id, Workload};
use crate::facts::release::{Release, V26_3};

/// What the policies of a cluster ask for.
#[derive(Debug)]
pub struct Regime<'a> {
    /// The operator's release, where anything tells.
    pub release: Option<Release>,
    /// The ClusterPolicy that counts.
    pub policy: Option<&'a Policy>,
    /// The GPUCluster.
    pub gpu_cluster: Option<&'a Policy>,
    /// Is there an NVIDIADriver?
    pub has_nvidia_driver: bool,
    /// Is there one of type vgpu-host-manager, which deploys the vGPU manager without the ClusterPolicy's switch?
    pub has_vgpu_host_driver: bool,
    /// Is an operator installed: a policy, or NFD? Bare DaemonSets with deploy labels are no install.
    pub is_installed: bool,
}

/// Is an operand switched on for a node?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switched {
    /// It is, or nothing says that it is not.
    On,
    /// It is not, because of this.
    Off(String),
}

/// The default of `sandboxWorkloads.mode`.
const DEFAULT_MODE: &str = "kubevirt";

impl<'a> Regime<'a> {
    /// Reads the policies; `release` overrides what they and the operator's Deployment say.
    pub fn read(cluster: &'a Cluster, release: Option<Release>) -> Self {
        let policy = cluster.cluster_policy();
        let gpu_cluster = cluster.gpu_cluster();
        Self {
            release: release.or_else(|| release_said(cluster)),
            policy,
            gpu_cluster,
            has_nvidia_driver: cluster.nvidia_drivers().next().is_some(),
            has_vgpu_host_driver: cluster
                .nvidia_drivers()
                .any(|it| it.text("driverType") == Some("vgpu-host-manager")),
            is_installed: policy.or(gpu_cluster).is_some()
                || cluster.daemon_sets.iter().any(|it| it.is_nfd_worker()),
        }
    }

    /// What a node is for. Its label counts only while sandbox workloads are enabled.
    pub fn workload(&self, node: &Node) -> Workload {
        match (self.policy, self.gpu_cluster) {
            (None, Some(_)) => Workload::Dra,
            (Some(policy), _) if policy.flag("sandboxWorkloads.enabled") == Some(true) => node
                .workload_label()
                .unwrap_or_else(|| default_workload(policy)),
            _ => Workload::Container,
        }
    }

    /// Is this operand switched on for nodes of this workload?
    pub fn switched(&self, operand: Id) -> Switched {
        let row = operand.row();
        let Some((policy, dra)) = self
            .policy
            .map(|it| (it, false))
            .or(self.gpu_cluster.map(|it| (it, true)))
        else {
            return Switched::On;
        };
        let off = |why: String| Switched::Off(why);
        if let Some(release) = self.release
            && (release < row.since || row.until.is_some_and(|until| release >= until))
        {
            return off(format!("operator {release} does not deploy {}", row.name));
        }
        let both = self.policy.is_some() && self.gpu_cluster.is_some();
        if row.workloads.contains(&Workload::Dra) != dra && operand != Id::Driver && !both {
            return off(format!("{} does not deploy {}", policy.title(), row.name));
        }
        if dra && operand == Id::Driver {
            return match self.has_nvidia_driver {
                true => Switched::On,
                false => {
                    off("there is no NVIDIADriver, and a GPUCluster installs no driver".to_owned())
                }
            };
        }
        self.sandboxed(policy, operand)
            .unwrap_or_else(|| by_flag(policy, operand))
    }

    /// The switches that only virtual machines have.
    fn sandboxed(&self, policy: &Policy, operand: Id) -> Option<Switched> {
        let row = operand.row();
        let virtual_machines = [Workload::VmPassthrough, Workload::VmVgpu];
        if !row.workloads.iter().any(|it| virtual_machines.contains(it)) {
            return None;
        }
        if policy.flag("sandboxWorkloads.enabled") != Some(true) {
            return Some(Switched::Off(format!(
                "sandboxWorkloads.enabled is not true in {}",
                policy.title()
            )));
        }
        if operand == Id::VgpuManager && self.has_vgpu_host_driver {
            return Some(Switched::On);
        }
        // Modes came with v26.3; a release that is not known has them where the policy names one.
        let named = policy.text("sandboxWorkloads.mode");
        let has_modes = self
            .release
            .map_or(named.is_some() || row.since >= V26_3, |it| it >= V26_3);
        let needs = row.mode.filter(|_| has_modes)?;
        let mode = named.unwrap_or(DEFAULT_MODE);
        (mode != needs).then(|| {
            Switched::Off(format!(
                "sandboxWorkloads.mode is {mode}, not {needs}, in {}",
                policy.title()
            ))
        })
    }

    /// The policy whose state is shown.
    pub fn leading(&self) -> Option<&'a Policy> {
        self.policy.or(self.gpu_cluster)
    }
}

/// Labels in which an install writes the operator's release.
const RELEASE_LABELS: [&str; 3] = ["olm.owner", "helm.sh/chart", "app.kubernetes.io/version"];

/// The release as the first of these tells it: a policy's labels, the operator's Deployment, its DaemonSets.
fn release_said(cluster: &Cluster) -> Option<Release> {
    let of_labels = |labels: &Labels| {
        RELEASE_LABELS
            .iter()
            .find_map(|key| Release::parse(labels.get(*key)?))
    };
    let of_image = |it: &String| Release::parse(it.rsplit_once(':')?.1);
    let deployments = || cluster.deployments.iter().filter(|it| it.is_gpu_operator());
    let of_chart = |labels: &Labels| {
        Release::parse(labels.get("helm.sh/chart")?.strip_prefix("gpu-operator-")?)
    };
    let operands = || cluster.daemon_sets.iter().filter(|it| it.operand.is_some());
    let policies = cluster
        .policies
        .iter()
        .filter(|it| it.kind != Kind::NvidiaDriver);
    (policies.map(|it| &it.labels).find_map(of_labels))
        .or_else(|| deployments().find_map(|it| of_labels(&it.labels)))
        .or_else(|| deployments().find_map(|it| it.images.iter().find_map(of_image)))
        .or_else(|| operands().find_map(|it| of_chart(&it.labels)))
}

fn by_flag(policy: &Policy, operand: Id) -> Switched {
    let switch = operand.row().switch;
    if switch.path.is_empty() || policy.flag(switch.path).unwrap_or(switch.code_default) {
        return Switched::On;
    }
    Switched::Off(match policy.flag(switch.path) {
        Some(_) => format!("{} is false in {}", switch.path, policy.title()),
        None => format!(
            "{} is not set in {} and means false",
            switch.path,
            policy.title()
        ),
    })
}

fn default_workload(policy: &Policy) -> Workload {
    let named = policy
        .text("sandboxWorkloads.defaultWorkload")
        .unwrap_or_default();
    [Workload::VmPassthrough, Workload::VmVgpu]
        .into_iter()
        .find(|it| it.name() == named)
        .unwrap_or(Workload::Container)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::operands::ROSTER;
    use crate::facts::release::{V23_6, V24_3, V25_10, V26_3, V26_7};
    use crate::testing::{daemon_set_of, node, policy, recorded, take};
    use serde_json::{Value, json};

    fn driver_policy() -> Value {
        json!({ "apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver", "metadata": { "name": "default" } })
    }

    /// Does this ClusterPolicy switch the operand on? With the operator of no known release.
    fn check(spec: Value, operand: Id, workload: Workload, want: bool) {
        let cluster = recorded([policy(Kind::ClusterPolicy, spec.clone())]);
        let switched = Regime::read(&cluster, None).switched(operand);
        assert_eq!(
            switched == Switched::On,
            want,
            "{} on {workload:?} with {spec}: {switched:?}",
            operand.name()
        );
    }

    fn release(text: &str) -> Release {
        Release::parse(text).unwrap()
    }

    #[test]
    fn without_a_policy_nothing_is_switched_off() {
        let cluster = Cluster::default();
        for release in [None, Some(V23_6), Some(V26_7)] {
            let regime = Regime::read(&cluster, release);
            for row in &ROSTER {
                assert_eq!(regime.switched(row.id), Switched::On, "{}", row.name);
            }
        }
    }

    #[test]
    fn a_policy_that_says_nothing_means_what_the_operators_code_means() {
        use Workload::Container;
        for (operand, want) in [
            (Id::Driver, true),
            (Id::ContainerToolkit, true),
            (Id::OperatorValidator, true),
            (Id::DevicePlugin, true),
            (Id::MpsControlDaemon, true),
            (Id::GpuFeatureDiscovery, true),
            (Id::Dcgm, true),
            (Id::DcgmExporter, true),
            (Id::MigManager, true),
            (Id::NodeStatusExporter, false),
        ] {
            check(json!({}), operand, Container, want);
            check(json!(null), operand, Container, want);
        }
    }

    #[test]
    fn each_switch_moves_its_own_operand() {
        use Workload::Container;
        for (operand, field) in [
            (Id::Driver, "driver"),
            (Id::ContainerToolkit, "toolkit"),
            (Id::DevicePlugin, "devicePlugin"),
            (Id::MpsControlDaemon, "devicePlugin"),
            (Id::GpuFeatureDiscovery, "gfd"),
            (Id::Dcgm, "dcgm"),
            (Id::DcgmExporter, "dcgmExporter"),
            (Id::MigManager, "migManager"),
            (Id::NodeStatusExporter, "nodeStatusExporter"),
        ] {
            let default = operand.row().switch.code_default;
            check(
                json!({ field: { "enabled": true } }),
                operand,
                Container,
                true,
            );
            check(
                json!({ field: { "enabled": false } }),
                operand,
                Container,
                false,
            );
            check(
                json!({ field: { "enabled": null } }),
                operand,
                Container,
                default,
            );
            check(json!({ field: null }), operand, Container, default);
            // A word is no switch; the API server would not have taken it.
            check(
                json!({ field: { "enabled": "false" } }),
                operand,
                Container,
                default,
            );
            check(
                json!({ "other": { "enabled": false } }),
                operand,
                Container,
                default,
            );
        }
    }

    #[test]
    fn no_switch_moves_the_validator() {
        for spec in [
            json!({ "validator": { "enabled": false } }),
            json!({ "operatorValidator": { "enabled": false } }),
            json!({ "toolkit": { "enabled": false }, "devicePlugin": { "enabled": false } }),
        ] {
            check(spec, Id::OperatorValidator, Workload::Container, true);
        }
    }

    const SANDBOX: [Id; 8] = [
        Id::SandboxDevicePlugin,
        Id::KataSandboxDevicePlugin,
        Id::SandboxValidator,
        Id::VfioManager,
        Id::VgpuManager,
        Id::VgpuDeviceManager,
        Id::KataManager,
        Id::CcManager,
    ];

    /// A policy with sandbox workloads of a mode and every sandbox operand switched on or off.
    fn sandbox(enabled: Value, mode: Value, switches: Value) -> Value {
        let mut spec = json!({ "sandboxWorkloads": { "enabled": enabled, "mode": mode } });
        for field in [
            "sandboxDevicePlugin",
            "kataSandboxDevicePlugin",
            "vfioManager",
            "vgpuManager",
            "vgpuDeviceManager",
            "kataManager",
            "ccManager",
        ] {
            spec[field] = json!({ "enabled": switches });
        }
        spec
    }

    #[test]
    fn while_sandbox_workloads_are_off_nothing_for_virtual_machines_runs() {
        for enabled in [json!(false), json!(null)] {
            for operand in SANDBOX {
                let spec = sandbox(enabled.clone(), json!("kata"), json!(true));
                check(spec, operand, Workload::VmPassthrough, false);
            }
        }
    }

    #[test]
    fn sandbox_operands_need_a_switch_each_but_for_the_validator() {
        for operand in SANDBOX {
            let unsaid = sandbox(json!(true), json!(null), json!(null));
            check(
                unsaid,
                operand,
                Workload::VmPassthrough,
                operand == Id::SandboxValidator,
            );
        }
    }

    #[test]
    fn the_mode_decides_between_kubevirt_and_kata() {
        use Workload::{VmPassthrough, VmVgpu};
        for (operand, workload, kubevirt, kata) in [
            (Id::SandboxDevicePlugin, VmPassthrough, true, false),
            (Id::SandboxDevicePlugin, VmVgpu, true, false),
            (Id::KataSandboxDevicePlugin, VmPassthrough, false, true),
            (Id::CcManager, VmPassthrough, false, true),
            (Id::CcManager, VmVgpu, false, true),
            (Id::SandboxValidator, VmPassthrough, true, true),
            (Id::VfioManager, VmPassthrough, true, true),
            (Id::VgpuManager, VmVgpu, true, true),
            (Id::VgpuDeviceManager, VmVgpu, true, true),
        ] {
            for (mode, want) in [
                (json!("kubevirt"), kubevirt),
                (json!(null), kubevirt),
                (json!("kata"), kata),
            ] {
                let spec = sandbox(json!(true), mode, json!(true));
                let cluster = recorded([policy(Kind::ClusterPolicy, spec)]);
                let switched = Regime::read(&cluster, Some(V26_3)).switched(operand);
                assert_eq!(
                    switched == Switched::On,
                    want,
                    "{} on {workload:?}",
                    operand.name()
                );
            }
        }
    }

    #[test]
    fn before_modes_came_none_was_asked_for() {
        let spec = sandbox(json!(true), json!(null), json!(true));
        let cluster = recorded([policy(Kind::ClusterPolicy, spec)]);
        for id in [Id::SandboxDevicePlugin, Id::CcManager] {
            assert_eq!(
                Regime::read(&cluster, Some(V25_10)).switched(id),
                Switched::On,
                "{}",
                id.name()
            );
        }
    }

    #[test]
    fn operands_of_releases_before_and_after_are_off() {
        for (operand, release, want) in [
            (Id::MpsControlDaemon, release("v23.9.2"), false),
            (Id::MpsControlDaemon, V24_3, true),
            (Id::MpsControlDaemon, V26_7, true),
            (Id::Driver, release("v1.11.0"), true),
            (Id::Driver, V26_7, true),
            (Id::KataManager, release("v23.3.2"), false),
            (Id::KataManager, V23_6, true),
            (Id::KataManager, release("v25.10.1"), true),
            (Id::KataManager, V26_3, true),
            (Id::KataManager, V26_7, false),
            (Id::CcManager, release("v23.3.2"), false),
            (Id::KataSandboxDevicePlugin, V25_10, false),
            (Id::KataSandboxDevicePlugin, V26_3, true),
        ] {
            let cluster = recorded([policy(
                Kind::ClusterPolicy,
                sandbox(json!(true), json!("kata"), json!(true)),
            )]);
            let switched = Regime::read(&cluster, Some(release)).switched(operand);
            assert_eq!(
                switched == Switched::On,
                want,
                "{} in {release}: {switched:?}",
                operand.name()
            );
        }
    }

    #[test]
    fn a_cluster_policy_and_a_gpu_cluster_deploy_different_stacks() {
        let dra = [
            Id::DraDriver,
            Id::DraValidator,
            Id::DcgmDra,
            Id::DcgmExporterDra,
        ];
        for row in &ROSTER {
            let is_dra = dra.contains(&row.id);
            check(
                json!({ "sandboxWorkloads": { "enabled": true }, "dcgm": { "enabled": true } }),
                row.id,
                Workload::Container,
                !is_dra && row.switch.code_default && row.mode != Some("kata"),
            );
            let cluster = recorded([policy(
                Kind::GpuCluster,
                json!({ "dcgm": { "enabled": true } }),
            )]);
            let switched = Regime::read(&cluster, None).switched(row.id);
            assert_eq!(
                switched == Switched::On,
                is_dra,
                "{}: {switched:?}",
                row.name
            );
        }
    }

    #[test]
    fn a_gpu_cluster_installs_a_driver_only_by_way_of_an_nvidia_driver() {
        let mut cluster = recorded([policy(Kind::GpuCluster, json!({}))]);
        let driver = |cluster: &Cluster| Regime::read(cluster, None).switched(Id::Driver);
        assert!(matches!(driver(&cluster), Switched::Off(why) if why.contains("NVIDIADriver")));
        take(&mut cluster, [driver_policy()]);
        assert_eq!(driver(&cluster), Switched::On);
    }

    #[test]
    fn dcgm_of_a_gpu_cluster_is_off_where_nothing_is_said() {
        let cluster = recorded([policy(Kind::GpuCluster, json!({}))]);
        let regime = Regime::read(&cluster, None);
        for (operand, want) in [
            (Id::DcgmDra, false),
            (Id::DcgmExporterDra, true),
            (Id::DraDriver, true),
            (Id::DraValidator, true),
        ] {
            assert_eq!(
                regime.switched(operand) == Switched::On,
                want,
                "{}",
                operand.name()
            );
        }
    }

    #[test]
    fn whatever_switches_an_operand_off_is_named() {
        let sandboxed = || sandbox(json!(true), json!("kata"), json!(true));
        for (spec, operand, said) in [
            (
                json!({ "gfd": { "enabled": false } }),
                Id::GpuFeatureDiscovery,
                "gfd.enabled is false in ClusterPolicy/cluster-policy",
            ),
            (
                json!({}),
                Id::NodeStatusExporter,
                "nodeStatusExporter.enabled is not set in ClusterPolicy/cluster-policy",
            ),
            (
                json!({}),
                Id::VfioManager,
                "sandboxWorkloads.enabled is not true in ClusterPolicy/cluster-policy",
            ),
            (
                sandboxed(),
                Id::SandboxDevicePlugin,
                "sandboxWorkloads.mode is kata, not kubevirt, in ClusterPolicy/cluster-policy",
            ),
            (
                json!({}),
                Id::DraDriver,
                "ClusterPolicy/cluster-policy does not deploy dra-driver",
            ),
        ] {
            let cluster = recorded([policy(Kind::ClusterPolicy, spec)]);
            match Regime::read(&cluster, None).switched(operand) {
                Switched::Off(why) => assert!(why.starts_with(said), "{why}"),
                Switched::On => panic!("{} is on", operand.name()),
            }
        }
    }

    #[test]
    fn a_node_is_for_containers_unless_sandbox_workloads_say_otherwise() {
        let on = |default: Value| json!({ "sandboxWorkloads": { "enabled": true, "defaultWorkload": default } });
        for (spec, label, want) in [
            (json!({}), None, Workload::Container),
            // The label counts for nothing while sandbox workloads are off.
            (json!({}), Some("vm-vgpu"), Workload::Container),
            (
                json!({ "sandboxWorkloads": { "enabled": false, "defaultWorkload": "vm-vgpu" } }),
                None,
                Workload::Container,
            ),
            (on(json!(null)), None, Workload::Container),
            (
                on(json!(null)),
                Some("vm-passthrough"),
                Workload::VmPassthrough,
            ),
            (on(json!(null)), Some("vm-vgpu"), Workload::VmVgpu),
            (on(json!("vm-passthrough")), None, Workload::VmPassthrough),
            (on(json!("vm-vgpu")), None, Workload::VmVgpu),
            (on(json!("vm-vgpu")), Some("container"), Workload::Container),
            // A word the operator does not know counts as none.
            (on(json!("vm-vgpu")), Some("vm"), Workload::VmVgpu),
            (on(json!("vm")), Some(""), Workload::Container),
        ] {
            let cluster = recorded([policy(Kind::ClusterPolicy, spec.clone())]);
            let node = match label {
                Some(value) => node("a")
                    .label("nvidia.com/gpu.workload.config", value)
                    .build(),
                None => node("a").build(),
            };
            assert_eq!(
                Regime::read(&cluster, None).workload(&node),
                want,
                "{spec} {label:?}"
            );
        }
    }

    #[test]
    fn nodes_of_a_gpu_cluster_are_for_dra_and_a_cluster_policy_comes_first() {
        let node = node("a")
            .label("nvidia.com/gpu.workload.config", "vm-vgpu")
            .build();
        let mut cluster = recorded([policy(Kind::GpuCluster, json!({}))]);
        assert_eq!(Regime::read(&cluster, None).workload(&node), Workload::Dra);
        take(&mut cluster, [policy(Kind::ClusterPolicy, json!({}))]);
        let regime = Regime::read(&cluster, None);
        assert_eq!(regime.workload(&node), Workload::Container);
        assert_eq!(
            regime.leading().map(|it| it.kind),
            Some(Kind::ClusterPolicy)
        );
    }

    /// The release that a cluster of one object with these labels tells.
    fn told_by(mut object: Value, labels: Value) -> Option<String> {
        object["metadata"]["labels"] = labels;
        let cluster = recorded([object]);
        Regime::read(&cluster, None)
            .release
            .map(|it| it.to_string())
    }

    fn operator() -> Value {
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "gpu-operator", "namespace": "a" },
        "spec": { "template": { "spec": { "containers": [
            { "name": "gpu-operator", "image": "registry.example:5000/nvidia/gpu-operator:v24.9.1" }] } } } })
    }

    #[test]
    fn the_release_is_read_from_the_labels_of_the_install() {
        for (labels, want) in [
            (
                json!({ "app.kubernetes.io/version": "v25.3.4" }),
                Some("v25.3.4"),
            ),
            (
                json!({ "helm.sh/chart": "gpu-operator-v25.3.4" }),
                Some("v25.3.4"),
            ),
            (
                json!({ "olm.owner": "gpu-operator-certified.v24.9.2" }),
                Some("v24.9.2"),
            ),
            (json!({ "app": "gpu-operator" }), None),
            (json!(null), None),
        ] {
            for kind in [Kind::ClusterPolicy, Kind::GpuCluster] {
                let found = told_by(policy(kind, json!({})), labels.clone());
                assert_eq!(found.as_deref(), want, "{labels}");
            }
            // An NVIDIADriver has the labels of whoever made it.
            assert_eq!(told_by(driver_policy(), labels), None);
        }
    }

    #[test]
    fn the_operators_deployment_tells_by_its_labels_and_then_by_its_image() {
        for (labels, want) in [
            (
                json!({ "app": "gpu-operator", "helm.sh/chart": "gpu-operator-v25.3.4" }),
                Some("v25.3.4"),
            ),
            (json!({ "app": "gpu-operator" }), Some("v24.9.1")),
            (
                json!({ "app": "something-else", "helm.sh/chart": "gpu-operator-v25.3.4" }),
                None,
            ),
        ] {
            assert_eq!(
                told_by(operator(), labels.clone()).as_deref(),
                want,
                "{labels}"
            );
        }
    }

    #[test]
    fn the_policy_tells_before_the_deployment_and_the_user_before_both() {
        let mut made_by_helm = policy(Kind::ClusterPolicy, json!({}));
        made_by_helm["metadata"]["labels"] = json!({ "app.kubernetes.io/version": "v25.3.4" });
        let mut deployed = operator();
        deployed["metadata"]["labels"] = json!({ "app": "gpu-operator" });
        let cluster = recorded([made_by_helm, deployed]);
        assert_eq!(
            Regime::read(&cluster, None).release,
            Some(release("v25.3.4"))
        );
        assert_eq!(Regime::read(&cluster, Some(V26_7)).release, Some(V26_7));
    }

    #[test]
    fn a_regime_knows_the_policies_there_are() {
        let cluster = crate::testing::cluster([], [daemon_set_of(Id::Driver)], []);
        let regime = Regime::read(&cluster, None);
        assert!(
            regime.leading().is_none() && !regime.has_nvidia_driver && regime.release.is_none()
        );
        let cluster = recorded([driver_policy()]);
        let regime = Regime::read(&cluster, None);
        assert!(regime.has_nvidia_driver && regime.leading().is_none());
    }
}
