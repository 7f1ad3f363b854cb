//! A server that does what a script says, frame by frame, and remembers what it saw.
//!
//! It knows the frames and nothing of gRPC. The script is called with everything that comes on a connection, and says
//! through its [`Peer`] what to send, at once or later. What every server does is done for it: a greeting,
//! acknowledgements of SETTINGS and PING. Windows of streams are opened by scripts only.

use std::collections::BTreeSet;
use std::hint::spin_loop;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokio::time::Instant;

use super::frames::{ACK, END_HEADERS, END_STREAM, Frame, fine, greeting, kind, ping_ack, settings_ack};
use super::request;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What comes on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// The connection is there, and greeted.
    Connected,
    /// A request has begun.
    Head(u32),
    /// So many bytes of a request have come.
    Body(u32, usize),
    /// A request is complete.
    Whole(u32),
    /// The client has reset a stream, with this code.
    Reset(u32, u32),
    /// The client has acknowledged settings; the first ones, too.
    Settled,
    /// The client has answered a ping.
    Pong,
}

/// What a server saw, on all its connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Connections that were accepted, and those of them that have ended.
    pub(crate) connections: usize,
    ended: usize,
    /// Request heads.
    pub(crate) requests: usize,
    /// The fields of the first request of each connection.
    pub(crate) firsts: Vec<Vec<(String, String)>>,
    /// The body of the first request of all.
    pub(crate) first_body: Vec<u8>,
    /// Bytes of requests.
    pub(crate) body_bytes: usize,
    /// The codes of the client's `RST_STREAM` frames.
    pub(crate) resets: Vec<u32>,
    /// PING frames of the client.
    pub(crate) pings: usize,
    /// The codes of the client's GOAWAY frames.
    pub(crate) go_aways: Vec<u32>,
    /// The most streams that were open at a time on a connection, as far as the server has answered.
    pub(crate) open_max: usize,
}

impl Seen {
    /// The value of a field of the first request of a connection.
    #[track_caller]
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let fields = self.firsts.first().expect("a request");
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A running server. It lives as long as the test process.
pub(crate) struct Server {
    address: String,
    seen: Arc<Mutex<Seen>>,
}

impl Server {
    /// Follows `script` on a free port of the loopback interface.
    pub(crate) fn start(script: impl Fn(&mut Peer, Event) + Send + Sync + 'static) -> Server {
        Server::greeting(&[], script)
    }

    /// As [`start`](Server::start), with these settings from the beginning.
    pub(crate) fn greeting(first: &[(u16, u32)], script: impl Fn(&mut Peer, Event) + Send + Sync + 'static) -> Server {
        Server::on(TcpListener::bind("127.0.0.1:0").unwrap(), greeting(first), script)
    }

    /// As [`start`](Server::start), on this listener and with this greeting.
    pub(crate) fn on(
        listener: impl Listen,
        greeting: Vec<Frame>,
        script: impl Fn(&mut Peer, Event) + Send + Sync + 'static,
    ) -> Server {
        Server::raw(listener, move |connection| connection.follow(&greeting, &script))
    }

    /// Answers every whole request with these frames.
    pub(crate) fn answering(frames: impl IntoIterator<Item = Frame>) -> Server {
        let frames: Vec<_> = frames.into_iter().collect();
        Server::start(move |peer, event| {
            if let Event::Whole(stream) = event {
                peer.send(stream, &frames);
            }
        })
    }

    /// Does with each connection what `talk` says, on a thread of its own.
    pub(crate) fn raw(listener: impl Listen, talk: impl Fn(Connection) + Send + Sync + 'static) -> Server {
        let seen = Arc::<Mutex<Seen>>::default();
        let server = Server { address: listener.address(), seen: Arc::clone(&seen) };
        let talk = Arc::new(talk);
        thread::spawn(move || {
            while let Ok(io) = listener.accept() {
                let (talk, seen) = (Arc::clone(&talk), Arc::clone(&seen));
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.connections += 1;
                    seen.connections
                };
                thread::spawn(move || {
                    talk(Connection { io, number, seen: Arc::clone(&seen) });
                    seen.lock().unwrap().ended += 1;
                });
            }
        });
        server
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn port(&self) -> &str {
        self.address.rsplit_once(':').expect("a TCP address").1
    }

    /// What it saw of clients that have ended. Waits a little for the last that they sent.
    pub(crate) fn seen(&self) -> Seen {
        for _ in 0..2000 {
            let seen = self.seen.lock().unwrap();
            if seen.ended == seen.connections {
                break;
            }
            drop(seen);
            thread::sleep(Duration::from_millis(1));
        }
        self.seen_so_far()
    }

