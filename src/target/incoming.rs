//! The connections that come in, as a stream that does not fail.
//!
//! When no connection can be accepted (no file descriptors left, say), the server waits a little and tries again, where
//! the stream of the library would hand on the error and have the server spin.

use std::convert::Infallible;
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Sleep, sleep};
use tokio_stream::Stream;
use tonic::transport::server::Connected;

use super::counts::Counts;

/// How long to wait after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(20);

/// A socket that connections come in by.
pub(super) trait Accept: Unpin {
    /// A connection.
    type Connection: Connected + AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Takes the next connection.
    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Self::Connection>>;
}

impl Accept for TcpListener {
    type Connection = TcpStream;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<TcpStream>> {
        let (connection, _) = ready!(TcpListener::poll_accept(self, cx))?;
        // Replies are small and must not wait for the acknowledgement of those before. A connection that is already
        // gone refuses the option, and is found out when it is read.
        let _ = connection.set_nodelay(true);
        Poll::Ready(Ok(connection))
    }
}

#[cfg(unix)]
impl Accept for UnixListener {
    type Connection = UnixStream;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
        UnixListener::poll_accept(self, cx).map_ok(|(connection, _)| connection)
    }
}

/// The connections of a listener, counted.
pub(super) struct Incoming<L> {
    listener: L,
    counts: Arc<Counts>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl<L: Accept> Incoming<L> {
    pub(super) fn new(listener: L, counts: Arc<Counts>) -> Incoming<L> {
        Incoming { listener, counts, pause: None }
    }
}

impl<L: Accept> Stream for Incoming<L> {
    type Item = Result<L::Connection, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(cx)) {
                Ok(connection) => {
                    self.counts.connection();
                    return Poll::Ready(Some(Ok(connection)));
                }
                // The peer left between connecting and being accepted: the next one may be fine.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(_) => self.pause = Some(Box::pin(sleep(PAUSE))),
            }
        }
    }
}
