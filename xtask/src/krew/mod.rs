//! `cargo xtask krew`: manifests and an index for krew, made from plugins.yaml and the archives of a release.

mod index;
mod install;
mod manifest;
mod package;
mod serve;
mod template;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Parser, Subcommand};

use crate::{
    Failure,
    cargo::root,
    dist::{self, Platform},
    generated::{self, Generated},
    options,
    plugins::{self, Plugin},
    say::say,
};

const FOLDER: &str = "krew-manifests";
/// Below it: what krew-release-bot renders.
const TEMPLATES: &str = "krew-manifests/templates";

/// Prints the templates, then makes the manifests of a release from the archives of `cargo xtask dist`, writes them into
/// krew-manifests/ and into an index, a git repository with plugins/ at its root.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask krew",
    no_binary_name = true,
    args_conflicts_with_subcommands = true
)]
struct Options {
    #[command(flatten)]
    release: Release,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, clap::Args)]
struct Release {
    /// The name of the release; v and the workspace's version when absent.
    #[arg(long, value_name = "TAG", default_value_t = dist::tag())]
    tag: String,
    /// Where the archives are.
    #[arg(long, value_name = "DIR", default_value_os_t = root().join(dist::FOLDER))]
    dist: PathBuf,
    /// Where the archives will be fetched from; the release on GitHub when absent.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Where the manifests are written.
    #[arg(long, value_name = "DIR", default_value_os_t = root().join(FOLDER))]
    manifests: PathBuf,
    /// The repository of the index; `index` beside the archives when absent.
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    /// Only print krew-manifests/templates from plugins.yaml.
    Templates {
        /// Only compare.
        #[arg(long)]
        check: bool,
    },
    /// Check manifests as strictly as krew, its validation and its reviewers do together.
    Verify {
        /// The manifests.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Check the archives here too.
        #[arg(long, value_name = "DIR")]
        dist: Option<PathBuf>,
    },
    /// Build for this machine, and install every plugin into your krew.
    Install,
    /// Serve the archives on a free port of 127.0.0.1 until Ctrl-C, and print the address: the base URL to try manifests.
    Serve {
        /// Where the archives are.
        #[arg(long, value_name = "DIR", default_value_os_t = root().join(dist::FOLDER))]
        dist: PathBuf,
    },
}

/// Does what was asked for.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let options: Options = options(args)?;
    match options.instead {
        None => Ok(make(&options.release)?),
        Some(Instead::Templates { check: true }) => Ok(check()?),
        Some(Instead::Templates { check: false }) => Ok(generated::print(&templates()?)?),
        Some(Instead::Verify { files, dist }) => Ok(verify(&files, dist.as_deref())?),
        Some(Instead::Install) => Ok(install::run()?),
        Some(Instead::Serve { dist }) => Ok(serve::run(&dist)?),
    }
}

fn make(release: &Release) -> Result<(), String> {
    generated::print(&templates()?)?;
    let Release { tag, dist, .. } = release;
    let base_url = release
        .base_url
        .clone()
        .unwrap_or_else(|| template::base_url(tag));
    let made = manifests(dist, tag, &base_url, &[])?;
    for it in &made {
        let path = release.manifests.join(&it.path);
        fs::create_dir_all(&release.manifests)
            .and_then(|()| fs::write(&path, &it.text))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        say(&format!("wrote {}", path.display()));
    }
    let index = release.index.clone().unwrap_or_else(|| dist.join("index"));
    let changed = if index::write(&index, &made, tag)? {
        "committed to"
    } else {
        "nothing new for"
    };
    say(&format!("{changed} the index {}", index.display()));
    Ok(())
}

/// The manifests of the archives in `dist`, checked against them; `only` these platforms, or all that have an archive.
fn manifests(
    dist: &Path,
    tag: &str,
    base_url: &str,
    only: &[&Platform],
) -> Result<Vec<Generated>, String> {
    let mut made = Vec::new();
    for plugin in plugins::read(root())? {
        let mut platforms = platforms(&plugin)?;
        platforms.retain(|it| {
            (only.is_empty() || only.contains(it))
                && dist.join(it.archive(&plugin.binary, tag)).is_file()
        });
        if platforms.is_empty() {
            return Err(format!(
                "there is no archive of {} {tag} in {}; `cargo xtask dist` makes them",
                plugin.binary,
                dist.display()
            ));
        }
        let at = |archive: &str| {
            Ok((
                format!("{base_url}/{archive}"),
                dist::sha256(&read(dist, archive)?),
            ))
        };
        let text = template::render(&template::template(&plugin, &platforms), tag, at)?;
        let path = format!("{}.yaml", plugin.name);
        let problems = problems(&path, &text, Some(dist));
        if !problems.is_empty() {
            return Err(format!("{path}: {}", problems.join("; ")));
        }
        made.push(Generated { path, text });
    }
    Ok(made)
}

/// Everything that is wrong with a manifest, and with its archives where they are at hand.
fn problems(file: &str, text: &str, dist: Option<&Path>) -> Vec<String> {
    let mut problems = manifest::problems(file, text);
    if let (Some(dist), Ok(manifest)) = (dist, manifest::parse(text)) {
        for row in &manifest.spec.platforms {
            let archive = row.uri.rsplit('/').next().unwrap_or_default();
            let of_it = match read(dist, archive) {
                Ok(bytes) => package::problems(row, &bytes),
                Err(error) => vec![error],
            };
            problems.extend(of_it.into_iter().map(|it| format!("{archive}: {it}")));
        }
    }
    problems
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(name);
    fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn verify(files: &[PathBuf], dist: Option<&Path>) -> Result<(), String> {
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let problems = problems(&name, &text, dist);
        found.extend(
            problems
                .into_iter()
                .map(|it| format!("{}: {it}", path.display())),
        );
    }
    if found.is_empty() {
        say(&format!("{} manifests hold", files.len()));
        return Ok(());
    }
    Err(found.join("\nerror: "))
}

/// Compares the templates that are there with what would be printed.
pub(crate) fn check() -> Result<(), String> {
    let whole = [(TEMPLATES, ".yaml")];
    generated::compare(&templates()?, &whole, "plugins.yaml says", "krew templates")
}

fn templates() -> Result<Vec<Generated>, String> {
    let plugins = plugins::read(root())?;
    let template = |it: &Plugin| {
        Ok(Generated {
            path: format!("{TEMPLATES}/{}.yaml", it.name),
            text: template::template(it, &platforms(it)?),
        })
    };
    plugins.iter().map(template).collect()
}

fn platforms(plugin: &Plugin) -> Result<Vec<&'static Platform>, String> {
    plugin
        .platforms
        .iter()
        .map(|it| Platform::named(it))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_of_this_tree_are_fresh() {
        check().unwrap();
        // The file that an archive has to hold, by a name that krew's validation takes for a licence.
        assert!(fs::exists(root().join(dist::LICENSE)).unwrap());
    }

    #[test]
    fn without_archives_it_is_said_how_they_are_made() {
        let empty = tempfile::tempdir().unwrap();
        let error = manifests(empty.path(), "v1.0.0", "http://127.0.0.1", &[]).unwrap_err();
        assert!(
            error.contains("no archive of kubectl-gpu_audit v1.0.0"),
            "{error}"
        );
        assert!(error.ends_with("`cargo xtask dist` makes them"), "{error}");
    }
}
