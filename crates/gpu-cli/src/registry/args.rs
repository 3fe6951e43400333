//! The flags of a plugin that asks registries.

use std::path::Path;

use clap::{Args, ValueHint};
use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::config::CredentialFile;
use super::options::{Log, Options, Surroundings};
use super::place::Mirror;
use crate::args::{Access, given};
use crate::error::Error;
use crate::read::Program;

/// kubectl lists every request from this verbosity on.
const LIST_REQUESTS: i32 = 6;

/// Whether registries are asked, which, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Registry")]
pub struct RegistryArgs {
    /// Ask the registry of every image whether it is there; with PREFIX (a host, with port and path if need be), ask a
    /// mirror that has nvcr.io/nvidia/driver as PREFIX/nvidia/driver.
    #[arg(
        long,
        value_name = "PREFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub registry: Option<String>,
    /// Also list all tags there are, to name the nearest where one is absent.
    #[arg(long, requires = "registry")]
    pub list: bool,
    /// File of credentials (docker's config.json or podman's auth.json) in place of the usual one.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "registry")]
    pub registry_config: Option<String>,
    /// Use the credentials the cluster itself pulls with: reads the pull secrets of the operator's namespace.
    #[arg(long, requires = "registry")]
    pub use_pull_secrets: bool,
    /// Path to certificates of CAs to trust besides the system's.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "registry")]
    pub registry_ca: Option<String>,
    /// Do not check certificates, and use plain HTTP where there is no TLS; loopback needs no flag for the latter.
    #[arg(long, requires = "registry")]
    pub registry_insecure: bool,
}

impl RegistryArgs {
    /// Reads what the flags name. With `--use-pull-secrets`, `secrets` are the cluster's: they are tried first, for
    /// they are what counts. The error is for what was typed; a usual file that cannot be read is only remarked upon.
    pub fn options(
        &self,
        access: &Access,
        program: Program,
        surroundings: Surroundings,
        secrets: Vec<CredentialFile>,
    ) -> Result<Options, Error> {
        let usage = |flag: &str| {
            let flag = flag.to_owned();
            move |why: String| Error::Usage(format!("--{flag}: {why}"))
        };
        let mirror = given(self.registry.as_ref())
            .map(Mirror::parse)
            .transpose()
            .map_err(usage("registry"))?;
        let mut credentials = secrets;
        match given(self.registry_config.as_ref()) {
            Some(it) => {
                let file = CredentialFile::read(Path::new(it));
                credentials.push(file.map_err(usage("registry-config"))?);
            }
            None => {
                let file = surroundings.credential_file();
                match file.map(|it| CredentialFile::read(&it)).transpose() {
                    Ok(it) => credentials.extend(it),
                    Err(why) => crate::remark(&format!("warning: {why}; going on without it")),
                }
            }
        }
        let authorities = match given(self.registry_ca.as_ref()) {
            Some(it) => authorities(it).map_err(usage("registry-ca"))?,
            None => Vec::new(),
        };
        let log = if access.v >= LIST_REQUESTS {
            Log::to(crate::remark)
        } else {
            Log::default()
        };
        Ok(Options {
            mirror,
            credentials,
            authorities,
            insecure: self.registry_insecure,
            timeout: access.request_timeout.0,
            program,
            log,
            surroundings,
        })
    }
}

fn authorities(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = std::fs::read(path).map_err(|it| format!("cannot read {path}: {it}"))?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        _ => Err(format!("{path} holds no certificates in PEM form")),
    }
}
