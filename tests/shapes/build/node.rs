//! A node with the labels that NFD, GFD and a cloud write on it.

use serde_json::{Value, json};

use super::object::{JOINED, NOW, uid};
use super::release::Release;

/// A node to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Node(pub Value);

/// What kind of GPU is in a node, and how it is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Card {
    /// `nvidia.com/gpu.product`.
    pub(crate) product: &'static str,
    /// `nvidia.com/gpu.family`.
    pub(crate) family: &'static str,
    /// `nvidia.com/gpu.compute.major`.
    pub(crate) compute: u32,
    /// `nvidia.com/gpu.count`.
    pub(crate) count: u32,
    /// `nvidia.com/mig.capable`.
    pub(crate) mig: bool,
}

impl Card {
    /// A card without MIG.
    pub(crate) const T4: Self = Self {
        product: "Tesla-T4",
        family: "turing",
        compute: 7,
        count: 1,
        mig: false,
    };
    /// A card with MIG, known by its product too.
    pub(crate) const A100: Self = Self {
        product: "NVIDIA-A100-SXM4-40GB",
        family: "ampere",
        compute: 8,
        count: 8,
        mig: true,
    };
    /// A card with MIG that is known by GFD's label only.
    pub(crate) const B200: Self = Self {
        product: "NVIDIA-B200",
        family: "blackwell",
        compute: 10,
        count: 8,
        mig: true,
    };
}

/// Kernel and OS of a node, as NFD writes them.
const KERNEL: &str = "5.15.0-105-generic";

impl Node {
    /// A Ready node that NFD has not seen.
    pub(crate) fn bare(name: &str) -> Self {
        let condition = |kind: &str, status: &str, reason: &str, message: &str| {
            json!({ "type": kind, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": NOW, "lastTransitionTime": JOINED })
        };
        Self(json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {
                "name": name, "uid": uid(name), "creationTimestamp": JOINED,
                "labels": {
                    "kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
                },
                "annotations": {},
            },
            "spec": {},
            "status": {
                "capacity": { "cpu": "32", "memory": "131885168Ki", "pods": "110" },
                "allocatable": { "cpu": "32", "memory": "131782768Ki", "pods": "110" },
                "conditions": [
                    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                    condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
                ],
                "nodeInfo": {
                    "architecture": "amd64", "operatingSystem": "linux", "kernelVersion": KERNEL,
                    "osImage": "Ubuntu 22.04.4 LTS", "containerRuntimeVersion": "containerd://1.7.20",
                    "kubeletVersion": "v1.33.1",
                },
            },
        }))
    }

    /// A node without GPU that NFD has seen.
    pub(crate) fn cpu(name: &str) -> Self {
        Self::bare(name).kernel(KERNEL).os("ubuntu", "22.04")
    }

    /// A node of the control plane.
    pub(crate) fn control_plane(name: &str) -> Self {
        Self::cpu(name)
            .label("node-role.kubernetes.io/control-plane", "")
            .taint("node-role.kubernetes.io/control-plane:NoSchedule")
    }

    /// A node in which NFD sees a GPU, and GFD what it is.
    pub(crate) fn gpu(name: &str, release: &Release, card: Card) -> Self {
        Self::cpu(name).pci().gfd(release, card)
    }

    /// NFD's label for NVIDIA's PCI devices, and what the operator makes of it.
    pub(crate) fn pci(self) -> Self {
        self.label("feature.node.kubernetes.io/pci-10de.present", "true")
            .label("nvidia.com/gpu.present", "true")
    }

    /// NFD's labels for a kernel.
    pub(crate) fn kernel(mut self, kernel: &str) -> Self {
        self.0["status"]["nodeInfo"]["kernelVersion"] = json!(kernel);
        let mut parts = kernel.split(['.', '-']);
        let mut next = || parts.next().unwrap_or("0").to_owned();
        let (major, minor) = (next(), next());
        self.label(
            "feature.node.kubernetes.io/kernel-version.full",
            &kernel.replace('+', "_"),
        )
        .label("feature.node.kubernetes.io/kernel-version.major", &major)
        .label("feature.node.kubernetes.io/kernel-version.minor", &minor)
    }

    /// NFD's labels for an operating system.
    pub(crate) fn os(mut self, id: &str, version: &str) -> Self {
        self.0["status"]["nodeInfo"]["osImage"] = json!(match id {
            "ubuntu" => format!("Ubuntu {version}.4 LTS"),
            other => format!("{other} {version}"),
        });
        let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
        self.label("feature.node.kubernetes.io/system-os_release.ID", id)
            .label(
                "feature.node.kubernetes.io/system-os_release.VERSION_ID",
                version,
            )
            .label(
                "feature.node.kubernetes.io/system-os_release.VERSION_ID.major",
                major,
            )
            .label(
                "feature.node.kubernetes.io/system-os_release.VERSION_ID.minor",
                minor,
            )
    }

