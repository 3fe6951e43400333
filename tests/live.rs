//! What only a real API server can show: which requests are made, what a restricted identity sees, how a run is ended.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use lab::{Lab, Scenario};
use suite::{Run, plugin};

const LIMIT: Duration = Duration::from_secs(120);

/// One lab for this program, with the operand lab in it; one test at a time uses it.
fn shared(test: &str) -> Option<MutexGuard<'static, Lab>> {
    static LAB: OnceLock<Option<Mutex<Lab>>> = OnceLock::new();
    let lab = LAB.get_or_init(|| {
        let lab = lab::start_or_skip(test)?;
        let scenario = Scenario::named("operand-lab").expect("a scenario");
        lab.apply_scenario(&scenario)
            .expect("the operand lab is applied");
        Some(Mutex::new(lab))
    });
    let lab = lab.as_ref()?;
    Some(
        lab.lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    )
}

fn audit(kubeconfig: &Path) -> Run {
    plugin("kubectl-gpu_audit").env("KUBECONFIG", kubeconfig)
}

fn order(kubeconfig: &Path) -> Run {
    plugin("kubectl-gpu_order").env("KUBECONFIG", kubeconfig)
}

/// The requests of one run, by verb and path; queries are left out because pages carry tokens.
fn requests(lab: &Lab, run: Run) -> Vec<(String, String)> {
    let mark = lab.mark().expect("a mark");
    let said = run.run();
    assert!(said.code.is_some_and(|it| it < 2), "{said:?}");
    let made = lab
        .requests_since(mark, "kubectl-gpu_")
        .expect("the audit log is read");
    for it in &made {
        assert!(
            ["get", "list", "watch"].contains(&it.verb.as_str()),
            "{it:?}"
        );
        let (name, rest) = it.user_agent.split_once('/').expect("name/version");
        assert!(
            name == "kubectl-gpu_audit" || name == "kubectl-gpu_order",
            "{}",
            it.user_agent
        );
        assert!(
            rest.starts_with(env!("CARGO_PKG_VERSION")),
            "{}",
            it.user_agent
        );
    }
    let path = |uri: &str| uri.split('?').next().unwrap_or_default().to_owned();
    made.iter()
        .map(|it| (it.verb.clone(), path(&it.uri)))
        .collect()
}

#[test]
fn only_reads_are_made_and_their_number_does_not_grow_with_the_nodes() {
    let Some(lab) = shared("only_reads_are_made_and_their_number_does_not_grow_with_the_nodes")
    else {
        return;
    };
    let few = requests(&lab, audit(lab.kubeconfig()));
    let few_order = requests(&lab, order(lab.kubeconfig()));
    assert!(
        few.len() <= 6,
        "nodes, DaemonSets, three kinds of policy, pods: {few:?}"
    );
    let nodes: String = (0..300)
        .map(|at| {
            format!("---\n{{apiVersion: v1, kind: Node, metadata: {{name: \"extra-{at:03}\"}}}}\n")
        })
        .collect();
    lab.apply(&nodes).expect("applied");
    lab.wait_for("303 nodes", LIMIT, &["nodes"], |all| {
        (all.len() == 303).then_some(())
    })
    .expect("they join");
    let mut many = requests(&lab, audit(lab.kubeconfig()));
    let mut many_order = requests(&lab, order(lab.kubeconfig()));
    let done = lab.kubectl(&[
        "delete",
        "nodes",
        "-l",
        "!nvidia.com/gpu.present",
        "--field-selector",
        "metadata.name!=lab-node-2",
        // kubectl would wait for one after the other.
        "--wait=false",
    ]);
    assert!(done.expect("kubectl runs").status.success());
    lab.wait_for("3 nodes", LIMIT, &["nodes"], |all| {
        (all.len() == 3).then_some(())
    })
    .expect("they leave");
    let sorted = |it: &mut Vec<(String, String)>| it.sort();
    let (mut few, mut few_order) = (few, few_order);
    [&mut few, &mut many, &mut few_order, &mut many_order]
        .into_iter()
        .for_each(sorted);
    assert_eq!(few, many, "303 nodes are one page");
    assert_eq!(few_order, many_order);
}

#[test]
fn the_read_only_identity_sees_everything() {
    let Some(lab) = shared("the_read_only_identity_sees_everything") else {
        return;
    };
    let reader = lab.reader_kubeconfig();
    audit(reader)
        .run()
        .assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
    order(reader)
        .run()
        .assert(0, &["lab-node-0 ok", "lab-node-1 ok", "lab-node-2 ok"]);
}

