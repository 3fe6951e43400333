//! An image that a node needs is not there.

use std::collections::BTreeSet;

use super::{confused, edit, field, never_published};
use crate::answer::{Severity, Subject};
use crate::drivertag::existence::Existence;
use crate::drivertag::inventory::Listed;
use crate::drivertag::judge::{Ledger, State};
use crate::drivertag::reference::Image;
use crate::drivertag::tag::Parts;
use crate::drivertag::view::some_names;
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::images::{OPENSHIFT_IS_RHEL, OPENSHIFT_VERSION, Role};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "image-absent",
    severity: Severity::Error,
    plugin: Plugin::DriverTag,
    summary: "an image that a node needs is not in the inventory or not in the registry",
    explanation: "The tag of a driver image is made from the driver's version, the node's operating system and, for \
        precompiled drivers, the node's kernel. The image has to exist under exactly that tag; a near one does not \
        help, because the kernel module in it fits one kernel only. The finding names the nearest there is. It is \
        absent where the inventory does not list it or the registry answers that it knows no such manifest; a registry \
        that cannot be asked says nothing.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in ledger.nodes() {
        let absent: Vec<_> = node
            .images()
            .iter()
            .filter(|(_, at)| is_absent(&ledger.states[*at]))
            .collect();
        // The driver's image serves peermem too, and is one cause.
        let mut seen = Vec::new();
        for (role, at) in absent {
            if !seen.contains(at) {
                seen.push(*at);
                found.push(say(ledger, node, *role, *at));
            }
        }
    }
    found.extend(on_the_way(ledger));
    found
}

/// Images that only a stage on the way needs.
fn on_the_way(ledger: &Ledger<'_>) -> Vec<Found> {
    let last: BTreeSet<_> = ledger
        .nodes()
        .flat_map(|it| it.images())
        .map(|it| it.1)
        .collect();
    let mut found = Vec::new();
    for (at, stage) in ledger.needs.stages.iter().enumerate() {
        let absent = stage
            .images
            .iter()
            .filter(|it| is_absent(&ledger.states[**it]) && !last.contains(it));
        found.extend(absent.map(|image| {
            let image = ledger.image(*image);
            let nodes: Vec<_> = stage.nodes.iter().map(String::as_str).collect();
            Found {
                operand: Some(Id::Driver),
                message: format!(
                    "stage {} ({}) needs {image}, which is not there",
                    at + 1,
                    stage.title
                ),
                cause: "a later stage needs it no more, and until then its nodes have no driver"
                    .to_owned(),
                consequences: vec![format!(
                    "{} would lose the driver for a while",
                    some_names(&nodes)
                )],
                evidence: vec![format!("needed by {}", some_names(&nodes))],
                fix: format!("build or copy {image}, or make one stage of the two"),
                ..Found::about(Subject {
                    kind: "Node",
                    namespace: None,
                    name: stage.nodes.first().cloned().unwrap_or_default(),
                })
            }
        }));
    }
    found
}

fn is_absent(state: &State) -> bool {
    state.inventory == Listed::Absent || state.registry == Existence::Absent
}

fn say(ledger: &Ledger<'_>, node: &NodeNeeds<'_>, role: Role, at: usize) -> Found {
    let (state, image) = (&ledger.states[at], ledger.image(at));
    let name = &node.node.name;
    let registry = image.reference().registry;
    let place = match (
        state.inventory == Listed::Absent,
        state.registry == Existence::Absent,
    ) {
        (true, true) => format!("neither in the inventory nor in {registry}"),
        (true, false) => "not in the inventory".to_owned(),
        (false, _) => format!("not in {registry}"),
    };
    let lead = match ledger.needs.is_what_if() {
        true => format!("after the change node/{name} needs"),
        false => format!("node/{name} needs"),
    };
    let what = match role {
        Role::Driver => String::new(),
        role => format!(" ({})", role.name()),
    };
    let mut evidence = vec![tag_from(node)];
    if let Some(nearest) = &state.nearest {
        evidence.push(format!("nearest there is: {nearest}"));
    }
    let consequence = match ledger.needs.is_what_if() {
        true => "the node would lose its driver, and all operands would wait behind it",
        false => "the driver pod cannot start there, and all operands wait behind it",
    };
    let (cause, fix) = why(node, image, state);
    Found {
        operand: Some(Id::Driver),
        subject: Subject::from(node.node),
        message: format!("{lead} {image}{what}, which is {place}"),
        cause,
        consequences: vec![consequence.to_owned()],
        evidence,
        fix,
        ..Found::on(node.node)
    }
}

