//! docs/man: the manual page of every plugin, as the program `manual` prints it from the plugin's command line.

use std::process::{Command, Stdio};

use crate::{
    cargo::{binary, take},
    generated::Generated,
    plugins::Plugin,
};

/// The folder; nothing else is in it.
pub(super) const FOLDER: &str = "docs/man";

/// The pages. The programs have to be built.
pub(super) fn pages(plugins: &[Plugin]) -> Result<Vec<Generated>, String> {
    plugins.iter().map(page).collect()
}

fn page(plugin: &Plugin) -> Result<Generated, String> {
    let mut command = Command::new(binary("manual")?);
    command.arg(&plugin.binary).stdin(Stdio::null());
    Ok(Generated {
        path: format!("{FOLDER}/{}.1", plugin.binary),
        text: take(command)?,
    })
}
