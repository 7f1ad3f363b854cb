//! From nothing to a connection that can carry calls: socket, TLS, and the HTTP/2 settings of both sides.

use std::cell::Cell;
use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::route::Route;
use super::socket::{Opened, Plain, Socket, elapsed_ns};
use super::{Target, tls};
use crate::error::ConnectError;
use crate::record::{Connected, ConnectionCalls};
use crate::wire::{self, Foreign};

/// A connection that can carry calls.
pub(super) struct Established {
    pub(super) wire: wire::Connection,
    pub(super) socket: Socket,
    pub(super) connected: Connected,
    /// Whether the way to the peer cannot leave this machine.
    pub(super) local: bool,
}

/// Connects, with TLS if the route says so, and waits for the server's HTTP/2 settings.
///
/// Bounded by the target's connect timeout; the error says how far it came.
pub(super) async fn establish(route: &Route) -> Result<Established, ConnectError> {
    in_time(&route.target, async |stage| establish_in_stages(route, stage).await).await
}

/// A socket to `target`, with TLS as `config` says, or without.
///
/// Bounded by the target's connect timeout; the error says how far it came.
pub(super) async fn open_socket(target: &Target, config: Option<&Arc<ClientConfig>>) -> Result<Socket, ConnectError> {
    let opened = in_time(target, async |stage| open_in_stages(target, 0, config, stage).await).await;
    opened.map(|(socket, _, _)| socket)
}

/// Does what takes several stages, each of which it names as it comes to it, within the connect timeout of `target`.
async fn in_time<T>(
    target: &Target,
    work: impl AsyncFnOnce(&Cell<&'static str>) -> Result<T, ConnectError>,
) -> Result<T, ConnectError> {
    let stage = Cell::new("the address did not answer");
    let within = target.connect_timeout;
    timeout(within, work(&stage)).await.unwrap_or_else(|_| {
        Err(ConnectError::TimedOut { address: target.address.to_string(), within, stage: stage.get() })
    })
}

/// The socket, and how long TLS took if there is any.
async fn open_in_stages(
    target: &Target,
    number: u64,
    config: Option<&Arc<ClientConfig>>,
    stage: &Cell<&'static str>,
) -> Result<(Socket, Opened, Option<u64>), ConnectError> {
    let (plain, opened) = Plain::connect(target, number).await?;
    let Some(config) = config else { return Ok((Socket::Plain(plain), opened, None)) };
    stage.set("the server did not answer the TLS handshake");
    let start = Instant::now();
    let socket = plain.start_tls(target, config, &opened.address).await?;
    Ok((socket, opened, Some(elapsed_ns(start))))
}

async fn establish_in_stages(route: &Route, stage: &Cell<&'static str>) -> Result<Established, ConnectError> {
    let (mut socket, opened, tls_ns) = open_in_stages(&route.target, route.number, route.tls.as_ref(), stage).await?;
    let address = opened.address;
    stage.set("the server did not send its HTTP/2 settings");
    let start = Instant::now();
    let mut wire = wire::Connection::new(route.target.windows.config());
    exchange_settings(&mut wire, &mut socket).await.map_err(|answer| answer.explain(address.clone(), route))?;
    let connected = Connected {
        address,
        dns_ns: opened.dns_ns,
        tcp_ns: opened.tcp_ns,
        tls_ns,
        http2_ns: elapsed_ns(start),
        // Who makes the calls knows.
        worker: 0,
        calls: ConnectionCalls::default(),
    };
    Ok(Established { wire, socket, connected, local: opened.local })
}

/// As [`establish`], with a server at the other end of a pipe in memory.
#[cfg(test)]
pub(super) async fn establish_in_memory(
    pipe: tokio::io::DuplexStream,
    route: &Route,
) -> Result<Established, ConnectError> {
    let mut socket = Socket::Plain(Plain::Memory(pipe));
    let mut wire = wire::Connection::new(route.target.windows.config());
    let address = "memory".to_owned();
    exchange_settings(&mut wire, &mut socket).await.map_err(|answer| answer.explain(address.clone(), route))?;
    let connected = Connected {
        address,
        dns_ns: 0,
        tcp_ns: 0,
        tls_ns: None,
        http2_ns: 0,
        worker: 0,
        calls: ConnectionCalls::default(),
    };
    Ok(Established { wire, socket, connected, local: true })
}

/// What came instead of HTTP/2 settings.
enum Answer {
    Nothing,
    Http1,
    Tls,
    /// The server took back its part of a TLS handshake that had succeeded on our side (TLS 1.3).
    TlsRefused(io::Error),
    Broken(String),
}

async fn exchange_settings(wire: &mut wire::Connection, socket: &mut Socket) -> Result<(), Answer> {
    let broken = |error: io::Error| match error.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => Answer::Nothing,
        _ if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>) => {
            Answer::TlsRefused(error)
        }
        _ => Answer::Broken(error.to_string()),
    };
    let mut bytes = [0; 4096];
    while !wire.settled() || !wire.output().is_empty() {
        while !wire.output().is_empty() {
            let written = socket.write(wire.output()).await.map_err(broken)?;
            wire.wrote(written);
        }
        socket.flush().await.map_err(broken)?;
        if wire.settled() {
            break;
        }
        let read = socket.read(&mut bytes).await.map_err(broken)?;
        if read == 0 {
            return Err(Answer::Nothing);
        }
        wire.receive(&bytes[..read], &mut |_| {}).map_err(|fault| match fault.foreign {
            Some(Foreign::Tls) => Answer::Tls,
            Some(Foreign::Http1) => Answer::Http1,
            Some(Foreign::Unknown) | None => Answer::Broken(fault.to_string()),
        })?;
    }
    Ok(())
}

impl Answer {
    fn explain(self, address: String, route: &Route) -> ConnectError {
        let answer = match self {
            Answer::Tls => return ConnectError::TlsPeer { address },
            Answer::TlsRefused(error) => {
                return tls::handshake_error(&address, &error, route.target.tls.identity.is_some());
            }
            Answer::Nothing if route.tls.is_none() => {
                "it closed the connection without an answer, as servers do that expect TLS".to_owned()
            }
            Answer::Nothing => "it closed the connection without an answer".to_owned(),
            Answer::Http1 => "it answered in HTTP/1".to_owned(),
            Answer::Broken(reason) => reason,
        };
        ConnectError::NotHttp2 { address, answer }
    }
}
