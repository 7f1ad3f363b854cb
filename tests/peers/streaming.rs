//! Streaming calls against servers that behave oddly.

use std::time::Duration;

use serde_json::Value;
use tonic::Code;

use super::frames::{
    Frame, MAX_CONCURRENT_STREAMS, data, data_in_pieces, fine, go_away, grpc, message, ping, rst, trailers,
    trailers_only,
};
use super::harness::Run;
use super::numbers::whole;
use super::run::{Outcome, for_each, go};
use super::server::{Event, Server};

const MS: Duration = Duration::from_millis(1);
const THREE: &str = r#"[{"name":"Ann"},{"name":"Ben"},{"name":"Cem"}]"#;
/// Each of these messages with its field and its gRPC prefix.
const FRAMED: usize = 5 + 2 + 3;

/// Runs a method of the `Greeter`; the requests of streams have three messages unless the flags say otherwise.
#[track_caller]
fn run(server: &Server, method: &str, flags: &str) -> Outcome {
    let call = format!("helloworld.Greeter.{method}");
    let run = Run::new().args(["--insecure", "--proto", "helloworld.proto", "--call", &call, "-d", THREE]);
    go(run.args(flags.split_whitespace()).args([server.address()]))
}

fn ok() -> Frame {
    trailers(&[("grpc-status", "0")])
}

/// Messages sent and received in calls that ended.
fn messages(outcome: &Outcome) -> (u64, u64) {
    let traffic = &outcome.report["grpcbench"]["traffic"];
    (whole(&traffic["messages_sent"]), whole(&traffic["messages_received"]))
}

fn streams<'a>(outcome: &'a Outcome, key: &str) -> &'a Value {
    &outcome.report["grpcbench"]["streams"][key]
}

#[test]
fn c27_an_early_answer_ends_a_stream_that_would_go_on_sending() {
    for with_reset in [true, false] {
        for at in [1, 3] {
            let server = Server::start(move |peer, event| match event {
                Event::Head(stream) if at == 1 => {
                    peer.send(stream, &[trailers_only(&[("grpc-status", "8"), ("grpc-message", "full")])]);
                    if with_reset {
                        peer.send(stream, &[rst(0)]);
                    }
                }
                Event::Body(stream, _) if at == 3 => {
                    // In the middle of it, as a server that has heard enough.
                    peer.send(stream, &[grpc(), trailers(&[("grpc-status", "8"), ("grpc-message", "full")])]);
                    if with_reset {
                        peer.send(stream, &[rst(0)]);
                    }
                }
                _ => {}
            });
            let flags = "-n 6 -c 2 --stream-call-count 100 --stream-interval 100ms";
            let outcome = run(&server, "SayHelloCS", flags);
            outcome.all_failed(6, Code::ResourceExhausted, "full");
            assert!(outcome.latencies_ms().iter().all(|latency| *latency < 2000.0), "{:?}", outcome.latencies_ms());
            assert!(messages(&outcome).0 <= 12, "{:?}", messages(&outcome));
        }
    }
}

#[test]
fn c28_deadlines_of_server_streams() {
    let never = Server::start(|_, _| {});
    let only_a_head = Server::answering([grpc()]);
    let on_and_on = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send(stream, &[grpc()]);
            for tenth in 1..20 {
                peer.send_later(tenth * 100 * MS, stream, &[data(&message(b"tick"))]);
            }
        }
    });
    for_each([(never, false), (only_a_head, false), (on_and_on, true)], |(server, ticks)| {
        let outcome = run(&server, "SayHellos", "-n 4 -c 2 -t 350ms");
        outcome.all_failed(4, Code::DeadlineExceeded, "deadline");
        assert!(outcome.latencies_ms().iter().all(|latency| (350.0..1500.0).contains(latency)));
        assert_eq!(server.seen().resets, [8; 4], "CANCEL");
        let received = messages(&outcome).1;
        assert!(if ticks { (4..=16).contains(&received) } else { received == 0 }, "{received}");
    });
}

