//! Flow control of what we send, and whose turn it is.

use super::peer::*;
use crate::wire::frame::{flag, kind};
use crate::wire::output::{HIGH_WATER, LOW_WATER};
use crate::wire::{Config, Connection};

/// The payloads' lengths of the DATA frames that wait, by stream, and whether the last one ends it.
fn data_frames(connection: &mut Connection) -> Vec<(u32, usize, bool)> {
    let frames = written(connection).into_iter().filter(|frame| frame.kind == kind::DATA);
    frames.map(|frame| (frame.stream, frame.payload.len(), frame.flags & flag::END_STREAM != 0)).collect()
}

fn turns(connection: &mut Connection) -> Vec<u32> {
    std::iter::from_fn(|| connection.take_writable()).collect()
}

#[test]
fn data_are_cut_to_the_peers_frame_size() {
    let (mut connection, head) = connected(Config::default(), &[(5, 20_000)]);
    let key = connection.open(head, [], 0, false).unwrap();
    assert_eq!(connection.send(key, &vec![0; 45_000], true), 45_000);
    assert_eq!(data_frames(&mut connection), [(1, 20_000, false), (1, 20_000, false), (1, 5_000, true)]);
    // Larger frames than 64 KiB are not made, whatever the peer takes.
    let (mut connection, head) = connected(Config::default(), &[(5, 1 << 20), (4, 1 << 20)]);
    events(&mut connection, &window_update(0, 1 << 20));
    let key = connection.open(head, [], 0, false).unwrap();
    assert_eq!(connection.send(key, &vec![0; 70_000], true), 70_000);
    assert_eq!(data_frames(&mut connection), [(1, 65_536, false), (1, 4_464, true)]);
}

#[test]
fn data_of_a_stream_in_a_row_share_a_frame() {
    let (mut connection, head) = connected(Config::default(), &[(5, 16_384)]);
    let [one, other] = [0, 1].map(|tag| connection.open(head, [], tag, false).unwrap());
    for _ in 0..3 {
        connection.send(one, b"message", false);
    }
    connection.send(other, b"message", false);
    connection.send(one, b"message", true);
    assert_eq!(data_frames(&mut connection), [(1, 21, false), (3, 7, false), (1, 7, true)]);
    // As long as a frame may be, and then in the next one.
    let size = connection.send(other, &[1; 16_380], false);
    assert_eq!((size, connection.send(other, &[2; 10], false)), (16_380, 10));
    connection.send(other, b"", true);
    assert_eq!(data_frames(&mut connection), [(3, 16_384, false), (3, 6, true)]);
}

#[test]
fn a_frame_whose_writing_has_begun_takes_no_more() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let key = connection.open(head, [], 0, false).unwrap();
    written(&mut connection);
    connection.send(key, b"first", false);
    let begun = connection.output()[..1].to_vec();
    connection.wrote(1);
    connection.send(key, b"second", false);
    let rest = connection.output().to_vec();
    let frame = |length: u8, text: &[u8]| [&[0, 0, length, kind::DATA, 0, 0, 0, 0, 1], text].concat();
    assert_eq!([begun, rest].concat(), [frame(5, b"first"), frame(6, b"second")].concat());
}

#[test]
fn an_empty_end_needs_no_window() {
    let (mut connection, head) = connected(Config::default(), &[(4, 0)]);
    let key = connection.open(head, [], 0, false).unwrap();
    assert_eq!(connection.send(key, b"", false), 0);
    assert_eq!(connection.send(key, b"x", true), 0);
    assert_eq!(data_frames(&mut connection), []);
    assert_eq!(connection.send(key, b"", true), 0);
    assert_eq!(data_frames(&mut connection), [(1, 0, true)]);
    // It has ended: nothing more goes out.
    assert_eq!(connection.send(key, b"x", true), 1);
    assert_eq!(data_frames(&mut connection), []);
}

#[test]
fn a_stream_window_stops_and_starts_its_stream() {
    let (mut connection, head) = connected(Config::default(), &[(4, 0)]);
    let key = connection.open(head, [], 5, false).unwrap();
    assert_eq!(connection.send(key, b"question", true), 0);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    events(&mut connection, &window_update(1, 3));
    assert_eq!(turns(&mut connection), [5]);
    assert_eq!(turns(&mut connection), [0u32; 0], "said once");
    assert_eq!(connection.send(key, b"question", true), 3);
    assert_eq!(data_frames(&mut connection), [(1, 3, false)]);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    events(&mut connection, &settings(&[(4, 2)]));
    assert_eq!(turns(&mut connection), [5]);
    assert_eq!(connection.send(key, b"stion", true), 2);
    events(&mut connection, &settings(&[(4, 100)]));
    assert_eq!(turns(&mut connection), [5]);
    assert_eq!(connection.send(key, b"ion", true), 3);
    assert_eq!(data_frames(&mut connection), [(1, 2, false), (1, 3, true)]);
    assert_eq!(connection.counters().window_stops, 3);
}

