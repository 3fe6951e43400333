//! Why a question got no answer, and the three ways in which a connection is lost.

use std::error::Error as Cause;
use std::io::{self, ErrorKind};

use gpu_core::drivertag::existence::Existence;

use crate::read::live::transport::{causes, certificate};

/// Why a question got no answer. "Not there" is an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Denied(String),
    Throttled(String),
    Unreachable(String),
    Untrusted(String),
}

impl From<Failure> for Existence {
    fn from(it: Failure) -> Self {
        match it {
            Failure::Denied(why) => Self::Denied(why),
            Failure::Throttled(why) => Self::Throttled(why),
            Failure::Unreachable(why) => Self::Unreachable(why),
            Failure::Untrusted(why) => Self::Untrusted(why),
        }
    }
}

/// How a request was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The certificate is not trusted.
    Untrusted,
    /// What listens there does not speak TLS.
    NotTls,
    /// There was no connection, and there will be none for the next request either.
    NoConnection,
    /// There was one, and it broke off.
    Broken,
}

/// A request that was lost on the way.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    pub(super) how: How,
    pub(super) why: String,
}

impl Lost {
    /// Says what went wrong between us and `host`, in Go's words where it has some.
    pub(super) fn of(error: &(dyn Cause + 'static), host: &str) -> Self {
        let causes = causes(error);
        let tls = causes
            .iter()
            .find_map(|it| it.downcast_ref::<rustls::Error>());
        if let Some(it) = tls {
            return Self::of_tls(it);
        }
        let texts: Vec<_> = causes.iter().map(ToString::to_string).collect();
        let deepest = texts.last().cloned().unwrap_or_default();
        let starts = |start: &str| texts.iter().any(|it| it.starts_with(start));
        let kind = causes
            .iter()
            .rev()
            .find_map(|it| it.downcast_ref::<io::Error>())
            .map(io::Error::kind);
        let none = |why: String| Self {
            how: How::NoConnection,
            why,
        };
        match kind {
            _ if starts("dns error") => none(format!("dial tcp: lookup {host}: no such host")),
            Some(ErrorKind::ConnectionRefused) => {
                none(format!("dial tcp {host}: connect: connection refused"))
            }
            Some(ErrorKind::TimedOut) => none(format!("dial tcp {host}: i/o timeout")),
            Some(ErrorKind::HostUnreachable) => {
                none(format!("dial tcp {host}: connect: no route to host"))
            }
            Some(ErrorKind::NetworkUnreachable) => {
                none(format!("dial tcp {host}: connect: network is unreachable"))
            }
            _ if starts("tunnel error") || starts("SOCKS error") => {
                none(format!("the proxy does not lead to {host}: {deepest}"))
            }
            _ => Self {
                how: How::Broken,
                why: format!("{host} broke off the connection: {deepest}"),
            },
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        let (how, why) = match error {
            rustls::Error::InvalidCertificate(it) => (How::Untrusted, certificate(it)),
            // Ours: there is nothing on this machine to trust.
            rustls::Error::General(why) => (How::Untrusted, why.clone()),
            rustls::Error::InvalidMessage(_) => (
                How::NotTls,
                "http: server gave HTTP response to HTTPS client".to_owned(),
            ),
            it => (How::NoConnection, format!("tls: {it}")),
        };
        Self { how, why }
    }
}

impl From<Lost> for Failure {
    fn from(it: Lost) -> Self {
        match it.how {
            How::Untrusted => Self::Untrusted(format!(
                "tls: failed to verify certificate: {}; name its CA with --registry-ca",
                it.why
            )),
            How::NotTls => {
                Self::Unreachable(format!("{}; --registry-insecure allows plain HTTP", it.why))
            }
            How::NoConnection | How::Broken => Self::Unreachable(it.why),
        }
    }
}
