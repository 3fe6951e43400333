//! The driver's DaemonSets under their other names: one a kernel, one an OpenShift release, one a pool.

use serde_json::json;

use super::parts::Part;
use super::policy::{self, Policy};
use super::release::Release;
use super::set::Set;

const DRIVER: &str = "nvidia-driver-daemonset";

/// The DaemonSet for one kernel, with a precompiled driver.
pub(crate) fn precompiled(
    release: &Release,
    home: &str,
    owner: &Policy,
    kernel: &str,
    os: &str,
) -> Set {
    let set = Set::of(Part::driver(), release, home, &owner.0);
    let branch = release.driver.split('.').next().unwrap_or_default();
    set.renamed(&format!("{DRIVER}-{kernel}-{os}"))
        .app(DRIVER)
        .image(&format!("nvcr.io/nvidia/driver:{branch}-{kernel}-{os}"))
        .selects("feature.node.kubernetes.io/kernel-version.full", kernel)
        .label("nvidia.com/precompiled", "true")
}

/// The DaemonSet for one release of Red Hat CoreOS, with the driver toolkit.
pub(crate) fn openshift_driver(release: &Release, home: &str, owner: &Policy, ostree: &str) -> Set {
    let set = Set::of(Part::driver(), release, home, &owner.0);
    let name = format!("{DRIVER}-{ostree}");
    let toolkit = format!(
        "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:{}",
        "0123".repeat(16)
    );
    set.renamed(&name)
        .app(&name)
        .image(&format!(
            "nvcr.io/nvidia/driver:{}-rhcos4.18",
            release.driver
        ))
        .selects(
            "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION",
            ostree,
        )
        .label("openshift.driver-toolkit", "true")
        .sidecar("openshift-driver-toolkit-ctr", &toolkit)
}

/// An NVIDIADriver.
pub(crate) fn nvidia_driver(name: &str, driver_type: &str, version: &str) -> Policy {
    let spec = json!({ "driverType": driver_type, "usePrecompiled": false, "image": "driver",
        "repository": "nvcr.io/nvidia", "version": version });
    policy::nvidia_driver(name, spec)
}

/// The DaemonSet of an NVIDIADriver for one operating system.
pub(crate) fn pool(release: &Release, home: &str, owner: &Policy, os: (&str, &str)) -> Set {
    let kind = owner.at("driverType").as_str().unwrap_or("gpu");
    let name = format!(
        "nvidia-{kind}-driver-{}{}-{}",
        os.0,
        os.1,
        super::object::suffix(&owner.0.to_string())
    );
    let is_host = kind == "vgpu-host-manager";
    let text = |key: &str| owner.at(key).as_str().unwrap_or_default();
    let (repository, image, version) = (text("repository"), text("image"), text("version"));
    let image = format!("{repository}/{image}:{version}-{}{}", os.0, os.1);
    let mut set = Set::of(
        if is_host {
            Part::vgpu_manager()
        } else {
            Part::driver()
        },
        release,
        home,
        &owner.0,
    )
    .renamed(&name)
    .app(&name)
    .image(&image)
    .selects("nvidia.com/gpu.present", "true")
    .selects("feature.node.kubernetes.io/system-os_release.ID", os.0)
    .selects(
        "feature.node.kubernetes.io/system-os_release.VERSION_ID",
        os.1,
    );
    if is_host {
        set = set.label("app.kubernetes.io/component", "nvidia-vgpu-host-manager");
    }
    for (key, value) in owner.at("nodeSelector").as_object().into_iter().flatten() {
        set = set.selects(key, value.as_str().unwrap_or_default());
    }
    if release.is(26, 7) {
        let owner = owner.0["metadata"]["name"].as_str().unwrap_or_default();
        set = set.selects("nvidia.com/gpu-operator.driver.owner", owner);
    }
    set
}
