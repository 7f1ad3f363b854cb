//! Ends of streams and of connections, interim responses, long header blocks, pings.

use super::peer::*;
use crate::wire::frame::{flag, kind};
use crate::wire::{Blocked, Config, ErrorCode};

#[test]
fn interim_responses_are_kept_back() {
    let (mut connection, _) = opened(1);
    let early = headers(1, false, &[(":status", "103"), ("link", "x")]);
    assert_eq!(events(&mut connection, &[early.clone(), early].concat()), Vec::<String>::new());
    assert_eq!(connection.counters().interim_in, 2);
    assert_eq!(events(&mut connection, &answer(1, b"x"))[1], "0: head 200");
}

#[test]
fn trailers_only_and_data_only() {
    let (mut connection, _) = opened(2);
    let only = headers(1, true, &[(":status", "200"), ("grpc-status", "12")]);
    assert_eq!(events(&mut connection, &only), ["0: grpc-status: 12", "0: head 200, end"]);
    let body = [headers(3, false, &[(":status", "404")]), data(3, true, b"not found")].concat();
    assert_eq!(events(&mut connection, &body), ["1: head 404", "1: data not found, end"]);
    assert_eq!(connection.active(), 0);
}

/// A server may answer before it has the whole request, and reset the rest with `NO_ERROR` (RFC 9113 section 8.1).
#[test]
fn an_early_answer_leaves_the_request_open() {
    let (mut connection, head) = connected(Config::default(), &[(3, 1)]);
    let key = connection.open(head, [], 0, false).unwrap();
    assert_eq!(events(&mut connection, &answer(1, b"early")).last().unwrap(), "0: trailers");
    assert_eq!((connection.active(), connection.free_slots()), (1, 0));
    assert_eq!(connection.send(key, b"more", false), 4);
    assert_eq!(events(&mut connection, &rst(1, 0)), ["0: reset by peer, NO_ERROR"]);
    assert_eq!(connection.free_slots(), 1);

    let key = connection.open(head, [], 1, false).unwrap();
    assert_eq!(events(&mut connection, &answer(3, b"early")).last().unwrap(), "1: trailers");
    written(&mut connection);
    assert_eq!(connection.send(key, b"last", true), 4);
    assert_eq!(connection.active(), 0);
    assert_eq!(written(&mut connection).len(), 1);
}

#[test]
fn resets_come_with_their_codes() {
    let (mut connection, keys) = opened(3);
    assert_eq!(events(&mut connection, &rst(1, 7)), ["0: reset by peer, REFUSED_STREAM"]);
    assert_eq!(events(&mut connection, &rst(3, 0x77)), ["1: reset by peer, error code 0x77"]);
    assert_eq!(events(&mut connection, &rst(3, 8)), Vec::<String>::new());
    connection.reset(keys[2], ErrorCode::CANCEL);
    let frames = written(&mut connection);
    assert_eq!((frames[0].kind, frames[0].stream, &frames[0].payload[..]), (kind::RST_STREAM, 5, &[0, 0, 0, 8][..]));
    assert_eq!(events(&mut connection, &answer(5, b"late")), Vec::<String>::new());
    assert_eq!((connection.counters().resets_in.total(), connection.counters().resets_out), (2, 1));
}

#[test]
fn goaway_gives_back_what_was_not_processed_and_may_come_twice() {
    let (mut connection, _) = opened(4);
    // The graceful way: a high number first, then the true one.
    assert_eq!(events(&mut connection, &go_away(0x7fff_ffff, 0, b"soon")), ["goaway 2147483647, NO_ERROR: soon"]);
    assert!(connection.closing());
    assert_eq!(connection.free_slots(), 0);
    let head = connection.prepare(fields(&REQUEST));
    assert_eq!(connection.open(head, [], 9, true), Err(Blocked::Closing));
    assert_eq!(connection.active(), 4);
    assert_eq!(
        events(&mut connection, &go_away(3, 0, b"")),
        ["goaway 3, NO_ERROR: ", "2: unprocessed", "3: unprocessed"]
    );
    // A number that rises again changes nothing.
    assert_eq!(events(&mut connection, &go_away(7, 2, b"")), ["goaway 7, INTERNAL_ERROR: "]);
    assert_eq!(events(&mut connection, &answer(3, b"x")).last().unwrap(), "1: trailers");
    let got = events(&mut connection, &go_away(0, 11, &[b'x'; 5_000]));
    assert_eq!(got, [format!("goaway 0, ENHANCE_YOUR_CALM: {}", "x".repeat(1024)), "0: unprocessed".to_owned()]);
    assert_eq!((connection.active(), connection.counters().goaways_in.total()), (0, 4));
}

#[test]
fn we_may_say_goodbye() {
    let (mut connection, _) = opened(1);
    connection.go_away(ErrorCode::NO_ERROR);
    let frames = written(&mut connection);
    assert_eq!((frames[0].kind, &frames[0].payload[..]), (kind::GOAWAY, &[0; 8][..]));
    assert!(connection.closing());
    assert_eq!(events(&mut connection, &answer(1, b"x")).last().unwrap(), "0: trailers");
}

