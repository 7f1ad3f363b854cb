//! Each rule that a peer can break: what it costs, and whom.

use super::peer::*;
use crate::wire::frame::{flag, kind};
use crate::wire::{Blocked, Config, Connection, ErrorCode, Fault, Foreign};

const OK: (&str, &str) = (":status", "200");

fn block_frame(kind: u8, flags: u8, stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(kind, flags, stream, &block(fields))
}

/// Faults: a connection with streams 1 and 3 open gets these bytes.
#[test]
fn what_ends_the_connection() {
    let protocol = ErrorCode::PROTOCOL_ERROR;
    let size = ErrorCode::FRAME_SIZE_ERROR;
    let flow = ErrorCode::FLOW_CONTROL_ERROR;
    let many_updates = [window_update(0, 0x7fff_ffff), window_update(0, 1)].concat();
    let interrupted = [block_frame(kind::HEADERS, 0, 1, &[OK]), frame(kind::PING, 0, 0, &[0; 8])].concat();
    let other_stream = [block_frame(kind::HEADERS, 0, 1, &[OK]), frame(kind::CONTINUATION, 4, 3, b"")].concat();
    let lifted = [window_update(1, 0x7fff_ffff - 65_535), settings(&[(4, 65_536)])].concat();
    let cases: Vec<(Vec<u8>, ErrorCode, &str)> = vec![
        (data(0, false, b"x"), protocol, "a frame for stream 0 that belongs to a stream"),
        (headers(0, false, &[OK]), protocol, "a frame for stream 0 that belongs to a stream"),
        (rst(0, 8), protocol, "a frame for stream 0 that belongs to a stream"),
        (frame(kind::PRIORITY, 0, 0, &[0; 5]), protocol, "a PRIORITY frame for stream 0"),
        (data(5, false, b"x"), protocol, "a frame for a stream that was never opened"),
        (headers(5, false, &[OK]), protocol, "a frame for a stream that was never opened"),
        (rst(5, 8), protocol, "a frame for a stream that was never opened"),
        (window_update(5, 8), protocol, "a frame for a stream that was never opened"),
        (headers(2, false, &[OK]), protocol, "a frame for a stream that was never opened"),
        (rst(2, 8), protocol, "a frame for a stream that was never opened"),
        (frame(kind::SETTINGS, 0, 1, b""), protocol, "a frame of the connection that names a stream"),
        (frame(kind::PING, 0, 1, &[0; 8]), protocol, "a frame of the connection that names a stream"),
        (frame(kind::GOAWAY, 0, 1, &[0; 8]), protocol, "a frame of the connection that names a stream"),
        (frame(kind::PUSH_PROMISE, 4, 1, &[0, 0, 0, 2]), protocol, "a PUSH_PROMISE although push is off"),
        (settings(&[(2, 1)]), protocol, "a server that announces ENABLE_PUSH"),
        (settings(&[(4, 0x8000_0000)]), flow, "an INITIAL_WINDOW_SIZE above 2^31-1"),
        (settings(&[(5, 16_383)]), protocol, "a MAX_FRAME_SIZE outside 2^14 to 2^24-1"),
        (settings(&[(5, 0x0100_0000)]), protocol, "a MAX_FRAME_SIZE outside 2^14 to 2^24-1"),
        (lifted, flow, "a change of INITIAL_WINDOW_SIZE lifts a window above 2^31-1"),
        (frame(kind::SETTINGS, 0, 0, &[0; 7]), size, "a SETTINGS frame whose length is no multiple of 6"),
        (frame(kind::SETTINGS, flag::ACK, 0, &[0; 6]), size, "a SETTINGS acknowledgement with a payload"),
        (frame(kind::PING, 0, 0, &[0; 7]), size, "a PING that is not 8 bytes long"),
        (frame(kind::PING, flag::ACK, 0, &[0; 9]), size, "a PING that is not 8 bytes long"),
        (frame(kind::RST_STREAM, 0, 1, &[0; 3]), size, "an RST_STREAM that is not 4 bytes long"),
        (frame(kind::WINDOW_UPDATE, 0, 1, &[0; 5]), size, "a WINDOW_UPDATE that is not 4 bytes long"),
        (frame(kind::GOAWAY, 0, 0, &[0; 7]), size, "a GOAWAY shorter than 8 bytes"),
        (data(1, false, &vec![0; 16_385]), size, "a frame longer than we announced"),
        (frame(kind::DATA, flag::PADDED, 1, b""), size, "a padded frame without a pad length"),
        (frame(kind::DATA, flag::PADDED, 1, &[1]), protocol, "more padding than the frame is long"),
        (frame(kind::HEADERS, flag::PADDED | 4, 1, &[9, 0]), protocol, "more padding than the frame is long"),
        (frame(kind::HEADERS, flag::PRIORITY | 4, 1, &[0; 4]), size, "a HEADERS frame without its priority fields"),
        (window_update(0, 0), protocol, "a WINDOW_UPDATE by nothing"),
        (many_updates, flow, "the connection's window is lifted above 2^31-1"),
        (frame(kind::CONTINUATION, 4, 1, b""), protocol, "a CONTINUATION frame without a header block"),
        (interrupted, protocol, "a header block is interrupted by another frame"),
        (other_stream, protocol, "a header block is interrupted by another frame"),
        (frame(kind::HEADERS, 4, 1, &[0x80]), ErrorCode::COMPRESSION_ERROR, "a field with index 0"),
    ];
    for (bytes, code, reason) in cases {
        let (mut connection, _) = opened(2);
        let fault = Fault { code, reason, foreign: None };
        let (_, outcome) = receive(&mut connection, &bytes);
        assert_eq!(outcome, Err(fault));
        let goodbye = written(&mut connection).pop().unwrap();
        assert_eq!((goodbye.kind, goodbye.stream), (kind::GOAWAY, 0), "{reason}");
        let expected = [&[0; 4], &code.0.to_be_bytes(), reason.as_bytes()].concat();
        assert_eq!(goodbye.payload, expected, "{reason}");
        // From now on nothing is taken and nothing is opened.
        assert_eq!(receive(&mut connection, &answer(1, b"x")), (Vec::new(), Err(fault)), "{reason}");
        let head = connection.prepare(fields(&REQUEST));
        assert_eq!(connection.open(head, [], 9, true), Err(Blocked::Closing));
        assert!(connection.closing());
    }
}

