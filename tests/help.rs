//! What help tells, held against the plugins: examples that run, and reads that plugins.yaml knows.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use suite::{Said, bin_dir, plugin, program, recorded, root};

/// The part of plugins.yaml that help speaks of.
#[derive(Deserialize)]
struct List {
    plugins: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    binary: String,
    reads: Vec<String>,
}

fn plugins() -> Vec<Row> {
    let text = fs::read_to_string(root().join("plugins.yaml")).expect("plugins.yaml");
    let list: List = serde_yaml::from_str(&text).expect("YAML");
    assert!(!list.plugins.is_empty());
    list.plugins
}

/// The lines below a heading of a help, to the next heading.
fn section<'a>(help: &'a str, heading: &str) -> Vec<&'a str> {
    let below = help.lines().skip_while(|it| *it != heading).skip(1);
    below
        .take_while(|it| it.is_empty() || it.starts_with("  "))
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect()
}

/// A folder with the files that examples name, and a node of the name they name.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = fs::read_to_string(recorded("operand-lab").join("cluster.yaml"));
    let cluster = cluster
        .expect("the recording")
        .replace("lab-node-0", "gpu-node-1");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("cluster.yaml", &cluster);
    write("tags.txt", "570.124.06-ubuntu24.04\n");
    folder
}

/// Runs an example as it stands, on the recording where it names none.
fn run(row: &Row, folder: &Path, line: &str) -> Said {
    let words = line.strip_prefix(&format!("kubectl {}", row.name));
    let words = words.unwrap_or_else(|| panic!("{line}")).trim();
    let run = plugin(&row.binary).line(words).within(folder);
    let answers = ["roster", "rules", "explain"];
    let needs_none = answers.iter().any(|it| words.starts_with(it)) || words.contains("-f ");
    let run = if needs_none {
        run
    } else {
        run.args(["-f", "cluster.yaml"])
    };
    run.run()
}

#[test]
fn every_example_runs_as_it_stands() {
    let desk = desk();
    for row in plugins() {
        let help = plugin(&row.binary).line("--help").run().out;
        let examples = section(&help, "Examples:");
        let own = format!("kubectl {}", row.name);
        let lines: Vec<_> = examples.iter().filter(|it| it.starts_with(&own)).collect();
        assert!((3..=6).contains(&lines.len()), "{}: {lines:?}", row.name);
        for line in lines {
            let said = run(&row, desk.path(), line);
            assert!(said.code.is_some_and(|it| it < 2), "{line}: {said:?}");
            assert_ne!(said.out, "", "{line}");
        }
    }
}

#[test]
fn help_lists_what_plugins_yaml_lists() {
    for row in plugins() {
        let help = plugin(&row.binary).line("--help").run().out;
        let reads = section(&help, "What it reads:").join(" ");
        let first = reads.strip_prefix("Lists ").expect("a list of resources");
        let first = first.split(". ").next().expect("a sentence");
        let listed: Vec<&str> = first.split(", ").collect();
        assert_eq!(listed, row.reads, "{}", row.name);
        assert!(reads.contains("It never writes"), "{reads}");
    }
}

#[test]
fn help_speaks_of_the_name_the_program_was_started_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder
        .path()
        .join(format!("gpu-audit{}", std::env::consts::EXE_SUFFIX));
    fs::copy(
        bin_dir().join(format!("kubectl-gpu_audit{}", std::env::consts::EXE_SUFFIX)),
        &copy,
    )
    .expect("a copy");
    let said = program(&copy).line("--help").run();
    assert!(said.out.contains("Usage: gpu-audit ["), "{}", said.out);
    assert!(
        said.out.contains("\n  gpu-audit -f cluster.yaml\n"),
        "{}",
        said.out
    );
    assert!(!said.out.contains("kubectl gpu-audit"), "{}", said.out);
}

#[test]
fn each_word_of_help_reads_right() {
    let first = |line: &str| {
        let said = plugin("kubectl-gpu_audit").line(line).run();
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{line}");
        assert!(
            said.out.ends_with('\n') && !said.out.contains("__complete"),
            "{line}"
        );
        said.out
    };
    for (line, says) in [
        ("help", "Usage: kubectl gpu-audit [OPTIONS] [NODE]..."),
        ("help roster", "Usage: kubectl gpu-audit roster [OPTIONS]"),
        ("help explain", "Usage: kubectl gpu-audit explain <RULE>"),
        ("help completion", "kubectl 1.26 or newer"),
        (
            "completion",
            "Usage: kubectl gpu-audit completion [COMMAND]",
        ),
        ("help completion install", "--dir <FOLDER>"),
        (
            "-h",
            "Examples, exit codes and what is read: kubectl gpu-audit --help",
        ),
    ] {
        let text = first(line);
        assert!(text.contains(says), "{line}: {text}");
    }
    let n_lines = |line: &str| first(line).lines().count();
    assert!(n_lines("-h") < 50 && n_lines("-h") * 2 < n_lines("--help"));
}
