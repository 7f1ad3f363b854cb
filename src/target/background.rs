//! A server on a thread of its own.

use std::io;
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use super::{Counts, Options, Server};

/// A server on a thread and runtime of its own. When dropped, it ends at once and its connections are cut, as if it had
/// been killed; [`Background::stop`] takes leave of its clients first.
#[derive(Debug)]
pub struct Background {
    address: String,
    counts: Arc<Counts>,
    end: Option<oneshot::Sender<End>>,
    thread: Option<JoinHandle<()>>,
    #[cfg(unix)]
    socket: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Graceful,
    AtOnce,
}

impl Background {
    /// Starts a server on a free port of the loopback interface. Connections are accepted from when this returns.
    ///
    /// Errors when the options are no good (then the error holds their [`Problems`](crate::error::Problems)), or when the
    /// system gives no port or thread.
    pub fn start(options: Options) -> io::Result<Background> {
        Background::start_on(TcpListener::bind(("127.0.0.1", 0))?, options)
    }

    /// As [`start`](Background::start), on a listener that is there already.
    pub fn start_on(listener: TcpListener, options: Options) -> io::Result<Background> {
        let address = listener.local_addr()?.to_string();
        Background::spawn(address, Listener::Tcp(listener), options)
    }

    /// As [`start`](Background::start), on a unix socket. The server makes its file, and removes it in the end.
    #[cfg(unix)]
    pub fn start_unix(path: &Path, options: Options) -> io::Result<Background> {
        let listener = Listener::Unix(UnixListener::bind(path)?);
        let mut background = Background::spawn(format!("unix:{}", path.display()), listener, options)?;
        background.socket = Some(path.to_owned());
        Ok(background)
    }

    /// Where it listens, as one writes it on the command line: `127.0.0.1:41234`, `unix:/tmp/greeter.sock`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What it has seen so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Ends gracefully: no new connections, a GOAWAY on the others, and [`GRACE`](super::GRACE) for open calls. Returns
    /// what the server saw.
    pub fn stop(mut self) -> Arc<Counts> {
        self.end(End::Graceful);
        Arc::clone(&self.counts)
    }

    fn spawn(address: String, listener: Listener, options: Options) -> io::Result<Background> {
        let server = Server::new(options).map_err(|problems| io::Error::new(io::ErrorKind::InvalidInput, problems))?;
        let counts = server.counts();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (end, ended) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("target".to_owned())
            .spawn(move || run(&runtime, server, listener, ended))?;
        Ok(Background {
            address,
            counts,
            end: Some(end),
            thread: Some(thread),
            #[cfg(unix)]
            socket: None,
        })
    }

    fn end(&mut self, end: End) {
        if let Some(sender) = self.end.take() {
            // The thread may have ended by itself, by a panic; then its message is on stderr already.
            let _ = sender.send(end);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        #[cfg(unix)]
        if let Some(socket) = self.socket.take() {
            // Somebody may have cleared it away; that is all this wants.
            let _ = std::fs::remove_file(socket);
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.end(End::AtOnce);
    }
}

#[derive(Debug)]
enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    async fn serve(self, server: Server, shutdown: impl Future<Output = ()>) -> io::Result<()> {
        match self {
            Listener::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                server.serve(tokio::net::TcpListener::from_std(listener)?, shutdown).await;
            }
            #[cfg(unix)]
            Listener::Unix(listener) => {
                listener.set_nonblocking(true)?;
                server.serve_unix(tokio::net::UnixListener::from_std(listener)?, shutdown).await;
            }
        }
        Ok(())
    }
}

/// The life of the thread. When it returns, the runtime goes and takes with it what connections are left.
fn run(runtime: &Runtime, server: Server, listener: Listener, end: oneshot::Receiver<End>) {
    let (leave, told_to_leave) = oneshot::channel::<()>();
    runtime.block_on(async {
        let mut serving = std::pin::pin!(listener.serve(server, async {
            let _ = told_to_leave.await;
        }));
        let outcome = tokio::select! {
            outcome = &mut serving => outcome,
            end = end => {
                if end == Ok(End::Graceful) {
                    let _ = leave.send(());
                    serving.await
                } else {
                    Ok(())
                }
            }
        };
        outcome.expect("a socket that listens can be watched");
    });
}
