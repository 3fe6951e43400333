//! Completion as kubectl asks for it: from the line so far, a kubeconfig, a server, a recording.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser, Subcommand};
use gpu_cli::{CompletionArgs, Plugin, Program, RuleText, SharedArgs, completion::for_kubectl};
use gpu_core::answer::OwnFormat;

use crate::bench::Bench;
use crate::server::{Reply, Server, no, ok, page};

const fn rule(id: &'static str, summary: &'static str) -> RuleText {
    RuleText {
        id,
        severity: "error",
        summary,
        explanation: "",
    }
}

const PLUGIN: Plugin = Plugin {
    program: Program::new("kubectl-gpu_x", "1.2.3"),
    formats: &[OwnFormat {
        name: "matrix",
        about: "yes and no",
    }],
    columns: || vec!["NODE", "DRIVER"],
    rules: || {
        vec![
            rule("all-wrong", "nothing is right"),
            rule("odd", "something is"),
        ]
    },
    reads: &[],
    reads_on_request: &[],
    examples: &[],
};

#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct X {
    nodes: Vec<String>,
    #[command(flatten)]
    shared: SharedArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Subcommand)]
enum Instead {
    /// Look at the roster
    Roster {
        #[command(flatten)]
        shared: Box<SharedArgs>,
    },
    Explain {
        rule: String,
    },
    Completion(CompletionArgs),
}

/// What kubectl gets for the words of a line; `_` is the empty word.
fn answer(bench: &Bench, line: &str) -> String {
    let word = |it: &str| OsString::from(if it == "_" { "" } else { it });
    let words = line.split(' ').map(word).collect();
    for_kubectl(&PLUGIN, X::command, words, &bench.environment)
}

/// The candidates without their descriptions, and the directive.
fn offered(bench: &Bench, line: &str) -> Vec<String> {
    let bare = |it: &str| it.split('\t').next().unwrap_or_default().to_owned();
    answer(bench, line).lines().map(bare).collect()
}

#[track_caller]
fn check(bench: &Bench, line: &str, want: &[&str]) {
    assert_eq!(offered(bench, line), want, "{line}");
}

/// Two nodes in two pages of a table, and two namespaces as plain objects.
fn two_of_each() -> Server {
    Server::start(|asked| match (asked.path(), asked.page()) {
        ("/api/v1/nodes", "") => ok(
            r#"{"kind":"Table","metadata":{"continue":"more"},"columnDefinitions":[{"name":"Name"}],
                "rows":[{"cells":["gpu-1","Ready"]}]}"#,
        ),
        ("/api/v1/nodes", _) => ok(
            r#"{"kind":"Table","metadata":{},"columnDefinitions":[{"name":"Name"}],
                "rows":[{"cells":["gpu-2","Ready"]}]}"#,
        ),
        ("/api/v1/namespaces", _) => page(
            &[
                r#"{"metadata":{"name":"default"}}"#,
                r#"{"metadata":{"name":"gpu-operator"}}"#,
            ],
            "",
        ),
        _ => no(404, "NotFound", "not here"),
    })
}

fn nowhere() -> Bench {
    Bench::with_config("server: 'http://127.0.0.1:1'", "token: t")
}

const COMMANDS: [&str; 4] = ["roster", "explain", "completion", "help"];

#[test]
fn words_flags_and_values_that_need_no_cluster_are_offered() {
    let bench = nowhere();
    check(&bench, "_", &[&COMMANDS[..], &[":4"]].concat());
    check(&bench, "ro", &["roster", ":4"]);
    check(&bench, "--name", &["--namespace", ":4"]);
    check(&bench, "-o wi", &["wide", ":4"]);
    check(&bench, "-o m", &["matrix", ":4"]);
    check(&bench, "roster --output=js", &["json", ":4"]);
    check(&bench, "--color a", &["auto", "always", ":4"]);
    check(&bench, "--sort-by _", &["node", "driver", ":4"]);
    check(&bench, "explain _", &["all-wrong", "odd", ":4"]);
    check(&bench, "help ex", &["explain", ":4"]);
    check(&bench, "completion ba", &["bash", ":4"]);
    assert_eq!(answer(&bench, "explain o"), "odd\tsomething is\n:4\n");
}

