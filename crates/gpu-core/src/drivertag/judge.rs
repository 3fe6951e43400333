//! What is needed, held against what there is: a verdict a node, findings and gaps.

use std::collections::BTreeSet;

use super::existence::Existence;
use super::inventory::{Inventory, Listed};
use super::nearest::nearest;
use super::outcome::{Untold, Wish};
use super::reference::Image;
use super::rules;
use super::wanted::{NeededImage, Needs, NodeNeeds};
use crate::answer::{Finding, Gap, Severity};
use crate::cluster::Kind;
use crate::facts::images::Role;
use crate::standing;

/// What was found out about the images there are.
#[derive(Debug, Default)]
pub struct Stock {
    /// The images somebody has, as a file lists them; `None` where no file was given.
    pub inventory: Option<Inventory>,
    /// What registries answered, in the order of `Needs::questions`; empty where none was asked.
    pub answers: Vec<Existence>,
    /// The tags that registries listed: for hints only.
    pub listed: Inventory,
}

/// An image and what is known of it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) inventory: Listed,
    pub(super) registry: Existence,
    /// The nearest tag there is, where this one is not known to be there.
    pub(super) nearest: Option<String>,
}

/// Is an image there, all told?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Availability {
    /// Somebody who would know says that it is not there, or not for these machines.
    Absent,
    /// Nobody says anything.
    Unknown,
    /// It is there.
    Present,
}

impl Availability {
    /// As lines write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unknown => "unknown",
            Self::Present => "present",
        }
    }
}

impl State {
    pub(super) fn availability(&self) -> Availability {
        let is_absent = self.inventory == Listed::Absent
            || matches!(
                self.registry,
                Existence::Absent | Existence::WrongArchitecture(_)
            );
        let is_present = self.inventory == Listed::Present || self.registry == Existence::Present;
        match (is_absent, is_present) {
            (true, _) => Availability::Absent,
            (false, true) => Availability::Present,
            (false, false) => Availability::Unknown,
        }
    }
}

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It needs an image that is not there.
    Absent,
    /// It is asked to run another image than it needs.
    Wrong,
    /// Nobody can tell.
    Unknown,
    /// Nothing speaks against it.
    Ok,
    /// The host brings the driver.
    PreInstalled,
}

impl Verdict {
    /// As every output writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Wrong => "wrong",
            Self::Unknown => "unknown",
            Self::Ok => "ok",
            Self::PreInstalled => "pre-installed",
        }
    }
}

