//! The kubeconfig files, merged as kubectl merges them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kube::config::{AuthInfo, Cluster, Kubeconfig};

use super::Environment;
use crate::args::{Access, given};
use crate::error::Error;

/// All files as one, and where we looked.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) config: Kubeconfig,
    pub(super) looked_at: Vec<PathBuf>,
}

impl Files {
    /// Is there nothing at all in them?
    pub(super) fn are_empty(&self) -> bool {
        let it = &self.config;
        it.clusters.is_empty()
            && it.contexts.is_empty()
            && it.auth_infos.is_empty()
            && it.current_context.is_none()
    }
}

/// Reads `--kubeconfig`, else every file of `KUBECONFIG` that exists, else `~/.kube/config` if it exists.
/// The error names the file.
pub(super) fn load(access: &Access, environment: &Environment) -> Result<Files, Error> {
    if let Some(named) = given(access.kubeconfig.as_ref()) {
        let path = PathBuf::from(named);
        let config = read(&path)?.ok_or_else(|| Error::NoSuchKubeconfig(named.to_owned()))?;
        return Ok(Files {
            config,
            looked_at: vec![path],
        });
    }
    let looked_at: Vec<_> = match (&environment.kubeconfig, &environment.home) {
        (Some(list), _) => std::env::split_paths(list)
            .filter(|it| !it.as_os_str().is_empty())
            .collect(),
        (None, Some(home)) => vec![home.join(".kube").join("config")],
        (None, None) => Vec::new(),
    };
    let mut config = Kubeconfig::default();
    for path in &looked_at {
        if let Some(next) = read(path)? {
            config = merge(config, next, path)?;
        }
    }
    Ok(Files { config, looked_at })
}

/// Reads one file; `None` if it is not there.
fn read(path: &Path) -> Result<Option<Kubeconfig>, Error> {
    let bad = |why: String| Error::BadKubeconfig {
        file: path.display().to_string(),
        why,
    };
    let bytes = match fs::read(path) {
        Ok(it) => it,
        Err(it) if it.kind() == ErrorKind::NotFound => return Ok(None),
        Err(it) => return Err(bad(it.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8 text".to_owned()))?;
    // Without the snippet: the line may hold a token.
    let documents: Vec<Kubeconfig> = serde_yaml::from_multiple(&text)
        .map_err(|it| bad(format!("yaml: {}", it.without_snippet())))?;
    let mut config = Kubeconfig::default();
    for mut it in documents {
        clean(&mut it, path.parent().unwrap_or(Path::new("")));
        config = merge(config, it, path)?;
    }
    Ok(Some(config))
}

/// The first file to set something wins.
fn merge(config: Kubeconfig, next: Kubeconfig, path: &Path) -> Result<Kubeconfig, Error> {
    config.merge(next).map_err(|it| Error::BadKubeconfig {
        file: path.display().to_string(),
        why: it.to_string(),
    })
}

/// Makes what is empty absent, as it is for kubectl, and paths relative to the file absolute.
fn clean(config: &mut Kubeconfig, dir: &Path) {
    drop_empty(&mut config.current_context);
    for it in config
        .clusters
        .iter_mut()
        .filter_map(|it| it.cluster.as_mut())
    {
        clean_cluster(it, dir);
    }
    for it in config
        .auth_infos
        .iter_mut()
        .filter_map(|it| it.auth_info.as_mut())
    {
        clean_user(it, dir);
    }
}

fn clean_cluster(it: &mut Cluster, dir: &Path) {
    for text in [
        &mut it.server,
        &mut it.certificate_authority,
        &mut it.certificate_authority_data,
        &mut it.proxy_url,
        &mut it.tls_server_name,
    ] {
        drop_empty(text);
    }
    make_absolute(&mut it.certificate_authority, dir);
}

fn clean_user(it: &mut AuthInfo, dir: &Path) {
    use secrecy::ExposeSecret;

    for text in [
        &mut it.username,
        &mut it.token_file,
        &mut it.client_certificate,
        &mut it.client_certificate_data,
        &mut it.client_key,
        &mut it.impersonate,
        &mut it.impersonate_uid,
    ] {
        drop_empty(text);
    }
    for secret in [&mut it.token, &mut it.client_key_data] {
        secret.take_if(|it| it.expose_secret().is_empty());
    }
    for path in [
        &mut it.token_file,
        &mut it.client_certificate,
        &mut it.client_key,
    ] {
        make_absolute(path, dir);
    }
    // A bare name is looked up in PATH; only one with a separator is a path.
    if let Some(exec) = &mut it.exec
        && exec
            .command
            .as_ref()
            .is_some_and(|it| Path::new(it).components().count() > 1)
    {
        make_absolute(&mut exec.command, dir);
    }
}

fn drop_empty(text: &mut Option<String>) {
    text.take_if(|it| it.is_empty());
}

fn make_absolute(path: &mut Option<String>, dir: &Path) {
    if let Some(it) = path {
        *it = dir.join(&*it).to_string_lossy().into_owned();
    }
}
