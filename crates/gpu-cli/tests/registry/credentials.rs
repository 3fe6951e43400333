//! Where credentials come from: files of docker and podman, helpers on PATH, and the flags that choose.

use std::path::PathBuf;

use gpu_cli::args::{Access, RequestTimeout};
use gpu_cli::registry::{Options, RegistryArgs, Surroundings, look_up};
use gpu_core::drivertag::existence::{Existence, Question};

use crate::bench::{PROGRAM, file, image, options, question};
use crate::mock::{Mock, manifest, no};

/// A registry that asks for a login and takes any.
fn basic() -> Mock {
    Mock::start(|it| match it.header("authorization") {
        "" => no(401, "UNAUTHORIZED", "").with("WWW-Authenticate", "Basic realm=r"),
        _ => manifest(),
    })
}

/// The logins that were shown, decoded.
fn shown(mock: &Mock) -> Vec<String> {
    use base64::Engine;
    let decode = |it: &str| {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(it)
            .unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let asked = mock.asked();
    let logins = asked
        .iter()
        .filter_map(|it| it.header("authorization").strip_prefix("Basic "));
    logins.map(decode).collect()
}

fn read(args: RegistryArgs, surroundings: Surroundings) -> Result<Options, gpu_cli::Error> {
    args.options(&Access::default(), PROGRAM, surroundings, Vec::new())
}

fn login(host: &str, user: &str) -> String {
    format!(r#"{{"auths":{{"{host}":{{"username":"{user}","password":"pw-{user}"}}}}}}"#)
}

#[test]
fn the_usual_files_are_found_in_the_order_of_crane() {
    let mock = basic();
    let put = |name: &str, user: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, login(&mock.host, user)).unwrap();
        folder
    };
    let docker = put("config.json", "docker");
    let home = put(".docker/config.json", "home");
    let run = put("containers/auth.json", "run");
    let (_auth, auth_file) = file("auth.json", &login(&mock.host, "auth"));
    let path = |it: &tempfile::TempDir| Some(it.path().to_owned());
    let mut surroundings = Surroundings {
        docker_config: path(&docker),
        home: path(&home),
        auth_file: Some(auth_file),
        runtime_dir: path(&run),
        ..Surroundings::default()
    };
    let ask = |surroundings: &Surroundings| {
        let options = read(RegistryArgs::default(), surroundings.clone()).unwrap();
        let answers = look_up(&[question(&mock.host, "1", &[])], &options);
        assert_eq!(answers, [Existence::Present]);
        shown(&mock).pop().unwrap()
    };
    assert_eq!(ask(&surroundings), "docker:pw-docker");
    surroundings.docker_config = None;
    assert_eq!(ask(&surroundings), "home:pw-home");
    surroundings.home = Some(PathBuf::from("/nowhere"));
    assert_eq!(ask(&surroundings), "auth:pw-auth");
    surroundings.auth_file = None;
    assert_eq!(ask(&surroundings), "run:pw-run");
}

