//! What follows for one node from its labels, the policies and the DaemonSets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::asked::{Asking, Chooser};
use super::owner::{self, Owner};
use super::recipe::{Base, Recipe, Unmade};
use super::reference::Image;
use super::tag::Parts;
use super::wanted::NeededImage;
use super::what_if::Profile;
use crate::cluster::{Cluster, DeployLabel, Node, Policy};
use crate::facts::images::Role;
use crate::facts::labels;
use crate::facts::operands::{Id, Workload};
use crate::facts::release::Release;
use crate::standing::{Regime, Switched};

/// What follows for a node.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    /// The policy that decides; `None` where only DaemonSets do.
    pub(super) policy: Option<&'a Policy>,
    pub(super) is_precompiled: bool,
    /// The driver's version or branch, as spelled.
    pub(super) version: Option<String>,
    /// The OS part, where it can be told.
    pub(super) os_tag: Option<String>,
    pub(super) wish: Wish,
}

/// What a node needs.
#[derive(Debug)]
pub(super) enum Wish {
    /// These images: what each is for, and its index into `images`.
    Images(Vec<(Role, usize)>),
    /// A driver that the host brings; who says so.
    Host(String),
    /// No driver at all; why.
    Nothing(String),
    /// Nobody can tell.
    Untold(Untold),
}

/// Why nobody can tell what a node needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Untold {
    /// These labels are absent.
    OsLabels(Vec<&'static str>),
    /// The releases of the operator differ, and which one runs is not known; the tags by each rule.
    Release(Vec<String>),
    /// No NVIDIADriver selects it.
    NoNvidiaDriver,
    /// Several do.
    SeveralNvidiaDrivers(Vec<String>),
    /// The policy makes no image.
    Unmade(Unmade),
}

/// The architecture of a node in Go's spelling, or empty.
pub(super) fn architecture(node: &Node) -> &str {
    match node.architecture.as_str() {
        "" => node.label("kubernetes.io/arch").unwrap_or_default(),
        it => it,
    }
}

/// What outcomes are made from; collects the images that come out.
pub(super) struct Maker<'a, 'b> {
    pub(super) cluster: &'a Cluster,
    regime: &'b Regime<'a>,
    asking: &'b [Asking<'a>],
    chooser: Chooser<'b>,
    /// The release whose rule counts: said by the cluster, or read off the tags that are asked for.
    rule: Option<Release>,
    of_policy: Option<(Recipe, Recipe)>,
    of_drivers: HashMap<&'a str, Recipe>,
    images: Vec<NeededImage>,
    index: HashMap<Image, usize>,
}

