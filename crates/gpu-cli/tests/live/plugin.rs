//! The credential plugin: run once, told what it needs, and kept from our input.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::server::{Server, small_cluster};
use crate::tls;

const V1: &str = "client.authentication.k8s.io/v1";

/// A kubeconfig's user whose plugin is this shell script; `more` is more YAML of its entry.
fn shell(script: &str, more: &str) -> String {
    let script = script.replace('\'', "''");
    format!(
        "exec: {{apiVersion: {V1}, command: /bin/sh, args: ['-c', '{script}'], interactiveMode: IfAvailable{more}}}"
    )
}

/// What a script prints to give this status.
fn prints(status: &str) -> String {
    format!(r#"echo '{{"apiVersion":"{V1}","kind":"ExecCredential","status":{status}}}'"#)
}

#[test]
fn it_runs_once_however_many_lists_are_read() {
    let server = Server::start(small_cluster);
    let bench = Bench::empty();
    let runs = bench.path().join("runs");
    let script = format!(
        "echo run >> {}; {}",
        runs.display(),
        prints(r#"{"token":"fresh"}"#)
    );
    Bench::with_user(&server, &shell(&script, ""))
        .read()
        .unwrap();
    assert_eq!(fs::read_to_string(runs).unwrap(), "run\n");
    assert_eq!(server.asked().len(), 6);
    assert!(
        server
            .asked()
            .iter()
            .all(|it| it.header("authorization") == "Bearer fresh")
    );
}

#[test]
fn it_is_told_what_the_kubeconfig_says_it_needs() {
    let server = Server::start(small_cluster);
    let bench = Bench::empty();
    let told = bench.path().join("told");
    let script = format!(
        r#"echo "$WHO $KUBERNETES_EXEC_INFO" > {}; {}"#,
        told.display(),
        prints(r#"{"token":"t"}"#)
    );
    let more = ", provideClusterInfo: true, env: [{name: WHO, value: me}]";
    Bench::with_user(&server, &shell(&script, more))
        .read()
        .unwrap();
    let told = fs::read_to_string(told).unwrap();
    let info: serde_json::Value = serde_json::from_str(told.strip_prefix("me ").unwrap()).unwrap();
    assert_eq!(info["kind"], "ExecCredential");
    assert_eq!(info["apiVersion"], V1);
    assert_eq!(info["spec"]["interactive"], false);
    assert_eq!(
        info["spec"]["cluster"]["server"],
        format!("http://{}", server.host)
    );
}

#[test]
fn a_token_and_a_certificate_are_both_used() {
    let (ca, identity) = tls::signed_for("127.0.0.1");
    let (clients, client) = tls::signed_for("client");
    let server = Server::start_tls(tls::server_config(&identity, Some(&clients)), small_cluster);
    let status = serde_json::json!({
        "token": "t", "clientCertificateData": client.certificate, "clientKeyData": client.key,
    });
    let files = Bench::empty();
    let answer = serde_json::json!({"apiVersion": V1, "kind": "ExecCredential", "status": status});
    let path = files.file("answer", &answer.to_string());
    let user = shell(&format!("cat {}", path.display()), "");
    Bench::with_config(&tls::cluster(&server, &ca), &user)
        .read()
        .unwrap();
    assert_eq!(server.asked()[0].header("authorization"), "Bearer t");
}

#[test]
fn what_it_says_is_in_the_error_when_it_fails_and_in_the_log_when_not() {
    let server = Server::start(small_cluster);
    let error = Bench::with_user(&server, &shell("echo log in first >&2; exit 3", "")).error();
    assert!(
        error.starts_with(
            "error: getting credentials: exec: executable /bin/sh failed with exit code 3: log in first"
        ),
        "{error}"
    );
    let script = format!("echo soon expired >&2; {}", prints(r#"{"token":"t"}"#));
    let reader = Bench::with_user(&server, &shell(&script, ""))
        .open()
        .unwrap();
    assert_eq!(reader.log(), ["soon expired"]);
}

#[test]
fn one_that_is_not_installed_comes_with_its_hint() {
    let user =
        format!("exec: {{apiVersion: {V1}, command: not-there-at-all, installHint: get it here}}");
    let error = Bench::with_config("server: 'http://127.0.0.1:1'", &user).error();
    assert_eq!(
        error,
        "error: getting credentials: exec: executable not-there-at-all not found | get it here"
    );
}

#[test]
fn one_that_cannot_work_is_not_run() {
    for (entry, want) in [
        (
            "apiVersion: client.authentication.k8s.io/v1alpha1, command: sh",
            "invalid apiVersion",
        ),
        (
            "apiVersion: client.authentication.k8s.io/v1",
            "no command is given",
        ),
        (
            "apiVersion: client.authentication.k8s.io/v1beta1, command: sh, interactiveMode: Always",
            "standard input is not a terminal",
        ),
    ] {
        let error = Bench::with_config(
            "server: 'http://127.0.0.1:1'",
            &format!("exec: {{{entry}}}"),
        )
        .error();
        assert!(
            error.starts_with("error: getting credentials: exec: ") && error.contains(want),
            "{error}"
        );
    }
}

#[test]
fn a_token_in_the_kubeconfig_makes_it_needless() {
    let server = Server::start(small_cluster);
    let user = format!("token: kept, {}", shell("exit 1", ""));
    Bench::with_user(&server, &user).read().unwrap();
    assert_eq!(server.asked()[0].header("authorization"), "Bearer kept");
}

/// Runs itself as a child, because a test's own standard input is anything.
#[test]
fn it_does_not_swallow_our_input() {
    const CHILD: &str = "KUBECTL_GPU_TEST_READS_INPUT";
    if std::env::var_os(CHILD).is_some() {
        let server = Server::start(small_cluster);
        let script = format!("cat >&2; {}", prints(r#"{"token":"t"}"#));
        let reader = Bench::with_user(&server, &shell(&script, ""))
            .open()
            .unwrap();
        assert!(reader.log().is_empty());
        let mut input = String::new();
        std::io::stdin().read_to_string(&mut input).unwrap();
        assert_eq!(input, "our manifest");
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "plugin::it_does_not_swallow_our_input"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"our manifest")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn one_that_takes_longer_than_it_may_is_ended() {
    let server = Server::start(small_cluster);
    let folder = Bench::empty();
    let pid = folder.path().join("pid");
    let script = format!("echo $$ > {}; exec sleep 600", pid.display());
    let mut bench = Bench::with_user(&server, &shell(&script, ""));
    bench.environment.plugin_limit = Some(std::time::Duration::from_secs(1));
    let error = bench.read().unwrap_err();
    assert!(error.line().contains("timed out"), "{error}");
    assert_eq!(server.asked().len(), 0);
    let pid = fs::read_to_string(pid).unwrap();
    let alive = Command::new("kill")
        .args(["-0", pid.trim()])
        .stderr(Stdio::null())
        .status();
    assert!(!alive.unwrap().success());
}
