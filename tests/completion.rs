//! Completion from end to end: the lab's own kubectl asks, and a real bash.

use std::net::TcpListener;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use lab::{Lab, Scenario};
use suite::{bin_dir, plugin};

const PLUGINS: [&str; 3] = [
    "kubectl-gpu_audit",
    "kubectl-gpu_order",
    "kubectl-gpu_drivertag",
];
const NODES: [&str; 3] = ["lab-node-0", "lab-node-1", "lab-node-2"];

/// One lab for this program, with the operand lab in it, and a folder with the shims of all plugins.
struct Desk {
    lab: Lab,
    shims: tempfile::TempDir,
}

fn desk(test: &str) -> Option<MutexGuard<'static, Desk>> {
    static DESK: OnceLock<Option<Mutex<Desk>>> = OnceLock::new();
    let desk = DESK.get_or_init(|| {
        let lab = lab::start_or_skip(test)?;
        let scenario = Scenario::named("operand-lab").expect("a scenario");
        lab.apply_scenario(&scenario)
            .expect("the operand lab is applied");
        let shims = tempfile::tempdir().expect("a folder");
        for name in PLUGINS {
            let folder = shims.path().to_str().expect("a plain name");
            let said = plugin(name)
                .args(["completion", "install", "--dir", folder])
                .run();
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        Some(Mutex::new(Desk { lab, shims }))
    });
    let desk = desk.as_ref()?.lock();
    Some(desk.unwrap_or_else(std::sync::PoisonError::into_inner))
}

impl Desk {
    /// What kubectl offers for the words after `kubectl`: values without descriptions, then the directive.
    fn offered(&self, words: &[&str]) -> Vec<String> {
        let mut path = vec![self.shims.path().to_owned(), bin_dir().to_owned()];
        path.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        let output = self
            .lab
            .kubectl_command()
            .env("PATH", std::env::join_paths(path).expect("a PATH"))
            .arg("__complete")
            .args(words)
            .output()
            .expect("kubectl runs");
        let err = String::from_utf8_lossy(&output.stderr);
        let of_kubectl = |it: &str| it.starts_with("[Debug]") || it.starts_with("Completion ended");
        let of_ours = err.lines().find(|it| !it.is_empty() && !of_kubectl(it));
        assert_eq!(of_ours, None, "{words:?}: {err}");
        let value = |it: &str| it.split('\t').next().unwrap_or_default().to_owned();
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().map(value).collect()
    }
}

#[test]
fn kubectl_offers_nodes_namespaces_contexts_formats_and_rules() {
    let Some(desk) = desk("kubectl_offers_nodes_namespaces_contexts_formats_and_rules") else {
        return;
    };
    let check = |words: &[&str], want: &[&str]| {
        let offered = desk.offered(words);
        for it in want {
            assert!(
                offered.contains(&(*it).to_owned()),
                "{words:?}: {offered:?}"
            );
        }
    };
    for name in ["gpu-audit", "gpu-order", "gpu-drivertag"] {
        check(
            &[name, ""],
            &[&NODES[..], &["rules", "explain", ":4"]].concat(),
        );
        check(
            &[name, "-o", ""],
            &["table", "wide", "lines", "json", "yaml", "name"],
        );
        check(
            &[name, "-n", ""],
            &["default", "kube-system", "gpu-operator"],
        );
        check(&[name, "-f", ""], &[":0"]);
        check(&[name, "--sel"], &["--selector"]);
    }
    check(&["gpu-audit", "-o", "m"], &["matrix"]);
    check(&["gpu-audit", "explain", ""], &["operand-missing"]);
    check(&["gpu-order", "explain", ""], &["barrier-stuck"]);
    let contexts = desk.lab.kubectl(&["config", "get-contexts", "-o", "name"]);
    let contexts = contexts.expect("kubectl runs").stdout;
    let contexts = String::from_utf8_lossy(&contexts);
    let contexts: Vec<&str> = contexts.lines().collect();
    assert_eq!(
        desk.offered(&["gpu-audit", "--context", ""]),
        [&contexts[..], &[":4"]].concat()
    );
    for context in contexts {
        let words = ["gpu-order", "--context", context, NODES[0], "lab-node-"];
        assert_eq!(desk.offered(&words), [NODES[1], NODES[2], ":4"]);
    }
}