#[test]
fn what_may_not_be_seen_is_a_gap_and_never_ok() {
    let Some(lab) = shared("what_may_not_be_seen_is_a_gap_and_never_ok") else {
        return;
    };
    for (resource, audited, ordered) in [
        (
            "pods",
            vec![
                "lab-node-0 UNKNOWN",
                "lab-node-1 UNKNOWN",
                "lab-node-2 UNKNOWN",
            ],
            "unknown",
        ),
        (
            "daemonsets.apps",
            vec![
                "lab-node-0 UNKNOWN",
                "lab-node-1 UNKNOWN",
                "lab-node-2 UNKNOWN",
            ],
            "unknown",
        ),
    ] {
        let kubeconfig = lab.identity_without(&[resource]).expect("an identity");
        let said = audit(&kubeconfig).run();
        said.assert(3, &audited);
        let kind = resource.split('.').next().expect("a name");
        assert!(
            said.err.contains(&format!("unseen: {kind}")) && said.err.contains("forbidden"),
            "{}",
            said.err
        );
        order(&kubeconfig)
            .line("lab-node-0")
            .run()
            .assert(3, &[ordered]);
        let report = audit(&kubeconfig).line("-o json").run().json();
        assert_eq!(report["verdict"], "unknown", "{resource}");
        assert_eq!(report["gaps"][0]["what"], kind);
        assert!(
            report["summary"]["byState"]["ready"].is_null(),
            "nothing unseen is called ready"
        );
    }
    let kubeconfig = lab.identity_without(&["nodes"]).expect("an identity");
    let said = audit(&kubeconfig).run();
    said.assert(3, &[]);
    assert!(said.err.contains("unseen: nodes"), "{}", said.err);
    let named = order(&kubeconfig).line("lab-node-0").run();
    assert_eq!(
        named.code,
        Some(3),
        "a node that may not be seen is not called unknown: {named:?}"
    );
}

#[test]
fn a_kind_that_does_not_matter_may_be_forbidden() {
    let Some(lab) = shared("a_kind_that_does_not_matter_may_be_forbidden") else {
        return;
    };
    let kubeconfig = lab
        .identity_without(&["clusterpolicies.nvidia.com"])
        .expect("an identity");
    audit(&kubeconfig)
        .run()
        .assert(0, &["lab-node-0 OK", "lab-node-1 OK", "lab-node-2 OK"]);
}

#[test]
fn a_closed_pipe_is_quiet() {
    let Some(lab) = shared("a_closed_pipe_is_quiet") else {
        return;
    };
    for format in ["lines", "table", "json"] {
        let mut command = audit(lab.kubeconfig()).args(["-o", format]).command();
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // Closed before anything is written: the strictest form of `| head -1`.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_and_is_no_panic() {
    let Some(lab) = shared("a_full_disk_is_told_and_is_no_panic") else {
        return;
    };
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let mut command = audit(lab.kubeconfig()).command();
    let output = command
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(
        err.starts_with("error: cannot write the answer: No space left on device"),
        "{err}"
    );
    assert!(!err.contains("panic"), "{err}");
}

/// The command as a terminal starts it: whoever runs the tests in the background may have had Ctrl-C ignored, and what is
/// ignored is inherited.
#[cfg(unix)]
fn as_at_a_terminal(command: &std::process::Command) -> std::process::Command {
    let mut reset = std::process::Command::new("/usr/bin/env");
    if cfg!(target_os = "linux") {
        reset.arg("--default-signal=INT");
    }
    reset.arg(command.get_program()).args(command.get_args());
    reset.env_clear();
    reset.envs(command.get_envs().filter_map(|(key, it)| Some((key, it?))));
    reset
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_run_that_waits_for_a_silent_server() {
    use std::os::unix::process::ExitStatusExt;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = format!("http://{}", silent.local_addr().expect("an address"));
    let command = plugin("kubectl-gpu_audit")
        .args(["--server", &server])
        .command();
    let mut child = as_at_a_terminal(&command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let (connection, _) = silent.accept().expect("it connects");
    let done = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(done.expect("kill runs").success());
    let status = child.wait().expect("it ends");
    drop(connection);
    let mut err = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut err)
        .expect("text");
    assert_eq!(status.signal(), Some(2), "{err}");
    assert_eq!(err, "");
}
