//! Lists: rounds, pages, gaps, and what is kept besides.

use std::cell::Cell;
use std::rc::Rc;

use gpu_cli::read::Source;
use gpu_core::cluster::{Coverage, Kind};

use crate::bench::{Bench, gap, node_names};
use crate::server::{Asked, Reply, Server, no, ok, page, small_cluster};

const NODES: &str = "/api/v1/nodes";
const DAEMON_SETS: &str = "/apis/apps/v1/daemonsets";

/// The small cluster, but with this answer for one path.
fn but(path: &'static str, reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |asked| match asked.path() {
        it if it == path => reply(asked),
        _ => small_cluster(asked),
    })
}

fn node(name: &str) -> String {
    format!(r#"{{"metadata":{{"name":"{name}"}}}}"#)
}

#[test]
fn both_rounds_are_read_with_one_request_a_list() {
    let server = Server::start(small_cluster);
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(node_names(&cluster), ["node-1"]);
    assert_eq!(cluster.namespace.as_deref(), Some("gpu-operator"));
    assert_eq!(cluster.pods[0].daemon_set, Some(0));
    let mut paths: Vec<_> = server
        .asked()
        .iter()
        .map(|it| it.path().to_owned())
        .collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            "/api/v1/namespaces/gpu-operator/pods",
            NODES,
            DAEMON_SETS,
            "/apis/nvidia.com/v1/clusterpolicies",
            "/apis/nvidia.com/v1alpha1/gpuclusters",
            "/apis/nvidia.com/v1alpha1/nvidiadrivers",
        ]
    );
}

#[test]
fn a_kind_the_server_does_not_have_is_no_gap() {
    let cluster = Bench::at(&Server::start(small_cluster)).read().unwrap();
    assert_eq!(cluster.coverage[&Kind::ClusterPolicy], Coverage::NotServed);
    assert!(cluster.has_seen(Kind::ClusterPolicy) && cluster.has_seen(Kind::Pod));
}

#[test]
fn a_long_list_is_read_page_by_page() {
    let server = but(NODES, |asked| match asked.page() {
        "" => page(&[&node("a"), &node("b")], "p2"),
        "p2" => page(&[&node("c")], "p3"),
        _ => page(&[&node("d")], ""),
    });
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(node_names(&cluster), ["a", "b", "c", "d"]);
    assert_eq!(server.count(NODES), 3);
    assert!(
        server
            .asked()
            .iter()
            .all(|it| it.line.contains("limit=500"))
    );
}

#[test]
fn a_list_that_expires_between_two_pages_is_started_again_without_what_it_had() {
    let server = but(NODES, |asked| match (asked.page(), asked.before) {
        ("", 0) => page(&[&node("gone-meanwhile")], "p2"),
        ("p2", 0) => no(410, "Expired", "The provided continue parameter is too old"),
        ("", _) => page(&[&node("a")], "p2"),
        _ => page(&[&node("b")], ""),
    });
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(node_names(&cluster), ["a", "b"]);
    assert!(cluster.has_seen(Kind::Node));
}

#[test]
fn a_list_that_keeps_expiring_is_given_up_as_a_gap() {
    let server = but(NODES, |asked| match asked.page() {
        "" => page(&[&node("a")], "p2"),
        _ => no(410, "Expired", "too old"),
    });
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(gap(&cluster, Kind::Node), "Expired: too old");
    assert_eq!(server.count(NODES), 4);
    assert!(cluster.nodes.is_empty());
}

#[test]
fn a_server_that_repeats_a_page_does_not_keep_us() {
    let server = but(NODES, |_| page(&[], "same"));
    let cluster = Bench::at(&server).read().unwrap();
    assert!(gap(&cluster, Kind::Node).contains("same page came twice"));
    assert_eq!(server.count(NODES), 2);
}

#[test]
fn a_forbidden_kind_is_a_gap_in_the_servers_words_and_the_rest_is_read() {
    let message = r#"daemonsets.apps is forbidden: User \"u\" cannot list resource"#;
    let server = but(DAEMON_SETS, move |_| no(403, "Forbidden", message));
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(
        gap(&cluster, Kind::DaemonSet),
        r#"forbidden: daemonsets.apps is forbidden: User "u" cannot list resource"#
    );
    assert_eq!(server.count(DAEMON_SETS), 1);
    assert_eq!(node_names(&cluster), ["node-1"]);
}

#[test]
fn where_all_namespaces_are_forbidden_the_operators_own_is_enough() {
    let server = but(DAEMON_SETS, |_| no(403, "Forbidden", "not everywhere"));
    let cluster = Bench::at(&server).flags("-n gpu-operator").read().unwrap();
    assert_eq!(cluster.coverage[&Kind::DaemonSet], Coverage::Seen);
    assert_eq!(cluster.daemon_sets.len(), 1);

    let server = Server::start(|asked| match asked.path() {
        it if it.ends_with("daemonsets") && it.contains("namespaces") => {
            no(403, "Forbidden", "nor here")
        }
        DAEMON_SETS => no(403, "Forbidden", "not everywhere"),
        _ => small_cluster(asked),
    });
    let cluster = Bench::at(&server).flags("-n gpu-operator").read().unwrap();
    assert_eq!(gap(&cluster, Kind::DaemonSet), "forbidden: not everywhere");
}

