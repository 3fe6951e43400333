//! Every format, on an answer that no plugin gives.

use expect_test::{Expect, expect};

use super::{FORMATS, Format, Look, NoSuchColumn, json, lines, names, page};
use crate::answer::wire::{Body, Envelope, Source, Tool};
use crate::answer::{Answer, Block, Cell, Finding, Gap, Page, Severity, Subject, Table, Tone};
use crate::facts::operands::Id;

/// An answer with these findings, gaps and blocks.
struct Fake {
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
    blocks: fn() -> Vec<Block>,
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
    fn page(&self, wide: bool) -> Page {
        let mut blocks = (self.blocks)();
        blocks.truncate(if wide { 9 } else { 1 });
        Page {
            blocks,
            summary: "2 nodes, one of them odd".into(),
        }
    }
    fn lines(&self) -> Vec<String> {
        Vec::new()
    }
    fn errors_beyond_lines(&self) -> usize {
        0
    }
    fn body(&self) -> Body {
        Body::default()
    }
}

/// An answer with nothing but a page.
fn with(blocks: fn() -> Vec<Block>) -> Fake {
    Fake {
        findings: Vec::new(),
        gaps: Vec::new(),
        blocks,
    }
}

fn subject(kind: &'static str, name: &str) -> Subject {
    Subject {
        kind,
        namespace: None,
        name: name.into(),
    }
}

fn finding(severity: Severity, subject: Subject) -> Finding {
    Finding {
        rule: "some-rule",
        severity,
        node: Some("gpu-10".into()),
        operand: Some(Id::Driver),
        subject,
        message: "driver is missing on node/gpu-10".into(),
        cause: "nobody made it".into(),
        consequences: vec![
            "container-toolkit: it waits".into(),
            "device-plugin: it waits".into(),
        ],
        evidence: vec!["no pod".into(), "a label".into()],
        fix: "kubectl describe node/gpu-10".into(),
    }
}

fn gap(what: &str) -> Gap {
    Gap {
        what: what.into(),
        why: format!("{what} is forbidden"),
        effect: "nothing is known".into(),
    }
}

fn blocks() -> Vec<Block> {
    let row = |name: &str, state: &str, tone, age: &str| {
        vec![
            Cell::from(name),
            Cell::toned(state, tone),
            Cell::from(age.to_owned()),
        ]
    };
    let table = Table {
        header: ["NODE", "DRIVER", "AGE"].map(str::to_owned).into(),
        rows: vec![
            row("gpu-10", "MISSING", Tone::Bad, "9"),
            row("gpu-9", "ready", Tone::Good, "10"),
            row("gpu-9b", "paused", Tone::Odd, ""),
            row("cpu-1", "<none>", Tone::Quiet, "1"),
        ],
    };
    vec![
        Block::Table(table),
        Block::Text(vec![
            "driver: desired 1, skips cpu-1".into(),
            "toolkit: desired 2".into(),
        ]),
    ]
}

fn example() -> Fake {
    let mut warning = finding(Severity::Warning, subject("DaemonSet", "nvidia-dcgm"));
    warning.consequences.clear();
    warning.evidence.clear();
    warning.cause.clear();
    Fake {
        findings: vec![finding(Severity::Error, subject("Node", "gpu-10")), warning],
        gaps: vec![gap("pods"), gap("events")],
        blocks,
    }
}

fn check_page(answer: &Fake, wide: bool, look: &Look, want: &Expect) {
    want.assert_eq(&page(answer, wide, look).unwrap());
}

