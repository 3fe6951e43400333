//! Servers that are slow, busy, broken, gone, or no API servers at all.

use std::time::{Duration, Instant};

use gpu_core::cluster::Kind;

use crate::bench::{Bench, gap, node_names};
use crate::server::{Asked, Reply, Server, deaf_port, no, ok, page, small_cluster};

const NODES: &str = "/api/v1/nodes";

/// The small cluster, but with this answer for the nodes.
fn nodes(reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |asked| match asked.path() {
        NODES => reply(asked),
        _ => small_cluster(asked),
    })
}

fn busy() -> Reply {
    no(429, "TooManyRequests", "try later")
}

/// Reads and says how long it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (work(), started.elapsed())
}

#[test]
fn a_server_that_answers_503_is_given_up_after_three_tries() {
    let server = Server::start(|_| no(503, "ServiceUnavailable", "not now"));
    let (error, took) = timed(|| Bench::at(&server).error());
    assert!(
        error.starts_with("Error from server (ServiceUnavailable): not now"),
        "{error}"
    );
    assert_eq!(server.count(NODES), 3);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn one_kind_that_fails_is_a_gap_and_the_rest_is_read() {
    let cluster = Bench::at(&nodes(|_| no(503, "ServiceUnavailable", "not now")))
        .read()
        .unwrap();
    assert_eq!(gap(&cluster, Kind::Node), "ServiceUnavailable: not now");
    assert_eq!(cluster.daemon_sets.len(), 1);

    let cluster = Bench::at(&nodes(|_| Reply::Answer(502, vec![], "<html>".into())))
        .read()
        .unwrap();
    assert_eq!(
        gap(&cluster, Kind::Node),
        "BadGateway: the server answered 502 Bad Gateway"
    );

    let server = nodes(|_| Reply::Silence);
    let cluster = Bench::at(&server)
        .flags("--request-timeout=300ms")
        .read()
        .unwrap();
    assert_eq!(gap(&cluster, Kind::Node), "no answer within 300ms");
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = nodes(|asked| match asked.before {
        0 => busy(),
        1 => busy().with("Retry-After", "0"),
        _ => page(&[r#"{"metadata":{"name":"a"}}"#], ""),
    });
    let cluster = Bench::at(&server).read().unwrap();
    assert_eq!(node_names(&cluster), ["a"]);
    assert_eq!(server.count(NODES), 3);
}

#[test]
fn a_busy_server_is_left_alone_as_long_as_it_asks() {
    let server = nodes(|asked| match asked.before {
        0 => busy().with("Retry-After", "1"),
        _ => page(&[], ""),
    });
    let (cluster, took) = timed(|| Bench::at(&server).read().unwrap());
    assert!(cluster.has_seen(Kind::Node));
    assert!(took >= Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_server_that_asks_for_more_time_than_there_is_is_not_asked_again() {
    let server = nodes(|_| busy().with("Retry-After", "30"));
    let bench = Bench::at(&server).flags("--request-timeout=500ms");
    let (cluster, took) = timed(|| bench.read().unwrap());
    assert_eq!(gap(&cluster, Kind::Node), "TooManyRequests: try later");
    assert_eq!(server.count(NODES), 1);
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_silent_server_does_not_keep_us_longer_than_asked() {
    for reply in [|| Reply::Silence, || Reply::HalfAnswer] {
        let server = Server::start(move |_| reply());
        let bench = Bench::at(&server).flags("--request-timeout=300ms");
        let (error, took) = timed(|| bench.error());
        assert_eq!(
            error,
            "Unable to connect to the server: no answer within 300ms | give it longer with --request-timeout"
        );
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    let server = nodes(|asked| match asked.before {
        0 => Reply::HangUp,
        1 => Reply::CutOff,
        _ => page(&[], ""),
    });
    assert!(Bench::at(&server).read().unwrap().has_seen(Kind::Node));

    let error = Bench::at(&Server::start(|_| Reply::HangUp)).error();
    assert!(
        error.starts_with("Unable to connect to the server: "),
        "{error}"
    );
}

#[test]
fn whoever_is_not_logged_in_is_told_so_at_once() {
    let server = Server::start(|_| no(401, "Unauthorized", "Unauthorized"));
    let error = Bench::at(&server).read().unwrap_err();
    assert_eq!(
        error.line(),
        "error: You must be logged in to the server (Unauthorized)"
    );
    assert_eq!(error.exit_code(), 3);
    assert_eq!(server.count(NODES), 1);
}

#[test]
fn a_refused_connection_is_said_in_kubectls_words() {
    let host = deaf_port();
    let error = Bench::empty().flag("--server").flag(&host).error();
    let want = format!(
        "The connection to the server {host} was refused - did you specify the right host or port? | \
         is the context right? kubectl config current-context"
    );
    assert_eq!(error, want);
}

#[test]
fn a_name_that_cannot_be_resolved_is_said_in_kubectls_words() {
    // Too long a label for any name server to be asked.
    let host = "a".repeat(64);
    let error = Bench::empty()
        .flag("--server")
        .flag(&format!("http://{host}"))
        .error();
    let want = format!("Unable to connect to the server: dial tcp: lookup {host}: no such host | ");
    assert_eq!(error, want);
}

#[test]
fn what_is_no_api_server_is_called_so() {
    let error = Bench::at(&Server::start(|_| ok("<html>log in here</html>"))).error();
    assert!(
        error.starts_with(
            "error: the answer is not that of a Kubernetes API server: expected value"
        ),
        "{error}"
    );
    let error = Bench::at(&Server::start(|_| {
        Reply::Answer(404, vec![], "<html>".into())
    }))
    .error();
    assert!(
        error.starts_with("Error from server (NotFound): the server answered 404 Not Found"),
        "{error}"
    );
}

#[test]
fn a_proxy_of_the_kubeconfig_leads_to_the_server() {
    let proxy = Server::start(|asked| match asked.line.starts_with("CONNECT") {
        true => Reply::Answer(200, vec![], String::new()),
        false => small_cluster(asked),
    });
    let config = format!(
        "server: 'http://api.example.com', proxy-url: 'http://{}'",
        proxy.host
    );
    let cluster = Bench::with_config(&config, "").read().unwrap();
    assert_eq!(node_names(&cluster), ["node-1"]);
    assert_eq!(proxy.asked()[0].line, "CONNECT api.example.com:80 HTTP/1.1");
}

#[test]
fn a_proxy_that_does_not_lead_there_is_named() {
    let refusing = Server::start(|_| Reply::Answer(403, vec![], String::new()));
    let asking = Server::start(|_| Reply::Answer(407, vec![], String::new()));
    let deaf = deaf_port();
    for (proxy, why) in [
        (&refusing.host, "it refused to connect to api.example.com"),
        (&asking.host, "proxy authorization required"),
        (&deaf, "Connection refused"),
    ] {
        let url = format!("http://{proxy}");
        let bench = Bench::empty()
            .flags("-s https://api.example.com --proxy-url")
            .flag(&url);
        let error = bench.error();
        let want = format!("Unable to connect to the server: proxy {proxy}: {why}");
        assert!(error.starts_with(&want), "{error}");
        assert!(error.contains("NO_PROXY"), "{error}");
    }
}

#[test]
fn a_kind_of_proxy_that_kubectl_refuses_is_refused_in_its_words() {
    let error = Bench::with_config("server: 'https://api', proxy-url: 'socks5h://x:1'", "").error();
    assert_eq!(
        error,
        "error: invalid 'proxy-url' \"socks5h://x:1\" for cluster \"lab\": unsupported scheme \"socks5h\", \
         must be http, https, or socks5 | "
    );
}

#[test]
fn the_environments_proxy_is_for_https_and_never_for_this_machine() {
    let server = Server::start(small_cluster);
    let mut bench = Bench::at(&server);
    bench.environment.https_proxy = Some(format!("http://{}", deaf_port()));
    bench.environment.no_proxy = Some("a.b,".to_owned());
    assert!(bench.read().is_ok());
    bench.environment.http_proxy = bench.environment.https_proxy.clone();
    assert!(bench.read().is_ok());
}
