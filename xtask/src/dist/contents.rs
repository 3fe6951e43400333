//! What goes into which archive.

use std::{fs, path::Path};

use super::{archive::Entry, build::Program, platform::Platform};
use crate::plugins::Plugin;

/// The name of the archive with all plugins.
pub(crate) const SUITE: &str = "kubectl-gpu";
/// krew's validation looks for a licence by exactly such a name.
pub(crate) const LICENSE: &str = "LICENSE";

/// The archive of one plugin: its program, and what every archive has.
pub(super) fn of_plugin(
    tree: &Path,
    plugin: &Plugin,
    program: &Program,
    platform: &Platform,
) -> Result<Vec<Entry>, String> {
    let mut entries = shared(tree)?;
    entries.extend(own(tree, plugin, program, platform)?);
    Ok(entries)
}

/// The archive of the suite: all programs, and what every archive has once.
pub(super) fn of_suite(
    tree: &Path,
    plugins: &[&Plugin],
    programs: &[Program],
    platform: &Platform,
) -> Result<Vec<Entry>, String> {
    let mut entries = shared(tree)?;
    for (plugin, program) in plugins.iter().zip(programs) {
        entries.extend(own(tree, plugin, program, platform)?);
    }
    Ok(entries)
}

fn shared(tree: &Path) -> Result<Vec<Entry>, String> {
    Ok(vec![
        text(tree, LICENSE, LICENSE)?,
        text(tree, "README.md", "README.md")?,
    ])
}

fn own(
    tree: &Path,
    plugin: &Plugin,
    program: &Program,
    platform: &Platform,
) -> Result<Vec<Entry>, String> {
    let binary = &plugin.binary;
    let page = format!("{binary}.1");
    let shim = plugin.shim();
    Ok(vec![
        Entry {
            name: format!("{}{}", program.name, platform.exe()),
            bytes: program.bytes.clone(),
            executable: true,
        },
        text(tree, &format!("docs/man/{page}"), &page)?,
        match platform.os {
            "windows" => Entry {
                name: format!("{shim}.cmd"),
                bytes: shim_text(tree, "shim.cmd", binary)?,
                executable: true,
            },
            _ => Entry {
                name: shim,
                bytes: shim_text(tree, "shim.sh", binary)?,
                executable: true,
            },
        },
    ])
}

/// The same text that `completion install` writes.
fn shim_text(tree: &Path, name: &str, binary: &str) -> Result<Vec<u8>, String> {
    let path = format!("crates/gpu-cli/src/completion/{name}");
    let text = text(tree, &path, name)?;
    let text = String::from_utf8_lossy(&text.bytes).replace("{program}", binary);
    Ok(text.into_bytes())
}

fn text(tree: &Path, path: &str, name: &str) -> Result<Entry, String> {
    let bytes =
        fs::read(tree.join(path)).map_err(|error| format!("cannot read {path}: {error}"))?;
    Ok(Entry {
        name: name.to_owned(),
        bytes,
        executable: false,
    })
}
