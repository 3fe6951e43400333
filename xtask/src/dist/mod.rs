//! `cargo xtask dist`: the archives of a release, their checksums, and the list of what is in every program.

mod archive;
mod build;
mod checksums;
mod claims;
mod contents;
mod linker;
mod platform;
mod reproduce;
mod sbom;
mod stamp;

pub(crate) use archive::{Found, Plain, read};
pub(crate) use checksums::sha256;
pub(crate) use contents::LICENSE;
pub(crate) use platform::Platform;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use clap::Parser;

use crate::{
    Failure,
    cargo::{root, take},
    options,
    plugins::{self, Plugin},
    say::{answer, say},
};
use build::Program;

/// Where the archives are put, below the root.
pub(crate) const FOLDER: &str = "dist";

/// Builds every plugin for every platform that this machine can link for, and packs it: one archive for each plugin and
/// platform, one with the whole suite, an SBOM for each, and checksums.txt.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask dist", no_binary_name = true)]
struct Options {
    /// Only this platform, as os/arch in Go's words, or `host`; may be repeated. It is an error if it cannot be built.
    #[arg(long, value_name = "OS/ARCH")]
    platform: Vec<String>,
    /// The name of the release; v and the workspace's version when absent.
    #[arg(long, value_name = "TAG", default_value_t = tag())]
    tag: String,
    /// Where the files are put.
    #[arg(long, value_name = "DIR", default_value_os_t = root().join(FOLDER))]
    out: PathBuf,
    /// Pack programs that are already built, or signed, from DIR/OS-ARCH instead of building them.
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    binaries: Option<PathBuf>,
    /// Only write checksums.txt again, of files that several machines have made.
    #[arg(long)]
    checksums: bool,
    /// Only print what this machine is called.
    #[arg(long)]
    print_host: bool,
    /// Build the last commit twice in two folders, and compare all files.
    #[arg(long)]
    check: bool,
}

/// A release: its name, and where its programs come from.
struct Release {
    tag: String,
    binaries: Option<PathBuf>,
}

/// The name of the release that this tree would make.
pub(crate) fn tag() -> String {
    format!("v{}", env!("CARGO_PKG_VERSION"))
}

/// Makes the archives, or checks that they come out the same twice.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let options: Options = options(args)?;
    if options.print_host {
        answer(&Platform::named("host")?.name());
        return Ok(());
    }
    let plugins = plugins::read(root())?;
    let release = Release {
        tag: release_name(options.tag)?,
        binaries: options.binaries,
    };
    if options.checksums {
        return Ok(checksums::write(&options.out, &release.tag)?);
    }
    let (platforms, left) = platforms(&options.platform, &plugins, &release)?;
    if options.check {
        reproduce::check(&release, &platforms)?;
    } else {
        make(root(), &options.out, &release, &platforms)?;
        say(&format!(
            "{} is ready in {}",
            release.tag,
            options.out.display()
        ));
    }
    for why in left {
        say(&format!("not built here: {why}"));
    }
    Ok(())
}

/// Makes the archives of this machine's own platform.
pub(crate) fn host(out: &Path, tag: &str) -> Result<(), String> {
    let release = Release {
        tag: tag.to_owned(),
        binaries: None,
    };
    make(root(), out, &release, &[Platform::named("host")?])
}

/// The program of one plugin for this machine, built with these settings over those of Cargo.toml.
pub(crate) fn program(plugin: &[&Plugin], settings: &[String]) -> Result<Vec<u8>, String> {
    let programs = build::programs(root(), Platform::named("host")?, plugin, settings)?;
    let program = programs.into_iter().next();
    program
        .map(|it| it.bytes)
        .ok_or_else(|| "nothing was built".to_owned())
}

/// krew wants a leading `v` and all of a semantic version.
fn release_name(tag: String) -> Result<String, Failure> {
    match tag.strip_prefix('v').map(semver::Version::parse) {
        Some(Ok(_)) => Ok(tag),
        _ => Err(Failure::Usage(format!(
            "'{tag}' is no release, such as v1.2.3"
        ))),
    }
}

