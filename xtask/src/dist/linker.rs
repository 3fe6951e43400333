//! Whether this machine can link for a platform, and with what: its own compiler, or zig for everything foreign.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::platform::Platform;
use crate::{
    cargo::{cargo, root, see, take},
    say::say,
    tools,
};

/// zig brings the C library and the linker of every Linux and of Windows; it and cargo's way to it come from Python's
/// package index, as wheels that hold programs.
const ZIG: &str = "0.15.2";
const ZIGBUILD: &str = "0.24.1";

/// With what a platform is linked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Linker {
    /// The machine's own compiler.
    Own,
    /// zig, in this folder.
    Zig(PathBuf),
}

impl Linker {
    /// Makes ready what it takes to link for a platform; the error says why that cannot be done here.
    pub(super) fn prepare(platform: &Platform) -> Result<Linker, String> {
        let linker = if platform.is_host() || (cfg!(target_os = "macos") && platform.os == "darwin")
        {
            Linker::Own
        } else if platform.os == "darwin" {
            return Err("only macOS has the SDK that it is linked with; the release workflow builds it there".to_owned());
        } else {
            Linker::Zig(zig()?)
        };
        standard_library(platform.triple)?;
        Ok(linker)
    }

    /// cargo with the start of a command that builds for `platform`.
    pub(super) fn cargo(&self, platform: &Platform) -> Command {
        match self {
            Linker::Own => {
                let mut command = cargo(&["build"]);
                if platform.os == "linux" && !is_on_path("musl-gcc") {
                    // What is compiled from C uses no C library, so that of another one is as good.
                    command.env(format!("CC_{}", platform.triple.replace('-', "_")), "cc");
                }
                command
            }
            Linker::Zig(folder) => {
                let mut command = cargo(&["zigbuild"]);
                let path = env::var_os("PATH").unwrap_or_default();
                let folders = [folder.join("bin")]
                    .into_iter()
                    .chain(env::split_paths(&path));
                command
                    .env("PATH", env::join_paths(folders).unwrap_or(path))
                    .env("CARGO_ZIGBUILD_ZIG_PATH", folder.join("ziglang/zig"));
                command
            }
        }
    }
}

/// Installs zig where it is not there; returns its folder.
fn zig() -> Result<PathBuf, String> {
    let folder = tools::folder(&format!("zig-{ZIG}-cargo-zigbuild-{ZIGBUILD}"));
    // Written last, so that an interrupted install is not taken for one.
    if folder.join("bin/cargo-zigbuild").is_file() {
        return Ok(folder);
    }
    say(&format!(
        "installing zig {ZIG}, once per machine, into {}",
        folder.display()
    ));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--target"])
        .arg(&folder)
        .args([
            format!("ziglang=={ZIG}"),
            format!("cargo-zigbuild=={ZIGBUILD}"),
        ]);
    pip.stdin(Stdio::null());
    see(pip).map_err(|why| {
        format!("zig is needed, which comes by `python3 -m pip install ziglang=={ZIG} cargo-zigbuild=={ZIGBUILD}`: {why}")
    })?;
    Ok(folder)
}

/// Adds Rust's standard library for a platform where it is not there.
fn standard_library(triple: &str) -> Result<(), String> {
    let in_root = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(root()).stdin(Stdio::null());
        command
    };
    let asked = ["--print", "target-libdir", "--target", triple];
    let folder = take(in_root("rustc", &asked))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    see(in_root("rustup", &["target", "add", triple]))
        .map_err(|why| format!("`rustup target add {triple}` has to work first: {why}"))
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|it| it.join(program).is_file())
}
