//! Targets that cannot be reached, or do not agree to talk.

use std::io;
use std::time::Duration;

/// The target could not be reached, or refused the handshake.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No address belongs to the name.
    #[error("cannot resolve the name `{name}`")]
    Unresolvable {
        /// The name.
        name: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Nobody listens there.
    #[error("cannot connect to {address}: connection refused")]
    Refused {
        /// The address.
        address: String,
    },
    /// The socket could not be connected for another reason.
    #[error("cannot connect to {address}")]
    Unreachable {
        /// The address.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// It took longer than it may.
    #[error("no connection to {address} within {within:?}: {stage}")]
    TimedOut {
        /// The address.
        address: String,
        /// The time allowed.
        within: Duration,
        /// How far it came.
        stage: &'static str,
    },
    /// The peer answered a TLS handshake with something that is no TLS.
    #[error("the TLS handshake with {address} failed: the server answered in plaintext")]
    PlaintextPeer {
        /// The address.
        address: String,
    },
    /// The peer answered plaintext HTTP/2 as a TLS server does.
    #[error("{address} does not speak plaintext HTTP/2: it seems to expect TLS")]
    TlsPeer {
        /// The address.
        address: String,
    },
    /// The peer closed the connection instead of answering a TLS handshake.
    #[error("the TLS handshake with {address} failed: the server closed the connection")]
    ClosedInHandshake {
        /// The address.
        address: String,
    },
    /// The TLS handshake failed.
    #[error("the TLS handshake with {address} failed: {reason}")]
    Tls {
        /// The address.
        address: String,
        /// Why, in the words of the TLS library.
        reason: String,
        /// What would help.
        advice: Option<&'static str>,
    },
    /// The server wants to know who calls, and there is no certificate to show.
    #[error("the TLS handshake with {address} failed: the server demands a client certificate")]
    ClientCertificateDemanded {
        /// The address.
        address: String,
    },
    /// The server does not like the certificate that it was shown.
    #[error("the TLS handshake with {address} failed: the server does not accept the client certificate ({alert})")]
    ClientCertificateRefused {
        /// The address.
        address: String,
        /// The name of its TLS alert.
        alert: String,
    },
    /// TLS came up, but the peer did not agree to HTTP/2.
    #[error("{address} speaks TLS but did not agree to HTTP/2 (ALPN h2)")]
    NoAlpn {
        /// The address.
        address: String,
    },
    /// The peer does not answer like an HTTP/2 server.
    #[error("{address} does not speak HTTP/2: {answer}")]
    NotHttp2 {
        /// The address.
        address: String,
        /// What came instead.
        answer: String,
    },
    /// The server has announced that it takes no heads as long as those of the calls.
    #[error(
        "{address} takes {most} bytes of request headers (SETTINGS_MAX_HEADER_LIST_SIZE), and with their metadata the calls have {bytes}"
    )]
    HeadTooLong {
        /// The address.
        address: String,
        /// What the calls have, as RFC 9113 section 6.5.2 counts it.
        bytes: u64,
        /// What it takes.
        most: u32,
    },
    /// A certificate that is to be trusted is none.
    #[error("a certificate of --cacert cannot be used: {reason}")]
    BadRoot {
        /// Why, in the words of the TLS library.
        reason: String,
    },
    /// Plaintext was found, but there is metadata that should not go over the wire in the clear.
    #[error("{address} speaks plaintext, and the calls carry metadata that would travel in the clear")]
    WouldExposeMetadata {
        /// The address.
        address: String,
    },
}

impl ConnectError {
    pub(super) fn hint(&self) -> Option<String> {
        let hint = match self {
            ConnectError::Unresolvable { .. } => "check the spelling, or give an IP address",
            ConnectError::Refused { .. } => "is the server running, and is this its port?",
            ConnectError::TimedOut { .. } => {
                "raise --connect-timeout if the way is long; a silent port may belong to another protocol"
            }
            ConnectError::PlaintextPeer { .. } => "add --insecure to speak plaintext",
            ConnectError::TlsPeer { .. } => "leave out --insecure to speak TLS",
            ConnectError::Tls { advice, .. } => return advice.map(str::to_owned),
            ConnectError::ClientCertificateDemanded { .. } => "give one by --cert, and its private key by --key",
            ConnectError::ClientCertificateRefused { .. } => {
                "is it signed by an authority that the server trusts, with all certificates between in the file, and not expired?"
            }
            ConnectError::ClosedInHandshake { .. } => "if the server speaks plaintext, add --insecure",
            ConnectError::Unreachable { .. } | ConnectError::BadRoot { .. } => return None,
            ConnectError::NoAlpn { .. } => {
                "point it at the gRPC port of the service; a proxy in front may need HTTP/2 switched on"
            }
            ConnectError::HeadTooLong { .. } => {
                "send less metadata, or let the server take more; each field counts 32 bytes beside its own"
            }
            ConnectError::NotHttp2 { .. } => "point it at the gRPC port of the service",
            ConnectError::WouldExposeMetadata { .. } => "add --insecure if that is meant, or --tls to insist on TLS",
        };
        Some(hint.to_owned())
    }
}
