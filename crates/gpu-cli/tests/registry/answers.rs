//! What a registry answers about one image, and what that means.

use std::time::Duration;

use gpu_cli::registry::{Mirror, look_up};
use gpu_core::drivertag::existence::{Existence, Question, Reference};

use crate::bench::{ask, ask_for, check, image, options, question};
use crate::mock::{Asked, Mock, Reply, config_digest, deaf_port, json, list, manifest, no};

const MANIFEST: &str = "/v2/nvidia/driver/manifests/1";

#[test]
fn an_image_for_amd64_takes_one_head() {
    let mock = Mock::start(|_| manifest());
    assert_eq!(ask(&mock.host, &options()), Existence::Present);
    assert_eq!(mock.lines(), [format!("HEAD {MANIFEST}")]);
    let asked = &mock.asked()[0];
    assert!(
        asked
            .header("user-agent")
            .starts_with("kubectl-gpu_drivertag/0.0.1 (")
    );
    for kind in [
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    ] {
        assert!(asked.header("accept").contains(kind), "{kind}");
    }
}

type Case = (fn() -> Reply, &'static str);

#[test]
fn only_a_registrys_own_404_says_absent() {
    let html = || Reply::Answer(404, Vec::new(), "<html>".into()).with("Content-Type", "text/html");
    let api = "Docker-Distribution-Api-Version";
    let cases: [Case; 9] = [
        (|| no(404, "MANIFEST_UNKNOWN", "manifest unknown"), "absent"),
        (|| no(404, "NAME_UNKNOWN", "repository unknown"), "absent"),
        (|| no(404, "NOT_FOUND", "artifact not found"), "absent"),
        (
            || {
                Reply::Answer(404, Vec::new(), String::new())
                    .with("Docker-Distribution-Api-Version", "registry/2.0")
            },
            "absent",
        ),
        (|| no(404, "DENIED", "not yours"), "denied"),
        (|| no(404, "PAGE_UNKNOWN", "x"), "unreachable"),
        (|| json(404, "{}"), "unreachable"),
        (
            || Reply::Answer(404, Vec::new(), String::new()),
            "unreachable",
        ),
        (
            || Reply::Answer(404, Vec::new(), "404 page not found".into()),
            "unreachable",
        ),
    ];
    for (at, (reply, want)) in cases.into_iter().enumerate() {
        let mock = Mock::start(move |_| reply());
        assert_eq!(ask(&mock.host, &options()).name(), want, "case {at}");
    }
    let mock = Mock::start(move |_| html().with(api, "registry/2.0"));
    check(
        &ask(&mock.host, &options()),
        "unreachable",
        "is not a registry: a web page (404)",
    );
}

#[test]
fn what_answers_200_and_is_no_manifest_is_no_registry() {
    for (kind, body, want) in [
        ("text/html", "<html>log in</html>", "a web page (200)"),
        (
            "application/json",
            "{}",
            "something else than a registry's answer",
        ),
        (
            "text/plain",
            "ok",
            "something else than a registry's answer",
        ),
    ] {
        let reply =
            move |_: &Asked| Reply::Answer(200, Vec::new(), body.into()).with("Content-Type", kind);
        check(
            &ask(&Mock::start(reply).host, &options()),
            "unreachable",
            want,
        );
    }
}

#[test]
fn a_manifest_under_a_wrong_content_type_is_looked_at() {
    let mock = Mock::start(|_| json(200, r#"{"schemaVersion":2,"manifests":[]}"#));
    assert_eq!(ask(&mock.host, &options()), Existence::Present);
    let verbs: Vec<_> = mock.asked().iter().map(|it| it.method.clone()).collect();
    assert_eq!(verbs, ["HEAD", "GET"]);
    // A digest says as much as a type.
    let mock = Mock::start(|_| json(200, "").with("Docker-Content-Digest", "sha256:1"));
    assert_eq!(ask(&mock.host, &options()), Existence::Present);
    assert_eq!(mock.asked().len(), 1);
}

#[test]
fn registries_without_head_are_asked_with_get() {
    for status in [400, 405, 501, 404] {
        let mock = Mock::start(move |it| match it.method.as_str() {
            "HEAD" => Reply::Answer(status, Vec::new(), String::new()),
            _ => manifest(),
        });
        assert_eq!(ask(&mock.host, &options()), Existence::Present, "{status}");
    }
}

#[test]
fn a_list_is_looked_at_for_arm64_nodes() {
    let mock = Mock::start(|_| list(&["amd64", "arm64"]));
    assert_eq!(
        ask_for(&mock.host, &["amd64", "arm64"], &options()),
        Existence::Present
    );
    assert_eq!(mock.lines(), [format!("GET {MANIFEST}")]);
    let mock = Mock::start(|_| list(&["amd64"]));
    let lacks = |all: &[&str]| {
        Existence::WrongArchitecture(all.iter().map(|it| (*it).to_owned()).collect())
    };
    assert_eq!(
        ask_for(&mock.host, &["arm64"], &options()),
        lacks(&["arm64"])
    );
    // One look serves all questions about an image; each gets its own answer.
    let questions = [
        question(&mock.host, "2", &["amd64"]),
        question(&mock.host, "2", &["arm64", "amd64"]),
        question(&mock.host, "2", &[]),
    ];
    let answers = look_up(&questions, &options());
    assert_eq!(
        answers,
        [Existence::Present, lacks(&["arm64"]), Existence::Present]
    );
    assert_eq!(mock.asked().len(), 2);
}

#[test]
fn a_single_image_tells_its_architecture_in_its_configuration() {
    let mock = Mock::start(|it| match it.path() {
        MANIFEST => manifest(),
        _ => json(200, r#"{"architecture":"arm64","os":"linux"}"#),
    });
    assert_eq!(
        ask_for(&mock.host, &["arm64"], &options()),
        Existence::Present
    );
    let blob = format!("GET /v2/nvidia/driver/blobs/{}", config_digest());
    assert_eq!(mock.lines(), [format!("GET {MANIFEST}"), blob]);
    let amd = ask_for(&mock.host, &["amd64", "arm64"], &options());
    assert_eq!(amd, Existence::WrongArchitecture(vec!["amd64".to_owned()]));
    let mock = Mock::start(|it| match it.path() {
        MANIFEST => manifest(),
        _ => no(404, "BLOB_UNKNOWN", "gone"),
    });
    let untold = ask_for(&mock.host, &["arm64"], &options());
    check(
        &untold,
        "unreachable",
        "its architecture cannot be read: 404 Not Found (BLOB_UNKNOWN: gone)",
    );
}

#[test]
fn refusals_and_breakdowns_are_not_absence() {
    let mock = Mock::start(|_| no(403, "DENIED", "requested access is denied"));
    check(
        &ask(&mock.host, &options()),
        "denied",
        "403 Forbidden (DENIED: requested access is denied)",
    );
    let mock = Mock::start(|_| no(500, "UNKNOWN", "disk full"));
    check(
        &ask(&mock.host, &options()),
        "unreachable",
        "500 Internal Server Error",
    );
    let mock = Mock::start(|_| Reply::HangUp);
    check(
        &ask(&mock.host, &options()),
        "unreachable",
        "broke off the connection",
    );
    let mock = Mock::start(|it| match it.method.as_str() {
        "HEAD" => json(404, ""),
        _ => Reply::CutOff,
    });
    check(
        &ask(&mock.host, &options()),
        "unreachable",
        "broke off the connection",
    );
    check(
        &ask(&deaf_port(), &options()),
        "unreachable",
        "connection refused",
    );
    check(
        &ask("registry.invalid", &options()),
        "unreachable",
        "registry.invalid",
    );
}

#[test]
fn a_connection_that_breaks_off_once_is_tried_again() {
    let mock = Mock::start(|it| match it.before {
        0 => Reply::HangUp,
        _ => manifest(),
    });
    assert_eq!(ask(&mock.host, &options()), Existence::Present);
}

#[test]
fn redirects_are_followed_and_credentials_stay_behind() {
    let store = Mock::start(|_| json(200, r#"{"architecture":"arm64"}"#));
    let away = format!("http://{}/blob?X-Signature=s", store.host);
    let mock = Mock::start(move |it| match it.path() {
        _ if it.header("authorization").is_empty() => {
            no(401, "UNAUTHORIZED", "who?").with("WWW-Authenticate", "Basic realm=x")
        }
        MANIFEST => json(307, "").with("Location", "/v2/other/manifests/1"),
        "/v2/other/manifests/1" => manifest(),
        _ => json(302, "").with("Location", away.clone()),
    });
    let options = crate::bench::with_login(&mock.host, "me", "secret");
    assert_eq!(
        ask_for(&mock.host, &["arm64"], &options),
        Existence::Present
    );
    assert_eq!(store.lines(), ["GET /blob?X-Signature=s"]);
    assert_eq!(store.asked()[0].header("authorization"), "");
    let mock = Mock::start(|it| json(301, "").with("Location", it.target.clone()));
    check(
        &ask(&mock.host, &options),
        "unreachable",
        "around in circles",
    );
    let mock = Mock::start(|_| json(302, "").with("Location", "http://plain.example/"));
    check(&ask(&mock.host, &options), "unreachable", "plain.example");
}

#[test]
fn twelve_images_are_asked_about_once_each_and_eight_at_a_time() {
    let mock = Mock::start(|_| Reply::Slow(Duration::from_millis(60), Box::new(manifest())));
    let tags: Vec<_> = (0..12).map(|it| it.to_string()).collect();
    let mut questions: Vec<_> = tags
        .iter()
        .map(|it| question(&mock.host, it, &["amd64"]))
        .collect();
    questions.extend(questions.clone());
    let answers = look_up(&questions, &options());
    assert_eq!(answers, vec![Existence::Present; 24]);
    let mut lines = mock.lines();
    lines.sort();
    lines.dedup();
    assert_eq!((lines.len(), mock.asked().len()), (12, 12));
    assert!((2..=8).contains(&mock.busiest()), "{}", mock.busiest());
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let mock = Mock::start(|it| match it.path().ends_with("/there") {
        true => Reply::Slow(Duration::from_millis(50), Box::new(manifest())),
        false => no(404, "MANIFEST_UNKNOWN", ""),
    });
    let questions = ["there", "not", "there", "neither"].map(|it| question(&mock.host, it, &[]));
    let names: Vec<_> = look_up(&questions, &options())
        .iter()
        .map(Existence::name)
        .collect();
    assert_eq!(names, ["present", "absent", "present", "absent"]);
    assert!(look_up(&[], &options()).is_empty());
}

#[test]
fn a_mirror_is_asked_in_place_of_the_registry() {
    let mock = Mock::start(|_| manifest());
    let mut options = options();
    options.mirror = Some(Mirror::parse(&format!("{}/nvcr", mock.host)).unwrap());
    let digest = format!("sha256:{}", "a".repeat(64));
    let mut pinned = image("nvcr.io", "nvidia/driver", "");
    pinned.reference = Reference::Digest(digest.clone());
    let questions = [
        question("nvcr.io", "1", &[]),
        Question {
            image: pinned,
            architectures: Vec::new(),
        },
    ];
    assert_eq!(
        look_up(&questions, &options),
        [Existence::Present, Existence::Present]
    );
    let mut lines = mock.lines();
    lines.sort();
    assert_eq!(
        lines,
        [
            "HEAD /v2/nvcr/nvidia/driver/manifests/1".to_owned(),
            format!("HEAD /v2/nvcr/nvidia/driver/manifests/{digest}"),
        ]
    );
}

#[test]
fn what_cannot_be_asked_is_not_absent_and_not_asked() {
    let mock = Mock::start(|_| manifest());
    for tag in ["580+x", "", "a/../b", "x?y"] {
        let answers = look_up(&[question(&mock.host, tag, &[])], &options());
        check(&answers[0], "unreachable", "is not a legal tag");
    }
    assert!(mock.asked().is_empty());
}
