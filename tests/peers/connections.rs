//! Connections that are sent away, lost, or never become any.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tonic::Code;

use super::frames::{data, fine, go_away, greeting, grpc, message, ping, rst, trailers_only};
use super::harness::Run;
use super::run::{for_each, go, run};
use super::server::{Connection, Event, Once, Peer, Server};

const MS: Duration = Duration::from_millis(1);
/// The last stream that a server names when it has not decided yet.
const ANY: u32 = 0x7fff_ffff;

#[test]
fn c30_go_away_as_polite_servers_do() {
    let server = Server::start(|peer, event| match event {
        Event::Head(_) if peer.requests == 100 => peer.say(&[go_away(ANY, 0), ping()]),
        // What the client sent before it knew has come by now.
        Event::Pong => {
            peer.answer_open();
            peer.say(&[go_away(peer.newest, 0)]);
            peer.close();
        }
        Event::Whole(stream) if peer.requests < 100 => peer.answer(stream),
        _ => {}
    });
    let outcome = run(server.address(), "-n 2000 -c 20 --connections 2");
    outcome.all_ok(2000);
    let seen = server.seen();
    assert_eq!((outcome.retried(), seen.requests), (0, 2000), "each was sent once");
    assert!((16..=22).contains(&seen.connections), "{}", seen.connections);
    // One may be under way when the last call ends.
    let reconnected = outcome.connections("reconnected");
    assert!((seen.connections as u64 - 4..=seen.connections as u64 - 2).contains(&reconnected), "{reconnected}");
}

#[test]
fn c30_go_away_that_leaves_streams_out() {
    let left_out = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&left_out);
    let server = Server::start(move |peer, event| match event {
        Event::Head(stream) if peer.requests == 100 => {
            // This one and the one before are too late.
            let (late, open): (Vec<u32>, Vec<u32>) = peer.open.iter().partition(|open| **open >= stream - 2);
            count.fetch_add(late.len(), Ordering::SeqCst);
            peer.say(&[go_away(ANY, 0), ping(), go_away(stream - 4, 0)]);
            for stream in open {
                peer.answer(stream);
            }
        }
        // Those that were on their way when it was said are too late as well.
        Event::Head(_) if peer.requests > 100 => {
            count.fetch_add(1, Ordering::SeqCst);
        }
        Event::Pong => peer.close(),
        // The polite half: others are answered as they come.
        Event::Whole(stream) if peer.requests < 100 => peer.answer(stream),
        _ => {}
    });
    let outcome = run(server.address(), "-n 2000 -c 20 --connections 2");
    outcome.all_ok(2000);
    let left_out = left_out.load(Ordering::SeqCst) as u64;
    assert!(left_out > 0);
    assert_eq!(outcome.retried(), left_out, "sent once more, and only those");
    assert_eq!(server.seen().requests as u64, 2000 + left_out);
}

#[test]
fn c30_go_away_without_warning() {
    let server = Server::start(|peer, event| match event {
        Event::Head(_) if peer.requests == 100 => {
            peer.say(&[go_away(0, 0)]);
            peer.close();
        }
        Event::Whole(stream) if peer.requests < 100 => peer.answer(stream),
        _ => {}
    });
    let outcome = run(server.address(), "-n 2000 -c 20 --connections 2");
    outcome.all_ok(2000);
    let sent_again = server.seen().requests as u64 - 2000;
    assert_eq!(outcome.retried(), sent_again);
    assert!(sent_again >= outcome.connections("lost"), "at least the one that it happened at");
}

#[test]
fn c30_go_away_with_an_error_on_what_was_processed() {
    // ENHANCE_YOUR_CALM, as servers say that have had enough: calls up to `last` are lost, and not sent again.
    let server = Server::start(|peer, event| match event {
        Event::Whole(_) if peer.requests == 50 => {
            peer.say(&[go_away(peer.newest, 11)]);
            peer.close();
        }
        Event::Whole(stream) if peer.requests % 2 == 0 && peer.requests < 50 => peer.answer(stream),
        Event::Whole(stream) if peer.requests < 50 => peer.send_later(MS, stream, &fine()),
        _ => {}
    });
    let outcome = run(server.address(), "-n 500 -c 5");
    let (counts, unavailable) = (outcome.counts, outcome.with_status(Code::Unavailable));
    assert_eq!((counts.done, counts.failed), (500, unavailable), "{:?}", outcome.failures());
    assert!(unavailable > 0);
    let failures = outcome.failures();
    assert!(failures.iter().any(|(_, said, _)| said.contains("connection lost")), "{failures:?}");
}

