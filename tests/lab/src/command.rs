//! `cargo xtask lab`: keeps one lab running for the person at the terminal.

use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use crate::{
    Error, Lab, Scenario, folder,
    handle::KEPT,
    platform::{self, Signal},
    programs::Programs,
    say::{answer, say},
    supervisor::{Owner, Supervisor},
    wait::wait_until,
};

/// Longer than the supervisor takes at worst.
const DOWN: Duration = Duration::from_secs(30);

const USAGE: &str = "\
usage: cargo xtask lab COMMAND

  up           start a control plane and print the `export KUBECONFIG=…` line;
               from a terminal it ends with the terminal
  down         stop it; fine if there is none
  status       say whether it runs, and where its files are
  apply NAME   make a scenario in it; one a lab
  programs     only build what a control plane needs, if it is not there";

/// Runs one command. Exit codes: 0 done (`down` and `status` also when no lab runs), 1 failed, 2 wrong usage.
pub fn run(arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["up"] => up(),
        ["down"] => down(),
        ["status"] => status(),
        ["apply", name] => apply(name),
        ["programs"] => Programs::find_or_build().map(|_| ()),
        ["help" | "-h" | "--help"] => tell(&[usage()]),
        _ => {
            say(&usage());
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn up() -> Result<(), Error> {
    if let Ok(lab) = Lab::running() {
        say("a lab already runs");
        return tell(&[export(lab.kubeconfig())]);
    }
    // Here, where its progress is seen.
    Programs::find_or_build()?;
    let at_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
    let owner = match platform::session_leader() {
        Some(leader) if at_terminal && platform::is_running(leader) => Owner::Session(leader),
        Some(_) | None => Owner::Nobody,
    };
    say("starting");
    Supervisor::start(KEPT, owner)?;
    let lab = Lab::running()?;
    say(match owner {
        Owner::Session(_) => "it runs until this terminal closes, or `cargo xtask lab down`",
        Owner::Nobody | Owner::Stdin => "it runs until `cargo xtask lab down`",
    });
    tell(&[export(lab.kubeconfig())])
}

fn down() -> Result<(), Error> {
    let Some(folder) = folder::running(KEPT) else {
        say("no lab is running");
        return folder::sweep();
    };
    let supervisor = folder::supervisor(&folder).ok_or(Error::NotRunning)?;
    platform::send(supervisor, Signal::Terminate);
    let gone = || (!platform::is_running(supervisor)).then_some(());
    if wait_until("the lab to stop", DOWN, gone).is_err() {
        platform::send(supervisor, Signal::Kill);
        wait_until("the supervisor to be killed", DOWN, gone)?;
        folder::sweep()?;
    }
    say("stopped");
    Ok(())
}

fn status() -> Result<(), Error> {
    let lab = match Lab::running() {
        Ok(lab) => lab,
        Err(Error::NotRunning) if folder::running(KEPT).is_some() => {
            return tell(&["the lab is starting".to_owned()]);
        }
        Err(Error::NotRunning) => return tell(&["no lab is running".to_owned()]),
        Err(error) => return Err(error),
    };
    let scenario = lab.scenario().unwrap_or_else(|| "none".to_owned());
    tell(&[
        "the lab is running".to_owned(),
        format!("server      {}", lab.server()?),
        format!("kubeconfig  {}", lab.kubeconfig().display()),
        format!("reader      {}", lab.reader_kubeconfig().display()),
        format!("audit log   {}", lab.audit_log_path().display()),
        format!("kubectl     {}", lab.kubectl_path().display()),
        format!("scenario    {scenario}"),
    ])
}

fn apply(name: &str) -> Result<(), Error> {
    let scenario = Scenario::named(name)?;
    Lab::running()?.apply_scenario(&scenario)?;
    say(&format!("{}: {}", scenario.name, scenario.about));
    Ok(())
}

fn usage() -> String {
    let width = Scenario::ALL.map(|it| it.name.len()).into_iter().max();
    let width = width.unwrap_or_default();
    let names = Scenario::ALL.map(|it| format!("\n  {:width$}  {}", it.name, it.about));
    format!("{USAGE}\n\nscenarios:{}", names.concat())
}

fn tell(lines: &[String]) -> Result<(), Error> {
    answer(&lines.join("\n")).map_err(Error::file("stdout"))
}

/// The line for `eval`, quoted for the shell only where it has to be.
fn export(kubeconfig: &Path) -> String {
    let path = kubeconfig.display().to_string();
    let plain = |it: char| it.is_ascii_alphanumeric() || "/._-+".contains(it);
    if path.chars().all(plain) {
        return format!("export KUBECONFIG={path}");
    }
    format!("export KUBECONFIG='{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::export;

    #[test]
    fn the_export_line_survives_a_path_that_a_shell_would_split() {
        let line = |path: &str| export(Path::new(path));
        assert_eq!(
            line("/tmp/lab-0/up/kubeconfig"),
            "export KUBECONFIG=/tmp/lab-0/up/kubeconfig"
        );
        assert_eq!(
            line("/tmp/my lab's"),
            r"export KUBECONFIG='/tmp/my lab'\''s'"
        );
    }
}
