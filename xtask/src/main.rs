//! The project's chores: `cargo xtask NAME`.

mod bench;
mod cargo;
mod ci;
mod dist;
mod docs;
mod facts;
mod generated;
mod krew;
mod lab;
mod pictures;
mod plugins;
mod say;
mod tidy;
mod tools;

use std::{env, process::ExitCode};

use clap::{Parser, error::ErrorKind};
use say::{answer, say};

/// Why a chore did not end well.
enum Failure {
    /// It was called wrongly.
    Usage(String),
    /// It failed, and says why.
    Failed(String),
    /// Only its help was asked for.
    Help(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// One row a chore.
struct Chore {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Failure>,
}

const CHORES: &[Chore] = &[
    Chore {
        name: "advisories",
        about: "known weaknesses of what we depend on; asks GitHub",
        run: ci::advisories,
    },
    Chore {
        name: "bench",
        about: "size, start and speed of the profiles that a release could be built with",
        run: bench::run,
    },
    Chore {
        name: "ci",
        about: "every check there is, in the order of what fails first",
        run: ci::run,
    },
    Chore {
        name: "dist",
        about: "the archives of a release, with checksums and SBOMs; with --check, twice and compared",
        run: dist::run,
    },
    Chore {
        name: "docs",
        about: "print docs/ from the code; with --check, only compare",
        run: docs::run,
    },
    Chore {
        name: "facts",
        about: "what a checkout of the GPU operator says and our tables do not: --against DIR",
        run: facts::run,
    },
    Chore {
        name: "krew",
        about: "manifests and an index from the archives; also templates, verify, install",
        run: krew::run,
    },
    Chore {
        name: "lab",
        about: "up, down, status or apply NAME: a real control plane to try things on",
        run: |args| Ok(lab::run(args)?),
    },
    Chore {
        name: "pictures",
        about: "draw docs/img/ from real runs; with --check, only compare",
        run: pictures::run,
    },
    Chore {
        name: "tidy",
        about: "the rules of the code that neither cargo nor clippy can hold",
        run: tidy::run,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match chore(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Help(text)) => {
            answer(&text);
            ExitCode::SUCCESS
        }
        Err(Failure::Failed(why)) => {
            say(&format!("error: {why}"));
            ExitCode::FAILURE
        }
        Err(Failure::Usage(why)) => {
            say(&format!("error: {why}"));
            ExitCode::from(2)
        }
    }
}

fn chore(args: &[String]) -> Result<(), Failure> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Failure::Usage(format!("which chore?\n\n{}", help())));
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        answer(&help());
        return Ok(());
    }
    match CHORES.iter().find(|it| it.name == name) {
        Some(chore) => (chore.run)(rest),
        None => Err(Failure::Usage(unknown(name))),
    }
}

fn help() -> String {
    let mut text = "usage: cargo xtask CHORE\n".to_owned();
    for chore in CHORES {
        text.push_str(&format!("\n  {:10} {}", chore.name, chore.about));
    }
    text.push_str("\n  help       this text");
    text
}

fn unknown(name: &str) -> String {
    let nearest = CHORES
        .iter()
        .map(|it| {
            (
                strsim::normalized_damerau_levenshtein(name, it.name),
                it.name,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.4)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((_, nearest)) => format!("there is no chore '{name}'; did you mean '{nearest}'?"),
        None => format!("there is no chore '{name}'\n\n{}", help()),
    }
}

/// Reads the flags of a chore that has several.
fn options<T: Parser>(args: &[String]) -> Result<T, Failure> {
    T::try_parse_from(args).map_err(|error| {
        let text = error.render().to_string();
        match error.kind() {
            ErrorKind::DisplayHelp => Failure::Help(text.trim_end().to_owned()),
            _ => Failure::Usage(text.trim_start_matches("error: ").trim_end().to_owned()),
        }
    })
}

/// Reads the one flag of the chores that print files: `--check` only compares.
fn only_check(args: &[String]) -> Result<bool, Failure> {
    match args {
        [] => Ok(false),
        [flag] if flag == "--check" => Ok(true),
        _ => Err(Failure::Usage(format!(
            "'{}' is not understood; the only flag is --check",
            args.join(" ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn refusal(line: &str) -> String {
        match chore(&words(line)) {
            Err(Failure::Usage(why)) => why,
            _ => panic!("'{line}' was not refused"),
        }
    }

    #[test]
    fn an_unknown_chore_is_refused_with_the_nearest_name() {
        assert!(refusal("dosc").ends_with("did you mean 'docs'?"));
        assert!(refusal("tydi").ends_with("did you mean 'tidy'?"));
        assert!(refusal("zzz").contains("usage: cargo xtask CHORE"));
        assert!(refusal("").contains("usage: cargo xtask CHORE"));
    }

    #[test]
    fn a_flag_that_no_chore_has_is_refused_before_anything_is_written() {
        assert!(refusal("docs --chekc").contains("--check"));
        assert!(refusal("krew templates --chekc").contains("--check"));
        assert!(refusal("pictures all").contains("--check"));
    }

    #[test]
    fn the_help_names_every_chore() {
        let help = help();
        assert!(CHORES.iter().all(|it| help.contains(it.about)));
    }
}