    /// What it has seen of clients that go on.
    pub(crate) fn seen_so_far(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }
}

/// A connection of which nothing was read.
pub(crate) struct Connection {
    pub(crate) io: Box<dyn Duplex>,
    /// Counted from 1.
    pub(crate) number: usize,
    seen: Arc<Mutex<Seen>>,
}

impl Connection {
    /// Greets, and follows the script to the end of the connection.
    pub(crate) fn follow(self, greeting: &[Frame], script: &dyn Fn(&mut Peer, Event)) {
        let mut peer = Peer::new(self.io, self.number, self.seen);
        // However the client ends it.
        let _ = peer.serve(greeting, script);
    }

    /// Says nothing until the client gives up.
    pub(crate) fn stay_silent(mut self) {
        self.io.patience(Duration::from_secs(60));
        while self.io.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
    }
}

/// A connection, as its script sees it.
pub(crate) struct Peer {
    /// The number of the connection, from 1.
    pub(crate) number: usize,
    /// Request heads on this connection.
    pub(crate) requests: usize,
    /// Streams whose answer has not ended.
    pub(crate) open: BTreeSet<u32>,
    /// The newest stream.
    pub(crate) newest: u32,
    io: Box<dyn Duplex>,
    seen: Arc<Mutex<Seen>>,
    output: Vec<u8>,
    later: Vec<(Instant, u32, Vec<Frame>)>,
    settings_unacknowledged: usize,
    /// The header block of a request whose other frames are to come.
    block: Vec<u8>,
    end: Option<End>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Close,
    Cut,
}

impl Peer {
    fn new(io: Box<dyn Duplex>, number: usize, seen: Arc<Mutex<Seen>>) -> Peer {
        Peer {
            number,
            requests: 0,
            open: BTreeSet::new(),
            newest: 0,
            io,
            seen,
            output: Vec::new(),
            later: Vec::new(),
            settings_unacknowledged: 0,
            block: Vec::new(),
            end: None,
        }
    }

    /// Sends frames on a stream, in one write with all others that the event brings about.
    pub(crate) fn send(&mut self, stream: u32, frames: &[Frame]) {
        for frame in frames {
            self.output.extend(frame.bytes(stream));
            if frame.is_end() {
                self.open.remove(&stream);
            }
        }
    }

    /// Sends frames of the connection.
    pub(crate) fn say(&mut self, frames: &[Frame]) {
        self.send(0, frames);
    }

    /// Sends frames on a stream after a while.
    pub(crate) fn send_later(&mut self, after: Duration, stream: u32, frames: &[Frame]) {
        self.later.push((Instant::now() + after, stream, frames.to_vec()));
    }

    /// Sends at once what has been said so far, in the middle of a script.
    pub(crate) fn flush(&mut self) {
        // A connection that is gone shows with the next read.
        let _ = self.write();
    }

    /// A good answer.
    pub(crate) fn answer(&mut self, stream: u32) {
        self.send(stream, &fine());
    }

    /// A good answer on every open stream.
    pub(crate) fn answer_open(&mut self) {
        for stream in self.open.clone() {
            self.answer(stream);
        }
    }

    /// Ends the connection when all is sent, and waits for the client to do the same.
    pub(crate) fn close(&mut self) {
        self.end = Some(End::Close);
    }

    /// Ends the connection when all is sent, whatever the client is about to send.
    pub(crate) fn cut(&mut self) {
        self.end = Some(End::Cut);
    }

    fn see(&self, see: impl FnOnce(&mut Seen)) {
        see(&mut self.seen.lock().unwrap());
    }