#[test]
fn c32_twenty_thousand_tiny_messages() {
    let mut frames = vec![grpc()];
    frames.extend(std::iter::repeat_n(data(&message(b"ab")), 20_000));
    frames.push(ok());
    let outcome = run(&Server::answering(frames), "SayHellos", "-n 2 -c 1");
    outcome.all_ok(2);
    assert_eq!(messages(&outcome), (2, 40_000));
    // The same bytes in frames that know nothing of messages.
    let mut frames = vec![grpc()];
    frames.extend(data_in_pieces(&message(b"ab").repeat(20_000), 1_000));
    frames.push(ok());
    let outcome = run(&Server::answering(frames), "SayHellos", "-n 2 -c 1");
    outcome.all_ok(2);
    assert_eq!(messages(&outcome), (2, 40_000));
}

#[test]
fn a_stream_may_have_any_number_of_messages_and_only_whole_ones() {
    for method in ["SayHellos", "SayHelloBidi"] {
        for frames in [vec![grpc(), ok()], vec![trailers_only(&[("grpc-status", "0")])]] {
            run(&Server::answering(frames), method, "-n 4 -c 2").all_ok(4);
        }
        let half = [grpc(), data(&message(b"a")), data(&message(b"bcd")[..6]), ok()];
        run(&Server::answering(half), method, "-n 4 -c 2").all_failed(4, Code::Internal, "cut short");
    }
    let none = [grpc(), ok()];
    run(&Server::answering(none), "SayHelloCS", "-n 4 -c 2").all_failed(4, Code::Unimplemented, "0 messages");
}

#[test]
fn a_stream_that_the_client_ends_is_cancelled_and_ok() {
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            // Five in one frame, of which the client wants three.
            peer.send(stream, &[grpc(), data(&message(b"x").repeat(5))]);
        }
    });
    let outcome = run(&server, "SayHellos", "-n 20 -c 2 --stream-call-count 3");
    outcome.all_ok(20);
    assert_eq!((messages(&outcome).1, streams(&outcome, "ended_by_client")), (60, &Value::from(20)));
    assert_eq!((server.seen().resets, server.seen().connections), (vec![8; 20], 1));
}

#[test]
fn streams_that_are_refused_begin_anew() {
    // Each call is refused after its first message. What it sent then was for nobody.
    let refusing = || {
        Server::start(|peer, event| match event {
            Event::Body(stream, _) if stream % 4 == 1 => peer.send(stream, &[rst(7)]),
            Event::Body(stream, bytes) => {
                if !peer.open.contains(&stream) {
                    return;
                }
                // Those that leave together share a frame.
                let replies = vec![data(&message(b"reply")); bytes / FRAMED];
                peer.send(stream, &replies);
            }
            Event::Head(stream) if stream % 4 == 3 => peer.send(stream, &[grpc()]),
            Event::Whole(stream) if stream % 4 == 3 => peer.send(stream, &[ok()]),
            _ => {}
        })
    };
    for flags in ["", "--stream-ping-pong"] {
        let server = refusing();
        let outcome = run(&server, "SayHelloBidi", &format!("-n 10 -c 1 -t 5s {flags}"));
        outcome.all_ok(10);
        assert_eq!((outcome.retried(), server.seen().requests), (10, 20), "{flags}");
        assert_eq!(messages(&outcome), (30, 30), "{flags}");
        assert_eq!(streams(&outcome, "unmatched"), 0, "{flags}");
    }
}

