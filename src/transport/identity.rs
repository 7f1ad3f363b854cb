//! What we show a server that wants to know who calls: a certificate and its private key, read and checked before the
//! run.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{Error, InconsistentKeys};

use crate::error::UsageError;
use crate::files;

/// A client certificate with what stands between it and its authority, and its private key. Clones share it.
#[derive(Clone)]
pub struct Identity {
    certified: Arc<CertifiedKey>,
}

impl Identity {
    /// Reads a chain of PEM certificates, ours first, and a PEM private key in PKCS#8, PKCS#1 or SEC1. Both may be in one
    /// file.
    ///
    /// Errors when a file cannot be read or holds nothing of the kind, when the key is encrypted or of a kind that TLS
    /// has no use for, and when it is not that of the first certificate.
    pub fn read(cert: &Path, key: &Path) -> Result<Identity, UsageError> {
        let chain = certificates("--cert", cert)?;
        let bad = |rule: String| UsageError::Invalid { what: "--key", value: key.display().to_string(), rule };
        let pem = files::read(key).map_err(|error| bad(format!("it cannot be read: {error}")))?;
        if is_encrypted(&pem) {
            return Err(bad("encrypted keys are not supported; decrypt it with `openssl pkey`".to_owned()));
        }
        let der = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| match error {
            pem::Error::NoItemsFound => bad("it holds no private key (no BEGIN ... PRIVATE KEY line)".to_owned()),
            error => bad(format!("it is no PEM file: {error}")),
        })?;
        let signer =
            any_supported_type(&der).map_err(|error| bad(format!("TLS cannot use this private key: {error}")))?;
        let certified = CertifiedKey::new(chain, signer);
        match certified.keys_match() {
            // Kinds of keys whose public half is not known are left to the handshake.
            Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => {}
            Err(Error::InconsistentKeys(_)) => {
                let cert = cert.display();
                return Err(bad(format!("it is not the key of the certificate in `{cert}`")));
            }
            Err(error) => {
                let (value, rule) =
                    (cert.display().to_string(), format!("its first certificate cannot be used: {error}"));
                return Err(UsageError::Invalid { what: "--cert", value, rule });
            }
        }
        Ok(Identity { certified: Arc::new(certified) })
    }

    /// As the TLS library asks for it.
    pub(super) fn resolver(&self) -> Arc<SingleCertAndKey> {
        Arc::new(SingleCertAndKey::from(Arc::clone(&self.certified)))
    }
}

/// The key is nobody's business.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificates", &self.certified.cert.len()).finish_non_exhaustive()
    }
}

/// The certificates in a PEM file, one at least.
pub(super) fn certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, UsageError> {
    let bad = |rule: String| UsageError::Invalid { what, value: path.display().to_string(), rule };
    let pem = files::read(path).map_err(|error| bad(format!("it cannot be read: {error}")))?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|error| bad(format!("it is no PEM file: {error}")))?;
    if found.is_empty() {
        return Err(bad("it holds no certificate (no BEGIN CERTIFICATE line)".to_owned()));
    }
    Ok(found)
}

/// Whether it holds an encrypted key, of PKCS#8 (RFC 7468, section 11) or with the older header (RFC 1421).
fn is_encrypted(pem: &[u8]) -> bool {
    let holds = |marker: &[u8]| pem.windows(marker.len()).any(|window| window == marker);
    holds(b"-----BEGIN ENCRYPTED PRIVATE KEY-----") || holds(b"Proc-Type: 4,ENCRYPTED")
}
