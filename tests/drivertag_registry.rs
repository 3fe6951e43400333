//! kubectl gpu-drivertag against a real registry on loopback, from the command line to the exit code.

use lab::{Registry, RegistrySetup, registry_or_skip};
use suite::{Run, plugin, recorded};

const REPOSITORY: &str = "nvidia/driver";
const THERE: &str = "535-5.15.0-117-generic-ubuntu22.04";
const CLUSTER: &str = "C36-precompiled-image-behind-the-kernel";

/// A registry that has one of the two images this cluster needs; filled while it lets everybody in.
fn registry(setup: RegistrySetup) -> (tempfile::TempDir, Registry) {
    let folder = tempfile::tempdir().expect("a folder");
    let filled = Registry::start(folder.path(), RegistrySetup::default()).expect("a registry");
    filled
        .put_image(REPOSITORY, THERE, "amd64")
        .expect("an image");
    drop(filled);
    let registry = Registry::start(folder.path(), setup).expect("a registry");
    (folder, registry)
}

fn ask(registry: &Registry) -> Run {
    let mirror = format!("--registry={}", registry.host());
    plugin("kubectl-gpu_drivertag")
        .arg_file(&recorded(CLUSTER))
        .args([mirror])
}

#[test]
fn what_a_registry_has_and_has_not_is_the_answer() {
    if registry_or_skip("what_a_registry_has").is_none() {
        return;
    }
    let (_folder, registry) = registry(RegistrySetup::default());
    let absent = "gpu-a 535-5.15.0-118-generic-ubuntu22.04 absent";
    ask(&registry)
        .run()
        .assert(1, &[absent, &format!("gpu-b {THERE} present")]);
    let report = ask(&registry).line("--list -o json").run().json();
    let images = report["images"].as_array().expect("images");
    let image = |tag: &str| {
        images
            .iter()
            .find(|it| it["tag"] == tag)
            .expect("the image")
            .clone()
    };
    assert_eq!(image(THERE)["registry"], "present");
    let missing = image("535-5.15.0-118-generic-ubuntu22.04");
    assert_eq!(
        (&missing["registry"], &missing["nearest"]),
        (&"absent".into(), &THERE.into())
    );
}

#[test]
fn a_registry_that_does_not_let_us_look_leaves_it_unknown_and_tells_no_password() {
    if registry_or_skip("a_registry_that_does_not_let_us_look").is_none() {
        return;
    }
    let (folder, registry) = registry(RegistrySetup {
        login: true,
        ..RegistrySetup::default()
    });
    let (user, password) = Registry::login();
    let unknown = [
        "gpu-a 535-5.15.0-118-generic-ubuntu22.04 unknown".to_owned(),
        format!("gpu-b {THERE} unknown"),
    ];
    let unknown: Vec<_> = unknown.iter().map(String::as_str).collect();
    ask(&registry).run().assert(1, &unknown);
    let file = folder.path().join("auth.json");
    for given in ["wr0ng-passw0rd", password] {
        let auth = serde_json::json!({ "auths": { registry.host(): { "username": user, "password": given } } });
        std::fs::write(&file, auth.to_string()).expect("written");
        for line in ["-v 9", "-v 9 -o json", "-v 9 -o wide"] {
            let run = ask(&registry).args(["--registry-config".as_ref(), file.as_os_str()]);
            let said = run.line(line).run();
            assert_eq!(said.code, Some(1), "{said:?}");
            assert!(!format!("{said:?}").contains(given), "{said:?}");
        }
    }
}

#[test]
fn a_registry_that_is_gone_leaves_it_unknown() {
    if registry_or_skip("a_registry_that_is_gone").is_none() {
        return;
    }
    let (_folder, registry) = registry(RegistrySetup::default());
    let run = ask(&registry);
    drop(registry);
    let said = run.run();
    // The recording itself shows that the image cannot be pulled, so the exit code is that of a finding.
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.lines().all(|it| it.ends_with(" unknown")),
        "{said:?}"
    );
    assert!(said.err.contains("unseen: "), "{said:?}");
}