#[test]
fn streams_that_waited_for_a_place_on_a_connection_begin_anew_on_the_next() {
    // One stream at a time; the connection is sent away with others in the queue.
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 1)], |peer, event| match event {
        Event::Head(stream) => peer.send(stream, &[grpc()]),
        Event::Body(stream, _) => peer.send(stream, &[data(&message(b"reply"))]),
        Event::Whole(stream) => {
            peer.send(stream, &[ok()]);
            if peer.requests == 5 {
                peer.say(&[go_away(stream, 0)]);
                peer.close();
            }
        }
        _ => {}
    });
    let outcome = run(&server, "SayHelloBidi", "-n 50 -c 5 -t 10s --stream-ping-pong");
    outcome.all_ok(50);
    assert_eq!((messages(&outcome), outcome.retried()), ((150, 150), 0));
}

#[test]
fn streams_go_on_where_they_are_when_their_connection_is_sent_away() {
    // The first connection is sent away with two streams open, which end well, a while later than all others.
    let server = Server::start(|peer, event| match event {
        Event::Whole(stream) if peer.number == 1 => {
            peer.send(stream, &[grpc(), data(&message(b"first"))]);
            peer.send_later(400 * MS, stream, &[data(&message(b"last")), ok()]);
            if peer.requests == 2 {
                peer.say(&[go_away(0x7fff_ffff, 0), ping(), go_away(peer.newest, 0)]);
            }
        }
        Event::Whole(stream) => peer.answer(stream),
        _ => {}
    });
    let outcome = run(&server, "SayHellos", "-n 50 -c 3");
    outcome.all_ok(50);
    assert_eq!(server.seen().connections, 2);
    assert!(outcome.retried() <= 1, "the third, if it was on its way");
    assert!(outcome.elapsed >= 400 * MS);
    let slow = outcome.latencies_ms().into_iter().filter(|latency| *latency >= 400.0).count();
    assert_eq!((slow, messages(&outcome).1), (2, 52));
}

#[test]
fn deadlines_hold_on_connections_that_were_sent_away() {
    let server = Server::start(|peer, event| match event {
        Event::Whole(_) if (peer.number, peer.requests) == (1, 2) => peer.say(&[go_away(peer.newest, 0)]),
        Event::Whole(stream) if peer.number > 1 => peer.send(stream, &fine()),
        _ => {}
    });
    let outcome = run(&server, "SayHellos", "-n 20 -c 2 -t 300ms");
    assert_eq!((outcome.counts.ok, outcome.with_status(Code::DeadlineExceeded)), (18, 2));
    assert_eq!(server.seen().resets, [8; 2]);
}

#[test]
fn streams_on_a_connection_that_breaks_fail_with_what_they_had() {
    let server = Server::start(|peer, event| match event {
        Event::Whole(_) if peer.requests == 4 => {
            for stream in peer.open.clone() {
                peer.send(stream, &[grpc(), data(&message(b"one")), data(&message(b"two"))]);
            }
            peer.close();
        }
        _ => {}
    });
    let outcome = run(&server, "SayHellos", "-n 12 -c 4");
    outcome.all_failed(12, Code::Unavailable, "connection lost");
    assert_eq!(messages(&outcome).1, 24);
}

#[test]
fn abandoned_streams_end_the_run_at_once() {
    // Those that are open, those that wait for a stream, and those that wait for a connection.
    let open = Server::answering([grpc()]);
    let queued = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 1)], |_, _| {});
    let sent_away = Server::raw(std::net::TcpListener::bind("127.0.0.1:0").unwrap(), |connection| {
        if connection.number == 1 {
            connection.follow(&super::frames::greeting(&[]), &|peer, event| {
                if let Event::Head(stream) = event {
                    peer.say(&[go_away(stream.saturating_sub(2), 0)]);
                    peer.close();
                }
            });
        } else {
            connection.stay_silent();
        }
    });
    for_each([open, queued, sent_away], |server| {
        let outcome = run(&server, "SayHellos", "-c 5 -z 300ms -t 0 --connect-timeout 20s");
        assert_eq!((outcome.counts.sent, outcome.counts.abandoned), (5, 5), "{:?}", outcome.failures());
        assert!(outcome.elapsed < 3000 * MS, "{:?}", outcome.elapsed);
    });
}
