//! The lab does what it says: one control plane, shared by every test of this file.
#![expect(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

use std::{
    process::{Command, Output},
    sync::OnceLock,
    time::Duration,
};

use lab::{
    Lab, PodState, Scenario, Step,
    operand_lab::{self, NodeKind},
};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(30);

/// `None` where the control plane can neither be found nor built; said once, by whichever test comes first.
fn shared() -> Option<&'static Lab> {
    static LAB: OnceLock<Option<Lab>> = OnceLock::new();
    LAB.get_or_init(|| lab::start_or_skip("the tests of the lab"))
        .as_ref()
}

/// The operand lab, made once; the tests that need its nodes wait for it.
fn with_operands() -> Option<&'static Lab> {
    static MADE: OnceLock<()> = OnceLock::new();
    let lab = shared()?;
    MADE.get_or_init(|| {
        let scenario = Scenario::named("operand-lab").unwrap();
        lab.apply_scenario(&scenario).unwrap();
    });
    Some(lab)
}

/// A namespace of the test's own, so that the tests do not meet.
fn namespace(lab: &Lab, name: &str) {
    lab.apply(&format!(
        "{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}"
    ))
    .unwrap();
}

/// A pod with two init containers and one main container, on a node of its own choice.
fn pod(namespace: &str, name: &str, state: &PodState) -> String {
    let key = PodState::annotation();
    format!(
        r#"---
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: {namespace}, annotations: {{{key}: "{state}"}}}}
spec:
  initContainers: [{{name: wait-driver, image: one}}, {{name: wait-toolkit, image: two}}]
  containers: [{{name: main, image: three}}]
"#
    )
}

/// The columns READY and STATUS of `kubectl get pods`, by pod.
fn printed(lab: &Lab, namespace: &str) -> Vec<(String, String)> {
    let output = lab
        .kubectl(&["get", "pods", "--no-headers", "-n", namespace])
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let columns = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = words.next().unwrap();
        let ready = words.next().unwrap();
        (name, format!("{ready} {}", words.next().unwrap()))
    };
    text.lines().map(columns).collect()
}

fn await_printed(lab: &Lab, namespace: &str, expected: &[(&str, &str)]) {
    let mut last = Vec::new();
    let done = lab::wait_until("kubectl to print the states", SOON, || {
        last = printed(lab, namespace);
        let same = |(name, status): &(&str, &str)| {
            last.iter()
                .any(|it| it.0.starts_with(name) && it.1 == *status)
        };
        expected.iter().all(same).then_some(())
    });
    assert!(
        done.is_ok(),
        "expected {expected:?}, kubectl prints {last:?}"
    );
}

fn as_user(lab: &Lab, kubeconfig: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command: Command = lab.kubectl_command();
    command
        .env("KUBECONFIG", kubeconfig)
        .args(arguments)
        .output()
        .unwrap()
}

fn is_ready(node: &Value) -> bool {
    let conditions = node["status"]["conditions"].as_array().unwrap();
    conditions
        .iter()
        .any(|it| it["type"] == "Ready" && it["status"] == "True")
}

#[test]
fn the_operand_lab_has_three_ready_nodes_and_a_running_pod_wherever_a_label_says_true() {
    let Some(lab) = with_operands() else { return };
    let nodes = lab
        .get(&["nodes", "lab-node-0", "lab-node-1", "lab-node-2"])
        .unwrap();
    assert!(nodes.iter().all(is_ready), "{nodes:?}");

    let sets = lab
        .get(&["daemonsets", "-n", operand_lab::NAMESPACE])
        .unwrap();
    for operand in operand_lab::OPERANDS {
        let set = sets
            .iter()
            .find(|it| it["metadata"]["name"] == operand.daemon_set)
            .unwrap();
        let wanted = if operand.id == "driver" { 1 } else { 2 };
        assert_eq!(
            set["status"]["desiredNumberScheduled"], wanted,
            "{}",
            operand.id
        );
        let template = &set["spec"]["template"]["spec"];
        assert_eq!(template["nodeSelector"][operand.deploy_label], "true");
        assert!(template["tolerations"].is_null() && template["initContainers"].is_null());
        assert_eq!(template["containers"][0]["image"], operand.image);
    }
    assert_eq!(lab.scenario().as_deref(), Some("operand-lab"));
}

#[test]
fn a_lab_holds_one_scenario_and_refuses_another() {
    let Some(lab) = with_operands() else { return };
    let other = Scenario::named("untolerated-taint").unwrap();
    let refusal = lab.apply_scenario(&other).unwrap_err().to_string();
    assert!(refusal.contains("already holds operand-lab"), "{refusal}");
    assert!(refusal.contains("lab down"), "{refusal}");
    assert_eq!(lab.scenario().as_deref(), Some("operand-lab"));
    lab.apply_scenario(&Scenario::named("operand-lab").unwrap())
        .unwrap();
}