#[test]
fn connections_that_break_in_the_middle_fail_what_was_on_them() {
    for cut in [false, true] {
        let server = Server::start(move |peer, event| match event {
            Event::Head(_) if peer.requests == 40 && cut => peer.cut(),
            Event::Head(_) if peer.requests == 40 => peer.close(),
            Event::Whole(stream) if peer.requests < 40 => peer.answer(stream),
            _ => {}
        });
        let outcome = run(server.address(), "-n 400 -c 4");
        let (counts, unavailable) = (outcome.counts, outcome.with_status(Code::Unavailable));
        assert_eq!((counts.done, counts.failed), (400, unavailable), "{:?}", outcome.failures());
        let (seen, lost) = (server.seen(), outcome.connections("lost"));
        assert!(lost >= 9, "{lost}");
        assert!(unavailable >= lost && unavailable <= 4 * lost, "{unavailable} on {lost} connections");
        assert!(seen.requests as u64 >= counts.ok && seen.connections as u64 <= lost + 1);
        assert_eq!(outcome.retried(), 0, "nobody said that they were not processed");
        for (_, said, _) in outcome.failures() {
            assert!(said.starts_with("connection lost: the server "), "{said}");
        }
    }
}

#[test]
fn a_fault_of_the_server_is_said_to_both_sides() {
    // Data on a stream that was never opened.
    let server = Server::start(|peer, event| match event {
        Event::Whole(_) if peer.requests == 10 => peer.send(99_999, &[data(b"x")]),
        Event::Whole(stream) => peer.answer(stream),
        _ => {}
    });
    let outcome = run(server.address(), "-n 50 -c 1");
    assert_eq!(outcome.with_status(Code::Unavailable) + outcome.counts.ok, 50);
    let failures = outcome.failures();
    assert!(failures.iter().all(|(_, said, _)| said.contains("never opened (PROTOCOL_ERROR)")), "{failures:?}");
    let seen = server.seen();
    assert!(seen.go_aways.len() >= 4 && seen.go_aways.iter().all(|code| *code == 1), "{:?}", seen.go_aways);
}

#[test]
fn a_server_that_is_gone_fails_a_bounded_number_of_calls() {
    // It answers a thousand calls, and by then its port is shut.
    let server = Server::on(Once(Mutex::new(Some(anywhere()))), greeting(&[]), |peer, event| match event {
        Event::Whole(stream) if peer.requests < 1000 => peer.answer(stream),
        Event::Whole(_) => peer.cut(),
        _ => {}
    });
    let outcome = run(server.address(), "-c 50 -z 1s");
    let (counts, unavailable) = (outcome.counts, outcome.with_status(Code::Unavailable));
    assert_eq!(counts.failed, unavailable, "{:?}", outcome.failures());
    assert_eq!(server.seen().connections, 1);
    assert!(counts.ok >= 900, "{counts:?}");
    // An attempt costs each caller one failure, and attempts become rare.
    assert!((50..=50 * 10).contains(&unavailable), "{unavailable}");
    assert!(counts.abandoned <= 50);
    assert!(outcome.failures().iter().any(|(_, said, _)| said.contains("connection refused")));
}

#[test]
fn a_server_that_takes_connections_only_to_drop_them_is_left_in_peace() {
    // After its greeting: there is no better sign of life, and still no use.
    let at_once = Server::start(|peer, event| {
        if event == Event::Connected && peer.number > 1 {
            peer.close();
        } else if peer.number == 1 {
            answer_ten(peer, event);
        }
    });
    let at_the_first_call = Server::start(|peer, event| match event {
        Event::Head(_) if peer.number > 1 => peer.cut(),
        _ if peer.number == 1 => answer_ten(peer, event),
        _ => {}
    });
    let before_the_greeting = Server::raw(anywhere(), |connection| {
        if connection.number == 1 {
            connection.follow(&greeting(&[]), &answer_ten);
        }
    });
    for_each([at_once, at_the_first_call, before_the_greeting], |server| {
        let outcome = run(server.address(), "-c 20 -z 1s");
        let (seen, counts) = (server.seen(), outcome.counts);
        assert_eq!(counts.failed, outcome.with_status(Code::Unavailable), "{:?}", outcome.failures());
        assert!(counts.ok == 10 && counts.failed > 0, "{counts:?}");
        assert!((4..=10).contains(&seen.connections), "{} in a second", seen.connections);
        assert!(counts.failed <= 20 * seen.connections as u64, "{counts:?} and {}", seen.connections);
    });
}

/// Ten answers, then the end.
fn answer_ten(peer: &mut Peer, event: Event) {
    match event {
        Event::Whole(stream) if peer.requests <= 10 => peer.answer(stream),
        _ => {}
    }
    if peer.requests >= 10 && peer.open.iter().all(|stream| *stream > 19) {
        peer.close();
    }
}

