//! A connected byte stream to a target: TCP or a unix socket, in the clear or under TLS.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::resolver;
use super::tls;
use super::{Address, Target};
use crate::error::ConnectError;

/// A connected byte stream.
#[derive(Debug)]
pub(super) enum Socket {
    /// In the clear.
    Plain(Plain),
    /// Under TLS. Boxed, as it is many times the size of a plain one.
    Tls(Box<TlsStream<Plain>>),
}

/// A byte stream in the clear.
#[derive(Debug)]
pub(super) enum Plain {
    /// TCP.
    Tcp(TcpStream),
    /// A unix socket.
    Unix(UnixStream),
    /// A pipe in memory, which is as quick in paused time as it is otherwise.
    #[cfg(test)]
    Memory(tokio::io::DuplexStream),
}

/// How the socket came up.
#[derive(Debug)]
pub(super) struct Opened {
    /// The peer, for people.
    pub(super) address: String,
    /// Whether the way there cannot leave this machine.
    pub(super) local: bool,
    pub(super) dns_ns: u64,
    pub(super) tcp_ns: u64,
}

impl Plain {
    /// Connects, trying each address of a name in the order that is for connection `number` of the run.
    pub(super) async fn connect(target: &Target, number: u64) -> Result<(Plain, Opened), ConnectError> {
        let address = &target.address;
        match address {
            Address::Tcp { host, port } => {
                let order = |found| target.balancing.order(found, number);
                connect_tcp(host, *port, target.connect_timeout, order).await
            }
            Address::Unix(path) => {
                let start = Instant::now();
                let stream = connect_unix(path).await.map_err(|source| unreachable(address.to_string(), source))?;
                Ok((Plain::Unix(stream), local(address, start)))
            }
            Address::UnixAbstract(name) => {
                let start = Instant::now();
                let stream = connect_abstract(name).await.map_err(|source| unreachable(address.to_string(), source))?;
                Ok((Plain::Unix(stream), local(address, start)))
            }
        }
    }

    /// Starts TLS. The error says what the peer did instead.
    pub(super) async fn start_tls(
        self,
        target: &Target,
        config: &Arc<ClientConfig>,
        address: &str,
    ) -> Result<Socket, ConnectError> {
        let name = target.server_name();
        let name = ServerName::try_from(name.clone()).map_err(|_| ConnectError::Tls {
            address: address.to_owned(),
            reason: format!("`{name}` is no name that a certificate could have"),
            advice: Some("give the name in the certificate by --cname"),
        })?;
        let connecting = TlsConnector::from(Arc::clone(config)).connect(name, self);
        let stream = match connecting.into_fallible().await {
            Ok(stream) => stream,
            Err((error, plain)) => {
                let error = plain.why_closed(error).await;
                return Err(tls::handshake_error(address, &error, target.tls.identity.is_some()));
            }
        };
        if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
            return Err(ConnectError::NoAlpn { address: address.to_owned() });
        }
        Ok(Socket::Tls(Box::new(stream)))
    }
}

impl Plain {
    /// A server that refuses us in TLS 1.2 sends its reason and closes while we still write, so that we meet the closed
    /// way before the reason, which is then to be read from what has come.
    async fn why_closed(mut self, error: io::Error) -> io::Error {
        if !matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) {
            return error;
        }
        let mut bytes = [0; 64];
        match self.read(&mut bytes).await.ok().and_then(|read| tls::plain_alert(&bytes[..read])) {
            Some(alert) => io::Error::new(io::ErrorKind::InvalidData, rustls::Error::AlertReceived(alert)),
            None => error,
        }
    }
}

async fn connect_tcp(
    host: &str,
    port: u16,
    within: Duration,
    order: impl FnOnce(Vec<SocketAddr>) -> Vec<SocketAddr>,
) -> Result<(Plain, Opened), ConnectError> {
    let start = Instant::now();
    if let Ok(ip) = host.parse() {
        return connect_to_any(&[SocketAddr::new(ip, port)], within, 0).await;
    }
    let found = resolver::addresses(host, port).await;
    let found = found.map_err(|source| ConnectError::Unresolvable { name: host.to_owned(), source })?;
    let addresses = order(found);
    let dns_ns = elapsed_ns(start);
    if addresses.is_empty() {
        return Err(ConnectError::Unresolvable { name: host.to_owned(), source: io::ErrorKind::NotFound.into() });
    }
    connect_to_any(&addresses, within.saturating_sub(start.elapsed()), dns_ns).await
}

