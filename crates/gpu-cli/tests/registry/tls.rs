//! Certificates that are trusted, and those that are not.

use gpu_cli::Program;
use gpu_cli::args::Access;
use gpu_cli::registry::{Options, RegistryArgs, Surroundings};
use gpu_core::drivertag::existence::Existence;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

use crate::bench::{PROGRAM, ask, check, file, options};
use crate::mock::{Mock, manifest};

/// A CA as PEM, and a server whose certificate for `name` it signed.
fn signed_for(name: &str) -> (String, ServerConfig) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let ca_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = params.self_signed(&ca_key).unwrap().pem();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()])
        .unwrap()
        .signed_by(&key, &Issuer::new(params, ca_key))
        .unwrap();
    let der = CertificateDer::from_pem_slice(certificate.pem().as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![der], key)
        .unwrap();
    (ca, config)
}

fn with_ca(pem: &str) -> Options {
    let (_folder, path) = file("ca.pem", pem);
    let args = RegistryArgs {
        registry_ca: Some(path.display().to_string()),
        ..RegistryArgs::default()
    };
    let Program { .. } = PROGRAM;
    args.options(
        &Access::default(),
        PROGRAM,
        Surroundings::default(),
        Vec::new(),
    )
    .unwrap()
}

#[test]
fn an_unknown_ca_is_not_trusted_until_it_is_named() {
    let (ca, config) = signed_for("127.0.0.1");
    let mock = Mock::start_tls(config, |_| manifest());
    let got = ask(&mock.host, &options());
    check(
        &got,
        "untrusted",
        "certificate signed by unknown authority; name its CA with --registry-ca",
    );
    // Also on loopback nobody falls back to speaking plainly with it.
    assert!(mock.asked().is_empty());
    assert_eq!(ask(&mock.host, &with_ca(&ca)), Existence::Present);
    let (other, _) = signed_for("127.0.0.1");
    check(
        &ask(&mock.host, &with_ca(&other)),
        "untrusted",
        "unknown authority",
    );
    let mut careless = options();
    careless.insecure = true;
    assert_eq!(ask(&mock.host, &careless), Existence::Present);
}

#[test]
fn a_certificate_for_another_name_is_not_trusted() {
    let (ca, config) = signed_for("registry.example");
    let mock = Mock::start_tls(config, |_| manifest());
    check(&ask(&mock.host, &with_ca(&ca)), "untrusted", "x509");
}
