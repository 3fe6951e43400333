//! Which cluster and which user: the context's, with what the flags say laid over it.

use std::fs;

use http::Uri;
use kube::config::{AuthInfo, Cluster, Context, Kubeconfig};

use super::Environment;
use super::kubeconfig::Files;
use crate::args::{Access, given};
use crate::error::Error;
use crate::nearest::nearest;

/// Whom to ask, and as whom.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) context: Option<String>,
    pub(super) cluster_name: String,
    pub(super) cluster: Cluster,
    pub(super) user_name: String,
    pub(super) user: AuthInfo,
    pub(super) url: Uri,
}

/// Chooses as kubectl does. The errors are kubectl's, with the nearest name.
pub(super) fn choose(
    files: Files,
    access: &Access,
    environment: &Environment,
) -> Result<Target, Error> {
    let asked_server = given(access.server.as_ref());
    let (context, mut cluster, mut user) = if files.are_empty() && named_nothing(access) {
        match (asked_server, in_pod(environment)) {
            (None, Some((cluster, user))) => (None, cluster, user),
            (None, None) => return Err(no_configuration(&files)),
            (Some(_), _) => (None, Named::default(), Named::default()),
        }
    } else {
        chosen(&files.config, access, asked_server.is_some())?
    };
    override_cluster(&mut cluster.1, access);
    override_user(&mut user.1, access);
    let url = server_url(&cluster.1)?;
    Ok(Target {
        context,
        cluster_name: cluster.0,
        cluster: cluster.1,
        user_name: user.0,
        user: user.1,
        url,
    })
}

/// An entry of a kubeconfig with its name.
type Named<T> = (String, T);

/// The context's name, a cluster and a user.
type Chosen = (Option<String>, Named<Cluster>, Named<AuthInfo>);

fn named_nothing(access: &Access) -> bool {
    [&access.context, &access.cluster, &access.user]
        .into_iter()
        .all(|it| given(it.as_ref()).is_none())
}

fn no_configuration(files: &Files) -> Error {
    let paths: Vec<_> = files
        .looked_at
        .iter()
        .map(|it| it.display().to_string())
        .collect();
    Error::NoConfiguration {
        looked_at: paths.join(", "),
    }
}

/// The context's cluster and user, or those that flags name instead.
fn chosen(config: &Kubeconfig, access: &Access, server_given: bool) -> Result<Chosen, Error> {
    let name = given(access.context.as_ref()).or(config.current_context.as_deref());
    let context = name.map(|name| context(config, name)).transpose()?;
    let asked_cluster = given(access.cluster.as_ref());
    let cluster_name = asked_cluster.or(context.as_ref().map(|it| it.cluster.as_str()));
    let cluster = match (cluster_name, server_given) {
        (None, false) => return Err(Error::NoCurrentContext),
        (None, true) => Named::default(),
        (Some(name), _) => match cluster(config, name) {
            Ok(it) => (name.to_owned(), it),
            Err(_) if server_given => (name.to_owned(), Cluster::default()),
            Err(error) => return Err(error),
        },
    };
    let asked_user = given(access.user.as_ref());
    let user = match (
        asked_user,
        context.as_ref().and_then(|it| it.user.as_deref()),
    ) {
        (Some(name), _) => (name.to_owned(), user(config, name)?),
        // Whoever is named but not there is nobody in particular, as for kubectl.
        (None, Some(name)) => (name.to_owned(), user(config, name).unwrap_or_default()),
        (None, None) => Named::default(),
    };
    Ok((name.map(str::to_owned), cluster, user))
}

fn context(config: &Kubeconfig, name: &str) -> Result<Context, Error> {
    let found = config.contexts.iter().find(|it| it.name == name);
    found
        .and_then(|it| it.context.clone())
        .ok_or_else(|| Error::NoSuchContext {
            name: name.to_owned(),
            nearest: similar(name, config.contexts.iter().map(|it| it.name.as_str())),
        })
}

fn cluster(config: &Kubeconfig, name: &str) -> Result<Cluster, Error> {
    let found = config.clusters.iter().find(|it| it.name == name);
    found
        .and_then(|it| it.cluster.clone())
        .ok_or_else(|| Error::NoSuchCluster {
            name: name.to_owned(),
            nearest: similar(name, config.clusters.iter().map(|it| it.name.as_str())),
        })
}

