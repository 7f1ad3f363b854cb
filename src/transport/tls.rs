//! TLS by rustls: which servers are trusted, what they are shown, and what to say when a handshake fails.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, KeyLogFile, RootCertStore, SignatureScheme,
};

use super::identity::{self, Identity};
use crate::error::{ConnectError, UsageError};

/// What TLS asks of the server, and shows of us. The default verifies its certificate and name against the system's roots.
#[derive(Clone, Default, Debug)]
pub struct TlsOptions {
    /// Trusted instead of the system's roots.
    pub roots: Option<Vec<CertificateDer<'static>>>,
    /// Neither the certificate nor the name is verified.
    pub skip_verification: bool,
    /// Shown to servers that ask who calls.
    pub identity: Option<Identity>,
    /// The secrets of each connection are appended to the file that the variable `SSLKEYLOGFILE` names, for programs that
    /// show what passed.
    pub log_keys: bool,
}

impl TlsOptions {
    /// Reads a bundle of PEM certificates to trust instead of the system's.
    ///
    /// Errors when the file cannot be read or holds no certificate.
    pub fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, UsageError> {
        identity::certificates("--cacert", path)
    }

    /// Anything that asks for TLS in particular, so that plaintext must not be tried.
    pub fn asked_for(&self) -> bool {
        self.roots.is_some() || self.skip_verification || self.identity.is_some()
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
        let mut config = match &self.identity {
            Some(identity) => builder.with_client_cert_resolver(identity.resolver()),
            None => builder.with_no_client_auth(),
        };
        if self.log_keys {
            config.key_log = Arc::new(KeyLogFile::new());
        }
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

/// The error of a failed handshake with `address`. `shown` says whether we had a certificate of our own to show.
pub(super) fn handshake_error(address: &str, error: &io::Error, shown: bool) -> ConnectError {
    let address = address.to_owned();
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let (reason, advice) = match tls {
        Some(rustls::Error::InvalidMessage(_)) => return ConnectError::PlaintextPeer { address },
        Some(rustls::Error::NoApplicationProtocol) => return ConnectError::NoAlpn { address },
        Some(rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)) => {
            return ConnectError::NoAlpn { address };
        }
        Some(rustls::Error::AlertReceived(alert)) if is_about_our_certificate(*alert) => {
            return if shown {
                ConnectError::ClientCertificateRefused { address, alert: format!("{alert:?}") }
            } else {
                ConnectError::ClientCertificateDemanded { address }
            };
        }
        Some(rustls::Error::InvalidCertificate(reason)) => explain_certificate(reason),
        Some(rustls::Error::AlertReceived(alert)) => (
            format!("the server refused it with the alert {alert:?}"),
            Some("the server may want a client certificate (--cert and --key), or another TLS version"),
        ),
        Some(other) => (other.to_string(), None),
        None if matches!(
            error.kind(),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
        ) =>
        {
            return ConnectError::ClosedInHandshake { address };
        }
        None => (error.to_string(), None),
    };
    ConnectError::Tls { address, reason, advice }
}

/// The alert in a record that is not encrypted (RFC 5246, sections 6.2.1 and 7.2): type, version, length 2, level, and
/// the alert.
pub(super) fn plain_alert(record: &[u8]) -> Option<AlertDescription> {
    match *record {
        [21, 3, _, 0, 2, _, alert, ..] => Some(AlertDescription::from(alert)),
        _ => None,
    }
}

/// Alerts by which a server says that our certificate is missing or not good enough. They cannot be about anything else,
/// as ours is the only one that it sees. `HandshakeFailure` may mean the same, and much else.
fn is_about_our_certificate(alert: AlertDescription) -> bool {
    matches!(
        alert,
        AlertDescription::CertificateRequired
            | AlertDescription::NoCertificate
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied
    )
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
            Some("give the name in the certificate by --cname, or skip the check by --skipTLS"),
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