#[test]
fn everything_forbidden_is_gaps_and_no_error() {
    let server = Server::start(|_| no(403, "Forbidden", "no"));
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(gap(&cluster, Kind::Node), "forbidden: no");
}

#[test]
fn one_object_that_cannot_be_understood_costs_itself_only() {
    let server = but(NODES, |_| {
        page(
            &[
                &node("a"),
                r#"{"metadata":{"name":"bad"},"spec":7}"#,
                &node("b"),
            ],
            "",
        )
    });
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(node_names(&cluster), ["a", "b"]);
    assert!(!cluster.has_seen(Kind::Node));
    let why = cluster.unseen(Kind::Node).unwrap();
    assert!(why.starts_with("node bad: invalid type"), "{why}");
}

#[test]
fn a_later_round_adds_to_what_is_there() {
    let server = but("/api/v1/namespaces/gpu-operator/events", |asked| {
        assert!(asked.line.contains("fieldSelector=type%3DWarning"));
        page(
            &[r#"{"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"}}"#],
            "",
        )
    });
    let bench = Bench::at(&server);
    let reader = bench.open().unwrap();
    let mut cluster = reader.cluster(&bench.args()).unwrap();
    let events =
        gpu_core::cluster::Read::within(Kind::Event, "gpu-operator").fields("type=Warning");
    reader.more(&mut cluster, &[events]).unwrap();
    assert_eq!(cluster.events.len(), 1);
    assert!(cluster.has_seen(Kind::Event));
}

#[test]
fn the_time_of_the_answer_is_the_servers() {
    let server =
        Server::start(|asked| small_cluster(asked).with("Date", "Mon, 30 Nov 2026 10:00:00 GMT"));
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(cluster.seen_at.unwrap().to_string(), "2026-11-30T10:00:00Z");
}

#[test]
fn each_warning_is_kept_once() {
    let server = Server::start(|asked| {
        small_cluster(asked).with("Warning", r#"299 - "v1alpha1 is deprecated", 199 - "no""#)
    });
    let bench = Bench::at(&server);
    let reader = bench.open().unwrap();
    reader.cluster(&bench.args()).unwrap();
    assert_eq!(reader.warnings(), ["v1alpha1 is deprecated"]);
}

#[test]
fn from_verbosity_six_on_every_request_is_listed_without_secrets() {
    let server = but(NODES, |asked| match asked.page() {
        "" => page(&[], "c0nt1nue"),
        _ => page(&[], ""),
    });
    let log = |flags: &str| {
        let bench = Bench::at(&server).flags(flags);
        let reader = bench.open().unwrap();
        reader.cluster(&bench.args()).unwrap();
        reader.log()
    };
    assert!(log("-v 5").is_empty());
    let log = log("-v6 --token s3cret");
    assert_eq!(log.len(), 7);
    // Lists run side by side, so their order is not told.
    let is_page_of_nodes = |it: &&String| {
        it.starts_with("GET /api/v1/nodes?limit=500 200 OK in ") && it.ends_with(" milliseconds")
    };
    assert_eq!(log.iter().filter(is_page_of_nodes).count(), 2, "{log:#?}");
    assert!(!log.join("").contains("s3cret") && !log.join("").contains("c0nt1nue"));
}

#[test]
fn the_server_learns_who_asks_and_for_what_form() {
    let server = Server::start(small_cluster);
    Bench::at(&server).read().unwrap();
    for it in server.asked() {
        let agent = it.header("user-agent");
        assert!(agent.starts_with("kubectl-gpu_audit/0.1.0 ("), "{agent}");
        assert!(agent.ends_with(") kubectl-gpu"), "{agent}");
        assert_eq!(it.header("accept"), "application/json");
        assert_eq!(it.header("accept-encoding"), "gzip");
    }
}

#[test]
fn progress_is_told_after_every_page() {
    let bench = Bench::at(&Server::start(small_cluster));
    let mut reader = bench.open().unwrap();
    let pages = Rc::new(Cell::new(0));
    let seen = Rc::clone(&pages);
    reader.on_progress(Box::new(move |it| seen.set(it)));
    reader.cluster(&bench.args()).unwrap();
    assert_eq!(pages.get(), 3);
}

#[test]
fn the_answer_tells_where_it_comes_from() {
    let server = Server::start(small_cluster);
    let source = |bench: Bench| bench.open().unwrap().source();
    let live = |context: Option<&str>| Source::Live {
        context: context.map(str::to_owned),
        server: server.host.clone(),
    };
    assert_eq!(source(Bench::at(&server)), live(None));
    assert_eq!(source(Bench::with_user(&server, "")), live(Some("lab")));
}

#[test]
fn a_path_in_the_servers_address_is_kept() {
    let server = Server::start(|_| ok(r#"{"items":[]}"#));
    let url = format!("http://{}/k8s/clusters/c-1/", server.host);
    Bench::empty().flag("-s").flag(&url).read().unwrap();
    assert_eq!(server.count("/k8s/clusters/c-1/api/v1/nodes"), 1);
}
