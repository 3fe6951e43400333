//! Which cluster is asked, and as whom.

use std::env::join_paths;

use crate::bench::{Bench, config};
use crate::server::{Server, small_cluster};

/// The `Authorization` header the server got.
fn authorization(server: &Server) -> String {
    server.asked()[0].header("authorization").to_owned()
}

#[test]
fn missing_files_in_kubeconfig_are_skipped_and_the_first_that_says_something_wins() {
    let server = Server::start(small_cluster);
    let mut bench = Bench::empty();
    let url = format!("server: 'http://{}'", server.host);
    let first = bench.file("first", &config(&url, "token: first"));
    let second = bench.file(
        "second",
        &config("server: 'http://127.0.0.1:1'", "token: second"),
    );
    let blank = bench.file("blank", "");
    let list = join_paths([bench.path().join("missing"), blank, first, second]).unwrap();
    bench.environment.kubeconfig = Some(list);
    bench.read().unwrap();
    assert_eq!(authorization(&server), "Bearer first");
}

#[test]
fn without_kubeconfig_the_one_at_home_counts() {
    let server = Server::start(small_cluster);
    let mut bench = Bench::empty();
    std::fs::create_dir(bench.path().join(".kube")).unwrap();
    bench.file(
        ".kube/config",
        &config(&format!("server: 'http://{}'", server.host), "token: home"),
    );
    bench.environment.home = Some(bench.path().to_owned());
    bench.read().unwrap();
    assert_eq!(authorization(&server), "Bearer home");
}

