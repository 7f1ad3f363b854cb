//! TLS by rustls: which servers are trusted, and what to say when a handshake fails.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::error::{ConnectError, UsageError};

/// What TLS asks of the server. The default verifies its certificate and name against the system's roots.
#[derive(Clone, Default, Debug)]
pub struct TlsOptions {
    /// Trusted instead of the system's roots.
    pub roots: Option<Vec<CertificateDer<'static>>>,
    /// Neither the certificate nor the name is verified.
    pub skip_verification: bool,
}

impl TlsOptions {
    /// Reads a bundle of PEM certificates to trust instead of the system's.
    ///
    /// Errors when the file cannot be read or holds no certificate.
    pub fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, UsageError> {
        let bad = |rule: String| UsageError::Invalid { what: "--cacert", value: path.display().to_string(), rule };
        let pem = std::fs::read(path).map_err(|error| bad(format!("it cannot be read: {error}")))?;
        let roots: Vec<_> = CertificateDer::pem_slice_iter(&pem)
            .collect::<Result<_, _>>()
            .map_err(|error| bad(format!("it is no PEM file: {error}")))?;
        if roots.is_empty() {
            return Err(bad("it holds no certificate (no BEGIN CERTIFICATE line)".to_owned()));
        }
        Ok(roots)
    }

    /// Anything that asks for TLS in particular, so that plaintext must not be tried.
    pub fn asked_for(&self) -> bool {
        self.roots.is_some() || self.skip_verification
    }

    /// The configuration of the TLS library, which agrees to nothing but HTTP/2.
    pub(super) fn client_config(&self) -> Result<Arc<ClientConfig>, ConnectError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("the provider supports the default versions");
        let builder = if self.skip_verification {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAnything { provider }))
        } else {
            builder.with_root_certificates(self.root_store()?)
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(config))
    }

    fn root_store(&self) -> Result<RootCertStore, ConnectError> {
        let mut store = RootCertStore::empty();
        match &self.roots {
            Some(roots) => {
                for root in roots {
                    store.add(root.clone()).map_err(|error| ConnectError::BadRoot { reason: error.to_string() })?;
                }
            }
            // A machine may have some unreadable certificates among good ones; with none at all every handshake
            // fails with "unknown issuer", which says enough.
            None => {
                store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        Ok(store)
    }
}

/// The error of a failed handshake with `address`.
pub(super) fn handshake_error(address: &str, error: &io::Error) -> ConnectError {
    let address = address.to_owned();
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let (reason, advice) = match tls {
        Some(rustls::Error::InvalidMessage(_)) => return ConnectError::PlaintextPeer { address },
        Some(rustls::Error::NoApplicationProtocol) => return ConnectError::NoAlpn { address },
        Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
            return ConnectError::NoAlpn { address };
        }
        Some(rustls::Error::InvalidCertificate(reason)) => explain_certificate(reason),
        Some(rustls::Error::AlertReceived(alert)) => (
            format!("the server refused it with the alert {alert:?}"),
            Some("the server may want a client certificate, or another TLS version"),
        ),
        Some(other) => (other.to_string(), None),
        None if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            return ConnectError::ClosedInHandshake { address };
        }
        None => (error.to_string(), None),
    };
    ConnectError::Tls { address, reason, advice }
}

fn explain_certificate(reason: &CertificateError) -> (String, Option<&'static str>) {
    match reason {
        CertificateError::UnknownIssuer => (
            "its certificate is signed by an unknown issuer".to_owned(),
            Some("give the issuer's certificate by --cacert, or skip the check by --skipTLS"),
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            "its certificate has expired".to_owned(),
            Some("renew it, check the clock, or skip the check by --skipTLS"),
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
            format!("its certificate is for another name: {reason}"),
            Some("give the name in the certificate by --authority, or skip the check by --skipTLS"),
        ),
        other => {
            let text = format!("{other:?}");
            if text.contains("CaUsedAsEndEntity") {
                (
                    "it uses a CA certificate as its own".to_owned(),
                    Some("make it a certificate that is no CA, signed by one; or skip the check by --skipTLS"),
                )
            } else {
                (format!("its certificate is not accepted: {other}"), Some("skip the check by --skipTLS"))
            }
        }
    }
}

/// Accepts every certificate; handshake signatures are still checked.
#[derive(Debug)]
struct TrustAnything {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnything {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
