//! From names to addresses.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::thread;

use tokio::sync::oneshot;

/// The addresses of `host`, as the system resolves it.
///
/// That blocks, and has a thread for it. It is not the runtime's, which panics where the system gives none.
pub(super) async fn addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let (found, answer) = oneshot::channel();
    let host = host.to_owned();
    let resolve = move || {
        // Nobody waits any more when the time to connect is over.
        let _ = found.send((host.as_str(), port).to_socket_addrs().map(Iterator::collect));
    };
    thread::Builder::new().name("resolver".to_owned()).spawn(resolve)?;
    answer.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}
