//! The operator and the numbers, as every report shows them.

use super::Standing;
use crate::answer::wire::{Operator, Summary};

impl Standing<'_> {
    /// The operator, as far as the cluster tells.
    pub fn operator(&self) -> Operator {
        let policy = self.regime.leading();
        Operator {
            version: self.regime.release.map(|it| it.to_string()),
            policy: policy.map(crate::cluster::Policy::title),
            state: policy
                .map(|it| it.state.clone())
                .filter(|it| !it.is_empty()),
        }
    }

    /// How many nodes there are, and how many operands are in each state.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            nodes: self.nodes.len(),
            gpu_nodes: self.nodes.iter().filter(|it| it.node.is_gpu()).count(),
            ..Summary::default()
        };
        for cell in self.nodes.iter().flat_map(|it| &it.cells) {
            *summary.by_state.entry(cell.state.name()).or_default() += 1;
        }
        summary
    }
}
