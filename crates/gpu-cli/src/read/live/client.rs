//! The kube client, with the defaults a command-line tool needs.

use std::fs;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Uri, header, uri};
use kube::{Client, Config};
use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::Environment;
use super::proxy;
use super::target::Target;
use super::transport::Peer;
use crate::error::Error;
use crate::read::Program;

/// How long a connection may take to be made, however long a request may take.
pub(crate) const CONNECT: Duration = Duration::from_secs(30);

/// Prepares the connection; has to be called inside the runtime. No request is made.
/// The error says what of the configuration cannot be used.
pub(super) fn connect(
    target: &Target,
    program: Program,
    environment: &Environment,
) -> Result<(Client, Peer), Error> {
    // Whoever was first has installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cluster = &target.cluster;
    let proxy =
        proxy::decide(&target.url, cluster.proxy_url.as_deref(), environment).map_err(|why| {
            let url = cluster.proxy_url.as_deref().unwrap_or("of the environment");
            let name = &target.cluster_name;
            Error::Configuration(format!(
                "invalid 'proxy-url' \"{url}\" for cluster \"{name}\": {why}"
            ))
        })?;
    let authority = authority(target)?;
    let peer = Peer {
        host: host_and_port(&target.url),
        proxy: proxy.as_ref().map(host_and_port),
        authority_given: authority.is_some(),
    };
    // kube leaves the port out towards a proxy, or takes 443 for every scheme.
    let url = if proxy.is_some() {
        with_port(&target.url)
    } else {
        target.url.clone()
    };
    let mut config = Config::new(url);
    config.root_cert = authority;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    config.tls_server_name = cluster.tls_server_name.clone();
    config.disable_compression = cluster.disable_compression.unwrap_or(false);
    config.proxy_url = proxy;
    config.auth_info = target.user.clone();
    config.connect_timeout = Some(CONNECT);
    // kube retries 503 for minutes; our own tries are few.
    config.default_retry = false;
    config.headers = vec![(header::USER_AGENT, user_agent(program)?)];
    let client = Client::try_from(config).map_err(|it| unusable(&it))?;
    Ok((client, peer))
}

/// What in the kubeconfig the client cannot use, without kube's own words before it.
fn unusable(error: &kube::Error) -> Error {
    match error {
        kube::Error::InferKubeconfig(it) => Error::Configuration(it.to_string()),
        kube::Error::RustlsTls(it) => Error::Configuration(it.to_string()),
        kube::Error::Auth(it) => Error::Credentials(it.to_string()),
        it => Error::Configuration(it.to_string()),
    }
}

/// The certificates of the CA, if the kubeconfig or a flag names one.
fn authority(target: &Target) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let cluster = &target.cluster;
    let name = &target.cluster_name;
    let pem = match (
        &cluster.certificate_authority_data,
        &cluster.certificate_authority,
    ) {
        (Some(data), _) => STANDARD.decode(data.trim()).map_err(|why| {
            Error::Configuration(format!(
                "certificate-authority-data of {name} is not base64: {why}"
            ))
        })?,
        (None, Some(path)) => fs::read(path).map_err(|why| {
            Error::Configuration(format!(
                "unable to read certificate-authority {path} for {name} due to {why}"
            ))
        })?,
        (None, None) => return Ok(None),
    };
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .filter_map(Result::ok)
        .map(|it| it.to_vec())
        .collect();
    if certificates.is_empty() {
        return Err(Error::Configuration(format!(
            "unable to load root certificates for {name}: unable to parse bytes as PEM block"
        )));
    }
    Ok(Some(certificates))
}

/// What admins find in their audit log: `kubectl-gpu_audit/0.1.0 (linux/amd64) kubectl-gpu`.
pub(crate) fn user_agent(program: Program) -> Result<HeaderValue, Error> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        it => it,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        it => it,
    };
    let Program { name, version } = program;
    HeaderValue::try_from(format!("{name}/{version} ({system}/{machine}) kubectl-gpu"))
        .map_err(|it| Error::Configuration(it.to_string()))
}

/// As kubectl names a server: the port only where it is written.
fn host_and_port(url: &Uri) -> String {
    let host = url.host().unwrap_or_default();
    match url.port_u16() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn with_port(url: &Uri) -> Uri {
    let port = match url.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let mut parts = url.clone().into_parts();
    if let (Some(host), None) = (url.host(), url.port_u16())
        && let Ok(authority) = uri::Authority::try_from(format!("{host}:{port}"))
    {
        parts.authority = Some(authority);
    }
    Uri::from_parts(parts).unwrap_or_else(|_| url.clone())
}