fn anywhere() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

#[test]
fn a_server_that_refuses_every_stream_forever_is_left_in_peace() {
    // A GOAWAY before anything was processed, again and again.
    let server = Server::start(|peer, event| {
        if let Event::Head(_) = event {
            peer.say(&[go_away(0, 0)]);
            peer.close();
        }
    });
    let outcome = run(server.address(), "-c 10 -z 1s");
    let (seen, counts) = (server.seen(), outcome.counts);
    assert_eq!(counts.failed, outcome.with_status(Code::Unavailable), "{:?}", outcome.failures());
    assert!(counts.ok == 0 && counts.failed > 0);
    assert!((4..=10).contains(&seen.connections), "{} in a second", seen.connections);
}

#[test]
fn a_connection_for_every_call_is_a_way_to_serve() {
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.answer(stream);
            peer.say(&[go_away(stream, 0)]);
            peer.close();
        }
    });
    let outcome = run(server.address(), "-n 100 -c 1");
    outcome.all_ok(100);
    assert!((100..=101).contains(&server.seen().connections), "and without a pause: {}", server.seen().connections);
}

#[test]
fn a_connection_that_is_sent_away_before_its_first_answer_is_followed_at_once() {
    // As nginx does on a busy machine: enough calls have come before the first of them is answered.
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send_later(5 * MS, stream, &fine());
            if peer.requests == 10 {
                peer.say(&[go_away(stream, 0)]);
            }
        }
    });
    let outcome = run(server.address(), "-n 300 -c 10");
    outcome.all_ok(300);
    assert!((29..=30).contains(&outcome.connections("lost")));
    // With the pauses that servers get who are of no use it takes thirteen seconds.
    assert!(outcome.elapsed < Duration::from_secs(6), "{:?}", outcome.elapsed);
}

#[test]
fn servers_that_never_answer_a_connect_are_not_waited_for() {
    let silent = Server::raw(anywhere(), Connection::stay_silent);
    for flags in [&["--insecure"][..], &["--tls"], &[]] {
        let done = Run::new()
            .args([
                "--proto",
                "helloworld.proto",
                "--call",
                "helloworld.Greeter.SayHello",
                "--connect-timeout",
                "300ms",
            ])
            .args(flags.iter().copied())
            .args([silent.address()])
            .status(3)
            .go();
        assert!(done.stderr.contains("within 300ms") && done.stdout.is_empty(), "{}", done.stderr);
        assert!(done.elapsed < 5000 * MS, "{:?}", done.elapsed);
    }
}

#[test]
fn servers_that_hang_up_at_once_are_told_of_at_the_start() {
    for (flags, connects) in [(&["--insecure"][..], 1), (&["--tls"], 1), (&[], 2)] {
        let server = Server::raw(anywhere(), |_| {});
        let done = Run::new()
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"])
            .args(flags.iter().copied())
            .args([server.address()])
            .status(3)
            .go();
        assert!(done.stderr.contains("closed the connection"), "{}", done.stderr);
        assert_eq!(server.seen().connections, connects, "{flags:?}");
    }
}

#[test]
fn servers_that_fall_silent_while_a_call_waits_for_a_connect() {
    // The second connection is accepted and never greeted; its callers have a deadline.
    let server = Server::raw(anywhere(), |connection| match connection.number {
        1 => connection.follow(&greeting(&[]), &answer_ten),
        _ => connection.stay_silent(),
    });
    let outcome = run(server.address(), "-n 20 -c 2 -t 300ms --connect-timeout 30s");
    assert_eq!((outcome.counts.ok, outcome.counts.done), (10, 20));
    let waited = outcome.with_status(Code::DeadlineExceeded);
    assert!(waited >= 8 && waited + outcome.with_status(Code::Unavailable) == 10, "{:?}", outcome.failures());
    assert!(outcome.failures().iter().any(|(_, said, _)| said.contains("no connection")));
}

#[test]
fn an_interrupted_answer_does_not_end_what_comes_after() {
    // RST of one call in the middle of its answer, among others that go on.
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            match stream % 6 {
                1 => peer.answer(stream),
                3 => peer.send(stream, &[grpc(), data(&message(b"abc")[..4]), rst(2)]),
                _ => peer.send(stream, &[trailers_only(&[("grpc-status", "7"), ("grpc-message", "no")])]),
            }
        }
    });
    let outcome = go(Run::say_hello(server.address()).args(["-n", "300", "-c", "10"]));
    assert_eq!(outcome.counts.ok, 100);
    assert_eq!((outcome.with_status(Code::Internal), outcome.with_status(Code::PermissionDenied)), (100, 100));
    assert_eq!(server.seen().connections, 1);
}
