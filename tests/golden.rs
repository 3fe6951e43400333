//! The binaries over recorded clusters: standard output, standard error and exit code, whole.

use std::fmt::Write;

use suite::{plugin, recorded, root};

/// Every recorded cluster in `tests/clusters`.
fn clusters() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("tests/clusters")).expect("the recorded clusters");
    let mut names: Vec<_> = folder
        .map(|it| it.expect("an entry"))
        .filter(|it| it.path().is_dir())
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// What a run says, in one text.
fn transcript(program: &str, args: &[&str]) -> String {
    let said = plugin(program).args(args).run();
    let mut text = String::new();
    let code = said.code.map_or("a signal".to_owned(), |it| it.to_string());
    let _ = writeln!(text, "{}exit {code}", said.out);
    for line in said.err.lines() {
        let _ = writeln!(text, "stderr: {line}");
    }
    text
}

/// Is this recording there for gpu-drivertag?
fn is_about_driver_tags(name: &str) -> bool {
    let expectation = std::fs::read_to_string(recorded(name).join("expect.yaml"));
    expectation.is_ok_and(|it| it.contains("run: [kubectl-gpu_drivertag"))
}

#[test]
fn every_recorded_cluster_reads_as_before() {
    for name in clusters() {
        let programs = match is_about_driver_tags(&name) {
            true => &["kubectl-gpu_drivertag"][..],
            false => &["kubectl-gpu_audit", "kubectl-gpu_order"],
        };
        let folder = format!("tests/clusters/{name}");
        let inventory = format!("{folder}/inventory.txt");
        let mut text = String::new();
        for program in programs {
            for format in ["lines", "table"] {
                let _ = writeln!(text, "$ {program} -o {format}");
                let mut args = vec!["-f", &folder, "-o", format];
                if root().join(&inventory).is_file() {
                    args.extend(["--inventory", &inventory]);
                }
                text += &transcript(program, &args);
            }
        }
        snapshot(&name, &text);
    }
}

#[test]
fn driver_tags_read_as_before_in_every_format() {
    let cluster = "tests/clusters/C36-precompiled-image-behind-the-kernel";
    let inventory = format!("{cluster}/inventory.txt");
    for format in ["wide", "json", "yaml", "name", "mirror", "build-matrix"] {
        let args = ["-f", cluster, "--inventory", &inventory, "-o", format];
        let text = transcript("kubectl-gpu_drivertag", &args);
        snapshot(&format!("driver-tags.{format}"), &text);
    }
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "snapshots" }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_operand_lab_reads_as_before_in_every_format() {
    for format in ["wide", "matrix", "json", "yaml", "name"] {
        let text = transcript(
            "kubectl-gpu_audit",
            &["-f", "tests/clusters/operand-lab", "-o", format],
        );
        snapshot(&format!("operand-lab.{format}"), &text);
    }
}

#[test]
fn json_and_yaml_hold_the_same_report() {
    let run = |format| {
        plugin("kubectl-gpu_audit")
            .args(["-f", "tests/clusters/operand-lab", "-o", format])
            .run()
    };
    let yaml: serde_json::Value = serde_yaml::from_str(&run("yaml").out).expect("YAML");
    assert_eq!(run("json").json(), yaml);
}

