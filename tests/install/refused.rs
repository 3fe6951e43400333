//! What krew or its validation refuses, ours refuses too, and the other way round nothing slips through.

use std::fs;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::desk::{Desk, PLUGINS, Served, TAG, xtask, xtask_does};
use crate::publish;

/// One way to get it wrong: a manifest and archives that are right, changed in one place.
struct Wrong {
    name: &'static str,
    /// In the manifest, this …
    from: String,
    /// … becomes this.
    to: String,
    /// What is in the archive beside the program.
    beside: Beside,
    /// What krew or its validation says.
    krew: &'static str,
    /// What our own check says.
    ours: &'static str,
}

#[derive(Clone, Copy)]
enum Beside {
    Licence,
    LicenceOfAnotherName,
    LicenceAndLink,
}

fn wrongs(sha256: &str) -> Vec<Wrong> {
    let right = |name| Wrong {
        name,
        from: String::new(),
        to: String::new(),
        beside: Beside::Licence,
        krew: "",
        ours: "",
    };
    let row = "  - selector:\n      matchLabels:\n        os: linux\n        arch: amd64\n";
    vec![
        Wrong {
            from: format!("sha256: {sha256}"),
            to: format!("sha256: {}", "0a".repeat(32)),
            krew: "checksum does not match",
            ours: "its sha256 is",
            ..right("another checksum")
        },
        Wrong {
            from: format!("sha256: {sha256}"),
            to: format!("sha256: {}", sha256.to_uppercase()),
            krew: "must match pattern",
            ours: "64 lower-case digits",
            ..right("a checksum in upper case")
        },
        Wrong {
            from: "    - from: LICENSE\n".to_owned(),
            to: "    - from: LICENSE-MIT\n".to_owned(),
            beside: Beside::LicenceOfAnotherName,
            krew: "could not find license file",
            ours: "no licence is installed",
            ..right("no LICENSE")
        },
        Wrong {
            from: row.to_owned(),
            to: format!(
                "{row}    uri: http://127.0.0.1/x.tar.gz\n    sha256: {sha256}\n    bin: x\n{row}"
            ),
            krew: "overlap",
            ours: "linux/amd64 is selected 2 times",
            ..right("two platforms for one pair")
        },
        Wrong {
            beside: Beside::LicenceAndLink,
            krew: "failed to",
            ours: "link is neither a file nor a folder",
            ..right("a link in the archive")
        },
        Wrong {
            from: "      to: .\n".to_owned(),
            to: "      to: ./\n".to_owned(),
            krew: "failed to",
            ours: "which krew takes for unclean",
            ..right("a path that is not clean")
        },
    ]
}

/// An archive with a program that krew would install for linux/amd64.
fn archive(binary: &str, beside: Beside) -> Vec<u8> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let licence = match beside {
        Beside::LicenceOfAnotherName => "LICENSE-MIT",
        Beside::Licence | Beside::LicenceAndLink => "LICENSE",
    };
    for (name, mode) in [(binary, 0o755), (licence, 0o644)] {
        let mut header = Header::new_ustar();
        header.set_size(4);
        header.set_mode(mode);
        tar.append_data(&mut header, name, b"text".as_slice())
            .expect("a file in the tar");
    }
    if matches!(beside, Beside::LicenceAndLink) {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        header.set_mode(0o777);
        tar.append_link(&mut header, "link", "LICENSE")
            .expect("a link in the tar");
    }
    let gzip = tar.into_inner().expect("a tar");
    gzip.finish().expect("a gzip")
}

fn write_archives(dist: &Path, beside: Beside) {
    for (_, binary) in PLUGINS {
        let name = format!("{binary}-{TAG}-linux-amd64.tar.gz");
        fs::write(dist.join(name), archive(binary, beside)).expect("an archive");
    }
}

#[test]
fn what_krew_refuses_ours_refuses_too() {
    let name = "what krew refuses ours refuses too";
    let Some(krew) = lab::krew_or_skip(name) else {
        return;
    };
    let Some(programs) = lab::programs_or_skip(name) else {
        return;
    };
    let desk = Desk::new(krew, &programs.path("kubectl"));
    let dist = tempfile::tempdir().expect("a folder");
    write_archives(dist.path(), Beside::Licence);
    let served = Served::start(dist.path());
    publish(&desk, &served, dist.path(), TAG);
    let path = desk.path("manifests/gpu-audit.yaml");
    let right = fs::read_to_string(&path).expect("a manifest");
    let sum = |text: &str| {
        let (_, rest) = text.split_once("sha256: ").expect("a checksum");
        rest[..64].to_owned()
    };
    for wrong in wrongs(&sum(&right)) {
        let (_dist, _served, manifest) = spoil(&desk, &right, &wrong);
        let ours = xtask(&["krew", "verify", &manifest.0, "--dist", &manifest.1]);
        assert!(
            ours.code != Some(0) && ours.err.contains(wrong.ours),
            "{}: {ours:?}",
            wrong.name
        );
        let krew = desk.validate(Path::new(&manifest.0));
        let said = krew.out + &krew.err;
        assert!(
            krew.code != Some(0) && said.contains(wrong.krew),
            "{}: {said}",
            wrong.name
        );
    }
    // The same without a change passes both, so that what was refused was the change.
    let said = desk.validate(&path);
    assert_eq!(said.code, Some(0), "{said:?}");
    let text = |it: &Path| it.to_str().expect("a plain name").to_owned();
    xtask_does(&["krew", "verify", &text(&path), "--dist", &text(dist.path())]);
}

/// The manifest and the folder of the archives, as words.
type Words = (String, String);

fn spoil(desk: &Desk, right: &str, wrong: &Wrong) -> (tempfile::TempDir, Served, Words) {
    let dist = tempfile::tempdir().expect("a folder");
    write_archives(dist.path(), wrong.beside);
    let served = Served::start(dist.path());
    let archive = dist
        .path()
        .join(format!("{}-{TAG}-linux-amd64.tar.gz", PLUGINS[0].1));
    let digest = Sha256::digest(fs::read(&archive).expect("the archive"));
    let sum: String = digest.iter().map(|it| format!("{it:02x}")).collect();
    assert!(right.contains(&wrong.from), "{}: {right}", wrong.name);
    let changed = right.replacen(&wrong.from, &wrong.to, usize::from(!wrong.from.is_empty()));
    let mut text = String::new();
    for line in changed.lines() {
        // Whatever was not spoilt is right for this archive.
        let line = match line.trim_start() {
            it if it.starts_with("uri: ") && !it.ends_with("/x.tar.gz") => {
                let name = it.rsplit('/').next().expect("a name");
                format!("    uri: {}/{name}", served.url)
            }
            it if it.starts_with("sha256: ") && right.contains(it) => format!("    sha256: {sum}"),
            _ => line.to_owned(),
        };
        text.push_str(&line);
        text.push('\n');
    }
    let folder = desk.path("wrong");
    fs::create_dir_all(&folder).expect("a folder");
    let manifest = folder.join("gpu-audit.yaml");
    fs::write(&manifest, text).expect("a manifest");
    let word = |it: &Path| it.to_str().expect("a plain name").to_owned();
    let words = (word(&manifest), word(dist.path()));
    (dist, served, words)
}