/// Stream errors: stream 1 (tag 0, its request ended) gets these bytes, and stream 3 goes on.
#[test]
fn what_ends_only_the_stream() {
    let protocol = ErrorCode::PROTOCOL_ERROR;
    let begun = || headers(1, false, &[OK]);
    let head = |fields: &[(&str, &str)]| headers(1, false, fields);
    let trailers = |fields: &[(&str, &str)]| [begun(), headers(1, true, fields)].concat();
    let cases: Vec<(Vec<u8>, ErrorCode, &str)> = vec![
        (data(1, false, b"x"), protocol, "data before the response headers"),
        ([head(&[(":status", "100")]), data(1, false, b"x")].concat(), protocol, "data before the response headers"),
        (head(&[]), protocol, "a response without :status"),
        (head(&[("x", "y")]), protocol, "a response without :status in front"),
        (head(&[("x", "y"), OK]), protocol, "a response without :status in front"),
        (head(&[OK, OK]), protocol, "a second :status"),
        (head(&[OK, ("x", "y"), OK]), protocol, "a second :status"),
        (head(&[(":status", "20")]), protocol, "a :status that is not a number of three digits"),
        (head(&[OK, (":path", "/")]), protocol, "a pseudo-header that does not belong in a response"),
        (head(&[OK, ("X", "y")]), protocol, "a header name with bytes that no name may have"),
        (head(&[OK, ("", "y")]), protocol, "a header name with bytes that no name may have"),
        (head(&[OK, ("x", "y\n")]), protocol, "a header value with NUL, CR or LF"),
        (head(&[OK, ("connection", "close")]), protocol, "a connection-specific header"),
        (head(&[(":status", "101")]), protocol, "a 101 response, which HTTP/2 does not have"),
        (headers(1, true, &[(":status", "100")]), protocol, "an interim response that ends the stream"),
        ([begun(), headers(1, false, &[("x", "y")])].concat(), protocol, "headers in the middle of a response"),
        (trailers(&[OK]), protocol, "a :status in trailers"),
        (trailers(&[("x", "y"), ("Y", "z")]), protocol, "a header name with bytes that no name may have"),
        (window_update(1, 0), protocol, "a WINDOW_UPDATE by nothing"),
        (window_update(1, 0x7fff_ffff), ErrorCode::FLOW_CONTROL_ERROR, "the stream's window is lifted above 2^31-1"),
        (
            frame(kind::PRIORITY, 0, 1, &[0; 4]),
            ErrorCode::FRAME_SIZE_ERROR,
            "a PRIORITY frame that is not 5 bytes long",
        ),
    ];
    for (bytes, code, reason) in cases {
        let (mut connection, _) = opened(2);
        let got = events(&mut connection, &bytes);
        assert_eq!(got.last().unwrap(), &format!("0: reset, {code}: {reason}"));
        let frames = written(&mut connection);
        assert_eq!(frames.len(), 1, "{reason}");
        assert_eq!((frames[0].kind, frames[0].stream), (kind::RST_STREAM, 1), "{reason}");
        assert_eq!(frames[0].payload, code.0.to_be_bytes(), "{reason}");
        assert_eq!(connection.active(), 1, "{reason}");
        // What was under way for it is ignored, and the other stream is none the worse.
        assert_eq!(events(&mut connection, &answer(1, b"late")), Vec::<String>::new(), "{reason}");
        assert_eq!(events(&mut connection, &answer(3, b"x")).len(), 5, "{reason}");
        assert!(!connection.closing());
    }
}

