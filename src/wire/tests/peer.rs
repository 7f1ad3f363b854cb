//! The other side in tests: frames made by hand, and events in words.

use crate::wire::frame::{FrameHead, HEAD, flag, kind};
use crate::wire::{Config, Connection, Event, Fault, HeadId, StreamKey};

/// A frame.
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let head = FrameHead { length: payload.len(), kind, flags, stream };
    [&head.bytes(), payload].concat()
}

pub(super) fn settings(pairs: &[(u16, u32)]) -> Vec<u8> {
    let payload: Vec<u8> =
        pairs.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    frame(kind::SETTINGS, 0, 0, &payload)
}

/// A block of literals that no table keeps.
pub(super) fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        crate::wire::hpack::append_literal(name.as_bytes(), value.as_bytes(), &mut block);
    }
    block
}

pub(super) fn headers(stream: u32, end: bool, fields: &[(&str, &str)]) -> Vec<u8> {
    let flags = flag::END_HEADERS | if end { flag::END_STREAM } else { 0 };
    frame(kind::HEADERS, flags, stream, &block(fields))
}

pub(super) fn data(stream: u32, end: bool, bytes: &[u8]) -> Vec<u8> {
    frame(kind::DATA, if end { flag::END_STREAM } else { 0 }, stream, bytes)
}

pub(super) fn rst(stream: u32, code: u32) -> Vec<u8> {
    frame(kind::RST_STREAM, 0, stream, &code.to_be_bytes())
}

pub(super) fn window_update(stream: u32, by: u32) -> Vec<u8> {
    frame(kind::WINDOW_UPDATE, 0, stream, &by.to_be_bytes())
}

pub(super) fn go_away(last: u32, code: u32, debug: &[u8]) -> Vec<u8> {
    frame(kind::GOAWAY, 0, 0, &[&last.to_be_bytes(), &code.to_be_bytes(), debug].concat())
}

/// A whole unary answer.
pub(super) fn answer(stream: u32, message: &[u8]) -> Vec<u8> {
    [
        headers(stream, false, &[(":status", "200"), ("content-type", "application/grpc")]),
        data(stream, false, message),
        headers(stream, true, &[("grpc-status", "0")]),
    ]
    .concat()
}

/// An event in words.
pub(super) fn words(event: Event<'_>) -> String {
    let text = String::from_utf8_lossy;
    let ends = |end| if end { ", end" } else { "" };
    match event {
        Event::Settings => "settings".to_owned(),
        Event::Header { tag, name, value } => format!("{tag}: {}: {}", text(name), text(value)),
        Event::Head { tag, status, end } => format!("{tag}: head {status}{}", ends(end)),
        Event::Trailers { tag } => format!("{tag}: trailers"),
        Event::Data { tag, bytes, end } => format!("{tag}: data {}{}", text(bytes), ends(end)),
        Event::Reset { tag, code, by_peer: true, .. } => format!("{tag}: reset by peer, {code}"),
        Event::Reset { tag, code, reason, .. } => format!("{tag}: reset, {code}: {reason}"),
        Event::Pong { payload } => format!("pong {}", text(&payload)),
        Event::GoAway { last_stream, code, debug } => format!("goaway {last_stream}, {code}: {}", text(debug)),
        Event::Unprocessed { tag } => format!("{tag}: unprocessed"),
    }
}

/// Gives bytes to the connection; the events in words, and what the connection says to it.
pub(super) fn receive(connection: &mut Connection, bytes: &[u8]) -> (Vec<String>, Result<(), Fault>) {
    let mut events = Vec::new();
    let outcome = connection.receive(bytes, &mut |event| events.push(words(event)));
    (events, outcome)
}

/// The events; there must be no fault.
pub(super) fn events(connection: &mut Connection, bytes: &[u8]) -> Vec<String> {
    let (events, outcome) = receive(connection, bytes);
    outcome.unwrap();
    events
}

/// A frame that the connection wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Written {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

/// Writes all that waits and cuts it into frames.
pub(super) fn written(connection: &mut Connection) -> Vec<Written> {
    let bytes = connection.output().to_vec();
    connection.wrote(bytes.len());
    frames(&bytes)
}

/// Whole frames, which must be all that there is.
pub(super) fn frames(mut bytes: &[u8]) -> Vec<Written> {
    let mut frames = Vec::new();
    while let Some(head) = FrameHead::read(bytes) {
        let FrameHead { length, kind, flags, stream } = head;
        frames.push(Written { kind, flags, stream, payload: bytes[HEAD..HEAD + length].to_vec() });
        bytes = &bytes[HEAD + length..];
    }
    assert_eq!(bytes, b"");
    frames
}

pub(super) fn fields(pairs: &[(&str, &str)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    pairs.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
}

pub(super) const REQUEST: [(&str, &str); 7] = [
    (":method", "POST"),
    (":scheme", "http"),
    (":path", "/helloworld.Greeter/SayHello"),
    (":authority", "127.0.0.1:50051"),
    ("te", "trailers"),
    ("content-type", "application/grpc"),
    ("user-agent", "test"),
];

/// A connection whose first bytes are written and whose peer has sent these settings, with a head.
pub(super) fn connected(config: Config, pairs: &[(u16, u32)]) -> (Connection, HeadId) {
    let mut connection = Connection::new(config);
    let greeting = connection.output().len();
    connection.wrote(greeting);
    assert_eq!(events(&mut connection, &settings(pairs)), ["settings"]);
    assert_eq!(written(&mut connection).len(), 1);
    let head = connection.prepare(fields(&REQUEST));
    (connection, head)
}

/// The same with `streams` streams open, tagged from 0, whose requests have ended.
pub(super) fn opened(streams: u32) -> (Connection, Vec<StreamKey>) {
    let (mut connection, head) = connected(Config::default(), &[]);
    let keys = (0..streams).map(|tag| connection.open(head, [], tag, true).unwrap()).collect();
    written(&mut connection);
    (connection, keys)
}
