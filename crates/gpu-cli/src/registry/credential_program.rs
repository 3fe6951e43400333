//! Credential helpers: `docker-credential-NAME get`, asked on standard input, as docker does it.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::process::Stdio;

use secrecy::SecretString;
use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::config::Credential;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    username: String,
    secret: SecretText,
}

/// Without a Debug that could show it.
struct SecretText(String);

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self)
    }
}

/// Asks a helper; `None` where it has nothing for this server. It ends with us, should it hang.
/// The error quotes nothing of what it printed: that is where the secret is.
pub(super) async fn ask(
    name: &str,
    server: &str,
    path: Option<&OsStr>,
) -> Result<Option<Credential>, String> {
    let program = format!("docker-credential-{name}");
    let mut command = Command::new(&program);
    command
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    if let Some(it) = path {
        command.env("PATH", it);
    }
    let mut child = command.spawn().map_err(|it| match it.kind() {
        ErrorKind::NotFound => format!("{program} is not on PATH"),
        _ => format!("cannot run {program}: {it}"),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read what it is asked says so by its exit code.
        let _ = stdin.write_all(server.as_bytes()).await;
    }
    let output = child
        .wait_with_output()
        .await
        .map_err(|it| format!("{program}: {it}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        if said.contains("credentials not found") {
            return Ok(None);
        }
        return Err(format!("{program} failed ({})", output.status));
    }
    let printed: Printed = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("what {program} printed is no credential"))?;
    let SecretText(secret) = printed.secret;
    if secret.is_empty() {
        return Ok(None);
    }
    if printed.username.is_empty() {
        return Ok(Some(Credential::Token(SecretString::from(secret))));
    }
    Ok(Some(Credential::login(printed.username, secret)))
}