fn user(config: &Kubeconfig, name: &str) -> Result<AuthInfo, Error> {
    let found = config.auth_infos.iter().find(|it| it.name == name);
    found
        .map(|it| it.auth_info.clone().unwrap_or_default())
        .ok_or_else(|| Error::NoSuchUser {
            name: name.to_owned(),
            nearest: similar(name, config.auth_infos.iter().map(|it| it.name.as_str())),
        })
}

fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(name, names).map(str::to_owned)
}

/// What a pod knows of its cluster.
fn in_pod(environment: &Environment) -> Option<(Named<Cluster>, Named<AuthInfo>)> {
    let host = environment.service_host.as_ref()?;
    let port = environment.service_port.as_ref()?;
    let file = |name: &str| {
        let path = environment.service_account.join(name);
        let there = fs::metadata(&path).is_ok();
        there.then(|| path.to_string_lossy().into_owned())
    };
    let token_file = Some(file("token")?);
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.clone()
    };
    let cluster = Cluster {
        server: Some(format!("https://{host}:{port}")),
        certificate_authority: file("ca.crt"),
        ..Cluster::default()
    };
    let user = AuthInfo {
        token_file,
        ..AuthInfo::default()
    };
    let name = || "the pod's service account".to_owned();
    Some(((name(), cluster), (name(), user)))
}

fn override_cluster(it: &mut Cluster, access: &Access) {
    let flag = |it: &Option<String>| given(it.as_ref()).map(str::to_owned);
    let authority = flag(&access.certificate_authority);
    // Either of these flags speaks for all of them, or the kubeconfig's would contradict it.
    if access.insecure_skip_tls_verify || authority.is_some() {
        it.insecure_skip_tls_verify = Some(access.insecure_skip_tls_verify);
        it.certificate_authority = authority;
        it.certificate_authority_data = None;
    }
    // A server named by hand has not the name that the kubeconfig knows.
    if access.server.is_some() || access.tls_server_name.is_some() {
        it.tls_server_name = flag(&access.tls_server_name);
    }
    if let Some(server) = flag(&access.server) {
        it.server = Some(server);
    }
    if let Some(proxy) = flag(&access.proxy_url) {
        it.proxy_url = Some(proxy);
    }
}

fn override_user(it: &mut AuthInfo, access: &Access) {
    let flag = |it: &Option<String>| given(it.as_ref()).map(str::to_owned);
    if let Some(token) = flag(&access.token) {
        it.token = Some(token.into());
        it.token_file = None;
        it.exec = None;
        it.auth_provider = None;
        it.username = None;
        it.password = None;
    }
    if let Some(path) = flag(&access.client_certificate) {
        it.client_certificate = Some(path);
        it.client_certificate_data = None;
    }
    if let Some(path) = flag(&access.client_key) {
        it.client_key = Some(path);
        it.client_key_data = None;
    }
    if let Some(name) = flag(&access.as_user) {
        it.impersonate = Some(name);
    }
    if let Some(uid) = flag(&access.as_uid) {
        it.impersonate_uid = Some(uid);
    }
    if !access.as_group.is_empty() {
        it.impersonate_groups = Some(access.as_group.clone());
    }
    for (key, value) in &access.as_user_extra {
        let extra = it.impersonate_user_extra.get_or_insert_default();
        extra.entry(key.clone()).or_default().push(value.clone());
    }
}

/// The server's address; without a scheme it is HTTPS where TLS is configured, as for kubectl.
fn server_url(cluster: &Cluster) -> Result<Uri, Error> {
    let server = cluster.server.as_deref().unwrap_or_default().trim();
    let tls = cluster.certificate_authority.is_some()
        || cluster.certificate_authority_data.is_some()
        || cluster.insecure_skip_tls_verify == Some(true);
    let text = match (server.contains("://"), tls) {
        (true, _) => server.to_owned(),
        (false, true) => format!("https://{server}"),
        (false, false) => format!("http://{server}"),
    };
    let bad = |why: &str| Error::Configuration(format!("invalid server \"{server}\": {why}"));
    let url: Uri = text
        .parse()
        .map_err(|it: http::uri::InvalidUri| bad(&it.to_string()))?;
    match (url.scheme_str(), url.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(url),
        (Some("http" | "https"), _) => Err(bad("it has no host")),
        _ => Err(bad("it has to start with https:// or http://")),
    }
}
