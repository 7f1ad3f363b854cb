//! The yardstick: an HTTP/2 server that gives every call the same ready-made answer, for well under a microsecond.
//!
//! Beside it, what a load tester costs by itself can be seen: a real server needs several microseconds for a call, and a
//! measurement against it is mostly about the server.
//!
//! ```text
//! cargo run --release --example responder -- 127.0.0.1:50062
//! cargo run --release --example responder -- 127.0.0.1:50062 --messages 10000 --size 100
//! cargo run --release --example responder -- 127.0.0.1:50062 --tls
//! ```
//!
//! It looks at frame headers only. Whatever the path, the metadata or the message, a call that has been sent to its end is
//! answered with `helloworld.HelloReply { message: "Hello world" }` and status OK, in HEADERS, DATA and trailers. The
//! header blocks are literals and never touch a dynamic table, so they are the same bytes for every call and client.
//! `--messages` gives so many messages in each answer, each in DATA frames of its own, and `--size` so many bytes to each
//! of them: a `HelloReply` whose text is as long as it takes. `--tls` speaks TLS, with a certificate made at the start.
//! What HTTP/2 (RFC 9113) needs for a long life is there: SETTINGS and PING are acknowledged, both connection windows
//! are kept. What it leaves out: the content of requests, priorities, windows of single streams (each may send
//! [`WINDOW`] bytes, and has to be wide enough for an answer), and checks of the peer beyond what it needs to go on safely.
//!
//! One thread for each connection, blocking, and one write for each read: so the answers to all calls that came in
//! together leave together.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own, which says where it listens")]

use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Frame types, flags and settings (RFC 9113, sections 6 and 6.5.2).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;

/// The window of every connection and stream until something else is said.
const DEFAULT_WINDOW: u32 = 65_535;
/// What a connection and each of its streams may send to us.
const WINDOW: u32 = 1 << 30;
/// How much of the connection's window is used up before it is given back: seldom, and long before it is empty.
const WINDOW_STEP: u32 = 1 << 28;
/// How many streams a connection may have open at a time.
const STREAMS_MAX: u32 = 100_000;
/// A SETTINGS frame may not be larger: we never offered to take larger frames.
const FRAME_SIZE_MAX: usize = 16_384;
/// How much is read at a time.
const INPUT_SIZE: usize = 256 * 1024;

const USAGE: &str = "usage: responder ADDRESS [--messages COUNT] [--size BYTES] [--tls]
(ADDRESS such as 127.0.0.1:50062; port 0 takes a free one)";

fn main() -> ExitCode {
    let Some(asked) = Asked::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match start(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot listen on `{}`: {error}", asked.address);
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for.
struct Asked {
    address: String,
    messages: usize,
    message: Vec<u8>,
    tls: bool,
}

impl Asked {
    fn read(mut words: impl Iterator<Item = String>) -> Option<Asked> {
        let mut asked = Asked { address: words.next()?, messages: 1, message: hello("Hello world"), tls: false };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--messages" => asked.messages = words.next()?.parse().ok()?,
                "--size" => asked.message = hello_of(words.next()?.parse().ok()?)?,
                "--tls" => asked.tls = true,
                _ => return None,
            }
        }
        Some(asked)
    }
}

/// `HelloReply { message: text }` behind the prefix of a gRPC message: no compression, four bytes of length.
fn hello(text: &str) -> Vec<u8> {
    let mut body = vec![10];
    prost::encode_length_delimiter(text.len(), &mut body).expect("a vector grows");
    body.extend_from_slice(text.as_bytes());
    let size = u32::try_from(body.len()).expect("an answer fits into a window");
    [&[0], &size.to_be_bytes()[..], &body].concat()
}

/// The same with a text that makes the encoded message so many bytes long; `None` if no text does or it is too long.
fn hello_of(size: usize) -> Option<Vec<u8>> {
    let longest = size.checked_sub(2).filter(|text| *text < WINDOW as usize / 2)?;
    (longest.saturating_sub(4)..=longest).map(|text| hello(&"a".repeat(text))).find(|message| message.len() == size + 5)
}