#[test]
fn a_page_shows_tables_then_findings_then_gaps_then_the_summary() {
    check_page(
        &example(),
        false,
        &Look::default(),
        &expect![[r#"
        NODE     DRIVER    AGE
        gpu-10   MISSING   9
        gpu-9    ready     10
        gpu-9b   paused
        cpu-1    <none>    1

        ERROR driver is missing on node/gpu-10
          cause  nobody made it
          then   container-toolkit: it waits
                 device-plugin: it waits
          seen   no pod
                 a label
          fix    kubectl describe node/gpu-10
          rule   some-rule

        WARNING driver is missing on node/gpu-10
          fix    kubectl describe node/gpu-10
          rule   some-rule

        UNSEEN pods: pods is forbidden
          then   nothing is known
        UNSEEN events: events is forbidden
          then   nothing is known

        2 nodes, one of them odd
    "#]],
    );
}

#[test]
fn a_wide_page_shows_all_blocks() {
    let answer = with(blocks);
    check_page(
        &answer,
        true,
        &Look::default(),
        &expect![[r#"
        NODE     DRIVER    AGE
        gpu-10   MISSING   9
        gpu-9    ready     10
        gpu-9b   paused
        cpu-1    <none>    1

        driver: desired 1, skips cpu-1
        toolkit: desired 2

        2 nodes, one of them odd
    "#]],
    );
}

#[test]
fn a_page_without_anything_is_its_summary() {
    let answer = with(Vec::new);
    check_page(
        &answer,
        true,
        &Look::default(),
        &expect![[r#"
        2 nodes, one of them odd
    "#]],
    );
}

#[test]
fn a_table_without_rows_shows_no_header() {
    let empty = || {
        vec![Block::Table(Table {
            header: vec!["NODE".into()],
            rows: Vec::new(),
        })]
    };
    let answer = with(empty);
    check_page(
        &answer,
        true,
        &Look::default(),
        &expect![[r#"
        2 nodes, one of them odd
    "#]],
    );
}

#[test]
fn headers_can_be_left_out() {
    let look = Look {
        no_headers: true,
        ..Look::default()
    };
    let answer = with(blocks);
    check_page(
        &answer,
        false,
        &look,
        &expect![[r#"
        gpu-10   MISSING   9
        gpu-9    ready     10
        gpu-9b   paused
        cpu-1    <none>    1

        2 nodes, one of them odd
    "#]],
    );
}

/// The page without what colours a terminal.
fn stripped(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').unwrap();
        assert!(code.starts_with('['), "{code}");
        plain.push_str(rest);
    }
    plain
}

#[test]
fn colour_changes_no_character_and_no_column() {
    let colored = Look {
        color: true,
        ..Look::default()
    };
    for wide in [false, true] {
        let plain = page(&example(), wide, &Look::default()).unwrap();
        let bright = page(&example(), wide, &colored).unwrap();
        assert!(!plain.contains('\u{1b}'));
        assert_ne!(plain, bright);
        assert_eq!(stripped(&bright), plain);
    }
}

#[test]
fn every_tone_and_severity_has_its_colour() {
    let colored = Look {
        color: true,
        ..Look::default()
    };
    let mut answer = example();
    answer
        .findings
        .push(finding(Severity::Info, subject("Node", "a")));
    let text = page(&answer, false, &colored).unwrap();
    for (word, code) in [
        ("MISSING", "\u{1b}[31m"),
        ("ready", "\u{1b}[32m"),
        ("paused", "\u{1b}[33m"),
        ("<none>", "\u{1b}[2m"),
        ("WARNING", "\u{1b}[33m"),
        ("INFO", "\u{1b}[36m"),
        ("UNSEEN", "\u{1b}[35m"),
    ] {
        assert!(
            text.contains(&format!("{code}{word}"))
                || text.contains(&format!("{code}\u{1b}[1m{word}")),
            "{word}"
        );
    }
    assert!(text.contains("ERROR"));
}

fn column(text: &str, at: usize) -> Vec<&str> {
    text.lines()
        .skip(1)
        .map_while(|line| line.split("   ").nth(at))
        .map(str::trim)
        .collect()
}

#[test]
fn rows_are_sorted_by_any_column_however_it_is_typed() {
    let answer = with(blocks);
    for (typed, want) in [
        ("node", ["cpu-1", "gpu-9", "gpu-9b", "gpu-10"]),
        ("NODE", ["cpu-1", "gpu-9", "gpu-9b", "gpu-10"]),
        ("age", ["gpu-9b", "cpu-1", "gpu-10", "gpu-9"]),
        ("Driver", ["cpu-1", "gpu-10", "gpu-9b", "gpu-9"]),
    ] {
        let look = Look {
            sort_by: Some(typed.to_owned()),
            ..Look::default()
        };
        let text = page(&answer, false, &look).unwrap();
        assert_eq!(column(&text, 0)[..4], want, "{typed}");
    }
}

#[test]
fn only_the_first_table_is_sorted() {
    let two = || {
        [blocks(), blocks()]
            .into_iter()
            .flatten()
            .filter(|it| matches!(it, Block::Table(_)))
            .collect()
    };
    let answer = with(two);
    let look = Look {
        sort_by: Some("node".into()),
        ..Look::default()
    };
    let text = page(&answer, true, &look).unwrap();
    let tables: Vec<_> = text.split("\n\n").collect();
    assert_eq!(column(tables[0], 0)[0], "cpu-1");
    assert_eq!(column(tables[1], 0)[0], "gpu-10");
}

#[test]
fn a_column_that_is_not_there_is_an_error_that_names_those_that_are() {
    let look = Look {
        sort_by: Some("pods".into()),
        ..Look::default()
    };
    let error = page(&example(), false, &look).unwrap_err();
    assert_eq!(
        error,
        NoSuchColumn {
            asked: "pods".into(),
            known: ["node", "driver", "age"].map(str::to_owned).into(),
        }
    );
}

/// An answer into which the cluster's owner wrote what a terminal would obey.
fn hostile() -> Fake {
    let evil = "a\u{1b}[2Jb\u{202e}c\nd";
    let mut bad = finding(Severity::Error, subject("Node", evil));
    for text in [
        &mut bad.message,
        &mut bad.cause,
        &mut bad.fix,
        &mut bad.evidence[0],
        &mut bad.consequences[0],
    ] {
        evil.clone_into(text);
    }
    let mut unseen = gap("pods");
    for text in [&mut unseen.what, &mut unseen.why, &mut unseen.effect] {
        evil.clone_into(text);
    }
    let blocks = || {
        vec![
            Block::Table(Table {
                header: vec!["NODE".into()],
                rows: vec![vec![Cell::toned("a\u{1b}[2Jb\u{202e}c\nd", Tone::Bad)]],
            }),
            Block::Text(vec!["a\u{1b}[2Jb\u{202e}c\nd".into()]),
        ]
    };
    Fake {
        findings: vec![bad],
        gaps: vec![unseen],
        blocks,
    }
}

fn is_hostile(c: char) -> bool {
    c != '\n' && (c.is_control() || c == '\u{202e}')
}

#[test]
fn nothing_a_terminal_obeys_reaches_a_page() {
    check_page(
        &hostile(),
        true,
        &Look::default(),
        &expect![[r#"
        NODE
        a^[[2Jb\u{202e}c\nd

        a^[[2Jb\u{202e}c\nd

        ERROR a^[[2Jb\u{202e}c\nd
          cause  a^[[2Jb\u{202e}c\nd
          then   a^[[2Jb\u{202e}c\nd
                 device-plugin: it waits
          seen   a^[[2Jb\u{202e}c\nd
                 a label
          fix    a^[[2Jb\u{202e}c\nd
          rule   some-rule

        UNSEEN a^[[2Jb\u{202e}c\nd: a^[[2Jb\u{202e}c\nd
          then   a^[[2Jb\u{202e}c\nd

        2 nodes, one of them odd
    "#]],
    );
    let colored = Look {
        color: true,
        ..Look::default()
    };
    let bright = page(&hostile(), true, &colored).unwrap();
    assert!(!stripped(&bright).contains(is_hostile));
}

fn envelope() -> Envelope {
    Envelope {
        tool: Tool {
            name: "kubectl-gpu_fake".into(),
            version: "0.1.0".into(),
        },
        source: Source {
            kind: "live",
            context: Some("a\u{1b}[2Jb".into()),
            namespace: None,
            files: Vec::new(),
        },
        seen_at: None,
    }
}

#[test]
fn nothing_a_terminal_obeys_reaches_the_json_and_it_still_means_the_same() {
    let text = json(&hostile(), &envelope());
    assert!(
        text.ends_with("}\n") && !text.contains(is_hostile),
        "{text}"
    );
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["source"]["context"], "a\u{1b}[2Jb");
    assert_eq!(report["findings"][0]["message"], "a\u{1b}[2Jb\u{202e}c\nd");
}

#[test]
fn json_of_an_ordinary_answer_is_the_report_as_it_stands() {
    let mut envelope = envelope();
    envelope.source.context = Some("lab".into());
    let report = crate::answer::wire::report(&example(), &envelope);
    assert_eq!(json(&example(), &envelope), format!("{report:#}\n"));
}

#[test]
fn names_are_each_object_once_in_the_order_of_the_findings() {
    let subjects = [
        subject("Node", "gpu-10"),
        subject("DaemonSet", "nvidia-dcgm"),
        subject("Node", "gpu-10"),
        subject("Pod", "gpu-10"),
        subject("ClusterPolicy", "cluster-policy"),
        subject("DaemonSet", "nvidia-dcgm"),
    ];
    let answer = Fake {
        findings: subjects.map(|it| finding(Severity::Info, it)).into(),
        ..example()
    };
    expect![[r#"
        node/gpu-10
        daemonset.apps/nvidia-dcgm
        pod/gpu-10
        clusterpolicy.nvidia.com/cluster-policy
    "#]]
    .assert_eq(&names(&answer));
    let nothing = Fake {
        findings: Vec::new(),
        ..example()
    };
    assert_eq!(names(&nothing), "");
}

#[test]
fn a_name_stays_one_line_and_one_word() {
    let answer = Fake {
        findings: vec![finding(Severity::Error, subject("Node", "a b\nc"))],
        ..example()
    };
    assert_eq!(names(&answer), "node/a\\u{20}b\\nc\n");
}

#[test]
fn lines_are_ended_and_not_changed() {
    for (all, want) in [
        (&[][..], ""),
        (&["a b"], "a b\n"),
        (&["a", "", "b"], "a\n\nb\n"),
    ] {
        let all: Vec<_> = all.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(lines(&all), want);
    }
}

#[test]
fn every_format_has_one_name() {
    for (format, name, _) in FORMATS {
        let alike = |it: &&(Format, &str, &str)| it.0 == format || it.1 == name;
        assert_eq!(FORMATS.iter().filter(alike).count(), 1, "{name}");
    }
}
