//! Settings, ages, sockets, and the ways a server ends.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::*;

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Opens a connection, sends these frames, and gives the frames of the server: type, flags, payload.
fn converse(server: &Background, frames: &[u8]) -> impl Iterator<Item = (u8, u8, Vec<u8>)> + use<> {
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    hello.extend(frame(SETTINGS, 0, 0, &[]));
    hello.extend_from_slice(frames);
    socket.write_all(&hello).unwrap();
    std::iter::repeat_with(move || {
        let mut header = [0; 9];
        socket.read_exact(&mut header).unwrap();
        let [high, middle, low, kind, flags, ..] = header;
        let mut payload = vec![0; u32::from_be_bytes([0, high, middle, low]) as usize];
        socket.read_exact(&mut payload).unwrap();
        (kind, flags, payload)
    })
}

/// The payload of the first frame of this type that the server sends by itself.
fn first_frame(server: &Background, wanted: u8) -> Vec<u8> {
    converse(server, &[]).find(|(kind, ..)| *kind == wanted).map(|(.., payload)| payload).unwrap()
}

#[test]
fn calls_given_up_by_the_hundred_do_not_end_the_connection() {
    let server = start(Options::default());
    let mut request = vec![0x83, 0x86, 0x44, 28];
    request.extend_from_slice(b"/helloworld.Greeter/SayHello");
    let mut frames = Vec::new();
    for stream in (1..2_000).step_by(2) {
        frames.extend(frame(HEADERS, 4, stream, &request));
        frames.extend(frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]));
    }
    frames.extend(frame(PING, 0, 0, b"are you?"));
    let pong = converse(&server, &frames).find(|(kind, ..)| [GOAWAY, PING].contains(kind)).unwrap();
    assert_eq!(pong, (PING, 1, b"are you?".to_vec()));
}

#[test]
fn max_concurrent_streams_is_announced() {
    let announced = |max_concurrent_streams| {
        let server = start(Options { max_concurrent_streams, ..Options::default() });
        let settings = first_frame(&server, SETTINGS);
        settings.chunks_exact(6).find(|setting| setting[..2] == [0, 3]).map(|setting| setting[2..].to_vec())
    };
    assert_eq!(announced(Some(7)), Some(vec![0, 0, 0, 7]));
    assert_eq!(announced(None), None, "as many as one likes");
}

#[test]
fn an_old_connection_is_told_to_go() {
    let server = start(Options { max_connection_age: Some(Duration::from_millis(50)), ..Options::default() });
    let goaway = first_frame(&server, GOAWAY);
    assert_eq!(goaway[4..8], [0; 4], "without an error");
}

#[tokio::test]
async fn an_old_connection_still_answers_its_calls() {
    let max_connection_age = Some(Duration::from_millis(50));
    let delay = Some(Delay::fixed(Duration::from_millis(300)));
    let server = start(Options { delay, max_connection_age, ..Options::default() });
    let reply = connect(&server).await.say_hello(hello("Ann")).await.unwrap();
    assert_eq!(reply.into_inner().message, "Hello Ann");
}

#[cfg(unix)]
#[tokio::test]
async fn over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greeter.sock");
    let server = Background::start_unix(&path, Options::default()).unwrap();
    assert_eq!(server.address(), format!("unix:{}", path.display()));
    let mut client = connect(&server).await;
    assert_eq!(client.say_hello(hello("Ann")).await.unwrap().into_inner().message, "Hello Ann");
    assert_eq!(server.counts().connections(), 1);
    drop(server);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_dropped_server_cuts_its_calls_off() {
    let server = start(Options { delay: Some(Delay::fixed(Duration::from_secs(600))), ..Options::default() });
    let mut client = connect(&server).await;
    let call = tokio::spawn(async move { client.say_hello(hello("Ann")).await });
    while server.counts().all_calls() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let address = server.address().to_owned();
    drop(server);
    call.await.unwrap().unwrap_err();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn a_stopped_server_answers_its_calls_first() {
    let server = start(Options { delay: Some(Delay::fixed(Duration::from_millis(200))), ..Options::default() });
    let mut client = connect(&server).await;
    let call = tokio::spawn(async move { client.say_hello(hello("Ann")).await });
    while server.counts().all_calls() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::task::spawn_blocking(|| server.stop()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap().into_inner().message, "Hello Ann");
}
