//! What each argument can be: the values that clap does not know by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};

use crate::args::SharedArgs;
use crate::formats::Formats;
use crate::plugin::Plugin;
use crate::read::Environment;
use crate::read::names::{Entries, Objects, entries, objects};

/// How kubectl names a node in its own lists.
const NODE: &str = "node/";

/// The words so far, and where to look for what they are about.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) plugin: &'static Plugin,
    pub(super) shared: SharedArgs,
    pub(super) typed: Vec<String>,
    pub(super) environment: Environment,
}

/// Whether the shell may complete files, found out while candidates are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(Arc<AtomicU8>);

impl Files {
    const NONE: u8 = 0;
    const ANY: u8 = 1;
    const FOLDERS: u8 = 2;

    /// The number by which cobra's scripts know it.
    pub(super) fn directive(&self) -> u8 {
        match self.0.load(Ordering::Relaxed) {
            Self::ANY => 0,
            Self::FOLDERS => 16,
            _ => 4,
        }
    }

    /// Has the shell complete this argument.
    fn noted_for(&self, arg: Arg) -> Arg {
        let note = match arg.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => Self::ANY,
            ValueHint::DirPath => Self::FOLDERS,
            _ => Self::NONE,
        };
        if note == Self::NONE {
            return arg;
        }
        let noted = Arc::clone(&self.0);
        arg.add(ArgValueCandidates::new(move || {
            noted.store(note, Ordering::Relaxed);
            Vec::new()
        }))
    }
}

/// The command with values for its arguments, and with nothing to see of what cannot come here.
/// With `files`, the shell completes files itself and only wants to be told so.
pub(super) fn offer(
    mut command: Command,
    line: &Arc<Line>,
    current: &str,
    files: Option<&Files>,
) -> Command {
    // Only then it has the command and the flags that clap adds.
    command.build();
    let first = line.typed.first();
    let is_at_command = first.is_none_or(|it| command.find_subcommand(it).is_some());
    below(command, line, current.starts_with('-'), files).mut_subcommands(
        |it| match is_at_command {
            true => it,
            // After a node or a flag no command can follow.
            false => it.hide(true),
        },
    )
}

fn below(command: Command, line: &Arc<Line>, wants_flags: bool, files: Option<&Files>) -> Command {
    command
        .mut_args(|arg| {
            let is_hidden = !wants_flags && !arg.is_positional();
            let arg = match files {
                Some(files) => files.noted_for(arg),
                None => arg,
            };
            with_values(arg, line).hide(is_hidden)
        })
        .mut_subcommands(|it| below(it, line, wants_flags, files))
}

fn with_values(arg: Arg, line: &Arc<Line>) -> Arg {
    let values: fn(&Line) -> Vec<CompletionCandidate> = match arg.get_id().as_str() {
        "nodes" => {
            let line = Arc::clone(line);
            return arg.add(ArgValueCompleter::new(move |it: &std::ffi::OsStr| {
                nodes(&line, &it.to_string_lossy())
            }));
        }
        "namespace" => |line| named(line.objects(Objects::Namespaces)),
        "context" => |line| named(line.entries(Entries::Contexts)),
        "cluster" => |line| named(line.entries(Entries::Clusters)),
        "user" => |line| named(line.entries(Entries::Users)),
        "format" => formats,
        "sort_by" => |line| named((line.plugin.columns)().into_iter().map(str::to_lowercase)),
        "rule" => rules,
        _ => return arg,
    };
    let line = Arc::clone(line);
    arg.add(ArgValueCandidates::new(move || values(&line)))
}

impl Line {
    fn objects(&self, of: Objects) -> Vec<String> {
        let program = self.plugin.program;
        objects(of, &self.shared, program, &self.environment).unwrap_or_default()
    }

    fn entries(&self, of: Entries) -> Vec<String> {
        entries(of, &self.shared.access, &self.environment).unwrap_or_default()
    }
}

/// Nodes that are not in the line yet, in the form in which the name was begun.
fn nodes(line: &Line, begun: &str) -> Vec<CompletionCandidate> {
    let prefix = if begun.starts_with(NODE) { NODE } else { "" };
    let bare = |it: &str| it.strip_prefix(NODE).unwrap_or(it).to_owned();
    let typed: Vec<String> = line.typed.iter().map(|it| bare(it)).collect();
    let fresh = line
        .objects(Objects::Nodes)
        .into_iter()
        .filter(|it| !typed.contains(it));
    named(
        fresh
            .map(|it| format!("{prefix}{it}"))
            .filter(|it| it.starts_with(begun)),
    )
}

fn formats(line: &Line) -> Vec<CompletionCandidate> {
    described(Formats(line.plugin.formats).all())
}

fn rules(line: &Line) -> Vec<CompletionCandidate> {
    let rules = (line.plugin.rules)();
    described(rules.into_iter().map(|it| (it.id, it.summary)))
}

fn named(names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    names.into_iter().map(CompletionCandidate::new).collect()
}

fn described(
    names: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Vec<CompletionCandidate> {
    names
        .into_iter()
        .map(|(name, about)| CompletionCandidate::new(name).help(Some(about.into())))
        .collect()
}
