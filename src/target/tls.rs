//! The certificate and key of the server, from their files.

use std::path::{Path, PathBuf};

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use tonic::transport::Identity;
use tonic::transport::server::ServerTlsConfig;

use crate::error::{Problems, UsageError};
use crate::files;

const CERT: &str = "--tls-cert";
const KEY: &str = "--tls-key";

/// The PEM files of a server that speaks TLS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tls {
    /// The certificate, followed by those that lead up to an authority.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Tls {
    /// Reads both files, and makes sure that they are what they should be and belong together.
    pub(super) fn load(&self) -> Result<ServerTlsConfig, Problems> {
        let mut problems = Problems::new();
        let cert = problems.keep(read(CERT, &self.cert));
        let certs = cert.as_ref().and_then(|pem| problems.keep(self.certificates(pem)));
        let key = problems.keep(read(KEY, &self.key));
        let private = key.as_ref().and_then(|pem| problems.keep(self.private_key(pem)));
        if let (Some(certs), Some(private)) = (certs, private) {
            problems.keep(self.check_pair(certs, private));
        }
        problems.into_result()?;
        let identity = Identity::from_pem(cert.unwrap_or_default(), key.unwrap_or_default());
        Ok(ServerTlsConfig::new().identity(identity))
    }

    fn certificates(&self, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, UsageError> {
        let certs = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| invalid(CERT, &self.cert, format!("the file is no good PEM ({error})")))?;
        if certs.is_empty() {
            return Err(invalid(CERT, &self.cert, "the file holds no certificate (BEGIN CERTIFICATE)"));
        }
        Ok(certs)
    }

    fn private_key(&self, pem: &[u8]) -> Result<PrivateKeyDer<'static>, UsageError> {
        PrivateKeyDer::from_pem_slice(pem).map_err(|error| {
            let rule = match error {
                rustls::pki_types::pem::Error::NoItemsFound => {
                    "the file holds no unencrypted private key (BEGIN PRIVATE KEY)".to_owned()
                }
                error => format!("the file is no good PEM ({error})"),
            };
            invalid(KEY, &self.key, rule)
        })
    }

    fn check_pair(&self, certs: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<(), UsageError> {
        CertifiedKey::from_der(certs, key, &default_provider()).map(drop).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => invalid(
                KEY,
                &self.key,
                format!("the key does not belong to the certificate in `{}`", self.cert.display()),
            ),
            rustls::Error::InvalidCertificate(_) => {
                invalid(CERT, &self.cert, format!("the certificate cannot be used ({error})"))
            }
            error => invalid(KEY, &self.key, format!("the key cannot be used ({error})")),
        })
    }
}

fn read(what: &'static str, path: &Path) -> Result<Vec<u8>, UsageError> {
    files::read(path).map_err(|error| invalid(what, path, format!("the file cannot be read ({error})")))
}

fn invalid(what: &'static str, path: &Path, rule: impl Into<String>) -> UsageError {
    UsageError::Invalid { what, value: path.display().to_string(), rule: rule.into() }
}
