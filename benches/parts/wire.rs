//! The HTTP/2 core without a socket: a peer's bytes in, ours out.

use grpcbench::wire::{Config, Connection, Event, HeadId};

use super::Work;

/// Where the stream's number is in a frame.
const STREAM: usize = 5;

/// A call with one message each way, like those of `examples/responder`.
pub(crate) fn unary() -> Work {
    exchange(1, 13)
}

/// A call whose answer has a hundred messages of a hundred bytes, each in a frame of its own.
pub(crate) fn stream_of_a_hundred() -> Work {
    exchange(100, 100)
}

fn exchange(messages: usize, size: usize) -> Work {
    let (mut connection, head) = connected();
    let mut answer = Vec::new();
    frame(&mut answer, 1, 4, &literals(&[0x88], b"content-type", b"application/grpc"));
    for _ in 0..messages {
        frame(&mut answer, 0, 0, &vec![0; 5 + size]);
    }
    frame(&mut answer, 1, 5, &literals(&[], b"grpc-status", b"0"));
    let places: Vec<usize> = places(&answer);
    let request = b"\0\0\0\0\x07\x0a\x05world";
    let mut stream = 1_u32;
    Box::new(move || {
        let key = connection.open(head, [], 0, false).expect("numbers of streams do not run out here");
        connection.send(key, request, true);
        let waiting = connection.output().len();
        connection.wrote(waiting);
        for place in &places {
            answer[*place..][..4].copy_from_slice(&stream.to_be_bytes());
        }
        let mut ended = false;
        connection
            .receive(&answer, &mut |event| ended |= matches!(event, Event::Trailers { .. }))
            .expect("the peer keeps to the protocol");
        assert!(ended);
        stream += 2;
    })
}

/// A connection after its first settings, with a head as calls have it.
fn connected() -> (Connection, HeadId) {
    let mut connection = Connection::new(Config::default());
    let mut settings = Vec::new();
    frame(&mut settings, 4, 0, &[]);
    connection.receive(&settings, &mut |_| ()).expect("empty settings are fine");
    let head = connection.prepare(
        [
            (":method", "POST"),
            (":scheme", "http"),
            (":authority", "127.0.0.1:50051"),
            (":path", "/helloworld.Greeter/SayHello"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("grpc-timeout", "20S"),
        ]
        .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
        .to_vec(),
    );
    (connection, head)
}

fn frame(bytes: &mut Vec<u8>, kind: u8, flags: u8, payload: &[u8]) {
    let size = u32::try_from(payload.len()).expect("short");
    bytes.extend_from_slice(&size.to_be_bytes()[1..]);
    bytes.extend_from_slice(&[kind, flags, 0, 0, 0, 0]);
    bytes.extend_from_slice(payload);
}

/// Where the numbers of streams are in these frames.
fn places(frames: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some([high, middle, low]) = frames.get(at..at + 3) {
        places.push(at + STREAM);
        at += 9 + u32::from_be_bytes([0, *high, *middle, *low]) as usize;
    }
    places
}

/// A block of `before` and a field that no table keeps. Both its strings are short.
fn literals(before: &[u8], name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut block = before.to_vec();
    block.push(0);
    for text in [name, value] {
        block.push(u8::try_from(text.len()).expect("short"));
        block.extend_from_slice(text);
    }
    block
}
