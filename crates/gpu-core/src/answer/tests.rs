//! The shape of results, on an answer that no plugin gives.

use expect_test::{Expect, expect};

use super::wire::{self, Body, Envelope, Operator, Source, Summary, Tool};
use super::{Answer, FailOn, Finding, Gap, Page, Severity, Subject, Verdict, exit_code};
use crate::facts::operands::Id;
use crate::testing::{daemon_set, node, pod_of, policy, recorded};

/// An answer with these findings and gaps.
#[derive(Default)]
struct Fake {
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
}

impl Answer for Fake {
    fn kind(&self) -> &'static str {
        "FakeReport"
    }
    fn findings(&self) -> &[Finding] {
        &self.findings
    }
    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }
    fn page(&self, _wide: bool) -> Page {
        Page::default()
    }
    fn lines(&self) -> Vec<String> {
        Vec::new()
    }
    fn errors_beyond_lines(&self) -> usize {
        0
    }
    fn body(&self) -> Body {
        Body {
            operator: Operator {
                version: Some("v25.3.4".into()),
                ..Operator::default()
            },
            summary: Summary {
                nodes: 2,
                gpu_nodes: 1,
                by_state: [("missing", 1), ("ready", 4)].into(),
                ..Summary::default()
            },
            parts: vec![
                ("second", serde_json::json!([1])),
                ("first", serde_json::json!({ "b": 1, "a": 2 })),
            ],
        }
    }
}

fn finding(severity: Severity) -> Finding {
    Finding {
        rule: "operand-missing",
        severity,
        node: Some("gpu-1".into()),
        operand: Some(Id::Driver),
        subject: Subject {
            kind: "Node",
            namespace: None,
            name: "gpu-1".into(),
        },
        message: "it is missing".into(),
        cause: "it was never there".into(),
        consequences: vec!["nothing works".into()],
        evidence: vec!["a label".into(), "no pod".into()],
        fix: "kubectl describe node/gpu-1".into(),
    }
}

fn gap() -> Gap {
    Gap {
        what: "pods".into(),
        why: "forbidden".into(),
        effect: "nothing is known".into(),
    }
}

fn answer(severities: &[Severity], n_gaps: usize) -> Fake {
    Fake {
        findings: severities.iter().copied().map(finding).collect(),
        gaps: std::iter::repeat_with(gap).take(n_gaps).collect(),
    }
}

#[test]
fn the_exit_code_follows_from_the_worst_finding_and_the_gaps() {
    use FailOn::{Error as OnError, Never, Warning as OnWarning};
    use Severity::{Error, Info, Warning};
    for (severities, n_gaps, codes) in [
        (&[][..], 0, [(OnError, 0), (OnWarning, 0), (Never, 0)]),
        (&[], 1, [(OnError, 3), (OnWarning, 3), (Never, 3)]),
        (&[Info], 0, [(OnError, 0), (OnWarning, 0), (Never, 0)]),
        (&[Info], 2, [(OnError, 3), (OnWarning, 3), (Never, 3)]),
        (&[Warning], 0, [(OnError, 0), (OnWarning, 1), (Never, 0)]),
        (&[Warning], 1, [(OnError, 3), (OnWarning, 1), (Never, 3)]),
        (&[Error], 0, [(OnError, 1), (OnWarning, 1), (Never, 0)]),
        // Something that was seen to be wrong is worse than something that was not seen.
        (&[Error], 1, [(OnError, 1), (OnWarning, 1), (Never, 3)]),
        (
            &[Error, Warning, Info],
            1,
            [(OnError, 1), (OnWarning, 1), (Never, 3)],
        ),
    ] {
        let answer = answer(severities, n_gaps);
        for (fail_on, want) in codes {
            assert_eq!(
                exit_code(&answer, fail_on),
                want,
                "{severities:?} {n_gaps} {fail_on:?}"
            );
        }
    }
}

