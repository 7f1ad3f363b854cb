//! Who is called: an address, and how the way there is secured.
//!
//! The forms of an address are those of gRPC's name resolution (grpc/doc/naming.md), without external resolvers.

use std::fmt;
use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;

use super::{Balancing, TlsOptions, Windows};
use crate::error::{ConnectError, UsageError};
use crate::units::ByteCount;

/// Who is called.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where the connections go.
    pub address: Address,
    /// How they are secured.
    pub security: Security,
    /// What TLS asks of the server, and shows of us.
    pub tls: TlsOptions,
    /// `:authority` of the calls, where it is not the address.
    pub authority: Option<String>,
    /// How long a connection may take to come up, TLS and HTTP/2 settings included.
    pub connect_timeout: Duration,
    /// How connections are spread over the addresses of a name.
    pub balancing: Balancing,
    /// A server from which nothing has come for so long while calls are in flight is asked by a PING whether it is there;
    /// the connection is lost if nothing comes for as long again.
    pub keepalive: Option<Duration>,
    /// Messages of calls are compressed by gzip, and those of answers may be.
    pub gzip: bool,
    /// How much a server may send ahead.
    pub windows: Windows,
    /// The longest message of an answer, as it comes; a longer one ends its call as soon as its length is seen.
    pub receive_max: Option<ByteCount>,
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
    /// TLS if the peer has it, else plaintext if it plainly speaks that; to be found out by [`probe`](super::probe()).
    FindOut,
    /// Plaintext HTTP/2 with prior knowledge.
    Plaintext,
    /// TLS, and nothing else.
    Tls,
}

impl Target {
    /// How long connecting may take unless that is said: ghz's default for `--connect-timeout`.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

    /// Reads `host:port`, `http://host:port`, `https://host:port`, `dns:///host:port`, `ipv4:host:port`,
    /// `ipv6:[::1]:port`, `unix:path`, `unix:///path`, `unix-abstract:name`.
    ///
    /// `http` and `https` decide the security; otherwise it is to be found out.
    ///
    /// Errors name the part that is missing or wrong.
    pub fn parse(text: &str) -> Result<Target, UsageError> {
        let text = text.trim();
        let (address, security) = parse_address(text).map_err(|rule| UsageError::Invalid {
            what: "the target",
            value: text.to_owned(),
            rule,
        })?;
        Ok(Target {
            address,
            security,
            tls: TlsOptions::default(),
            authority: None,
            connect_timeout: Target::CONNECT_TIMEOUT,
            balancing: Balancing::default(),
            keepalive: None,
            gzip: false,
            windows: Windows::default(),
            receive_max: None,
        })
    }

    /// What the calls carry as `:authority`, and the name that TLS verifies: the name that was asked for, or
    /// `localhost` for unix sockets, as in other gRPC clients.
    pub fn authority(&self) -> String {
        match (&self.authority, &self.address) {
            (Some(authority), _) => authority.clone(),
            (None, address @ Address::Tcp { .. }) => address.to_string(),
            (None, Address::Unix(_) | Address::UnixAbstract(_)) => "localhost".to_owned(),
        }
    }

    /// What its connections need for TLS, or none for plaintext. Its security has been found out.
    ///
    /// Errors when a certificate that is to be trusted cannot be used.
    pub(super) fn tls_config(&self) -> Result<Option<Arc<ClientConfig>>, ConnectError> {
        match self.security {
            Security::Plaintext => Ok(None),
            Security::Tls | Security::FindOut => self.tls.client_config().map(Some),
        }
    }

    /// The host part of the authority.
    pub(super) fn server_name(&self) -> String {
        let authority = self.authority();
        match parse_host_port(&authority) {
            Ok(Address::Tcp { host, .. }) => host,
            _ => authority,
        }
    }
}

fn parse_address(text: &str) -> Result<(Address, Security), String> {
    if text.is_empty() {
        return Err("it is empty; write host:port".to_owned());
    }
    if let Some(rest) = text.strip_prefix("unix-abstract:") {
        return match rest {
            "" => Err("the name of the abstract socket is missing".to_owned()),
            name => Ok((Address::UnixAbstract(name.to_owned()), Security::FindOut)),
        };
    }
    if let Some(rest) = text.strip_prefix("unix:") {
        // `unix://absolute_path` is the URI form: two slashes of an empty authority, then the path.
        let path = rest.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(rest);
        return match path {
            "" | "//" => Err("the path of the socket is missing".to_owned()),
            path => Ok((Address::Unix(PathBuf::from(path)), Security::FindOut)),
        };
    }
    for (scheme, security) in [("http://", Security::Plaintext), ("https://", Security::Tls)] {
        if let Some(rest) = text.strip_prefix(scheme) {
            let rest = rest.strip_suffix('/').unwrap_or(rest);
            return match rest.split_once('/') {
                Some((host, path)) => Err(format!("a gRPC target has no path (`/{path}`); write {scheme}{host}")),
                None => Ok((parse_host_port(rest)?, security)),
            };
        }
    }
    for scheme in ["dns:///", "dns:", "passthrough:///", "ipv4:", "ipv6:"] {
        if let Some(rest) = text.strip_prefix(scheme) {
            return Ok((parse_host_port(rest)?, Security::FindOut));
        }
    }
    if let Some((scheme, _)) = text.split_once("://") {
        return Err(format!(
            "the scheme `{scheme}` is unknown; known are http, https, dns, ipv4, ipv6, unix and unix-abstract"
        ));
    }
    Ok((parse_host_port(text)?, Security::FindOut))
}