fn start(asked: &Asked) -> Result<(), Box<dyn Error>> {
    let answer = Arc::new(Answer::new(&asked.message, asked.messages));
    let tls = asked.tls.then(certified).transpose()?.map(Arc::new);
    let listener = TcpListener::bind(&asked.address)?;
    println!("listening on {}", listener.local_addr()?);
    for socket in listener.incoming() {
        let (answer, tls) = (Arc::clone(&answer), tls.clone());
        let spawned = socket.and_then(|socket| {
            thread::Builder::new().spawn(move || {
                if let Err(error) = greet(socket, tls, &answer) {
                    eprintln!("connection ended: {error}");
                }
            })
        });
        if let Err(error) = spawned {
            eprintln!("cannot take a connection: {error}");
            thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    Ok(())
}

/// TLS with a certificate that nobody knows.
fn certified() -> Result<ServerConfig, Box<dyn Error>> {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
    let mut config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![own.cert.der().clone()], key)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

fn greet(socket: TcpStream, tls: Option<Arc<ServerConfig>>, answer: &Answer) -> io::Result<()> {
    socket.set_nodelay(true)?;
    match tls {
        None => serve(socket, answer),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(io::Error::other)?;
            serve(StreamOwned::new(connection, socket), answer)
        }
    }
}

/// Serves a connection until the peer closes it.
fn serve(mut socket: impl Read + Write, answer: &Answer) -> io::Result<()> {
    let mut connection = Connection::new(answer);
    let mut input = vec![0; INPUT_SIZE];
    let mut filled = 0;
    loop {
        socket.write_all(&connection.output)?;
        socket.flush()?;
        connection.output.clear();
        let count = match socket.read(&mut input[filled..]) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            // Clients that are done need not say goodbye.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof) => {
                return Ok(());
            }
            read => read?,
        };
        filled += count;
        let taken = connection.take(&input[..filled])?;
        input.copy_within(taken..filled, 0);
        filled -= taken;
    }
}

/// What there is to remember of a connection. Bytes go in by [`take`](Connection::take) and come out in `output`.
struct Connection<'a> {
    output: Vec<u8>,
    answer: &'a Answer,
    /// Whether the preface of the client has come.
    greeted: bool,
    /// How many bytes of a payload that nobody looks at are still to come.
    payload_left: usize,
    /// The stream that is complete when they have come.
    completes: Option<u32>,
    /// Bytes of DATA taken since the connection's window was last given back.
    received: u32,
    /// Bytes of DATA that the client can take on this connection.
    sendable: u64,
    /// Complete streams that wait until the client can take their answer.
    waiting: VecDeque<u32>,
}

