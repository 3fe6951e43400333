//! What the hand-written documents say is run and looked up, so that it cannot rot.

use std::env::{join_paths, set_current_dir, split_paths, var_os, vars_os};
use std::fs::{read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use suite::{bin_dir, root};

const DOCUMENTS: [&str; 8] = [
    "README.md",
    "README.ko.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/driver-images.md",
    "docs/formats.md",
];

/// Those whose commands are run.
const RUN: [&str; 4] = [
    "README.md",
    "README.ko.md",
    "docs/driver-images.md",
    "docs/formats.md",
];

/// One test at a time: `cargo run` may put a program in place that the other test is about to start.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn document(name: &str) -> String {
    read_to_string(root().join(name)).expect("the document is there")
}

/// The plugins and kubectl, then what is on PATH anyway.
fn path(kubectl: Option<&Path>) -> String {
    let cargo = Path::new(env!("CARGO")).parent().expect("a folder");
    let ours = [bin_dir(), cargo].into_iter().chain(kubectl);
    let system = var_os("PATH").unwrap_or_default();
    let all = ours.map(PathBuf::from).chain(split_paths(&system));
    let joined = join_paths(all).expect("PATH has no odd entries");
    joined.to_string_lossy().into_owned()
}

/// The folder of the lab's kubectl; without one it is said aloud that kubectl is left out.
fn kubectl(test: &str) -> Option<PathBuf> {
    let programs = lab::programs_or_skip(&format!("kubectl in {test}"))?;
    programs.path("kubectl").parent().map(PathBuf::from)
}

/// README with every plugin called by its own name, line for line.
fn without_kubectl(readme: &str) -> String {
    readme.replace("kubectl gpu-", "kubectl-gpu_")
}

/// The names of the plugins' programs.
fn plugins() -> Vec<String> {
    let crates = root().join("crates").read_dir().expect("the packages");
    let names = crates.map(|it| it.expect("an entry").file_name());
    let names = names.map(|it| it.to_string_lossy().into_owned());
    names.filter(|it| it.starts_with("kubectl-")).collect()
}

/// Blocks marked `console`.
#[test]
fn the_commands_of_the_readme_do_what_it_says() {
    let _turn = turn();
    set_current_dir(root()).expect("the repository");
    let kubectl = kubectl("the_commands_of_the_readme_do_what_it_says");
    let mut programs: Vec<_> = plugins()
        .into_iter()
        .map(|it| (it.clone(), bin_dir().join(it)))
        .collect();
    programs.extend(
        kubectl
            .iter()
            .map(|it| ("kubectl".into(), it.join("kubectl"))),
    );
    let copies = tempfile::tempdir().expect("a folder");
    let cases = trycmd::TestCases::new();
    for name in RUN {
        let place = match &kubectl {
            Some(_) => root().join(name),
            None => {
                let copy = copies.path().join(name.replace('/', "-"));
                write(&copy, without_kubectl(&document(name))).expect("written");
                copy
            }
        };
        // What trycmd does not know it passes over without a word.
        let text = read_to_string(&place).expect("the document is there");
        for it in commands(&text, "```console") {
            let first = it.command.split(' ').next().unwrap_or_default();
            let is_known = programs.iter().any(|(name, _)| name == first);
            assert!(is_known, "{name}:{}: nobody runs {first}", it.line);
        }
        cases.case(place);
    }
    for (name, program) in programs {
        cases.register_bin(name, trycmd::schema::Bin::Path(program));
    }
    cases
        .env("PATH", path(kubectl.as_deref()))
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .run();
}

/// A command that needs a shell, and what README shows of its end and its standard output.
#[derive(Debug, Default)]
struct Shown {
    line: usize,
    command: String,
    code: i32,
    output: String,
}

/// The commands of the blocks that open with this line.
fn commands(readme: &str, open: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut is_inside = false;
    for (at, line) in readme.lines().enumerate() {
        if !is_inside {
            is_inside = line == open;
        } else if line == "```" {
            is_inside = false;
        } else if let Some(command) = line.strip_prefix("$ ") {
            found.push(Shown {
                line: at + 1,
                command: command.to_owned(),
                ..Shown::default()
            });
        } else if let Some(it) = found.last_mut() {
            match line.strip_prefix("? ").and_then(|it| it.parse().ok()) {
                Some(code) if it.output.is_empty() => it.code = code,
                _ => it.output.push_str(&format!("{line}\n")),
            }
        }
    }
    found
}

