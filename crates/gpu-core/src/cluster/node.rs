//! A node: its labels, taints and health, and what its deploy labels say.

use jiff::Timestamp;

use super::selector::Labels;
use crate::facts::labels::{self, Pauser};
use crate::facts::operands::{Id, Workload};

/// A node, with only the fields somebody reads.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// All its labels; a DaemonSet may select any of them.
    pub labels: Labels,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// `spec.unschedulable`: cordoned.
    pub unschedulable: bool,
    /// What its kubelet says of itself.
    pub readiness: Readiness,
    /// How many of each `nvidia.com/` resource it has, and how many of them pods can get.
    pub gpu_resources: Vec<GpuResource>,
    /// When it joined.
    pub created: Option<Timestamp>,
    /// `status.nodeInfo.kernelVersion`, the raw uname string.
    pub kernel: String,
    /// `status.nodeInfo.osImage`.
    pub os_image: String,
    /// `status.nodeInfo.architecture`, in Go's spelling.
    pub architecture: String,
    /// `status.nodeInfo.containerRuntimeVersion`.
    pub runtime: String,
}

/// A resource whose name starts with `nvidia.com/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuResource {
    /// `nvidia.com/gpu`, `nvidia.com/mig-1g.5gb` …
    pub name: String,
    /// `status.capacity`.
    pub capacity: u64,
    /// `status.allocatable`.
    pub allocatable: u64,
}

/// A taint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value, empty where it has none.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

impl std::fmt::Display for Taint {
    /// As kubectl prints it: `key=value:effect`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value.as_str() {
            "" => write!(f, "{}:{}", self.key, self.effect),
            value => write!(f, "{}={value}:{}", self.key, self.effect),
        }
    }
}

/// The condition Ready of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The kubelet reports, and is well.
    Ready,
    /// The kubelet reports that it is not.
    NotReady(Condition),
    /// The kubelet does not report any more.
    Unknown(Condition),
    /// The object has no such condition.
    Unsaid,
}

/// Why, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// One word.
    pub reason: String,
    /// A sentence.
    pub message: String,
    /// The last change.
    pub since: Option<Timestamp>,
}

/// What a deploy label says; each of these is another word in every output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeployLabel {
    /// `true`: the operand may run here.
    On,
    /// `false`: a person opted out.
    Off,
    /// The key is there and its value is empty.
    Empty,
    /// The key is not there.
    Absent,
    /// `pre-installed`: the host owns the driver.
    PreInstalled,
    /// Taken away for a while: by whom, and the value that comes back.
    Paused {
        /// Who paused it, the last one first.
        by: Vec<Pauser>,
        /// The value it had before.
        resumes_as: Box<DeployLabel>,
    },
    /// Anything else: a person's value, which selects nothing.
    Other(String),
}

impl DeployLabel {
    /// Parses the value of a deploy label; `None` is an absent key.
    pub fn parse(value: Option<&str>) -> Self {
        let Some(value) = value else {
            return Self::Absent;
        };
        match value {
            labels::ON => return Self::On,
            labels::OFF => return Self::Off,
            labels::PRE_INSTALLED => return Self::PreInstalled,
            "" => return Self::Empty,
            _ => {}
        }
        for (pauser, pause, _) in labels::PAUSES {
            if value == pause {
                return Self::Paused {
                    by: vec![pauser],
                    resumes_as: Box::new(Self::On),
                };
            }
            // The driver manager keeps what it found in front of its own pause: `<old>_<pause>`.
            if let Some(old) = value
                .strip_suffix(pause)
                .and_then(|it| it.strip_suffix('_'))
            {
                let old = Self::parse(Some(old));
                let mut by = vec![pauser];
                if let Self::Paused { by: earlier, .. } = &old {
                    by.extend(earlier);
                }
                return Self::Paused {
                    by,
                    resumes_as: Box::new(old),
                };
            }
        }
        Self::Other(value.to_owned())
    }
}

impl Node {
    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// What the deploy label of `operand` says.
    pub fn deploy(&self, operand: Id) -> DeployLabel {
        DeployLabel::parse(self.label(operand.row().label))
    }

    /// Has the whole node been opted out with `nvidia.com/gpu.deploy.operands=false`?
    pub fn is_opted_out(&self) -> bool {
        self.label(labels::DEPLOY_OPERANDS) == Some(labels::OFF)
    }