#[test]
fn the_verdict_knows_errors_and_gaps_and_nothing_else() {
    use Severity::{Error, Info, Warning};
    for (severities, n_gaps, want, name) in [
        (&[][..], 0, Verdict::Ok, "ok"),
        (&[Warning, Info], 0, Verdict::Ok, "ok"),
        (&[], 1, Verdict::Unknown, "unknown"),
        (&[Warning], 1, Verdict::Unknown, "unknown"),
        (&[Error], 0, Verdict::Findings, "findings"),
        (&[Warning, Error], 1, Verdict::Findings, "findings"),
    ] {
        let verdict = answer(severities, n_gaps).verdict();
        assert_eq!(
            (verdict, verdict.name()),
            (want, name),
            "{severities:?} {n_gaps}"
        );
    }
}

#[test]
fn severities_are_ordered_from_the_worst() {
    assert!(Severity::Error < Severity::Warning && Severity::Warning < Severity::Info);
    let names = [Severity::Error, Severity::Warning, Severity::Info].map(Severity::name);
    assert_eq!(names, ["error", "warning", "info"]);
}

#[test]
fn an_answer_has_no_format_of_its_own_unless_it_says_so() {
    assert_eq!(answer(&[], 0).own_format("matrix"), None);
}

#[test]
fn objects_are_addressed_as_kubectl_takes_them() {
    for (kind, want) in [
        ("Node", "node/a"),
        ("Pod", "pod/a"),
        ("DaemonSet", "daemonset.apps/a"),
        ("Deployment", "deployment.apps/a"),
        ("ClusterPolicy", "clusterpolicy.nvidia.com/a"),
        ("NVIDIADriver", "nvidiadriver.nvidia.com/a"),
        ("GPUCluster", "gpucluster.nvidia.com/a"),
        ("Namespace", "namespace/a"),
        ("ResourceQuota", "resourcequota/a"),
    ] {
        let subject = Subject {
            kind,
            namespace: Some("b".into()),
            name: "a".into(),
        };
        assert_eq!(subject.address(), want);
    }
}

#[test]
fn subjects_are_made_from_objects() {
    let cluster = crate::testing::cluster(
        [node("gpu-1")],
        [daemon_set("nvidia-dcgm")],
        [pod_of(Id::Dcgm, "gpu-1")],
    );
    let in_words = |it: Subject| format!("{} {:?} {}", it.kind, it.namespace, it.name);
    let home = r#"Some("gpu-operator")"#;
    assert_eq!(
        in_words(Subject::from(&cluster.nodes[0])),
        "Node None gpu-1"
    );
    assert_eq!(
        in_words(Subject::from(&cluster.daemon_sets[0])),
        format!("DaemonSet {home} nvidia-dcgm")
    );
    assert_eq!(
        in_words(Subject::from(&cluster.pods[0])),
        format!("Pod {home} nvidia-dcgm-gpu-1")
    );
    for (kind, want) in [
        (
            crate::cluster::Kind::ClusterPolicy,
            "ClusterPolicy None cluster-policy",
        ),
        (
            crate::cluster::Kind::GpuCluster,
            "GPUCluster None gpu-cluster",
        ),
    ] {
        let cluster = recorded([policy(kind, serde_json::json!({}))]);
        assert_eq!(in_words(Subject::from(&cluster.policies[0])), want);
    }
}

fn envelope(files: &[&str]) -> Envelope {
    Envelope {
        tool: Tool {
            name: "kubectl-gpu_fake".into(),
            version: "0.1.0".into(),
        },
        source: Source {
            kind: if files.is_empty() { "live" } else { "recorded" },
            context: files.is_empty().then(|| "lab".to_owned()),
            namespace: None,
            files: files.iter().map(|it| (*it).to_owned()).collect(),
        },
        seen_at: Some("2026-11-30T10:00:00Z".into()),
    }
}