fn parse_host_port(text: &str) -> Result<Address, String> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or("the bracket of the IPv6 address is not closed")?;
        host.parse::<Ipv6Addr>().map_err(|_| format!("`{host}` is no IPv6 address"))?;
        let port = rest.strip_prefix(':').ok_or_else(|| format!("the port is missing; write [{host}]:443"))?;
        (host, port)
    } else {
        let (host, port) = text.rsplit_once(':').ok_or_else(|| format!("the port is missing; write {text}:443"))?;
        if host.contains(':') {
            return Err(format!("put an IPv6 address in brackets: [{host}]:{port}"));
        }
        (host, port)
    };
    if host.is_empty() {
        return Err("the host is missing; write host:port".to_owned());
    }
    if let Some(bad) = host.chars().find(|c| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@' | '?' | '#'))
    {
        return Err(format!("a host has no {bad:?} in it"));
    }
    match port.parse::<u16>() {
        Ok(port) if port > 0 => Ok(Address::Tcp { host: host.to_owned(), port }),
        _ => Err(format!("`{port}` is no port; a port is a number from 1 to 65535")),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Address::Tcp { host, port } => write!(f, "{host}:{port}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::UnixAbstract(name) => write!(f, "unix-abstract:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(host: &str, port: u16) -> Address {
        Address::Tcp { host: host.to_owned(), port }
    }

    #[test]
    fn c24_forms_of_an_address() {
        let unix = |path: &str| Address::Unix(path.into());
        for (text, address, security, authority) in [
            ("127.0.0.1:7001", tcp("127.0.0.1", 7001), Security::FindOut, "127.0.0.1:7001"),
            ("localhost:7001", tcp("localhost", 7001), Security::FindOut, "localhost:7001"),
            ("[::1]:7001", tcp("::1", 7001), Security::FindOut, "[::1]:7001"),
            ("dns:///localhost:7001", tcp("localhost", 7001), Security::FindOut, "localhost:7001"),
            ("dns:localhost:7001", tcp("localhost", 7001), Security::FindOut, "localhost:7001"),
            ("ipv6:[::1]:7001", tcp("::1", 7001), Security::FindOut, "[::1]:7001"),
            ("http://localhost:7001", tcp("localhost", 7001), Security::Plaintext, "localhost:7001"),
            ("https://localhost:7002/", tcp("localhost", 7002), Security::Tls, "localhost:7002"),
            ("unix:/tmp/s.sock", unix("/tmp/s.sock"), Security::FindOut, "localhost"),
            ("unix:///tmp/s.sock", unix("/tmp/s.sock"), Security::FindOut, "localhost"),
            ("unix:rel.sock", unix("rel.sock"), Security::FindOut, "localhost"),
            ("unix-abstract:bench1", Address::UnixAbstract("bench1".into()), Security::FindOut, "localhost"),
        ] {
            let target = Target::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((&target.address, target.security), (&address, security), "{text}");
            assert_eq!(target.authority(), authority, "{text}");
        }
    }

    #[test]
    fn c24_refusals_say_what_to_write() {
        for (text, part) in [
            ("", "empty"),
            ("::1:7001", "[::1]:7001"),
            ("localhost", "write localhost:443"),
            ("[::1]", "write [::1]:443"),
            ("[::1", "not closed"),
            ("[nope]:1", "no IPv6 address"),
            ("localhost:notaport", "`notaport` is no port"),
            ("localhost:99999", "`99999` is no port"),
            ("localhost:0", "`0` is no port"),
            (":7001", "host is missing"),
            ("http://localhost", "port is missing"),
            ("http://localhost:7001/a", "no path"),
            ("ftp://localhost:7001", "scheme `ftp` is unknown"),
            ("xds:///name", "scheme `xds` is unknown"),
            ("unix:", "path of the socket"),
            ("unix-abstract:", "name of the abstract socket"),
            ("a b:1", "' '"),
            ("user@host:1", "'@'"),
        ] {
            let error = Target::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn the_server_name_is_the_host_of_the_authority() {
        let mut target = Target::parse("127.0.0.1:7001").unwrap();
        assert_eq!(target.server_name(), "127.0.0.1");
        target.authority = Some("x.test".into());
        assert_eq!(target.server_name(), "x.test");
        target.authority = Some("y.test:443".into());
        assert_eq!(target.server_name(), "y.test");
        assert_eq!(Target::parse("[::1]:1").unwrap().server_name(), "::1");
    }
}
