//! `cargo xtask ci`: every check there is, in the order of what fails first.

mod background;
mod deny;

pub(crate) use deny::advisories;

use std::time::{Duration, Instant};

use crate::{
    Failure,
    cargo::{binary, build_binaries, cargo, root, see},
    dist, docs, krew, pictures,
    say::say,
    tidy,
};
use background::Background;

/// One check: its name, the command that repeats it alone, and how it is done.
struct Step {
    name: &'static str,
    again: &'static str,
    run: fn(&mut Tools) -> Result<(), String>,
}

/// What takes minutes to make on a new machine, and is made beside the steps that do not need it.
#[derive(Default)]
struct Tools {
    control_plane: Option<Background>,
    deny: Option<Background>,
}

/// Always the whole workspace and `--locked`: another choice of packages would be another choice of features, and
/// everything would be compiled again.
const STEPS: &[Step] = &[
    Step {
        name: "format",
        again: "cargo fmt --all --check",
        run: |_| see(cargo(&["fmt", "--all", "--check"])),
    },
    Step {
        name: "build",
        again: "cargo build --workspace --bins --locked",
        run: |tools| {
            build_binaries()?;
            make(tools)
        },
    },
    Step {
        name: "clippy",
        again: "cargo clippy --workspace --all-targets --locked -- -D warnings",
        run: |_| clippy(),
    },
    Step {
        name: "gpu-core as the plugins use it",
        again: "cargo check --package gpu-core --locked",
        run: |_| see(cargo(&["check", "--package", "gpu-core", "--locked"])),
    },
    Step {
        name: "documentation builds",
        again: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked",
        run: |_| documentation(),
    },
    Step {
        name: "printed docs are fresh",
        again: "cargo xtask docs --check",
        run: |_| docs::check(),
    },
    Step {
        name: "pictures are fresh",
        again: "cargo xtask pictures --check",
        run: |_| pictures::check(),
    },
    Step {
        name: "krew templates are fresh",
        again: "cargo xtask krew templates --check",
        run: |_| krew::check(),
    },
    Step {
        name: "tidy",
        again: "cargo xtask tidy",
        run: |_| tidy::check(root()),
    },
    Step {
        name: "bans, licences, sources",
        again: "cargo deny check bans licenses sources",
        run: |tools| deny::check(tools.deny.take()),
    },
    Step {
        name: "control plane is built",
        again: "cargo run --package lab --bin labctl -- programs",
        run: |tools| tools.control_plane.take().map_or(Ok(()), Background::wait),
    },
    Step {
        name: "tests",
        again: "cargo test --workspace --locked",
        run: |_| tests(&[]),
    },
    Step {
        name: "archives for this machine",
        again: "cargo xtask dist --platform host",
        run: |_| dist::host(&root().join(dist::FOLDER), &dist::tag()),
    },
    Step {
        name: "installing by krew",
        again: "cargo test --workspace --locked --test install",
        run: |_| tests(&["--test", "install"]),
    },
];

/// Runs all checks and stops at the first that fails.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    if !args.is_empty() {
        let why = format!("ci takes no arguments, not '{}'", args.join(" "));
        return Err(Failure::Usage(why));
    }
    let mut tools = Tools::default();
    let mut times = Vec::new();
    for step in STEPS {
        say(&format!("\n== {}", step.name));
        let start = Instant::now();
        let done = (step.run)(&mut tools);
        times.push((step.name, start.elapsed()));
        if let Err(why) = done {
            say(&table(&times));
            return Err(Failure::Failed(format!(
                "{}: {why}\nto repeat it alone: {}",
                step.name, step.again
            )));
        }
    }
    say(&table(&times));
    Ok(())
}

/// Starts to make what is not there yet.
fn make(tools: &mut Tools) -> Result<(), String> {
    let mut programs = std::process::Command::new(binary("labctl")?);
    programs.arg("programs").current_dir(root());
    tools.control_plane = Some(Background::start("control plane", programs)?);
    tools.deny = deny::install()?;
    Ok(())
}

fn clippy() -> Result<(), String> {
    see(cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))
}

fn documentation() -> Result<(), String> {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    see(command)
}

/// What a person's shell may hold and a test must not depend on.
const PERSONAL: &[&str] = &[
    "KUBECONFIG",
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "RUST_LOG",
    "RUST_BACKTRACE",
];

fn tests(which: &[&str]) -> Result<(), String> {
    let mut command = cargo(&["test", "--workspace", "--locked"]);
    command.args(which);
    for name in PERSONAL {
        command.env_remove(name);
    }
    // A snapshot that differs fails; it is not written beside the old one.
    command.env("INSTA_UPDATE", "no");
    see(command)
}

fn table(times: &[(&str, Duration)]) -> String {
    let all: Duration = times.iter().map(|(_, time)| *time).sum();
    let mut text = "\nseconds".to_owned();
    for (name, time) in times.iter().copied().chain([("all", all)]) {
        text.push_str(&format!("\n{:7.1}  {name}", time.as_secs_f64()));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_command_that_repeats_a_step_is_the_one_that_the_step_runs() {
        for step in STEPS {
            assert!(step.again.contains("cargo "), "{}", step.name);
        }
    }

    #[test]
    fn the_times_are_summed_up() {
        let text = table(&[
            ("format", Duration::from_millis(1500)),
            ("build", Duration::from_secs(60)),
        ]);
        assert_eq!(
            text,
            "\nseconds\n    1.5  format\n   60.0  build\n   61.5  all"
        );
    }

    #[test]
    fn ci_runs_exactly_this_and_nothing_beside() {
        let script = fs::read_to_string(root().join(".ci/run")).unwrap();
        let commands: Vec<&str> = script
            .lines()
            .filter(|it| !it.starts_with('#') && !it.is_empty())
            .collect();
        assert_eq!(
            commands,
            [
                "set -eu",
                r#"cd "$(dirname "$0")/..""#,
                "exec cargo xtask ci"
            ]
        );
    }
}
