//! Basic authentication and tokens: asked for once, shown from then on, and never shown to the wrong one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpu_cli::registry::{CredentialFile, look_up};
use gpu_core::drivertag::existence::Existence;

use crate::bench::{ask, check, options, question, with_config, with_login};
use crate::mock::{Asked, Mock, Reply, json, manifest, no};

/// A registry that takes these tokens, and names `realm`.
fn guarded(realm: String, takes: impl Fn(&str) -> bool + Send + Sync + 'static) -> Mock {
    Mock::start(move |it| {
        let shown = it
            .header("authorization")
            .strip_prefix("Bearer ")
            .unwrap_or_default();
        if takes(shown) {
            return manifest();
        }
        let wants = format!(
            r#"Bearer realm="{realm}",service="registry.test",scope="repository:nvidia/driver:pull""#
        );
        no(401, "UNAUTHORIZED", "authentication required").with("WWW-Authenticate", wants)
    })
}

fn service(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> (Mock, String) {
    let mock = Mock::start(script);
    let realm = format!("http://{}/token?from=test", mock.host);
    (mock, realm)
}

#[test]
fn one_token_serves_all_images_of_a_repository() {
    let (tokens, realm) = service(|_| json(200, r#"{"token":"tok-1","expires_in":60}"#));
    let mock = guarded(realm, |it| it == "tok-1");
    let questions: Vec<_> = (0..12)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    assert_eq!(
        look_up(&questions, &options()),
        vec![Existence::Present; 12]
    );
    assert_eq!(
        tokens.lines(),
        ["GET /token?from=test&scope=repository%3Anvidia%2Fdriver%3Apull&service=registry%2Etest"]
    );
    assert_eq!(tokens.asked()[0].header("authorization"), "");
    // One to hear what has to be shown, then one an image.
    assert_eq!(mock.asked().len(), 13);
}

#[test]
fn a_login_is_shown_to_the_token_service_and_not_to_the_registry() {
    let (tokens, realm) = service(|it| match it.header("authorization") {
        // me:pass-word
        "Basic bWU6cGFzcy13b3Jk" => json(200, r#"{"access_token":"tok-2"}"#),
        _ => json(401, r#"{"details":"incorrect username or password"}"#),
    });
    let mock = guarded(realm.clone(), |it| it == "tok-2");
    assert_eq!(
        ask(&mock.host, &with_login(&mock.host, "me", "pass-word")),
        Existence::Present
    );
    assert!(
        mock.asked()
            .iter()
            .all(|it| !it.header("authorization").starts_with("Basic"))
    );
    // A wrong one is shown once, however many images there are: accounts are locked for less.
    let before = tokens.asked().len();
    let questions: Vec<_> = (0..12)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    let answers = look_up(&questions, &with_login(&mock.host, "me", "wrong-word"));
    for it in &answers {
        check(
            it,
            "denied",
            "gives no token: 401 Unauthorized (incorrect username or password)",
        );
        check(it, "denied", "with the credentials of ");
    }
    assert_eq!(tokens.asked().len() - before, 1);
}

#[test]
fn an_identity_token_is_exchanged_by_a_form() {
    let (tokens, realm) = service(|it| match it.method.as_str() {
        "POST" => json(200, r#"{"access_token":"tok-3"}"#),
        _ => json(401, ""),
    });
    let mock = guarded(realm, |it| it == "tok-3");
    let config = format!(
        r#"{{"auths":{{"{}":{{"identitytoken":"id/token"}}}}}}"#,
        mock.host
    );
    assert_eq!(ask(&mock.host, &with_config(&config)), Existence::Present);
    let form = &tokens.asked()[0].body;
    assert!(form.starts_with("grant_type=refresh_token&"), "{form}");
    assert!(form.ends_with("&refresh_token=id%2Ftoken"), "{form}");
    assert!(
        form.contains("&scope=repository%3Anvidia%2Fdriver%3Apull"),
        "{form}"
    );
}

#[test]
fn a_registry_token_is_shown_as_it_is() {
    let (tokens, realm) = service(|_| json(500, ""));
    let mock = guarded(realm, |it| it == "given");
    let config = format!(
        r#"{{"auths":{{"{}":{{"registrytoken":"given"}}}}}}"#,
        mock.host
    );
    assert_eq!(ask(&mock.host, &with_config(&config)), Existence::Present);
    assert!(tokens.asked().is_empty());
}

#[test]
fn a_token_that_has_expired_is_renewed() {
    let n_given = AtomicUsize::new(0);
    let (tokens, realm) = service(move |_| {
        let at = n_given.fetch_add(1, Ordering::Relaxed);
        json(200, format!(r#"{{"token":"tok-{at}"}}"#))
    });
    let n_shown = AtomicUsize::new(0);
    // The first token opens three times.
    let mock = guarded(realm, move |it| match it {
        "tok-0" => n_shown.fetch_add(1, Ordering::Relaxed) < 3,
        "tok-1" => true,
        _ => false,
    });
    let questions: Vec<_> = (0..9)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    assert_eq!(look_up(&questions, &options()), vec![Existence::Present; 9]);
    assert_eq!(tokens.asked().len(), 2);
}

#[test]
fn a_token_that_never_opens_ends_in_a_refusal() {
    let (tokens, realm) = service(|_| json(200, r#"{"token":"useless"}"#));
    let mock = guarded(realm, |_| false);
    check(
        &ask(&mock.host, &options()),
        "denied",
        "asked anonymously, no credentials found",
    );
    assert_eq!(tokens.asked().len(), 1);
}

#[test]
fn token_services_that_are_none_are_said_to_be() {
    for (reply, want) in [
        ((|| json(200, "<html>")) as fn() -> Reply, "is no token"),
        (|| json(200, "{}"), "is no token"),
        (|| json(503, ""), "answered 503 Service Unavailable"),
        (|| Reply::HangUp, "broke off"),
    ] {
        let (_tokens, realm) = service(move |_| reply());
        let mock = guarded(realm, |_| false);
        check(&ask(&mock.host, &options()), "unreachable", want);
    }
    for (realm, want) in [
        ("http://auth.example/token", "is not reached by TLS"),
        ("https://me:pw@auth.example/token", "holds a login"),
        ("auth.example", "no address"),
        ("/token", "no host"),
    ] {
        let mock = guarded(realm.to_owned(), |_| false);
        let got = ask(&mock.host, &options());
        assert_eq!(got.name(), "unreachable", "{realm}");
        let said = crate::bench::words(&got);
        assert!(said.contains(want) || realm == "auth.example", "{said}");
    }
}

#[test]
fn every_fitting_credential_is_tried_and_then_no_more() {
    let opens = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opens);
    let mock = Mock::start(move |it| match it.header("authorization") {
        // b:good
        "Basic Yjpnb29k" => manifest(),
        "" => no(401, "UNAUTHORIZED", "").with("WWW-Authenticate", "Basic realm=\"r\""),
        _ => {
            count.fetch_add(1, Ordering::Relaxed);
            no(401, "UNAUTHORIZED", "").with("WWW-Authenticate", "Basic realm=\"r\"")
        }
    });
    let secret = |name: &str, password: &str| {
        let text = format!(
            r#"{{"auths":{{"{}":{{"username":"b","password":"{password}"}}}}}}"#,
            mock.host
        );
        CredentialFile::of_secret(name, text.as_bytes()).unwrap()
    };
    let mut options = options();
    options.credentials = vec![secret("gpu/old", "stale"), secret("gpu/new", "good")];
    let questions: Vec<_> = (0..5)
        .map(|it| question(&mock.host, &it.to_string(), &[]))
        .collect();
    assert_eq!(look_up(&questions, &options), vec![Existence::Present; 5]);
    assert_eq!(opens.load(Ordering::Relaxed), 1);
    options.credentials.pop();
    let answers = look_up(&questions, &options);
    answers
        .iter()
        .for_each(|it| check(it, "denied", "with the credentials of gpu/old"));
    assert_eq!(opens.load(Ordering::Relaxed), 2);
}

#[test]
fn asked_for_nothing_known_it_is_a_refusal() {
    for challenge in ["Negotiate", "Bearer service=x", ""] {
        let mock =
            Mock::start(move |_| no(401, "UNAUTHORIZED", "no").with("WWW-Authenticate", challenge));
        check(&ask(&mock.host, &options()), "denied", "401 Unauthorized");
    }
}
