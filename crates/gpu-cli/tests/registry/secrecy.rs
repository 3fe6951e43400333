//! The password is nowhere but on the wire, not even where a registry sends it back.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gpu_cli::registry::{CredentialFile, Log, list_tags, look_up};

use crate::bench::{image, options, question, with_login};
use crate::mock::{Asked, Mock, Reply, json, no};

const PASSWORD: &str = "hunter2-Zx9";

/// Sends back everything that it was sent, in every place there is.
fn parrot(it: &Asked, realm: &str) -> Reply {
    let shown = it.header("authorization");
    let login = shown.strip_prefix("Basic ").unwrap_or_default();
    let plain = STANDARD
        .decode(login)
        .map(|it| String::from_utf8(it).unwrap())
        .unwrap_or_default();
    let said = format!("{shown} {plain} {}", it.body);
    match it.path() {
        "/token" if it.query("why").is_empty() => json(200, r#"{"token":"granted-hunter2"}"#),
        "/token" => json(401, format!(r#"{{"details":"{said}"}}"#)),
        path if path.contains("403") => no(403, "DENIED", &said),
        path if path.contains("404") => no(404, &said, &said),
        path if path.contains("500") => no(500, "UNKNOWN", &said),
        path if path.contains("429") => no(429, &said, &said).with("Retry-After", "9999"),
        _ => no(401, "UNAUTHORIZED", &said).with("WWW-Authenticate", realm),
    }
}

#[test]
fn a_password_is_in_no_answer_no_log_and_no_debug() {
    let said = Arc::new(Mutex::new(String::new()));
    for challenge in [
        "Basic realm=x",
        "Bearer realm=\"http://HOST/token\"",
        "Bearer realm=\"http://HOST/token?why=no\"",
    ] {
        let mock = Mock::start(move |it| {
            let realm = challenge.replace("HOST", it.header("host"));
            match it.header("authorization").is_empty() && it.path() != "/token" {
                true => no(401, "UNAUTHORIZED", "").with("WWW-Authenticate", realm),
                false => parrot(it, &realm),
            }
        });
        let mut options = with_login(&mock.host, "me", PASSWORD);
        let identity = format!(
            r#"{{"auths":{{"{}":{{"identitytoken":"{PASSWORD}"}}}}}}"#,
            mock.host
        );
        options
            .credentials
            .push(CredentialFile::of_secret("gpu/pull", identity.as_bytes()).unwrap());
        let log = Arc::clone(&said);
        options.log = Log::to(move |line| log.lock().unwrap().push_str(&format!("{line}\n")));
        // Each by itself: the first refusal would answer for all.
        let ask = |it: &str| look_up(&[question(&mock.host, it, &["arm64"])], &options).remove(0);
        let answers = ["401", "403", "404", "500", "429"].map(ask);
        assert!(
            answers
                .iter()
                .all(|it| it.name() != "present" && it.name() != "absent"),
            "{answers:?}"
        );
        let tags = list_tags(&image(&mock.host, "nvidia/driver", "x"), &options);
        said.lock()
            .unwrap()
            .push_str(&format!("{answers:?} {tags:?} {options:?}\n"));
        // It was sent: the test tests something.
        let login = STANDARD.encode(format!("me:{PASSWORD}"));
        assert!(
            mock.asked()
                .iter()
                .any(|it| it.header("authorization").ends_with(&login))
        );
    }
    let said = said.lock().unwrap();
    assert!(
        said.contains("GET http://127.0.0.1") && said.contains("DENIED"),
        "{said}"
    );
    let login = STANDARD.encode(format!("me:{PASSWORD}"));
    let in_form = PASSWORD.replace('-', "%2D");
    for secret in [PASSWORD, &in_form, "granted-hunter2", &login] {
        assert!(!said.contains(secret), "{said}\n\n{secret} is in it");
    }
}

#[test]
fn the_log_has_no_queries() {
    let said = Arc::new(Mutex::new(String::new()));
    let mock = Mock::start(|_| json(302, "").with("Location", "/x?X-Amz-Signature=abc"));
    let mut options = options();
    let log = Arc::clone(&said);
    options.log = Log::to(move |line| log.lock().unwrap().push_str(line));
    look_up(&[question(&mock.host, "1", &[])], &options);
    let said = said.lock().unwrap();
    assert!(said.contains("/x 302 Found in "), "{said}");
    assert!(!said.contains("abc"), "{said}");
}