fn check_report(answer: &Fake, envelope: &Envelope, want: &Expect) {
    want.assert_eq(&format!("{:#}\n", wire::report(answer, envelope)));
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn a_report_has_its_fields_in_the_order_of_the_document() {
    let report = wire::report(&answer(&[Severity::Error], 1), &envelope(&[]));
    for (part, want) in [
        (
            &report,
            &[
                "apiVersion",
                "kind",
                "tool",
                "source",
                "seenAt",
                "operator",
                "verdict",
                "summary",
                "second",
                "first",
                "findings",
                "gaps",
            ][..],
        ),
        (
            &report["summary"],
            &["nodes", "gpuNodes", "byState", "errors", "warnings"],
        ),
        (
            &report["findings"][0],
            &[
                "rule",
                "severity",
                "node",
                "operand",
                "subject",
                "message",
                "cause",
                "consequences",
                "evidence",
                "fix",
            ],
        ),
        (
            &report["findings"][0]["subject"],
            &["kind", "namespace", "name"],
        ),
        (&report["gaps"][0], &["what", "why", "effect"]),
    ] {
        assert_eq!(keys(part), want);
    }
}

#[test]
fn findings_and_gaps_are_reported_whole() {
    let report = wire::report(&answer(&[Severity::Error], 1), &envelope(&[]));
    expect![[r#"
        [
          {
            "rule": "operand-missing",
            "severity": "error",
            "node": "gpu-1",
            "operand": "driver",
            "subject": {
              "kind": "Node",
              "namespace": null,
              "name": "gpu-1"
            },
            "message": "it is missing",
            "cause": "it was never there",
            "consequences": [
              "nothing works"
            ],
            "evidence": [
              "a label",
              "no pod"
            ],
            "fix": "kubectl describe node/gpu-1"
          }
        ]
        [
          {
            "what": "pods",
            "why": "forbidden",
            "effect": "nothing is known"
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n{:#}\n", report["findings"], report["gaps"]));
}

#[test]
fn a_report_of_nothing_has_every_field_too() {
    check_report(
        &Fake::default(),
        &envelope(&["a.json", "b.yaml"]),
        &expect![[r#"
            {
              "apiVersion": "kubectl-gpu/v1",
              "kind": "FakeReport",
              "tool": {
                "name": "kubectl-gpu_fake",
                "version": "0.1.0"
              },
              "source": {
                "type": "recorded",
                "context": null,
                "namespace": null,
                "files": [
                  "a.json",
                  "b.yaml"
                ]
              },
              "seenAt": "2026-11-30T10:00:00Z",
              "operator": {
                "version": "v25.3.4",
                "policy": null,
                "state": null
              },
              "verdict": "ok",
              "summary": {
                "nodes": 2,
                "gpuNodes": 1,
                "byState": {
                  "missing": 1,
                  "ready": 4
                },
                "errors": 0,
                "warnings": 0
              },
              "second": [
                1
              ],
              "first": {
                "b": 1,
                "a": 2
              },
              "findings": [],
              "gaps": []
            }
        "#]],
    );
}

#[test]
fn a_finding_about_no_node_and_no_operand_says_null() {
    let mut answer = answer(&[Severity::Error], 0);
    answer.findings[0].node = None;
    answer.findings[0].operand = None;
    answer.findings[0].subject.namespace = Some("gpu-operator".into());
    let report = wire::report(&answer, &envelope(&[]));
    let finding = &report["findings"][0];
    assert!(finding["node"].is_null() && finding["operand"].is_null());
    assert_eq!(finding["subject"]["namespace"], "gpu-operator");
}

#[test]
fn errors_and_warnings_are_counted_whatever_the_plugin_says() {
    use Severity::{Error, Info, Warning};
    let report = wire::report(&answer(&[Error, Error, Warning, Info], 0), &envelope(&[]));
    assert_eq!(
        (&report["summary"]["errors"], &report["summary"]["warnings"]),
        (&2.into(), &1.into())
    );
}