/// What is built, and why the rest is not.
type Choice = (Vec<&'static Platform>, Vec<String>);

/// The platforms that were asked for, all of which have to work, or those of plugins.yaml that work here.
fn platforms(asked: &[String], plugins: &[Plugin], release: &Release) -> Result<Choice, Failure> {
    let all: BTreeSet<&String> = plugins.iter().flat_map(|it| &it.platforms).collect();
    let names: Vec<&String> = if asked.is_empty() {
        all.into_iter().collect()
    } else {
        asked.iter().collect()
    };
    let (mut chosen, mut left) = (Vec::new(), Vec::new());
    for name in names {
        let platform = Platform::named(name).map_err(Failure::Usage)?;
        let ready = match release.binaries {
            Some(_) => Ok(()),
            None => linker::Linker::prepare(platform).map(drop),
        };
        match ready {
            Ok(()) => chosen.push(platform),
            Err(why) if asked.is_empty() => left.push(format!("{}: {why}", platform.name())),
            Err(why) => return Err(Failure::Failed(format!("{}: {why}", platform.name()))),
        }
    }
    Ok((chosen, left))
}

/// Makes all files of a release from the work tree at `tree`.
fn make(
    tree: &Path,
    out: &Path,
    release: &Release,
    platforms: &[&'static Platform],
) -> Result<(), String> {
    let plugins = plugins::read(tree)?;
    fs::create_dir_all(out).map_err(|error| format!("cannot make {}: {error}", out.display()))?;
    for platform in platforms {
        let of_it = plugins
            .iter()
            .filter(|it| it.platforms.contains(&platform.name()));
        let of_it: Vec<&Plugin> = of_it.collect();
        say(&format!("{}: {}", platform.name(), platform.triple));
        let programs = programs(tree, release, platform, &of_it)?;
        check(&programs, platform)?;
        pack(tree, out, release, platform, &of_it, &programs)?;
    }
    checksums::write(out, &release.tag)
}

fn programs(
    tree: &Path,
    release: &Release,
    platform: &Platform,
    plugins: &[&Plugin],
) -> Result<Vec<Program>, String> {
    let Some(binaries) = &release.binaries else {
        return build::programs(tree, platform, plugins, &[]);
    };
    let folder = binaries.join(format!("{}-{}", platform.os, platform.arch));
    plugins
        .iter()
        .map(|it| build::program(&folder, it, platform))
        .collect()
}

fn check(programs: &[Program], platform: &Platform) -> Result<(), String> {
    for program in programs {
        let broken = claims::broken(&program.bytes, platform);
        if !broken.is_empty() {
            return Err(format!(
                "{} for {}: {}",
                program.name,
                platform.name(),
                broken.join("; ")
            ));
        }
        say(&format!(
            "{:9} bytes  {}",
            program.bytes.len(),
            program.name
        ));
    }
    Ok(())
}

/// Packs what was built for one platform, and lists what is in it.
fn pack(
    tree: &Path,
    out: &Path,
    release: &Release,
    platform: &Platform,
    plugins: &[&Plugin],
    programs: &[Program],
) -> Result<(), String> {
    let tag = &release.tag;
    let seconds = time(tree);
    let packages = sbom::Packages::of(tree, platform)?;
    let mut archives = vec![(
        contents::SUITE,
        plugins.to_vec(),
        contents::of_suite(tree, plugins, programs, platform)?,
    )];
    for (&plugin, program) in plugins.iter().zip(programs) {
        let entries = contents::of_plugin(tree, plugin, program, platform)?;
        archives.push((&plugin.binary, vec![plugin], entries));
    }
    for (what, plugins, entries) in archives {
        let name = platform.archive(what, tag);
        let bytes = match platform.ending() {
            "zip" => archive::zip(&entries, seconds)?,
            _ => archive::tar_gz(&entries, seconds)?,
        };
        let list = packages.sbom(&name, tag.trim_start_matches('v'), &plugins, seconds)?;
        keep(out, &name, &bytes)?;
        keep(out, &format!("{name}.cdx.json"), &list)?;
        say(&format!("{:9} bytes  {name}", bytes.len()));
    }
    Ok(())
}

/// Writes a file whole or not at all, and leaves one alone that is the same: somebody may be reading it.
fn keep(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    if fs::read(&path).is_ok_and(|it| it == bytes) {
        return Ok(());
    }
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&draft, bytes)
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The time of every file, in seconds since 1970: `SOURCE_DATE_EPOCH`, or that of the last commit. 1980 where there is no
/// repository, since a zip knows no earlier time.
fn time(tree: &Path) -> u64 {
    const WITHOUT: u64 = 315_532_800;
    let given = env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|it| it.parse().ok());
    let committed = || {
        let mut git = std::process::Command::new("git");
        git.args(["log", "-1", "--format=%ct"]).current_dir(tree);
        take(git).ok().and_then(|it| it.trim().parse().ok())
    };
    given.or_else(committed).unwrap_or(WITHOUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> String {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match run(&args) {
            Err(Failure::Usage(why) | Failure::Failed(why)) => why,
            Ok(()) | Err(Failure::Help(_)) => panic!("'{line}' was not refused"),
        }
    }

    #[test]
    fn what_cannot_be_built_is_refused_before_anything_is_built() {
        for (line, want) in [
            ("--platform plan9/amd64", "there are: linux/amd64"),
            ("--tag 1.0.0", "such as v1.2.3"),
            ("--tag v1", "such as v1.2.3"),
            ("--chekc", "--check"),
            ("--check --binaries x", "cannot be used with"),
        ] {
            assert!(refusal(line).contains(want), "{line}: {}", refusal(line));
        }
        if !cfg!(target_os = "macos") {
            let why = refusal("--platform darwin/arm64");
            assert!(why.contains("only macOS has the SDK"), "{why}");
        }
    }

    #[test]
    fn the_time_of_a_release_is_that_of_its_commit() {
        let of_commit = {
            let mut git = std::process::Command::new("git");
            git.args(["log", "-1", "--format=%ct"]).current_dir(root());
            take(git).unwrap()
        };
        if env::var_os("SOURCE_DATE_EPOCH").is_none() {
            assert_eq!(time(root()).to_string(), of_commit.trim());
        }
    }
}