/// What is typed wrong, and what the error names.
#[rustfmt::skip]
const WRONG: [(&str, &str, &str); 18] = [
    (
        "kubectl-gpu_drivertag",
        "-o mirrors",
        "unknown output format \"mirrors\"; did you mean \"mirror\"?",
    ),
    (
        "kubectl-gpu_drivertag",
        "--inventory no-such-file",
        "--inventory: the path \"no-such-file\" does not exist",
    ),
    (
        "kubectl-gpu_drivertag",
        "-f - --inventory -",
        "standard input can be read once",
    ),
    (
        "kubectl-gpu_drivertag",
        "--plan - --inventory -",
        "standard input can be read once",
    ),
    (
        "kubectl-gpu_drivertag",
        "--kernel none",
        "\"none\" is no kernel release",
    ),
    (
        "kubectl-gpu_drivertag",
        "--os 24.04",
        "\"24.04\" is no system",
    ),
    (
        "kubectl-gpu_drivertag",
        "--driver latest",
        "\"latest\" is no driver",
    ),
    (
        "kubectl-gpu_drivertag",
        "--plan x --driver 570",
        "cannot be used with",
    ),
    (
        "kubectl-gpu_drivertag",
        "--kernel 6.8.0-1-generic lab-nod-0",
        "did you mean \"lab-node-0\"?",
    ),
    ("kubectl-gpu_audit", "-o jsn", "unknown output format \"jsn\"; did you mean \"json\"?"),
    ("kubectl-gpu_audit", "-o jsonpath={.x}", "-o json and jq"),
    ("kubectl-gpu_order", "-o matrix", "unknown output format \"matrix\""),
    ("kubectl-gpu_audit", "-o table --sort-by nod", "unknown column \"nod\"; did you mean \"node\"?"),
    ("kubectl-gpu_audit", "lab-nod-0", "nodes \"lab-nod-0\" not found; did you mean \"lab-node-0\"?"),
    ("kubectl-gpu_audit", "--no-such-flag", "unexpected argument '--no-such-flag'"),
    ("kubectl-gpu_audit", "--operator-version new", "cannot read \"new\" as an operator version"),
    ("kubectl-gpu_audit", "-l =a", "label selector"),
    ("kubectl-gpu_audit", "--fail-on sometimes", "possible values: error, warning, never"),
];

#[test]
fn what_is_typed_wrong_names_what_would_be_right() {
    for (program, line, says) in WRONG {
        let said = plugin(program)
            .arg_file(&recorded("operand-lab"))
            .line(line)
            .run();
        assert_eq!(said.code, Some(2), "{line}: {}", said.err);
        assert!(said.err.contains(says), "{line}: {}", said.err);
        assert_eq!(said.out, "", "{line}");
    }
    let said = plugin("kubectl-gpu_audit")
        .line("explain operand-mising")
        .run();
    assert_eq!(said.code, Some(2));
    let says = "unknown rule \"operand-mising\"; did you mean \"operand-missing\"?";
    assert!(said.err.contains(says), "{}", said.err);
}

#[test]
fn fail_on_decides_the_exit_code() {
    let plugin = |line: &str| {
        plugin("kubectl-gpu_audit")
            .args(["-f", "tests/clusters/untolerated-taint"])
            .line(line)
            .run()
            .code
    };
    assert_eq!(plugin(""), Some(1));
    assert_eq!(plugin("--fail-on warning"), Some(1));
    assert_eq!(plugin("--fail-on never"), Some(0));
}

#[test]
fn help_is_a_word_too_and_names_exit_codes() {
    for program in [
        "kubectl-gpu_audit",
        "kubectl-gpu_order",
        "kubectl-gpu_drivertag",
    ] {
        let flag = plugin(program).line("--help").run();
        let word = plugin(program).line("help").run();
        assert_eq!(flag.out, word.out);
        assert!(flag.out.contains("Usage: kubectl gpu-"), "{}", flag.out);
        assert!(flag.out.contains("3  could not tell"), "{}", flag.out);
        let version = plugin(program).line("-V").run();
        assert_eq!(
            version.out,
            format!("{program} {}\n", env!("CARGO_PKG_VERSION"))
        );
    }
}

#[test]
fn nodes_are_chosen_by_name_and_by_label() {
    let run = |line: &str| {
        plugin("kubectl-gpu_audit")
            .args(["-f", "tests/clusters/operand-lab"])
            .line(line)
            .run()
    };
    run("lab-node-1").assert(0, &["lab-node-1 OK"]);
    run("node/lab-node-1 lab-node-0").assert(0, &["lab-node-0 OK", "lab-node-1 OK"]);
    run("-l nvidia.com/gpu.deploy.driver=false").assert(0, &["lab-node-1 OK"]);
    run("-l nosuchlabel").assert(0, &[]);
}
