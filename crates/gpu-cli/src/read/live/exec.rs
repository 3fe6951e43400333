//! The credential plugin of a kubeconfig: run once, with nothing of ours on its standard input.

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use kube::config::{ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;

use super::Environment;
use super::target::Target;
use crate::error::Error;

/// What a plugin gave.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) credential: Credential,
    /// Its stderr, line by line, where the user has not seen it yet.
    pub(super) said: Vec<String>,
}

/// A token, a client certificate with its key, or both.
#[derive(Default)]
pub(super) struct Credential {
    pub(super) token: Option<String>,
    pub(super) identity: Option<(String, String)>,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(…)")
    }
}

const V1: &str = "client.authentication.k8s.io/v1";
const V1BETA1: &str = "client.authentication.k8s.io/v1beta1";

/// Runs the plugin and waits for it as long as it takes, since it may be waiting for the user, or as long as it may.
/// The error carries what it said and how the kubeconfig says to install it.
pub(super) fn run(
    plugin: &ExecConfig,
    target: &Target,
    environment: &Environment,
) -> Result<Done, Error> {
    let fail = |why: String| Error::Plugin { why, install: None };
    let version = plugin.api_version.as_deref().unwrap_or_default();
    if ![V1, V1BETA1].contains(&version) {
        return Err(fail(format!("invalid apiVersion \"{version}\"")));
    }
    let name = plugin.command.as_deref().unwrap_or_default();
    if name.is_empty() {
        return Err(fail("no command is given".to_owned()));
    }
    let terminal = environment.stdin_is_terminal;
    let interactive = interactive(plugin.interactive_mode.as_ref(), terminal).map_err(fail)?;
    let mut command = Command::new(name);
    command
        .args(plugin.args.iter().flatten())
        .envs(plugin.env.iter().flatten().filter_map(variable))
        .env(
            "KUBERNETES_EXEC_INFO",
            request(plugin, version, interactive, target)?,
        );
    // Where a person sits, they see its questions at once; else its words are kept for the error.
    if interactive {
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    } else {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
    }
    let output = command
        .stdout(Stdio::piped())
        .spawn()
        .and_then(|it| wait(it, environment.plugin_limit))
        .map_err(|it| not_started(plugin, name, &it))?;
    let said = lines(&output.stderr);
    if !output.status.success() {
        return Err(fail(failed(name, &output, &said)));
    }
    let credential =
        answer(&output.stdout, version).map_err(|why| fail(format!("{name}: {why}")))?;
    Ok(Done { credential, said })
}

/// Waits for its end; one that takes longer than it may is killed.
fn wait(mut child: Child, limit: Option<Duration>) -> std::io::Result<Output> {
    let Some(limit) = limit else {
        return child.wait_with_output();
    };
    let deadline = Instant::now() + limit;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    // Whoever the plugin has started may hold its pipes open for longer.
    let rest = |pipe: &Receiver<Vec<u8>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        pipe.recv_timeout(left).unwrap_or_default()
    };
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(Output {
                status,
                stdout: rest(&stdout),
                stderr: rest(&stderr),
            });
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Err(ErrorKind::TimedOut.into())
}

/// Reads a pipe to its end beside us, so that nobody waits for us to read.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (done, rest) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before it broke is all there is.
        let _ = pipe.map(|mut it| it.read_to_end(&mut bytes));
        let _ = done.send(bytes);
    });
    rest
}

/// May the plugin talk with the user?
fn interactive(mode: Option<&ExecInteractiveMode>, terminal: bool) -> Result<bool, String> {
    match mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !terminal => Err(
            "plugin cannot support interactive mode: standard input is not a terminal".to_owned(),
        ),
        Some(ExecInteractiveMode::Always | ExecInteractiveMode::IfAvailable) | None => Ok(terminal),
    }
}

fn variable(it: &HashMap<String, String>) -> Option<(&String, &String)> {
    Some((it.get("name")?, it.get("value")?))
}

/// What the plugin finds in its environment.
fn request(
    plugin: &ExecConfig,
    version: &str,
    interactive: bool,
    target: &Target,
) -> Result<String, Error> {
    let cluster = plugin
        .provide_cluster_info
        .then(|| ExecAuthCluster::try_from(&target.cluster))
        .transpose()
        .map_err(|it| Error::Configuration(it.to_string()))?;
    let mut spec = serde_json::json!({ "interactive": interactive });
    if let Some(cluster) = cluster {
        let cluster =
            serde_json::to_value(cluster).map_err(|it| Error::Configuration(it.to_string()))?;
        spec["cluster"] = cluster;
    }
    let request =
        serde_json::json!({ "apiVersion": version, "kind": "ExecCredential", "spec": spec });
    Ok(request.to_string())
}