/// A response that ended while the request goes on: the stream is still there, and nothing may follow but its reset.
#[test]
fn after_its_end_a_response_may_not_go_on() {
    for (bytes, reason) in [
        (data(1, false, b"x"), "data after the end of the response"),
        (headers(1, true, &[("x", "y")]), "headers after the end of the response"),
    ] {
        let (mut connection, head) = connected(Config::default(), &[]);
        connection.open(head, [], 0, false).unwrap();
        assert_eq!(events(&mut connection, &answer(1, b"early")).last().unwrap(), "0: trailers");
        assert_eq!(connection.active(), 1);
        assert_eq!(events(&mut connection, &bytes), [format!("0: reset, STREAM_CLOSED: {reason}")]);
        assert_eq!(connection.active(), 0);
    }
}

#[test]
fn the_first_frame_must_be_settings() {
    let http1 = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    // A TLS alert: record type 21, version 3.3, two bytes, fatal, unexpected message.
    let alert = [21, 3, 3, 0, 2, 2, 10];
    for (bytes, foreign) in [
        (&http1[..], Foreign::Http1),
        (&alert, Foreign::Tls),
        (b"220 smtp.example.com ESMTP", Foreign::Unknown),
        (b"SSH-2.0-OpenSSH", Foreign::Unknown),
        (&frame(kind::PING, 0, 0, &[0; 8]), Foreign::Unknown),
        (&frame(kind::SETTINGS, flag::ACK, 0, b""), Foreign::Unknown),
        (&frame(kind::GOAWAY, 0, 0, &[0; 8]), Foreign::Unknown),
    ] {
        let mut connection = Connection::new(Config::default());
        let greeting = connection.output().len();
        let mut outcome = Ok(());
        for byte in bytes {
            outcome = receive(&mut connection, &[*byte]).1;
            if outcome.is_err() {
                break;
            }
        }
        assert_eq!(outcome.unwrap_err().foreign, Some(foreign));
        // Such a peer is told nothing.
        assert_eq!(connection.output().len(), greeting);
        assert!(connection.closing());
    }
}

