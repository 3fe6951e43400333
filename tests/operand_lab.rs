//! The operand lab, step by step, on a real control plane.

use std::time::Duration;

use lab::Lab;
use lab::operand_lab::{self, NAMESPACE, NodeKind};
use serde_json::Value;
use suite::{Run, Said, plugin, program};

const LIMIT: Duration = Duration::from_secs(60);

struct Cluster(Lab);

impl Cluster {
    fn live(&self, name: &str) -> Run {
        plugin(name).env("KUBECONFIG", self.0.kubeconfig())
    }

    fn audit(&self, line: &str) -> Said {
        self.live("kubectl-gpu_audit").line(line).run()
    }

    fn order(&self, line: &str) -> Said {
        self.live("kubectl-gpu_order").line(line).run()
    }

    fn deploy(&self, operand: &str) {
        self.0
            .apply(&operand_lab::daemon_set(operand).expect("an operand of the lab"))
            .expect("applied");
    }

    fn kubectl(&self, line: &str) {
        let words: Vec<_> = line.split_whitespace().collect();
        let done = self.0.kubectl(&words).expect("kubectl runs");
        assert!(
            done.status.success(),
            "kubectl {line}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// Waits until the pods of a DaemonSet run on exactly these nodes.
    fn await_pods(&self, app: &str, nodes: &[&str]) {
        let selector = format!("app={app}");
        let query = ["pods", "-n", NAMESPACE, "-l", &selector];
        self.0
            .wait_for(
                &format!("pods of {app} on {nodes:?}"),
                LIMIT,
                &query,
                |pods| {
                    let mut on: Vec<_> = pods
                        .iter()
                        .filter(|it| it["status"]["phase"] == "Running")
                        .collect();
                    on.sort_by_key(|it| it["spec"]["nodeName"].as_str().map(str::to_owned));
                    let on: Vec<_> = on
                        .iter()
                        .filter_map(|it| it["spec"]["nodeName"].as_str())
                        .collect();
                    (pods.len() == nodes.len() && on == nodes).then_some(())
                },
            )
            .expect("the pods come");
    }

    fn await_desired(&self, daemon_set: &str, desired: u64) {
        self.0
            .wait_for(
                &format!("{daemon_set} desired {desired}"),
                LIMIT,
                &["daemonsets", "-n", NAMESPACE],
                |all| {
                    let it = all.iter().find(|it| it["metadata"]["name"] == daemon_set)?;
                    let seen = it["status"]["observedGeneration"] == it["metadata"]["generation"];
                    (seen && it["status"]["desiredNumberScheduled"] == desired).then_some(())
                },
            )
            .expect("the DaemonSet controller counts");
    }
}

/// The DaemonSet of an operand in the JSON report.
fn daemon_set(report: &Value, operand: &str) -> Value {
    let all = report["daemonSets"].as_array().expect("daemonSets");
    all.iter()
        .find(|it| it["operand"] == operand)
        .expect("the DaemonSet is reported")
        .clone()
}

#[test]
fn the_operand_lab_works_to_the_letter() {
    let Some(lab) = lab::start_or_skip("the_operand_lab_works_to_the_letter") else {
        return;
    };
    let cluster = Cluster(lab);
    the_roster(&cluster);
    before_anything_is_deployed(&cluster);
    toolkit_and_driver_go_where_their_labels_are(&cluster);
    the_exporter_is_opted_out(&cluster);
    everything_is_deployed(&cluster);
    the_same_from_a_recording(&cluster);
    the_plugin_is_called_by_kubectl(&cluster);
    the_device_plugin_comes_without_the_toolkit(&cluster);
    nodes_join_that_cannot_take_operands(&cluster);
}

fn the_roster(cluster: &Cluster) {
    let label = |it: &str| format!("{it}=nvidia.com/gpu.deploy.{it}");
    let core = [
        "driver",
        "container-toolkit",
        "device-plugin",
        "gpu-feature-discovery",
        "dcgm-exporter",
    ]
    .map(label);
    let core: Vec<_> = core.iter().map(String::as_str).collect();
    cluster.audit("roster").assert(0, &core);
}

fn before_anything_is_deployed(cluster: &Cluster) {
    cluster.0.apply(&operand_lab::namespace()).expect("applied");
    cluster.0.apply(&operand_lab::nodes()).expect("applied");
    cluster
        .0
        .wait_for("three Ready nodes", LIMIT, &["nodes"], |nodes| {
            let is_ready = |node: &&Value| {
                let conditions = node["status"]["conditions"].as_array();
                conditions.is_some_and(|all| {
                    all.iter()
                        .any(|it| it["type"] == "Ready" && it["status"] == "True")
                })
            };
            (nodes.iter().filter(is_ready).count() == 3).then_some(())
        })
        .expect("the nodes get Ready");
    cluster.audit("").assert(
        1,
        &[
            "lab-node-0 MISSING driver",
            "lab-node-0 MISSING container-toolkit",
            "lab-node-0 MISSING device-plugin",
            "lab-node-0 MISSING gpu-feature-discovery",
            "lab-node-0 MISSING dcgm-exporter",
            "lab-node-1 MISSING container-toolkit",
            "lab-node-1 MISSING device-plugin",
            "lab-node-1 MISSING gpu-feature-discovery",
            "lab-node-1 MISSING dcgm-exporter",
            "lab-node-2 OK",
        ],
    );
}

fn toolkit_and_driver_go_where_their_labels_are(cluster: &Cluster) {
    cluster.deploy("container-toolkit");
    cluster.await_pods(
        "nvidia-container-toolkit-daemonset",
        &["lab-node-0", "lab-node-1"],
    );
    cluster.await_desired("nvidia-container-toolkit-daemonset", 2);
    cluster.deploy("driver");
    cluster.await_pods("nvidia-driver-daemonset", &["lab-node-0"]);
    let said = cluster.audit("-o json");
    let report = said.json();
    assert_eq!(daemon_set(&report, "container-toolkit")["desired"], 2);
    let driver = daemon_set(&report, "driver");
    assert_eq!(driver["desired"], 1);
    let skip = serde_json::json!([{ "node": "lab-node-1", "label": "nvidia.com/gpu.deploy.driver", "value": "false" }]);
    assert_eq!(driver["skips"], skip);
    let wide = cluster.audit("-o wide");
    let line = "driver: desired 1, skips lab-node-1 (nvidia.com/gpu.deploy.driver=false)";
    assert!(wide.out.lines().any(|it| it == line), "{}", wide.out);
}

fn the_exporter_is_opted_out(cluster: &Cluster) {
    cluster.deploy("dcgm-exporter");
    cluster.await_pods("nvidia-dcgm-exporter", &["lab-node-0", "lab-node-1"]);
    assert_eq!(
        daemon_set(&cluster.audit("-o json").json(), "dcgm-exporter")["desired"],
        2
    );
    cluster.kubectl("label node lab-node-1 nvidia.com/gpu.deploy.dcgm-exporter=false --overwrite");
    cluster.await_pods("nvidia-dcgm-exporter", &["lab-node-0"]);
    cluster.await_desired("nvidia-dcgm-exporter", 1);
    let report = cluster.audit("-o json").json();
    assert_eq!(daemon_set(&report, "dcgm-exporter")["desired"], 1);
    let node = report["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .find(|it| it["name"] == "lab-node-1")
        .cloned();
    let operands = node.expect("lab-node-1 is reported")["operands"].clone();
    let exporter = operands
        .as_array()
        .expect("operands")
        .iter()
        .find(|it| it["operand"] == "dcgm-exporter")
        .cloned();
    let exporter = exporter.expect("an opted-out operand is listed");
    assert_eq!(
        (
            exporter["state"].as_str(),
            exporter["label"]["value"].as_str()
        ),
        (Some("opted-out"), Some("false"))
    );
}

fn everything_is_deployed(cluster: &Cluster) {
    cluster.audit("").assert(
        1,
        &[
            "lab-node-0 MISSING device-plugin",
            "lab-node-0 MISSING gpu-feature-discovery",
            "lab-node-1 MISSING device-plugin",
            "lab-node-1 MISSING gpu-feature-discovery",
            "lab-node-2 OK",
        ],
    );
    cluster.deploy("device-plugin");
    cluster.deploy("gpu-feature-discovery");
    cluster.await_pods(
        "nvidia-device-plugin-daemonset",
        &["lab-node-0", "lab-node-1"],
    );
    cluster.await_pods("gpu-feature-discovery", &["lab-node-0", "lab-node-1"]);
    cluster
        .audit("")
        .assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
    cluster
        .order("")
        .assert(0, &["lab-node-0 ok", "lab-node-1 ok", "lab-node-2 ok"]);
}

/// What differs between a live and a recorded report by its nature.
fn without_source(said: &Said) -> Value {
    let mut report = said.json();
    let fields = report.as_object_mut().expect("a report is an object");
    for key in ["tool", "source", "seenAt"] {
        assert!(fields.remove(key).is_some(), "{key}");
    }
    report
}

fn the_same_from_a_recording(cluster: &Cluster) {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["yaml", "json"] {
        let args = ["get", "nodes,pods,daemonsets", "-A", "-o", format];
        let recording = cluster.0.kubectl(&args).expect("kubectl runs");
        let file = folder.path().join(format!("lab.{format}"));
        std::fs::write(&file, recording.stdout).expect("written");
        for name in ["kubectl-gpu_audit", "kubectl-gpu_order"] {
            let run = |line: &str| {
                plugin(name)
                    .args(["-f".as_ref(), file.as_os_str()])
                    .line(line)
                    .run()
            };
            let live = |line: &str| cluster.live(name).line(line).run();
            assert_eq!(run("-o lines").out, live("-o lines").out, "{name} {format}");
            assert_eq!(
                without_source(&run("-o json")),
                without_source(&live("-o json")),
                "{name} {format}"
            );
            assert_eq!(run("").code, live("").code);
        }
        let run = |line: &str| {
            plugin("kubectl-gpu_audit")
                .args(["-f".as_ref(), file.as_os_str()])
                .line(line)
                .run()
        };
        assert_eq!(
            run("-o matrix").out,
            cluster.audit("-o matrix").out,
            "{format}"
        );
    }
}

fn the_plugin_is_called_by_kubectl(cluster: &Cluster) {
    let call = |line: &str| {
        program(cluster.0.kubectl_path())
            .line(line)
            .env("KUBECONFIG", cluster.0.kubeconfig())
            .run()
    };
    call("gpu-audit").assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
    call("gpu-order lab-node-0 --request-timeout=20s").assert(0, &["ok"]);
    let context = call("gpu-audit --context lab-nope");
    assert_eq!(context.code, Some(2), "{}", context.err);
    assert!(
        context
            .err
            .contains("context was not found for specified context: lab-nope"),
        "{}",
        context.err
    );
    let file = format!(
        "gpu-audit --kubeconfig {} -n gpu-operator",
        cluster.0.kubeconfig().display()
    );
    call(&file).assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
    assert_eq!(call("gpu-audit --no-such-flag").code, Some(2));
    let listed = call("plugin list --name-only");
    assert!(
        listed.out.lines().any(|it| it == "kubectl-gpu_audit"),
        "{}",
        listed.out
    );
}

fn the_device_plugin_comes_without_the_toolkit(cluster: &Cluster) {
    cluster.kubectl("label node lab-node-2 nvidia.com/gpu.deploy.device-plugin=true");
    cluster.await_pods(
        "nvidia-device-plugin-daemonset",
        &["lab-node-0", "lab-node-1", "lab-node-2"],
    );
    cluster
        .order("lab-node-2")
        .assert(1, &["device-plugin-without-toolkit"]);
    cluster.order("lab-node-0").assert(0, &["ok"]);
    cluster.order("lab-node-1").assert(0, &["ok"]);
    let all = [
        "lab-node-0 ok",
        "lab-node-1 ok",
        "lab-node-2 device-plugin-without-toolkit",
    ];
    cluster.order("").assert(1, &all);
    cluster
        .order("lab-node-2 lab-node-0")
        .assert(1, &[all[0], all[2]]);
    cluster
        .audit("")
        .assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
    cluster.audit("-o matrix").assert(
        0,
        &[
            "lab-node-0 driver=yes toolkit=yes device-plugin=yes gfd=yes dcgm=yes",
            "lab-node-1 driver=no toolkit=yes device-plugin=yes gfd=yes dcgm=no",
            "lab-node-2 driver=no toolkit=no device-plugin=yes gfd=no dcgm=no",
            "TOTAL_PODS=9",
        ],
    );
    let unknown = cluster.order("lab-node-9");
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown
            .err
            .contains("nodes \"lab-node-9\" not found; did you mean \"lab-node-"),
        "{}",
        unknown.err
    );
    absent_is_not_false(cluster);
}

fn absent_is_not_false(cluster: &Cluster) {
    let wide = cluster.audit("-o wide").out;
    let driver = "driver: desired 1, skips lab-node-1 (nvidia.com/gpu.deploy.driver=false), \
                  lab-node-2 (nvidia.com/gpu.deploy.driver absent)";
    assert!(wide.lines().any(|it| it == driver), "{wide}");
    let report = cluster.audit("-o json").json();
    let skips = daemon_set(&report, "driver")["skips"].clone();
    assert_eq!(skips[0]["value"], "false");
    assert_eq!(skips[1]["value"], Value::Null);
    cluster.kubectl("label node lab-node-2 nvidia.com/gpu.deploy.device-plugin-");
    cluster.await_pods(
        "nvidia-device-plugin-daemonset",
        &["lab-node-0", "lab-node-1"],
    );
    cluster.order("lab-node-2").assert(0, &["ok"]);
}

fn nodes_join_that_cannot_take_operands(cluster: &Cluster) {
    let tainted = "spec: {taints: [{key: team, value: ml, effect: NoSchedule}]}";
    let small = "lab.kubectl-gpu.io/memory: 64Mi";
    let lab = &cluster.0;
    lab.apply(&joining("lab-node-3", tainted, ""))
        .expect("applied");
    lab.apply(&joining("lab-node-4", "spec: {}", small))
        .expect("applied");
    let what = "pods for lab-node-4 that nobody can place";
    lab.wait_for(what, LIMIT, &["pods", "-n", NAMESPACE], |pods| {
        let is_unplaced =
            |it: &&Value| it["status"]["phase"] == "Pending" && it["spec"]["nodeName"].is_null();
        (pods.iter().filter(is_unplaced).count() == 5).then_some(())
    })
    .expect("the scheduler tries");
    // The labels are there, the taint keeps it out of the count; too little memory does not.
    cluster.await_desired("nvidia-container-toolkit-daemonset", 3);
    cluster.await_desired("nvidia-driver-daemonset", 2);
    let operands = [
        "driver",
        "container-toolkit",
        "device-plugin",
        "gpu-feature-discovery",
        "dcgm-exporter",
    ];
    let fine = ["lab-node-0", "lab-node-1", "lab-node-2"].map(|it| format!("{it} OK"));
    let missing =
        ["lab-node-3", "lab-node-4"].map(|node| operands.map(|it| format!("{node} MISSING {it}")));
    let want: Vec<_> = fine
        .iter()
        .chain(missing.iter().flatten())
        .map(String::as_str)
        .collect();
    cluster.audit("").assert(1, &want);
    the_cause_is_named(&cluster.audit("-o json").json());
    cluster
        .order("lab-node-3 lab-node-4")
        .assert(0, &["lab-node-3 ok", "lab-node-4 ok"]);
}

fn the_cause_is_named(report: &Value) {
    let all = report["findings"].as_array().expect("findings");
    for (node, rule, part, says) in [
        (
            "lab-node-3",
            "taint-not-tolerated",
            "message",
            "team=ml:NoSchedule",
        ),
        (
            "lab-node-4",
            "pod-unscheduled",
            "cause",
            "Insufficient memory",
        ),
    ] {
        let found = all
            .iter()
            .find(|it| it["node"] == node && it["severity"] == "error");
        let found = found.expect("an error on the node");
        assert_eq!(found["rule"], rule);
        assert!(
            found[part].as_str().is_some_and(|it| it.contains(says)),
            "{found}"
        );
    }
}

/// A GPU node that joins at run time.
fn joining(name: &str, spec: &str, annotation: &str) -> String {
    let like_node_0 = operand_lab::node(name, NodeKind::Gpu);
    let mut node: Value = serde_yaml::from_str(&like_node_0).expect("a node");
    let extra: Value = serde_yaml::from_str(&format!(
        "{spec}\nmetadata: {{annotations: {{{annotation}}}}}"
    ))
    .expect("YAML");
    node["spec"] = extra["spec"].clone();
    if let Some(annotations) = extra["metadata"]["annotations"].as_object() {
        for (key, value) in annotations {
            node["metadata"]["annotations"][key] = value.clone();
        }
    }
    node.to_string()
}
