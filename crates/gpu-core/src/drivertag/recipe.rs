//! How a policy spells its images, and the reference that the operator makes of it for a node.

use serde_json::Value;

use super::reference::{Image, InvalidImage};
use super::tag::Parts;
use crate::cluster::{Kind, Policy};
use crate::facts::images::{DEFAULT_IMAGE, DEFAULT_REPOSITORY, DEFAULT_VGPU_IMAGE, Role};

/// What one policy says about the images of its driver pods.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    /// Are the kernel modules in the image?
    pub(super) is_precompiled: bool,
    /// The images, the driver first.
    pub(super) parts: Vec<(Role, Base)>,
}

/// One image as spelled, before anything is appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Repository, image and version.
    Spelled {
        /// `nvcr.io/nvidia/driver`.
        name: String,
        /// `550.90.07`, `550`, `sha256:…`.
        version: String,
    },
    /// Only `image`, which then is a whole reference.
    Whole(String),
    /// Nothing: the operator's environment decides.
    Environment,
    /// Some of the three, and these fields are missing.
    Incomplete(Vec<String>),
}

/// Why no reference can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unmade {
    /// Precompiled, and the node has no kernel label.
    NoKernel,
    /// Precompiled, and the version is a digest.
    DigestWithKernel,
    /// Precompiled, and no image is named.
    PrecompiledUnnamed,
    /// Fields are missing.
    Incomplete(Vec<String>),
    /// The environment decides, and no DaemonSet shows what it says.
    Environment,
    /// What comes out is no reference.
    Invalid(String, InvalidImage),
}

impl Recipe {
    /// The driver of a ClusterPolicy, and what runs beside it.
    pub(super) fn of_cluster_policy(policy: &Policy) -> Self {
        let on = |path: &str| policy.flag(path) == Some(true);
        let driver = Base::read(policy, "driver", None);
        let mut parts = vec![(Role::Driver, driver.clone())];
        if on("driver.rdma.enabled") {
            parts.push((Role::Peermem, driver));
        }
        for (role, path) in [(Role::Gds, "gds"), (Role::Gdrcopy, "gdrcopy")] {
            if on(&format!("{path}.enabled")) {
                parts.push((role, Base::read(policy, path, None)));
            }
        }
        Self {
            is_precompiled: on("driver.usePrecompiled"),
            parts,
        }
    }

    /// The driver of a ClusterPolicy for hosts of virtual machines.
    pub(super) fn of_vgpu_manager(policy: &Policy) -> Self {
        Self {
            is_precompiled: false,
            parts: vec![(Role::VgpuManager, Base::read(policy, "vgpuManager", None))],
        }
    }

    /// The driver of an NVIDIADriver.
    pub(super) fn of_nvidia_driver(policy: &Policy) -> Self {
        let on = |path: &str| policy.flag(path) == Some(true);
        let (role, image) = match is_for_vgpu_hosts(policy) {
            true => (Role::VgpuManager, DEFAULT_VGPU_IMAGE),
            false => (Role::Driver, DEFAULT_IMAGE),
        };
        let driver = Base::read(policy, "", Some(image));
        let mut parts = vec![(role, driver.clone())];
        if on("rdma.enabled") {
            parts.push((Role::Peermem, driver));
        }
        for (role, path) in [(Role::Gds, "gds"), (Role::Gdrcopy, "gdrcopy")] {
            if on(&format!("{path}.enabled")) {
                parts.push((role, Base::read(policy, path, None)));
            }
        }
        Self {
            is_precompiled: on("usePrecompiled"),
            parts,
        }
    }

    /// A driver that no policy asks for yet.
    pub(super) fn planned(driver: &str) -> Self {
        let base = Base::Spelled {
            name: format!("{DEFAULT_REPOSITORY}/{DEFAULT_IMAGE}"),
            version: driver.to_owned(),
        };
        Self {
            is_precompiled: !driver.contains('.'),
            parts: vec![(Role::Driver, base)],
        }
    }

    /// What the images of DaemonSets that no policy made say of themselves.
    pub(super) fn of_images(images: &[(Role, Image)]) -> Self {
        let base = |image: &Image| match (image.tag.as_deref().map(Parts::of), &image.digest) {
            (Some(Some(parts)), None) => (
                Base::Spelled {
                    name: image.name.clone(),
                    version: parts.version.to_owned(),
                },
                parts.kernel.is_some(),
            ),
            _ => (Base::Environment, false),
        };
        let parts: Vec<_> = images.iter().map(|(role, it)| (*role, base(it))).collect();
        Self {
            is_precompiled: parts.iter().any(|(_, (_, is_precompiled))| *is_precompiled),
            parts: parts
                .into_iter()
                .map(|(role, (it, _))| (role, it))
                .collect(),
        }
    }
}

