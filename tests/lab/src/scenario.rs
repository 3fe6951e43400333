//! Scenarios: clusters as steps that are data.

use std::time::Duration;

use crate::{Error, Lab, PodState, operand_lab};

/// How long the pods of a scenario may take to run.
const RUNNING: Duration = Duration::from_secs(60);

/// A cluster that can be made in a lab.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: &'static str,
    /// What makes it.
    pub steps: fn() -> Vec<Step>,
}

/// One step of a scenario.
#[derive(Clone, Debug)]
pub enum Step {
    /// Applies YAML.
    Apply(String),
    /// Waits until this many pods of the namespace are in phase Running.
    AwaitRunning {
        /// The namespace.
        namespace: &'static str,
        /// How many pods.
        n_pods: usize,
    },
    /// Holds the pod with the label `app` on a node in a state.
    Hold {
        /// The namespace.
        namespace: &'static str,
        /// The value of the label.
        app: &'static str,
        /// The node.
        node: &'static str,
        /// The state.
        state: PodState,
    },
}

impl Scenario {
    /// Every scenario there is.
    pub const ALL: [Scenario; 1] = [Scenario {
        name: "operand-lab",
        about: "three nodes, five DaemonSets, every pod running",
        steps: operand_lab::steps,
    }];

    /// The scenario with that name.
    ///
    /// # Errors
    /// [`Error::Unknown`], with the names there are.
    pub fn named(name: &str) -> Result<Scenario, Error> {
        let found = Scenario::ALL.into_iter().find(|it| it.name == name);
        found.ok_or_else(|| Error::Unknown {
            kind: "scenario",
            name: name.to_owned(),
            known: Scenario::ALL.map(|it| it.name).join(", "),
        })
    }
}

impl Step {
    pub(crate) fn take(&self, lab: &Lab) -> Result<(), Error> {
        match self {
            Step::Apply(yaml) => lab.apply(yaml),
            Step::AwaitRunning { namespace, n_pods } => {
                let what = format!("{n_pods} running pods in {namespace}");
                lab.wait_for(&what, RUNNING, &["pods", "-n", namespace], |pods| {
                    let running = pods.iter().filter(|it| it["status"]["phase"] == "Running");
                    (running.count() == *n_pods).then_some(())
                })
            }
            Step::Hold {
                namespace,
                app,
                node,
                state,
            } => {
                let selector = format!("app={app}");
                let here = format!("spec.nodeName={node}");
                let query = [
                    "pods",
                    "-n",
                    namespace,
                    "-l",
                    &selector,
                    "--field-selector",
                    &here,
                ];
                let what = format!("a pod of {app} on {node}");
                let pod = lab.wait_for(&what, RUNNING, &query, |pods| {
                    Some(pods.first()?["metadata"]["name"].as_str()?.to_owned())
                })?;
                lab.hold(namespace, &pod, state)
            }
        }
    }
}