#[test]
fn a_window_made_negative_must_be_paid_back() {
    let (mut connection, head) = connected(Config::default(), &[(4, 100)]);
    let key = connection.open(head, [], 0, false).unwrap();
    assert_eq!(connection.send(key, &[0; 80], false), 80);
    events(&mut connection, &settings(&[(4, 10)]));
    assert_eq!(connection.send(key, b"x", false), 0);
    events(&mut connection, &window_update(1, 70));
    assert_eq!(turns(&mut connection), [0u32; 0]);
    events(&mut connection, &window_update(1, 1));
    assert_eq!(turns(&mut connection), [0]);
    // Settings that shut and open a window within one frame are both taken.
    events(&mut connection, &settings(&[(4, 0), (4, 20)]));
    assert_eq!(connection.send(key, &[0; 20], true), 11);
}

#[test]
fn the_connections_window_is_shared_in_turn() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let keys: Vec<_> = (0..4).map(|tag| connection.open(head, [], tag, false).unwrap()).collect();
    assert_eq!(connection.send(keys[0], &vec![0; 65_000], true), 65_000);
    assert_eq!(connection.send(keys[1], &[0; 1_000], true), 535);
    assert_eq!(connection.send(keys[2], b"abc", true), 0);
    assert_eq!(connection.send(keys[3], b"abc", true), 0);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    connection.reset(keys[2], crate::wire::ErrorCode::CANCEL);
    events(&mut connection, &window_update(0, 400));
    assert_eq!(connection.take_writable(), Some(1));
    assert_eq!(connection.send(keys[1], &[0; 465], true), 400);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    events(&mut connection, &window_update(0, 1_000));
    assert_eq!(turns(&mut connection), [3, 1], "who stopped again stands behind");
}

#[test]
fn a_full_output_stops_and_starts_its_streams() {
    let (mut connection, head) = connected(Config::default(), &[(4, 0x7fff_ffff)]);
    events(&mut connection, &window_update(0, 0x7fff_0000));
    let key = connection.open(head, [], 3, false).unwrap();
    let body = vec![0; 3 << 20];
    let taken = connection.send(key, &body, true);
    assert!(taken < body.len());
    assert!((HIGH_WATER..HIGH_WATER + (64 << 10)).contains(&connection.output().len()));
    assert_eq!(connection.send(key, &body[taken..], true), 0);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    let over = connection.output().len() - LOW_WATER;
    connection.wrote(over - 1);
    assert_eq!(turns(&mut connection), [0u32; 0]);
    connection.wrote(1);
    assert_eq!(turns(&mut connection), [3]);
    assert_eq!(connection.counters().output_stops, 2);
    assert_eq!(connection.counters().window_stops, 0);
    let more = connection.send(key, &body[taken..], true);
    assert!(more > LOW_WATER / 2 && taken + more < body.len());
}

/// While the connection's window is shut, streams come and go; what they leave behind stays small.
#[test]
fn turns_of_streams_that_are_gone_do_not_pile_up() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let first = connection.open(head, [], 0, false).unwrap();
    assert_eq!(connection.send(first, &vec![0; 70_000], true), 65_535);
    for _ in 0..1_000 {
        let key = connection.open(head, [], 1, false).unwrap();
        assert_eq!(connection.send(key, b"x", true), 0);
        connection.reset(key, crate::wire::ErrorCode::CANCEL);
        written(&mut connection);
    }
    assert!(connection.turns.len() <= 20, "{}", connection.turns.len());
    events(&mut connection, &window_update(0, 1));
    assert_eq!(turns(&mut connection), [0u32; 0]);
    // The first stream's own window is used up as well.
    events(&mut connection, &window_update(1, 1));
    assert_eq!(turns(&mut connection), [0]);
}

/// A server may send thousands of tiny or empty frames; they cost little and are not held against it.
#[test]
fn many_tiny_data_frames_are_welcome() {
    let (mut connection, _) = opened(1);
    events(&mut connection, &headers(1, false, &[(":status", "200")]));
    let (mut frames, mut bytes) = (0, 0);
    let many = [data(1, false, b"xy"), data(1, false, b"")].concat().repeat(20_000);
    let outcome = connection.receive(&many, &mut |event| {
        if let crate::wire::Event::Data { bytes: got, .. } = event {
            frames += 1;
            bytes += got.len();
        }
    });
    assert_eq!((outcome, frames, bytes), (Ok(()), 40_000, 40_000));
    assert_eq!(events(&mut connection, &headers(1, true, &[("grpc-status", "0")])).last().unwrap(), "0: trailers");
    assert_eq!(connection.output(), b"");
}