#[test]
fn each_state_is_the_word_that_kubectl_prints() {
    let Some(lab) = with_operands() else { return };
    namespace(lab, "states");
    let expected = [
        ("ready", PodState::Ready, "1/1 Running"),
        ("pending", PodState::Pending, "0/1 Init:0/2"),
        (
            "first",
            PodState::Init("wait-driver".into()),
            "0/1 Init:0/2",
        ),
        (
            "second",
            PodState::Init("wait-toolkit".into()),
            "0/1 Init:1/2",
        ),
        (
            "image",
            PodState::ImagePullBackOff(None),
            "0/1 ImagePullBackOff",
        ),
        (
            "no-image-in-init",
            PodState::ImagePullBackOff(Some("wait-driver".into())),
            "0/1 Init:ImagePullBackOff",
        ),
        ("crash", PodState::CrashLoop(None), "0/1 CrashLoopBackOff"),
        (
            "no-start-in-init",
            PodState::CrashLoop(Some("wait-toolkit".into())),
            "0/1 Init:CrashLoopBackOff",
        ),
        ("unready", PodState::NotReady(None), "0/1 Running"),
        ("done", PodState::Completed, "0/1 Completed"),
    ];
    let yaml: String = expected
        .iter()
        .map(|(name, state, _)| pod("states", name, state))
        .collect();
    lab.apply(&yaml).unwrap();
    await_printed(
        lab,
        "states",
        &expected.map(|(name, _, status)| (name, status)),
    );
}

#[test]
fn a_pod_that_runs_can_be_held_and_let_go_again() {
    let Some(lab) = with_operands() else { return };
    namespace(lab, "holding");
    lab.apply(&pod("holding", "it", &PodState::Ready)).unwrap();
    await_printed(lab, "holding", &[("it", "1/1 Running")]);
    for (state, status) in [
        (PodState::Init("wait-toolkit".into()), "0/1 Init:1/2"),
        (PodState::CrashLoop(None), "0/1 CrashLoopBackOff"),
        (PodState::Pending, "0/1 Init:0/2"),
        (PodState::Ready, "1/1 Running"),
    ] {
        lab.hold("holding", "it", &state).unwrap();
        await_printed(lab, "holding", &[("it", status)]);
    }
}

#[test]
fn one_pod_of_a_daemon_set_can_be_held_from_its_start_and_by_a_step() {
    let Some(lab) = with_operands() else { return };
    namespace(lab, "daemon");
    let state = PodState::ImagePullBackOff(None);
    let yaml = operand_lab::daemon_set_holding("dcgm-exporter", "lab-node-1", &state).unwrap();
    lab.apply(&yaml.replace("namespace: gpu-operator", "namespace: daemon"))
        .unwrap();
    let both = |pods: &[Value]| (pods.len() == 2).then(|| pods.to_vec());
    lab.wait_for("two pods", SOON, &["pods", "-n", "daemon"], both)
        .unwrap();
    await_printed(
        lab,
        "daemon",
        &[
            ("nvidia", "0/1 ImagePullBackOff"),
            ("nvidia", "1/1 Running"),
        ],
    );
    let step = Step::Hold {
        namespace: "daemon",
        app: "nvidia-dcgm-exporter",
        node: "lab-node-0",
        state: PodState::NotReady(None),
    };
    step.take(lab).unwrap();
    await_printed(
        lab,
        "daemon",
        &[
            ("nvidia", "0/1 ImagePullBackOff"),
            ("nvidia", "0/1 Running"),
        ],
    );
}

#[test]
fn a_deleted_pod_goes_away_and_its_daemon_set_makes_another() {
    let Some(lab) = with_operands() else { return };
    namespace(lab, "deleting");
    let yaml = operand_lab::daemon_set("device-plugin").unwrap();
    lab.apply(&yaml.replace("namespace: gpu-operator", "namespace: deleting"))
        .unwrap();
    await_printed(lab, "deleting", &[("nvidia", "1/1 Running")]);
    let names = || -> Vec<String> {
        printed(lab, "deleting")
            .into_iter()
            .map(|it| it.0)
            .collect()
    };
    let before = names();
    let deleted = lab
        .kubectl(&["delete", "pod", "-n", "deleting", &before[0]])
        .unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
    lab::wait_until("another pod", SOON, || {
        let after = names();
        (after.len() == 2 && !after.contains(&before[0])).then_some(())
    })
    .unwrap();
}

