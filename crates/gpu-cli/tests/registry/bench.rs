//! What every test needs: questions about a mock, and options without the machine's own credentials.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gpu_cli::Program;
use gpu_cli::registry::{CredentialFile, Options, look_up};
use gpu_core::drivertag::existence::{Existence, ImageRef, Question, Reference};

pub(crate) const PROGRAM: Program = Program {
    name: "kubectl-gpu_drivertag",
    version: "0.0.1",
};

/// Options that give up soon.
pub(crate) fn options() -> Options {
    let mut options = Options::new(PROGRAM);
    options.timeout = Some(Duration::from_secs(10));
    options
}

/// The same with a file of credentials.
pub(crate) fn with_config(text: &str) -> Options {
    let (_folder, path) = file("config.json", text);
    let mut options = options();
    options.credentials = vec![CredentialFile::read(&path).unwrap()];
    options
}

/// The same with one login for a host.
pub(crate) fn with_login(host: &str, user: &str, password: &str) -> Options {
    with_config(&format!(
        r#"{{"auths":{{"{host}":{{"username":"{user}","password":"{password}"}}}}}}"#
    ))
}

/// A file in a folder that goes away with the first part.
pub(crate) fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// A program of this text.
#[cfg(unix)]
pub(crate) fn program(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn image(host: &str, repository: &str, tag: &str) -> ImageRef {
    ImageRef {
        registry: host.to_owned(),
        repository: repository.to_owned(),
        reference: Reference::Tag(tag.to_owned()),
    }
}

pub(crate) fn question(host: &str, tag: &str, architectures: &[&str]) -> Question {
    Question {
        image: image(host, "nvidia/driver", tag),
        architectures: architectures.iter().map(|it| (*it).to_owned()).collect(),
    }
}

/// Asks about one tag for amd64.
pub(crate) fn ask(host: &str, options: &Options) -> Existence {
    ask_for(host, &["amd64"], options)
}

/// Asks about one tag.
pub(crate) fn ask_for(host: &str, architectures: &[&str], options: &Options) -> Existence {
    let mut answers = look_up(&[question(host, "1", architectures)], options);
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

/// The words of an answer that has some.
pub(crate) fn words(it: &Existence) -> &str {
    match it {
        Existence::Denied(why)
        | Existence::Throttled(why)
        | Existence::Unreachable(why)
        | Existence::Untrusted(why) => why,
        other => panic!("{other:?} has no words"),
    }
}

/// Is it this answer, and do its words hold these?
pub(crate) fn check(it: &Existence, name: &str, said: &str) {
    assert_eq!(it.name(), name, "{it:?}");
    assert!(words(it).contains(said), "{it:?}");
}