#[test]
fn whoever_may_not_read_nodes_is_offered_none() {
    let Some(desk) = desk("whoever_may_not_read_nodes_is_offered_none") else {
        return;
    };
    let blind = desk.lab.identity_without(&["nodes"]).expect("an identity");
    for (kubeconfig, want) in [
        (
            desk.lab.reader_kubeconfig(),
            &[NODES[1], NODES[2], ":4"][..],
        ),
        (&blind, &[":4"]),
    ] {
        let kubeconfig = kubeconfig.to_str().expect("a plain name");
        let words = ["gpu-order", "--kubeconfig", kubeconfig, NODES[0], "lab"];
        assert_eq!(desk.offered(&words), want);
    }
}

#[test]
fn a_server_that_is_silent_or_gone_is_given_up_in_silence() {
    let Some(desk) = desk("a_server_that_is_silent_or_gone_is_given_up_in_silence") else {
        return;
    };
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    for server in [silent.as_str(), "http://127.0.0.1:1"] {
        let started = Instant::now();
        assert_eq!(
            desk.offered(&["gpu-order", "--server", server, "x"]),
            [":4"]
        );
        let line = ["__complete", "--server", server, "x"];
        let said = plugin("kubectl-gpu_order").args(line).run();
        said.assert(0, &[":4"]);
        assert_eq!(said.err, "");
        // The limit is two seconds a line; a busy machine has time besides.
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn kubectl_finds_nothing_wrong_with_the_folder_of_the_shims() {
    let Some(desk) = desk("kubectl_finds_nothing_wrong_with_the_folder_of_the_shims") else {
        return;
    };
    let output = desk
        .lab
        .kubectl_command()
        .env("PATH", desk.shims.path())
        .args(["plugin", "list"])
        .output()
        .expect("kubectl runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("warning"), "{err}");
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let said = plugin("kubectl-gpu_order")
            .args(["completion", shell])
            .run();
        assert_eq!(said.code, Some(0), "{shell}");
        assert!(said.out.contains("KUBECTL_GPU_COMPLETE"), "{}", said.out);
        assert!(said.out.contains("kubectl-gpu_order"), "{}", said.out);
    }
}

#[cfg(unix)]
mod bash {
    use std::path::Path;
    use std::process::Command;

    use suite::{plugin, program, recorded};

    use super::NODES;

    /// What bash offers for a line of the bare program.
    fn bash(folder: &Path, line: &str) -> Option<Vec<String>> {
        let words: Vec<String> = line.split(' ').map(|it| format!("'{it}'")).collect();
        let script = format!(
            "source ./script; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9; \
             _clap_complete_kubectl_gpu_audit kubectl-gpu_audit \"${{COMP_WORDS[-1]}}\" x; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"; complete -p kubectl-gpu_audit",
            words.join(" ")
        );
        Command::new("bash").arg("--version").output().ok()?;
        let said = program("bash").args(["-c", &script]).within(folder).run();
        assert_eq!(said.err, "", "{line}");
        let mut lines: Vec<String> = said.out.lines().map(str::to_owned).collect();
        let registered = lines.pop().unwrap_or_default();
        assert!(registered.ends_with(" kubectl-gpu_audit"), "{registered}");
        Some(lines)
    }

    #[test]
    fn bash_completes_the_bare_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = plugin("kubectl-gpu_audit").line("completion bash").run();
        assert_eq!(script.code, Some(0));
        std::fs::write(folder.path().join("script"), script.out).expect("written");
        let recording = recorded("operand-lab");
        let recording = recording.display();
        for (line, want) in [
            (format!("-f {recording} lab"), &NODES[..]),
            ("-o js".to_owned(), &["json"]),
            ("explain operand-mi".to_owned(), &["operand-missing"]),
            ("-f scr".to_owned(), &["script"]),
        ] {
            let Some(offered) = bash(folder.path(), &format!("kubectl-gpu_audit {line}")) else {
                return;
            };
            assert_eq!(offered, want, "{line}");
        }
    }
}
