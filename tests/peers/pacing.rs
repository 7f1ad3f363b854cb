//! When calls arrive at a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::frames::fine;
use super::numbers::{total_s, whole};
use super::run::run;
use super::server::{Event, Server};

const MS: Duration = Duration::from_millis(1);

#[test]
fn c35_calls_arrive_one_by_one_and_waiting_is_no_latency() {
    for flags in ["-c 5", "-c 50"] {
        let arrived = Arc::<Mutex<Vec<Instant>>>::default();
        let arriving = Arc::clone(&arrived);
        let server = Server::start(move |peer, event| {
            if let Event::Whole(stream) = event {
                arriving.lock().unwrap().push(Instant::now());
                peer.answer(stream);
            }
        });
        let outcome = run(server.address(), &format!("-r 10 -n 30 {flags}"));
        outcome.all_ok(30);
        assert!((2.8..4.5).contains(&total_s(&outcome.report)), "{}", total_s(&outcome.report));
        let arrived = arrived.lock().unwrap();
        let mut gaps: Vec<Duration> = arrived.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable();
        // A machine that is busy with other tests can hold back one or another; not the half of them.
        assert!((85 * MS..115 * MS).contains(&gaps[gaps.len() / 2]), "{gaps:?}");
        let mut latencies = outcome.latencies_ms();
        latencies.sort_unstable_by(f64::total_cmp);
        assert!(latencies[latencies.len() / 2] < 50.0, "{latencies:?}");
    }
}

#[test]
fn c35_a_rate_out_of_reach_is_told() {
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send_later(50 * MS, stream, &fine());
        }
    });
    let outcome = run(server.address(), "-r 100 -n 40 -c 1");
    outcome.all_ok(40);
    assert!(outcome.elapsed >= 40 * 50 * MS);
    assert!(outcome.report["rps"].as_f64().unwrap() <= 20.0);
    let warnings = outcome.report["grpcbench"]["verdict"]["reasons"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["kind"] == "in_flight_limit"), "{warnings:?}");
}

#[test]
fn c35_after_a_stall_no_more_are_in_flight_than_may_be() {
    // The whole server stands still for half a second in the middle.
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            if peer.requests == 100 {
                std::thread::sleep(500 * MS);
            }
            peer.answer(stream);
        }
    });
    let outcome = run(server.address(), "-r 200 -n 400 -c 20");
    outcome.all_ok(400);
    assert!(server.seen().open_max <= 20, "{}", server.seen().open_max);
    assert!(total_s(&outcome.report) < 6.0, "it catches up: {}", total_s(&outcome.report));
    assert_eq!(whole(&outcome.report["grpcbench"]["counts"]["unsent"]), 0);
}
