//! What `-f` may name: files, patterns, folders, must-gathers, standard input.

use std::path::Path;

use gpu_core::cluster::Kind;

use super::*;

#[test]
fn names_are_files_patterns_folders_or_a_dash() {
    let (node, pod) = (NODE_YAML.as_bytes(), POD_YAML.as_bytes());
    let zipped = gzip(SET_JSON.as_bytes());
    let folder = folder(&[
        ("d/1.yaml", node),
        ("d/2.yml", pod),
        ("d/3.json.gz", &zipped),
        ("d/4.txt", b"not: [ours"),
        ("d/deep/5.yaml", b"{not asked for"),
        ("only/folders/a.yaml", node),
        ("none/a.txt", b"x"),
        ("[odd].yaml", node),
    ]);
    let read = |names: &[&str]| read_in(folder.path(), names, false).map(|it| self::names(&it));
    assert_eq!(read(&["d"]).unwrap(), ALL);
    let error = read(&["d/?.*"]).unwrap_err();
    assert!(error.to_string().contains("4.txt:1:6: "), "{error}");
    assert_eq!(read(&["d/[12].y*ml", "d/3*"]).unwrap(), ALL);
    assert_eq!(read(&["[odd].yaml"]).unwrap(), "nodes a; pods; daemonsets");
    for (name, message, hint) in [
        (
            "missing.yaml",
            "the path \"missing.yaml\" does not exist",
            None,
        ),
        (
            "d/*.xml",
            "no file matches the pattern \"d/*.xml\"",
            Some("quote the pattern"),
        ),
        ("only", "the folder only holds only folders", Some("add -R")),
        (
            "none",
            "the folder none holds no .json, .yaml or .yml file",
            Some("record with"),
        ),
    ] {
        let error = read_in(folder.path(), &[name], false).unwrap_err();
        let text = error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "");
        assert_eq!(text, message);
        assert_eq!(error.hint().is_some(), hint.is_some());
        assert!(
            error
                .hint()
                .unwrap_or_default()
                .starts_with(hint.unwrap_or_default())
        );
    }
    let error = recorded::read(&["https://x/a.yaml".to_owned()], false, &mut &b""[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"https://x/a.yaml\" is an address, and -f reads files only"
    );
    let twice = ["-".to_owned(), "-".to_owned()];
    let error = recorded::read(&twice, false, &mut &b""[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "standard input (-) can be read only once"
    );
}

#[test]
fn standard_input_is_read_before_anything_can_fail() {
    let mut text = NODE_JSON.as_bytes();
    let names = ["missing.yaml".to_owned(), "-".to_owned()];
    recorded::read(&names, false, &mut text).unwrap_err();
    assert!(text.is_empty());
}

#[test]
fn recursion_reads_what_openshift_writes_and_notes_what_is_broken_there() {
    let pods = "---\napiVersion: v1\nitems:\n- metadata:\n    name: p\n    namespace: x\nkind: PodList\nmetadata: {}\n";
    let node = format!("---\n{NODE_YAML}");
    let folder = folder(&[
        ("must-gather.local.1/timestamp", b"x"),
        (
            "must-gather.local.1/quay/cluster-scoped-resources/core/nodes/a.yaml",
            node.as_bytes(),
        ),
        (
            "must-gather.local.1/quay/cluster-scoped-resources/nvidia.com/clusterpolicies/c.yaml",
            b"",
        ),
        (
            "must-gather.local.1/quay/cluster-scoped-resources/config/x.yaml",
            b"{{{",
        ),
        (
            "must-gather.local.1/quay/etcd_info/health.json",
            b"[{\"health\": true}]",
        ),
        (
            "must-gather.local.1/quay/namespaces/x/core/pods.yaml",
            pods.as_bytes(),
        ),
        (
            "must-gather.local.1/quay/namespaces/x/core/events.yaml",
            b"a: b: c\n",
        ),
        (
            "must-gather.local.1/quay/namespaces/x/apps/daemonsets.yaml",
            SET_JSON.as_bytes(),
        ),
    ]);
    let message = complaint_in(folder.path(), &["must-gather.local.1"], false);
    assert_eq!(message, "the folder must-gather.local.1 holds only folders");
    let cluster = read_in(folder.path(), &["must-gather.local.1"], true).unwrap();
    assert_eq!(names(&cluster), ALL);
    assert!(
        cluster
            .unseen(Kind::ClusterPolicy)
            .unwrap()
            .ends_with("clusterpolicies/c.yaml is empty")
    );
    assert!(
        cluster
            .unseen(Kind::Event)
            .unwrap()
            .ends_with("events.yaml:1:5: mapping values are not allowed in this context")
    );
    for kind in [Kind::Node, Kind::Pod, Kind::DaemonSet, Kind::NvidiaDriver] {
        assert!(cluster.has_seen(kind), "{kind:?}");
    }
}

#[test]
fn what_nvidias_must_gather_wrote_is_known_and_its_empty_files_are_gaps() {
    let files: [(&str, &[u8]); 8] = [
        ("out/must-gather.log", b"{"),
        ("out/version", b"NVIDIA GPU Operator\n"),
        ("out/gpu_nodes.status", b"NAME STATUS\n"),
        ("out/gpu_nodes.descr", b"Name: a\n"),
        ("out/cluster_policy.missing", b""),
        ("out/gpu_operand_pods.yaml", POD_YAML.as_bytes()),
        (
            "out/gpu_operand_ds.yaml",
            b"Error from server (Forbidden): daemonsets.apps is forbidden\n",
        ),
        ("out/hyperconverged.yaml", b""),
    ];
    let folder = folder(&files);
    // `oc adm must-gather` puts a folder around it.
    for root in [folder.path().join("out"), folder.path().to_owned()] {
        let cluster = read_in(&root, &[""], false).unwrap();
        assert_eq!(names(&cluster), "nodes; pods x/p; daemonsets");
        assert!(cluster.has_seen(Kind::Pod));
        assert!(cluster.has_seen(Kind::ClusterPolicy));
        assert_eq!(
            cluster.unseen(Kind::Node).unwrap(),
            "no Node in the recording"
        );
        let why = cluster.unseen(Kind::DaemonSet).unwrap();
        assert!(why.ends_with(
            "gpu_operand_ds.yaml holds no Kubernetes objects, but a mapping with the key Error from server (Forbidden)"
        ), "{why}");
    }
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_not_followed_and_forbidden_files_say_so() {
    let folder = folder(&[
        ("a.yaml", NODE_YAML.as_bytes()),
        ("b/c.yaml", POD_YAML.as_bytes()),
    ]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("b/loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("b/dangling.yaml")).unwrap();
    let cluster = read_in(folder.path(), &[""], true).unwrap();
    assert_eq!(names(&cluster), "nodes a; pods x/p; daemonsets");
    // A link may be named, and a device read, like any file.
    assert_eq!(
        complaint_in(Path::new("/dev"), &["null"], false),
        "null is empty"
    );
}
