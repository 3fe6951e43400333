//! The rules of gpu-drivertag, one file each; `RULES` is the list of them all.

mod asks_another_image;
mod branch_and_version_confused;
mod daemonset_orphaned;
mod driver_container_fails;
mod driver_image_outdated;
mod driver_version_has_os;
mod image_absent;
mod image_never_published;
mod image_not_pulled;
mod image_other_architecture;
mod invalid_image;
mod kernel_label_missing;
mod mixed_os;
mod nfd_label_stale;
mod no_nvidiadriver;
mod nvidiadrivers_conflict;
mod operator_version_unknown;
mod os_label_missing;
mod policy_names_no_image;
mod tag_without_os;

use super::judge::Ledger;
use super::reference::Image;
use super::tag::Parts;
use super::wanted::NodeNeeds;
use crate::answer::Subject;
use crate::facts::images::{
    NVIDIA_DRIVER, PRECOMPILED_OS, PUBLISHED_FLAVOURS, PUBLISHED_OS, UNPUBLISHED_ELSE,
    UNPUBLISHED_OS,
};
use crate::standing::{Found, Rule};

/// A rule that looks at images.
pub type TagRule = Rule<fn(&Ledger<'_>) -> Vec<Found>>;

/// All rules of gpu-drivertag, by name.
pub const RULES: &[TagRule] = &[
    asks_another_image::RULE,
    branch_and_version_confused::RULE,
    daemonset_orphaned::RULE,
    driver_container_fails::RULE,
    driver_image_outdated::RULE,
    driver_version_has_os::RULE,
    image_absent::RULE,
    image_never_published::RULE,
    image_not_pulled::RULE,
    image_other_architecture::RULE,
    invalid_image::RULE,
    kernel_label_missing::RULE,
    mixed_os::RULE,
    nfd_label_stale::RULE,
    no_nvidiadriver::RULE,
    nvidiadrivers_conflict::RULE,
    operator_version_unknown::RULE,
    os_label_missing::RULE,
    policy_names_no_image::RULE,
    tag_without_os::RULE,
];

/// Rules about what is asked for and runs at present; of a change they say nothing.
pub(super) const ABOUT_NOW: &[&str] = &[
    asks_another_image::RULE.id,
    daemonset_orphaned::RULE.id,
    driver_container_fails::RULE.id,
    driver_image_outdated::RULE.id,
    image_not_pulled::RULE.id,
    invalid_image::RULE.id,
    nfd_label_stale::RULE.id,
    tag_without_os::RULE.id,
];

/// The policy of a node as the subject, else the node itself.
fn policy_or_node(it: &NodeNeeds<'_>) -> Subject {
    it.outcome
        .policy
        .map_or_else(|| Subject::from(it.node), Subject::from)
}

/// `kubectl edit clusterpolicy/name`, where a policy decides.
fn edit(it: &NodeNeeds<'_>) -> String {
    it.outcome.policy.map_or_else(
        || "kubectl get daemonsets -A -o wide".to_owned(),
        |policy| format!("kubectl edit {}", policy.address()),
    )
}

/// Where the fields of the driver are in a policy: `driver.version`, or `version` in an NVIDIADriver.
fn field(it: &NodeNeeds<'_>, name: &str) -> String {
    match it.outcome.policy.map(|it| it.kind) {
        Some(crate::cluster::Kind::NvidiaDriver) | None => name.to_owned(),
        Some(_) => format!("driver.{name}"),
    }
}

/// Has NVIDIA never published such an image? Why, and the way out.
fn never_published(image: &Image) -> Option<(String, String)> {
    if image.name != NVIDIA_DRIVER {
        return None;
    }
    let parts = Parts::of(image.tag.as_deref()?)?;
    let id = id_of(parts.os);
    if !PUBLISHED_OS.contains(&id) {
        let known = UNPUBLISHED_OS.iter().find(|it| it.0 == id);
        let (name, hint) = known.map_or((id, UNPUBLISHED_ELSE), |it| (it.1, it.2));
        let why = format!("NVIDIA publishes no driver images for {name} (system {id})");
        return Some((why, hint.to_owned()));
    }
    let kernel = super::kernel::Kernel::parse(parts.kernel?);
    if id != PRECOMPILED_OS {
        let why =
            format!("NVIDIA publishes precompiled drivers for {PRECOMPILED_OS} only, not for {id}");
        return Some((
            why,
            "build the image, or set usePrecompiled=false".to_owned(),
        ));
    }
    (!PUBLISHED_FLAVOURS.contains(&kernel.flavour)).then(|| {
        let why = format!(
            "NVIDIA publishes no precompiled driver for the kernel flavour {:?}, only for {}",
            kernel.flavour,
            PUBLISHED_FLAVOURS.join(", ")
        );
        (
            why,
            "set usePrecompiled=false, or build the image".to_owned(),
        )
    })
}

/// The ID in an OS part: `rhel` in `rhel9.4`, `talos` in `talosv1.6.1`.
fn id_of(os: &str) -> &str {
    let name = os.split(|c: char| c.is_ascii_digit()).next().unwrap_or(os);
    match name.strip_suffix('v') {
        Some(id) if os.len() > name.len() && !id.is_empty() => id,
        _ => name,
    }
}

/// Is this a driver's branch, such as 570, rather than a full version?
fn is_branch(version: &str) -> bool {
    !version.is_empty() && version.chars().all(|c| c.is_ascii_digit())
}

/// A full version where images carry a branch, or a branch where they carry a full version.
fn confused(it: &NodeNeeds<'_>) -> Option<String> {
    let version = it.outcome.version.as_deref()?;
    let os = it.profile.os.as_ref().ok()?;
    let field = field(it, "version");
    match (it.outcome.is_precompiled, is_branch(version)) {
        (true, false)
            if os.id == PRECOMPILED_OS && Parts::of(&format!("{version}-x0")).is_some() =>
        {
            let branch = version.split('.').next().unwrap_or(version);
            Some(format!(
                "{field} is {version}, and the tags of NVIDIA's precompiled images start with the branch alone: {branch}"
            ))
        }
        (false, true) => Some(format!(
            "{field} is {version}, a branch, and the tags of drivers that are not precompiled start with a full version such as {version}.x.y"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_by_unique_kebab_case_ids() {
        for pair in RULES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{}", pair[1].id);
        }
        for rule in RULES {
            let is_kebab = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(rule.id.chars().all(is_kebab), "{}", rule.id);
            assert!(
                !rule.summary.is_empty() && !rule.summary.ends_with('.'),
                "{}",
                rule.id
            );
        }
    }

    #[test]
    fn what_nvidia_never_published_is_known_and_other_repositories_are_left_alone() {
        for (image, says) in [
            ("nvcr.io/nvidia/driver:550.54.14-amzn2", "Amazon Linux"),
            (
                "nvcr.io/nvidia/driver:535-6.1.69-talos-talosv1.6.1",
                "Talos",
            ),
            ("nvcr.io/nvidia/driver:550.1.2-haiku5", "haiku"),
            (
                "nvcr.io/nvidia/driver:535-5.15.0-1028-gke-ubuntu22.04",
                "\"gke\"",
            ),
            (
                "nvcr.io/nvidia/driver:580-6.8.0-60-generic-64k-ubuntu24.04",
                "\"generic-64k\"",
            ),
            (
                "nvcr.io/nvidia/driver:550.54.14-5.14.0-284.el9_2.x86_64-rhel9.2",
                "ubuntu only",
            ),
            ("nvcr.io/nvidia/driver:550.54.14-ubuntu22.04", ""),
            ("nvcr.io/nvidia/driver:550.54.14-rhel8.9", ""),
            (
                "nvcr.io/nvidia/driver:580-6.8.0-1046-azure-fde-ubuntu24.04",
                "",
            ),
            ("registry.example.com/nvidia/driver:550.54.14-amzn2", ""),
            ("nvcr.io/nvidia/driver:mine", ""),
        ] {
            let found = never_published(&Image::parse(image).unwrap());
            let why = found.map(|it| it.0).unwrap_or_default();
            assert_eq!(why.is_empty(), says.is_empty(), "{image}: {why}");
            assert!(why.contains(says), "{image}: {why}");
        }
    }
}
