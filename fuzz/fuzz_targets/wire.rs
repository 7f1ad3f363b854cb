//! A server's bytes against the HTTP/2 core.
//!
//! The first byte of an input chooses the limits, the second seeds what the client does and where reads cut the bytes.
//! The others are what the server says: as it stands, or, if the first byte is odd, as short forms of frames whose
//! lengths are right.

#![no_main]

use grpcbench::wire::{Config, Connection, ErrorCode, HeadId, StreamKey};
use libfuzzer_sys::fuzz_target;

/// More than a peer can make a connection with these limits hold; without bounds it would be megabytes.
const FOOTPRINT_MAX: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let [limits, seed, said @ ..] = input else { return };
    let said = if limits & 1 == 1 { frames(said) } else { said.to_vec() };
    let config = if limits & 2 == 2 {
        Config { max_header_list_size: 2_000, stream_window: 500, ..Config::default() }
    } else {
        Config::default()
    };
    assert_eq!(events(&config, &said, said.len().max(1)), events(&config, &said, 1 + usize::from(*seed) % 40));
    talk(&config, &said, u32::from(*seed) | 1);
});

/// Frames from their short form: type, flags, the two lowest bytes of the stream, length, payload.
fn frames(mut short: &[u8]) -> Vec<u8> {
    let mut frames = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
    while let [kind, flags, s2, s3, length, rest @ ..] = short {
        let (payload, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        frames.extend([0, 0, u8::try_from(payload.len()).expect("from a byte"), kind % 11, *flags, 0, 0, *s2, *s3]);
        frames.extend(payload);
        short = rest;
    }
    frames
}

fn greeted(config: &Config) -> (Connection, HeadId) {
    let mut connection = Connection::new(config.clone());
    let fields = [(":method", "POST"), (":path", "/lab.Boxes/Put"), ("te", "trailers")];
    let fields = fields.map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()));
    let head = connection.prepare(fields.into());
    (connection, head)
}

/// What comes of three streams if the bytes are read in pieces of this length.
fn events(config: &Config, said: &[u8], piece: usize) -> (Vec<String>, bool) {
    let (mut connection, head) = greeted(config);
    for tag in 0..3 {
        connection.open(head, [], tag, true).expect("nothing forbids it yet");
    }
    let mut events = Vec::new();
    for piece in said.chunks(piece) {
        let outcome = connection.receive(piece, &mut |event| events.push(format!("{event:?}")));
        if outcome.is_err() {
            return (events, true);
        }
    }
    (events, false)
}

/// A client that opens, sends, resets and writes in between.
fn talk(config: &Config, said: &[u8], mut random: u32) {
    let (mut connection, head) = greeted(config);
    let mut keys: Vec<StreamKey> = Vec::new();
    let mut rest = said;
    while !rest.is_empty() {
        // Xorshift: the same input does the same again.
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        keys.extend(connection.open(head, [], random, random % 3 == 0));
        for &key in keys.iter().rev().take(3) {
            connection.send(key, &[0; 300], random % 5 == 0);
        }
        if random % 11 == 0
            && let Some(&key) = keys.first()
        {
            connection.reset(key, ErrorCode::CANCEL);
        }
        let (piece, after) = rest.split_at((random as usize >> 8) % 64 % (rest.len() + 1));
        rest = if piece.is_empty() { &after[1..] } else { after };
        let outcome = connection.receive(piece, &mut |_| {});
        assert_eq!(outcome.is_err(), connection.receive(&[], &mut |_| {}).is_err(), "a fault stays");
        while connection.take_writable().is_some() {}
        if random % 2 == 0 {
            connection.wrote(connection.output().len() / 2);
        }
        assert!(connection.footprint() < FOOTPRINT_MAX, "{}", connection.footprint());
        assert!(connection.active() <= keys.len());
        if outcome.is_err() {
            return;
        }
    }
}