    fn serve(&mut self, greeting: &[Frame], script: &dyn Fn(&mut Peer, Event)) -> io::Result<()> {
        let mut preface = [0; PREFACE.len()];
        self.io.read_exact(&mut preface)?;
        if preface != PREFACE {
            return Err(ErrorKind::InvalidData.into());
        }
        self.say(greeting);
        script(self, Event::Connected);
        let mut input = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        let mut finished = false;
        loop {
            match self.end {
                None => self.write()?,
                Some(End::Cut) => return self.write(),
                Some(End::Close) if !finished => {
                    self.write()?;
                    self.io.finish();
                    finished = true;
                }
                // Only listens from now on, so that nothing that was sent is lost in a reset.
                Some(End::Close) => {}
            }
            let next = self.later.iter().map(|(due, ..)| *due).min();
            let wait = next.map_or(Duration::from_secs(60), |due| due.saturating_duration_since(Instant::now()));
            self.io.patience(wait.max(Duration::from_micros(100)));
            match self.io.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => input.extend_from_slice(&buffer[..read]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
            let mut rest = &input[..];
            while let Some((frame, after)) = split(rest) {
                self.take(&frame, if self.end.is_some() { &|_, _| {} } else { script });
                rest = after;
            }
            input = rest.to_vec();
        }
    }

    /// Writes all that is due.
    fn write(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.later).into_iter().partition(|(due, ..)| *due <= now);
        self.later = later;
        let mut due: Vec<_> = due;
        due.sort_by_key(|(due, ..)| *due);
        for (_, stream, frames) in due {
            // Nothing more for a stream that the client has reset.
            if stream == 0 || self.open.contains(&stream) {
                self.send(stream, &frames);
            }
        }
        self.settings_unacknowledged += frames_of(&self.output, kind::SETTINGS);
        let output = std::mem::take(&mut self.output);
        self.io.write_all(&output)?;
        self.io.flush()
    }

    fn take(&mut self, frame: &Received<'_>, script: &dyn Fn(&mut Peer, Event)) {
        let Received { kind, flags, stream, payload } = *frame;
        let code = |at: usize| u32::from_be_bytes(payload[at..at + 4].try_into().unwrap());
        match kind {
            kind::HEADERS | kind::CONTINUATION if flags & END_HEADERS == 0 => self.block.extend_from_slice(payload),
            kind::HEADERS | kind::CONTINUATION => {
                self.block.extend_from_slice(payload);
                let block = std::mem::take(&mut self.block);
                self.requests += 1;
                self.newest = stream;
                self.open.insert(stream);
                self.see(|seen| {
                    seen.requests += 1;
                    seen.open_max = seen.open_max.max(self.open.len());
                    if self.requests == 1 {
                        seen.firsts.push(request::fields(&block));
                    }
                });
                script(self, Event::Head(stream));
            }
            kind::DATA => {
                let first = self.number == 1 && self.requests == 1;
                self.see(|seen| {
                    seen.body_bytes += payload.len();
                    seen.first_body.extend_from_slice(if first { payload } else { &[] });
                });
                script(self, Event::Body(stream, payload.len()));
                if flags & END_STREAM != 0 {
                    script(self, Event::Whole(stream));
                }
            }
            kind::RST_STREAM => {
                self.open.remove(&stream);
                self.see(|seen| seen.resets.push(code(0)));
                script(self, Event::Reset(stream, code(0)));
            }
            kind::SETTINGS if flags & ACK == 0 => self.say(&[settings_ack()]),
            kind::SETTINGS => {
                self.settings_unacknowledged -= 1;
                script(self, Event::Settled);
            }
            kind::PING if flags & ACK == 0 => {
                self.see(|seen| seen.pings += 1);
                self.say(&[ping_ack(payload)]);
            }
            kind::PING => script(self, Event::Pong),
            kind::GOAWAY => self.see(|seen| seen.go_aways.push(code(4))),
            kind::WINDOW_UPDATE => {}
            kind => panic!("a client sends no frame of type {kind}"),
        }
    }
}

/// A frame that came.
struct Received<'a> {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: &'a [u8],
}

