//! How registries are asked, and what of the process's environment decides it.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;

use super::config::CredentialFile;
use super::place::Mirror;
use crate::read::Program;
use crate::read::live::Environment;

/// How registries are asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// Asked in place of every image's own registry.
    pub mirror: Option<Mirror>,
    /// In the order in which they are tried.
    pub credentials: Vec<CredentialFile>,
    /// Trusted besides the system's.
    pub authorities: Vec<CertificateDer<'static>>,
    /// Trust every certificate, and speak plain HTTP with a registry that has no TLS.
    pub insecure: bool,
    /// How long one question may take, everything included; `None` is forever.
    pub timeout: Option<Duration>,
    /// Who asks, as registries see it.
    pub program: Program,
    /// A line for every request.
    pub log: Log,
    /// The process's environment.
    pub surroundings: Surroundings,
}

impl Options {
    /// No credentials, no mirror, the usual time.
    pub fn new(program: Program) -> Self {
        Self {
            mirror: None,
            credentials: Vec::new(),
            authorities: Vec::new(),
            insecure: false,
            timeout: Some(Duration::from_secs(60)),
            program,
            log: Log::default(),
            surroundings: Surroundings::default(),
        }
    }
}

/// Takes the lines of the log; nothing by default.
#[derive(Clone, Default)]
pub struct Log(Option<Taker>);

type Taker = Arc<dyn Fn(&str)>;

impl Log {
    /// Gives every line to this.
    pub fn to(taker: impl Fn(&str) + 'static) -> Self {
        Self(Some(Arc::new(taker)))
    }

    pub(super) fn line(&self, text: &str) {
        if let Some(it) = &self.0 {
            it(text);
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Log(on)"
        } else {
            "Log(off)"
        })
    }
}

/// What of the process's environment decides how registries are asked. The default is an empty one.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// `DOCKER_CONFIG`: the folder of docker's `config.json`.
    pub docker_config: Option<PathBuf>,
    /// Where `.docker` may be.
    pub home: Option<PathBuf>,
    /// `REGISTRY_AUTH_FILE`: podman's and skopeo's file.
    pub auth_file: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, where podman keeps it else.
    pub runtime_dir: Option<PathBuf>,
    /// Where credential helpers are found; `PATH` where it is not given.
    pub path: Option<OsString>,
    /// The proxies.
    pub network: Environment,
}

/// Without the proxies: their addresses may hold a login.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("credential_file", &self.credential_file())
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Surroundings {
    /// The environment of this process.
    pub fn of_process() -> Self {
        let given = |name: &str| env::var_os(name).filter(|it| !it.is_empty());
        Self {
            docker_config: given("DOCKER_CONFIG").map(PathBuf::from),
            // On Windows this is USERPROFILE.
            home: env::home_dir(),
            auth_file: given("REGISTRY_AUTH_FILE").map(PathBuf::from),
            runtime_dir: given("XDG_RUNTIME_DIR").map(PathBuf::from),
            path: None,
            network: Environment::of_process(),
        }
    }

    /// The file of credentials that counts, as for crane: docker's; where there is none, podman's.
    pub(super) fn credential_file(&self) -> Option<PathBuf> {
        let docker = match &self.docker_config {
            Some(it) => Some(it.clone()),
            None => self.home.as_ref().map(|it| it.join(".docker")),
        };
        let all = [
            docker.map(|it| it.join("config.json")),
            self.auth_file.clone(),
            self.runtime_dir
                .as_ref()
                .map(|it| it.join("containers/auth.json")),
        ];
        all.into_iter().flatten().find(|it| it.is_file())
    }
}
