//! Who is called: an address, and how the way there is secured.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::UsageError;

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Where the connections go.
    pub address: Address,
    /// How they are secured.
    pub security: Security,
    /// `:authority` of the calls, where it is not the address.
    pub authority: Option<String>,
    /// How long a connection may take to come up, TLS and HTTP/2 settings included.
    pub connect_timeout: Duration,
}

/// Where connections go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// A host name or IP address (IPv6 without brackets), and a port.
    Tcp {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A unix socket by its path.
    Unix(PathBuf),
    /// A Linux abstract socket by its name, without the leading NUL.
    UnixAbstract(String),
}

/// How connections are secured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Security {
    /// TLS if the peer has it, else plaintext if it plainly speaks that; found out before the run.
    FindOut,
    /// Plaintext HTTP/2 with prior knowledge.
    Plaintext,
    /// TLS, and nothing else.
    Tls,
}

impl Target {
    /// Reads `host:port`, `http://host:port`, `https://host:port`, `dns:///host:port`, `[::1]:port`, `unix:path`,
    /// `unix:///path`, `unix-abstract:name`. The scheme decides the security, otherwise it is to be found out.
    pub fn parse(text: &str) -> Result<Target, UsageError> {
        let _ = text;
        todo!()
    }
}