/// The first frame, and what follows; `None` if it is not all there.
fn split(bytes: &[u8]) -> Option<(Received<'_>, &[u8])> {
    let &[l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes.first_chunk()?;
    let length = u32::from_be_bytes([0, l0, l1, l2]) as usize;
    let (payload, rest) = bytes[9..].split_at_checked(length)?;
    Some((Received { kind, flags, stream: u32::from_be_bytes([s0, s1, s2, s3]), payload }, rest))
}

/// How many frames of a kind there are, acknowledgements not counted.
fn frames_of(mut bytes: &[u8], kind: u8) -> usize {
    let mut count = 0;
    while let Some((frame, rest)) = split(bytes) {
        count += usize::from(frame.kind == kind && frame.flags & ACK == 0);
        bytes = rest;
    }
    count
}

/// A connected byte stream.
pub(crate) trait Duplex: Read + Write + Send {
    /// How long a read may wait.
    fn patience(&self, time: Duration);
    /// Says that nothing more will be written.
    fn finish(&mut self);
}

impl Duplex for TcpStream {
    fn patience(&self, time: Duration) {
        self.set_read_timeout(Some(time)).unwrap();
    }

    fn finish(&mut self) {
        // The client may have gone.
        let _ = self.shutdown(Shutdown::Write);
    }
}

#[cfg(unix)]
impl Duplex for UnixStream {
    fn patience(&self, time: Duration) {
        self.set_read_timeout(Some(time)).unwrap();
    }

    fn finish(&mut self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl<S: Duplex> Duplex for StreamOwned<ServerConnection, S> {
    fn patience(&self, time: Duration) {
        self.sock.patience(time);
    }

    fn finish(&mut self) {
        self.conn.send_close_notify();
        let _ = self.flush();
        self.sock.finish();
    }
}

/// Something that accepts connections.
pub(crate) trait Listen: Send + 'static {
    /// As one writes it on the command line.
    fn address(&self) -> String;
    fn accept(&self) -> io::Result<Box<dyn Duplex>>;
}

impl Listen for TcpListener {
    fn address(&self) -> String {
        self.local_addr().unwrap().to_string()
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        let (stream, _) = TcpListener::accept(self)?;
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }
}

/// A listener whose connections watch for what comes instead of sleeping until it is there: what a server with a CPU of
/// its own sees at once.
pub(crate) struct Watchful(pub(crate) TcpListener);

impl Listen for Watchful {
    fn address(&self) -> String {
        self.0.address()
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        let (stream, _) = self.0.accept()?;
        stream.set_nodelay(true)?;
        Ok(Box::new(WatchfulStream { stream, patience: Mutex::new(Duration::MAX) }))
    }
}

struct WatchfulStream {
    stream: TcpStream,
    patience: Mutex<Duration>,
}

impl Read for WatchfulStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (begun, patience) = (Instant::now(), *self.patience.lock().unwrap());
        self.stream.set_nonblocking(true)?;
        let read = loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && begun.elapsed() < patience => spin_loop(),
                read => break read,
            }
        };
        self.stream.set_nonblocking(false)?;
        read
    }
}

impl Write for WatchfulStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Duplex for WatchfulStream {
    fn patience(&self, time: Duration) {
        *self.patience.lock().unwrap() = time;
    }

    fn finish(&mut self) {
        self.stream.finish();
    }
}

#[cfg(unix)]
impl Listen for UnixListener {
    fn address(&self) -> String {
        format!("unix:{}", self.local_addr().unwrap().as_pathname().unwrap().display())
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        UnixListener::accept(self).map(|(stream, _)| Box::new(stream) as Box<dyn Duplex>)
    }
}

/// A Linux abstract socket of this name.
#[cfg(target_os = "linux")]
pub(crate) struct Abstract(pub(crate) UnixListener, pub(crate) String);

#[cfg(target_os = "linux")]
impl Listen for Abstract {
    fn address(&self) -> String {
        format!("unix-abstract:{}", self.1)
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        Listen::accept(&self.0)
    }
}

/// TLS over another listener, with the configuration that the `n`-th connection shall have, from 1.
pub(crate) struct OverTls<L, C> {
    listener: L,
    accepted: AtomicUsize,
    config: C,
}

impl<L: Listen, C: Fn(usize) -> Arc<ServerConfig> + Send + 'static> OverTls<L, C> {
    pub(crate) fn new(listener: L, config: C) -> OverTls<L, C> {
        OverTls { listener, accepted: AtomicUsize::new(0), config }
    }
}

impl<L: Listen, C: Fn(usize) -> Arc<ServerConfig> + Send + 'static> Listen for OverTls<L, C> {
    fn address(&self) -> String {
        self.listener.address()
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        let socket = self.listener.accept()?;
        let number = self.accepted.fetch_add(1, Ordering::SeqCst) + 1;
        // The handshake happens with the first read, on the thread of the connection.
        let tls = ServerConnection::new((self.config)(number)).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(tls, socket)))
    }
}

impl Duplex for Box<dyn Duplex> {
    fn patience(&self, time: Duration) {
        (**self).patience(time);
    }

    fn finish(&mut self) {
        (**self).finish();
    }
}

/// Accepts one connection, then listens no more.
pub(crate) struct Once(pub(crate) Mutex<Option<TcpListener>>);

impl Listen for Once {
    fn address(&self) -> String {
        self.0.lock().unwrap().as_ref().unwrap().address()
    }

    fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        let listener = self.0.lock().unwrap().take().ok_or(ErrorKind::NotConnected)?;
        Listen::accept(&listener)
    }
}