impl Connection<'_> {
    fn new(answer: &Answer) -> Connection<'_> {
        let mut output = Vec::with_capacity(4 * INPUT_SIZE);
        let mut settings = Vec::new();
        for (setting, value) in [(MAX_CONCURRENT_STREAMS, STREAMS_MAX), (INITIAL_WINDOW_SIZE, WINDOW)] {
            settings.extend_from_slice(&setting.to_be_bytes());
            settings.extend_from_slice(&value.to_be_bytes());
        }
        put_frame(&mut output, SETTINGS, 0, 0, &settings);
        put_frame(&mut output, WINDOW_UPDATE, 0, 0, &(WINDOW - DEFAULT_WINDOW).to_be_bytes());
        Connection {
            output,
            answer,
            greeted: false,
            payload_left: 0,
            completes: None,
            received: 0,
            sendable: DEFAULT_WINDOW.into(),
            waiting: VecDeque::new(),
        }
    }

    /// Acts on `bytes` as far as they can be understood, and says how many those are. The rest is to be given again, with
    /// more behind it; it is always less than [`INPUT_SIZE`].
    fn take(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        if !self.greeted {
            let Some((preface, after)) = rest.split_first_chunk() else { return Ok(0) };
            if preface != PREFACE {
                return Err(broken("the peer does not speak HTTP/2 in plaintext"));
            }
            self.greeted = true;
            rest = after;
        }
        loop {
            rest = &rest[self.pass_payload(rest.len())?..];
            let Some((header, after)) = rest.split_first_chunk() else { break };
            let frame = Frame::read(*header);
            match frame.kind {
                SETTINGS | PING | WINDOW_UPDATE => {
                    frame.check_size()?;
                    let Some((payload, after)) = after.split_at_checked(frame.size) else { break };
                    self.control(&frame, payload)?;
                    rest = after;
                }
                _ => {
                    self.payload_left = frame.size;
                    self.completes = frame.ends_stream().then_some(frame.stream);
                    if frame.kind == DATA {
                        self.give_back(frame.size);
                    }
                    rest = after;
                }
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// Passes over as much of the present payload as there is in `available` bytes, and says how much that was.
    fn pass_payload(&mut self, available: usize) -> io::Result<usize> {
        let passed = self.payload_left.min(available);
        self.payload_left -= passed;
        if self.payload_left == 0
            && let Some(stream) = self.completes.take()
        {
            self.reply(stream)?;
        }
        Ok(passed)
    }

    fn reply(&mut self, stream: u32) -> io::Result<()> {
        if self.sendable >= self.answer.data {
            self.sendable -= self.answer.data;
            self.answer.put(&mut self.output, stream);
        } else if self.waiting.len() < STREAMS_MAX as usize {
            self.waiting.push_back(stream);
        } else {
            return Err(broken("the client has more streams open than it may"));
        }
        Ok(())
    }

    /// Gives the connection's window back, in large steps.
    fn give_back(&mut self, size: usize) {
        // A frame is smaller than 2^24, so this is far from overflowing.
        self.received += u32::try_from(size).unwrap_or(0);
        if self.received >= WINDOW_STEP {
            put_frame(&mut self.output, WINDOW_UPDATE, 0, 0, &self.received.to_be_bytes());
            self.received = 0;
        }
    }

    fn control(&mut self, frame: &Frame, payload: &[u8]) -> io::Result<()> {
        match frame.kind {
            PING if frame.flags & ACK == 0 => put_frame(&mut self.output, PING, ACK, 0, payload),
            SETTINGS if frame.flags & ACK == 0 => {
                let narrow = |(id, value)| id == INITIAL_WINDOW_SIZE && u64::from(value) < self.answer.data;
                if settings(payload).any(narrow) {
                    return Err(broken("the client's streams are too narrow for an answer"));
                }
                put_frame(&mut self.output, SETTINGS, ACK, 0, &[]);
            }
            WINDOW_UPDATE if frame.stream == 0 => {
                let increment = payload.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
                self.sendable += u64::from(increment & 0x7fff_ffff);
                while self.sendable >= self.answer.data
                    && let Some(stream) = self.waiting.pop_front()
                {
                    self.reply(stream)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The header of a frame.
struct Frame {
    size: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl Frame {
    fn read([high, middle, low, kind, flags, stream @ ..]: [u8; 9]) -> Frame {
        let size = u32::from_be_bytes([0, high, middle, low]) as usize;
        Frame { size, kind, flags, stream: u32::from_be_bytes(stream) & 0x7fff_ffff }
    }

    fn ends_stream(&self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }

    /// Whether the payload has a size that its type can have.
    fn check_size(&self) -> io::Result<()> {
        let good = match self.kind {
            PING => self.size == 8,
            WINDOW_UPDATE => self.size == 4,
            _ => self.size.is_multiple_of(6) && self.size <= FRAME_SIZE_MAX,
        };
        if good { Ok(()) } else { Err(broken("the client sent a frame of a size that it cannot have")) }
    }
}

/// The settings in the payload of a frame: two bytes of what, four of how much.
fn settings(payload: &[u8]) -> impl Iterator<Item = (u16, u32)> {
    let (settings, _) = payload.as_chunks();
    settings.iter().map(|&[a, b, c, d, e, f]| (u16::from_be_bytes([a, b]), u32::from_be_bytes([c, d, e, f])))
}

/// The answer to a call, complete but for the stream number in its frames.
struct Answer {
    bytes: Vec<u8>,
    /// Where the stream numbers go.
    streams: Vec<usize>,
    /// How many bytes of the windows it takes.
    data: u64,
}

impl Answer {
    /// HEADERS, `message` so many times, and trailers.
    fn new(message: &[u8], messages: usize) -> Answer {
        let mut headers = vec![0x80 | 8]; // `:status: 200`, as the static table has it
        put_literal(&mut headers, b"content-type", b"application/grpc");
        let mut trailers = Vec::new();
        put_literal(&mut trailers, b"grpc-status", b"0");

        let mut answer = Answer { bytes: Vec::new(), streams: Vec::new(), data: (message.len() * messages) as u64 };
        answer.add(HEADERS, END_HEADERS, &headers);
        for _ in 0..messages {
            for part in message.chunks(FRAME_SIZE_MAX) {
                answer.add(DATA, 0, part);
            }
        }
        answer.add(HEADERS, END_HEADERS | END_STREAM, &trailers);
        answer
    }

    fn add(&mut self, kind: u8, flags: u8, payload: &[u8]) {
        self.streams.push(self.bytes.len() + 5);
        put_frame(&mut self.bytes, kind, flags, 0, payload);
    }

    fn put(&self, output: &mut Vec<u8>, stream: u32) {
        let start = output.len();
        output.extend_from_slice(&self.bytes);
        for place in &self.streams {
            output[start + place..][..4].copy_from_slice(&stream.to_be_bytes());
        }
    }
}

fn put_frame(output: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let size = u32::try_from(payload.len()).expect("our own payloads are short");
    output.extend_from_slice(&size.to_be_bytes()[1..]);
    output.extend_from_slice(&[kind, flags]);
    output.extend_from_slice(&stream.to_be_bytes());
    output.extend_from_slice(payload);
}

/// A header field in plain letters that enters no table (RFC 7541, section 6.2.2). Both strings are shorter than 127.
fn put_literal(block: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    block.push(0);
    for text in [name, value] {
        block.push(u8::try_from(text.len()).expect("our own header fields are short"));
        block.extend_from_slice(text);
    }
}

fn broken(rule: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings, three calls in the ways they can end, a large message, a PING, and a frame of an unknown type.
    fn conversation() -> Vec<u8> {
        let mut bytes = PREFACE.to_vec();
        put_frame(&mut bytes, SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 18]);
        put_frame(&mut bytes, HEADERS, END_HEADERS, 1, &[0x83]);
        put_frame(&mut bytes, DATA, END_STREAM, 1, b"\0\0\0\0\0");
        put_frame(&mut bytes, HEADERS, END_HEADERS | END_STREAM, 3, &[0x83]);
        put_frame(&mut bytes, HEADERS, END_HEADERS, 5, &[0x83]);
        put_frame(&mut bytes, DATA, 0, 5, &vec![7; 10_000]);
        put_frame(&mut bytes, PING, 0, 0, b"12345678");
        put_frame(&mut bytes, 0xab, 0xff, 9, b"who knows");
        put_frame(&mut bytes, DATA, END_STREAM, 5, b"");
        bytes
    }

    fn answer() -> Answer {
        Answer::new(&hello("Hello world"), 1)
    }

    fn answers(streams: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for stream in streams {
            answer().put(&mut bytes, *stream);
        }
        bytes
    }

    /// What comes out when the bytes come in by so many at a time.
    fn hear(bytes: &[u8], step: usize) -> Vec<u8> {
        let answer = answer();
        let mut connection = Connection::new(&answer);
        let mut input = Vec::new();
        for part in bytes.chunks(step) {
            input.extend_from_slice(part);
            let taken = connection.take(&input).unwrap();
            input.drain(..taken);
        }
        assert!(input.is_empty());
        connection.output
    }

    #[test]
    fn answers_complete_calls_however_the_bytes_come() {
        let mut expected = Connection::new(&answer()).output;
        put_frame(&mut expected, SETTINGS, ACK, 0, &[]);
        expected.extend(answers(&[1, 3]));
        put_frame(&mut expected, PING, ACK, 0, b"12345678");
        expected.extend(answers(&[5]));
        for step in [1, 2, 3, 7, 9, 24, 100, 1_000, 100_000] {
            assert_eq!(hear(&conversation(), step), expected, "by {step}");
        }
    }

    #[test]
    fn waits_for_the_window_of_the_client() {
        let answer = answer();
        let mut connection = Connection::new(&answer);
        connection.take(PREFACE).unwrap();
        let calls: Vec<u32> = (0..4_000).map(|call| 2 * call + 1).collect();
        let mut bytes = Vec::new();
        for call in &calls {
            put_frame(&mut bytes, HEADERS, END_HEADERS | END_STREAM, *call, &[0x83]);
        }
        connection.output.clear();
        connection.take(&bytes).unwrap();
        let (now, later) = calls.split_at(DEFAULT_WINDOW as usize / hello("Hello world").len());
        assert!(connection.output == answers(now));

        connection.output.clear();
        let mut update = Vec::new();
        put_frame(&mut update, WINDOW_UPDATE, 0, 0, &100_000u32.to_be_bytes());
        connection.take(&update).unwrap();
        assert!(connection.output == answers(later));
    }

    #[test]
    fn gives_its_own_window_back_in_large_steps() {
        let answer = answer();
        let mut connection = Connection::new(&answer);
        connection.take(PREFACE).unwrap();
        connection.output.clear();
        let mut data = Vec::new();
        put_frame(&mut data, DATA, 0, 1, &[0; FRAME_SIZE_MAX]);
        for _ in 1..WINDOW_STEP as usize / FRAME_SIZE_MAX {
            connection.take(&data).unwrap();
        }
        assert!(connection.output.is_empty());
        connection.take(&data).unwrap();
        let mut expected = Vec::new();
        put_frame(&mut expected, WINDOW_UPDATE, 0, 0, &WINDOW_STEP.to_be_bytes());
        assert_eq!(connection.output, expected);
    }

    #[test]
    fn ends_a_connection_that_makes_no_sense() {
        let mut narrow = PREFACE.to_vec();
        put_frame(&mut narrow, SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 17]);
        let mut ping = PREFACE.to_vec();
        put_frame(&mut ping, PING, 0, 0, b"1");
        for bytes in [b"GET / HTTP/1.1\r\nHost: localhost".to_vec(), narrow, ping] {
            assert!(Connection::new(&answer()).take(&bytes).is_err());
        }
    }

    #[test]
    fn messages_are_as_many_and_as_long_as_asked_for() {
        assert_eq!(hello("Hello world"), b"\0\0\0\0\x0d\x0a\x0bHello world");
        for size in [2, 100, 129, 131, 20_000, 4 << 20] {
            assert_eq!(hello_of(size).map(|message| message.len()), Some(size + 5));
        }
        assert_eq!((hello_of(1), hello_of(130)), (None, None), "a length takes a byte more from 128 on");

        let answer = Answer::new(&hello_of(20_000).unwrap(), 3);
        let data: Vec<usize> = answer
            .streams
            .iter()
            .map(|place| Frame::read(*answer.bytes[place - 5..].first_chunk().unwrap()))
            .filter_map(|frame| (frame.kind == DATA).then_some(frame.size))
            .collect();
        assert_eq!(data, [16_384, 3_621, 16_384, 3_621, 16_384, 3_621]);
        assert_eq!(answer.data, 3 * 20_005);
    }

    #[test]
    fn the_command_line_is_read_whole_or_not_at_all() {
        let read = |line: &str| Asked::read(line.split_whitespace().map(str::to_owned));
        let asked = read("127.0.0.1:0 --messages 3 --size 100 --tls").unwrap();
        assert_eq!((asked.messages, asked.message.len(), asked.tls), (3, 105, true));
        for line in ["", "127.0.0.1:0 --messages", "127.0.0.1:0 --size 1", "127.0.0.1:0 more"] {
            assert!(read(line).is_none(), "{line:?}");
        }
    }
}