fn not_started(plugin: &ExecConfig, name: &str, why: &std::io::Error) -> Error {
    match why.kind() {
        ErrorKind::NotFound => Error::Plugin {
            why: format!("executable {name} not found"),
            install: plugin
                .install_hint
                .clone()
                .filter(|it| !it.trim().is_empty()),
        },
        _ => Error::Plugin {
            why: format!("cannot run {name}: {why}"),
            install: None,
        },
    }
}

fn failed(name: &str, output: &Output, said: &[String]) -> String {
    let mut text = match output.status.code() {
        Some(code) => format!("executable {name} failed with exit code {code}"),
        None => format!("executable {name} was killed"),
    };
    if !said.is_empty() {
        text.push_str(": ");
        text.push_str(&said.join("\n"));
    }
    text
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let kept = text.lines().map(str::trim_end).filter(|it| !it.is_empty());
    kept.map(str::to_owned).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    api_version: Option<String>,
    kind: Option<String>,
    status: Option<AnswerStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerStatus {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Reads what the plugin printed, JSON or YAML. The errors quote nothing of it: it may hold a secret.
fn answer(stdout: &[u8], version: &str) -> Result<Credential, String> {
    let answer: Answer = serde_yaml::from_slice(stdout)
        .map_err(|_| "what it printed is not an ExecCredential".to_owned())?;
    if answer.kind.as_deref() != Some("ExecCredential") {
        return Err("what it printed is not an ExecCredential".to_owned());
    }
    let returned = answer.api_version.unwrap_or_default();
    if returned != version {
        return Err(format!(
            "plugin is configured to use API version {version}, plugin returned version {returned}"
        ));
    }
    let status = answer.status.ok_or("plugin didn't return a status field")?;
    let text = |it: Option<String>| it.filter(|it| !it.is_empty());
    let identity = match (
        text(status.client_certificate_data),
        text(status.client_key_data),
    ) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err("plugin returned only one of certificate and key".to_owned()),
    };
    let token = text(status.token);
    if token.is_none() && identity.is_none() {
        return Err("plugin didn't return a token or cert/key pair".to_owned());
    }
    Ok(Credential { token, identity })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_talks_only_where_a_person_sits() {
        use ExecInteractiveMode::{Always, IfAvailable, Never};
        for (mode, terminal, want) in [
            (Some(Never), true, Some(false)),
            (Some(IfAvailable), true, Some(true)),
            (Some(IfAvailable), false, Some(false)),
            (Some(Always), true, Some(true)),
            (Some(Always), false, None),
            (None, false, Some(false)),
        ] {
            let got = interactive(mode.as_ref(), terminal).ok();
            assert_eq!(got, want, "{mode:?} {terminal}");
        }
    }

    #[test]
    fn answers_are_json_or_yaml_and_hold_a_credential() {
        let credential = |status: &str| {
            let text = format!("apiVersion: {V1}\nkind: ExecCredential\nstatus: {status}");
            answer(text.as_bytes(), V1)
        };
        let it =
            credential(r#"{"token":"t","clientCertificateData":"c","clientKeyData":"k"}"#).unwrap();
        assert_eq!(it.token.as_deref(), Some("t"));
        assert_eq!(it.identity, Some(("c".to_owned(), "k".to_owned())));
        assert_eq!(
            credential("\n  token: t").unwrap().token.as_deref(),
            Some("t")
        );
        for (status, want) in [
            ("{}", "token or cert/key pair"),
            ("{token: ''}", "token or cert/key pair"),
            ("{clientKeyData: k}", "only one of"),
            ("null", "didn't return a status"),
            ("[s3cret]", "not an ExecCredential"),
        ] {
            let error = credential(status).unwrap_err();
            assert!(
                error.contains(want) && !error.contains("s3cret"),
                "{status}: {error}"
            );
        }
        let other = format!("apiVersion: {V1BETA1}\nkind: ExecCredential\nstatus: {{token: t}}");
        assert!(
            answer(other.as_bytes(), V1)
                .unwrap_err()
                .contains("returned version")
        );
        assert!(
            answer(b"token", V1)
                .unwrap_err()
                .contains("not an ExecCredential")
        );
    }
}
