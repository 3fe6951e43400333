//! Installing from end to end: the archives of this tree, the real krew, the lab's kubectl.
#![cfg(unix)]

mod desk;
mod refused;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use desk::{Desk, PLUGINS, Served, TAG, run, xtask_does};
use lab::{Lab, Scenario};
use suite::root;

/// What `kubectl gpu-audit` says of the operand lab.
const AUDIT: &str = "lab-node-0 OK\nlab-node-1 OK\nlab-node-2 OK\n";

/// The archives for this machine, built once.
fn archives() -> &'static Path {
    static ARCHIVES: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVES.get_or_init(|| {
        let folder = root().join("dist");
        xtask_does(&["dist", "--platform", "host"]);
        folder
    })
}

/// A desk with the archives of a folder served, the manifests in `manifests`, and their index in `index`.
struct Shop {
    desk: Desk,
    _served: Served,
}

fn shop(name: &str, dist: &Path) -> Option<Shop> {
    let krew = lab::krew_or_skip(name)?;
    let programs = lab::programs_or_skip(name)?;
    let desk = Desk::new(krew, &programs.path("kubectl"));
    let served = Served::start(dist);
    publish(&desk, &served, dist, TAG);
    Some(Shop {
        desk,
        _served: served,
    })
}

/// Makes the manifests of a release, and commits them to the desk's index.
fn publish(desk: &Desk, served: &Served, dist: &Path, tag: &str) {
    let text = |it: PathBuf| it.to_str().expect("a plain name").to_owned();
    xtask_does(&[
        "krew",
        "--tag",
        tag,
        "--dist",
        &text(dist.to_owned()),
        "--base-url",
        &served.url,
        "--manifests",
        &text(desk.path("manifests")),
        "--index",
        &text(desk.path("index")),
    ]);
}