/// What the tag was made from, as one clause of evidence.
fn tag_from(node: &NodeNeeds<'_>) -> String {
    let kernel = match (node.outcome.is_precompiled, &node.profile.kernel) {
        (true, Some(kernel)) => format!(", kernel {kernel}"),
        _ => String::new(),
    };
    format!(
        "{} {}, OS part {}{kernel}",
        field(node, "version"),
        node.outcome.version.as_deref().unwrap_or("from the image"),
        node.outcome.os_tag.as_deref().unwrap_or("none"),
    )
}

/// Why it is not there, and what to do.
fn why(node: &NodeNeeds<'_>, image: &Image, state: &State) -> (String, String) {
    let version = node.outcome.version.as_deref().unwrap_or_default();
    if let Some(os) = Parts::of(version).map(|it| it.os) {
        let bare = version.trim_end_matches(os).trim_end_matches('-');
        return (
            format!(
                "{} already ends in the OS part {os}, and the operator appends it a second time",
                field(node, "version")
            ),
            format!("{}: set {} to {bare}", edit(node), field(node, "version")),
        );
    }
    if let Some((why, hint)) = never_published(image) {
        return (why, hint);
    }
    if let Some(why) = confused(node) {
        return (why, edit(node));
    }
    let nearest = state.nearest.as_deref();
    if let Some(why) = renamed_system(node, nearest) {
        return (why, format!("build or copy the image as {image}"));
    }
    (
        gap_to(node, image, nearest),
        next_step(node, image, nearest),
    )
}

/// From OpenShift 4.19 on a node calls itself rhel, and images named for rhcos no longer fit.
fn renamed_system(node: &NodeNeeds<'_>, nearest: Option<&str>) -> Option<String> {
    let openshift = node.node.label(OPENSHIFT_VERSION)?;
    let os = node.profile.os.as_ref().ok()?;
    let mut numbers = openshift.split('.').map(|it| it.parse().unwrap_or(0));
    let release = (numbers.next()?, numbers.next().unwrap_or(0));
    let is_renamed = os.id == "rhel" && release >= OPENSHIFT_IS_RHEL;
    (is_renamed && nearest.is_none()).then(|| {
        format!(
            "from OpenShift {}.{} on nodes call themselves rhel, so the OS part is {} and no name made from the OpenShift release fits",
            OPENSHIFT_IS_RHEL.0,
            OPENSHIFT_IS_RHEL.1,
            node.outcome.os_tag.as_deref().unwrap_or("rhel")
        )
    })
}

/// How the nearest image differs from the one that is needed.
fn gap_to(node: &NodeNeeds<'_>, image: &Image, nearest: Option<&str>) -> String {
    let want = Parts::of(image.version());
    let near = nearest.and_then(Parts::of);
    match (want, near) {
        (Some(want), Some(near)) if want.kernel != near.kernel => format!(
            "a precompiled driver fits one kernel, and the nearest build is for kernel {}",
            near.kernel.unwrap_or("none")
        ),
        (Some(want), Some(near)) if want.os != near.os => format!(
            "version {} is there for {} and not for {}",
            want.version, near.os, want.os
        ),
        (Some(want), Some(near)) => format!(
            "{} is there in version {} and not in {}",
            match want.kernel {
                Some(kernel) => format!("kernel {kernel} of {}", want.os),
                None => want.os.to_owned(),
            },
            near.version,
            want.version
        ),
        _ if node.outcome.is_precompiled => {
            "no precompiled driver of this branch, kernel flavour and system is there".to_owned()
        }
        _ => "no image of this version and none for this system is there".to_owned(),
    }
}

fn next_step(node: &NodeNeeds<'_>, image: &Image, nearest: Option<&str>) -> String {
    let build = format!("build or copy {image}");
    match (nearest.and_then(Parts::of), node.outcome.is_precompiled) {
        (Some(near), true)
            if near.kernel != Parts::of(image.version()).and_then(|it| it.kernel) =>
        {
            format!(
                "{build}, keep the node on kernel {}, or set usePrecompiled=false with a full version",
                near.kernel.unwrap_or("none")
            )
        }
        (Some(near), _) if Some(near.os) == node.outcome.os_tag.as_deref() => {
            format!(
                "{build}, or set {} to {}",
                field(node, "version"),
                near.version
            )
        }
        _ => build,
    }
}