    /// Does any deploy label stand on it?
    pub fn has_deploy_label(&self) -> bool {
        self.labels
            .keys()
            .any(|key| key.starts_with(labels::DEPLOY_PREFIX))
    }

    /// A GPU node as far as the operator, or whoever labels its nodes, is concerned.
    pub fn is_gpu(&self) -> bool {
        self.label(labels::GPU_PRESENT) == Some(labels::ON) || self.has_deploy_label()
    }

    /// The GPU PCI label that NFD wrote on it, of the three the operator knows.
    pub fn gpu_pci_label(&self) -> Option<&'static str> {
        labels::GPU_PCI
            .into_iter()
            .find(|key| self.label(key) == Some(labels::ON))
    }

    /// Does it carry any label of NFD's?
    pub fn has_nfd_label(&self) -> bool {
        self.labels
            .keys()
            .any(|key| key.starts_with(labels::NFD_PREFIX))
    }

    /// What the node's own label says it is for, where it says something the operator knows.
    pub fn workload_label(&self) -> Option<Workload> {
        let value = self.label(labels::WORKLOAD_CONFIG)?;
        [
            Workload::Container,
            Workload::VmPassthrough,
            Workload::VmVgpu,
        ]
        .into_iter()
        .find(|it| it.name() == value)
    }

    /// Nobody hears from it, so nothing is known of its pods.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self.readiness,
            Readiness::Unknown(_) | Readiness::NotReady(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn every_spelling_of_a_deploy_label_has_one_meaning() {
        use DeployLabel::*;
        let paused = |by: &[Pauser], old: DeployLabel| Paused {
            by: by.to_vec(),
            resumes_as: Box::new(old),
        };
        for (value, want) in [
            (None, Absent),
            (Some(""), Empty),
            (Some("true"), On),
            (Some("false"), Off),
            (Some("pre-installed"), PreInstalled),
            (Some("True"), Other("True".into())),
            (
                Some("paused-for-driver-upgrade"),
                paused(&[Pauser::Driver], On),
            ),
            (Some("paused-for-vgpu-change"), paused(&[Pauser::Vgpu], On)),
            (
                Some("paused-for-mig-change_paused-for-driver-upgrade"),
                paused(&[Pauser::Driver, Pauser::Mig], paused(&[Pauser::Mig], On)),
            ),
            (
                Some("mine_paused-for-driver-upgrade"),
                paused(&[Pauser::Driver], Other("mine".into())),
            ),
            (Some("paused-for-lunch"), Other("paused-for-lunch".into())),
        ] {
            assert_eq!(DeployLabel::parse(value), want, "{value:?}");
        }
    }

    #[test]
    fn a_taint_is_printed_as_kubectl_does() {
        let taint = |value: &str| Taint {
            key: "team".into(),
            value: value.into(),
            effect: "NoSchedule".into(),
        };
        assert_eq!(taint("ml").to_string(), "team=ml:NoSchedule");
        assert_eq!(taint("").to_string(), "team:NoSchedule");
    }

    #[test]
    fn a_gpu_node_is_one_that_the_operator_or_a_person_labelled_as_such() {
        for (key, value, want) in [
            ("nvidia.com/gpu.present", "true", true),
            ("nvidia.com/gpu.present", "false", false),
            ("nvidia.com/gpu.present", "", false),
            // In a lab nobody writes gpu.present.
            ("nvidia.com/gpu.deploy.driver", "true", true),
            ("nvidia.com/gpu.deploy.driver", "false", true),
            ("nvidia.com/gpu.deploy.operands", "false", true),
            ("feature.node.kubernetes.io/pci-10de.present", "true", false),
            ("nvidia.com/gpu.count", "8", false),
        ] {
            let node = node("a").label(key, value).build();
            assert_eq!(node.is_gpu(), want, "{key}={value}");
            assert_eq!(node.has_deploy_label(), key.contains(".deploy."), "{key}");
        }
        assert!(!node("a").build().is_gpu());
    }

    #[test]
    fn a_node_is_opted_out_by_one_value_of_one_label() {
        for (value, want) in [
            ("false", true),
            ("true", false),
            ("", false),
            ("False", false),
        ] {
            let node = node("a")
                .label("nvidia.com/gpu.deploy.operands", value)
                .build();
            assert_eq!(node.is_opted_out(), want, "{value}");
        }
        assert!(!node("a").build().is_opted_out());
    }

    #[test]
    fn only_three_spellings_of_the_pci_label_count() {
        for (key, value, counts) in [
            ("feature.node.kubernetes.io/pci-10de.present", "true", true),
            (
                "feature.node.kubernetes.io/pci-0302_10de.present",
                "true",
                true,
            ),
            (
                "feature.node.kubernetes.io/pci-0300_10de.present",
                "true",
                true,
            ),
            (
                "feature.node.kubernetes.io/pci-10de.present",
                "false",
                false,
            ),
            (
                "feature.node.kubernetes.io/pci-1200_10de.present",
                "true",
                false,
            ),
            (
                "feature.node.kubernetes.io/pci-0b40_10de.present",
                "true",
                false,
            ),
            ("feature.node.kubernetes.io/pci-15b3.present", "true", false),
        ] {
            let node = node("a").label(key, value).build();
            assert_eq!(node.gpu_pci_label(), counts.then_some(key), "{key}={value}");
            assert!(node.has_nfd_label());
        }
        assert!(
            !node("a")
                .label("nvidia.com/gpu.present", "true")
                .build()
                .has_nfd_label()
        );
    }

    #[test]
    fn a_node_is_for_what_its_label_says_where_the_operator_knows_the_word() {
        for (value, want) in [
            ("container", Some(Workload::Container)),
            ("vm-passthrough", Some(Workload::VmPassthrough)),
            ("vm-vgpu", Some(Workload::VmVgpu)),
            ("dra", None),
            ("vm", None),
            ("", None),
        ] {
            let node = node("a")
                .label("nvidia.com/gpu.workload.config", value)
                .build();
            assert_eq!(node.workload_label(), want, "{value}");
        }
        assert_eq!(node("a").build().workload_label(), None);
    }

    #[test]
    fn a_pause_says_who_made_it_and_what_comes_back() {
        for (value, by, resumes_as) in [
            (
                "paused-for-driver-upgrade",
                &[Pauser::Driver][..],
                DeployLabel::On,
            ),
            ("paused-for-mig-change", &[Pauser::Mig], DeployLabel::On),
            (
                "false_paused-for-driver-upgrade",
                &[Pauser::Driver],
                DeployLabel::Off,
            ),
            (
                "pre-installed_paused-for-driver-upgrade",
                &[Pauser::Driver],
                DeployLabel::PreInstalled,
            ),
            (
                "_paused-for-driver-upgrade",
                &[Pauser::Driver],
                DeployLabel::Empty,
            ),
            (
                "x_paused-for-mig-change",
                &[Pauser::Mig],
                DeployLabel::Other("x".into()),
            ),
        ] {
            let want = DeployLabel::Paused {
                by: by.to_vec(),
                resumes_as: Box::new(resumes_as),
            };
            assert_eq!(DeployLabel::parse(Some(value)), want, "{value}");
        }
    }

    #[test]
    fn values_that_only_look_like_a_pause_are_somebodys_own() {
        for value in [
            "paused",
            "paused-for-",
            "paused-for-driver-upgrade ",
            "paused-for-driver-upgrade_",
            "xpaused-for-driver-upgrade",
            "Paused-for-driver-upgrade",
            "preinstalled",
            "TRUE",
            "yes",
            "1",
        ] {
            assert_eq!(
                DeployLabel::parse(Some(value)),
                DeployLabel::Other(value.into())
            );
        }
    }

    #[test]
    fn each_operand_reads_its_own_label() {
        let node = node("a")
            .deploys(Id::Driver, "pre-installed")
            .deploys(Id::DevicePlugin, "false")
            .deploys(Id::Dcgm, "")
            .build();
        for (id, want) in [
            (Id::Driver, DeployLabel::PreInstalled),
            (Id::DevicePlugin, DeployLabel::Off),
            (Id::MpsControlDaemon, DeployLabel::Off),
            (Id::Dcgm, DeployLabel::Empty),
            (Id::DcgmExporter, DeployLabel::Absent),
        ] {
            assert_eq!(node.deploy(id), want, "{}", id.name());
        }
    }
}
