//! Every field case of `tests/clusters` is answered as its `expect.yaml` says.

use std::path::{Path, PathBuf};

use suite::expectation::Expectation;
use suite::{Run, plugin, root};

/// The folders that hold a case, by name.
fn cases() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("tests/clusters")).expect("the recorded clusters");
    let mut cases: Vec<_> = folder
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.join("expect.yaml").is_file())
        .collect();
    cases.sort();
    cases
}

fn expectation(case: &Path) -> Expectation {
    let text = std::fs::read_to_string(case.join("expect.yaml")).expect("it is read");
    serde_yaml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", case.display()))
}

fn run(case: &Path, expected: &Expectation, format: &str) -> Run {
    let (program, args) = expected.run.split_first().expect("a program to run");
    plugin(program)
        .within(case)
        .args(args)
        .args(["-f", "cluster.yaml", "-o", format])
}

fn problems(case: &Path) -> Vec<String> {
    let expected = expectation(case);
    let said = run(case, &expected, "json").run();
    let mut problems = Vec::new();
    if !said.code.is_some_and(|it| expected.exit.has(&it)) {
        problems.push(format!(
            "exit {:?}, expected {:?}: {}",
            said.code, expected.exit, said.err
        ));
    }
    match serde_json::from_str(&said.out) {
        Ok(report) => problems.extend(expected.problems(&report)),
        Err(why) => problems.push(format!("no report: {why}: {}", said.err)),
    }
    if let Some(lines) = &expected.lines {
        let said = run(case, &expected, "lines").run();
        if said.out.trim_end() != lines.trim_end() {
            problems.push(format!("lines are\n{}", said.out));
        }
        if lines.contains(" MISSING ") && said.code != Some(1) {
            problems.push(format!(
                "a line says MISSING and the exit code is {:?}",
                said.code
            ));
        }
    }
    problems
}

#[test]
fn every_field_case_is_answered_as_expected() {
    let cases = cases();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    let wrong: Vec<_> = cases
        .iter()
        .map(|it| (it, problems(it)))
        .filter(|(_, problems)| !problems.is_empty())
        .map(|(it, problems)| format!("{}:\n  {}", it.display(), problems.join("\n  ")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_lies_in_a_folder_that_begins_with_its_id() {
    for case in cases() {
        let name = case
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(
            name.starts_with(&format!("{}-", expectation(&case).id)),
            "{name}"
        );
    }
}