/// Everything the rules decide over.
#[derive(Debug)]
pub struct Ledger<'a> {
    pub(super) needs: Needs<'a>,
    pub(super) states: Vec<State>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(needs: Needs<'a>, stock: Stock) -> Self {
        let mut answers = stock.answers.into_iter();
        let state = |it: &NeededImage| {
            let is_driver = it
                .roles
                .iter()
                .any(|it| matches!(it, Role::Driver | Role::Peermem));
            let listed = stock
                .inventory
                .as_ref()
                .map(|list| list.holds(&it.image, is_driver));
            let mut state = State {
                inventory: listed.unwrap_or(Listed::NotAsked),
                registry: answers.next().unwrap_or(Existence::NotAsked),
                nearest: None,
            };
            if state.availability() == Availability::Absent {
                let lists = stock.inventory.iter().chain([&stock.listed]);
                let tags: BTreeSet<_> = lists.flat_map(|list| list.tags_for(&it.image)).collect();
                state.nearest = nearest(it.image.version(), &tags).map(str::to_owned);
            }
            state
        };
        let states = needs.images.iter().map(state).collect();
        Self { needs, states }
    }

    /// The nodes that were asked about.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeNeeds<'a>> {
        self.needs.nodes.iter().filter(|it| it.is_shown)
    }

    pub(super) fn image(&self, at: usize) -> &Image {
        &self.needs.images[at].image
    }

    /// The worst that is known of the images a node needs.
    pub(super) fn availability(&self, node: &NodeNeeds<'_>) -> Availability {
        let all = node
            .images()
            .iter()
            .map(|it| self.states[it.1].availability());
        all.min().unwrap_or(Availability::Unknown)
    }

    pub(super) fn verdict(&self, node: &NodeNeeds<'_>) -> Verdict {
        match &node.outcome.wish {
            Wish::Host(_) => Verdict::PreInstalled,
            Wish::Nothing(_) => Verdict::Ok,
            Wish::Untold(_) => Verdict::Unknown,
            Wish::Images(_) if self.availability(node) == Availability::Absent => Verdict::Absent,
            Wish::Images(_) if self.wrong(node).next().is_some() => Verdict::Wrong,
            Wish::Images(images) if images.iter().any(|it| self.is_unsettled(it.1)) => {
                Verdict::Unknown
            }
            Wish::Images(_) => Verdict::Ok,
        }
    }

    /// Somebody was asked about it, and nobody could say.
    fn is_unsettled(&self, image: usize) -> bool {
        let state = &self.states[image];
        let was_asked = state.registry != Existence::NotAsked || state.inventory == Listed::Unknown;
        was_asked && state.availability() == Availability::Unknown
    }

    /// The images that DaemonSets ask a node to run and that are others than it needs: index into `asking`, the
    /// image asked for, and the one needed. Of a change nothing is asked yet.
    pub(super) fn wrong<'b>(
        &'b self,
        node: &'b NodeNeeds<'a>,
    ) -> impl Iterator<Item = (usize, &'b Image, &'b Image)> {
        let is_now = !self.needs.is_what_if();
        let chosen = node.chosen_by.iter().filter(move |_| is_now);
        let asked = chosen.flat_map(|at| {
            self.needs.asking[*at]
                .images
                .iter()
                .map(move |it| (*at, it))
        });
        asked.filter_map(move |(at, it)| {
            let image = it.image.as_ref().ok()?;
            let (_, needed) = node.images().iter().find(|(role, _)| *role == it.role)?;
            let needed = self.image(*needed);
            image.differs(needed).then_some((at, image, needed))
        })
    }

    /// What the rules find, worst first.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let rules = rules::RULES.iter();
        let counts =
            |it: &&rules::TagRule| !self.needs.is_what_if() || !rules::ABOUT_NOW.contains(&it.id);
        let mut findings: Vec<_> = rules
            .filter(counts)
            .flat_map(|rule| {
                let found = (rule.find)(self).into_iter();
                found.map(|it| it.finding(rule.id, rule.severity))
            })
            .collect();
        standing::rule::sort(&mut findings);
        // The cluster as a whole comes first, as what is wrong with nodes follows from it.
        findings.sort_by_key(|it| {
            (
                it.severity,
                it.severity == Severity::Error && it.node.is_some(),
            )
        });
        findings
    }

    /// What could not be seen and is needed.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let mut gaps = self.unread();
        gaps.extend(self.release_gap());
        gaps.extend(self.unanswered());
        gaps
    }

    fn unread(&self) -> Vec<Gap> {
        let has_policy = !self.needs.cluster.policies.is_empty();
        let is_now = !self.needs.is_what_if();
        let policy = "which image a policy asks for is not known";
        let needed = [
            (Kind::Node, true, "which images are needed is not known"),
            (Kind::ClusterPolicy, true, policy),
            (
                Kind::NvidiaDriver,
                self.needs.regime.policy.is_none() || self.follows_nvidia_drivers(),
                policy,
            ),
            (
                Kind::DaemonSet,
                is_now || !has_policy,
                "which image a node is asked to run is not known",
            ),
            (Kind::Pod, is_now, "which image a node runs is not known"),
        ];
        let gap = |(kind, matters, effect): (Kind, bool, &str)| {
            let why = self.needs.cluster.unseen(kind).filter(|_| matters)?;
            Some(Gap {
                what: kind.row().plural.to_owned(),
                why,
                effect: effect.to_owned(),
            })
        };
        needed.into_iter().filter_map(gap).collect()
    }

    /// Do NVIDIADrivers decide?
    pub(super) fn follows_nvidia_drivers(&self) -> bool {
        self.needs
            .regime
            .policy
            .is_some_and(|it| it.flag("driver.useNvidiaDriverCRD") == Some(true))
    }

    /// The rules of the releases differ for some node, and nothing tells which counts.
    fn release_gap(&self) -> Option<Gap> {
        let untold = self.nodes().find_map(|it| match &it.outcome.wish {
            Wish::Untold(Untold::Release(tags)) => Some((it, tags)),
            _ => None,
        });
        let (node, tags) = untold?;
        Some(Gap {
            what: "operator version".to_owned(),
            why: "no policy, Deployment or DaemonSet names the operator's release".to_owned(),
            effect: format!(
                "the OS part of the tag of node/{} may be {}; --operator-version settles it",
                node.node.name,
                tags.join(" or ")
            ),
        })
    }

    /// Registries that did not say whether an image is there, each reason once.
    fn unanswered(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        for (needed, state) in self.needs.images.iter().zip(&self.states) {
            let why = match &state.registry {
                Existence::Denied(why) => format!("not allowed to look: {why}"),
                Existence::Throttled(why) => format!("asked to wait: {why}"),
                Existence::Unreachable(why) => format!("no answer: {why}"),
                Existence::Untrusted(why) => format!("its certificate is not trusted: {why}"),
                Existence::Present
                | Existence::Absent
                | Existence::WrongArchitecture(_)
                | Existence::NotAsked => continue,
            };
            let what = format!("registry {}", needed.image.reference().registry);
            if !gaps.iter().any(|it| it.what == what && it.why == why) {
                let effect = format!("whether {} exists is not known", needed.image);
                gaps.push(Gap { what, why, effect });
            }
        }
        gaps
    }
}
