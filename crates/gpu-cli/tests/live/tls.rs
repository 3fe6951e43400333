//! Certificates: trusted, untrusted, of the wrong kind, and those a client shows.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::bench::Bench;
use crate::server::{Server, small_cluster};

/// A certificate and its key, as PEM.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// A CA and a certificate for `name` that it signed.
pub(crate) fn signed_for(name: &str) -> (String, Identity) {
    let ca_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = params.self_signed(&ca_key).unwrap().pem();
    let issuer = Issuer::new(params, ca_key);
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap().pem();
    (
        ca,
        Identity {
            certificate,
            key: key.serialize_pem(),
        },
    )
}

/// A server with this certificate; with a CA, it wants to see a certificate of the client's too.
pub(crate) fn server_config(identity: &Identity, clients: Option<&str>) -> ServerConfig {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let builder = match clients {
        None => ServerConfig::builder().with_no_client_auth(),
        Some(ca) => {
            let mut roots = RootCertStore::empty();
            roots.add(der(ca)).unwrap();
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots))
                .build()
                .unwrap();
            ServerConfig::builder().with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).unwrap();
    builder
        .with_single_cert(vec![der(&identity.certificate)], key)
        .unwrap()
}

/// A kubeconfig's cluster entry with this CA.
pub(crate) fn cluster(server: &Server, ca: &str) -> String {
    let data = STANDARD.encode(ca);
    format!(
        "server: 'https://{}', certificate-authority-data: {data}",
        server.host
    )
}

#[test]
fn a_certificate_of_the_clusters_own_ca_is_trusted() {
    let (ca, identity) = signed_for("127.0.0.1");
    let server = Server::start_tls(server_config(&identity, None), small_cluster);
    assert!(
        Bench::with_config(&cluster(&server, &ca), "")
            .read()
            .is_ok()
    );

    let bench = Bench::empty();
    let file = bench.file("ca.crt", &ca);
    let url = format!("https://{}", server.host);
    let bench = bench.flag("-s").flag(&url).flag("--certificate-authority");
    assert!(bench.flag(&file.to_string_lossy()).read().is_ok());
}

#[test]
fn an_untrusted_certificate_is_said_in_kubectls_words() {
    let (_, identity) = signed_for("127.0.0.1");
    let (other_ca, _) = signed_for("127.0.0.1");
    let server = Server::start_tls(server_config(&identity, None), small_cluster);
    let start = "Unable to connect to the server: tls: failed to verify certificate: \
                 x509: certificate signed by unknown authority | ";
    let error = Bench::with_config(&cluster(&server, &other_ca), "").error();
    assert!(error.starts_with(start), "{error}");

    let error = Bench::with_config(&format!("server: 'https://{}'", server.host), "").error();
    assert!(
        error.starts_with(start) && error.contains("--certificate-authority"),
        "{error}"
    );
}

#[test]
fn the_servers_own_certificate_in_place_of_its_cas_is_explained() {
    let (_, identity) = signed_for("127.0.0.1");
    let server = Server::start_tls(server_config(&identity, None), small_cluster);
    let error = Bench::with_config(&cluster(&server, &identity.certificate), "").error();
    assert!(error.contains("failed to verify certificate"), "{error}");
    assert!(
        error.contains("the server's own certificate is not enough"),
        "{error}"
    );
}

#[test]
fn the_name_in_the_certificate_counts_unless_a_flag_says_otherwise() {
    let (ca, identity) = signed_for("kubernetes.example.com");
    let server = Server::start_tls(server_config(&identity, None), small_cluster);
    let bench = || Bench::with_config(&cluster(&server, &ca), "");
    let error = bench().error();
    assert!(
        error.contains("x509: certificate not valid for name"),
        "{error}"
    );
    assert!(
        bench()
            .flags("--tls-server-name kubernetes.example.com")
            .read()
            .is_ok()
    );
    assert!(bench().flags("--insecure-skip-tls-verify").read().is_ok());
    assert!(
        bench()
            .flags("--insecure-skip-tls-verify=false")
            .read()
            .is_err()
    );
}

#[test]
fn https_to_a_plain_server_is_said_in_kubectls_words() {
    let server = Server::start(small_cluster);
    let (ca, _) = signed_for("127.0.0.1");
    let error = Bench::with_config(&cluster(&server, &ca), "").error();
    let want =
        "Unable to connect to the server: http: server gave HTTP response to HTTPS client | ";
    assert_eq!(error, want);
}

#[test]
fn certificates_that_are_none_are_named() {
    for (cluster, user, want) in [
        (
            "certificate-authority-data: '!'",
            "",
            "certificate-authority-data of lab is not base64",
        ),
        (
            "certificate-authority-data: aGk=",
            "",
            "unable to load root certificates for lab",
        ),
        (
            "certificate-authority: nope.crt",
            "",
            "unable to read certificate-authority",
        ),
        (
            "",
            "client-certificate: nope.crt, client-key: nope.key",
            "failed to load client",
        ),
        (
            "",
            "client-certificate-data: aGk=",
            "failed to load client key",
        ),
    ] {
        let cluster = format!("server: 'https://127.0.0.1:1', {cluster}");
        let error = Bench::with_config(&cluster, user).error();
        assert!(
            error.starts_with("error: ") && error.contains(want),
            "{error}"
        );
    }
}

#[test]
fn a_pod_asks_with_its_service_account() {
    let (ca, identity) = signed_for("127.0.0.1");
    let server = Server::start_tls(server_config(&identity, None), small_cluster);
    let mut bench = Bench::empty();
    bench.file("token", "of-the-pod\n");
    bench.file("ca.crt", &ca);
    bench.environment.service_account = bench.path().to_owned();
    let (host, port) = server.host.split_once(':').unwrap();
    bench.environment.service_host = Some(host.to_owned());
    bench.environment.service_port = Some(port.to_owned());
    bench.read().unwrap();
    assert_eq!(
        server.asked()[0].header("authorization"),
        "Bearer of-the-pod"
    );
}