#[test]
fn a_node_is_as_big_as_its_annotations_say() {
    let Some(lab) = with_operands() else { return };
    namespace(lab, "small");
    let small = operand_lab::node("small", NodeKind::Plain).replace(
        "  labels:\n",
        "  annotations: {lab.kubectl-gpu.io/memory: 256Mi, lab.kubectl-gpu.io/kernel: 6.8.0-31-generic}\n  labels:\n    \
         test/only: here\n",
    );
    lab.apply(&small).unwrap();
    let ready = |nodes: &[Value]| is_ready_now(nodes).then(|| nodes[0].clone());
    let node = lab
        .wait_for("a ready node", SOON, &["nodes", "small"], ready)
        .unwrap();
    assert_eq!(node["status"]["allocatable"]["memory"], "256Mi");
    assert_eq!(
        node["status"]["nodeInfo"]["kernelVersion"],
        "6.8.0-31-generic"
    );

    let too_big = operand_lab::daemon_set("driver")
        .unwrap()
        .replace("namespace: gpu-operator", "namespace: small")
        .replace("nvidia.com/gpu.deploy.driver: \"true\"", "test/only: here");
    lab.apply(&too_big).unwrap();
    let reason = |pods: &[Value]| {
        let conditions = pods.first()?["status"]["conditions"].as_array()?.clone();
        conditions
            .into_iter()
            .find(|it| it["reason"] == "Unschedulable")
    };
    let said = lab.wait_for(
        "the scheduler's verdict",
        SOON,
        &["pods", "-n", "small"],
        reason,
    );
    assert!(
        said.unwrap()["message"]
            .to_string()
            .contains("Insufficient memory")
    );
}

#[test]
fn a_node_can_be_made_not_ready_and_comes_back() {
    let Some(lab) = with_operands() else { return };
    lab.apply(&operand_lab::node("failing", NodeKind::Plain))
        .unwrap();
    let note = |value: &str| {
        let note = ["annotate", "--overwrite", "node", "failing", value];
        assert!(lab.kubectl(&note).unwrap().status.success());
    };
    let tainted = |nodes: &[Value]| {
        nodes[0]["spec"]["taints"]
            .to_string()
            .contains("node.kubernetes.io/not-ready")
    };
    let well = |nodes: &[Value]| (is_ready_now(nodes) && !tainted(nodes)).then_some(());
    let ill = |nodes: &[Value]| (!is_ready_now(nodes) && tainted(nodes)).then_some(());
    lab.wait_for("a ready node", SOON, &["nodes", "failing"], well)
        .unwrap();
    note("lab.kubectl-gpu.io/ready=False");
    lab.wait_for("a node that is not ready", SOON, &["nodes", "failing"], ill)
        .unwrap();
    note("lab.kubectl-gpu.io/ready-");
    lab.wait_for("a ready node again", SOON, &["nodes", "failing"], well)
        .unwrap();
}

fn is_ready_now(nodes: &[Value]) -> bool {
    nodes[0]["status"]["conditions"].is_array() && is_ready(&nodes[0])
}

#[test]
fn the_reader_lists_and_does_nothing_else_and_less_can_be_given() {
    let Some(lab) = with_operands() else { return };
    let reader = lab.reader_kubeconfig();
    assert!(
        as_user(lab, reader, &["get", "nodes,pods,daemonsets", "-A"])
            .status
            .success()
    );
    for (words, verb) in [
        (["create", "namespace", "some"], "create"),
        (["delete", "node", "lab-node-0"], "delete"),
        (["get", "node", "lab-node-0"], "get"),
    ] {
        let refused = as_user(lab, reader, &words);
        let said = String::from_utf8(refused.stderr).unwrap();
        let want = format!("\"lab-reader\" cannot {verb} resource ");
        assert!(said.contains(&want), "{said}");
    }

    let without_pods = lab.identity_without(&["pods"]).unwrap();
    assert!(
        as_user(lab, &without_pods, &["get", "nodes"])
            .status
            .success()
    );
    let refused = as_user(lab, &without_pods, &["get", "pods", "-A"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("cannot list resource \"pods\""), "{said}");
}

#[test]
fn the_audit_log_has_every_request_of_a_client() {
    let Some(lab) = shared() else { return };
    let mark = lab.mark().unwrap();
    let reader = lab.reader_kubeconfig();
    let arguments = ["get", "--raw", "/apis/apps/v1/daemonsets?limit=7"];
    assert!(as_user(lab, reader, &arguments).status.success());
    let requests = lab.requests_since(mark, "kubectl/").unwrap();
    let ours: Vec<_> = requests
        .iter()
        .filter(|it| it.user == "lab-reader")
        .collect();
    let [request] = ours[..] else {
        panic!("not one request: {ours:?}")
    };
    assert_eq!((request.verb.as_str(), request.code), ("list", 200));
    assert_eq!(request.uri, "/apis/apps/v1/daemonsets?limit=7");
    assert!(lab.requests_since(mark, "nobody/").unwrap().is_empty());
    assert!(lab.audit_log().unwrap().len() > requests.len());
}
