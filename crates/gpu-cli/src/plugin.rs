//! A plugin as the frame sees it: what it is called, what its help tells, and how it starts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory, Parser};
use gpu_core::answer::OwnFormat;
use gpu_core::cluster::Kind;

use crate::error::Error;
use crate::formats::Formats;
use crate::frame::end;
use crate::read::Program;
use crate::rules::RuleText;
use crate::{completion, help};

/// What is true of a plugin in every run.
#[derive(Debug)]
pub struct Plugin {
    /// The program.
    pub program: Program,
    /// The output formats that only it has.
    pub formats: &'static [OwnFormat],
    /// The columns its table can be sorted by.
    pub columns: fn() -> Vec<&'static str>,
    /// What it looks for.
    pub rules: fn() -> Vec<RuleText>,
    /// What it lists in every run, or where something is wrong.
    pub reads: &'static [Kind],
    /// What it lists only when a flag asks for it: the flag, and the kind.
    pub reads_on_request: &'static [(&'static str, Kind)],
    /// How it is used.
    pub examples: &'static [Example],
}

/// A line that can be typed as it stands.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What for.
    pub purpose: &'static str,
    /// The command of another program that comes first; empty where none does.
    pub before: &'static str,
    /// What follows the plugin's name.
    pub words: &'static str,
}

impl Plugin {
    /// The lines of an example, for whoever types `invoked` to run the plugin.
    pub fn lines(example: &Example, invoked: &str) -> Vec<String> {
        let own = format!("{invoked} {}", example.words);
        let before = Some(example.before.to_owned()).filter(|it| !it.is_empty());
        before
            .into_iter()
            .chain([own.trim_end().to_owned()])
            .collect()
    }

    /// How kubectl calls it: `kubectl gpu-audit`.
    pub fn kubectl_name(&self) -> String {
        typed_as(self.program.name)
    }

    /// Its command line, with help for whoever types `invoked` to run it.
    pub fn command<A: CommandFactory>(&self, invoked: &str) -> Command {
        let named = |arg: Arg| match arg.get_id() == "format" {
            true => arg.value_parser(Formats(self.formats)),
            false => arg,
        };
        A::command()
            .bin_name(invoked)
            .mut_args(named)
            .mut_subcommands(|it| it.mut_args(named))
            .after_help(help::short(invoked))
            .after_long_help(help::long(self, invoked))
    }
}

/// Runs a plugin: parses what was typed and does as `run` says. What is no work of the plugin's own is done here.
pub fn start<A: Parser>(
    plugin: &'static Plugin,
    run: impl FnOnce(&A) -> Result<ExitCode, Error>,
) -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    let invoked = invoked_as(words.first().map(OsString::as_os_str), plugin);
    if let Some(code) = completion::asked(plugin, A::command, &words) {
        return code;
    }
    let mut matches = plugin.command::<A>(&invoked).get_matches_from(words);
    let args = A::from_arg_matches_mut(&mut matches).unwrap_or_else(|it| it.exit());
    end(run(&args))
}

/// What a person typed to get here, as far as it can be told.
fn invoked_as(program: Option<&OsStr>, plugin: &Plugin) -> String {
    let name = program.and_then(|it| Path::new(it).file_stem());
    typed_as(&name.map_or(plugin.program.name.into(), OsStr::to_string_lossy))
}

/// What is typed to run a file of this name.
fn typed_as(name: &str) -> String {
    match name.strip_prefix("kubectl-") {
        Some(rest) => format!("kubectl {}", rest.replace('_', "-")),
        None => name.to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const PLUGIN: Plugin = Plugin {
        program: Program::new("kubectl-gpu_x", "1.2.3"),
        formats: &[],
        columns: Vec::new,
        rules: Vec::new,
        reads: &[Kind::Node],
        reads_on_request: &[],
        examples: &[],
    };

    #[test]
    fn help_speaks_of_what_was_typed() {
        for (file, typed) in [
            ("kubectl-gpu_audit", "kubectl gpu-audit"),
            ("gpu-audit", "gpu-audit"),
            ("audit_gpu", "audit_gpu"),
        ] {
            assert_eq!(typed_as(file), typed);
        }
    }
}
