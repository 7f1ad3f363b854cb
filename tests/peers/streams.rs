//! Few streams, many frames, large messages.

use std::time::Duration;

use super::frames::{MAX_CONCURRENT_STREAMS, data, data_in_pieces, fine, grpc, message, ping, settings, trailers};
use super::run::run;
use super::server::{Event, Server};

const MS: Duration = Duration::from_millis(1);

#[test]
fn c31_one_stream_at_a_time() {
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 1)], |peer, event| {
        if let Event::Whole(stream) = event {
            peer.send_later(25 * MS, stream, &fine());
        }
    });
    let outcome = run(server.address(), "-n 40 -c 20");
    outcome.all_ok(40);
    assert_eq!(server.seen().open_max, 1);
    assert!(outcome.elapsed >= 40 * 25 * MS, "{:?}", outcome.elapsed);
    // The wait for a stream is part of the latency: the last of the first twenty waited for nineteen others.
    let slowest = outcome.latencies_ms().into_iter().fold(0.0, f64::max);
    assert!(slowest >= 19.0 * 25.0, "{slowest}");
}

#[test]
fn c31_fewer_streams_while_many_are_in_flight() {
    for at_least in [1, 3] {
        let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 100)], move |peer, event| match event {
            Event::Head(_) if peer.requests == 20 => peer.say(&[settings(&[(MAX_CONCURRENT_STREAMS, at_least)])]),
            // The client knows from here on, and has none in flight that it sent before.
            Event::Settled if peer.requests >= 20 => {
                for stream in peer.open.clone() {
                    peer.send_later(20 * MS, stream, &fine());
                }
            }
            Event::Whole(stream) if peer.requests > 20 => {
                assert!(peer.open.len() <= at_least as usize, "{:?}", peer.open);
                peer.send_later(MS, stream, &fine());
            }
            _ => {}
        });
        run(server.address(), "-n 200 -c 20").all_ok(200);
        assert_eq!((server.seen().open_max, server.seen().connections), (20, 1));
    }
}

#[test]
fn c31_no_streams_for_a_while() {
    let server = Server::start(|peer, event| {
        let at = |n: usize| peer.requests == n;
        match event {
            Event::Head(_) if at(50) => peer.say(&[settings(&[(MAX_CONCURRENT_STREAMS, 0)])]),
            Event::Settled if peer.requests >= 50 && !peer.open.is_empty() => {
                peer.answer_open();
                peer.send_later(200 * MS, 0, &[settings(&[(MAX_CONCURRENT_STREAMS, 5)])]);
            }
            Event::Whole(stream) if peer.requests < 50 => peer.answer(stream),
            Event::Whole(stream) if peer.requests > 60 => {
                assert!(peer.open.len() <= 5);
                peer.answer(stream);
            }
            Event::Whole(stream) if !at(50) => peer.send_later(MS, stream, &fine()),
            _ => {}
        }
    });
    let outcome = run(server.address(), "-n 300 -c 10");
    outcome.all_ok(300);
    assert!(outcome.elapsed >= 200 * MS);
    assert_eq!(server.seen().requests, 300, "no stream was refused");
}

#[test]
fn c31_deadlines_hold_where_there_is_never_a_stream() {
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 0)], |_, _| {});
    let outcome = run(server.address(), "-n 6 -c 3 -t 200ms");
    outcome.all_failed(6, tonic::Code::DeadlineExceeded, "deadline");
    assert_eq!(server.seen().requests, 0);
    assert_eq!(outcome.report["grpcbench"]["traffic"]["messages_sent"], 0, "none has left");
}

#[test]
fn c31_deadlines_hold_while_a_call_waits_for_a_stream() {
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 1)], |_, _| {});
    let outcome = run(server.address(), "-n 6 -c 3 -t 200ms");
    outcome.all_failed(6, tonic::Code::DeadlineExceeded, "deadline");
    let seen = server.seen();
    assert!(seen.requests <= 6 && seen.open_max == 1, "{} {}", seen.requests, seen.open_max);
    assert_eq!(seen.resets.len(), seen.requests);
}

#[test]
fn c32_tiny_frames() {
    // A message of 20,000 bytes, each in a frame of its own.
    let mut frames = vec![grpc()];
    frames.extend(data_in_pieces(&message(&vec![7; 20_000]), 1));
    frames.push(trailers(&[("grpc-status", "0")]));
    let outcome = run(Server::answering(frames).address(), "-n 4 -c 2");
    outcome.all_ok(4);
    assert_eq!(outcome.report["grpcbench"]["traffic"]["message_bytes_received"], 80_000);
    // As many frames without anything in them.
    let mut frames = vec![grpc()];
    frames.extend(std::iter::repeat_n(data(b""), 20_000));
    frames.extend([data(&message(b"")), trailers(&[("grpc-status", "0")])]);
    run(Server::answering(frames).address(), "-n 4 -c 2").all_ok(4);
}

#[test]
fn c32_many_tiny_answers() {
    let server = Server::answering(fine());
    let outcome = run(server.address(), "-n 50000 -c 200");
    outcome.all_ok(50_000);
    assert_eq!((server.seen().requests, server.seen().connections), (50_000, 1));
}

#[test]
fn c33_answers_above_four_mebibytes() {
    let mut frames = vec![grpc()];
    frames.extend(data_in_pieces(&message(&vec![7; 5 << 20]), 16_384));
    frames.push(trailers(&[("grpc-status", "0")]));
    let outcome = run(Server::answering(frames).address(), "-n 6 -c 2");
    outcome.all_ok(6);
    assert_eq!(outcome.report["grpcbench"]["traffic"]["message_bytes_received"], 6 * (5 << 20));
}

#[test]
fn pings_are_answered_under_load() {
    let server = Server::start(|peer, event| match event {
        Event::Whole(stream) if peer.requests % 10 == 5 => {
            // The call is answered when the ping is.
            peer.say(&[ping()]);
            peer.open.insert(stream);
        }
        Event::Whole(stream) => peer.answer(stream),
        Event::Pong => {
            peer.answer_open();
        }
        _ => {}
    });
    run(server.address(), "-n 200 -c 4").all_ok(200);
}
