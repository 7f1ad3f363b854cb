//! Peers that mean harm: nothing panics, and what they can make us keep is bounded.

use proptest::prelude::*;

use super::peer::*;
use crate::wire::frame::{flag, kind};
use crate::wire::output::OWED_MAX;
use crate::wire::{Config, Connection, ErrorCode, Fault};

/// The most memory that a peer may make a connection of this configuration hold.
fn bound(config: &Config) -> usize {
    let list = (config.max_header_list_size as usize * 4).max(64 * 1024);
    // The frame, the block (vectors may double), the output (again), the table, scratch buffers of the block's size.
    config.max_frame_size as usize + 2 * list + 4 * OWED_MAX + 8 * config.header_table_size as usize + 4 * list
}

fn fault_of(connection: &mut Connection, bytes: &[u8]) -> Option<Fault> {
    receive(connection, bytes).1.err()
}

/// Sends `frame` until there is a fault, at most `times` times.
fn flood(connection: &mut Connection, frame: &[u8], times: usize) -> (usize, Option<Fault>) {
    for time in 0..times {
        if let Some(fault) = fault_of(connection, frame) {
            return (time, Some(fault));
        }
    }
    (times, None)
}

#[test]
fn replies_that_nobody_reads_are_limited() {
    let ping = frame(kind::PING, 0, 0, &[0; 8]);
    for (frame, least) in [(&ping, 3_000), (&settings(&[]), 6_000)] {
        let (mut connection, _) = opened(0);
        let (times, fault) = flood(&mut connection, frame, 100_000);
        let fault = fault.unwrap();
        assert_eq!(fault.code, ErrorCode::ENHANCE_YOUR_CALM);
        assert!((least..10_000).contains(&times), "{times}");
        assert!(connection.footprint() < bound(&Config::default()));
    }
    // As long as the replies are read there is no limit.
    let (mut connection, _) = opened(0);
    for _ in 0..100 {
        assert_eq!(flood(&mut connection, &ping, 1_000).1, None);
        let waiting = connection.output().len();
        connection.wrote(waiting);
    }
    assert_eq!(connection.counters().pings_in, 100_000);
}

/// Resets that a peer provokes count as replies, those of the caller do not.
#[test]
fn provoked_resets_are_limited() {
    let (mut connection, head) = connected(Config::default(), &[]);
    let mut fault = None;
    for tag in 0..10_000 {
        let key = connection.open(head, [], tag, true).unwrap();
        fault = fault_of(&mut connection, &data(key.id(), false, b"x"));
        if fault.is_some() {
            break;
        }
    }
    assert_eq!(fault.unwrap().code, ErrorCode::ENHANCE_YOUR_CALM);
    let (mut connection, head) = connected(Config::default(), &[]);
    for tag in 0..10_000 {
        let key = connection.open(head, [], tag, true).unwrap();
        connection.reset(key, ErrorCode::CANCEL);
    }
    assert_eq!(fault_of(&mut connection, &frame(kind::PING, 0, 0, &[0; 8])), None);
}

#[test]
fn header_blocks_without_end_are_limited() {
    let begin = frame(kind::HEADERS, 0, 1, b"");
    for (piece, most) in [(&[][..], 128), (&[0x88], 128), (&[0x88; 16_384], 70)] {
        let (mut connection, _) = opened(1);
        events(&mut connection, &begin);
        let (times, fault) = flood(&mut connection, &frame(kind::CONTINUATION, 0, 1, piece), 1_000);
        assert_eq!(fault.unwrap().code, ErrorCode::ENHANCE_YOUR_CALM);
        assert!(times < most, "{times}");
        assert!(connection.footprint() < bound(&Config::default()));
    }
}

/// A list above what we announced costs its stream, not the connection, and the tables stay in step.
#[test]
fn long_header_lists_end_their_stream() {
    let config = Config { max_header_list_size: 1_000, ..Config::default() };
    let (mut connection, head) = connected(config, &[]);
    for tag in 0..3 {
        connection.open(head, [], tag, true).unwrap();
    }
    written(&mut connection);
    let long = "x".repeat(900);
    let mut block = block(&[(":status", "200"), ("a", &long)]);
    block.extend([0x40, 1, b'k', 1, b'v']);
    let got = events(&mut connection, &frame(kind::HEADERS, flag::END_HEADERS, 1, &block));
    let reason = "more headers than the list size that we announced";
    assert_eq!(got, [format!("0: a: {long}"), format!("0: reset, ENHANCE_YOUR_CALM: {reason}")]);
    let known = frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 3, &[0x88, 0xbe]);
    assert_eq!(events(&mut connection, &known), ["1: k: v", "1: head 200, end"]);
    // Exactly as much as announced is taken: 10 + 32 and 926 + 32.
    let most = headers(5, true, &[(":status", "200"), ("a", &"x".repeat(925))]);
    assert_eq!(events(&mut connection, &most).last().unwrap(), "2: head 200, end");
}

