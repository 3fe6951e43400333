//! Which certificates are trusted: the system's, those of `--registry-ca`, or all with `--registry-insecure`.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// TLS as registries are spoken to. On ring by name, so that no other provider can get in between.
pub(super) fn tls(
    authorities: &[CertificateDer<'static>],
    insecure: bool,
) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = if insecure {
        Arc::new(Judge::all(&provider))
    } else {
        match Verifier::new_with_extra_roots(authorities.iter().cloned(), Arc::clone(&provider)) {
            Ok(it) => Arc::new(it),
            // A machine without any CA can still ask a registry on loopback.
            Err(why) => Arc::new(Judge::none(&provider, why.to_string())),
        }
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|it| it.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(config)
}

/// Takes every certificate, or none.
#[derive(Debug)]
struct Judge {
    provider: Arc<CryptoProvider>,
    /// Why none is taken.
    refuses: Option<String>,
}

impl Judge {
    fn all(provider: &Arc<CryptoProvider>) -> Self {
        Self {
            provider: Arc::clone(provider),
            refuses: None,
        }
    }

    fn none(provider: &Arc<CryptoProvider>, why: String) -> Self {
        Self {
            provider: Arc::clone(provider),
            refuses: Some(why),
        }
    }
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.refuses {
            None => Ok(ServerCertVerified::assertion()),
            Some(why) => Err(Error::General(why.clone())),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
