//! What a field case expects of an answer: the form of `expect.yaml`, and how a report is held against it.

use fancy_regex::Regex;
use serde::Deserialize;
use serde_json::Value;

/// One `expect.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Its id.
    pub id: String,
    /// What is wrong, in one line.
    pub title: String,
    /// Where the story was told.
    pub source: String,
    /// Program and arguments; the recording and the format are added.
    pub run: Vec<String>,
    /// The exit codes that can be defended.
    pub exit: OneOrMore<i32>,
    /// Exact standard output with `-o lines`.
    pub lines: Option<String>,
    /// For each of these there is one finding that meets it.
    #[serde(default)]
    pub must: Vec<Entry>,
    /// No finding that is an error or a warning meets one of these.
    #[serde(default)]
    pub never: Vec<Entry>,
    /// jq filters on the report that yield only `true`.
    #[serde(default)]
    pub payload: Vec<String>,
    /// The reasoning.
    pub why: String,
}

/// One value, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore<T> {
    /// One.
    One(T),
    /// Several.
    More(Vec<T>),
}

impl<T: PartialEq> OneOrMore<T> {
    /// Is this among them?
    pub fn has(&self, it: &T) -> bool {
        match self {
            Self::One(one) => one == it,
            Self::More(more) => more.contains(it),
        }
    }
}

/// What one finding has to be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The node it is about.
    pub node: Option<String>,
    /// Its severity.
    pub severity: Option<String>,
    /// Regular expressions, any case, that are all found in its text.
    #[serde(default)]
    pub says: Vec<String>,
}

impl Expectation {
    /// What of a report is not as expected, a line each.
    pub fn problems(&self, report: &Value) -> Vec<String> {
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let nodes = report["nodes"].as_array().cloned().unwrap_or_default();
        let nodes: Vec<_> = nodes.iter().filter_map(|it| it["name"].as_str()).collect();
        let unmet = self
            .must
            .iter()
            .filter(|it| !findings.iter().any(|finding| it.is_met_by(finding)));
        let mut problems: Vec<_> = unmet.map(|it| format!("no finding is {it:?}")).collect();
        for it in &self.never {
            let alarms = findings
                .iter()
                .filter(|finding| it.is_broken_by(finding, &nodes));
            problems.extend(
                alarms.map(|finding| format!("false alarm by {it:?}: {}", finding["message"])),
            );
        }
        let untrue = self
            .payload
            .iter()
            .filter(|filter| !yields_true(filter, report));
        problems.extend(untrue.map(|filter| format!("not true: {filter}")));
        problems
    }
}

impl Entry {
    fn is_met_by(&self, finding: &Value) -> bool {
        let about = |node: &String| {
            finding["node"] == **node
                || finding["subject"]["name"] == **node
                || names(&text(finding), node)
        };
        self.node.as_ref().is_none_or(about)
            && self
                .severity
                .as_ref()
                .is_none_or(|it| finding["severity"] == **it)
            && self.says_fit(finding)
    }

    fn is_broken_by(&self, finding: &Value, nodes: &[&str]) -> bool {
        let counts = finding["severity"] == "error" || finding["severity"] == "warning";
        counts
            && self
                .node
                .as_ref()
                .is_none_or(|it| blames(finding, it, nodes))
            && self.says_fit(finding)
    }

    fn says_fit(&self, finding: &Value) -> bool {
        let text = text(finding);
        self.says.iter().all(|it| {
            let regex = Regex::new(&format!("(?i){it}")).expect("a regular expression");
            regex
                .is_match(&text)
                .expect("a regular expression that ends")
        })
    }
}

/// All of a finding that is held against regular expressions.
fn text(finding: &Value) -> String {
    let parts = ["message", "cause", "evidence", "fix"].map(|key| &finding[key]);
    let flat = parts.into_iter().flat_map(|it| match it {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        _ => Vec::new(),
    });
    flat.collect::<Vec<_>>().join("\n")
}

