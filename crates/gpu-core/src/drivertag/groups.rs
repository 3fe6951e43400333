//! Nodes that need the same: by version, kernel, system and architecture; and the odd one out in a pool.

use std::collections::BTreeMap;

use super::judge::Ledger;
use super::outcome::architecture;
use super::wanted::NodeNeeds;
use crate::facts::images::POOL_LABELS;

/// What makes nodes alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'b> {
    pub(super) version: &'b str,
    pub(super) kernel: &'b str,
    pub(super) os: &'b str,
    pub(super) arch: &'b str,
}

/// Nodes that are alike.
#[derive(Debug)]
pub(super) struct Group<'b, 'a> {
    pub(super) key: Key<'b>,
    pub(super) nodes: Vec<&'b NodeNeeds<'a>>,
}

/// A node that is unlike all others of its pool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Odd<'b> {
    pub(super) node: &'b str,
    /// How the pool is called.
    pub(super) pool: String,
    /// How many nodes of the pool are alike.
    pub(super) n_others: usize,
    /// What it has, and what they have, of that in which they differ.
    pub(super) has: Vec<&'b str>,
    pub(super) others_have: Vec<&'b str>,
}

/// From so many alike nodes on, one that differs is odd.
const A_CROWD: usize = 2;

fn key<'b>(it: &'b NodeNeeds<'_>) -> Key<'b> {
    let outcome = &it.outcome;
    Key {
        version: outcome.version.as_deref().unwrap_or_default(),
        kernel: it.profile.kernel.as_deref().unwrap_or_default(),
        os: outcome.os_tag.as_deref().unwrap_or_default(),
        arch: architecture(it.node),
    }
}

/// The groups of the nodes that need a driver image, the largest first.
pub(super) fn groups<'b, 'a>(ledger: &'b Ledger<'a>) -> Vec<Group<'b, 'a>> {
    let mut by_key: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for it in ledger.nodes().filter(|it| it.wants_driver()) {
        by_key.entry(key(it)).or_default().push(it);
    }
    let mut groups: Vec<_> = by_key
        .into_iter()
        .map(|(key, nodes)| Group { key, nodes })
        .collect();
    groups.sort_by_key(|it| std::cmp::Reverse(it.nodes.len()));
    groups
}

/// The pool of a node: what its provider's label says, else nodes of its architecture without such a label.
fn pool(it: &NodeNeeds<'_>) -> String {
    let labelled = POOL_LABELS.iter().find_map(|key| it.node.label(key));
    labelled.map_or_else(|| architecture(it.node).to_owned(), str::to_owned)
}

/// The nodes that stand alone in a pool whose other nodes are all alike.
pub(super) fn odd_ones<'b>(ledger: &'b Ledger<'_>) -> Vec<Odd<'b>> {
    let mut pools: BTreeMap<String, BTreeMap<Key<'b>, Vec<&'b str>>> = BTreeMap::new();
    for it in ledger.nodes().filter(|it| it.wants_driver()) {
        let pool = pools.entry(pool(it)).or_default();
        pool.entry(key(it)).or_default().push(&it.node.name);
    }
    let mut odd = Vec::new();
    for (pool, kinds) in pools {
        let [(a, of_a), (b, of_b)] = kinds.iter().collect::<Vec<_>>()[..] else {
            continue;
        };
        let (one, node, others, crowd) = match (of_a.as_slice(), of_b.as_slice()) {
            ([node], crowd) if crowd.len() >= A_CROWD => (a, *node, b, crowd),
            (crowd, [node]) if crowd.len() >= A_CROWD => (b, *node, a, crowd),
            _ => continue,
        };
        let parts = |it: &Key<'b>| [it.version, it.kernel, it.os, it.arch];
        let differ = parts(one)
            .into_iter()
            .zip(parts(others))
            .filter(|(a, b)| a != b);
        let (has, others_have) = differ.unzip();
        odd.push(Odd {
            node,
            pool,
            n_others: crowd.len(),
            has,
            others_have,
        });
    }
    odd
}