#[test]
fn after_a_node_or_a_flag_no_command_is_offered() {
    let bench = nowhere();
    check(&bench, "gpu-1 _", &[":4"]);
    check(&bench, "-o json _", &[":4"]);
    check(&bench, "roster _", &[":4"]);
}

#[test]
fn files_are_left_to_the_shell_where_an_argument_is_one() {
    let bench = nowhere();
    check(&bench, "-f _", &[":0"]);
    check(&bench, "-f a,b", &[":0"]);
    check(&bench, "--kubeconfig=x", &[":0"]);
    check(&bench, "--client-key _", &[":0"]);
    check(&bench, "completion install --dir _", &[":16"]);
    check(&bench, "--token _", &[":4"]);
}

#[test]
fn a_kubeconfig_tells_its_contexts_clusters_and_users() {
    let bench = nowhere();
    check(&bench, "--context _", &["lab", ":4"]);
    check(&bench, "--cluster=l", &["lab", ":4"]);
    check(&bench, "roster --user _", &["me", ":4"]);
    let other = bench.file("other", "contexts: [{name: a}, {name: b}]\n");
    let line = format!("--kubeconfig {} --context _", other.display());
    check(&bench, &line, &["a", "b", ":4"]);
}

#[test]
fn a_server_tells_its_nodes_and_namespaces_and_is_asked_for_names_only() {
    let server = two_of_each();
    let bench = Bench::with_config(&format!("server: 'http://{}'", server.host), "token: t");
    check(&bench, "gpu", &["gpu-1", "gpu-2", ":4"]);
    check(&bench, "gpu-1 _", &["gpu-2", ":4"]);
    check(&bench, "node/gpu-1 node/", &["node/gpu-2", ":4"]);
    check(&bench, "-n _", &["default", "gpu-operator", ":4"]);
    check(&bench, "roster -n g", &["gpu-operator", ":4"]);
    for it in server.asked() {
        assert!(it.line.contains("limit=500") && it.line.contains("includeObject=None"));
        assert!(it.header("accept").contains("as=Table"), "{it:?}");
        assert!(it.header("user-agent").starts_with("kubectl-gpu_x/1.2.3"));
    }
}

#[test]
fn flags_of_the_line_decide_who_is_asked() {
    let server = two_of_each();
    let line = format!("--server http://{} --token t --as a gpu", server.host);
    check(&nowhere(), &line, &["gpu-1", "gpu-2", ":4"]);
    assert_eq!(server.asked()[0].header("impersonate-user"), "a");
    assert_eq!(server.asked()[0].header("authorization"), "Bearer t");
}

#[test]
fn a_recording_of_the_line_tells_its_own_nodes() {
    let bench = nowhere();
    let recording = bench.file(
        "cluster.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: recorded}\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: gpu}\n",
    );
    let line = |rest: &str| format!("-f {} {rest}", recording.display());
    check(&bench, &line("_"), &["recorded", ":4"]);
    check(&bench, &line("-n _"), &["gpu", ":4"]);
    check(&bench, &line("-f - _"), &[":4"]);
    check(&bench, "-f /nowhere/at-all _", &[":4"]);
}

#[test]
fn whatever_goes_wrong_there_is_nothing_to_offer() {
    for reply in [
        || no(403, "Forbidden", "no"),
        || no(500, "InternalError", "no"),
        || ok("<html>"),
        || Reply::HangUp,
    ] {
        let server = Server::start(move |_| reply());
        let bench = Bench::with_config(&format!("server: 'http://{}'", server.host), "token: t");
        check(&bench, "gpu _", &[":4"]);
    }
    check(&nowhere(), "gpu _", &[":4"]);
    check(&nowhere(), "--context nope gpu _", &[":4"]);
    check(&Bench::empty(), "-n _", &[":4"]);
}

#[test]
fn who_does_not_answer_is_not_waited_for() {
    let silent = Server::start(|_| Reply::Silence);
    let plugin = "exec: {apiVersion: client.authentication.k8s.io/v1, command: sleep, args: ['600'], interactiveMode: Never}";
    for bench in [
        Bench::with_config(&format!("server: 'http://{}'", silent.host), "token: t"),
        Bench::with_config("server: 'http://127.0.0.1:1'", plugin),
    ] {
        let started = Instant::now();
        check(&bench, "gpu _", &[":4"]);
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
