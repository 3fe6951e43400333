//! Prints the manual page of a plugin; `cargo xtask docs` keeps the pages in docs/man.

mod page;
mod text;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use gpu_cli::Plugin;

/// Each plugin with its command line, as kubectl's users type it.
fn plugins() -> [(&'static Plugin, Command); 3] {
    [
        row::<gpu_audit::Args>(&gpu_audit::PLUGIN),
        row::<gpu_drivertag::Args>(&gpu_drivertag::PLUGIN),
        row::<gpu_order::Args>(&gpu_order::PLUGIN),
    ]
}

fn row<A: clap::CommandFactory>(plugin: &'static Plugin) -> (&'static Plugin, Command) {
    (plugin, plugin.command::<A>(&plugin.kubectl_name()))
}

fn main() -> ExitCode {
    let done = match env::args().nth(1) {
        Some(name) => print(&name),
        None => Err(io::Error::other("name a plugin, such as kubectl-gpu_audit")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nobody can be told where that fails.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn print(name: &str) -> io::Result<()> {
    let found = plugins()
        .into_iter()
        .find(|(it, _)| it.program.name == name);
    let (plugin, command) = found.ok_or_else(|| {
        io::Error::other(format!("{name} has no row in xtask/manual/src/main.rs"))
    })?;
    let others = plugins().map(|(it, _)| it.program.name);
    let others: Vec<_> = others.into_iter().filter(|it| *it != name).collect();
    io::stdout().write_all(&page::page(plugin, command, &others)?)
}
