//! However a lab ends, it leaves no process and no file.
#![expect(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

use std::{
    env, fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use lab::Lab;

const SOON: Duration = Duration::from_secs(30);
/// Set in the process that a test starts to own a lab: how that owner ends.
const OWNER: &str = "LAB_TEST_OWNER";

/// The command lines that name the folder: every process of a lab does.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let all = if Path::new("/proc/self/cmdline").exists() {
        let of_process = |it: PathBuf| fs::read(it.join("cmdline")).unwrap_or_default();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries
            .map(|it| String::from_utf8_lossy(&of_process(it.path())).replace('\0', " "))
            .collect()
    } else {
        let listed = Command::new("ps")
            .args(["-axww", "-o", "command="])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    all.into_iter().filter(|it| it.contains(folder)).collect()
}

fn assert_gone(folder: &Path) {
    let gone = lab::wait_until("the lab to end", SOON, || {
        (processes_of(folder).is_empty() && !folder.exists()).then_some(())
    });
    assert!(
        gone.is_ok(),
        "{:?} are left, folder: {}",
        processes_of(folder),
        folder.exists()
    );
}

fn supervisor_of(folder: &Path) -> String {
    let processes = fs::read_to_string(folder.join("processes")).unwrap();
    let line = processes
        .lines()
        .find(|it| it.ends_with(" lab-supervisor"))
        .unwrap();
    line.split(' ').next().unwrap().to_owned()
}

fn signal(name: &str, pid: &str) {
    assert!(
        Command::new("kill")
            .args([name, pid])
            .status()
            .unwrap()
            .success()
    );
}

/// Another process of this program, which starts a lab and says in which folder.
fn owner(how: &str) -> (Child, PathBuf) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "an_owner_for_the_other_tests", "--nocapture"])
        .env(OWNER, how)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let folder = lines
        .into_iter()
        .find_map(|it| Some(it.strip_prefix("folder ")?.into()))
        .unwrap();
    (child, folder)
}

/// Does nothing unless another test runs it in a process of its own.
#[test]
fn an_owner_for_the_other_tests() {
    let Ok(how) = env::var(OWNER) else { return };
    let lab = Lab::start().unwrap();
    println!("\nfolder {}", lab.folder().display());
    assert_ne!(how, "panics", "as the test wants it");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

#[test]
fn a_lab_ends_when_it_is_dropped() {
    let Some(lab) = lab::start_or_skip("a lab ends when it is dropped") else {
        return;
    };
    let folder = lab.folder().to_owned();
    assert_eq!(
        processes_of(&folder).len(),
        6,
        "{:?}",
        processes_of(&folder)
    );
    drop(lab);
    assert!(processes_of(&folder).is_empty() && !folder.exists());
}

#[test]
fn a_lab_ends_when_its_owner_is_killed_or_panics() {
    if lab::programs_or_skip("a lab ends when its owner is killed").is_none() {
        return;
    }
    let (mut killed, of_killed) = owner("waits");
    let (mut panicked, of_panicked) = owner("panics");
    killed.kill().unwrap();
    killed.wait().unwrap();
    panicked.wait().unwrap();
    assert_gone(&of_killed);
    assert_gone(&of_panicked);
}

#[test]
fn a_lab_ends_on_a_signal_and_the_next_one_sweeps_what_a_killed_supervisor_left() {
    let name = "a lab ends on a signal";
    let Some(interrupted) = lab::start_or_skip(name) else {
        return;
    };
    let folder = interrupted.folder().to_owned();
    signal("-INT", &supervisor_of(&folder));
    assert_gone(&folder);
    drop(interrupted);

    let Some(killed) = lab::start_or_skip(name) else {
        return;
    };
    let folder = killed.folder().to_owned();
    signal("-KILL", &supervisor_of(&folder));
    drop(killed);
    assert!(!processes_of(&folder).is_empty() && folder.exists());
    let Some(next) = lab::start_or_skip(name) else {
        return;
    };
    assert_gone(&folder);
    drop(next);
}

/// Runs the command that `cargo xtask lab` runs, in a place of the test's own.
fn labctl(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labctl"));
    command
        .args(arguments)
        .env("TMPDIR", place)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The stdout of one that must end with 0.
fn answer_of(place: &Path, arguments: &[&str]) -> String {
    let output = labctl(place, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn up_prints_the_export_line_alone_and_down_leaves_nothing() {
    if lab::programs_or_skip("up prints the export line").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();

    assert_eq!(answer_of(place, &["status"]), "no lab is running\n");
    let line = answer_of(place, &["up"]);
    let kubeconfig = line
        .strip_prefix("export KUBECONFIG=")
        .unwrap()
        .trim_end()
        .to_owned();
    assert!(Path::new(&kubeconfig).is_file(), "{line}");
    assert_eq!(answer_of(place, &["up"]), line);

    let unknown = labctl(place, &["apply", "operand-lap"]);
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("there are: operand-lab")
    );
    answer_of(place, &["apply", "operand-lab"]);
    let status = answer_of(place, &["status"]);
    assert!(
        status.contains(&kubeconfig) && status.contains("operand-lab"),
        "{status}"
    );

    answer_of(place, &["down"]);
    answer_of(place, &["down"]);
    assert_eq!(fs::read_dir(place).unwrap().count(), 0);
}
