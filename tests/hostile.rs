//! Hostile strings in a recording never reach a terminal raw and never break a record.

use serde_json::{Value, json};
use suite::{Said, plugin};

/// What a terminal would obey, and what changes the order or number of what one reads.
const HOSTILE: [&str; 7] = [
    "\u{1b}[31mred\u{1b}[0m",
    "one\ntwo OK",
    "\u{202e}evil",
    "bell\u{7}",
    "csi\u{9b}2J",
    "tab\tand space",
    "\u{1b}]0;title\u{7}",
];

fn is_raw(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

fn long(text: &str) -> String {
    format!("{text}{}", "x".repeat(250))
}

/// A cluster in which everything that can be named has this name.
fn cluster(text: &str) -> Value {
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": text, "labels": {
            "nvidia.com/gpu.present": "true", "nvidia.com/gpu.deploy.driver": "true",
            "nvidia.com/gpu.deploy.container-toolkit": text, "nvidia.com/gpu.deploy.device-plugin": "true" } },
        "spec": { "taints": [{ "key": text, "value": text, "effect": "NoSchedule" }] },
        "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": text, "message": text }] },
    });
    let daemon_set = |name: &str, operand: &str| {
        let label = format!("nvidia.com/gpu.deploy.{operand}");
        json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": { "name": name, "namespace": text, "uid": operand, "ownerReferences": [{ "kind": text, "name": text }] },
            "spec": { "selector": { "matchLabels": { "app": text } },
                "template": { "spec": { "nodeSelector": { label: "true" }, "containers": [{ "name": text, "image": text }] } } },
        })
    };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": text, "namespace": text,
            "ownerReferences": [{ "kind": "DaemonSet", "name": "nvidia-device-plugin-daemonset", "uid": "device-plugin", "controller": true }] },
        "spec": { "nodeName": text, "containers": [{ "name": text, "image": text }] },
        "status": { "phase": "Pending", "reason": text, "message": text, "containerStatuses": [
            { "name": text, "image": text, "state": { "waiting": { "reason": "ImagePullBackOff", "message": text } } }] },
    });
    let policy = json!({
        "apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": { "name": text },
        "spec": {}, "status": { "state": text, "namespace": text },
    });
    let sets = [
        daemon_set("nvidia-driver-daemonset", "driver"),
        daemon_set("nvidia-device-plugin-daemonset", "device-plugin"),
    ];
    json!({ "apiVersion": "v1", "kind": "List", "items": [node, sets[0], sets[1], pod, policy] })
}

fn run(program: &str, cluster: &Value, format: &str) -> Said {
    plugin(program)
        .args(["-f", "-", "-o", format, "--color", "never"])
        .input(cluster.to_string())
        .run()
}

#[test]
fn no_hostile_string_reaches_the_terminal_raw() {
    for text in HOSTILE.iter().flat_map(|it| [(*it).to_owned(), long(it)]) {
        let cluster = cluster(&text);
        for (program, formats) in [
            (
                "kubectl-gpu_audit",
                &["table", "wide", "lines", "matrix", "json", "yaml", "name"][..],
            ),
            (
                "kubectl-gpu_order",
                &["table", "wide", "lines", "json", "yaml", "name"][..],
            ),
            (
                "kubectl-gpu_drivertag",
                &[
                    "table",
                    "wide",
                    "lines",
                    "json",
                    "yaml",
                    "name",
                    "mirror",
                    "build-matrix",
                ][..],
            ),
        ] {
            for format in formats {
                let said = run(program, &cluster, format);
                assert!(
                    matches!(said.code, Some(0 | 1)),
                    "{program} {format} {text:?}: {said:?}"
                );
                for stream in [&said.out, &said.err] {
                    assert!(
                        !stream.contains(is_raw),
                        "{program} {format} {text:?}: {stream:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_record_stays_one_line_of_the_same_words() {
    for text in HOSTILE {
        let cluster = cluster(text);
        let said = run("kubectl-gpu_audit", &cluster, "lines");
        let words: Vec<_> = said.out.lines().map(|it| it.split(' ').count()).collect();
        assert_eq!(words, [3, 3], "{text:?}: {}", said.out);
        let said = run("kubectl-gpu_audit", &cluster, "matrix");
        let words: Vec<_> = said.out.lines().map(|it| it.split(' ').count()).collect();
        assert_eq!(words, [6, 1], "{text:?}: {}", said.out);
        let said = run("kubectl-gpu_drivertag", &cluster, "lines");
        let words: Vec<_> = said.out.lines().map(|it| it.split(' ').count()).collect();
        assert_eq!(words, [3], "{text:?}: {}", said.out);
        let said = run("kubectl-gpu_order", &cluster, "lines");
        let words: Vec<_> = said.out.lines().map(|it| it.split(' ').count()).collect();
        assert_eq!(words, [2], "{text:?}: {}", said.out);
    }
}

#[test]
fn json_keeps_the_string_itself() {
    for text in HOSTILE {
        let report = run("kubectl-gpu_audit", &cluster(text), "json").json();
        assert_eq!(report["nodes"][0]["name"], text);
    }
}
