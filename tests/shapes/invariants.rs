//! What holds of every answer, whatever the cluster.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use suite::{plugin, recorded, root};

use crate::ask::{Answer, alarms, answer, ask, each, loud, once};
use crate::{broken, healthy};

type Asked = Arc<OnceLock<Answer>>;

/// Every recorded cluster by the name of its folder.
fn recordings() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("tests/clusters")).expect("the recorded clusters");
    let folders = folder
        .map(|it| it.expect("an entry"))
        .filter(|it| it.path().is_dir());
    let mut names: Vec<_> = folders
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn asked(name: &str) -> Asked {
    let folder = recorded(name);
    once(name, || {
        answer(|program, format| plugin(program).arg_file(&folder).args(["-o", format]).run())
    })
}

fn list(name: &str) -> Value {
    let text = std::fs::read_to_string(recorded(name).join("cluster.yaml")).expect("it is read");
    serde_yaml::from_str(&text).expect("YAML")
}

/// A cluster, and how to ask about it.
struct Cluster {
    name: String,
    ask: Box<dyn Fn() -> Asked + Sync>,
    list: Box<dyn Fn() -> Value + Sync>,
}

/// Every cluster there is: recorded, healthy and broken.
fn clusters() -> Vec<Cluster> {
    let folders = recordings().into_iter().map(|name| {
        let (one, two) = (name.clone(), name.clone());
        Cluster {
            name,
            ask: Box::new(move || asked(&one)),
            list: Box::new(move || list(&two)),
        }
    });
    let shapes = healthy::all().into_iter().map(|it| Cluster {
        name: it.0.to_owned(),
        ask: Box::new(move || healthy::asked(&it)),
        list: Box::new(move || it.1().record().list()),
    });
    let mutants = broken::all().into_iter().map(|it| Cluster {
        name: it.name.to_owned(),
        ask: Box::new(move || broken::asked(&it)),
        list: Box::new(move || (it.made)().list()),
    });
    folders.chain(shapes).chain(mutants).collect()
}

/// Holds every answer against a check.
#[track_caller]
fn of_every_answer(check: fn(&Answer) -> Vec<String>) {
    each(
        &clusters(),
        |it| &it.name,
        |it| check((it.ask)().get().expect("it was asked")),
    );
}

fn nodes_missing_something(answer: &Answer) -> BTreeSet<&str> {
    let lines = answer.lines.out.lines();
    lines
        .filter_map(|it| it.split_once(" MISSING ").map(|(node, _)| node))
        .collect()
}

#[test]
fn a_node_that_misses_an_operand_has_an_error() {
    of_every_answer(|answer| {
        let report = &answer.audit.1;
        let accused: BTreeSet<_> = loud(report)
            .filter(|it| it["severity"] == "error")
            .filter_map(|it| it["node"].as_str())
            .collect();
        let silent = nodes_missing_something(answer)
            .into_iter()
            .filter(|it| !accused.contains(it));
        silent
            .map(|it| format!("{it} misses an operand and has no error"))
            .collect()
    });
}

#[test]
fn the_exit_code_is_1_exactly_if_there_is_an_error() {
    of_every_answer(|answer| {
        let mut problems = Vec::new();
        for (who, (said, report)) in [("audit", &answer.audit), ("order", &answer.order)] {
            let has_error = loud(report).any(|it| it["severity"] == "error");
            if (said.code == Some(1)) != has_error {
                problems.push(format!(
                    "{who} ends with {:?}, errors: {has_error}",
                    said.code
                ));
            }
        }
        if answer.lines.code != answer.audit.0.code {
            problems.push(format!(
                "lines end with {:?}, json with {:?}",
                answer.lines.code, answer.audit.0.code
            ));
        }
        if !nodes_missing_something(answer).is_empty() && answer.lines.code != Some(1) {
            problems.push(format!(
                "a line says MISSING, and the exit code is {:?}",
                answer.lines.code
            ));
        }
        problems
    });
}

