//! What the policies ask for: the release, what each node is for, and which operands are switched off.

use crate::cluster::selector::Labels;
use crate::cluster::{Cluster, Kind, Node, Policy};
use crate::facts::operands::{Id, Workload};
use crate::facts::release::Release;

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
    pub fn switched(&self, operand: Id, workload: Workload) -> Switched {
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
        if row.workloads.contains(&Workload::Dra) != dra && operand != Id::Driver {
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
        self.sandboxed(policy, operand, workload)
            .unwrap_or_else(|| by_flag(policy, operand))
    }

    /// The switches that only virtual machines have.
    fn sandboxed(&self, policy: &Policy, operand: Id, workload: Workload) -> Option<Switched> {
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
        // vm-vgpu nodes get the sandbox device plugin whatever the mode.
        let needs = row
            .mode
            .filter(|_| !(operand == Id::SandboxDevicePlugin && workload == Workload::VmVgpu))?;
        let mode = policy.text("sandboxWorkloads.mode").unwrap_or(DEFAULT_MODE);
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

/// The kinds a regime is read from.
pub const READ_FROM: [Kind; 3] = [Kind::ClusterPolicy, Kind::NvidiaDriver, Kind::GpuCluster];
