//! What is read: forms of writing, what is missing, what is there twice, what is broken.

use std::fmt::Write as _;

use gpu_core::cluster::{Coverage, Kind};

use super::*;

#[test]
fn every_form_of_writing_the_same_objects_is_read_alike() {
    let list = format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{NODE_JSON},{POD_JSON},{SET_JSON}]}}"#
    );
    let forms = [
        list.clone(),
        format!("\u{feff}{list}"),
        format!("\n\n  {list}\n\n"),
        format!("[{NODE_JSON},{POD_JSON},{SET_JSON}]"),
        format!("{NODE_JSON}{POD_JSON} {SET_JSON}"),
        format!("{NODE_JSON}\n{POD_JSON}\n{SET_JSON}\n"),
        format!("{NODE_JSON}\n---\n{POD_JSON}\n---\n{SET_JSON}\n"),
        format!("---\n{NODE_YAML}---\n{POD_JSON}\n...\n---\n{SET_JSON}\n"),
        format!("# recorded\n%YAML 1.2\n---\n{NODE_YAML}...\n# next\n{POD_YAML}---\n\n---\nnull\n--- # last\n{SET_JSON}"),
        format!("{NODE_YAML}---\n{POD_YAML}---\n{SET_JSON}\n").replace('\n', "\r\n"),
        format!("apiVersion: v1\nitems:\n- {NODE_JSON}\n- {POD_JSON}\n- {SET_JSON}\nkind: List\n"),
        format!(r#"{{"items":[{list},{{"kind":"ConfigMapList","apiVersion":"v1","items":[{{"data":{{}}}}]}}],"kind":"List","apiVersion":"v1"}}"#),
        // The kind last, as a tool that sorts otherwise writes it.
        r#"[{"metadata":{"name":"a"},"kind":"Node","apiVersion":"v1"},{"metadata":{"name":"p","namespace":"x"},"spec":{},"apiVersion":"v1","kind":"Pod"},{"kind":"DaemonSet","metadata":{"name":"d","namespace":"x"},"apiVersion":"apps/v1","status":{}}]"#.to_owned(),
        // Lists of one kind, whose items do not repeat it.
        r#"{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}
           {"apiVersion":"v1","items":[{"metadata":{"name":"p","namespace":"x"}}],"kind":"PodList"}
           {"kind":"DaemonSetList","apiVersion":"apps/v1","items":[{"metadata":{"name":"d","namespace":"x"}}]}"#.to_owned(),
        "apiVersion: v1\nitems:\n- metadata:\n    name: a\nkind: NodeList\n---\nkind: PodList\napiVersion: v1\nitems:\n- metadata: {name: p, namespace: x}\n---\napiVersion: apps/v1\nitems:\n- metadata: {name: d, namespace: x}\nkind: DaemonSetList\n".to_owned(),
    ];
    for form in forms {
        let cluster = piped(&form).unwrap_or_else(|error| panic!("{error}\n{form}"));
        assert_eq!(names(&cluster), ALL, "{form}");
        assert_eq!(cluster.unreadable, [], "{form}");
        let zipped = piped(gzip(form.as_bytes())).unwrap();
        assert_eq!(names(&zipped), ALL, "gzip of {form}");
    }
}

#[test]
fn yaml_means_what_it_means_to_kubectl() {
    let text = "
base: &base {apiVersion: v1, kind: Node}
---
apiVersion: v1
kind: Node
metadata:
  name: a
  labels: &labels
    octal: 0777
    yes: yes
    text: \"0777\"
    long: >-
      folded
      text
  annotations:
    <<: *labels
";
    let cluster = piped(text).unwrap();
    let label = |key: &str| cluster.nodes[0].labels[key].as_str();
    assert_eq!(label("octal"), "511");
    assert_eq!(label("yes"), "true");
    assert_eq!(label("text"), "0777");
    assert_eq!(label("long"), "folded text");
}

#[test]
fn other_kinds_are_passed_over_and_null_lists_are_empty() {
    let text = r#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"v1","kind":"ConfigMap","items":5,"data":{"kind":"Pod"}},
        {"apiVersion":"metrics.k8s.io/v1beta1","kind":"PodMetrics","metadata":{"name":"m"}},
        {"apiVersion":"example.com/v1","kind":"Pod","metadata":{"name":"not-ours"}},
        {"apiVersion":"v1","kind":"PodList","items":null},
        null, 7, "text", true, [], {}, {"kind":{},"apiVersion":[]},
        {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}]}"#;
    let cluster = piped(text).unwrap();
    assert_eq!(names(&cluster), "nodes a; pods; daemonsets");
    assert_eq!(cluster.unreadable, []);
}

