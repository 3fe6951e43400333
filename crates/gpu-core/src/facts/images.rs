//! How the operator names driver images, and which of them NVIDIA publishes.
//!
//! Source: NVIDIA/gpu-operator controllers/object_controls.go (resolveDriverTag), internal/state/nodepool.go (getOSTag),
//! api/nvidia/v1/clusterpolicy_types.go (imagePath), api/nvidia/v1alpha1/nvidiadriver_types.go, assets/state-driver/;
//! NVIDIA/gpu-driver-container versions.mk, README.md, .github/precompiled-matrix-config.json;
//! NVIDIA/cloud-native-docs gpu-operator/platform-support.rst. Read at: a22dbf67 (2026-08-21). Check again:
//! `cargo xtask facts --against DIR`.

use super::release::{ALWAYS, Release, V26_3, V26_7};

/// NFD's label with the kernel's release.
pub const KERNEL: &str = "feature.node.kubernetes.io/kernel-version.full";
/// NFD's label with `ID` of /etc/os-release.
pub const OS_ID: &str = "feature.node.kubernetes.io/system-os_release.ID";
/// NFD's label with `VERSION_ID` of /etc/os-release.
pub const OS_VERSION: &str = "feature.node.kubernetes.io/system-os_release.VERSION_ID";
/// The build of an OpenShift node's system, from OpenShift's NFD; it selects the driver built for that build.
pub const OSTREE_VERSION: &str = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION";
/// The OpenShift release of a node, from OpenShift's NFD.
pub const OPENSHIFT_VERSION: &str =
    "feature.node.kubernetes.io/system-os_release.OPENSHIFT_VERSION";
/// The NVIDIADriver that owns a node, since v26.7.
pub const DRIVER_OWNER: &str = "nvidia.com/gpu-operator.driver.owner";

/// What an image with an OS part in its tag is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The driver itself.
    Driver,
    /// GPUDirect RDMA; it runs from the driver's own image.
    Peermem,
    /// GPUDirect Storage.
    Gds,
    /// GDRCopy.
    Gdrcopy,
    /// The driver of a host of virtual machines.
    VgpuManager,
}

/// One row a role: its name, and the container it runs in.
pub const ROLES: [(Role, &str, &str); 5] = [
    (Role::Driver, "driver", "nvidia-driver-ctr"),
    (Role::Peermem, "peermem", "nvidia-peermem-ctr"),
    (Role::Gds, "gds", "nvidia-fs-ctr"),
    (Role::Gdrcopy, "gdrcopy", "nvidia-gdrcopy-ctr"),
    (Role::VgpuManager, "vgpu-manager", "nvidia-vgpu-manager-ctr"),
];

impl Role {
    /// As every output writes it.
    pub fn name(self) -> &'static str {
        ROLES[self as usize].1
    }

    /// The role of a container of a driver pod; `None` for containers whose image has no OS part.
    pub fn of_container(name: &str) -> Option<Self> {
        ROLES.iter().find(|it| it.2 == name).map(|it| it.0)
    }
}

/// What an NVIDIADriver takes where it names no repository.
pub const DEFAULT_REPOSITORY: &str = "nvcr.io/nvidia";
/// What an NVIDIADriver takes where it names no image.
pub const DEFAULT_IMAGE: &str = "driver";
/// The same for a host of virtual machines.
pub const DEFAULT_VGPU_IMAGE: &str = "vgpu-manager";
/// The repository that the table of published images speaks of.
pub const NVIDIA_DRIVER: &str = "nvcr.io/nvidia/driver";

/// From a release on, these IDs keep only the major of their version: each with the first major that loses its minor.
pub const OS_TAG_RULES: [(Release, &[(&str, u32)]); 3] = [
    (ALWAYS, &[]),
    (V26_3, &[("rocky", 0), ("rhel", 10)]),
    (V26_7, &[("ol", 0), ("rocky", 0), ("rhel", 0)]),
];

/// The OS part of a tag, by the rule of this release.
pub fn os_tag(release: Release, id: &str, version: &str) -> String {
    let rule = OS_TAG_RULES.iter().rev().find(|it| release >= it.0);
    let major = version.split('.').next().unwrap_or(version);
    let is_cut = rule.is_some_and(|(_, cut)| {
        cut.iter()
            .any(|(of, from)| *of == id && major.parse::<u32>().is_ok_and(|it| it >= *from))
    });
    format!("{id}{}", if is_cut { major } else { version })
}

/// IDs of operating systems that driver images have been published for, at one time or another.
pub const PUBLISHED_OS: [&str; 5] = ["ubuntu", "rhel", "rhcos", "rocky", "centos"];

/// What to do on a system that NVIDIA has published no driver image for: its ID, its name, and the way out.
pub const UNPUBLISHED_OS: [(&str, &str, &str); 13] = [
    (
        "amzn",
        "Amazon Linux",
        "use an AMI that brings the driver and set driver.enabled=false",
    ),
    (
        "cos",
        "Container-Optimized OS",
        "let the provider install its driver and set driver.enabled=false",
    ),
    (
        "talos",
        "Talos",
        "use the system extension with the driver and set driver.enabled=false",
    ),
    (
        "bottlerocket",
        "Bottlerocket",
        "use its variant that brings the driver and set driver.enabled=false",
    ),
    (
        "flatcar",
        "Flatcar",
        "install the driver on the host and set driver.enabled=false",
    ),
    (
        "debian",
        "Debian",
        "install the driver on the host and set driver.enabled=false",
    ),
    (
        "azurelinux",
        "Azure Linux",
        "install the driver on the host and set driver.enabled=false",
    ),
    (
        "fedora",
        "Fedora",
        "build the image, or install the driver on the host and set driver.enabled=false",
    ),
    (
        "scos",
        "CentOS Stream CoreOS",
        "build the image and name your repository in driver.repository",
    ),
    (
        "sles",
        "SUSE Linux Enterprise Server",
        "use SUSE's images: set driver.repository, image and version",
    ),
    (
        "sl-micro",
        "SUSE Linux Micro",
        "use SUSE's images: set driver.repository, image and version",
    ),
    (
        "ol",
        "Oracle Linux",
        "build the image and name your repository in driver.repository",
    ),
    (
        "buildroot",
        "a system made with Buildroot",
        "install the driver on the host and set driver.enabled=false",
    ),
];

/// The way out for a system that no row names.
pub const UNPUBLISHED_ELSE: &str =
    "use a supported system, or install the driver on the host and set driver.enabled=false";

/// Kernel flavours that precompiled images are published for, on Ubuntu and nowhere else.
pub const PUBLISHED_FLAVOURS: [&str; 6] =
    ["aws", "azure", "azure-fde", "generic", "nvidia", "oracle"];

/// The one system that precompiled images are published for.
pub const PRECOMPILED_OS: &str = "ubuntu";

/// IDs of operating systems that hold a dash, as the OS part of a tag then does.
pub const DASHED_OS: [&str; 4] = [
    "sl-micro",
    "sle-micro",
    "opensuse-leap",
    "opensuse-tumbleweed",
];

/// The first OpenShift release whose nodes call themselves rhel and no longer rhcos.
pub const OPENSHIFT_IS_RHEL: (u32, u32) = (4, 19);

/// Node labels that say which pool of like machines a node belongs to, the first that is there.
pub const POOL_LABELS: [&str; 6] = [
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "oci.oraclecloud.com/node-pool",
    "cluster.x-k8s.io/deployment-name",
];

/// What an image tag may hold at most.
pub const TAG_LIMIT: usize = 128;
/// The hexadecimal digits of a sha256 digest.
pub const DIGEST_DIGITS: usize = 64;
