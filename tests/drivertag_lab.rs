//! Driver images on a real API server: a node joins that needs what nobody has.

use std::time::Duration;

use lab::Lab;
use lab::operand_lab::{self, NodeKind};
use suite::{Run, plugin};

const LIMIT: Duration = Duration::from_secs(60);

/// The operator's own definition of a ClusterPolicy has thousands of lines; the API server needs these.
const DEFINITION: &str = r"---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: clusterpolicies.nvidia.com
spec:
  group: nvidia.com
  names: { kind: ClusterPolicy, listKind: ClusterPolicyList, plural: clusterpolicies, singular: clusterpolicy }
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true }
";

const POLICY: &str = r#"---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata:
  name: cluster-policy
  labels: { app.kubernetes.io/version: v24.9.2 }
spec:
  driver: { enabled: true, usePrecompiled: true, repository: nvcr.io/nvidia, image: driver, version: "535" }
"#;

/// Two of the three combinations that the nodes need.
const INVENTORY: &str = "\
# built so far
registry.example.com/nvidia/driver:535-5.15.0-117-generic-ubuntu22.04
registry.example.com/nvidia/driver:535-6.8.0-49-generic-ubuntu22.04
";

/// A GPU node as NFD labels it.
fn node(name: &str, kernel: &str) -> String {
    let prefix = "feature.node.kubernetes.io";
    let label = |key: &str, value: &str| format!("    {prefix}/{key}: \"{value}\"\n");
    operand_lab::node(name, NodeKind::Gpu)
        + &label("kernel-version.full", kernel)
        + &label("system-os_release.ID", "ubuntu")
        + &label("system-os_release.VERSION_ID", "22.04")
}

fn drivertag(lab: &Lab, line: &str) -> Run {
    plugin("kubectl-gpu_drivertag")
        .env("KUBECONFIG", lab.kubeconfig())
        .args(["--inventory", "-"])
        .line(line)
        .input(INVENTORY)
}

fn await_policy(lab: &Lab) {
    let query = ["crd", "clusterpolicies.nvidia.com"];
    lab.wait_for("the definition", LIMIT, &query, |found| {
        let conditions = found.first()?["status"]["conditions"].as_array()?;
        let is_up = |it: &serde_json::Value| it["type"] == "Established" && it["status"] == "True";
        conditions.iter().any(is_up).then_some(())
    })
    .expect("the definition is taken");
    lab.apply(POLICY).expect("the policy is applied");
}

#[test]
fn a_node_that_joins_and_needs_what_nobody_has_is_the_first_line() {
    let Some(lab) = lab::start_or_skip("a_node_that_joins_and_needs_what_nobody_has") else {
        return;
    };
    lab.apply(&operand_lab::namespace()).expect("applied");
    lab.apply(DEFINITION).expect("applied");
    await_policy(&lab);
    for (name, kernel) in [
        ("node-a", "5.15.0-117-generic"),
        ("node-b", "6.8.0-49-generic"),
        ("node-c", "5.15.0-117-generic"),
    ] {
        lab.apply(&node(name, kernel)).expect("applied");
    }
    drivertag(&lab, "").run().assert(
        0,
        &[
            "node-a 535-5.15.0-117-generic-ubuntu22.04 present",
            "node-b 535-6.8.0-49-generic-ubuntu22.04 present",
            "node-c 535-5.15.0-117-generic-ubuntu22.04 present",
        ],
    );
    lab.apply(&node("node-d", "5.15.0-119-generic"))
        .expect("applied");
    let mark = lab.mark().expect("a mark");
    let joined = [
        "node-d 535-5.15.0-119-generic-ubuntu22.04 absent",
        "node-a 535-5.15.0-117-generic-ubuntu22.04 present",
        "node-b 535-6.8.0-49-generic-ubuntu22.04 present",
        "node-c 535-5.15.0-117-generic-ubuntu22.04 present",
    ];
    drivertag(&lab, "").run().assert(1, &joined);
    let made = lab
        .requests_since(mark, "kubectl-gpu_drivertag")
        .expect("the audit log is read");
    assert!(!made.is_empty() && made.len() < 12, "{made:?}");
    assert!(made.iter().all(|it| it.verb == "list" || it.verb == "get"));
    the_kernel_plan_lists_what_is_to_be_built(&lab);
    the_same_from_a_recording(&lab, &joined);
}

fn the_kernel_plan_lists_what_is_to_be_built(lab: &Lab) {
    let plan = "--kernel 6.8.0-51-generic";
    let said = drivertag(lab, plan).run();
    let line = |it: &str| format!("{it} 535-6.8.0-51-generic-ubuntu22.04 absent");
    let lines = ["node-a", "node-b", "node-c", "node-d"].map(line);
    said.assert(1, &lines.each_ref().map(String::as_str));
    let matrix = drivertag(lab, &format!("{plan} -o build-matrix")).run();
    assert_eq!(
        matrix.json(),
        serde_json::json!([{ "branch": "535", "kernel": "6.8.0-51-generic", "os": "ubuntu22.04", "arch": "amd64" }])
    );
    drivertag(lab, &format!("{plan} -o mirror")).run().assert(
        1,
        &["nvcr.io/nvidia/driver:535-6.8.0-51-generic-ubuntu22.04"],
    );
    // One node alone, to a kernel whose image is there.
    drivertag(lab, "node-d --kernel 6.8.0-49-generic")
        .run()
        .assert(0, &["node-d 535-6.8.0-49-generic-ubuntu22.04 present"]);
}

fn the_same_from_a_recording(lab: &Lab, lines: &[&str]) {
    let query = [
        "get",
        "nodes,daemonsets,pods,clusterpolicies",
        "-A",
        "-o",
        "json",
    ];
    let recorded = lab.kubectl(&query).expect("kubectl runs").stdout;
    let folder = tempfile::tempdir().expect("a folder");
    let inventory = folder.path().join("inventory.txt");
    std::fs::write(&inventory, INVENTORY).expect("written");
    plugin("kubectl-gpu_drivertag")
        .args([
            "-f".as_ref(),
            "-".as_ref(),
            "--inventory".as_ref(),
            inventory.as_os_str(),
        ])
        .input(recorded)
        .run()
        // Without a DaemonSet or pod in it, the recording has gaps; what is absent weighs more.
        .assert(1, lines);
}
