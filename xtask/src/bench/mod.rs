//! `cargo xtask bench`: what the profile of a release costs and gives, measured side by side in one run.

mod recording;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Parser;
use flate2::{Compression, write::GzEncoder};

use crate::{
    Failure,
    cargo::root,
    dist::{self, Platform},
    options, plugins,
    say::{answer, say},
};

const PAGE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- printed by cargo xtask bench --write -->\n";
const END: &str = "<!-- end -->\n";
/// The recorded cluster that is read, many times over.
const STORY: &str = "operand-lab";
/// The plugin that is measured; the others are made of the same parts.
const PLUGIN: &str = "gpu-audit";

/// Builds one plugin with several profiles for this machine, and measures size, start and the reading of a big recording,
/// all of them in turn so that a busy machine is busy for all.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", no_binary_name = true)]
struct Options {
    /// How often everything is measured.
    #[arg(long, value_name = "N", default_value_t = 15)]
    rounds: usize,
    /// How many nodes the recording has.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    nodes: usize,
    /// Write the table into docs/performance.md.
    #[arg(long)]
    write: bool,
}

/// A profile that could be the one in Cargo.toml.
struct Candidate {
    level: &'static str,
    lto: &'static str,
}

/// The first is the one that releases are built with.
const CANDIDATES: &[Candidate] = &[
    Candidate {
        level: "\"z\"",
        lto: "\"fat\"",
    },
    Candidate {
        level: "\"s\"",
        lto: "\"fat\"",
    },
    Candidate {
        level: "2",
        lto: "\"fat\"",
    },
    Candidate {
        level: "3",
        lto: "\"fat\"",
    },
    Candidate {
        level: "\"z\"",
        lto: "\"thin\"",
    },
    Candidate {
        level: "3",
        lto: "\"thin\"",
    },
];

/// What was measured of one.
struct Measured {
    name: String,
    build: Duration,
    bytes: usize,
    packed: usize,
    program: PathBuf,
    start: Vec<Duration>,
    scan: Vec<Duration>,
}

/// Builds, measures and prints.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let options: Options = options(args)?;
    if options.rounds == 0 || options.nodes == 0 {
        return Err(Failure::Usage(
            "there is nothing to measure with 0".to_owned(),
        ));
    }
    Ok(bench(&options)?)
}

fn bench(options: &Options) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| format!("no place to work in: {error}"))?;
    let text = recording::text(root(), STORY, options.nodes)?;
    let file = place.path().join("cluster.json");
    fs::write(&file, &text).map_err(|error| format!("cannot write the recording: {error}"))?;
    let mut measured = Vec::new();
    for candidate in CANDIDATES {
        measured.push(build(candidate, place.path())?);
    }
    for round in 0..options.rounds {
        say(&format!("round {} of {}", round + 1, options.rounds));
        for it in &mut measured {
            it.start
                .push(time(Command::new(&it.program).arg("--help"))?);
            let mut scan = Command::new(&it.program);
            it.scan
                .push(time(scan.args(["-o", "lines", "-f"]).arg(&file))?);
        }
    }
    let about = format!(
        "{} on {}, {} rounds, a recording of {} nodes ({} MB of JSON):\n\n",
        PLUGIN,
        Platform::named("host")?.triple,
        options.rounds,
        options.nodes,
        text.len() / 1_000_000
    );
    let table = about + &table(&measured);
    answer(table.trim_end());
    if options.write {
        write(&root().join(PAGE), &table)?;
    }
    Ok(())
}

fn build(candidate: &Candidate, place: &Path) -> Result<Measured, String> {
    let Candidate { level, lto } = candidate;
    let name = format!("{}, {} LTO", level.trim_matches('"'), lto.trim_matches('"'));
    say(&format!("building with {name}"));
    let plugins = plugins::read(root())?;
    let plugin: Vec<_> = plugins.iter().filter(|it| it.name == PLUGIN).collect();
    let settings = [
        format!("profile.dist.opt-level={level}"),
        format!("profile.dist.lto={lto}"),
    ];
    let begin = Instant::now();
    let bytes = dist::program(&plugin, &settings)?;
    let build = begin.elapsed();
    let program = place.join(name.replace([',', ' '], "-"));
    fs::write(&program, &bytes).map_err(|error| format!("cannot keep {name}: {error}"))?;
    executable(&program)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let packed = gzip.write_all(&bytes).and_then(|()| gzip.finish());
    Ok(Measured {
        name,
        build,
        bytes: bytes.len(),
        packed: packed.map_err(|error| error.to_string())?.len(),
        program,
        start: Vec::new(),
        scan: Vec::new(),
    })
}

#[cfg(unix)]
fn executable(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result<(), String> {
    Ok(())
}

/// The time of a whole run; one that does not end well would be quick for the wrong reason.
fn time(command: &mut Command) -> Result<Duration, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begin = Instant::now();
    let status = command
        .status()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let time = begin.elapsed();
    match status.code() {
        Some(0) => Ok(time),
        _ => Err(format!("{command:?} failed ({status})")),
    }
}

fn table(measured: &[Measured]) -> String {
    let mut text = "\
| profile | build, s | bytes | packed | `--help`, ms | reading, ms | reading, of the first |
|---|---|---|---|---|---|---|
"
    .to_owned();
    let first = measured
        .first()
        .map(|it| median(&it.scan))
        .unwrap_or_default();
    for it in measured {
        let ms = |it: Duration| it.as_secs_f64() * 1000.0;
        text.push_str(&format!(
            "| {} | {:.0} | {} | {} | {:.1} | {:.0} | {:.2} |\n",
            it.name,
            it.build.as_secs_f64(),
            it.bytes,
            it.packed,
            ms(median(&it.start)),
            ms(median(&it.scan)),
            ms(median(&it.scan)) / ms(first),
        ));
    }
    text
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Puts the table between the marks of the page.
fn write(page: &Path, table: &str) -> Result<(), String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", page.display());
    let text = fs::read_to_string(page).map_err(|it| failed(&it))?;
    let text = between(&text, table).ok_or_else(|| failed(&"the marks are missing"))?;
    fs::write(page, text).map_err(|it| failed(&it))
}

fn between(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_one_counts_whatever_the_order() {
        let ms = |it: &[u64]| {
            it.iter()
                .map(|&it| Duration::from_millis(it))
                .collect::<Vec<_>>()
        };
        assert_eq!(median(&ms(&[900, 1, 3, 2, 4])), Duration::from_millis(3));
        assert_eq!(median(&[]), Duration::ZERO);
    }

    #[test]
    fn the_table_goes_between_the_marks_and_nowhere_else() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        assert_eq!(
            between(&text, "new\n"),
            Some(format!("a\n{BEGIN}\nnew\n\n{END}b\n"))
        );
        assert_eq!(between("a\n", "new\n"), None);
    }

    #[test]
    fn the_profile_of_the_releases_is_the_first_that_is_measured() {
        let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let (_, profile) = manifest.split_once("[profile.dist]\n").unwrap();
        let Candidate { level, lto } = &CANDIDATES[0];
        assert!(
            profile.contains(&format!("opt-level = {level}\nlto = {lto}\n")),
            "{profile}"
        );
    }
}
