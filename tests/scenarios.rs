//! Six ways in which one node has no working GPU, made on a real control plane: what the plugins say about each is in
//! `docs/scenarios.md`, and what they read is in the audit log.
//!
//! `UPDATE_SCENARIOS=1` writes the document anew, `UPDATE_SCENARIOS=recordings` the recorded clusters too.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fancy_regex::Regex;
use lab::{Lab, Scenario};
use serde_json::Value;
use suite::{Run, Said, plugin, recorded, root};

const LIMIT: Duration = Duration::from_secs(60);
const AUDIT: &str = "kubectl-gpu_audit";
const ORDER: &str = "kubectl-gpu_order";

/// What a plugin has to say: the severity of the one finding, and the exit code.
struct Verdict {
    severity: &'static str,
    code: i32,
}

const BROKEN: Verdict = Verdict {
    severity: "error",
    code: 1,
};
const ODD: Verdict = Verdict {
    severity: "warning",
    code: 0,
};

/// What is expected of a scenario.
struct Expected {
    scenario: &'static str,
    /// The rule that finds it, alone.
    rule: &'static str,
    /// All nodes, the broken one last.
    nodes: &'static [&'static str],
    audit: Verdict,
    order: Verdict,
    /// Operands without a Running pod on the broken node.
    missing: &'static [&'static str],
    /// How many operands wait behind the cause, as far as the finding lists them apart.
    n_behind: usize,
    /// Words that the finding must hold.
    says: &'static str,
}

const TWO: &[&str] = &["cp-a", "gpu-a", "gpu-b"];
const ALL: &[&str] = &[
    "driver",
    "container-toolkit",
    "operator-validator",
    "device-plugin",
    "gpu-feature-discovery",
    "dcgm-exporter",
];

const EXPECTED: [Expected; 6] = [
    Expected {
        scenario: "untolerated-taint",
        rule: "taint-not-tolerated",
        nodes: TWO,
        audit: BROKEN,
        order: ODD,
        missing: ALL,
        n_behind: 1,
        says: "add {key: team, operator: Exists, effect: NoSchedule} to spec.daemonsets.tolerations",
    },
    Expected {
        scenario: "driver-stuck-in-init",
        rule: "driver-manager-fails",
        nodes: TWO,
        audit: BROKEN,
        order: BROKEN,
        missing: ALL,
        n_behind: 6,
        says: "k8s-driver-manager",
    },
    Expected {
        scenario: "validator-opted-out",
        rule: "barrier-stuck",
        nodes: TWO,
        audit: BROKEN,
        order: BROKEN,
        missing: &["device-plugin", "gpu-feature-discovery", "dcgm-exporter"],
        n_behind: 1,
        says: "operator-validator is opted-out",
    },
    Expected {
        scenario: "stale-pause",
        rule: "pause-stale",
        nodes: TWO,
        audit: BROKEN,
        order: BROKEN,
        missing: &[],
        n_behind: 1,
        says: "paused-for-driver-upgrade",
    },
    Expected {
        scenario: "image-not-pullable",
        rule: "image-not-pulled",
        nodes: &["cp-a", "gpu-a", "gpu-b", "gpu-c", "gpu-d"],
        audit: BROKEN,
        order: BROKEN,
        missing: ALL,
        n_behind: 6,
        says: "driver:550-5.15.0-134-generic-ubuntu22.04",
    },
    Expected {
        scenario: "device-plugin-without-toolkit",
        rule: "device-plugin-without-toolkit",
        nodes: TWO,
        audit: ODD,
        order: BROKEN,
        missing: &[],
        n_behind: 1,
        says: "nvidia.com/gpu.deploy.container-toolkit=false",
    },
];

#[test]
fn a_taint_that_no_operand_tolerates_is_one_finding_with_the_toleration_to_add() {
    check("untolerated-taint");
}

#[test]
fn a_driver_that_is_stuck_in_its_init_container_is_one_finding_with_five_consequences() {
    check("driver-stuck-in-init");
}