#[test]
fn nothing_is_said_twice() {
    of_every_answer(|answer| {
        let mut problems = Vec::new();
        for (_, report) in [&answer.audit, &answer.order] {
            let mut seen = BTreeSet::new();
            for it in report["findings"].as_array().expect("findings") {
                let about = (
                    it["node"].to_string(),
                    it["rule"].to_string(),
                    it["operand"].to_string(),
                    it["subject"].to_string(),
                );
                if !seen.insert(about.clone()) {
                    problems.push(format!("twice: {about:?}"));
                }
            }
            let mut causes = BTreeSet::new();
            for it in loud(report).filter(|it| it["node"].is_string()) {
                if !causes.insert((it["node"].to_string(), it["cause"].to_string())) {
                    problems.push(format!(
                        "one cause under two rules: {} {}",
                        it["rule"], it["cause"]
                    ));
                }
            }
        }
        problems
    });
}

#[test]
fn every_finding_tells_cause_and_fix() {
    of_every_answer(|answer| {
        let findings = answer.audit.1["findings"].as_array().expect("findings");
        let is_empty = |it: &&Value| {
            ["message", "cause", "fix"]
                .iter()
                .any(|key| it[*key].as_str().is_none_or(str::is_empty))
                || it["evidence"].as_array().is_none_or(Vec::is_empty)
        };
        findings
            .iter()
            .filter(is_empty)
            .map(|it| format!("says too little: {it}"))
            .collect()
    });
}

#[test]
fn both_plugins_say_the_same() {
    of_every_answer(|answer| {
        let (audit, order) = (alarms(&answer.audit.1), alarms(&answer.order.1));
        audit
            .symmetric_difference(&order)
            .map(|it| format!("only one of them says {it:?}"))
            .collect()
    });
}

#[test]
fn every_rule_fires_in_a_recorded_cluster() {
    let recordings = recordings();
    let fired: Vec<_> = recordings
        .iter()
        .flat_map(|name| {
            let cell = asked(name);
            let report = &cell.get().expect("it was asked").audit.1;
            let findings = report["findings"].as_array().expect("findings");
            findings
                .iter()
                .map(|it| it["rule"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    for program in ["kubectl-gpu_audit", "kubectl-gpu_order"] {
        let rules = plugin(program).line("rules").run().out;
        let ids = rules.lines().filter_map(|it| it.split_whitespace().next());
        let silent: Vec<_> = ids.filter(|id| !fired.iter().any(|it| it == id)).collect();
        assert!(
            silent.is_empty(),
            "{program}: no recorded cluster shows {silent:?}"
        );
    }
}

#[test]
fn a_recording_that_is_called_healthy_has_no_alarm() {
    for name in recordings().iter().filter(|it| it.contains("healthy")) {
        let cell = asked(name);
        let answer = cell.get().expect("it was asked");
        for (_, report) in [&answer.audit, &answer.order] {
            assert_eq!(alarms(report), BTreeSet::new(), "{name}");
        }
    }
}

/// A live cluster's events, quotas and Deployments are read only when something is wrong.
#[test]
fn a_healthy_answer_does_not_hang_on_what_is_read_later() {
    let late = ["Event", "ResourceQuota", "Deployment", "ReplicaSet"];
    each(
        &clusters(),
        |it| &it.name,
        |it| {
            let cell = (it.ask)();
            let before = &cell.get().expect("it was asked").audit;
            if before.0.code != Some(0) || !alarms(&before.1).is_empty() {
                return Vec::new();
            }
            let mut list = (it.list)();
            let items = list["items"].as_array_mut().expect("a List");
            items.retain(|it| !late.iter().any(|kind| it["kind"] == *kind));
            let after = ask(&list);
            let said: BTreeSet<_> = alarms(&after.audit.1)
                .into_iter()
                .chain(alarms(&after.order.1))
                .collect();
            said.into_iter()
                .map(|it| format!("only without events, quotas and Deployments: {it:?}"))
                .collect()
        },
    );
}
