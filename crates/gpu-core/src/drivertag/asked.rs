//! The images that driver DaemonSets ask for.

use super::reference::{Image, InvalidImage};
use crate::cluster::{Cluster, DaemonSet, Node, Refusal};
use crate::facts::images::Role;
use crate::facts::operands::Id;

/// A driver DaemonSet and the images of its containers that are made for one system.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    /// The DaemonSet.
    pub(super) daemon_set: &'a DaemonSet,
    /// Its images.
    pub(super) images: Vec<Asked<'a>>,
}

/// One image that is asked for.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// What it is for.
    pub(super) role: Role,
    /// As the template spells it.
    pub(super) text: &'a str,
    /// Taken apart.
    pub(super) image: Result<Image, InvalidImage>,
}

/// All driver DaemonSets.
pub(super) fn asking(cluster: &Cluster) -> Vec<Asking<'_>> {
    let sets = cluster.daemon_sets.iter();
    sets.filter_map(|daemon_set| {
        let own_role = match daemon_set.operand? {
            Id::Driver => Role::Driver,
            Id::VgpuManager => Role::VgpuManager,
            _ => return None,
        };
        Some(Asking {
            daemon_set,
            images: images(daemon_set, own_role),
        })
    })
    .collect()
}

/// Containers by their names; of a DaemonSet that names none of them, the first one.
fn images(daemon_set: &DaemonSet, own_role: Role) -> Vec<Asked<'_>> {
    let main = || {
        daemon_set
            .images
            .iter()
            .skip(daemon_set.init_containers.len())
    };
    let known = main().filter_map(|(name, text)| Some((Role::of_container(name)?, text)));
    let mut found: Vec<_> = known.collect();
    if found.is_empty() {
        found.extend(main().next().map(|(_, text)| (own_role, text)));
    }
    found
        .into_iter()
        .map(|(role, text)| Asked {
            role,
            text,
            image: Image::parse(text),
        })
        .collect()
}

impl Asking<'_> {
    /// Does its selector choose this node? A taint keeps a pod away and changes nothing of what is asked for.
    pub(super) fn chooses(&self, node: &Node) -> bool {
        matches!(
            self.daemon_set.refuses(node),
            None | Some(Refusal::Taint(_))
        )
    }
}

/// The labels that driver DaemonSets select by, so that each is looked up once a node and not once a DaemonSet:
/// with precompiled drivers there is one of them a kernel.
#[derive(Debug)]
pub(super) struct Chooser<'a> {
    keys: Vec<&'a str>,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(asking: &'a [Asking<'_>]) -> Self {
        let selectors = asking.iter().map(|it| &it.daemon_set.node_selector);
        let mut keys: Vec<_> = selectors
            .flat_map(|it| &it.0)
            .map(|it| it.key.as_str())
            .collect();
        keys.sort_unstable();
        keys.dedup();
        Self { keys }
    }

    /// Indices of the DaemonSets that choose a node.
    pub(super) fn chosen(&self, asking: &[Asking<'_>], node: &Node) -> Vec<usize> {
        let values: Vec<_> = self.keys.iter().map(|it| node.label(it)).collect();
        let value = |key: &str| {
            self.keys
                .iter()
                .position(|it| *it == key)
                .and_then(|at| values[at])
        };
        let may_choose = |it: &Asking<'_>| {
            let wanted = &it.daemon_set.node_selector.0;
            wanted.iter().all(|it| it.meets(value(&it.key)))
        };
        let all = asking.iter().enumerate();
        all.filter(|(_, it)| may_choose(it) && it.chooses(node))
            .map(|(at, _)| at)
            .collect()
    }
}
