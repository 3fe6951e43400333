//! `cargo xtask krew install`: from this clone into the user's krew, by the way that a release takes.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{index, manifests, serve::Server};
use crate::{
    cargo::{root, see, take},
    dist::{self, Platform},
    plugins::{self, Plugin},
    say::say,
};

/// The name of the index; not that of the released one, so that both can be there.
const INDEX: &str = "kubectl-gpu-local";
/// Where it lies, below the folder of the archives.
const FOLDER: &str = "local-index";
const HOW_TO_GET_KREW: &str = "https://krew.sigs.k8s.io/docs/user-guide/setup/install/";

/// Builds for this machine, serves the archives while krew fetches them, and installs every plugin.
pub(super) fn run() -> Result<(), String> {
    let krew = Krew::find()?;
    let plugins = plugins::read(root())?;
    let host = Platform::named("host")?;
    let folder = root().join(dist::FOLDER);
    let tag = dist::tag();
    dist::host(&folder, &tag)?;

    let server = Server::start(archives(&folder, &tag, host, &plugins)?)?;
    let manifests = manifests(&folder, &tag, &server.url(), &[host])?;
    let index = folder.join(FOLDER);
    index::write(&index, &manifests, &tag)?;
    if !krew_root().join("index/default").exists() {
        // A krew that was never used does nothing before it has its own index.
        krew.run(&["update"])?;
    }
    krew.take_away_old_ones(&plugins, &index)?;
    krew.run(&["index", "add", INDEX, &index.to_string_lossy()])?;
    let names: Vec<String> = plugins
        .iter()
        .map(|it| format!("{INDEX}/{}", it.name))
        .collect();
    let mut words = vec!["install", "--no-update-index"];
    words.extend(names.iter().map(String::as_str));
    krew.run(&words)?;
    tell_what_next(&plugins);
    Ok(())
}

fn archives(
    folder: &Path,
    tag: &str,
    platform: &Platform,
    plugins: &[Plugin],
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let names = plugins.iter().map(|it| platform.archive(&it.binary, tag));
    names
        .map(|name| {
            let bytes = fs::read(folder.join(&name))
                .map_err(|error| format!("cannot read {name}: {error}"))?;
            Ok((name, bytes))
        })
        .collect()
}

/// The user's krew.
struct Krew(PathBuf);

impl Krew {
    fn find() -> Result<Krew, String> {
        let exe = env::consts::EXE_SUFFIX;
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path)
            .map(|it| it.join(format!("kubectl-krew{exe}")))
            .find(|it| it.is_file());
        found.map(Krew).ok_or_else(|| {
            format!("kubectl-krew is not on PATH; {HOW_TO_GET_KREW} says how to get krew")
        })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        // A terminal's stdin would make `install` wait for names.
        command
            .args(words)
            .stdin(Stdio::null())
            .env("KREW_NO_UPGRADE_CHECK", "1");
        command
    }

    fn run(&self, words: &[&str]) -> Result<(), String> {
        see(self.command(words))
    }

    /// krew upgrades to higher versions only, and the same version of a clone may have changed: what is there from this
    /// index goes first. What is there from another index is the user's.
    fn take_away_old_ones(&self, plugins: &[Plugin], index: &Path) -> Result<(), String> {
        let installed = take(self.command(&["list"]))?;
        let foreign = foreign(&installed, plugins);
        if !foreign.is_empty() {
            return Err(format!(
                "already installed from another index: {foreign}; to replace: kubectl krew uninstall {foreign}"
            ));
        }
        let ours = plugins.iter().filter(|it| {
            installed
                .lines()
                .any(|line| line == format!("{INDEX}/{}", it.name))
        });
        let ours: Vec<&str> = ours.map(|it| it.name.as_str()).collect();
        if !ours.is_empty() {
            self.run(&[&["uninstall"], ours.as_slice()].concat())?;
        }
        let indexes = take(self.command(&["index", "list"]))?;
        match place(&indexes) {
            None => Ok(()),
            Some(known) if known == index => self.run(&["index", "remove", INDEX]),
            Some(known) => Err(format!(
                "the index {INDEX} is that of another clone, {}; to replace: kubectl krew index remove --force {INDEX}",
                known.display()
            )),
        }
    }
}

/// Where our index lies, as `krew index list` shows it: a name and a place in each row.
fn place(indexes: &str) -> Option<PathBuf> {
    let mut rows = indexes
        .lines()
        .filter_map(|it| it.split_once(char::is_whitespace));
    let (_, place) = rows.find(|(name, _)| *name == INDEX)?;
    Some(PathBuf::from(place.trim()))
}

/// The plugins of ours that `krew list` shows from another index, as words for `krew uninstall`. Those of krew's own index
/// stand there without its name.
fn foreign(installed: &str, plugins: &[Plugin]) -> String {
    let is_foreign = |line: &&str| {
        let (index, name) = line.rsplit_once('/').unwrap_or(("default", line));
        index != INDEX && plugins.iter().any(|it| it.name == name)
    };
    let names = installed.lines().filter(is_foreign);
    let names = names.map(|it| it.rsplit('/').next().unwrap_or(it));
    names.collect::<Vec<_>>().join(" ")
}

fn tell_what_next(plugins: &[Plugin]) {
    let bin = krew_root().join("bin");
    let path = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|it| it == bin) {
        let bin = bin.display();
        say(&format!(
            "{bin} is not on PATH; in bash or zsh: export PATH=\"{bin}:$PATH\""
        ));
    }
    for plugin in plugins {
        say(&format!("kubectl {:14} {}", plugin.name, plugin.short));
    }
}

/// Where krew keeps everything.
fn krew_root() -> PathBuf {
    root_of(env::var_os("KREW_ROOT"), env::home_dir())
}

fn root_of(given: Option<OsString>, home: Option<PathBuf>) -> PathBuf {
    let given = given.filter(|it| !it.is_empty()).map(PathBuf::from);
    given.unwrap_or_else(|| home.unwrap_or_default().join(".krew"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_from_another_index_is_the_users() {
        let plugins = plugins::read(root()).unwrap();
        for (installed, want) in [
            ("krew\nkubectl-gpu-local/gpu-audit\n", ""),
            (
                "gpu-audit\nother/gpu-order\nother/tree\n",
                "gpu-audit gpu-order",
            ),
            ("", ""),
        ] {
            assert_eq!(foreign(installed, &plugins), want, "{installed:?}");
        }
    }

    #[test]
    fn an_index_is_found_by_its_whole_name_and_keeps_its_spaces() {
        let listed = "INDEX               URL\nkubectl-gpu-local-2  /x\nkubectl-gpu-local    /my clone/dist\n";
        assert_eq!(place(listed), Some(PathBuf::from("/my clone/dist")));
        assert_eq!(place("INDEX  URL\ndefault  https://x\n"), None);
    }

    #[test]
    fn krew_keeps_everything_in_its_root_or_in_the_home_folder() {
        let root = |given: Option<&str>| root_of(given.map(OsString::from), Some("/home/x".into()));
        assert_eq!(root(None), PathBuf::from("/home/x/.krew"));
        assert_eq!(root(Some("")), PathBuf::from("/home/x/.krew"));
        assert_eq!(root(Some("/k")), PathBuf::from("/k"));
    }
}
