//! Credentials, complete before the client is built: token files read, the credential plugin run once.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use kube::config::AuthInfo;
use secrecy::{ExposeSecret, SecretString};

use super::Environment;
use super::exec::{self, Credential};
use super::target::Target;
use crate::error::Error;

/// Leaves in the target's user only what the client can use as it is, so that it runs no plugin and reads
/// no token file itself. Gives what a plugin said on stderr.
pub(super) fn complete(
    target: &mut Target,
    environment: &Environment,
) -> Result<Vec<String>, Error> {
    check_impersonation(&target.user, &target.user_name)?;
    check_provider(&target.user)?;
    let mut said = Vec::new();
    read_token_file(&mut target.user)?;
    let plugin = target.user.exec.take();
    if let Some(plugin) = plugin
        && target.user.token.is_none()
        && target.user.username.is_none()
    {
        let done = exec::run(&plugin, target, environment)?;
        said = done.said;
        take(&mut target.user, done.credential);
    }
    if let Some(token) = target.user.token.take() {
        target.user.token = Some(presentable(&token)?);
    }
    Ok(said)
}

/// The server would refuse it with a message that does not say so.
fn check_impersonation(user: &AuthInfo, name: &str) -> Result<(), Error> {
    let groups = user.impersonate_groups.as_ref();
    let extra = user.impersonate_user_extra.as_ref();
    let wants_more = user.impersonate_uid.is_some()
        || groups.is_some_and(|it| !it.is_empty())
        || extra.is_some_and(|it| !it.is_empty());
    if wants_more && user.impersonate.is_none() {
        return Err(Error::Usage(format!(
            "requesting uid, groups or user-extra for {name} without impersonating a user"
        )));
    }
    Ok(())
}

/// kubectl has dropped all providers but OIDC.
fn check_provider(user: &AuthInfo) -> Result<(), Error> {
    match user.auth_provider.as_ref().map(|it| it.name.as_str()) {
        None | Some("oidc") => Ok(()),
        Some(name) => Err(Error::Credentials(format!(
            "no Auth Provider found for name \"{name}\"; Kubernetes has replaced it by a credential plugin"
        ))),
    }
}

/// The file wins over a token beside it, which is what it held when the kubeconfig was written.
fn read_token_file(user: &mut AuthInfo) -> Result<(), Error> {
    let Some(path) = user.token_file.take() else {
        return Ok(());
    };
    match fs::read_to_string(&path) {
        Ok(token) if !token.trim().is_empty() => user.token = Some(token.into()),
        _ if user.token.is_some() => {}
        Ok(_) => {
            return Err(Error::Credentials(format!(
                "the token file {path} is empty"
            )));
        }
        Err(why) => {
            return Err(Error::Credentials(format!(
                "cannot read the token file {path}: {why}"
            )));
        }
    }
    Ok(())
}

fn take(user: &mut AuthInfo, credential: Credential) {
    if let Some(token) = credential.token {
        user.token = Some(token.into());
    }
    if let Some((certificate, key)) = credential.identity {
        user.client_certificate_data = Some(STANDARD.encode(certificate));
        user.client_key_data = Some(STANDARD.encode(key).into());
    }
}

/// Without the line break at the end of many a token file; what cannot be sent in a header is refused here,
/// for the client would panic.
fn presentable(token: &SecretString) -> Result<SecretString, Error> {
    let token = token.expose_secret().trim();
    match HeaderValue::from_str(token) {
        Ok(_) => Ok(token.into()),
        Err(_) => Err(Error::Credentials(
            "the token holds characters that no token can have".to_owned(),
        )),
    }
}