#[test]
fn operands_that_wait_for_an_opted_out_validator_are_told_what_they_wait_for() {
    check("validator-opted-out");
}

#[test]
fn a_pause_that_outlived_the_upgrade_is_told_with_the_labels_to_set() {
    check("stale-pause");
}

#[test]
fn an_image_that_one_node_of_four_cannot_pull_is_a_finding_on_that_node_alone() {
    check("image-not-pullable");
}

#[test]
fn a_device_plugin_without_toolkit_is_an_error_of_the_order_and_a_warning_of_the_audit() {
    check("device-plugin-without-toolkit");
}

/// Makes a scenario, and holds what the plugins say, live and over the recording, against table and document.
fn check(name: &str) {
    let expected = EXPECTED.iter().find(|it| it.scenario == name);
    let expected = expected.expect("a row of the table");
    let Some(lab) = with_scenario(name) else {
        return;
    };
    let live = |name: &str| plugin(name).env("KUBECONFIG", lab.reader_kubeconfig());
    let mark = lab.mark().expect("a mark");
    the_answers_are(expected, live);
    only_reads(&lab.requests_since(mark, "kubectl-gpu_").expect("the log"));

    let update = std::env::var("UPDATE_SCENARIOS").unwrap_or_default();
    if update == "recordings" {
        record(&lab, name);
    }
    let pods = lab.get(&["pods", "-A"]).expect("pods");
    let section = section(expected, live, &pods);
    if !update.is_empty() {
        return rewrite(name, &section);
    }
    assert_eq!(documented(name), section, "{UPDATE}");
}

const UPDATE: &str = "UPDATE_SCENARIOS=1 takes what the plugins say now into docs/scenarios.md";

fn with_scenario(name: &str) -> Option<Lab> {
    let lab = lab::start_or_skip(name)?;
    let scenario = Scenario::named(name).expect("a scenario");
    lab.apply_scenario(&scenario).expect("it is made");
    Some(lab)
}

fn the_answers_are(expected: &Expected, run: impl Fn(&str) -> Run) {
    let (broken, well) = expected.nodes.split_last().expect("nodes");
    let mut lines: Vec<_> = well.iter().map(|it| format!("{it} OK")).collect();
    match expected.missing {
        [] => lines.push(format!("{broken} OK")),
        some => lines.extend(some.iter().map(|it| format!("{broken} MISSING {it}"))),
    }
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    run(AUDIT)
        .line("-o lines")
        .run()
        .assert(expected.audit.code, &lines);
    for (name, verdict) in [(AUDIT, &expected.audit), (ORDER, &expected.order)] {
        let said = run(name).line("-o json").run();
        assert_eq!(said.code, Some(verdict.code), "{name}: {}", said.err);
        let report = said.json();
        let findings = report["findings"].as_array().expect("findings");
        let [finding] = findings.as_slice() else {
            panic!("{name} has {} findings: {findings:#?}", findings.len());
        };
        assert_eq!(finding["rule"], expected.rule, "{name}");
        assert_eq!(finding["severity"], verdict.severity, "{name}");
        assert_eq!(finding["node"], *broken, "{name}");
        let n_behind = finding["consequences"].as_array().map(Vec::len);
        assert_eq!(n_behind, Some(expected.n_behind), "{finding:#}");
        assert!(finding.to_string().contains(expected.says), "{finding:#}");
        assert_eq!(report["gaps"], serde_json::json!([]), "{name}");
    }
}

/// Nothing was written, and nothing refused; 404 is for a kind that this release does not have.
fn only_reads(requests: &[lab::Request]) {
    assert!(!requests.is_empty());
    for it in requests {
        let reads = ["get", "list", "watch"].contains(&it.verb.as_str());
        assert!(reads && [200, 404].contains(&it.code), "{it:?}");
    }
}

