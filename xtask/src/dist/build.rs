//! The programs of a release: built so that neither this machine nor the place of the work tree shows in them.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{linker::Linker, platform::Platform, stamp::without_time};
use crate::{cargo::see, plugins::Plugin};

/// The profile in Cargo.toml, and the name of the folder it builds into.
const PROFILE: &str = "dist";
/// What stands for the work tree in a program.
const TREE: &str = "/kubectl-gpu";
/// What stands for the sources of the dependencies.
const DEPENDENCIES: &str = "/cargo";

/// A program and its bytes.
pub(super) struct Program {
    /// The name of the binary, without `.exe`.
    pub(super) name: String,
    /// The whole file.
    pub(super) bytes: Vec<u8>,
}

/// Builds every plugin of the work tree at `tree` for a platform; `settings` are put over those of Cargo.toml.
pub(super) fn programs(
    tree: &Path,
    platform: &Platform,
    plugins: &[&Plugin],
    settings: &[String],
) -> Result<Vec<Program>, String> {
    let linker = Linker::prepare(platform)?;
    let target = target_folder(tree);
    let mut command = linker.cargo(platform);
    command.current_dir(tree).args([
        "--locked",
        "--profile",
        PROFILE,
        "--target",
        platform.triple,
    ]);
    for plugin in plugins {
        command.args(["--package", &plugin.binary]);
    }
    for it in settings {
        command.args(["--config", it]);
    }
    command
        .env(
            "CARGO_ENCODED_RUSTFLAGS",
            flags(tree, &target).join("\u{1f}"),
        )
        .env("CARGO_TARGET_DIR", &target);
    see(command)?;
    let folder = target.join(platform.triple).join(PROFILE);
    plugins
        .iter()
        .map(|it| {
            let built = program(&folder, it, platform)?;
            Ok(Program {
                bytes: without_time(built.bytes),
                ..built
            })
        })
        .collect()
}

/// Takes programs that somebody has built, or signed, from a folder.
pub(super) fn program(
    folder: &Path,
    plugin: &Plugin,
    platform: &Platform,
) -> Result<Program, String> {
    let path = folder.join(format!("{}{}", plugin.binary, platform.exe()));
    let bytes =
        fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(Program {
        name: plugin.binary.clone(),
        bytes,
    })
}

fn target_folder(tree: &Path) -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        // Another tree's programs must not be taken for this one's.
        Some(folder) if tree == crate::cargo::root() => tree.join(folder),
        _ => tree.join("target"),
    }
}

/// What the compiler is told beside the profile: other names for the folders of this machine.
fn flags(tree: &Path, target: &Path) -> Vec<String> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|it| it.join(".cargo")))
        .unwrap_or_default();
    // Of several that fit, the compiler takes the last.
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    vec![
        remap(&home, DEPENDENCIES),
        remap(target, TREE),
        remap(tree, TREE),
    ]
}
