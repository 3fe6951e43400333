//! How a recording is made: the same in README and in every issue form, and right on a real control plane.

use std::env::{join_paths, split_paths, var_os};
use std::path::Path;
use std::process::Command;

use lab::{Lab, Scenario};
use serde_json::Value;
use suite::{bin_dir, plugin, root};

use crate::document;
use crate::markdown::{Part, block_below, parts};

/// The commands of README that make a recording, and those that take out what nobody reads.
fn commands() -> [String; 2] {
    let readme = document("README.md");
    ["make-a-recording", "strip-a-recording"].map(|it| block_below(&readme, it))
}

#[test]
fn the_issue_forms_say_what_the_readme_says() {
    for form in ["wrong-answer", "error", "idea"] {
        let form = document(&format!(".github/ISSUE_TEMPLATE/{form}.yml"));
        let form: Value = serde_yaml::from_str(&form).expect("YAML");
        let texts = form["body"].as_array().expect("a body").iter();
        let texts = texts.filter_map(|it| it["attributes"]["value"].as_str());
        let blocks: Vec<String> = texts
            .flat_map(parts)
            .filter_map(|it| match it {
                Part::Block(_, text) => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!(blocks, commands(), "{}", form["name"]);
    }
}

/// Runs commands as they are written, with the plugins and the lab's kubectl on PATH.
fn shell(lab: &Lab, folder: &Path, commands: &str) -> String {
    let kubectl = lab.kubectl_path();
    let ours = [bin_dir(), kubectl.parent().expect("a folder")].map(Path::to_path_buf);
    let system = var_os("PATH").unwrap_or_default();
    let path = join_paths(ours.into_iter().chain(split_paths(&system))).expect("a PATH");
    let done = Command::new("sh")
        .args(["-e", "-c", commands])
        .current_dir(folder)
        .env("PATH", path)
        .env("KUBECONFIG", lab.kubeconfig())
        .output()
        .expect("sh runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{commands}\n{said}\n{err}");
    said
}

/// What a plugin reports of the lab or of a recording, without where and when it looked.
fn report(name: &str, lab: &Lab, recording: Option<&Path>) -> Value {
    let run = plugin(name).env("KUBECONFIG", lab.kubeconfig());
    let run = match recording {
        Some(it) => run.args([Path::new("-f"), it]),
        None => run,
    };
    let mut report = run.args(["-o", "json"]).run().json();
    let object = report.as_object_mut().expect("an object");
    object.remove("source");
    object.remove("seenAt");
    report
}

#[test]
fn a_recording_answers_as_the_cluster_does_before_and_after_it_is_stripped() {
    let Some(lab) = lab::start_or_skip("a_recording_answers_as_the_cluster_does") else {
        return;
    };
    let scenario = Scenario::named("operand-lab").expect("a scenario");
    lab.apply_scenario(&scenario).expect("applied");
    let folder = tempfile::tempdir().expect("a folder");
    let [make, strip] = commands();
    let said = shell(&lab, folder.path(), &make);
    assert_eq!(said, "lab-node-0 OK\nlab-node-1 OK\nlab-node-2 OK\n");
    let recording = folder.path().join("recording");
    let all = [
        "kubectl-gpu_audit",
        "kubectl-gpu_order",
        "kubectl-gpu_drivertag",
    ];
    let live = all.map(|it| report(it, &lab, None));
    assert_eq!(all.map(|it| report(it, &lab, Some(&recording))), live);

    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    if !has_jq {
        let in_ci = var_os("CI").is_some_and(|it| it == "true");
        assert!(!in_ci, "stripping a recording needs jq");
        eprintln!("SKIPPED stripping a recording: jq is not here");
        return;
    }
    shell(&lab, folder.path(), &strip);
    assert_eq!(all.map(|it| report(it, &lab, Some(&recording))), live);
    let text = std::fs::read_to_string(recording.join("operator.json")).expect("a file");
    assert!(!text.contains("\"env\"") && !text.contains("\"managedFields\""));
    assert!(!root().join("recording").exists());
}