/// The first of these addresses, of which there is one at least, that lets itself be connected to; the error is that of
/// the last. One that does not answer at all may take its share of the time `within` which all have, the last the rest.
async fn connect_to_any(
    addresses: &[SocketAddr],
    within: Duration,
    dns_ns: u64,
) -> Result<(Plain, Opened), ConnectError> {
    let begun = Instant::now();
    let mut failure = None;
    for (&address, left) in addresses.iter().zip((1..=addresses.len()).rev()) {
        let start = Instant::now();
        let connecting = TcpStream::connect(address);
        let connected = if left == 1 {
            connecting.await
        } else {
            let share = within.saturating_sub(begun.elapsed()) / u32::try_from(left).unwrap_or(u32::MAX);
            timeout(share, connecting).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        };
        match connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream)) {
            Ok(stream) => {
                let opened = Opened {
                    address: address.to_string(),
                    local: address.ip().is_loopback(),
                    dns_ns,
                    tcp_ns: elapsed_ns(start),
                };
                return Ok((Plain::Tcp(stream), opened));
            }
            Err(source) => failure = Some(unreachable(address.to_string(), source)),
        }
    }
    Err(failure.expect("there is an address"))
}

/// How long to wait until a full queue of a listening socket is tried again.
const QUEUE_PAUSE: Duration = Duration::from_millis(1);

/// Connects as soon as the queue of the listening socket has a place. No event tells of that, as one does with TCP.
async fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    loop {
        match UnixStream::connect(path).await {
            Err(full) if full.kind() == io::ErrorKind::WouldBlock => sleep(QUEUE_PAUSE).await,
            outcome => return outcome,
        }
    }
}

#[cfg(target_os = "linux")]
async fn connect_abstract(name: &str) -> io::Result<UnixStream> {
    connect_unix(Path::new(&format!("\0{name}"))).await
}

#[cfg(not(target_os = "linux"))]
async fn connect_abstract(_name: &str) -> io::Result<UnixStream> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "abstract sockets exist on Linux only"))
}

fn local(address: &Address, start: Instant) -> Opened {
    Opened { address: address.to_string(), local: true, dns_ns: 0, tcp_ns: elapsed_ns(start) }
}

fn unreachable(address: String, source: io::Error) -> ConnectError {
    match source.kind() {
        io::ErrorKind::ConnectionRefused => ConnectError::Refused { address },
        _ => ConnectError::Unreachable { address, source },
    }
}

/// Nanoseconds since `start`.
pub(super) fn elapsed_ns(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl AsyncRead for Plain {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Plain::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Plain::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
            #[cfg(test)]
            Plain::Memory(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Plain {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Plain::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Plain::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
            #[cfg(test)]
            Plain::Memory(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Plain::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Plain::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            #[cfg(test)]
            Plain::Memory(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Socket::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Socket::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Socket::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Socket::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::net::TcpSocket;

    use super::*;

    /// As `localhost` is, where IPv6 comes first and the server knows nothing of it.
    #[tokio::test]
    async fn addresses_are_tried_until_one_answers() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let good = server.local_addr().unwrap();
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let without_a_host = SocketAddr::new("::1".parse().unwrap(), good.port());
        let within = Duration::from_secs(10);
        let (_, opened) = connect_to_any(&[without_a_host, nobody, good], within, 7).await.unwrap();
        assert_eq!((opened.address, opened.local, opened.dns_ns), (good.to_string(), true, 7));
        let failed = connect_to_any(&[without_a_host, nobody], within, 0).await.unwrap_err();
        assert!(matches!(failed, ConnectError::Refused { address } if address == nobody.to_string()));
    }

    #[tokio::test]
    async fn an_address_that_does_not_answer_leaves_time_for_the_next() {
        // The kernel answers nobody more while the queue is full.
        let silent = TcpSocket::new_v4().unwrap();
        silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let silent = silent.listen(1).unwrap();
        let address = silent.local_addr().unwrap();
        let mut queue = Vec::new();
        while let Ok(queued) = timeout(Duration::from_millis(200), TcpStream::connect(address)).await {
            queue.push(queued.unwrap());
            assert!(queue.len() < 10, "the queue has no end");
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let good = listener.local_addr().unwrap();
        let (_, opened) = connect_to_any(&[address, good], Duration::from_millis(400), 0).await.unwrap();
        assert_eq!(opened.address, good.to_string());
    }
}