/// Blocks marked `console,ignore` are for a shell: pipes, and cargo itself.
#[test]
fn the_shell_commands_of_the_readme_do_what_it_says() {
    let _turn = turn();
    let kubectl = kubectl("the_shell_commands_of_the_readme_do_what_it_says");
    let first = "cargo run --bin kubectl-gpu_audit -- -f tests/clusters/operand-lab";
    let path = path(kubectl.as_deref());
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    let in_ci = var_os("CI").is_some_and(|it| it == "true");
    assert!(has_jq || !in_ci, "README needs jq");
    let mut all_wrong = String::new();
    for name in RUN {
        let text = document(name);
        let shown = shell_commands(&text);
        let is_readme = name.starts_with("README");
        let has_first = shown.iter().any(|it| it.command == first);
        assert!(!is_readme || has_first, "{name}: {shown:#?}");
        let (run, skipped): (Vec<_>, Vec<_>) = shown
            .into_iter()
            .partition(|it| has_jq || !it.command.contains("| jq "));
        for it in skipped {
            eprintln!("SKIPPED {name}:{}: jq is not here", it.line);
        }
        let wrong = run
            .into_iter()
            .filter_map(|it| wrong(it, kubectl.is_some(), &path));
        let wrong: Vec<_> = wrong.collect();
        if var_os("TRYCMD").is_some_and(|it| it == "overwrite") {
            write(root().join(name), corrected(&text, wrong)).expect("written");
        } else {
            let told = wrong.iter().map(|it| format!("{name}: {it:#?}\n"));
            all_wrong.extend(told);
        }
    }
    assert!(
        all_wrong.is_empty(),
        "TRYCMD=overwrite corrects the documents\n{all_wrong}"
    );
}

fn shell_commands(text: &str) -> Vec<Shown> {
    let mut shown = commands(text, "```console,ignore");
    // What a terminal shows is the table.
    for it in commands(text, "```console,ignore,terminal") {
        let command = it.command + " -o table";
        shown.push(Shown { command, ..it });
    }
    shown
}

/// A command, and what it does instead of what is shown.
#[derive(Debug)]
struct Wrong {
    shown: Shown,
    said: String,
    code: i32,
    /// What it told on standard error.
    #[expect(dead_code, reason = "for the person who reads the failure")]
    err: String,
}

/// Runs a command, and keeps it if it does something else than is shown.
fn wrong(shown: Shown, has_kubectl: bool, path: &str) -> Option<Wrong> {
    let command = match has_kubectl {
        true => shown.command.clone(),
        false => without_kubectl(&shown.command),
    };
    let done = shell(&command, path).output().expect("sh runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let code = done.status.code().unwrap_or_default();
    let is_right = (&said, code) == (&shown.output, shown.code);
    (!is_right).then(|| Wrong {
        shown,
        said,
        code,
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    })
}

/// The document with what the commands really do.
fn corrected(readme: &str, mut wrong: Vec<Wrong>) -> String {
    let mut lines: Vec<_> = readme.lines().map(str::to_owned).collect();
    wrong.sort_by_key(|it| std::cmp::Reverse(it.shown.line));
    for Wrong {
        shown, said, code, ..
    } in wrong
    {
        let n_shown = shown.output.lines().count() + usize::from(shown.code != 0);
        let code = (code != 0).then(|| format!("? {code}"));
        let really = code.into_iter().chain(said.lines().map(str::to_owned));
        lines.splice(shown.line..shown.line + n_shown, really);
    }
    lines.join("\n") + "\n"
}

/// A shell at the root, with what a person's shell has. What cargo tells a test about itself is taken out, since build
/// scripts that watch it would run again.
fn shell(command: &str, path: &str) -> Command {
    const OF_THE_TEST: [&str; 4] = [
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_CRATE_",
        "CARGO_PRIMARY_",
    ];
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", path);
    for (name, _) in vars_os() {
        let text = name.to_string_lossy();
        if OF_THE_TEST.iter().any(|it| text.starts_with(it)) {
            shell.env_remove(&name);
        }
    }
    shell
}

/// What stands between `open` and `close`, with the number of its line.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> Vec<(usize, &'a str)> {
    let in_line = |(at, line): (usize, &'a str)| {
        let rest = line.split(open).skip(1);
        rest.filter_map(move |it| Some((at + 1, it.split_once(close)?.0)))
    };
    text.lines().enumerate().flat_map(in_line).collect()
}

#[test]
fn the_links_of_the_documents_lead_somewhere() {
    for name in DOCUMENTS {
        for (line, link) in between(&document(name), "](", ')') {
            if link.starts_with("https://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let file = match file {
                "" => root().join(name),
                file => root().join(folder).join(file),
            };
            assert!(file.exists(), "{name}:{line}: {link}");
            let headings: Vec<_> = document_headings(&file);
            assert!(
                heading.is_empty() || headings.iter().any(|it| it == heading),
                "{name}:{line}: {link} is none of {headings:?}"
            );
        }
    }
}

/// The headings of a document, as links name them.
fn document_headings(file: &Path) -> Vec<String> {
    let text = read_to_string(file).unwrap_or_default();
    let headings = text.lines().filter(|it| it.starts_with('#'));
    let slug = |it: &str| {
        let it = it.trim_start_matches('#').trim().to_lowercase();
        let kept = it
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    };
    headings.map(slug).collect()
}

#[test]
fn the_files_that_the_documents_name_are_there() {
    let folders = ["crates/", "tests/", "xtask/", "docs/", "krew-manifests/"];
    for name in DOCUMENTS {
        let text = document(name);
        let words: Vec<_> = text.lines().enumerate().collect();
        for (at, line) in words {
            for word in line.split('`').skip(1).step_by(2) {
                let is_path = folders.iter().any(|it| word.starts_with(it));
                if is_path && !word.contains(['<', ' ', '*']) {
                    assert!(root().join(word).exists(), "{name}:{}: {word}", at + 1);
                }
            }
        }
    }
}
