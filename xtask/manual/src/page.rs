//! One page: the sections that manual pages have, filled from a plugin and its command line.

use std::io;

use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};
use gpu_cli::{Plugin, help};

use crate::text::{self, Entry};

/// The page as roff. `others` are the pages of the other plugins.
pub(crate) fn page(plugin: &Plugin, mut command: Command, others: &[&str]) -> io::Result<Vec<u8>> {
    command.build();
    // Help leaves some flags to its longer form; a manual page has only that.
    command = command.mut_args(|it| it.hide_short_help(false));
    let version = plugin.program.version;
    // Without a date, so that a page changes only with what it says.
    let man = Man::new(command.clone())
        .title(plugin.program.name.to_uppercase())
        .source(format!("kubectl-gpu {version}"))
        .manual("kubectl plugins for GPU nodes");
    let mut page = format!(".\\\" {}\n", text::PRINTED).into_bytes();
    man.render_title(&mut page)?;
    // Names are not to be broken, nor lines to be filled with spaces.
    page.extend(b".nh\n.ad l\n");
    man.render_name_section(&mut page)?;
    write(&mut page, synopsis(&command))?;
    man.render_description_section(&mut page)?;
    write(&mut page, reads(plugin))?;
    write(&mut page, commands(&command))?;
    man.render_options_section(&mut page)?;
    write(&mut page, rest(plugin, others))?;
    Ok(page)
}

fn write(page: &mut Vec<u8>, roff: Roff) -> io::Result<()> {
    roff.to_writer(page)
}

/// One line a form, without the forty flags, which have their own sections.
fn synopsis(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let usage = command.clone().render_usage().to_string();
    for (at, line) in usage.trim_start_matches("Usage:").lines().enumerate() {
        if at > 0 {
            roff.control("br", []);
        }
        roff.text(form(command, line.trim()));
    }
    roff
}

/// The name in bold, and what may follow it.
fn form(command: &Command, line: &str) -> Vec<clap_mangen::roff::Inline> {
    let name = command.get_bin_name().unwrap_or_default();
    match line.strip_prefix(name) {
        Some(rest) => vec![bold(name), roman(rest)],
        None => vec![roman(line)],
    }
}

fn reads(plugin: &Plugin) -> Roff {
    let mut roff = Roff::new();
    roff.control("SS", ["What it reads"]);
    for line in help::reads(plugin) {
        roff.text([roman(line)]);
    }
    roff
}

/// The commands that the help lists, each with what only it has.
fn commands(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for it in command.get_subcommands().filter(|it| is_own(it)) {
        one_command(&mut roff, it);
    }
    roff
}

/// Help is a command of every program.
fn is_own(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn one_command(roff: &mut Roff, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    roff.control("SS", [usage.trim_start_matches("Usage:").trim()]);
    let about = command.get_long_about().or_else(|| command.get_about());
    for paragraph in about
        .map(ToString::to_string)
        .unwrap_or_default()
        .split("\n\n")
    {
        roff.control("PP", []);
        roff.text([roman(sentence(paragraph))]);
    }
    let (own, shared): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|it| !it.is_hide_set() && it.get_id() != "help")
        .partition(|it| it.get_help_heading().is_none());
    for arg in own {
        roff.control("TP", []);
        roff.text([bold(arg.to_string())]);
        let help = arg.get_help().map(ToString::to_string);
        roff.text([roman(sentence(&help.unwrap_or_default()))]);
    }
    if !shared.is_empty() {
        roff.control("PP", []);
        roff.text([roman("Takes the options below too.")]);
    }
    for below in command.get_subcommands().filter(|it| is_own(it)) {
        one_command(roff, below);
    }
}

/// Help leaves the last full stop out.
fn sentence(text: &str) -> String {
    match text.ends_with('.') {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}

/// What stands after the options.
fn rest(plugin: &Plugin, others: &[&str]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    for it in plugin.examples {
        roff.control("PP", []);
        roff.text([roman(format!("{}:", it.purpose))]);
        roff.control("RS", ["4"]);
        roff.control("nf", []);
        for line in Plugin::lines(it, &plugin.kubectl_name()) {
            roff.text([bold(line)]);
        }
        roff.control("fi", []);
        roff.control("RE", []);
    }
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in help::EXIT_CODES {
        entry(&mut roff, &code.to_string(), &sentence(meaning));
    }
    let asks_registries = !plugin.reads_on_request.is_empty();
    let counts = |it: &&Entry| asks_registries || !it.of_registries;
    roff.control("SH", ["ENVIRONMENT"]);
    for it in text::ENVIRONMENT.iter().filter(counts) {
        entry(&mut roff, it.name, it.meaning);
    }
    roff.control("SH", ["FILES"]);
    for it in text::FILES.iter().filter(counts) {
        let plugin = plugin.program.name.trim_start_matches("kubectl-");
        entry(&mut roff, &it.name.replace("PLUGIN", plugin), it.meaning);
    }
    roff.control("SH", ["SEE ALSO"]);
    let mut pages = vec![bold("kubectl"), roman("(1)")];
    for it in others {
        pages.extend([roman(", "), bold(*it), roman("(1)")]);
    }
    roff.text(pages);
    roff.control("PP", []);
    roff.text([italic(env!("CARGO_PKG_REPOSITORY"))]);
    roff
}

fn entry(roff: &mut Roff, name: &str, meaning: &str) {
    roff.control("TP", []);
    roff.text([bold(name)]);
    roff.text([roman(meaning)]);
}
