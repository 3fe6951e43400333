//! Where each operand stands on each node: what should run, what does, and what is in the way.
//!
//! gpu-audit and gpu-order both start from this. It decides nothing about severity and words no
//! finding; `rule` says how a finding is made of it.

pub mod regime;
pub mod rule;
pub mod state;
pub mod trouble;

mod admission;
mod roots;
mod scope;
mod second_look;
mod summary;

#[cfg(test)]
mod tests;

pub use regime::{Regime, Switched};
pub use roots::Root;
pub use rule::{Found, Plugin, Rule};
pub use scope::{Scope, UnknownNode};
pub use second_look::{offers_no_gpu_on_purpose, second_look};
pub use state::{Cell, State};
pub use trouble::Trouble;

use crate::answer::Gap;
use crate::cluster::{Cluster, DeployLabel, Kind, Node, Pod};
use crate::facts::labels::Pauser;
use crate::facts::operands::{Id, Workload};

/// Where each operand stands on each node of the scope.
#[derive(Debug)]
pub struct Standing<'a> {
    /// All that was read.
    pub cluster: &'a Cluster,
    /// What the policies ask for.
    pub regime: Regime<'a>,
    /// The nodes asked about, by name.
    pub nodes: Vec<NodeStanding<'a>>,
    /// Was the whole cluster asked about?
    pub is_whole: bool,
}

/// Where each operand stands on one node.
#[derive(Debug)]
pub struct NodeStanding<'a> {
    /// The node.
    pub node: &'a Node,
    /// What it is for.
    pub workload: Workload,
    /// All pods that are on it or made for it, operands' and others'.
    pub pods: Vec<&'a Pod>,
    /// Its operands, in the order of the roster.
    pub cells: Vec<Cell<'a>>,
    /// What is in the way, each with what waits behind it.
    pub roots: Vec<Root>,
}

impl<'a> Standing<'a> {
    /// One of the nodes asked about.
    pub fn node(&self, name: &str) -> Option<&NodeStanding<'a>> {
        let at = self
            .nodes
            .binary_search_by(|it| it.node.name.as_str().cmp(name));
        at.ok().map(|at| &self.nodes[at])
    }
}

impl<'a> NodeStanding<'a> {
    /// How one operand stands here, if it has anything to do with this node.
    pub fn cell(&self, operand: Id) -> Option<&Cell<'a>> {
        self.cells.iter().find(|it| it.operand == operand)
    }

    /// The operands that stay paused until the driver, which is this root, comes up; as one clause of evidence.
    pub fn paused_behind(&self, root: &Root) -> Option<String> {
        let is_paused = |it: &&Cell<'_>| {
            it.state == State::Paused
                && matches!(&it.label, DeployLabel::Paused { by, .. } if by.first() == Some(&Pauser::Driver))
        };
        let names: Vec<_> = self
            .cells
            .iter()
            .filter(is_paused)
            .map(|it| it.operand.name())
            .collect();
        let is_driver = matches!(root.operand, Id::Driver | Id::VgpuManager);
        (is_driver && !names.is_empty()).then(|| {
            format!(
                "{} until the driver is up: {}",
                Pauser::Driver.value(),
                names.join(", ")
            )
        })
    }

    /// What waits behind a root, a clause each.
    pub fn consequences(&self, root: &Root) -> Vec<String> {
        let clause = |id: &Id| {
            let why = self.cell(*id).map(|it| it.why.as_str()).unwrap_or_default();
            format!("{}: {why}", id.name())
        };
        let mut clauses: Vec<_> = root.behind.iter().map(clause).collect();
        let offers = |id: &&Id| {
            matches!(
                id,
                Id::DevicePlugin | Id::DraDriver | Id::SandboxDevicePlugin
            )
        };
        let hit = std::iter::once(&root.operand)
            .chain(&root.alike)
            .chain(&root.behind)
            .any(|it| offers(&it));
        clauses.extend(self.paused_behind(root));
        if hit
            || self
                .cell(Id::DevicePlugin)
                .is_some_and(|it| it.state == State::Paused)
        {
            clauses.push("pods that ask for GPUs find none on this node".to_owned());
        }
        clauses
    }
}

/// Works out where every operand stands. The error is a node that was named and is not there.
pub fn standing<'a>(
    cluster: &'a Cluster,
    scope: &Scope,
    release: Option<crate::facts::release::Release>,
) -> Result<Standing<'a>, UnknownNode> {
    let regime = Regime::read(cluster, release);
    let by_node = state::PodsByNode::new(cluster);
    let nodes = scope
        .nodes(cluster)?
        .into_iter()
        .map(|node| {
            let workload = regime.workload(node);
            let cells = state::cells(cluster, &regime, node, workload, &by_node);
            let roots = roots::roots(&cells);
            NodeStanding {
                node,
                workload,
                pods: by_node.on(&node.name).to_vec(),
                cells,
                roots,
            }
        })
        .collect();
    Ok(Standing {
        cluster,
        regime,
        nodes,
        is_whole: scope.is_whole(),
    })
}

impl Standing<'_> {
    /// What could not be seen and is needed to say where operands stand.
    pub fn gaps(&self) -> Vec<Gap> {
        let needed = [
            (Kind::Node, "no node can be judged"),
            (Kind::Pod, "whether an operand runs is not known"),
            (
                Kind::DaemonSet,
                "which operands are deployed is not known; -n NAMESPACE asks for the operator's namespace alone",
            ),
        ];
        let mut gaps = Vec::new();
        for (kind, effect) in needed {
            if let Some(why) = self.cluster.unseen(kind) {
                gaps.push(Gap {
                    what: kind.row().plural.to_owned(),
                    why,
                    effect: effect.to_owned(),
                });
            }
        }
        let switches = [Kind::ClusterPolicy, Kind::GpuCluster, Kind::NvidiaDriver];
        let matters = self
            .nodes
            .iter()
            .flat_map(|it| &it.cells)
            .any(|it| it.state == State::Missing);
        for kind in switches {
            if let (true, Some(why)) = (matters, self.cluster.unseen(kind)) {
                let effect = "whether a missing operand is switched off is not known".to_owned();
                gaps.push(Gap {
                    what: kind.row().plural.to_owned(),
                    why,
                    effect,
                });
            }
        }
        gaps.extend(self.unexplained());
        gaps
    }

    /// Events that would have told why a pod was not created or not started.
    fn unexplained(&self) -> Option<Gap> {
        let why = self.cluster.unseen(Kind::Event)?;
        let needs_event = |it: &Cell<'_>| {
            matches!(
                it.trouble,
                Some(Trouble::NotCreated(_) | Trouble::Creating(_))
            )
        };
        let matters = self.nodes.iter().flat_map(|it| &it.cells).any(needs_event);
        let effect = "the reason a pod was not created or not started is not known".to_owned();
        matters.then(|| Gap {
            what: "events".to_owned(),
            why,
            effect,
        })
    }

    /// Were the nodes, pods and DaemonSets seen, so that a missing pod really is missing?
    pub fn is_sure(&self) -> bool {
        [Kind::Node, Kind::Pod, Kind::DaemonSet]
            .into_iter()
            .all(|kind| self.cluster.unseen(kind).is_none())
    }
}
