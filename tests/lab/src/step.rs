//! The steps a scenario is made of.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{Error, Lab, PodState, kubectl, wait::wait_until};

/// How long the pods of a scenario may take to get where they should be.
const SETTLED: Duration = Duration::from_secs(60);

/// One step of a scenario.
#[derive(Clone, Debug)]
pub enum Step {
    /// Applies YAML.
    Apply(String),
    /// Applies objects that belong to another, and go with it.
    ApplyOwned {
        /// Whom they belong to; it has no namespace.
        owner: Owner,
        /// The objects.
        objects: Vec<Value>,
    },
    /// Runs kubectl with these words.
    Kubectl(Vec<String>),
    /// Waits until the API server serves this resource.
    AwaitServed(&'static str),
    /// Waits until this many pods of the namespace are in phase Running.
    AwaitRunning {
        /// The namespace.
        namespace: &'static str,
        /// How many pods.
        n_pods: usize,
    },
    /// Waits until `kubectl get pods` prints exactly these.
    AwaitPods {
        /// The namespace.
        namespace: &'static str,
        /// A label selector.
        selector: &'static str,
        /// The pods, in any order.
        pods: Vec<PodLine>,
    },
    /// Waits until the DaemonSets of the namespace have counted their pods.
    AwaitCounts {
        /// The namespace.
        namespace: &'static str,
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

/// An object of the whole cluster that others belong to.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// Its resource, as kubectl knows it.
    pub resource: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// A pod of a DaemonSet, as `kubectl get pods -o wide` prints it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodLine {
    /// The name of the DaemonSet.
    pub owner: String,
    /// The node.
    pub node: String,
    /// The column STATUS.
    pub status: String,
}

impl Step {
    /// Takes it in this lab.
    ///
    /// # Errors
    /// [`Error::Kubectl`] if the API server refuses, [`Error::Timeout`] if what is awaited does not come.
    pub fn take(&self, lab: &Lab) -> Result<(), Error> {
        match self {
            Step::Apply(yaml) => lab.apply(yaml),
            Step::ApplyOwned { owner, objects } => apply_owned(lab, owner, objects),
            Step::Kubectl(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                kubectl::succeed(lab.kubectl_command(), &words, "").map(drop)
            }
            Step::AwaitServed(resource) => {
                wait_until(&format!("{resource} to be served"), SETTLED, || {
                    lab.get(&[resource]).ok()
                })
                .map(drop)
            }
            Step::AwaitRunning { namespace, n_pods } => {
                let what = format!("{n_pods} running pods in {namespace}");
                lab.wait_for(&what, SETTLED, &["pods", "-n", namespace], |pods| {
                    let running = pods.iter().filter(|it| it["status"]["phase"] == "Running");
                    (running.count() == *n_pods).then_some(())
                })
            }
            Step::AwaitPods {
                namespace,
                selector,
                pods,
            } => await_pods(lab, namespace, selector, pods),
            Step::AwaitCounts { namespace } => await_counts(lab, namespace),
            Step::Hold {
                namespace,
                app,
                node,
                state,
            } => lab.hold(namespace, &pod_of(lab, namespace, app, node)?, state),
        }
    }
}

fn apply_owned(lab: &Lab, owner: &Owner, objects: &[Value]) -> Result<(), Error> {
    let found = lab.get(&[owner.resource, owner.name])?;
    let found = found.first().unwrap_or(&Value::Null);
    let reference = json!([{
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "name": found["metadata"]["name"],
        "uid": found["metadata"]["uid"],
        "controller": true,
        "blockOwnerDeletion": true,
    }]);
    let mut objects = objects.to_vec();
    for it in &mut objects {
        it["metadata"]["ownerReferences"] = reference.clone();
    }
    lab.apply(&json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())
}

fn await_pods(lab: &Lab, namespace: &str, selector: &str, pods: &[PodLine]) -> Result<(), Error> {
    let mut wanted = pods.to_vec();
    wanted.sort();
    let words = [
        "get",
        "pods",
        "-n",
        namespace,
        "-l",
        selector,
        "-o",
        "wide",
        "--no-headers",
    ];
    let what = format!(
        "kubectl to print {} pods of {selector} as they should be",
        wanted.len()
    );
    wait_until(&what, SETTLED, || {
        let printed = match kubectl::succeed(lab.kubectl_command(), &words, "") {
            Ok(printed) => printed,
            Err(error) => return Some(Err(error)),
        };
        let mut lines: Vec<PodLine> = printed.lines().filter_map(pod_line).collect();
        lines.sort();
        (lines == wanted).then_some(Ok(()))
    })?
}

/// Reads `NAME READY STATUS RESTARTS AGE IP NODE NOMINATED READINESS`, where RESTARTS may be several words.
fn pod_line(line: &str) -> Option<PodLine> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (owner, _) = words.first()?.rsplit_once('-')?;
    let node = words.len().checked_sub(3).and_then(|at| words.get(at))?;
    Some(PodLine {
        owner: owner.to_owned(),
        node: (*node).to_owned(),
        status: (*words.get(2)?).to_owned(),
    })
}

/// The controllers count after the pods are there, and a little later each.
fn await_counts(lab: &Lab, namespace: &str) -> Result<(), Error> {
    let query = ["daemonsets,deployments,pods", "-n", namespace];
    lab.wait_for("the pods to be counted", SETTLED, &query, |objects| {
        let all_well = objects.iter().all(|it| match it["kind"].as_str() {
            Some("DaemonSet") => is_counted(it, objects),
            Some("Deployment") => it["status"]["availableReplicas"] == it["spec"]["replicas"],
            _ => true,
        });
        all_well.then_some(())
    })
}

fn is_counted(daemon_set: &Value, objects: &[Value]) -> bool {
    let uid = &daemon_set["metadata"]["uid"];
    let pods = || {
        objects
            .iter()
            .filter(|it| it["kind"] == "Pod" && it["metadata"]["ownerReferences"][0]["uid"] == *uid)
    };
    let is_ready = |pod: &&Value| {
        let conditions = pod["status"]["conditions"].as_array();
        conditions.is_some_and(|all| {
            all.iter()
                .any(|it| it["type"] == "Ready" && it["status"] == "True")
        })
    };
    let status = &daemon_set["status"];
    status["observedGeneration"] == daemon_set["metadata"]["generation"]
        && status["currentNumberScheduled"] == pods().count()
        && status["numberReady"] == pods().filter(is_ready).count()
}

fn pod_of(lab: &Lab, namespace: &str, app: &str, node: &str) -> Result<String, Error> {
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
    lab.wait_for(
        &format!("a pod of {app} on {node}"),
        SETTLED,
        &query,
        |pods| Some(pods.first()?["metadata"]["name"].as_str()?.to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::{PodLine, pod_line};

    #[test]
    fn a_line_of_kubectl_is_read_whatever_the_restarts_look_like() {
        let line = |restarts: &str| {
            pod_line(&format!(
                "nvidia-driver-daemonset-7hx2k   0/1   Init:Error   {restarts}   9m   10.0.0.1   gpu-b   <none>   <none>"
            ))
        };
        let wanted = Some(PodLine {
            owner: "nvidia-driver-daemonset".to_owned(),
            node: "gpu-b".to_owned(),
            status: "Init:Error".to_owned(),
        });
        assert_eq!(line("0"), wanted);
        assert_eq!(line("7 (3s ago)"), wanted);
        assert_eq!(pod_line("No resources found"), None);
    }
}
