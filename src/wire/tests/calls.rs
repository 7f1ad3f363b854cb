//! Calls that go well.

use super::peer::{self, *};
use crate::wire::frame::{PREFACE, flag, kind};
use crate::wire::{Blocked, Config, Connection};

#[test]
fn the_first_words_are_preface_settings_and_window_update() {
    let config = Config { header_table_size: 100, max_header_list_size: 5000, ..Config::default() };
    let mut connection = Connection::new(config);
    let output = connection.output().to_vec();
    let frames = frames(output.strip_prefix(PREFACE).unwrap());
    let settings: Vec<u8> = [(1u16, 100u32), (2, 0), (4, 1 << 30), (5, 16384), (6, 5000)]
        .iter()
        .flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat())
        .collect();
    assert_eq!((frames[0].kind, frames[0].stream, &frames[0].payload), (kind::SETTINGS, 0, &settings));
    assert_eq!((frames[1].kind, frames[1].stream), (kind::WINDOW_UPDATE, 0));
    assert_eq!(frames[1].payload, (0x7fff_ffff_u32 - 65_535).to_be_bytes());
    assert_eq!(frames.len(), 2);
    assert!(!connection.settled());
    connection.wrote(output.len());
    assert_eq!(connection.output(), b"");
}

#[test]
fn a_unary_call() {
    let (mut connection, head) = connected(Config::default(), &[]);
    assert!(connection.settled());
    let key = connection.open(head, [(&b"x-id"[..], &b"5"[..])], 7, false).unwrap();
    assert_eq!(connection.send(key, b"question", true), 8);
    let frames = written(&mut connection);
    assert_eq!((frames[0].kind, frames[0].flags, frames[0].stream), (kind::HEADERS, flag::END_HEADERS, 1));
    assert_eq!((frames[1].kind, frames[1].flags, frames[1].stream), (kind::DATA, flag::END_STREAM, 1));
    assert_eq!(frames[1].payload, b"question");
    let got = peer::events(&mut connection, &answer(1, b"reply"));
    let expected =
        ["7: content-type: application/grpc", "7: head 200", "7: data reply", "7: grpc-status: 0", "7: trailers"];
    assert_eq!(got, expected);
    assert_eq!(connection.active(), 0);
    assert_eq!(connection.output(), b"");
}

#[test]
fn the_head_becomes_a_few_bytes() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let mut lengths = Vec::new();
    for tag in 0..4 {
        connection.open(head, [], tag, true).unwrap();
        lengths.push(written(&mut connection)[0].payload.len());
    }
    assert!(lengths[0] > 50, "{lengths:?}");
    assert_eq!(lengths[1..], [7, 7, 7]);
}

#[test]
fn the_peer_limits_concurrent_streams() {
    let (mut connection, head) = connected(Config::default(), &[(3, 2)]);
    assert_eq!(connection.free_slots(), 2);
    let keys: Vec<_> = (0..2).map(|tag| connection.open(head, [], tag, true).unwrap()).collect();
    assert_eq!(connection.open(head, [], 2, true), Err(Blocked::StreamLimit));
    peer::events(&mut connection, &answer(3, b""));
    assert_eq!(connection.free_slots(), 1);
    connection.reset(keys[0], crate::wire::ErrorCode::CANCEL);
    assert_eq!((connection.active(), connection.free_slots()), (0, 2));
    // A stale key does nothing.
    connection.reset(keys[0], crate::wire::ErrorCode::CANCEL);
    assert_eq!(connection.send(keys[1], b"x", true), 1);
    let resets = written(&mut connection).iter().filter(|frame| frame.kind == kind::RST_STREAM).count();
    assert_eq!(resets, 1);
}
