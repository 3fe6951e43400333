//! Unseen is not absent: what is known of what was not read.

use serde_json::json;

use crate::cluster::{Cluster, Coverage, Elsewhere, Kind, Read, Unreadable};
use crate::testing::{recorded, take};

fn unseen(why: &str) -> Coverage {
    Coverage::Unseen(why.to_owned())
}

/// What is known of pods after these notes.
fn check(notes: &[Coverage], has_seen: bool, why: Option<&str>) {
    let mut cluster = Cluster::default();
    for it in notes {
        cluster.note(Kind::Pod, it.clone());
    }
    assert_eq!(cluster.has_seen(Kind::Pod), has_seen, "{notes:?}");
    assert_eq!(cluster.unseen(Kind::Pod).as_deref(), why, "{notes:?}");
}

#[test]
fn a_failure_is_never_forgotten_for_a_later_success() {
    use Coverage::{NotServed, Seen};
    check(&[Seen], true, None);
    check(&[NotServed], true, None);
    check(&[Seen, NotServed], true, None);
    check(&[unseen("forbidden")], false, Some("forbidden"));
    check(&[Seen, unseen("forbidden")], false, Some("forbidden"));
    check(&[unseen("forbidden"), Seen], false, Some("forbidden"));
    check(&[unseen("forbidden"), NotServed], false, Some("forbidden"));
    // Of two failures the first is told.
    check(
        &[unseen("forbidden"), unseen("timeout")],
        false,
        Some("forbidden"),
    );
}

#[test]
fn a_kind_that_nobody_asked_for_was_not_seen_and_is_no_gap_either() {
    check(&[], false, None);
}

#[test]
fn kinds_are_noted_apart() {
    let mut cluster = Cluster::default();
    cluster.note(Kind::Pod, unseen("forbidden"));
    cluster.note(Kind::Node, Coverage::Seen);
    assert!(cluster.has_seen(Kind::Node) && !cluster.has_seen(Kind::Pod));
    assert_eq!(cluster.unseen(Kind::Node), None);
}

#[test]
fn an_object_that_could_not_be_read_makes_its_kind_unseen() {
    let mut cluster = Cluster::default();
    for kind in [Kind::Pod, Kind::Node] {
        cluster.note(kind, Coverage::Seen);
    }
    cluster.unreadable.push(Unreadable {
        kind: Kind::Pod,
        why: "pod a: restartCount is no number".to_owned(),
    });
    assert!(!cluster.has_seen(Kind::Pod) && cluster.has_seen(Kind::Node));
    assert_eq!(
        cluster.unseen(Kind::Pod).as_deref(),
        Some("pod a: restartCount is no number")
    );
    assert_eq!(cluster.unseen(Kind::Node), None);
    // A whole list that failed says more than one object of it.
    cluster.note(Kind::Pod, unseen("forbidden"));
    assert_eq!(cluster.unseen(Kind::Pod).as_deref(), Some("forbidden"));
}

/// A cluster whose operator is in `gpu-operator`.
fn with_home() -> Cluster {
    recorded([json!({ "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": { "name": "nvidia-dcgm", "namespace": "gpu-operator" },
        "spec": { "template": { "spec": { "nodeSelector": { "nvidia.com/gpu.deploy.dcgm": "true" } } } } })])
}

#[test]
fn what_fails_at_home_is_unseen_and_what_fails_elsewhere_is_kept_apart() {
    for (read, seen) in [
        (Read::all(Kind::Pod), false),
        (Read::within(Kind::Pod, "gpu-operator"), false),
        (Read::within(Kind::Pod, "kube-system"), true),
        // A list narrowed by a selector is a look at something else than the operands.
        (Read::all(Kind::Pod).fields("spec.nodeName=gpu-1"), true),
        (
            Read::within(Kind::Pod, "gpu-operator").labelled("app=x"),
            true,
        ),
    ] {
        let mut cluster = with_home();
        cluster.note(Kind::Pod, Coverage::Seen);
        cluster.note_read(&read, unseen("forbidden"));
        assert_eq!(cluster.has_seen(Kind::Pod), seen, "{read:?}");
        let elsewhere = Elsewhere {
            kind: Kind::Pod,
            namespace: read.namespace.clone(),
            why: "forbidden".to_owned(),
        };
        assert_eq!(
            cluster.unseen_elsewhere(Kind::Pod),
            seen.then_some(&elsewhere)
        );
        assert_eq!(cluster.unseen_elsewhere(Kind::Event), None);
    }
}

