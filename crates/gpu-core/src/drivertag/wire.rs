//! The JSON of gpu-drivertag, version 1.

use serde::Serialize;

use super::asked::Asked;
use super::judge::{Availability, Ledger};
use super::kernel;
use super::outcome::{Untold, Wish, architecture};
use super::reference::Image;
use super::tag::Parts;
use super::wanted::{NeededImage, NodeNeeds};
use crate::answer::wire::{Body, Summary, json};
use crate::facts::images::Role;

/// A node: what it needs, what it is asked to run, and what it runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireNode {
    name: String,
    /// The kernel as NFD's label has it; null where it has none. After a change: the new one.
    kernel: Option<String>,
    /// The kernel as the node itself reports it.
    node_kernel: Option<String>,
    /// Is the label what NFD makes of the node's own report? Null where one of them is absent.
    kernel_agrees: Option<bool>,
    /// The OS part of the tag; null where it cannot be told.
    os_tag: Option<String>,
    arch: Option<String>,
    /// The policy that decides, as `ClusterPolicy/name`; null where there is none.
    policy: Option<String>,
    wanted: Vec<WireImageOf>,
    asked: Vec<WireAsked>,
    running: Vec<WireRunning>,
    verdict: &'static str,
    /// Why no image is wanted; empty where one is.
    why: String,
}

/// An image that a node needs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireImageOf {
    role: &'static str,
    /// Registry and repository.
    image: String,
    /// Null for an image that is given by digest.
    tag: Option<String>,
    digest: Option<String>,
}

/// An image that a DaemonSet asks a node to run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireAsked {
    role: &'static str,
    /// Registry and repository; the whole text where it is no image reference.
    image: String,
    tag: Option<String>,
    digest: Option<String>,
    daemon_set: String,
}

/// An image that runs on a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireRunning {
    role: &'static str,
    image: String,
    tag: Option<String>,
    digest: Option<String>,
    pod: String,
    /// The word kubectl prints under STATUS.
    status: String,
}

/// An image that is needed, and whether it is there.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireImage {
    image: String,
    tag: Option<String>,
    digest: Option<String>,
    arch: Vec<String>,
    nodes: Vec<String>,
    inventory: &'static str,
    registry: &'static str,
    nearest: Option<String>,
}

/// A stage of a change.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireStage {
    /// As typed.
    change: String,
    /// The nodes that change and need a driver image then.
    nodes: Vec<String>,
    /// The full references that have to exist before it.
    images: Vec<String>,
    /// Those of them that do not.
    absent: Vec<String>,
}

/// The parts of a DriverTagReport beside the envelope.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverTagParts {
    nodes: Vec<WireNode>,
    images: Vec<WireImage>,
    /// The stages of a change; empty for the present.
    stages: Vec<WireStage>,
}

/// One driver image that is to be built.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct WireBuild<'a> {
    branch: &'a str,
    kernel: Option<&'a str>,
    os: &'a str,
    arch: &'a str,
}

/// The parts of the report.
pub(super) fn body(ledger: &Ledger<'_>) -> Body {
    let parts = DriverTagParts {
        nodes: ledger.nodes().map(|it| node(ledger, it)).collect(),
        images: images(ledger),
        stages: ledger
            .needs
            .stages
            .iter()
            .map(|it| stage(ledger, it))
            .collect(),
    };
    let mut summary = Summary {
        nodes: ledger.nodes().count(),
        gpu_nodes: ledger.nodes().filter(|it| it.node.is_gpu()).count(),
        ..Summary::default()
    };
    for it in ledger.nodes() {
        *summary
            .by_state
            .entry(ledger.verdict(it).name())
            .or_default() += 1;
    }
    Body {
        operator: ledger.needs.regime.operator(),
        summary,
        parts: vec![
            ("nodes", json(parts.nodes)),
            ("images", json(parts.images)),
            ("stages", json(parts.stages)),
        ],
    }
}

fn node(ledger: &Ledger<'_>, it: &NodeNeeds<'_>) -> WireNode {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let label = it.node.label(crate::facts::images::KERNEL);
    let raw = &it.node.kernel;
    let agrees = label
        .filter(|_| !raw.is_empty())
        .map(|label| kernel::label_of(raw) == label);
    let asked = it.chosen_by.iter().flat_map(|at| {
        let asking = &ledger.needs.asking[*at];
        asking
            .images
            .iter()
            .map(|it| asked(it, &asking.daemon_set.name))
    });
    let running = it.running.iter().filter(|it| it.was_started());
    WireNode {
        name: it.node.name.clone(),
        kernel: it.profile.kernel.clone(),
        node_kernel: some(raw),
        kernel_agrees: agrees,
        os_tag: it.outcome.os_tag.clone(),
        arch: some(architecture(it.node)),
        policy: it.outcome.policy.map(crate::cluster::Policy::title),
        wanted: it
            .images()
            .iter()
            .map(|(role, at)| wanted(*role, ledger.image(*at)))
            .collect(),
        asked: asked.collect(),
        running: running
            .map(|it| WireRunning {
                role: it.role.name(),
                image: it.image.name.clone(),
                tag: it.image.tag.clone(),
                digest: it.image.digest.clone(),
                pod: it.pod.name.clone(),
                status: it.pod.status.clone(),
            })
            .collect(),
        verdict: ledger.verdict(it).name(),
        why: why(it),
    }
}