#[test]
fn what_is_not_in_the_recording_is_a_gap_only_where_it_must_be_there() {
    let cluster = piped(NODE_YAML).unwrap();
    assert!(cluster.has_seen(Kind::Node));
    assert_eq!(
        cluster.unseen(Kind::Pod).unwrap(),
        "no Pod in the recording"
    );
    assert_eq!(
        cluster.unseen(Kind::DaemonSet).unwrap(),
        "no DaemonSet in the recording"
    );
    for kind in [
        Kind::ClusterPolicy,
        Kind::NvidiaDriver,
        Kind::Event,
        Kind::ResourceQuota,
    ] {
        assert_eq!(cluster.coverage[&kind], Coverage::Seen, "{kind:?}");
    }
    // An empty list of a kind says that there is none, which is not the same as saying nothing.
    let text = format!(r#"{NODE_JSON}{{"kind":"PodList","apiVersion":"v1","items":[]}}"#);
    assert!(piped(text).unwrap().has_seen(Kind::Pod));
}

#[test]
fn the_time_of_a_recording_is_the_newest_in_it() {
    let text = format!(
        "{NODE_YAML}  creationTimestamp: \"2026-02-01T00:00:00Z\"\n---\n{POD_YAML}  creationTimestamp: 2026-01-01T00:00:00Z\n"
    );
    let cluster = piped(text).unwrap();
    assert_eq!(cluster.seen_at.unwrap().to_string(), "2026-02-01T00:00:00Z");
    assert_eq!(piped(NODE_YAML).unwrap().seen_at, None);
}

#[test]
fn an_object_read_twice_counts_once_and_the_later_wins_across_files() {
    let pod = |node: &str| format!("{POD_YAML}spec:\n  nodeName: {node}\n");
    let cluster = read(&[
        ("1.yaml", pod("old").as_bytes()),
        ("2.json.gz", &gzip(POD_JSON.as_bytes())),
        ("3.yaml", pod("new").as_bytes()),
    ])
    .unwrap();
    assert_eq!(cluster.pods.len(), 1);
    assert_eq!(cluster.pods[0].node.as_deref(), Some("new"));
}

#[test]
fn a_broken_object_is_named_and_spoils_no_other() {
    let bad = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"x","name":"bad"},"status":{"containerStatuses":[{},{"restartCount":"many"}]}}"#;
    let nameless = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"x"}}"#;
    let event = r#"{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"reason":"Once"}"#;
    let json = format!(
        r#"{{"kind":"List","apiVersion":"v1","items":[{event},{NODE_JSON},{bad},{nameless},{POD_JSON},{bad},{SET_JSON}]}}"#
    );
    let yaml = format!(
        "apiVersion: v1\nitems:\n- {event}\n- {NODE_JSON}\n- {bad}\n- {nameless}\n- {POD_JSON}\n- {bad}\n- {SET_JSON}\nkind: List\n"
    );
    for text in [json, yaml] {
        let cluster = piped(&text).unwrap();
        assert_eq!(names(&cluster), ALL);
        assert_eq!(
            cluster.events.len(),
            1,
            "the second attempt takes nothing twice"
        );
        let why: Vec<_> = cluster
            .unreadable
            .iter()
            .map(|it| it.why.as_str())
            .collect();
        let bad = "pod x/bad in <stdin>: status.containerStatuses[1].restartCount: invalid type: string \"many\", expected u32";
        assert_eq!(why, [bad, "pod without a name in <stdin>", bad]);
        assert!(!cluster.has_seen(Kind::Pod));
        assert!(cluster.has_seen(Kind::Node));
    }
}

#[test]
fn of_a_field_that_is_there_twice_json_takes_the_last_wherever_the_kind_stands() {
    for text in [
        r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"metadata":{"name":"a"}}"#,
        r#"{"metadata":{"name":"x"},"metadata":{"name":"a"},"kind":"Node","apiVersion":"v1"}"#,
        r#"{"kind":"Node","metadata":{"name":"x"},"apiVersion":"v1","metadata":{"name":"a"}}"#,
        r#"{"items":[{"metadata":{"name":"x"},"metadata":{"name":"a"}}],"kind":"NodeList","apiVersion":"v1"}"#,
    ] {
        let cluster = piped(text).unwrap();
        assert_eq!(names(&cluster), "nodes a; pods; daemonsets", "{text}");
        assert_eq!(cluster.unreadable, [], "{text}");
    }
}

#[test]
fn what_is_wrong_with_an_object_is_said_wherever_its_kind_stands() {
    let bad = "{\"metadata\": {\"name\": \"b\"},\n \"spec\": {\n  \"taints\": [{}, 7]}";
    for text in [
        format!(r#"{{"items":[{NODE_JSON},{bad}}}],"kind":"NodeList","apiVersion":"v1"}}"#),
        format!(r#"{NODE_JSON}{bad},"kind":"Node","apiVersion":"v1"}}"#),
        format!("items:\n- {NODE_JSON}\n- {bad}}}\nkind: NodeList\napiVersion: v1\n"),
    ] {
        let cluster = piped(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(names(&cluster), "nodes a; pods; daemonsets");
        assert_eq!(
            cluster.unreadable[0].why,
            "node b in <stdin>: spec.taints[1]: invalid type: integer `7`, expected struct Taint"
        );
    }
}

#[test]
fn text_that_is_no_json_is_an_error_wherever_the_kind_stands() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for bad in [&deep, r#""\ud800""#] {
        for text in [
            format!(
                r#"{{"items":[{{"spec":{{"taints":{bad}}}}}],"kind":"NodeList","apiVersion":"v1"}}"#
            ),
            format!(r#"{{"spec":{{"taints":{bad}}},"kind":"Node","apiVersion":"v1"}}"#),
        ] {
            let error = piped(&text).unwrap_err().to_string();
            assert!(error.starts_with("<stdin>:1:"), "{error}");
        }
    }
}

#[test]
fn many_objects_are_read_whatever_the_yaml_reader_thinks_of_their_number() {
    let mut text = String::from("apiVersion: v1\nitems:\n");
    for n in 0..4_000 {
        write!(text, "- apiVersion: v1\n  kind: Pod\n  metadata:\n    labels: {{a: b, c: d, e: f, g: h}}\n    name: p{n}\n    namespace: x\n").unwrap();
        text += "  x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]\n";
    }
    text += "kind: List\n";
    assert_eq!(piped(&text).unwrap().pods.len(), 4_000);
}