/// One byte that refers to a large entry, again and again: 16 KiB that mean 60 MiB.
#[test]
fn a_bomb_of_references_is_cheap() {
    let (mut connection, _) = opened(1);
    let mut block = vec![0x88, 0x40, 1, b'a', 0x7f, 0xa1, 0x1e];
    block.extend(vec![b'v'; 4_000]);
    block.extend(vec![0xbe; 12_000]);
    let mut bytes = 0;
    let outcome = connection.receive(&frame(kind::HEADERS, flag::END_HEADERS, 1, &block), &mut |event| {
        if let crate::wire::Event::Header { value, .. } = event {
            bytes += value.len();
        }
    });
    assert_eq!(outcome, Ok(()));
    assert!(bytes < 256 * 1024);
    assert_eq!(connection.counters().resets_out, 1);
    assert!(connection.footprint() < 64 * 1024, "{}", connection.footprint());
}

/// An idle connection is small: ten thousand of them fit anywhere.
#[test]
fn an_idle_connection_is_small() {
    let (mut connection, head) = connected(Config::default(), &[]);
    for tag in 0..100 {
        connection.open(head, [], tag, true).unwrap();
        events(&mut connection, &answer(1 + 2 * tag, b"hello"));
        written(&mut connection);
    }
    assert!(connection.footprint() < 8 * 1024, "{}", connection.footprint());
    assert!(size_of::<Connection>() < 1024);
}

/// A frame with a sensible head, so that random peers come further than the first nine bytes.
fn plausible_frame() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::collection::vec(any::<u8>(), 4..=4),
        1 => prop::collection::vec(any::<u8>(), 8..=8),
        1 => prop::collection::vec((1u16..8, any::<u32>()), 0..4).prop_map(|pairs| settings(&pairs)[9..].to_vec()),
        2 => Just(block(&[(":status", "200"), ("x", "y")])),
        1 => Just(block(&[("grpc-status", "0")])),
    ];
    let flags = prop_oneof![Just(0u8), Just(4), Just(5), Just(1), any::<u8>()];
    let stream = prop_oneof![4 => prop::sample::select(vec![0u32, 1, 3, 5, 7, 9]), 1 => any::<u32>()];
    (0u8..11, flags, stream, payload).prop_map(|(kind, flags, stream, payload)| frame(kind, flags, stream, &payload))
}

/// Lets a peer talk to a connection with a few streams, which sends and writes in between.
fn survive(pieces: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let config = Config { max_header_list_size: 2_000, stream_window: 500, ..Config::default() };
    let (mut connection, head) = connected(config, &[]);
    let mut keys = Vec::new();
    for (round, piece) in pieces.iter().enumerate() {
        keys.extend(connection.open(head, [], u32::try_from(round).unwrap(), round % 3 == 0));
        for &key in &keys {
            connection.send(key, &[0; 300], round % 5 == 0);
        }
        let outcome = receive(&mut connection, piece).1;
        prop_assert_eq!(outcome.is_err(), connection.fault.is_some());
        while connection.take_writable().is_some() {}
        if round % 2 == 0 {
            let waiting = connection.output().len();
            connection.wrote(waiting / 2);
        }
        prop_assert!(connection.footprint() < bound(&config) + 4 * crate::wire::output::HIGH_WATER);
        prop_assert!(connection.active() <= keys.len());
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_bytes_never_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..20)) {
        survive(&pieces)?;
    }

    #[test]
    fn random_frames_never_panic(pieces in prop::collection::vec(plausible_frame(), 1..40)) {
        survive(&pieces)?;
    }

    /// A good answer with a few bytes changed.
    #[test]
    fn mutated_answers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes: Vec<u8> = [1, 3, 5].iter().flat_map(|&stream| answer(stream, b"some bytes")).collect();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let cut = cut.index(bytes.len());
        let mut pieces = vec![Vec::new(); 3];
        pieces.extend([bytes[..cut].to_vec(), bytes[cut..].to_vec()]);
        survive(&pieces)?;
    }
}
