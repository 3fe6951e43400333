//! A GPU operator as Helm installs it, with its operands, and ways in which it goes wrong.
//!
//! Nodes, DaemonSets and Deployments are what an operator of one release makes; the DaemonSet controller, the
//! scheduler and the taints are real, and so are the owners of all. The operator's own pod does nothing, so what it
//! would write (labels, the policy's state) is written with the rest.

mod faults;
mod nodes;
mod operands;
mod surroundings;

pub(crate) use faults::{
    device_plugin_without_toolkit, driver_stuck_in_init, healthy, image_not_pullable, stale_pause,
    untolerated_taint, validator_opted_out,
};

use serde_json::{Value, json};

use crate::{
    Step,
    operand_lab::NAMESPACE,
    step::{Owner, PodLine},
};
use nodes::GpuNode;
use operands::Drivers;

/// The start of every label that asks for an operand.
const DEPLOY: &str = "nvidia.com/gpu.deploy.";
/// The name of the ClusterPolicy.
const POLICY: &str = "cluster-policy";
/// What every pod of an operand carries.
const OPERANDS: &str = "app.kubernetes.io/managed-by=gpu-operator";

/// An install of the operator.
struct Install {
    /// Its nodes with GPUs.
    nodes: Vec<GpuNode>,
    /// What the driver's image is made for.
    drivers: Drivers,
    /// What the operator has found: `status.state` of the policy.
    state: &'static str,
}

impl Install {
    /// What makes it, until every pod is as it should be.
    fn steps(&self) -> Vec<Step> {
        let daemon_sets = operands::daemon_sets(&self.nodes, self.drivers);
        let owner = Owner {
            resource: "clusterpolicies.nvidia.com",
            name: POLICY,
        };
        let mut owned = vec![surroundings::runtime_class()];
        owned.extend(daemon_sets.iter().map(|it| it.manifest(&self.nodes)));
        let mut nodes = vec![nodes::control_plane("cp-a")];
        nodes.extend(self.nodes.iter().map(GpuNode::manifest));
        let pods = daemon_sets.iter().flat_map(|set| {
            self.nodes
                .iter()
                .filter(|it| set.wants(it))
                .map(|it| PodLine {
                    owner: set.name.clone(),
                    node: it.name.to_owned(),
                    status: it.shows(set.operand()).to_owned(),
                })
        });
        vec![
            Step::Apply(list(surroundings::before_the_policy())),
            Step::AwaitServed(owner.resource),
            Step::Apply(surroundings::cluster_policy(self.drivers).to_string()),
            self.say_state(&owner),
            Step::ApplyOwned {
                owner,
                objects: owned,
            },
            Step::Apply(list(nodes)),
            Step::Apply(list(surroundings::operator_and_nfd())),
            Step::ApplyOwned {
                owner,
                objects: self.validations(),
            },
            Step::AwaitPods {
                namespace: NAMESPACE,
                selector: OPERANDS,
                pods: pods.collect(),
            },
            Step::AwaitCounts {
                namespace: NAMESPACE,
            },
        ]
    }

    fn say_state(&self, policy: &Owner) -> Step {
        let status = json!({"status": {"state": self.state, "namespace": NAMESPACE}}).to_string();
        let words = [
            "patch",
            policy.resource,
            policy.name,
            "--subresource=status",
            "--type=merge",
            "--patch",
            &status,
        ];
        Step::Kubectl(words.map(str::to_owned).into())
    }

    /// The completed pods of the nodes that were in order once.
    fn validations(&self) -> Vec<Value> {
        let known = self.nodes.iter().filter(|it| it.is_known);
        known
            .map(|it| surroundings::cuda_validation(it.name))
            .collect()
    }
}

fn list(items: Vec<Value>) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}