#[test]
fn no_configuration_at_all_says_where_it_was_looked_for() {
    let mut bench = Bench::empty();
    bench.environment.home = Some("/nowhere".into());
    let error = bench.read().unwrap_err();
    assert_eq!(
        error.line(),
        "error: no configuration has been provided: no kubeconfig at /nowhere/.kube/config, and this is not a pod"
    );
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn a_kubeconfig_named_by_flag_has_to_be_there() {
    let error = Bench::empty()
        .flags("--kubeconfig /nowhere/x")
        .read()
        .unwrap_err();
    assert_eq!(
        error.line(),
        "error: stat /nowhere/x: no such file or directory"
    );
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn a_broken_kubeconfig_is_named_with_the_line_and_without_its_secrets() {
    for text in [
        "users:\n- name: a\n  user: {token: s3cret\n",
        "users:\n- token: s3cret\n  name: [\n",
        "clusters: 5\nusers: [{name: a, user: {token: s3cret}}]\n",
    ] {
        let bench = Bench::empty();
        let path = bench.file("broken", text).display().to_string();
        let error = bench.flags(&format!("--kubeconfig={path}")).error();
        let start = format!("error: error loading config file \"{path}\": yaml: ");
        assert!(error.starts_with(&start), "{error}");
        assert!(
            error.contains("line ") && !error.contains("s3cret"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    let bench = || Bench::with_config("server: 'http://127.0.0.1:1'", "token: t");
    for (flags, want) in [
        (
            "--context lap",
            "Error in configuration: context was not found for specified context: lap | did you mean \"lab\"?",
        ),
        (
            "--context nope",
            "Error in configuration: context was not found for specified context: nope | kubectl config",
        ),
        (
            "--cluster labb",
            "error: no server found for cluster \"labb\" | did you mean \"lab\"?",
        ),
        (
            "--user mee",
            "error: auth info \"mee\" does not exist | did you mean \"me\"?",
        ),
    ] {
        let error = bench().flags(flags).error();
        assert!(error.starts_with(want), "{error}");
        assert_eq!(bench().flags(flags).read().unwrap_err().exit_code(), 2);
    }
}

#[test]
fn without_a_current_context_one_has_to_be_named() {
    let server = Server::start(small_cluster);
    let text = config(&format!("server: 'http://{}'", server.host), "token: t");
    let text = text.replace("current-context: lab", "current-context: ''");
    let bench = || {
        let mut bench = Bench::empty();
        bench.environment.kubeconfig = Some(bench.file("config", &text).into());
        bench
    };
    assert!(
        bench()
            .error()
            .starts_with("error: current-context is not set | choose one with")
    );
    assert!(bench().flags("--context lab").read().is_ok());
    assert!(bench().flags("--cluster lab --user me").read().is_ok());
}

#[test]
fn cluster_and_user_can_be_chosen_apart_from_the_context() {
    let server = Server::start(small_cluster);
    let bench = Bench::empty();
    let text = format!(
        "current-context: a\n\
         clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:1'}}}}, {{name: b, cluster: {{server: 'http://{}'}}}}]\n\
         users: [{{name: a, user: {{token: of-a}}}}, {{name: b, user: {{token: of-b}}}}]\n\
         contexts: [{{name: a, context: {{cluster: a, user: a}}}}]\n",
        server.host
    );
    let path = bench.file("config", &text).display().to_string();
    bench
        .flags(&format!("--kubeconfig {path} --cluster b --user b"))
        .read()
        .unwrap();
    assert_eq!(authorization(&server), "Bearer of-b");
}

#[test]
fn the_token_file_wins_over_the_token_and_is_found_beside_the_kubeconfig() {
    let server = Server::start(small_cluster);
    let bench = Bench::with_user(&server, "token: old, tokenFile: token");
    bench.file("token", "fresh\n");
    bench.read().unwrap();
    assert_eq!(authorization(&server), "Bearer fresh");

    let server = Server::start(small_cluster);
    Bench::with_user(&server, "token: old, tokenFile: missing")
        .read()
        .unwrap();
    assert_eq!(authorization(&server), "Bearer old");

    let error = Bench::with_user(&server, "tokenFile: missing").error();
    assert!(
        error.starts_with("error: getting credentials: cannot read the token file"),
        "{error}"
    );
}

#[test]
fn a_token_given_by_flag_beats_every_other_credential() {
    let server = Server::start(small_cluster);
    let user = "tokenFile: missing, username: u, password: p, auth-provider: {name: oidc}, \
                exec: {apiVersion: client.authentication.k8s.io/v1, command: not-there}";
    Bench::with_user(&server, user)
        .flags("--token typed")
        .read()
        .unwrap();
    assert_eq!(authorization(&server), "Bearer typed");
}

#[test]
fn a_name_and_password_are_sent() {
    let server = Server::start(small_cluster);
    Bench::with_user(&server, "username: u, password: p")
        .read()
        .unwrap();
    assert_eq!(authorization(&server), "Basic dTpw");
}

#[test]
fn a_token_no_header_can_hold_is_an_error_and_no_panic() {
    let server = Server::start(small_cluster);
    let error = Bench::at(&server).flag("--token=a\nb").error();
    assert!(
        error.starts_with("error: getting credentials: the token holds characters"),
        "{error}"
    );
}

#[test]
fn whom_to_act_as_is_sent() {
    let server = Server::start(small_cluster);
    Bench::with_user(&server, "token: t, as: from-file")
        .flags("--as system:admin --as-group g1 --as-group g2 --as-uid 7")
        .flags("--as-user-extra a.io/b=1 --as-user-extra a.io/b=2")
        .read()
        .unwrap();
    let asked = &server.asked()[0];
    assert_eq!(asked.header("impersonate-user"), "system:admin");
    assert_eq!(asked.header("impersonate-group"), "g1,g2");
    assert_eq!(asked.header("impersonate-uid"), "7");
    assert_eq!(asked.header("impersonate-extra-a.io%2fb"), "1,2");
}

#[test]
fn a_group_alone_is_nobody_to_act_as() {
    let server = Server::start(small_cluster);
    let error = Bench::with_user(&server, "token: t")
        .flags("--as-group g")
        .read()
        .unwrap_err();
    assert_eq!(
        error.line(),
        "error: requesting uid, groups or user-extra for me without impersonating a user"
    );
    assert_eq!(error.exit_code(), 2);
    assert!(server.asked().is_empty());
}

#[test]
fn what_kubectl_has_dropped_is_refused() {
    let server = Server::start(small_cluster);
    let error = Bench::with_user(&server, "auth-provider: {name: gcp}").error();
    assert!(
        error.contains("no Auth Provider found for name \"gcp\""),
        "{error}"
    );
}

#[test]
fn an_address_that_is_none_is_refused() {
    for (server, want) in [
        ("ftp://x", "it has to start with https:// or http://"),
        ("https://", "invalid server"),
        ("a b", "invalid server"),
    ] {
        let error = Bench::empty().flag("--server").flag(server).error();
        assert!(
            error.starts_with("error: invalid server") && error.contains(want),
            "{error}"
        );
    }
}
