//! docs/cli.md: the help of every plugin, as its program prints it.

use std::{
    env,
    process::{Command, Stdio},
};

use super::PRINTED;
use crate::{
    cargo::{binary, take},
    plugins::Plugin,
};

/// Wide enough for the longest flag, narrow enough for a page.
const COLUMNS: &str = "100";

/// The page. The programs have to be built.
pub(super) fn page(plugins: &[Plugin]) -> Result<String, String> {
    let mut text = format!(
        "<!-- {PRINTED} -->\n\n# Command line\n\nkubectl finds the plugins by their names in `PATH`: `kubectl gpu-audit` \
         runs `kubectl-gpu_audit`.\n"
    );
    for plugin in plugins {
        text.push_str(&sections(plugin, |words| help(plugin, words))?);
    }
    Ok(text)
}

/// The help of a plugin and of each of its commands, with the commands of those.
fn sections(
    plugin: &Plugin,
    help: impl Fn(&[&str]) -> Result<String, String>,
) -> Result<String, String> {
    let own = help(&["--help"])?;
    let mut text = section(2, &plugin.name, &own);
    for command in commands(&own) {
        let words = [command, "--help"];
        let of_command = help(&words)?;
        text.push_str(&section(
            3,
            &format!("{} {command}", plugin.name),
            &of_command,
        ));
        for below in commands(&of_command) {
            let title = format!("{} {command} {below}", plugin.name);
            text.push_str(&section(4, &title, &help(&[command, below, "--help"])?));
        }
    }
    Ok(text)
}

fn section(depth: usize, title: &str, help: &str) -> String {
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    format!(
        "\n{} kubectl {title}\n\n```text\n{}\n```\n",
        "#".repeat(depth),
        lines.join("\n")
    )
}

/// The names in the help's list of commands; `help` itself needs no page.
fn commands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|it| *it != "Commands:")
        .skip(1)
        .take_while(|it| !it.is_empty())
        .filter(|it| it.starts_with("  ") && !it.starts_with("   "))
        .filter_map(|it| it.split_whitespace().next())
        .filter(|it| *it != "help")
        .collect()
}

/// What a program prints in an environment that holds nothing of this machine.
fn help(plugin: &Plugin, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new(binary(&plugin.binary)?);
    command.args(words).env_clear().env("COLUMNS", COLUMNS);
    command.stdin(Stdio::null());
    // Windows starts no program without it.
    if let Some(system) = env::var_os("SystemRoot") {
        command.env("SystemRoot", system);
    }
    let text = take(command)?;
    if text.trim().is_empty() {
        let words = words.join(" ");
        return Err(format!("{} {words} printed nothing", plugin.binary));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo::root, plugins};

    const HELP: &str = "\
Find out why

Usage: kubectl gpu-x [NODE]... [COMMAND]

Commands:
  roster   Print the roster,
           and more
  explain  Explain
  help     Print this

Options:
  -h, --help  Print help   
";

    #[test]
    fn commands_are_read_from_the_help_without_help_itself() {
        assert_eq!(commands(HELP), ["roster", "explain"]);
        assert!(commands("Usage: x\n\nOptions:\n  -h\n").is_empty());
    }

    #[test]
    fn a_plugin_has_a_section_and_each_command_one_below() {
        let plugin = &plugins::read(root()).unwrap()[0];
        let text = sections(plugin, |words| match words {
            ["--help"] => Ok(HELP.to_owned()),
            ["roster", "--help"] => Ok("roster's own help\n\nCommands:\n  all  All\n".to_owned()),
            ["roster", "all", "--help"] => Ok("all of it\n".to_owned()),
            [command, "--help"] => Ok(format!("{command}'s own help\n")),
            _ => Err("asked for something else".to_owned()),
        });
        let text = text.unwrap();
        assert!(text.contains("\n## kubectl gpu-audit\n\n```text\nFind out why\n"));
        assert!(text.contains("-h, --help  Print help\n```\n"));
        assert!(
            text.contains(
                "\n### kubectl gpu-audit roster\n\n```text\nroster's own help\n\nCommands"
            )
        );
        assert!(text.contains("\n#### kubectl gpu-audit roster all\n\n```text\nall of it\n```\n"));
        assert!(text.contains("explain's own help"));
        let failed = sections(plugin, |_| Err("it does not start".to_owned()));
        assert_eq!(failed.unwrap_err(), "it does not start");
    }
}
