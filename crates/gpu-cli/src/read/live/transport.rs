//! What kept a request from reaching the server, out of the chain of causes, in kubectl's words.

use std::error::Error as Cause;
use std::io::{self, ErrorKind};

use rustls::CertificateError;

use super::failure::Failure;
use crate::error::Error;

/// Who is at the other end.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    /// Host and port of the server.
    pub(super) host: String,
    /// Host and port of the proxy that leads to it.
    pub(super) proxy: Option<String>,
    /// Was a certificate authority configured?
    pub(super) authority_given: bool,
}

/// Says what went wrong on the way; most of it goes wrong for every request.
pub(super) fn failure(error: &kube::Error, peer: &Peer) -> Failure {
    let causes = causes(error);
    let of = |it: &&(dyn Cause + 'static)| it.downcast_ref::<rustls::Error>().cloned();
    if let Some(it) = causes.iter().find_map(of) {
        return Failure::Fatal(tls(&it, peer));
    }
    if let Some(it) = causes
        .iter()
        .find_map(|it| it.downcast_ref::<kube::client::AuthError>())
    {
        return Failure::Fatal(Error::Credentials(it.to_string()));
    }
    let texts: Vec<_> = causes.iter().map(ToString::to_string).collect();
    let deepest = texts.last().cloned().unwrap_or_default();
    let starts = |start: &str| texts.iter().find(|it| it.starts_with(start));
    if let Some(proxy) = &peer.proxy
        && let Some(text) = starts("tunnel error").or(starts("SOCKS error"))
    {
        let why = match text.split_once(": ") {
            Some((_, "failed to create underlying connection")) => deepest,
            Some((_, "unsuccessful")) => format!("it refused to connect to {}", peer.host),
            Some((_, why)) => why.to_owned(),
            None => deepest,
        };
        let proxy = proxy.clone();
        return Failure::Fatal(Error::Proxy { proxy, why });
    }
    let kind = causes
        .iter()
        .rev()
        .find_map(|it| it.downcast_ref::<io::Error>())
        .map(io::Error::kind);
    let host = &peer.host;
    let why = match kind {
        Some(ErrorKind::ConnectionRefused) => {
            return Failure::Fatal(Error::Refused { host: host.clone() });
        }
        Some(
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof,
        ) => return Failure::Broken(deepest),
        // hyper has a type for it, but no way to reach it through kube.
        _ if starts("connection closed before message completed").is_some() => {
            return Failure::Broken(deepest);
        }
        _ if starts("dns error").is_some() => format!("dial tcp: lookup {host}: no such host"),
        Some(ErrorKind::TimedOut) => format!("dial tcp {host}: i/o timeout"),
        Some(ErrorKind::HostUnreachable) => format!("dial tcp {host}: connect: no route to host"),
        Some(ErrorKind::NetworkUnreachable) => {
            format!("dial tcp {host}: connect: network is unreachable")
        }
        _ => deepest,
    };
    Failure::Fatal(Error::Unreachable { why })
}

/// What is behind everything else.
pub(super) fn deepest(error: &kube::Error) -> String {
    causes(error)
        .last()
        .map_or_else(String::new, ToString::to_string)
}

/// From the outermost to the innermost. An I/O error hides what it wraps from `source`.
pub(crate) fn causes<'a>(error: &'a (dyn Cause + 'static)) -> Vec<&'a (dyn Cause + 'static)> {
    let mut all = vec![error];
    let mut at = error;
    loop {
        let wrapped = at.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let next = match wrapped {
            Some(it) => Some(it as &'a (dyn Cause + 'static)),
            None => at.source(),
        };
        let Some(it) = next else { return all };
        all.push(it);
        at = it;
    }
}

fn tls(error: &rustls::Error, peer: &Peer) -> Error {
    let untrusted = |why: String| Error::Untrusted {
        why,
        authority_given: peer.authority_given,
    };
    match error {
        rustls::Error::InvalidCertificate(it) => untrusted(certificate(it)),
        rustls::Error::InvalidMessage(_) => Error::Unreachable {
            why: "http: server gave HTTP response to HTTPS client".to_owned(),
        },
        it => Error::Unreachable {
            why: format!("tls: {it}"),
        },
    }
}

/// What is wrong with a certificate, in Go's words.
pub(crate) fn certificate(error: &CertificateError) -> String {
    match error {
        // A CA of the right name and another key: a cluster that was made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "x509: certificate signed by unknown authority".to_owned()
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => {
            "x509: certificate has expired or is not yet valid".to_owned()
        }
        it => format!("x509: {it}"),
    }
}
