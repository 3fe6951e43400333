//! Which nodes a question is about.

use crate::cluster::selector::Selector;
use crate::cluster::{Cluster, Kind, Node};

/// Which nodes a question is about: all, those named, those a selector matches, or both.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Names as typed; empty for all.
    pub names: Vec<String>,
    /// Labels the nodes have to carry; empty for all.
    pub selector: Selector,
}

/// A node that was named and is not in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNode {
    /// As typed.
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl Scope {
    /// Is it about the whole cluster?
    pub fn is_whole(&self) -> bool {
        self.names.is_empty() && self.selector.0.is_empty()
    }

    /// Its nodes, by name. A name may be given as `node/gpu-1`, as kubectl prints it.
    pub fn nodes<'a>(&self, cluster: &'a Cluster) -> Result<Vec<&'a Node>, UnknownNode> {
        let names: Vec<_> = self
            .names
            .iter()
            .map(|it| it.strip_prefix("node/").unwrap_or(it))
            .collect();
        // Where nodes could not be read, a name that is not among them may well exist.
        if cluster.unseen(Kind::Node).is_none()
            && let Some(name) = names.iter().find(|it| cluster.node(it).is_none())
        {
            let known = cluster.nodes.iter().map(|it| it.name.clone()).collect();
            return Err(UnknownNode {
                name: (*name).to_owned(),
                known,
            });
        }
        let within = |it: &&Node| {
            (names.is_empty() || names.contains(&it.name.as_str()))
                && self.selector.matches(&it.labels)
        };
        Ok(cluster.nodes.iter().filter(within).collect())
    }
}
