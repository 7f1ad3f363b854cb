//! However the bytes of a peer are cut, they mean the same.

use proptest::prelude::*;

use super::peer::*;
use crate::wire::frame::{flag, kind};
use crate::wire::{Config, Connection, Counters, Fault};

/// What a server does next; streams are 1, 3, 5 and 7.
#[derive(Clone, Debug)]
enum Act {
    Interim(u32),
    Head(u32, Vec<(String, String)>, usize),
    Data(u32, Vec<u8>, u8),
    Trailers(u32, Vec<(String, String)>, usize),
    Reset(u32, u32),
    Settings(Vec<(u16, u32)>),
    Update(u32, u32),
    Ping([u8; 8]),
    GoAway(u32, Vec<u8>),
    Unknown(u8, u32, Vec<u8>),
}

fn list() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[a-z-]{1,12}", "[ -~]{0,30}"), 0..5)
}

fn act() -> impl Strategy<Value = Act> {
    let stream = || (0u32..4).prop_map(|number| 2 * number + 1);
    let bytes = || prop::collection::vec(any::<u8>(), 0..60);
    let setting = prop_oneof![
        (Just(1u16), 0u32..5_000),
        (Just(3), 0u32..200),
        (Just(4), 0u32..100_000),
        (Just(5), 16_384u32..20_000),
        (Just(6), any::<u32>()),
        (20u16..30, any::<u32>()),
    ];
    prop_oneof![
        1 => stream().prop_map(Act::Interim),
        4 => (stream(), list(), 1usize..50).prop_map(|(stream, list, cut)| Act::Head(stream, list, cut)),
        4 => (stream(), bytes(), any::<u8>()).prop_map(|(stream, bytes, padding)| Act::Data(stream, bytes, padding)),
        3 => (stream(), list(), 1usize..50).prop_map(|(stream, list, cut)| Act::Trailers(stream, list, cut)),
        1 => (stream(), 0u32..15).prop_map(|(stream, code)| Act::Reset(stream, code)),
        1 => prop::collection::vec(setting, 0..4).prop_map(Act::Settings),
        1 => (stream(), 1u32..1_000).prop_map(|(stream, by)| Act::Update(stream - 1, by)),
        1 => any::<[u8; 8]>().prop_map(Act::Ping),
        1 => (0u32..9, bytes()).prop_map(|(last, debug)| Act::GoAway(last, debug)),
        1 => (10u8..255, 0u32..20, bytes()).prop_map(|(kind, stream, bytes)| Act::Unknown(kind, stream, bytes)),
    ]
}

/// A header block, cut into frames of `cut` bytes.
fn block_in_pieces(stream: u32, end: bool, list: &[(&str, &str)], cut: usize) -> Vec<u8> {
    let block = block(list);
    let pieces: Vec<&[u8]> = if block.is_empty() { vec![b""] } else { block.chunks(cut).collect() };
    let mut bytes = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        let first = number == 0;
        let mut flags = if first && end { flag::END_STREAM } else { 0 };
        flags |= if number + 1 == pieces.len() { flag::END_HEADERS } else { 0 };
        bytes.extend(frame(if first { kind::HEADERS } else { kind::CONTINUATION }, flags, stream, piece));
    }
    bytes
}

fn bytes_of(act: &Act) -> Vec<u8> {
    let with = |status: &'static [(&str, &str)], list: &[(String, String)]| {
        let list = list.iter().map(|(name, value)| (name.clone(), value.clone()));
        status.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).chain(list).collect::<Vec<_>>()
    };
    let pieces = |stream, end, list: Vec<(String, String)>, cut| {
        let list: Vec<(&str, &str)> = list.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        block_in_pieces(stream, end, &list, cut)
    };
    match act {
        Act::Interim(stream) => headers(*stream, false, &[(":status", "103"), ("link", "x")]),
        Act::Head(stream, list, cut) => pieces(*stream, false, with(&[(":status", "200")], list), *cut),
        Act::Data(stream, bytes, 0) => data(*stream, false, bytes),
        Act::Data(stream, bytes, padding) => {
            let padded = [&[*padding], &bytes[..], &vec![0; usize::from(*padding)]].concat();
            frame(kind::DATA, flag::PADDED, *stream, &padded)
        }
        Act::Trailers(stream, list, cut) => pieces(*stream, true, with(&[], list), *cut),
        Act::Reset(stream, code) => rst(*stream, *code),
        Act::Settings(pairs) => settings(pairs),
        Act::Update(stream, by) => window_update(*stream, *by),
        Act::Ping(payload) => frame(kind::PING, 0, 0, payload),
        Act::GoAway(last, debug) => go_away(*last, 0, debug),
        Act::Unknown(kind, stream, bytes) => frame(*kind, 0, *stream, bytes),
    }
}

struct Outcome {
    events: Vec<String>,
    fault: Option<Fault>,
    output: Vec<u8>,
    counters: Counters,
}

/// Gives the pieces to a connection with four streams whose requests are open.
fn outcome(pieces: &[&[u8]]) -> Outcome {
    let mut connection = Connection::new(Config::default());
    let head = connection.prepare(fields(&REQUEST));
    for tag in 0..4 {
        connection.open(head, [], tag, tag % 2 == 0).unwrap();
    }
    let (mut events, mut fault) = (Vec::new(), None);
    for piece in pieces {
        let (more, outcome) = receive(&mut connection, piece);
        events.extend(more);
        fault = outcome.err();
    }
    Outcome { events, fault, output: connection.output().to_vec(), counters: *connection.counters() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Acts may break rules of streams, so resets are part of it; broken bytes make faults part of it.
    #[test]
    fn any_cut_gives_the_same_events(
        acts in prop::collection::vec(act(), 1..25),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
        broken in prop::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut bytes = settings(&[]);
        for act in &acts {
            bytes.extend(bytes_of(act));
        }
        if let Some((place, byte)) = broken {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let whole = outcome(&[&bytes]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&bytes[from..cut]);
            from = cut;
        }
        pieces.push(&bytes[from..]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        for cut in [outcome(&pieces), outcome(&single)] {
            prop_assert_eq!(&cut.events, &whole.events);
            prop_assert_eq!(cut.fault, whole.fault);
            prop_assert_eq!(&cut.output, &whole.output);
            prop_assert_eq!(cut.counters, whole.counters);
        }
    }
}