/// The section of the document, from what the plugins print on a terminal.
fn section(expected: &Expected, run: impl Fn(&str) -> Run, pods: &[Value]) -> String {
    let name = expected.scenario;
    let about = Scenario::named(name).expect("a scenario").about;
    let mut text = format!(
        "## {name}\n\nWhat is wrong: {about}.\n\n```sh\ncargo xtask lab apply {name}\n```\n"
    );
    for (command, program) in [("kubectl gpu-audit", AUDIT), ("kubectl gpu-order", ORDER)] {
        let Said { out, err, code } = run(program).line("-o table --color never").run();
        assert_eq!(err, "", "{command}");
        let code = code.expect("an exit code");
        let out = steady(&out, pods);
        let _ = write!(
            text,
            "\n`{command}` exits with {code}:\n\n```text\n{out}```\n"
        );
    }
    text
}

/// The text without what another run would print otherwise: the ends of pods' names, and times.
fn steady(text: &str, pods: &[Value]) -> String {
    let mut text = text.to_owned();
    for meta in pods.iter().map(|it| &it["metadata"]) {
        if let (Some(name), Some(start)) = (meta["name"].as_str(), meta["generateName"].as_str()) {
            text = text.replace(name, &format!("{start}xxxxx"));
        }
    }
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").expect("a regular expression");
    time.replace_all(&text, "YYYY-MM-DDTHH:MM:SSZ").into_owned()
}

fn document() -> PathBuf {
    root().join("docs/scenarios.md")
}

/// Everything before the first section.
fn head() -> String {
    format!(
        "<!-- Printed from runs on the lab by `UPDATE_SCENARIOS=1 cargo test --package suite --test scenarios`; \
         changes here are lost. -->\n\n\
         # Scenarios\n\n\
         {} ways in which one node of a cluster has no working GPU while its neighbours are well. `cargo xtask lab` \
         makes them on a real control plane, with an operator v24.9.2 as Helm installs it; only the kubelets are \
         played. One lab holds one scenario:\n\n\
         ```sh\n\
         eval \"$(cargo xtask lab up)\"\n\
         cargo xtask lab apply untolerated-taint\n\
         cargo run --bin kubectl-gpu_audit\n\
         cargo xtask lab down\n\
         ```\n\n\
         `xxxxx` stands for the random end of a pod's name, `YYYY-MM-DDTHH:MM:SSZ` for a time.\n",
        number(EXPECTED.len())
    )
}

fn number(n: usize) -> &'static str {
    ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven"][n]
}

/// The section of a scenario as the document has it.
fn documented(name: &str) -> String {
    let text = std::fs::read_to_string(document()).unwrap_or_default();
    let start = format!("\n## {name}\n");
    let Some((_, rest)) = text.split_once(&start) else {
        return String::new();
    };
    let body = rest.split("\n## ").next().unwrap_or_default();
    format!("{start}{body}").trim_start().to_owned()
}

/// Puts a section into the document, or in the place of the one that was there.
fn rewrite(name: &str, section: &str) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _turn = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let sections = EXPECTED.iter().map(|it| match it.scenario {
        this if this == name => section.to_owned(),
        other => documented(other),
    });
    let sections: Vec<_> = sections.filter(|it| !it.is_empty()).collect();
    let text = format!("{}\n{}", head(), sections.join("\n"));
    std::fs::write(document(), text).expect("written");
}

#[test]
fn the_document_has_a_section_for_each_scenario_and_nothing_else() {
    let sections: Vec<_> = EXPECTED.iter().map(|it| documented(it.scenario)).collect();
    let whole = format!("{}\n{}", head(), sections.join("\n"));
    if std::env::var("UPDATE_SCENARIOS").is_err() {
        let text = std::fs::read_to_string(document()).expect("the document");
        assert_eq!(text, whole, "{UPDATE}");
    }
    let made_elsewhere = ["operand-lab", "gpu-operator"];
    let broken = Scenario::ALL.map(|it| it.name).into_iter();
    let broken: Vec<_> = broken.filter(|it| !made_elsewhere.contains(it)).collect();
    assert_eq!(broken, EXPECTED.map(|it| it.scenario));
}