/// Is this name a word of the text?
fn names(text: &str, node: &str) -> bool {
    let word = format!(
        r"(?<![A-Za-z0-9_.-]){}(?![A-Za-z0-9_-]|\.[A-Za-z0-9])",
        fancy_regex::escape(node)
    );
    Regex::new(&word)
        .expect("an escaped name")
        .is_match(text)
        .expect("a regular expression that ends")
}

/// Does a finding accuse this node? One that names no node does if its text has this node and no other.
fn blames(finding: &Value, node: &str, nodes: &[&str]) -> bool {
    let own = finding["node"].as_str().or_else(|| {
        let subject = &finding["subject"];
        (subject["kind"] == "Node")
            .then(|| subject["name"].as_str())
            .flatten()
    });
    match own {
        Some(own) => own == node,
        None => {
            let text = text(finding);
            names(&text, node) && !nodes.iter().any(|it| *it != node && names(&text, it))
        }
    }
}

/// Does a jq filter yield at least one value, and only `true`?
fn yields_true(filter: &str, report: &Value) -> bool {
    use jaq_core::load::{Arena, File, Loader};
    use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
    use jaq_json::{Val, read};
    let defs = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs());
    let funs = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(defs).load(
        &arena,
        File {
            code: filter,
            path: (),
        },
    );
    let modules = modules.unwrap_or_else(|_| panic!("no jq filter: {filter}"));
    let compiled = Compiler::default().with_funs(funs).compile(modules);
    let compiled = compiled.unwrap_or_else(|_| panic!("no jq filter: {filter}"));
    let input = read::parse_single(report.to_string().as_bytes()).expect("a report is JSON");
    let context = Ctx::<data::JustLut<Val>>::new(&compiled.lut, Vars::new([]));
    let mut n_true = 0;
    for output in compiled.id.run((context, input)).map(unwrap_valr) {
        match output {
            Ok(Val::Bool(true)) => n_true += 1,
            Ok(_) => return false,
            Err(why) => panic!("{filter}: {why}"),
        }
    }
    n_true > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Value {
        serde_json::json!({
            "nodes": [{ "name": "gpu-a" }, { "name": "gpu-b" }],
            "findings": [{
                "severity": "error", "node": "gpu-a", "message": "driver cannot pull its image",
                "cause": "not found", "evidence": ["pod/x on gpu-a"], "fix": "" }],
        })
    }

    fn check(entry: &str, met: bool, broken: bool) {
        let entry: Entry = serde_yaml::from_str(entry).expect("an entry");
        let report = report();
        assert_eq!(entry.is_met_by(&report["findings"][0]), met, "{entry:?}");
        assert_eq!(
            entry.is_broken_by(&report["findings"][0], &["gpu-a", "gpu-b"]),
            broken,
            "{entry:?}"
        );
    }

    #[test]
    fn an_entry_is_met_when_all_of_it_holds() {
        check(
            "{node: gpu-a, severity: error, says: [DRIVER, 'pull|image']}",
            true,
            true,
        );
        check("{node: gpu-b, says: [driver]}", false, false);
        check("{severity: warning}", false, true);
        check("{says: ['driver(?! can)']}", false, false);
    }

    #[test]
    fn a_filter_has_to_yield_true_and_nothing_else() {
        let report = report();
        assert!(yields_true(".findings | length == 1", &report));
        assert!(!yields_true(".findings[] | .node == \"gpu-b\"", &report));
        assert!(!yields_true("empty", &report));
        assert!(yields_true(
            "[.nodes[] | select(.name | test(\"^gpu\"))] | length == 2",
            &report
        ));
    }

    #[test]
    fn an_expectation_that_is_not_met_is_told() {
        let text = "{id: X, title: t, source: s, run: [p], exit: [0, 1], must: [{says: [nothing of this]}], payload: ['.findings == []'], why: w}";
        let it: Expectation = serde_yaml::from_str(text).expect("an expectation");
        assert_eq!(it.problems(&report()).len(), 2);
        assert!(it.exit.has(&1) && !it.exit.has(&3));
    }
}