#[test]
fn frames_that_mean_nothing_are_ignored() {
    let (mut connection, _) = opened(1);
    for bytes in [
        frame(0xaa, 0xff, 1, b"whatever"),
        frame(0xaa, 0, 0x7fff_ffff, b""),
        frame(kind::PRIORITY, 0, 1, &[0; 5]),
        frame(kind::PRIORITY, 0, 99, &[0; 5]),
        frame(kind::PRIORITY, 0, 99, &[0; 4]),
        frame(kind::SETTINGS, flag::ACK, 0, b""),
    ] {
        assert_eq!(events(&mut connection, &bytes), Vec::<String>::new());
    }
    assert_eq!(connection.counters().ignored_in, 5);
    assert_eq!(connection.output(), b"");
}

/// Header blocks of streams that are gone still change the table, and their data still use the connection's window.
#[test]
fn a_stream_that_is_gone_still_counts_for_the_connection() {
    let config = Config { connection_window: 65_535, ..Config::default() };
    let (mut connection, head) = connected(config, &[]);
    let gone = connection.open(head, [], 0, true).unwrap();
    connection.open(head, [], 1, true).unwrap();
    connection.reset(gone, ErrorCode::CANCEL);
    written(&mut connection);
    // `x: y` enters the table on the first stream and is referred to on the second.
    let inserting = [0x88, 0x40, 1, b'x', 1, b'y'];
    assert_eq!(events(&mut connection, &frame(kind::HEADERS, 4, 1, &inserting)), Vec::<String>::new());
    assert_eq!(events(&mut connection, &frame(kind::HEADERS, 5, 3, &[0x88, 0xbe])), ["1: x: y", "1: head 200, end"]);
    for _ in 0..3 {
        events(&mut connection, &data(1, false, &[0; 16_384]));
    }
    let updates = written(&mut connection);
    assert_eq!(updates.len(), 1);
    assert_eq!((updates[0].stream, &updates[0].payload[..]), (0, &32_768_u32.to_be_bytes()[..]));
}

#[test]
fn the_peer_must_keep_to_our_windows() {
    let config = Config { connection_window: 65_535, stream_window: 100, ..Config::default() };
    let (mut connection, head) = connected(config, &[]);
    connection.open(head, [], 0, true).unwrap();
    connection.open(head, [], 1, true).unwrap();
    written(&mut connection);
    events(&mut connection, &headers(1, false, &[OK]));
    events(&mut connection, &headers(3, false, &[OK]));
    events(&mut connection, &data(1, false, &[0; 49]));
    assert_eq!(connection.output(), b"", "less than half is used");
    events(&mut connection, &data(1, false, &[0; 10]));
    let updates = written(&mut connection);
    assert_eq!((updates[0].kind, updates[0].stream), (kind::WINDOW_UPDATE, 1));
    assert_eq!(updates[0].payload, 59_u32.to_be_bytes());
    // Padding counts: 1 + 94 + 6 bytes.
    let padded = frame(kind::DATA, flag::PADDED, 3, &[&[6][..], &[b'x'; 94], &[0; 6]].concat());
    let got = events(&mut connection, &padded);
    assert_eq!(got, ["1: reset, FLOW_CONTROL_ERROR: more data than the stream's window allows"]);

    // The connection's window is opened in time for frames of the usual size; this one is longer than the whole window.
    let config = Config { max_frame_size: 70_000, ..config };
    let (mut connection, head) = connected(config, &[]);
    connection.open(head, [], 0, true).unwrap();
    let (_, outcome) = receive(&mut connection, &data(1, false, &vec![0; 65_536]));
    assert_eq!(outcome.unwrap_err().reason, "more data than the connection's window allows");
}