    /// GFD's labels of a release, and the GPUs that the device plugin offers.
    pub(crate) fn gfd(self, release: &Release, card: Card) -> Self {
        let (major, rest) = release
            .driver
            .split_once('.')
            .unwrap_or((release.driver, ""));
        let (minor, patch) = rest.split_once('.').unwrap_or((rest, ""));
        let cuda = if release.is(25, 10) { "13" } else { "12" };
        let count = card.count.to_string();
        let compute = card.compute.to_string();
        let mig = card.mig.to_string();
        let mut node = self
            .labels(&[
                ("cuda.driver.major", major),
                ("cuda.driver.minor", minor),
                ("cuda.driver.rev", patch),
                ("cuda.runtime.major", cuda),
                ("cuda.runtime.minor", "0"),
                ("gfd.timestamp", "1772355900"),
                ("gpu.compute.major", &compute),
                ("gpu.compute.minor", "0"),
                ("gpu.count", &count),
                ("gpu.family", card.family),
                ("gpu.machine", "PowerEdge-XE8545"),
                ("gpu.memory", "40960"),
                ("gpu.product", card.product),
                ("gpu.replicas", "1"),
                ("mig.capable", &mig),
                ("mig.strategy", "single"),
            ])
            .resource("nvidia.com/gpu", card.count);
        if release.is(24, 3) {
            node = node.labels(&[
                ("cuda.driver-version.full", release.driver),
                ("cuda.driver-version.major", major),
                ("cuda.runtime-version.full", &format!("{cuda}.0")),
                ("cuda.runtime-version.major", cuda),
                ("gpu.sharing-strategy", "none"),
                ("mps.capable", "false"),
            ]);
        }
        if release.is(24, 6) {
            node.labels(&[("gpu.mode", "compute")])
        } else {
            node
        }
    }

    fn labels(self, all: &[(&str, &str)]) -> Self {
        all.iter().fold(self, |node, (key, value)| {
            node.label(&format!("nvidia.com/{key}"), value)
        })
    }

    /// With a label.
    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["labels"][key] = json!(value);
        self
    }

    /// With a deploy label.
    pub(crate) fn deploy(self, operand: &str, value: &str) -> Self {
        self.label(&format!("nvidia.com/gpu.deploy.{operand}"), value)
    }

    /// Without the labels whose key starts so.
    pub(crate) fn without(mut self, start: &str) -> Self {
        let labels = self.0["metadata"]["labels"]
            .as_object_mut()
            .expect("labels are an object");
        labels.retain(|key, _| !key.starts_with(start));
        self
    }

    /// The value of a label.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0["metadata"]["labels"][key].as_str()
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.0["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// With a taint, as kubectl writes it: `key=value:effect`.
    pub(crate) fn taint(mut self, text: &str) -> Self {
        let (rest, effect) = text.rsplit_once(':').expect("a taint has an effect");
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        let mut taint = json!({ "key": key, "effect": effect });
        if !value.is_empty() {
            taint["value"] = json!(value);
        }
        match self.0["spec"]["taints"].as_array_mut() {
            Some(taints) => taints.push(taint),
            None => self.0["spec"]["taints"] = json!([taint]),
        }
        self
    }

    /// Cordoned, as kubectl does it.
    pub(crate) fn cordoned(mut self) -> Self {
        self.0["spec"]["unschedulable"] = json!(true);
        self.taint("node.kubernetes.io/unschedulable:NoSchedule")
    }

    /// With so many of a resource, all of them to be had.
    pub(crate) fn resource(self, name: &str, count: u32) -> Self {
        self.offers(name, count, count)
    }

    /// With so many of a resource, of which so many are to be had.
    pub(crate) fn offers(mut self, name: &str, capacity: u32, allocatable: u32) -> Self {
        self.0["status"]["capacity"][name] = json!(capacity.to_string());
        self.0["status"]["allocatable"][name] = json!(allocatable.to_string());
        self
    }

    /// With the condition Ready `False` or `Unknown`, and the taints the node controller adds then.
    pub(crate) fn ready(mut self, status: &str) -> Self {
        let (reason, message, key) = match status {
            "Unknown" => (
                "NodeStatusUnknown",
                "Kubelet stopped posting node status.",
                "unreachable",
            ),
            _ => (
                "KubeletNotReady",
                "container runtime network not ready",
                "not-ready",
            ),
        };
        self.0["status"]["conditions"][2] = json!({
            "type": "Ready", "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": NOW, "lastTransitionTime": NOW,
        });
        self.taint(&format!("node.kubernetes.io/{key}:NoSchedule"))
            .taint(&format!("node.kubernetes.io/{key}:NoExecute"))
    }

    /// With another runtime.
    pub(crate) fn runtime(mut self, version: &str) -> Self {
        self.0["status"]["nodeInfo"]["containerRuntimeVersion"] = json!(version);
        self
    }
}