fn lab(name: &str) -> Option<Lab> {
    let lab = lab::start_or_skip(name)?;
    let scenario = Scenario::named("operand-lab").expect("a scenario");
    lab.apply_scenario(&scenario).expect("the operand lab");
    Some(lab)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_plugin_is_installed_runs_is_upgraded_and_goes() {
    let name = "every plugin is installed, runs, is upgraded and goes";
    let Some(Shop { desk, _served }) = shop(name, archives()) else {
        return;
    };
    let Some(lab) = lab(name) else { return };
    let index = format!("file://{}", desk.path("index").display());
    desk.kubectl_does(&["krew", "index", "add", "suite", &index]);
    let suite: Vec<String> = PLUGINS.iter().map(|it| format!("suite/{}", it.0)).collect();
    let mut words = vec!["krew", "install"];
    words.extend(suite.iter().map(String::as_str));
    desk.kubectl_does(&words);
    for (plugin, binary) in PLUGINS {
        let want = BTreeSet::from(["LICENSE".to_owned(), binary.to_owned()]);
        assert_eq!(names(&desk.store(plugin, TAG)), want);
        let said = desk.kubectl_does(&[plugin, "--version"]);
        assert!(
            said.trim_end().ends_with(env!("CARGO_PKG_VERSION")),
            "{said}"
        );
    }
    kubectl_sees_them_without_a_warning(&desk);
    they_answer_about_the_lab(&desk, &lab);
    they_are_upgraded(&desk);

    let mut words = vec!["krew", "uninstall"];
    words.extend(PLUGINS.iter().map(|it| it.0));
    desk.kubectl_does(&words);
    assert!(
        names(&desk.path("krew/bin"))
            .iter()
            .all(|it| !it.contains("gpu"))
    );
    assert!(
        names(&desk.path("krew/store"))
            .iter()
            .all(|it| !it.contains("gpu"))
    );
}

/// Only krew's folder is looked at, since this machine may have warnings of its own.
fn kubectl_sees_them_without_a_warning(desk: &Desk) {
    let kubectl = desk.path("bin/kubectl");
    let mut command = desk.command(kubectl.to_str().expect("a plain name"));
    let said = run(command
        .env("PATH", desk.path("krew/bin"))
        .env("HOME", desk.path("home"))
        .args(["plugin", "list", "--name-only"]));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let listed: BTreeSet<&str> = said.out.lines().collect();
    for (_, binary) in PLUGINS {
        assert!(listed.contains(binary), "{said:?}");
    }
}

fn they_answer_about_the_lab(desk: &Desk, lab: &Lab) {
    let config = lab.reader_kubeconfig().to_str().expect("a plain name");
    let at_lab = |words: &[&str]| desk.kubectl(&[words, &["--kubeconfig", config]].concat());
    let order = at_lab(&["gpu-order", "lab-node-2"]);
    assert_eq!(
        (order.out.as_str(), order.code),
        ("ok\n", Some(0)),
        "{order:?}"
    );
    let audit = at_lab(&["gpu-audit"]);
    assert_eq!(
        (audit.out.as_str(), audit.code),
        (AUDIT, Some(0)),
        "{audit:?}"
    );
    let tag = at_lab(&["gpu-drivertag"]);
    assert!(tag.out.contains("lab-node-0 "), "{tag:?}");
}

/// The same programs as a later release: what counts is that krew goes from one to the other.
fn they_are_upgraded(desk: &Desk) {
    const NEXT: &str = "v99.0.0";
    let host = xtask_does(&["dist", "--print-host"]);
    let programs = desk.path("programs").join(host.trim().replace('/', "-"));
    fs::create_dir_all(&programs).expect("a folder");
    for (plugin, binary) in PLUGINS {
        let from = desk.store(plugin, TAG).join(binary);
        fs::copy(from, programs.join(binary)).expect("the program is copied");
    }
    let dist = desk.path("next");
    let text = |it: &Path| it.to_str().expect("a plain name").to_owned();
    let binaries = text(&desk.path("programs"));
    let words = ["dist", "--platform", "host", "--binaries", &binaries];
    xtask_does(&[&words[..], &["--tag", NEXT, "--out", &text(&dist)]].concat());
    let served = Served::start(&dist);
    publish(desk, &served, &dist, NEXT);
    desk.kubectl_does(&["krew", "update"]);
    desk.kubectl_does(&["krew", "upgrade"]);
    for (plugin, binary) in PLUGINS {
        assert!(desk.store(plugin, NEXT).join(binary).is_file(), "{plugin}");
        assert!(!desk.store(plugin, TAG).exists(), "{plugin}");
        desk.kubectl_does(&[plugin, "--help"]);
    }
}

#[test]
fn krews_validation_passes_every_manifest_and_so_does_ours() {
    let name = "krew's validation passes every manifest";
    let Some(Shop { desk, _served }) = shop(name, archives()) else {
        return;
    };
    for (plugin, _) in PLUGINS {
        let manifest = desk.path("manifests").join(format!("{plugin}.yaml"));
        let said = desk.validate(&manifest);
        assert_eq!(said.code, Some(0), "{plugin}: {said:?}");
        let manifest = manifest.to_str().expect("a plain name");
        let dist = archives().to_str().expect("a plain name");
        xtask_does(&["krew", "verify", manifest, "--dist", dist]);
    }
}

#[test]
fn the_lines_of_the_readme_end_with_an_audit_of_the_lab() {
    let name = "the lines of the README end with an audit";
    let Some(krew) = lab::krew_or_skip(name) else {
        return;
    };
    let Some(lab) = lab(name) else { return };
    let lines = install_lines("README.md");
    assert_eq!(lines, install_lines("README.ko.md"));
    assert!(lines.contains("cargo xtask krew install"), "{lines}");
    let desk = Desk::new(krew, &lab.kubectl_path());
    // Twice: whoever has pulled a change types the same lines again.
    for _ in 0..2 {
        let mut shell = desk.command("sh");
        let said = run(shell
            .current_dir(root())
            .env("KUBECONFIG", lab.reader_kubeconfig())
            .args(["-euc", &lines]));
        assert_eq!((said.out.as_str(), said.code), (AUDIT, Some(0)), "{said:?}");
    }
}

/// The block after the mark, as a reader copies it.
fn install_lines(document: &str) -> String {
    let text = fs::read_to_string(root().join(document)).expect("the document");
    let (_, rest) = text
        .split_once("<!-- install-from-clone -->")
        .unwrap_or_else(|| panic!("{document} has no mark before its lines for a clone"));
    let (_, rest) = rest.split_once("```sh\n").expect("a block");
    rest.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn an_archive_for_windows_installs_as_windows_would() {
    let name = "an archive for Windows installs";
    let dist = tempfile::tempdir().expect("a folder");
    for (_, binary) in PLUGINS {
        let archive = dist
            .path()
            .join(format!("{binary}-{TAG}-windows-amd64.zip"));
        let mut zip = zip::ZipWriter::new(fs::File::create(archive).expect("a file"));
        let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
        for file in [&format!("{binary}.exe"), "LICENSE"] {
            zip.start_file(file, options).expect("a file in the zip");
            std::io::Write::write_all(&mut zip, file.as_bytes()).expect("its text");
        }
        zip.finish().expect("a zip");
    }
    let Some(Shop { desk, _served }) = shop(name, dist.path()) else {
        return;
    };
    for (plugin, binary) in PLUGINS {
        let manifest = format!(
            "--manifest={}",
            desk.path(&format!("manifests/{plugin}.yaml")).display()
        );
        let mut command = desk.command("kubectl");
        let said = run(command
            .env("HOME", desk.path("home"))
            .env("KREW_OS", "windows")
            .env("KREW_ARCH", "amd64")
            .args(["krew", "install", &manifest]));
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(
            desk.store(plugin, TAG)
                .join(format!("{binary}.exe"))
                .is_file()
        );
        assert!(names(&desk.path("krew/bin")).contains(&format!("{binary}.exe")));
    }
}

#[test]
fn an_archive_holds_program_licence_readme_manual_and_completion() {
    if lab::krew_or_skip("an archive holds what it should").is_none() {
        return;
    }
    let host = xtask_does(&["dist", "--print-host"])
        .trim()
        .replace('/', "-");
    let archive = |what: &str| archives().join(format!("{what}-{TAG}-{host}.tar.gz"));
    let mut all = BTreeSet::from(["LICENSE".to_owned(), "README.md".to_owned()]);
    for (_, binary) in PLUGINS {
        let shim = binary.replacen("kubectl-", "kubectl_complete-", 1);
        let own = [binary.to_owned(), format!("{binary}.1"), shim];
        let mut want = BTreeSet::from(["LICENSE".to_owned(), "README.md".to_owned()]);
        want.extend(own.clone());
        all.extend(own);
        let held = held(&archive(binary));
        assert_eq!(held, want);
        assert!(
            archives()
                .join(format!("{binary}-{TAG}-{host}.tar.gz.cdx.json"))
                .is_file()
        );
    }
    assert_eq!(held(&archive("kubectl-gpu")), all);

    // macOS has the same check by another name.
    let (program, flags) = match cfg!(target_os = "macos") {
        true => ("shasum", &["-a", "256"][..]),
        false => ("sha256sum", &[][..]),
    };
    let mut check = std::process::Command::new(program);
    let said = run(check.current_dir(archives()).args(flags).args([
        "--check",
        "--strict",
        "checksums.txt",
    ]));
    assert_eq!(said.code, Some(0), "{said:?}");
}

fn held(archive: &Path) -> BTreeSet<String> {
    let file = fs::File::open(archive).unwrap_or_else(|why| panic!("{}: {why}", archive.display()));
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let entries = tar.entries().expect("a tar");
    let name = |it: std::io::Result<tar::Entry<'_, _>>| {
        let it = it.expect("an entry");
        it.path().expect("a name").to_string_lossy().into_owned()
    };
    entries.map(name).collect()
}

/// The quickest of many, since a busy machine makes any single one slow.
#[test]
fn help_is_there_at_once() {
    let name = "help is there at once";
    let Some(Shop { desk, _served }) = shop(name, archives()) else {
        return;
    };
    let index = format!("file://{}", desk.path("index").display());
    desk.kubectl_does(&["krew", "index", "add", "suite", &index]);
    for (plugin, binary) in PLUGINS {
        desk.kubectl_does(&["krew", "install", &format!("suite/{plugin}")]);
        let program = desk.store(plugin, TAG).join(binary);
        let once = || {
            let start = Instant::now();
            let said = run(std::process::Command::new(&program).arg("--help"));
            assert_eq!(said.code, Some(0), "{said:?}");
            start.elapsed()
        };
        let quickest = (0..50).map(|_| once()).min().expect("some");
        assert!(
            quickest <= Duration::from_millis(5),
            "{binary}: {quickest:?}"
        );
    }
}
