//! Completion: what may come next on a command line, for kubectl and for shells, and how they learn to ask.

mod ask;
mod offer;
mod place;
mod shim;

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::{Args, Command, Subcommand, ValueHint};
use clap_complete::env::{Bash, EnvCompleter, Fish, Powershell, Zsh};

use crate::error::Error;
use crate::frame::{end, print};
use crate::plugin::Plugin;
use crate::read::Environment;

pub use ask::for_kubectl;

/// The word that kubectl's own programs answer completions to.
const WORD: &str = "__complete";
/// The variable by which a shell's script says that it wants completions.
const VARIABLE: &str = "KUBECTL_GPU_COMPLETE";
/// A person waits for the answer with a key pressed.
const LIMIT: Duration = Duration::from_secs(2);
/// The stack that the main thread has on most systems.
const STACK: usize = 8 << 20;

/// Complete nodes, flags and values with the Tab key.
///
/// kubectl 1.26 or newer completes its plugins once it finds a script of the right name; install writes that script.
/// The shell itself has to complete kubectl: see kubectl completion --help.
#[derive(Clone, Debug, Args)]
pub struct CompletionArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Let kubectl complete this plugin.
    ///
    /// Writes a script of a few lines by whose name kubectl finds who completes this plugin. It is put where krew
    /// links plugins, if the plugin was installed by krew, or else beside the plugin. Nothing of somebody else is
    /// overwritten.
    Install(Folder),
    /// Take away what install has written, and nothing else.
    Uninstall(Folder),
    /// Print a script for bash that completes the program without kubectl.
    Bash,
    /// Print a script for zsh that completes the program without kubectl.
    Zsh,
    /// Print a script for fish that completes the program without kubectl.
    Fish,
    /// Print a script for PowerShell that completes the program without kubectl.
    Powershell,
}

#[derive(Clone, Debug, Args)]
struct Folder {
    /// The folder; it has to be in PATH for kubectl to find what is in it.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    dir: Option<String>,
}

impl CompletionArgs {
    /// Does what was asked. The error is for a folder that cannot be written to, and for a file that is not ours.
    pub fn run(&self, plugin: &Plugin) -> Result<ExitCode, Error> {
        let Some(what) = &self.what else {
            return print(&help(plugin));
        };
        let shell: &dyn EnvCompleter = match what {
            What::Install(it) => return shim::install(plugin, it.dir.as_deref()),
            What::Uninstall(it) => return shim::uninstall(plugin, it.dir.as_deref()),
            What::Bash => &Bash,
            What::Zsh => &Zsh,
            What::Fish => &Fish,
            What::Powershell => &Powershell,
        };
        let mut script = Vec::new();
        let name = plugin.program.name;
        shell
            .write_registration(VARIABLE, name, name, name, &mut script)
            .map_err(Error::Write)?;
        print(&String::from_utf8_lossy(&script))
    }
}

/// What there is to choose from.
fn help(plugin: &Plugin) -> String {
    let name = "completion";
    let mut command = CompletionArgs::augment_args(Command::new(name))
        .bin_name(format!("{} {name}", plugin.kubectl_name()));
    format!("{}\n", command.render_long_help().to_string().trim_end())
}

/// Answers those who want completions rather than an answer; `None` for everybody else.
/// Whatever goes wrong, there is only nothing to offer: a person who presses a key wants no error.
pub(crate) fn asked(
    plugin: &'static Plugin,
    command: fn() -> Command,
    words: &[OsString],
) -> Option<ExitCode> {
    let shell = env::var(VARIABLE).ok().filter(|it| !it.is_empty());
    let typed: Vec<OsString> = words.iter().skip(2).cloned().collect();
    let mut nothing = "";
    let answer: Box<dyn FnOnce() -> String + Send> = match (words.get(1), shell) {
        (Some(word), _) if word == WORD => {
            nothing = ask::NOTHING;
            Box::new(move || ask::for_kubectl(plugin, command, typed, &Environment::of_process()))
        }
        (Some(word), Some(shell)) if word == OsStr::new("--") => {
            Box::new(move || ask::for_shell(plugin, command, typed, &shell).unwrap_or_default())
        }
        _ => return None,
    };
    std::panic::set_hook(Box::new(move |_| {
        // Where a panic aborts there is no other place for the answer.
        let code = i32::from(print(nothing).is_err());
        std::process::exit(code);
    }));
    let text = within(LIMIT, answer).unwrap_or_else(|| nothing.to_owned());
    Some(end(print(&text)))
}

/// Does some work, and gives up when it takes too long; it then ends with the process.
fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, wait) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK);
    thread
        .spawn(move || {
            // Nobody listens any more once the time is over.
            let _ = done.send(work());
        })
        .ok()?;
    wait.recv_timeout(limit).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_that_hangs_or_breaks_is_given_up() {
        let started = Instant::now();
        let limit = Duration::from_millis(50);
        assert_eq!(
            within(limit, || thread::sleep(Duration::from_secs(60))),
            None
        );
        assert!(started.elapsed() < Duration::from_secs(30));
        assert_eq!(within(Duration::from_secs(60), || 1), Some(1));
    }
}