#[test]
fn stream_numbers_end() {
    let (mut connection, head) = connected(Config::default(), &[]);
    connection.next_id = 0x7fff_fffd;
    assert_eq!(connection.free_slots(), 2);
    connection.open(head, [], 0, true).unwrap();
    let last = connection.open(head, [], 1, true).unwrap();
    assert_eq!(last.id(), 0x7fff_ffff);
    assert!(connection.closing());
    assert_eq!(connection.open(head, [], 2, true), Err(Blocked::Closing));
    assert_eq!(events(&mut connection, &answer(0x7fff_ffff, b"x")).last().unwrap(), "1: trailers");
}

#[test]
fn pings_both_ways() {
    let (mut connection, _) = opened(0);
    assert_eq!(events(&mut connection, &frame(kind::PING, 0, 0, b"are-you?")), Vec::<String>::new());
    connection.ping(*b"and-you?");
    let frames = written(&mut connection);
    assert_eq!((frames[0].flags, &frames[0].payload[..]), (flag::ACK, &b"are-you?"[..]));
    assert_eq!((frames[1].flags, &frames[1].payload[..]), (0, &b"and-you?"[..]));
    assert_eq!(events(&mut connection, &frame(kind::PING, flag::ACK, 0, b"and-you?")), ["pong and-you?"]);
}

#[test]
fn long_request_heads_are_continued() {
    let (mut connection, _) = connected(Config::default(), &[]);
    let long = "\u{1}".repeat(40_000);
    let head = connection.prepare(fields(&[(":method", "POST"), ("x-long", &long)]));
    connection.open(head, [(&b"x-more"[..], &b"1"[..])], 0, true).unwrap();
    let frames = written(&mut connection);
    let shape: Vec<_> = frames.iter().map(|frame| (frame.kind, frame.flags, frame.payload.len())).collect();
    let rest = shape[2].2;
    assert_eq!(
        shape,
        [
            (kind::HEADERS, flag::END_STREAM, 16_384),
            (kind::CONTINUATION, 0, 16_384),
            (kind::CONTINUATION, flag::END_HEADERS, rest)
        ]
    );
    let block: Vec<u8> = frames.into_iter().flat_map(|frame| frame.payload).collect();
    let mut decoder = crate::wire::hpack::Decoder::new(4096);
    let mut got = Vec::new();
    decoder.decode(&block, &mut |field| got.push((field.name.to_vec(), field.value.to_vec()))).unwrap();
    assert_eq!(got, fields(&[(":method", "POST"), ("x-long", &long), ("x-more", "1")]));
}

#[test]
fn long_response_heads_are_put_together() {
    let (mut connection, _) = opened(1);
    let block = block(&[(":status", "200"), ("x", &"y".repeat(300)), ("z", "w")]);
    // Padding and priority on the first frame, then pieces of one byte and of none.
    let padded = [&[3, 0, 0, 0, 1, 7][..], &block[..5], &[0; 3]].concat();
    let mut bytes = frame(kind::HEADERS, flag::PADDED | flag::PRIORITY | flag::END_STREAM, 1, &padded);
    bytes.extend(frame(kind::CONTINUATION, 0, 1, &block[5..6]));
    bytes.extend(frame(kind::CONTINUATION, 0, 1, b""));
    bytes.extend(frame(kind::CONTINUATION, flag::END_HEADERS, 1, &block[6..]));
    let got = events(&mut connection, &bytes);
    assert_eq!(got, [format!("0: x: {}", "y".repeat(300)), "0: z: w".to_owned(), "0: head 200, end".to_owned()]);
}

/// RFC 7541 section 4.2: a table made smaller is announced in the next block, with the smallest size in between.
#[test]
fn table_size_changes_open_the_next_block() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let block = |connection: &mut crate::wire::Connection| {
        connection.open(head, [], 0, true).unwrap();
        written(connection).pop().unwrap().payload
    };
    let first = block(&mut connection);
    assert_eq!(block(&mut connection).len(), 7);
    events(&mut connection, &settings(&[(1, 0), (1, 100)]));
    let resized = block(&mut connection);
    assert_eq!(resized[..3], [0x20, 0x3f, 69], "0, then 100");
    assert!(resized.len() > 50);
    events(&mut connection, &settings(&[(1, 0)]));
    let without = block(&mut connection);
    assert_eq!(without[0], 0x20);
    assert_eq!(block(&mut connection), without[1..], "literals, each time the same");
    // A larger table is used as far as 4096 bytes, and that is announced, too.
    events(&mut connection, &settings(&[(1, 1 << 30)]));
    let large = block(&mut connection);
    assert_eq!(large[..3], [0x3f, 0xe1, 0x1f]);
    assert_eq!(large[3..], first);
    assert_eq!(block(&mut connection).len(), 7);
}