/// The folder of a scenario's recording.
fn recording(name: &str) -> PathBuf {
    recorded(&format!("{name}-live")).join("cluster.yaml")
}

/// Records the cluster, with the events that warn.
fn record(lab: &Lab, name: &str) {
    let get = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let done = lab.kubectl(&words).expect("kubectl runs");
        assert!(done.status.success(), "{line}");
        String::from_utf8(done.stdout).expect("text")
    };
    let kinds = "nodes,pods,daemonsets,clusterpolicies,deployments,resourcequotas";
    let mut text = get(&format!("get {kinds} -A -o yaml"));
    text += "---\n";
    text += &get("get events -A --field-selector type=Warning -o yaml");
    let file = recording(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, text).expect("written");
}

#[test]
fn recorded_the_same_clusters_are_answered_as_the_document_says() {
    if std::env::var("UPDATE_SCENARIOS").is_ok() {
        return;
    }
    for expected in &EXPECTED {
        let file = recording(expected.scenario);
        let run = |name: &str| plugin(name).arg_file(&file);
        the_answers_are(expected, run);
        let text = std::fs::read_to_string(&file).expect("a recording");
        let pods: Value = text
            .split("\n---\n")
            .next()
            .map(|it| serde_yaml::from_str(it).expect("YAML"))
            .expect("a List");
        let pods = pods["items"].as_array().expect("items");
        assert_eq!(
            documented(expected.scenario),
            section(expected, run, pods),
            "{UPDATE}"
        );
    }
}

/// The kinds that a run asks for, and where.
fn paths(lab: &Lab, program: &str) -> BTreeSet<String> {
    let mark = lab.mark().expect("a mark");
    let said = plugin(program)
        .env("KUBECONFIG", lab.reader_kubeconfig())
        .run();
    assert!(said.code.is_some_and(|it| it < 2), "{said:?}");
    let requests = lab.requests_since(mark, "kubectl-gpu_").expect("the log");
    only_reads(&requests);
    let path = |it: &lab::Request| it.uri.split('?').next().unwrap_or_default().to_owned();
    requests.iter().map(path).collect()
}

#[test]
fn a_healthy_operator_has_no_finding_and_more_is_read_only_when_something_is_wrong() {
    let Some(lab) = with_scenario("gpu-operator") else {
        return;
    };
    for program in [AUDIT, ORDER] {
        let live = || plugin(program).env("KUBECONFIG", lab.reader_kubeconfig());
        let said = live().line("-o json").run();
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert_eq!(said.json()["findings"], serde_json::json!([]), "{program}");
        assert_eq!(said.json()["gaps"], serde_json::json!([]), "{program}");
        assert_eq!(said.err, "", "{program}");
    }
    let healthy = [AUDIT, ORDER].map(|it| paths(&lab, it));

    // The eviction of what does not tolerate it is real.
    let taint = ["taint", "node", "gpu-b", "team=ml:NoExecute"];
    assert!(lab.kubectl(&taint).expect("kubectl runs").status.success());
    let on_node = ["pods", "-A", "--field-selector", "spec.nodeName=gpu-b"];
    lab.wait_for("gpu-b to be empty", LIMIT, &on_node, |pods| {
        pods.is_empty().then_some(())
    })
    .expect("the pods go");
    let second_look = [
        "/api/v1/namespaces/gpu-operator/events",
        "/api/v1/namespaces/gpu-operator/resourcequotas",
        "/apis/apps/v1/namespaces/gpu-operator/deployments",
    ];
    for (program, before) in [AUDIT, ORDER].into_iter().zip(healthy) {
        let now = paths(&lab, program);
        let more: Vec<_> = now.difference(&before).map(String::as_str).collect();
        assert_eq!(more, second_look, "{program}");
        assert!(before.is_subset(&now), "{program}");
    }
}
