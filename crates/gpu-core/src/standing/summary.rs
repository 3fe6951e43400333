//! The operator and the numbers, as every report shows them.

use super::{Regime, Standing};
use crate::answer::wire::{Operator, Summary};

impl Regime<'_> {
    /// The operator, as far as the cluster tells.
    pub fn operator(&self) -> Operator {
        let policy = self.leading();
        Operator {
            version: self.release.map(|it| it.to_string()),
            policy: policy.map(crate::cluster::Policy::title),
            state: policy
                .map(|it| it.state.clone())
                .filter(|it| !it.is_empty()),
        }
    }
}

impl Standing<'_> {
    /// The operator, as far as the cluster tells.
    pub fn operator(&self) -> Operator {
        self.regime.operator()
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

#[cfg(test)]
mod tests {
    use crate::cluster::{Cluster, Kind};
    use crate::facts::operands::{CORE, Id};
    use crate::standing::{Scope, standing};
    use crate::testing::{cluster, core_daemon_sets, gpu_node, node, policy, running, take};
    use serde_json::json;

    #[test]
    fn states_are_counted_over_all_nodes() {
        let nodes = [
            gpu_node("a"),
            gpu_node("b").deploys(Id::Driver, "false"),
            node("c"),
        ];
        let cluster = cluster(nodes, core_daemon_sets(), running(&CORE, "a"));
        let summary = standing(&cluster, &Scope::default(), None)
            .unwrap()
            .summary();
        assert_eq!((summary.nodes, summary.gpu_nodes), (3, 2));
        let want = [("missing", 4), ("opted-out", 1), ("ready", 5)];
        assert_eq!(summary.by_state, want.into());
    }

    #[test]
    fn the_operator_is_null_where_nothing_tells() {
        let said = |cluster: &Cluster| {
            let it = standing(cluster, &Scope::default(), None)
                .unwrap()
                .operator();
            [it.version, it.policy, it.state].map(|it| it.unwrap_or_else(|| "null".to_owned()))
        };
        let mut cluster = cluster([], [], []);
        assert_eq!(said(&cluster), ["null", "null", "null"]);
        let mut object = policy(Kind::ClusterPolicy, json!({}));
        take(&mut cluster, [object.clone()]);
        assert_eq!(
            said(&cluster),
            ["null", "ClusterPolicy/cluster-policy", "null"]
        );
        object["status"] = json!({ "state": "ready" });
        object["metadata"]["labels"] = json!({ "helm.sh/chart": "gpu-operator-v26.7.0" });
        take(&mut cluster, [object]);
        assert_eq!(
            said(&cluster),
            ["v26.7.0", "ClusterPolicy/cluster-policy", "ready"]
        );
    }
}