/// Is it for hosts of virtual machines?
pub(super) fn is_for_vgpu_hosts(driver: &Policy) -> bool {
    driver.text("driverType") == Some("vgpu-host-manager")
}

impl Base {
    /// Reads the three fields below `path`. Defaults count for NVIDIADrivers, whose schema has them.
    fn read(policy: &Policy, path: &str, default_image: Option<&str>) -> Self {
        let full = |key: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        // A version that YAML takes for a number is one all the same.
        let text = |key: &str| match policy.at(&full(key)) {
            Some(Value::String(it)) => it.clone(),
            Some(Value::Number(it)) => it.to_string(),
            _ => String::new(),
        };
        let (mut repository, mut image, version) =
            (text("repository"), text("image"), text("version"));
        if policy.kind == Kind::NvidiaDriver && !version.is_empty() {
            if repository.is_empty() {
                DEFAULT_REPOSITORY.clone_into(&mut repository);
            }
            if image.is_empty() {
                default_image.unwrap_or_default().clone_into(&mut image);
            }
        }
        match (repository.is_empty(), image.is_empty(), version.is_empty()) {
            (false, false, false) => Self::Spelled {
                name: format!("{repository}/{image}"),
                version,
            },
            (true, false, true) => Self::Whole(image),
            (true, true, true) if policy.kind != Kind::NvidiaDriver => Self::Environment,
            _ => {
                let fields = [
                    ("repository", &repository),
                    ("image", &image),
                    ("version", &version),
                ];
                let missing = fields.iter().filter(|it| it.1.is_empty());
                Self::Incomplete(missing.map(|it| full(it.0)).collect())
            }
        }
    }

    /// The version as spelled, where there is one.
    pub(super) fn version(&self) -> Option<&str> {
        match self {
            Self::Spelled { version, .. } => Some(version),
            Self::Whole(_) | Self::Environment | Self::Incomplete(_) => None,
        }
    }

    /// The same with another driver.
    pub(super) fn with_version(&self, driver: &str) -> Self {
        match self {
            Self::Spelled { name, .. } => Self::Spelled {
                name: name.clone(),
                version: driver.to_owned(),
            },
            Self::Whole(image) => {
                let path = image.rfind('/').map_or(0, |it| it + 1);
                let end = image[path..]
                    .find([':', '@'])
                    .map_or(image.len(), |it| path + it);
                Self::Spelled {
                    name: image[..end].to_owned(),
                    version: driver.to_owned(),
                }
            }
            Self::Environment | Self::Incomplete(_) => Self::Spelled {
                name: format!("{DEFAULT_REPOSITORY}/{DEFAULT_IMAGE}"),
                version: driver.to_owned(),
            },
        }
    }

    /// The reference, as the operator's imagePath and resolveDriverTag put it together. `kernel` is given for
    /// precompiled drivers.
    pub(super) fn image(&self, kernel: Option<Option<&str>>, os: &str) -> Result<Image, Unmade> {
        let start = match self {
            Self::Spelled { name, version } if version.starts_with("sha256:") => match kernel {
                Some(_) => return Err(Unmade::DigestWithKernel),
                None => format!("{name}@{version}"),
            },
            Self::Spelled { name, version } => format!("{name}:{version}"),
            Self::Whole(image) => image.clone(),
            Self::Environment if kernel.is_some() => return Err(Unmade::PrecompiledUnnamed),
            Self::Environment => return Err(Unmade::Environment),
            Self::Incomplete(missing) => return Err(Unmade::Incomplete(missing.clone())),
        };
        let text = match kernel {
            // Whatever holds a digest is left alone.
            _ if start.contains("sha256:") => start,
            Some(Some(kernel)) => format!("{start}-{kernel}-{os}"),
            Some(None) => return Err(Unmade::NoKernel),
            None => format!("{start}-{os}"),
        };
        Image::parse(&text).map_err(|why| Unmade::Invalid(text, why))
    }

    /// Is it given by digest, so that nothing is appended?
    pub(super) fn is_digest(&self) -> bool {
        match self {
            Self::Spelled { version, .. } => version.starts_with("sha256:"),
            Self::Whole(image) => image.contains("sha256:"),
            Self::Environment | Self::Incomplete(_) => false,
        }
    }
}

impl Unmade {
    /// As a clause.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::NoKernel => {
                "the node has no kernel label, and drivers are precompiled".to_owned()
            }
            Self::DigestWithKernel => {
                "drivers are precompiled, and a digest in driver.version takes no kernel".to_owned()
            }
            Self::PrecompiledUnnamed => {
                "drivers are precompiled, and the policy names no image".to_owned()
            }
            Self::Incomplete(missing) => format!("{} is not set", missing.join(" and ")),
            Self::Environment => {
                "the policy names no image, and no DaemonSet shows the operator's default"
                    .to_owned()
            }
            Self::Invalid(text, why) => format!("{text} is no image: {why}"),
        }
    }
}
