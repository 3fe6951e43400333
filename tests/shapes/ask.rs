//! Asks the plugins about a recording, once a test run, and reads their answers.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;
use suite::{Said, plugin};

/// What both plugins say about one cluster.
#[derive(Debug)]
pub(crate) struct Answer {
    /// `kubectl-gpu_audit -o json`: how it ended, and the report.
    pub(crate) audit: (Said, Value),
    /// `kubectl-gpu_order -o json`, the same.
    pub(crate) order: (Said, Value),
    /// `kubectl-gpu_audit -o lines`.
    pub(crate) lines: Said,
}

/// Asks both plugins about a List.
pub(crate) fn ask(list: &Value) -> Answer {
    let text = list.to_string();
    answer(|program, format| {
        plugin(program)
            .args(["-f", "-", "-o", format])
            .input(text.clone())
            .run()
    })
}

/// Asks both plugins by any way to run them.
pub(crate) fn answer(run: impl Fn(&str, &str) -> Said) -> Answer {
    let report = |program| {
        let said = run(program, "json");
        let report = said.json();
        (said, report)
    };
    Answer {
        audit: report("kubectl-gpu_audit"),
        order: report("kubectl-gpu_order"),
        lines: run("kubectl-gpu_audit", "lines"),
    }
}

/// The answer about a cluster of this name, asked for when somebody first wants it.
pub(crate) fn once(name: &str, ask: impl FnOnce() -> Answer) -> Arc<OnceLock<Answer>> {
    static KNOWN: Mutex<Option<HashMap<String, Arc<OnceLock<Answer>>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let cell = Arc::clone(
        known
            .get_or_insert_default()
            .entry(name.to_owned())
            .or_default(),
    );
    drop(known);
    cell.get_or_init(ask);
    cell
}

/// The findings of a report that are no mere information.
pub(crate) fn loud(report: &Value) -> impl Iterator<Item = &Value> {
    let findings = report["findings"].as_array().into_iter().flatten();
    findings.filter(|it| it["severity"] != "info")
}

/// What they come down to: the node, or else the object, and the rule.
pub(crate) fn alarms(report: &Value) -> BTreeSet<(String, String)> {
    let word = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    loud(report)
        .map(|it| {
            let about = if it["node"].is_null() {
                &it["subject"]["name"]
            } else {
                &it["node"]
            };
            (word(about), word(&it["rule"]))
        })
        .collect()
}

/// The findings of a report in words, for a failed assertion.
pub(crate) fn in_words(report: &Value) -> String {
    let line = |it: &Value| {
        format!(
            "    {} {}: {}\n      {}\n",
            it["severity"], it["rule"], it["message"], it["cause"]
        )
    };
    loud(report).map(line).take(6).collect()
}

/// Checks every case on some threads, and fails with all that is wrong.
#[track_caller]
pub(crate) fn each<T: Sync>(
    cases: &[T],
    name: impl Fn(&T) -> &str + Sync,
    check: impl Fn(&T) -> Vec<String> + Sync,
) {
    const THREADS: usize = 4;
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let (name, check) = (&name, &check);
        let work = |first: usize| {
            let mine = cases.iter().skip(first).step_by(THREADS);
            let told = mine
                .map(|it| (it, check(it)))
                .filter(|(_, problems)| !problems.is_empty());
            told.map(|(it, problems)| format!("{}:\n  {}", name(it), problems.join("\n  ")))
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..THREADS)
            .map(|first| scope.spawn(move || work(first)))
            .collect();
        threads
            .into_iter()
            .flat_map(|it| it.join().expect("a check ends"))
            .collect()
    });
    assert!(
        wrong.is_empty(),
        "{} of {} are not as they should be\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
