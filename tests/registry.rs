//! The registry client against a real registry on loopback: logins, TLS, architectures, and thousands of tags.
// Said once more for clippy, which knows tests by it.
#![cfg(test)]

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use gpu_cli::{
    Program,
    args::Access,
    registry::{Options, RegistryArgs, Surroundings, list_tags, look_up},
};
use gpu_core::drivertag::existence::{Existence, ImageRef, Question, Reference};
use lab::{Registry, RegistrySetup, registry_or_skip};

const PROGRAM: Program = Program {
    name: "kubectl-gpu_drivertag",
    version: "0.0.1",
};
const DRIVER: &str = "nvidia/driver";

/// A registry with a few images, in a folder of its own.
struct Bench {
    folder: tempfile::TempDir,
    registry: Registry,
}

impl Bench {
    /// Filled while it lets everybody in, then started again as the test wants it.
    fn start(setup: RegistrySetup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let filled = Registry::start(folder.path(), RegistrySetup::default()).unwrap();
        filled.put_image(DRIVER, "single-amd64", "amd64").unwrap();
        filled.put_image(DRIVER, "single-arm64", "arm64").unwrap();
        filled
            .put_list(DRIVER, "both", &["amd64", "arm64"])
            .unwrap();
        filled.put_list(DRIVER, "only-amd64", &["amd64"]).unwrap();
        drop(filled);
        let registry = Registry::start(folder.path(), setup).unwrap();
        Self { folder, registry }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn image(&self, tag: &str) -> ImageRef {
        image(&self.registry, tag)
    }

    fn ask(&self, tag: &str, architectures: &[&str], options: &Options) -> Existence {
        let question = Question {
            image: self.image(tag),
            architectures: architectures.iter().map(|it| (*it).to_owned()).collect(),
        };
        look_up(&[question], options).remove(0)
    }

    fn login(&self, password: &str) -> Options {
        let (user, _) = Registry::login();
        let host = self.registry.host();
        let path = self.file(
            "auth.json",
            &format!(
                r#"{{"auths":{{"{host}/nvidia":{{"username":"{user}","password":"{password}"}}}}}}"#
            ),
        );
        options(RegistryArgs {
            registry_config: Some(path.display().to_string()),
            ..RegistryArgs::default()
        })
    }
}

fn image(registry: &Registry, tag: &str) -> ImageRef {
    ImageRef {
        registry: registry.host(),
        repository: DRIVER.to_owned(),
        reference: Reference::Tag(tag.to_owned()),
    }
}

fn options(args: RegistryArgs) -> Options {
    args.options(
        &Access::default(),
        PROGRAM,
        Surroundings::default(),
        Vec::new(),
    )
    .unwrap()
}

fn anonymous() -> Options {
    options(RegistryArgs::default())
}

fn lacks(architecture: &str) -> Existence {
    Existence::WrongArchitecture(vec![architecture.to_owned()])
}

#[test]
fn what_is_there_is_told_from_what_is_not() {
    if registry_or_skip("what_is_there").is_none() {
        return;
    }
    let bench = Bench::start(RegistrySetup::default());
    for (tag, architectures, want) in [
        ("single-amd64", &["amd64"][..], Existence::Present),
        ("single-amd64", &["arm64"], lacks("arm64")),
        ("single-arm64", &["arm64"], Existence::Present),
        ("both", &["amd64", "arm64"], Existence::Present),
        ("only-amd64", &["amd64"], Existence::Present),
        ("only-amd64", &["amd64", "arm64"], lacks("arm64")),
        (
            "580-6.8.0-51-generic-ubuntu24.04",
            &["amd64"],
            Existence::Absent,
        ),
        (
            "580-6.8.0-51-generic-ubuntu24.04",
            &["arm64"],
            Existence::Absent,
        ),
    ] {
        let got = bench.ask(tag, architectures, &anonymous());
        assert_eq!(got, want, "{tag} {architectures:?}");
    }
    let mut elsewhere = bench.image("both");
    elsewhere.repository = "nobody/has-this".to_owned();
    assert_eq!(list_tags(&elsewhere, &anonymous()), Err(Existence::Absent));
    let question = Question {
        image: elsewhere,
        architectures: Vec::new(),
    };
    assert_eq!(look_up(&[question], &anonymous()), [Existence::Absent]);
}

#[test]
fn a_login_opens_a_registry_and_a_wrong_one_does_not() {
    if registry_or_skip("a_login").is_none() {
        return;
    }
    let bench = Bench::start(RegistrySetup {
        login: true,
        ..RegistrySetup::default()
    });
    let (_, password) = Registry::login();
    assert_eq!(
        bench.ask("both", &["arm64"], &bench.login(password)),
        Existence::Present
    );
    assert_eq!(
        bench.ask("none", &["amd64"], &bench.login(password)),
        Existence::Absent
    );
    for (options, want) in [
        (bench.login("wrong-Pa55word"), "with the credentials of "),
        (anonymous(), "asked anonymously, no credentials found"),
    ] {
        let Existence::Denied(why) = bench.ask("both", &["amd64"], &options) else {
            panic!("it was let in");
        };
        assert!(
            why.contains("401 Unauthorized") && why.contains(want),
            "{why}"
        );
        assert!(!why.contains("Pa55word"), "{why}");
        let listed = list_tags(&bench.image("both"), &options);
        assert!(matches!(listed, Err(Existence::Denied(_))), "{listed:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_helper_on_path_opens_a_registry() {
    use std::os::unix::fs::PermissionsExt;
    if registry_or_skip("a_helper").is_none() {
        return;
    }
    let bench = Bench::start(RegistrySetup {
        login: true,
        ..RegistrySetup::default()
    });
    let (user, password) = Registry::login();
    let host = bench.registry.host();
    let helper = format!(
        "#!/bin/sh\n[ \"$1 $(cat)\" = \"get {host}\" ] || exit 1\n\
         echo '{{\"ServerURL\":\"{host}\",\"Username\":\"{user}\",\"Secret\":\"{password}\"}}'\n"
    );
    let program = bench.file("docker-credential-lab", &helper);
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = bench.file("config.json", r#"{"credsStore":"lab"}"#);
    let mut options = options(RegistryArgs {
        registry_config: Some(config.display().to_string()),
        ..RegistryArgs::default()
    });
    let mut path = bench.folder.path().as_os_str().to_owned();
    path.push(":/usr/bin:/bin");
    options.surroundings.path = Some(path);
    assert_eq!(bench.ask("both", &["arm64"], &options), Existence::Present);
}

#[test]
fn a_registry_is_trusted_once_its_ca_is_named() {
    if registry_or_skip("a_registry_is_trusted").is_none() {
        return;
    }
    let bench = Bench::start(RegistrySetup {
        login: true,
        tls: true,
        ..RegistrySetup::default()
    });
    let (_, password) = Registry::login();
    let got = bench.ask("both", &["amd64"], &bench.login(password));
    let Existence::Untrusted(why) = got else {
        panic!("{got:?}");
    };
    assert!(
        why.contains("certificate signed by unknown authority"),
        "{why}"
    );
    let trusting = options(RegistryArgs {
        registry_ca: Some(bench.registry.ca().display().to_string()),
        ..RegistryArgs::default()
    });
    let options = Options {
        credentials: bench.login(password).credentials,
        ..trusting
    };
    assert_eq!(bench.ask("both", &["arm64"], &options), Existence::Present);
    assert_eq!(bench.ask("none", &["arm64"], &options), Existence::Absent);
}

#[test]
fn a_registry_that_stops_half_way_makes_nothing_absent() {
    if registry_or_skip("a_registry_that_stops").is_none() {
        return;
    }
    let mut bench = Bench::start(RegistrySetup::default());
    assert_eq!(
        bench.ask("both", &["amd64"], &anonymous()),
        Existence::Present
    );
    let questions: Vec<_> = (0..2000)
        .map(|it| Question {
            image: bench.image(&format!("none-{it}")),
            architectures: Vec::new(),
        })
        .collect();
    let asking = std::thread::spawn(move || look_up(&questions, &anonymous()));
    let some = || (bench.registry.answered("/none-").unwrap() > 50).then_some(());
    lab::wait_until("some answers", Duration::from_secs(30), some).unwrap();
    bench.registry.kill();
    let answers = asking.join().unwrap();
    let n_absent = answers
        .iter()
        .filter(|it| **it == Existence::Absent)
        .count();
    let n_unknown = answers
        .iter()
        .filter(|it| it.name() == "unreachable")
        .count();
    assert_eq!(n_absent + n_unknown, 2000);
    assert!(
        n_absent > 0 && n_unknown > 0,
        "{n_absent} absent, {n_unknown} unknown"
    );
    let Existence::Unreachable(why) = bench.ask("both", &["amd64"], &anonymous()) else {
        panic!("it has gone");
    };
    assert!(why.contains("connection refused"), "{why}");
}

#[test]
fn five_thousand_tags_are_listed_over_pages() {
    if registry_or_skip("five_thousand_tags").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let in_memory = RegistrySetup {
        in_memory: true,
        ..RegistrySetup::default()
    };
    let registry = Registry::start(folder.path(), in_memory).unwrap();
    let tags: Vec<_> = (0..5000)
        .map(|it| format!("580-5.15.0-{it:04}-generic-ubuntu22.04"))
        .collect();
    registry.put_tags(DRIVER, &tags).unwrap();
    let image = image(&registry, "any");
    let started = Instant::now();
    assert_eq!(list_tags(&image, &anonymous()).unwrap(), tags);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
}
