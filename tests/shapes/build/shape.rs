//! A whole cluster, described; `record` lets its controllers work and writes down what there is.

use serde_json::{Value, json};

use super::node::Node;
use super::parts::{DRA, PARTS, SANDBOX};
use super::policy::Policy;
use super::recording::Recording;
use super::release::Release;
use super::set::Set;
use super::{controller, operator, pod};

/// A cluster to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The operator's release.
    pub(crate) release: &'static Release,
    /// The operator's namespace.
    pub(crate) home: &'static str,
    /// Nodes.
    pub(crate) nodes: Vec<Node>,
    /// Policies; the first is the one the operator follows.
    pub(crate) policies: Vec<Policy>,
    /// DaemonSets, operands or not.
    pub(crate) sets: Vec<Set>,
    /// Everything else.
    pub(crate) others: Vec<Value>,
}

impl Shape {
    /// Nodes and nothing else.
    pub(crate) fn of(release: &'static Release, nodes: Vec<Node>) -> Self {
        Self {
            release,
            home: "gpu-operator",
            nodes,
            policies: Vec::new(),
            sets: Vec::new(),
            others: Vec::new(),
        }
    }

    /// In another namespace.
    pub(crate) fn within(mut self, home: &'static str) -> Self {
        self.home = home;
        self
    }

    /// With NFD as the operator's chart brings it.
    pub(crate) fn nfd(mut self) -> Self {
        let on = self.nodes[0].name().to_owned();
        let (worker, rest) = super::nfd::chart(self.release, self.home, &on);
        self.others.extend(rest);
        self.with_set(worker)
    }

    /// With this DaemonSet.
    pub(crate) fn with_set(mut self, set: Set) -> Self {
        self.sets.push(set);
        self
    }

    /// With these objects.
    pub(crate) fn with(mut self, objects: impl IntoIterator<Item = Value>) -> Self {
        self.others.extend(objects);
        self
    }

    /// With another policy beside the one the operator follows.
    pub(crate) fn with_policy(mut self, policy: Policy) -> Self {
        self.policies.push(policy);
        self
    }

    /// With the operator at work: it labels the nodes, and makes what its policy asks for.
    pub(crate) fn operated(mut self, mut policy: Policy) -> Self {
        let on = self.nodes[0].name().to_owned();
        if self.release.is(22, 9) {
            policy.0["status"]["namespace"] = json!(self.home);
        }
        self.nodes = self
            .nodes
            .into_iter()
            .map(|it| operator::label(&policy, self.release, it))
            .collect();
        self.sets
            .extend(operator::sets(&policy, self.release, self.home));
        self.others
            .extend(operator::deployment(self.release, self.home, &on));
        self.policies.insert(0, policy);
        self
    }

    /// With one node changed.
    pub(crate) fn node(mut self, name: &str, edit: impl FnOnce(Node) -> Node) -> Self {
        let at = self.nodes.iter().position(|it| it.name() == name);
        let at = at.unwrap_or_else(|| panic!("no node {name}"));
        let node = self.nodes.remove(at);
        self.nodes.insert(at, edit(node));
        self
    }

    /// With the DaemonSets changed for which this holds.
    pub(crate) fn sets_where(
        mut self,
        holds: impl Fn(&Set) -> bool,
        edit: impl Fn(Set) -> Set,
    ) -> Self {
        self.sets = self
            .sets
            .into_iter()
            .map(|it| if holds(&it) { edit(it) } else { it })
            .collect();
        self
    }

    /// Without a DaemonSet.
    pub(crate) fn without_set(mut self, name: &str) -> Self {
        let before = self.sets.len();
        self.sets.retain(|it| it.name() != name);
        assert_eq!(self.sets.len() + 1, before, "one DaemonSet {name}");
        self
    }

    /// What its API server would return.
    pub(crate) fn record(mut self) -> Recording {
        let mut items: Vec<Value> = self.nodes.iter().map(|it| it.0.clone()).collect();
        items.extend(self.policies.iter().map(|it| it.0.clone()));
        for set in &mut self.sets {
            let pods = controller::run(set, &self.nodes, rank(set));
            items.push(set.0.clone());
            items.extend(pods);
        }
        items.extend(self.validated());
        items.extend(self.others);
        Recording { items }
    }

    /// The pods in which the operator's validator ran a CUDA program, long Completed.
    fn validated(&self) -> Vec<Value> {
        let Some(policy) = self.policies.first() else {
            return Vec::new();
        };
        let validator = self
            .sets
            .iter()
            .find(|it| it.name() == "nvidia-operator-validator");
        let nodes = self
            .nodes
            .iter()
            .filter(|node| validator.is_some_and(|it| controller::wish(it, node).runs));
        nodes
            .map(|node| pod::completed(self.home, "nvidia-cuda-validator", node.name(), &policy.0))
            .collect()
    }
}

/// In which minute the pods of a DaemonSet come up.
fn rank(set: &Set) -> u32 {
    let all = PARTS.iter().chain(SANDBOX).chain(DRA);
    all.filter(|it| set.deploys(it.deploy))
        .map(|it| it.rank)
        .next()
        .unwrap_or(0)
}