impl<'a, 'b> Maker<'a, 'b> {
    pub(super) fn new(
        cluster: &'a Cluster,
        regime: &'b Regime<'a>,
        asking: &'b [Asking<'a>],
        rule: Option<Release>,
    ) -> Self {
        let both = |it: &Policy| (Recipe::of_cluster_policy(it), Recipe::of_vgpu_manager(it));
        let of_driver = |it: &'a Policy| (it.name.as_str(), Recipe::of_nvidia_driver(it));
        Self {
            cluster,
            regime,
            asking,
            chooser: Chooser::new(asking),
            rule,
            of_policy: regime.policy.map(both),
            of_drivers: cluster.nvidia_drivers().map(of_driver).collect(),
            images: Vec::new(),
            index: HashMap::new(),
        }
    }

    /// The images that came out, each once.
    pub(super) fn into_images(self) -> Vec<NeededImage> {
        self.images
    }

    /// The OS parts of all nodes that get their driver by the ClusterPolicy.
    pub(super) fn shared_systems(&self, profiles: &BTreeMap<&'a str, Profile>) -> BTreeSet<String> {
        if self.regime.policy.is_none() || self.follows_nvidia_drivers() {
            return BTreeSet::new();
        }
        let shares = |name: &str| {
            // Nodes are in the order of their names.
            let at = self
                .cluster
                .nodes
                .binary_search_by(|it| it.name.as_str().cmp(name));
            at.is_ok_and(|at| self.without_container(&self.cluster.nodes[at]).is_none())
        };
        let of = profiles.iter().filter(|(name, _)| shares(name));
        of.filter_map(|(_, it)| self.os_tag(it)).collect()
    }

    /// Do NVIDIADrivers say what drivers are, rather than the ClusterPolicy?
    fn follows_nvidia_drivers(&self) -> bool {
        self.regime
            .policy
            .map_or(self.regime.has_nvidia_driver, |it| {
                it.flag("driver.useNvidiaDriverCRD") == Some(true)
            })
    }

    /// Indices of the DaemonSets that choose a node.
    pub(super) fn chosen_by(&self, node: &Node) -> Vec<usize> {
        self.chooser.chosen(self.asking, node)
    }

    /// What a node of this profile needs.
    pub(super) fn outcome(
        &mut self,
        node: &'a Node,
        profile: &Profile,
        chosen_by: &[usize],
        is_shown: bool,
    ) -> Outcome<'a> {
        let mut outcome = Outcome {
            policy: None,
            is_precompiled: false,
            version: None,
            os_tag: self.os_tag(profile),
            wish: Wish::Nothing(String::new()),
        };
        if let Some(wish) = self.without_container(node) {
            outcome.wish = wish;
            return outcome;
        }
        let for_vgpu_hosts = self.regime.workload(node) == Workload::VmVgpu;
        let mut recipe = match self.recipe(node, for_vgpu_hosts, chosen_by) {
            Ok((policy, recipe)) => {
                outcome.policy = policy;
                recipe
            }
            Err(untold) => {
                outcome.wish = Wish::Untold(untold);
                return outcome;
            }
        };
        if recipe.parts.is_empty() {
            let Some(driver) = &profile.driver else {
                let why = "no ClusterPolicy, NVIDIADriver or driver DaemonSet asks for a driver";
                outcome.wish = Wish::Nothing(why.to_owned());
                return outcome;
            };
            recipe = Recipe::planned(driver);
        }
        if let Some(driver) = &profile.driver {
            for (_, base) in recipe.parts.iter_mut().filter(|it| is_of_driver(it.0)) {
                *base = base.with_version(driver);
            }
        }
        outcome.is_precompiled = recipe.is_precompiled;
        outcome.version = recipe.parts[0].1.version().map(str::to_owned);
        let made = self.make(node, &recipe, &outcome, profile, chosen_by);
        outcome.wish = match made {
            Err(untold) => Wish::Untold(untold),
            Ok(images) => {
                // A driver from the operator's environment shows its version in its tag only.
                let tag = images.first().and_then(|it| it.1.tag.as_deref());
                let parts = tag.and_then(Parts::of);
                outcome.version = outcome
                    .version
                    .or_else(|| parts.map(|it| it.version.to_owned()));
                let images = images.into_iter();
                Wish::Images(
                    images
                        .filter_map(|(role, it)| self.note(role, it, node, is_shown))
                        .collect(),
                )
            }
        };
        outcome
    }

    /// Nodes that get no driver container: the host brings the driver, or the workload needs none.
    fn without_container(&self, node: &Node) -> Option<Wish> {
        if !node.is_gpu() {
            return Some(Wish::Nothing("the node has no GPU".to_owned()));
        }
        let workload = self.regime.workload(node);
        let operand = match workload {
            Workload::VmPassthrough => {
                return Some(Wish::Nothing(
                    "virtual machines get its GPUs whole".to_owned(),
                ));
            }
            Workload::VmVgpu => Id::VgpuManager,
            Workload::Container | Workload::Dra => Id::Driver,
        };
        let key = operand.row().label;
        match node.deploy(operand) {
            DeployLabel::PreInstalled => return Some(Wish::Host(format!("{key}=pre-installed"))),
            DeployLabel::Off => return Some(Wish::Host(format!("{key}=false"))),
            DeployLabel::On => {}
            _ if node.is_opted_out() => {
                return Some(Wish::Host(format!("{}=false", labels::DEPLOY_OPERANDS)));
            }
            _ => {}
        }
        match self.regime.switched(operand) {
            Switched::Off(why) => Some(Wish::Host(why)),
            Switched::On => None,
        }
    }

    /// The policy and the recipe that count for a node; without any policy, what DaemonSets show.
    fn recipe(
        &self,
        node: &'a Node,
        for_vgpu_hosts: bool,
        chosen_by: &[usize],
    ) -> Result<(Option<&'a Policy>, Recipe), Untold> {
        match (self.follows_nvidia_drivers(), &self.of_policy) {
            (true, _) => match owner::owner(self.cluster, node, for_vgpu_hosts) {
                Owner::One(it) => {
                    let recipe = self.of_drivers.get(it.name.as_str()).cloned();
                    recipe
                        .map(|recipe| (Some(it), recipe))
                        .ok_or(Untold::NoNvidiaDriver)
                }
                Owner::Nobody => Err(Untold::NoNvidiaDriver),
                Owner::Several(all) => {
                    let names = all.iter().map(|it| it.name.clone()).collect();
                    Err(Untold::SeveralNvidiaDrivers(names))
                }
            },
            (false, Some((driver, vgpu))) => {
                let recipe = if for_vgpu_hosts { vgpu } else { driver };
                Ok((self.regime.policy, recipe.clone()))
            }
            (false, None) => {
                let images: Vec<_> = self.shown_images(chosen_by).collect();
                Ok((None, Recipe::of_images(&images)))
            }
        }
    }

    /// The images that the DaemonSets on a node ask for; without one, those of the first DaemonSet there is.
    fn shown_images(&self, chosen_by: &[usize]) -> impl Iterator<Item = (Role, Image)> {
        let first = chosen_by.first().copied().unwrap_or_default();
        let shown = self.asking.get(first).map(|it| it.images.as_slice());
        let images = shown.unwrap_or_default().iter();
        images.filter_map(|it| Some((it.role, it.image.as_ref().ok()?.clone())))
    }

    fn os_tag(&self, profile: &Profile) -> Option<String> {
        let os = profile.os.as_ref().ok()?;
        match self.rule {
            Some(rule) => Some(os.tag(rule)),
            None => match os.candidates().as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
        }
    }

    /// The images of a recipe on a node.
    fn make(
        &self,
        node: &Node,
        recipe: &Recipe,
        outcome: &Outcome<'_>,
        profile: &Profile,
        chosen_by: &[usize],
    ) -> Result<Vec<(Role, Image)>, Untold> {
        // Nobody but the DaemonSets says anything, so what they say is what is needed now.
        let is_said = outcome.policy.is_none() && !chosen_by.is_empty();
        if is_said && *profile == Profile::of(node) {
            return Ok(self.shown_images(chosen_by).collect());
        }
        let all_by_digest = recipe.parts.iter().all(|it| it.1.is_digest());
        let os = match (&profile.os, &outcome.os_tag) {
            _ if all_by_digest => "",
            (_, Some(os)) => os,
            (Err(missing), None) => return Err(Untold::OsLabels(missing.clone())),
            (Ok(os), None) => return Err(Untold::Release(os.candidates())),
        };
        let part = |(role, base): &(Role, Base)| {
            let kernel =
                (recipe.is_precompiled && is_of_driver(*role)).then_some(profile.kernel.as_deref());
            match base.image(kernel, os) {
                Ok(image) => Ok((*role, image)),
                Err(Unmade::Environment) => {
                    let shown = self.operators_default(*role, chosen_by, os);
                    shown
                        .map(|it| (*role, it))
                        .ok_or(Untold::Unmade(Unmade::Environment))
                }
                Err(why) => Err(Untold::Unmade(why)),
            }
        };
        recipe.parts.iter().map(part).collect()
    }

    /// What the operator's environment names, as a DaemonSet shows it, for a node of this system.
    fn operators_default(&self, role: Role, chosen_by: &[usize], os: &str) -> Option<Image> {
        let (_, image) = self.shown_images(chosen_by).find(|it| it.0 == role)?;
        let parts = image.tag.as_deref().and_then(Parts::of);
        match (&image.digest, parts) {
            (
                None,
                Some(Parts {
                    version,
                    kernel: None,
                    ..
                }),
            ) => Image::parse(&format!("{}:{version}-{os}", image.name)).ok(),
            _ => Some(image),
        }
    }

    /// Takes an image into the list of those that are needed. Nodes that nobody asked about need none.
    fn note(
        &mut self,
        role: Role,
        image: Image,
        node: &Node,
        is_shown: bool,
    ) -> Option<(Role, usize)> {
        if !is_shown {
            return None;
        }
        let at = *self.index.entry(image.clone()).or_insert(self.images.len());
        if at == self.images.len() {
            self.images.push(NeededImage {
                image,
                roles: BTreeSet::new(),
                nodes: BTreeSet::new(),
                architectures: BTreeSet::new(),
            });
        }
        let it = &mut self.images[at];
        it.roles.insert(role);
        it.nodes.insert(node.name.clone());
        let architecture = architecture(node);
        if !architecture.is_empty() {
            it.architectures.insert(architecture.to_owned());
        }
        Some((role, at))
    }
}

/// Does the image follow the driver's version and kernel?
fn is_of_driver(role: Role) -> bool {
    matches!(role, Role::Driver | Role::Peermem | Role::VgpuManager)
}
