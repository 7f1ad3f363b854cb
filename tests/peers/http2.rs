//! What is seen of HTTP/2, and in which phase of a call it shows.

use std::time::Duration;

use serde_json::Value;

use super::frames::{
    INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, data, data_in_pieces, fine, go_away, grpc, message, ping, rst,
    settings, trailers, window_update,
};
use super::numbers::whole;
use super::run::{Outcome, for_each, run};
use super::server::{Event, Server};

const WAIT: Duration = Duration::from_millis(200);

/// The mean of each phase, in milliseconds.
fn phases_ms(outcome: &Outcome) -> [f64; 5] {
    let phases = &outcome.report["grpcbench"]["times"]["phases"];
    ["stream", "request", "head", "message", "trailers"].map(|phase| whole(&phases[phase]["mean_ns"]) as f64 / 1e6)
}

fn http2(outcome: &Outcome) -> &Value {
    &outcome.report["grpcbench"]["http2"]
}

/// Each part of the answer, and the window for the request, once alone as late as this.
#[test]
fn a_delay_shows_in_its_own_phase() {
    for_each(1..=4, |late: usize| {
        // A window of nothing holds the request back until the server has seen its head.
        let window = if late == 1 { 0 } else { 65_535 };
        let server = Server::greeting(&[(INITIAL_WINDOW_SIZE, window)], move |peer, event| match event {
            Event::Head(stream) if late == 1 => peer.send_later(WAIT, stream, &[window_update(100)]),
            Event::Whole(stream) => {
                let parts = [grpc(), data(&message(b"")), trailers(&[("grpc-status", "0")])];
                let (now, later) = parts.split_at(if late > 1 { late - 2 } else { 3 });
                peer.send(stream, now);
                peer.send_later(WAIT, stream, later);
            }
            _ => {}
        });
        let outcome = run(server.address(), "-n 8 -c 4");
        outcome.all_ok(8);
        let phases = phases_ms(&outcome);
        for (phase, mean) in phases.into_iter().enumerate() {
            // The server may count from before the write that brought it the request had returned.
            let right = if phase == late { mean >= 190.0 } else { mean < 100.0 };
            assert!(right, "{phase} in {phases:?}, and {late} is late");
        }
        let held = whole(&http2(&outcome)["stream_window_waits"]["count"]);
        assert_eq!(held, if late == 1 { 8 } else { 0 });
        assert_eq!(whole(&http2(&outcome)["connection_window_waits"]["count"]), 0);
    });
}

#[test]
fn a_shut_window_of_the_connection_is_told_from_that_of_a_stream() {
    // Streams may have plenty, and all together the 65,535 bytes that connections begin with.
    let greeting = vec![settings(&[(INITIAL_WINDOW_SIZE, 1 << 20)])];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::on(listener, greeting, |peer, event| match event {
        Event::Head(_) => peer.send_later(WAIT, 0, &[window_update(200_000)]),
        Event::Whole(stream) => peer.answer(stream),
        _ => {}
    });
    let name = "x".repeat(100_000);
    let outcome =
        super::run::go(
            super::harness::Run::say_hello(server.address())
                .file("data.json", format!(r#"{{"name":"{name}"}}"#))
                .args(["-D", "data.json", "-n", "1", "-c", "1"]),
        );
    outcome.all_ok(1);
    let waits = ["stream_window_waits", "connection_window_waits"].map(|waits| whole(&http2(&outcome)[waits]["count"]));
    assert_eq!(waits, [0, 1]);
    assert!(phases_ms(&outcome)[1] >= 200.0, "{:?}", phases_ms(&outcome));
}

#[test]
fn resets_and_goaways_are_counted_by_code() {
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            match (peer.number, peer.requests) {
                (1, 1) => peer.send(stream, &[rst(8)]),
                (1, 2) => peer.send(stream, &[rst(0x77)]),
                (1, 3) => {
                    peer.answer(stream);
                    peer.say(&[go_away(stream, 0)]);
                }
                _ => peer.answer(stream),
            }
        }
    });
    let outcome = run(server.address(), "-n 8 -c 1");
    assert_eq!((outcome.counts.ok, outcome.counts.failed), (6, 2));
    let http2 = http2(&outcome);
    assert_eq!(http2["resets_received"], serde_json::json!({"CANCEL": 1, "others": 1}));
    assert_eq!(http2["goaways_received"], serde_json::json!({"NO_ERROR": 1}));
    // Settings of both connections, which are alike.
    assert_eq!((&http2["peers"][0]["connections"], &http2["peers"][1]), (&2.into(), &Value::Null));
}

#[test]
fn settings_pings_and_bytes_are_seen() {
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 7), (INITIAL_WINDOW_SIZE, 70_000)], |peer, event| {
        if let Event::Whole(stream) = event {
            peer.say(&[ping()]);
            peer.send(stream, &fine());
        }
    });
    let outcome = run(server.address(), "-n 10 -c 1");
    outcome.all_ok(10);
    let http2 = http2(&outcome);
    let peer = &http2["peers"][0];
    assert_eq!((&peer["max_concurrent_streams"], &peer["initial_window_size"]), (&7.into(), &70_000.into()));
    let frames = &http2["frames"];
    // The last ping may come behind the last answer.
    assert!((9..=10).contains(&whole(&frames["pings_received"])), "{frames}");
    // Ten empty messages each way, of five bytes each.
    assert_eq!((&frames["data_bytes_sent"], &frames["data_bytes_received"]), (&50.into(), &50.into()));
    assert!(whole(&frames["header_bytes_sent"]) > 0 && whole(&frames["header_bytes_received"]) > 0);
}

/// A server that sends a megabyte for each call makes us open a narrow window again and again, and a wide one never.
#[test]
fn windows_are_as_wide_as_asked() {
    let answer = {
        let mut frames = vec![grpc()];
        frames.extend(data_in_pieces(&message(&vec![7; 60_000]), 16_384));
        frames.push(trailers(&[("grpc-status", "0")]));
        frames
    };
    for (flag, stream, connection, opens) in [
        ("wide", 1u64 << 30, (1u64 << 31) - 1, false),
        ("default", 65_535, 65_535, true),
        ("70kB", 70_000, 70_000, true),
        ("61000", 61_000, 65_535, true),
    ] {
        let outcome = run(Server::answering(answer.clone()).address(), &format!("-n 10 -c 1 --http2-windows {flag}"));
        outcome.all_ok(10);
        let http2 = http2(&outcome);
        let windows = &http2["windows"];
        assert_eq!(
            (whole(&windows["stream_bytes"]), whole(&windows["connection_bytes"])),
            (stream, connection),
            "{flag}"
        );
        assert_eq!(whole(&http2["frames"]["window_updates_sent"]) > 0, opens, "{flag}: {http2}");
    }
}
