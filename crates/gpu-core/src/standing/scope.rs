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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Coverage;
    use crate::testing::{cluster, node};

    fn three() -> Cluster {
        let gpu = |name: &str| node(name).label("pool", "gpu");
        cluster([gpu("gpu-2"), node("cpu-1"), gpu("gpu-1")], [], [])
    }

    fn scope(names: &[&str], selector: &str) -> Scope {
        Scope {
            names: names.iter().map(|it| (*it).to_owned()).collect(),
            selector: Selector::parse(selector).unwrap(),
        }
    }

    #[test]
    fn nodes_are_chosen_by_name_by_label_or_by_both_and_come_sorted() {
        for (names, selector, want) in [
            (&[][..], "", &["cpu-1", "gpu-1", "gpu-2"][..]),
            (&["gpu-2"], "", &["gpu-2"]),
            (&["gpu-2", "cpu-1"], "", &["cpu-1", "gpu-2"]),
            (&["gpu-2", "gpu-2", "node/gpu-2"], "", &["gpu-2"]),
            (&["node/gpu-1"], "", &["gpu-1"]),
            (&[], "pool=gpu", &["gpu-1", "gpu-2"]),
            (&[], "pool=none", &[]),
            (&["gpu-1", "cpu-1"], "pool=gpu", &["gpu-1"]),
            (&["cpu-1"], "pool=gpu", &[]),
        ] {
            let cluster = three();
            let nodes = scope(names, selector).nodes(&cluster).unwrap();
            let found: Vec<_> = nodes.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(found, want, "{names:?} {selector}");
        }
    }

    #[test]
    fn it_is_about_the_whole_cluster_only_where_nothing_narrows_it() {
        assert!(scope(&[], "").is_whole());
        assert!(!scope(&["gpu-1"], "").is_whole());
        assert!(!scope(&[], "pool").is_whole());
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_that_knows_the_others() {
        for name in [
            "gpu-3",
            "gpu",
            "GPU-1",
            "",
            "nodes/gpu-1",
            "node/node/gpu-1",
        ] {
            let error = scope(&["gpu-1", name], "").nodes(&three()).unwrap_err();
            assert_eq!(error.name, name.strip_prefix("node/").unwrap_or(name));
            assert_eq!(error.known, ["cpu-1", "gpu-1", "gpu-2"]);
        }
    }

    #[test]
    fn where_nodes_were_not_seen_a_name_may_well_exist() {
        let mut cluster = three();
        cluster.note(Kind::Node, Coverage::Unseen("forbidden".into()));
        let nodes = scope(&["gpu-3", "gpu-1"], "").nodes(&cluster).unwrap();
        assert_eq!(nodes.len(), 1);
    }
}