/// Why a node has no image that it needs.
pub(super) fn why(it: &NodeNeeds<'_>) -> String {
    match &it.outcome.wish {
        Wish::Images(_) => String::new(),
        Wish::Host(why) | Wish::Nothing(why) => why.clone(),
        Wish::Untold(untold) => match untold {
            Untold::OsLabels(missing) => format!("without {}", missing.join(" and ")),
            Untold::Release(tags) => format!(
                "the operator's version is not known, so the OS part is {}",
                tags.join(" or ")
            ),
            Untold::NoNvidiaDriver => "no NVIDIADriver selects it".to_owned(),
            Untold::SeveralNvidiaDrivers(names) => {
                format!("NVIDIADrivers {} select it", names.join(" and "))
            }
            Untold::Unmade(why) => why.in_words(),
        },
    }
}

fn wanted(role: Role, it: &Image) -> WireImageOf {
    WireImageOf {
        role: role.name(),
        image: it.name.clone(),
        tag: it.tag.clone(),
        digest: it.digest.clone(),
    }
}

fn asked(it: &Asked<'_>, daemon_set: &str) -> WireAsked {
    let image = it.image.as_ref().ok();
    WireAsked {
        role: it.role.name(),
        image: image.map_or_else(|| it.text.to_owned(), |it| it.name.clone()),
        tag: image.and_then(|it| it.tag.clone()),
        digest: image.and_then(|it| it.digest.clone()),
        daemon_set: daemon_set.to_owned(),
    }
}

/// All images, by name and tag.
fn images(ledger: &Ledger<'_>) -> Vec<WireImage> {
    let mut all: Vec<_> = ledger.needs.images.iter().zip(&ledger.states).collect();
    all.sort_by(|a, b| a.0.image.cmp(&b.0.image));
    let image = |(it, state): (&NeededImage, &super::judge::State)| WireImage {
        image: it.image.name.clone(),
        tag: it.image.tag.clone(),
        digest: it.image.digest.clone(),
        arch: it.architectures.iter().cloned().collect(),
        nodes: it.nodes.iter().cloned().collect(),
        inventory: state.inventory.name(),
        registry: state.registry.name(),
        nearest: state.nearest.clone(),
    };
    all.into_iter().map(image).collect()
}

fn stage(ledger: &Ledger<'_>, it: &super::wanted::StageNeeds) -> WireStage {
    let mut images: Vec<_> = it.images.iter().copied().collect();
    images.sort_by_key(|at| ledger.image(*at));
    let named = |all: &[usize]| all.iter().map(|at| ledger.image(*at).to_string()).collect();
    let is_absent = |at: &&usize| ledger.states[**at].availability() == Availability::Absent;
    let absent: Vec<_> = images.iter().filter(is_absent).copied().collect();
    WireStage {
        change: it.title.clone(),
        nodes: it.nodes.clone(),
        images: named(&images),
        absent: named(&absent),
    }
}

/// The driver images that are to be built, as a matrix for CI: all that are not known to be there, one entry an
/// architecture.
pub(super) fn build_matrix(ledger: &Ledger<'_>) -> String {
    use super::existence::Existence::WrongArchitecture;
    let mut all = std::collections::BTreeSet::new();
    for (it, state) in ledger.needs.images.iter().zip(&ledger.states) {
        let is_driver = it.roles.contains(&Role::Driver) || it.roles.contains(&Role::VgpuManager);
        let is_there = state.availability() == Availability::Present;
        let parts = it.image.tag.as_deref().and_then(Parts::of);
        let (true, false, Some(parts)) = (is_driver, is_there, parts) else {
            continue;
        };
        let arches: Vec<&str> = match &state.registry {
            WrongArchitecture(lacking) => lacking.iter().map(String::as_str).collect(),
            _ => it.architectures.iter().map(String::as_str).collect(),
        };
        all.extend(arches.into_iter().map(|arch| WireBuild {
            branch: parts.version,
            kernel: parts.kernel,
            os: parts.os,
            arch,
        }));
    }
    crate::render::json_safe(&format!("{:#}", json(all))) + "\n"
}
