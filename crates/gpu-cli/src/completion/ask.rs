//! What may come next: the words so far in, candidates out, as kubectl and as shells want them.

use std::ffi::OsString;
use std::fmt::Write;
use std::sync::Arc;

use clap::{ArgMatches, Command, FromArgMatches};
use clap_complete::engine::{CompletionCandidate, complete};
use clap_complete::env::Shells;
use gpu_core::render::plain;

use super::LIMIT;
use super::offer::{self, Files, Line};
use crate::args::{RequestTimeout, SharedArgs};
use crate::plugin::Plugin;
use crate::read::Environment;

/// kubectl's answer without candidates: not even files.
pub(super) const NOTHING: &str = ":4\n";

/// kubectl's answer: a candidate a line with what it is, and in the last line whether files may come next too.
pub fn for_kubectl(
    plugin: &'static Plugin,
    command: fn() -> Command,
    mut typed: Vec<OsString>,
    environment: &Environment,
) -> String {
    if typed.is_empty() {
        typed.push(OsString::new());
    }
    let at = typed.len() - 1;
    let line = Arc::new(line(plugin, command, &typed[..at], environment));
    let current = typed[at].to_string_lossy().into_owned();
    let files = Files::default();
    let mut offered = offer::offer(command(), &line, &current, Some(&files));
    let candidates = complete(&mut offered, argv(plugin, typed), at + 1, None);
    let mut text = String::new();
    for it in candidates.unwrap_or_default() {
        text.extend(candidate(&it, &current));
    }
    let _ = writeln!(text, ":{}", files.directive());
    text
}

/// The answer to the script of a shell, in the shell's own form; `None` for a shell nobody knows.
pub(super) fn for_shell(
    plugin: &'static Plugin,
    command: fn() -> Command,
    mut typed: Vec<OsString>,
    shell: &str,
) -> Option<String> {
    let shells = Shells::builtins();
    let shell = shells.completer(shell)?;
    // The first word is the program's name, which is known.
    typed.drain(..1.min(typed.len()));
    let last = typed.len().checked_sub(1)?;
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok();
    let index: Option<usize> = index.and_then(|it| it.parse().ok());
    let at = index.map_or(last, |it| it.saturating_sub(1).min(last));
    let environment = Environment::of_process();
    let line = Arc::new(line(plugin, command, &typed[..at], &environment));
    let current = typed[at].to_string_lossy().into_owned();
    let mut offered = offer::offer(command(), &line, &current, None);
    let folder = std::env::current_dir().ok();
    let mut answer = Vec::new();
    shell
        .write_complete(
            &mut offered,
            argv(plugin, typed),
            folder.as_deref(),
            &mut answer,
        )
        .ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// The name goes first, fixed, so that no other name leads the engine astray.
fn argv(plugin: &Plugin, typed: Vec<OsString>) -> Vec<OsString> {
    let mut words = vec![plugin.program.name.into()];
    words.extend(typed);
    words
}

/// One line of kubectl's answer; `None` for what is not to be offered here.
fn candidate(it: &CompletionCandidate, current: &str) -> Option<String> {
    let value = it.get_value().to_str()?;
    let is_flag = current.starts_with('-');
    if it.is_hide_set() || value.contains(char::is_control) || (!is_flag && value.starts_with('-'))
    {
        return None;
    }
    // After --flag= a shell wants the value alone.
    let value = match current.split_once('=') {
        Some((flag, _)) if is_flag => value.strip_prefix(flag)?.strip_prefix('=')?,
        _ => value,
    };
    let help = it.get_help().map(ToString::to_string).unwrap_or_default();
    let help = plain(help.lines().next().unwrap_or_default());
    Some(match help.is_empty() {
        true => format!("{value}\n"),
        false => format!("{value}\t{help}\n"),
    })
}

/// Understands the words so far as well as they can be.
fn line(
    plugin: &'static Plugin,
    command: fn() -> Command,
    typed: &[OsString],
    environment: &Environment,
) -> Line {
    let matches = command()
        .ignore_errors(true)
        .try_get_matches_from(argv(plugin, typed.to_vec()));
    let mut shared = matches.ok().and_then(|it| shared(&it)).unwrap_or_default();
    shared.access.request_timeout = RequestTimeout(Some(LIMIT));
    shared.access.v = 0;
    let environment = Environment {
        // Nobody can be asked for a password in the middle of a line.
        stdin_is_terminal: false,
        // Shorter than all the rest, so that it does not outlive us.
        plugin_limit: Some(LIMIT.mul_f32(0.75)),
        ..environment.clone()
    };
    Line {
        plugin,
        shared,
        typed: typed
            .iter()
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        environment,
    }
}

/// The shared flags of the command that was typed, if it has them.
fn shared(matches: &ArgMatches) -> Option<SharedArgs> {
    if let Some((_, below)) = matches.subcommand() {
        return shared(below);
    }
    // Asking for what a command does not have is a mistake to clap.
    matches.try_contains_id("kubeconfig").ok()?;
    SharedArgs::from_arg_matches(matches).ok()
}