#[test]
fn a_file_that_is_named_counts_alone_and_its_longest_path_wins() {
    let mock = basic();
    let host = &mock.host;
    let entry = |it: &str| format!(r#"{{"username":"{it}","password":"p"}}"#);
    let text = format!(
        r#"{{"auths":{{"{host}":{},"{host}/nvidia":{},"{host}/nvidia/driver":{}}}}}"#,
        entry("host"),
        entry("team"),
        entry("driver")
    );
    let (_folder, path) = file("auth.json", &text);
    let (home, usual) = file("config.json", &login(host, "usual"));
    let surroundings = Surroundings {
        docker_config: usual.parent().map(PathBuf::from),
        ..Surroundings::default()
    };
    let args = RegistryArgs {
        registry_config: Some(path.display().to_string()),
        ..RegistryArgs::default()
    };
    let options = read(args, surroundings).unwrap();
    drop(home);
    for (repository, want) in [
        ("nvidia/driver", "driver:p"),
        ("nvidia/driver-x", "team:p"),
        ("other/x", "host:p"),
    ] {
        let asked = Question {
            image: image(host, repository, "1"),
            architectures: Vec::new(),
        };
        assert_eq!(look_up(&[asked], &options), [Existence::Present]);
        assert_eq!(shown(&mock).pop().unwrap(), want, "{repository}");
    }
}

#[test]
fn flags_that_cannot_be_used_are_usage_errors() {
    let named = |it: &str| Some(it.to_owned());
    let (_folder, text) = file("x", "hunter2");
    let text = text.display().to_string();
    for (args, want) in [
        (
            RegistryArgs {
                registry: named("mirror"),
                ..RegistryArgs::default()
            },
            "--registry: it has to start with",
        ),
        (
            RegistryArgs {
                registry_config: named("/nowhere/x"),
                ..RegistryArgs::default()
            },
            "--registry-config: cannot read /nowhere/x",
        ),
        (
            RegistryArgs {
                registry_config: named(&text),
                ..RegistryArgs::default()
            },
            "is no file of registry credentials (line 1",
        ),
        (
            RegistryArgs {
                registry_ca: named(&text),
                ..RegistryArgs::default()
            },
            "holds no certificates",
        ),
    ] {
        let error = read(args, Surroundings::default()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.line().contains(want), "{}", error.line());
        assert!(!error.line().contains("hunter2"));
    }
}

#[test]
fn flags_become_options() {
    use clap::Parser;
    #[derive(Debug, Parser)]
    struct Plugin {
        nodes: Vec<String>,
        #[command(flatten)]
        registry: RegistryArgs,
    }
    let parse = |line: &str| Plugin::try_parse_from(line.split(' '));
    let it = parse("x --registry node-1").unwrap();
    assert_eq!(
        (it.registry.registry.as_deref(), it.nodes.len()),
        (Some(""), 1)
    );
    let it = parse("x --registry=h.example/p --registry-insecure --list").unwrap();
    assert_eq!(it.registry.registry.as_deref(), Some("h.example/p"));
    assert_eq!(parse("x").unwrap().registry.registry, None);
    assert!(parse("x --list").is_err());
    let access = Access {
        request_timeout: RequestTimeout(None),
        ..Access::default()
    };
    let it = it
        .registry
        .options(&access, PROGRAM, Surroundings::default(), Vec::new())
        .unwrap();
    assert!(it.mirror.is_some() && it.insecure && it.timeout.is_none());
}

#[cfg(unix)]
#[test]
fn a_helper_is_a_program_on_path_and_runs_once() {
    let mock = basic();
    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nread -r server\necho \"$1 $server\" >> \"$0.log\"\n\
                  echo '{\"ServerURL\":\"x\",\"Username\":\"helped\",\"Secret\":\"by-a-program\"}'\n";
    crate::bench::program(folder.path(), "docker-credential-test", script);
    let mut options = crate::bench::with_config(&format!(
        r#"{{"credHelpers":{{"{}":"test"}},"auths":{{"{}":{{"auth":"eDp5"}}}}}}"#,
        mock.host, mock.host
    ));
    options.surroundings.path = Some(path_with(folder.path()));
    let questions = ["a", "b"].map(|it| Question {
        image: image(&mock.host, it, "1"),
        architectures: Vec::new(),
    });
    assert_eq!(
        look_up(&questions, &options),
        [Existence::Present, Existence::Present]
    );
    assert!(shown(&mock).iter().all(|it| it == "helped:by-a-program"));
    let log = std::fs::read_to_string(folder.path().join("docker-credential-test.log")).unwrap();
    assert_eq!(log, format!("get {}\n", mock.host));
}

#[cfg(unix)]
#[test]
fn a_store_is_asked_where_the_file_has_nothing() {
    let mock = basic();
    let folder = tempfile::tempdir().unwrap();
    let ok = "#!/bin/sh\ncat >/dev/null\necho '{\"Username\":\"stored\",\"Secret\":\"s3cret\"}'\n";
    crate::bench::program(folder.path(), "docker-credential-ok", ok);
    let nothing = "#!/bin/sh\necho credentials not found in native keychain\nexit 1\n";
    crate::bench::program(folder.path(), "docker-credential-nothing", nothing);
    let broken = "#!/bin/sh\necho s3cret\necho s3cret >&2\nexit 3\n";
    crate::bench::program(folder.path(), "docker-credential-broken", broken);
    let garbage = "#!/bin/sh\necho s3cret\n";
    crate::bench::program(folder.path(), "docker-credential-garbage", garbage);
    for (name, want) in [
        ("ok", ""),
        ("nothing", "asked anonymously"),
        ("broken", "docker-credential-broken failed (exit status: 3)"),
        (
            "garbage",
            "what docker-credential-garbage printed is no credential",
        ),
        ("gone", "docker-credential-gone is not on PATH"),
    ] {
        let mut options = crate::bench::with_config(&format!(r#"{{"credsStore":"{name}"}}"#));
        options.surroundings.path = Some(path_with(folder.path()));
        let got = crate::bench::ask(&mock.host, &options);
        if want.is_empty() {
            assert_eq!(got, Existence::Present);
            assert_eq!(shown(&mock), ["stored:s3cret"]);
            continue;
        }
        crate::bench::check(&got, "denied", want);
        assert!(!format!("{got:?}").contains("s3cret"), "{got:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_helper_that_hangs_costs_no_more_than_the_time_of_a_question() {
    let mock = basic();
    let folder = tempfile::tempdir().unwrap();
    crate::bench::program(
        folder.path(),
        "docker-credential-slow",
        "#!/bin/sh\nexec sleep 60\n",
    );
    let mut options = crate::bench::with_config(r#"{"credsStore":"slow"}"#);
    options.surroundings.path = Some(path_with(folder.path()));
    options.timeout = Some(std::time::Duration::from_millis(500));
    let started = std::time::Instant::now();
    crate::bench::check(
        &crate::bench::ask(&mock.host, &options),
        "unreachable",
        "no answer within",
    );
    assert!(started.elapsed().as_secs() < 5);
}

#[cfg(unix)]
fn path_with(folder: &std::path::Path) -> std::ffi::OsString {
    let mut path = folder.as_os_str().to_owned();
    path.push(":/usr/bin:/bin");
    path
}

#[test]
fn without_credentials_it_is_anonymous_and_said_to_be() {
    let mock = basic();
    let got = crate::bench::ask(&mock.host, &options());
    crate::bench::check(&got, "denied", "asked anonymously, no credentials found");
}
