//! The images each node needs, by its own labels and the rule of the operator's release.

use std::collections::{BTreeMap, BTreeSet};

use super::asked::{self, Asking};
use super::existence::Question;
use super::os_tag::Os;
use super::outcome::{Maker, Outcome, Wish};
use super::reference::Image;
use super::running::{self, Running};
use super::what_if::{Profile, WhatIf};
use crate::cluster::{Cluster, Node};
use crate::facts::images::{OS_TAG_RULES, Role};
use crate::facts::release::Release;
use crate::standing::{Regime, Scope, UnknownNode};

/// What the nodes of a scope need, before anybody is asked whether it exists.
#[derive(Debug)]
pub struct Needs<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) regime: Regime<'a>,
    /// All GPU nodes by name, and others that were named.
    pub(super) nodes: Vec<NodeNeeds<'a>>,
    /// Every image that a node of the scope needs, each once.
    pub(super) images: Vec<NeededImage>,
    /// All driver DaemonSets.
    pub(super) asking: Vec<Asking<'a>>,
    /// The stages of a change, in their order.
    pub(super) stages: Vec<StageNeeds>,
}

/// An image that is needed, and where.
#[derive(Debug)]
pub(super) struct NeededImage {
    pub(super) image: Image,
    pub(super) roles: BTreeSet<Role>,
    pub(super) nodes: BTreeSet<String>,
    pub(super) architectures: BTreeSet<String>,
}

/// What a stage of a change needs.
#[derive(Debug)]
pub(super) struct StageNeeds {
    pub(super) title: String,
    /// The nodes that change and need a driver image then.
    pub(super) nodes: Vec<String>,
    /// Indices into `images`.
    pub(super) images: BTreeSet<usize>,
    /// The OS parts that nodes under a ClusterPolicy have then.
    pub(super) systems: BTreeSet<String>,
}

/// What one node needs, is asked to run, and runs.
#[derive(Debug)]
pub(super) struct NodeNeeds<'a> {
    pub(super) node: &'a Node,
    /// Is it of the scope? The others only tell whether the nodes are alike.
    pub(super) is_shown: bool,
    pub(super) profile: Profile,
    pub(super) outcome: Outcome<'a>,
    /// Indices into `asking` of the DaemonSets that choose it.
    pub(super) chosen_by: Vec<usize>,
    pub(super) running: Vec<Running<'a>>,
}

/// Works out what every node of the scope needs, now or after a change. `release` overrides what the cluster
/// says. The error is a node that was named, by the scope or by a stage, and is not there.
pub fn needs<'a>(
    cluster: &'a Cluster,
    scope: &Scope,
    release: Option<Release>,
    what_if: &WhatIf,
) -> Result<Needs<'a>, UnknownNode> {
    let regime = Regime::read(cluster, release);
    let asking = asked::asking(cluster);
    let rule = regime.release.or_else(|| rule_asked_for(cluster, &asking));
    let shown: BTreeSet<_> = scope
        .nodes(cluster)?
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let is_named = !scope.names.is_empty();
    let is_kept = |it: &&Node| it.is_gpu() || is_named && shown.contains(it.name.as_str());
    let nodes: Vec<_> = cluster.nodes.iter().filter(is_kept).collect();
    let mut maker = Maker::new(cluster, &regime, &asking, rule);
    let mut profiles: BTreeMap<_, _> = nodes
        .iter()
        .map(|it| (it.name.as_str(), Profile::of(it)))
        .collect();
    let stages = stages(&mut maker, &mut profiles, &shown, what_if)?;
    let mut running = running::by_node(cluster);
    let nodes = nodes
        .into_iter()
        .filter_map(|node| {
            let profile = profiles.remove(node.name.as_str())?;
            let is_shown = shown.contains(node.name.as_str());
            let chosen_by = maker.chosen_by(node);
            Some(NodeNeeds {
                node,
                is_shown,
                outcome: maker.outcome(node, &profile, &chosen_by, is_shown),
                profile,
                chosen_by,
                running: running.remove(node.name.as_str()).unwrap_or_default(),
            })
        })
        .collect();
    let images = maker.into_images();
    Ok(Needs {
        cluster,
        regime,
        nodes,
        images,
        asking,
        stages,
    })
}

/// Makes the changes one after the other, and notes what each of them needs.
fn stages<'a>(
    maker: &mut Maker<'a, '_>,
    profiles: &mut BTreeMap<&'a str, Profile>,
    shown: &BTreeSet<&str>,
    what_if: &WhatIf,
) -> Result<Vec<StageNeeds>, UnknownNode> {
    let mut stages = Vec::new();
    for stage in &what_if.stages {
        let mut needs = StageNeeds {
            title: stage.title.clone(),
            nodes: Vec::new(),
            images: BTreeSet::new(),
            systems: BTreeSet::new(),
        };
        for node in stage.scope.nodes(maker.cluster)? {
            let Some(profile) = profiles.get_mut(node.name.as_str()) else {
                continue;
            };
            profile.apply(&stage.change);
            let is_shown = shown.contains(node.name.as_str());
            let outcome = maker.outcome(node, profile, &maker.chosen_by(node), is_shown);
            if let (true, Wish::Images(images)) = (is_shown, outcome.wish) {
                needs.nodes.push(node.name.clone());
                needs.images.extend(images.iter().map(|it| it.1));
            }
        }
        needs.systems = maker.shared_systems(profiles);
        stages.push(needs);
    }
    Ok(stages)
}

/// The rule by which the tags were made that DaemonSets ask for, where a node's system tells the rules apart.
fn rule_asked_for(cluster: &Cluster, asking: &[Asking<'_>]) -> Option<Release> {
    let mut found = None;
    for node in cluster.nodes.iter().filter(|it| it.is_gpu()) {
        let Ok(os) = Os::of(node) else {
            continue;
        };
        if os.candidates().len() < 2 {
            continue;
        }
        let chosen = asking.iter().filter(|it| it.chooses(node));
        let tags: Vec<_> = chosen
            .flat_map(|it| &it.images)
            .filter_map(|it| it.image.as_ref().ok()?.tag.as_deref())
            .collect();
        let made_by = |it: &&(Release, &[(&str, u32)])| {
            let end = format!("-{}", os.tag(it.0));
            tags.iter().any(|tag| tag.ends_with(&end))
        };
        found = found.max(OS_TAG_RULES.iter().find(made_by).map(|it| it.0));
    }
    found
}

impl Needs<'_> {
    /// One question an image, in an order that `judge` expects the answers in.
    pub fn questions(&self) -> Vec<Question> {
        let question = |it: &NeededImage| Question {
            image: it.image.reference(),
            architectures: it.architectures.iter().cloned().collect(),
        };
        self.images.iter().map(question).collect()
    }

    /// Is this about the future?
    pub(super) fn is_what_if(&self) -> bool {
        !self.stages.is_empty()
    }
}

impl NodeNeeds<'_> {
    /// Is a driver image what it needs, told or not?
    pub(super) fn wants_driver(&self) -> bool {
        matches!(self.outcome.wish, Wish::Images(_) | Wish::Untold(_))
    }

    /// Indices of the images it needs.
    pub(super) fn images(&self) -> &[(Role, usize)] {
        match &self.outcome.wish {
            Wish::Images(images) => images,
            Wish::Host(_) | Wish::Nothing(_) | Wish::Untold(_) => &[],
        }
    }
}