#[test]
fn a_success_elsewhere_counts_as_seen() {
    let mut cluster = with_home();
    cluster.note_read(&Read::within(Kind::Pod, "kube-system"), Coverage::Seen);
    assert!(cluster.has_seen(Kind::Pod) && cluster.elsewhere.is_empty());
}

#[test]
fn while_no_home_is_known_every_namespace_is_elsewhere() {
    let mut cluster = Cluster::default();
    cluster.note_read(
        &Read::within(Kind::Pod, "gpu-operator"),
        unseen("forbidden"),
    );
    assert!(cluster.unseen(Kind::Pod).is_none() && cluster.unseen_elsewhere(Kind::Pod).is_some());
}

#[test]
fn home_that_could_be_read_makes_up_for_the_rest() {
    let mut cluster = with_home();
    cluster.note(Kind::DaemonSet, unseen("forbidden in all namespaces"));
    cluster.note_home(Kind::DaemonSet);
    assert!(cluster.has_seen(Kind::DaemonSet));
    let elsewhere = cluster.unseen_elsewhere(Kind::DaemonSet).unwrap();
    assert_eq!(
        (elsewhere.namespace.as_deref(), elsewhere.why.as_str()),
        (None, "forbidden in all namespaces")
    );
    // Where nothing had failed there is nothing to keep.
    let mut cluster = with_home();
    cluster.note_home(Kind::DaemonSet);
    assert!(cluster.has_seen(Kind::DaemonSet) && cluster.elsewhere.is_empty());
}

#[test]
fn a_list_read_apart_is_taken_over_with_all_it_holds() {
    let mut part = Cluster::default();
    for (api_version, kind) in [
        ("v1", "Node"),
        ("v1", "Pod"),
        ("apps/v1", "DaemonSet"),
        ("nvidia.com/v1", "ClusterPolicy"),
        ("v1", "Event"),
        ("v1", "ResourceQuota"),
        ("apps/v1", "Deployment"),
    ] {
        let object = json!({ "apiVersion": api_version, "kind": kind,
            "metadata": { "name": "second", "creationTimestamp": "2026-03-02T10:00:00Z" } });
        take(&mut part, [object]);
    }
    part.note(Kind::Pod, unseen("timeout"));
    part.unreadable.push(Unreadable {
        kind: Kind::Node,
        why: "broken".to_owned(),
    });
    let mut whole = recorded([json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": "first", "creationTimestamp": "2026-03-02T09:00:00Z" } })]);
    whole.note(Kind::Pod, Coverage::Seen);
    let newest = part.newest;
    whole.absorb(part);
    whole.settle();
    let names: Vec<_> = whole.nodes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    let lengths = [
        whole.pods.len(),
        whole.daemon_sets.len(),
        whole.policies.len(),
        whole.events.len(),
        whole.quotas.len(),
        whole.deployments.len(),
    ];
    assert_eq!(lengths, [1; 6]);
    assert_eq!(whole.newest, newest);
    assert_eq!(whole.unseen(Kind::Pod).as_deref(), Some("timeout"));
    assert_eq!(whole.unseen(Kind::Node).as_deref(), Some("broken"));
}

#[test]
fn objects_are_found_by_name_kind_and_operand() {
    use crate::facts::operands::Id;
    let mut cluster = with_home();
    take(
        &mut cluster,
        [
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "gpu-1" } }),
            json!({ "apiVersion": "nvidia.com/v1alpha1", "kind": "GPUCluster", "metadata": { "name": "gpu-cluster" } }),
        ],
    );
    assert!(cluster.node("gpu-1").is_some() && cluster.node("gpu").is_none());
    assert_eq!(cluster.daemon_sets_of(Id::Dcgm).count(), 1);
    assert_eq!(cluster.daemon_sets_of(Id::Driver).count(), 0);
    assert!(cluster.cluster_policy().is_none() && cluster.gpu_cluster().is_some());
}
