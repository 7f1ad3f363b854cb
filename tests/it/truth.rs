//! Servers with known faults: does the report tell what happened?

use std::thread;
use std::time::Duration;

use grpcbench::target::{Background, Options};
use rustix::process::Signal;

use super::harness::{Run, Served};
use super::numbers::{counts, percentile_ms, times, whole};

#[test]
fn no_call_is_faster_than_the_server() {
    let delay = Some("20ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    for flags in [["-c", "4"], ["-r", "100"]] {
        let report = Run::say_hello(server.address()).args(["-n", "40"]).args(flags).report();
        assert!(whole(&report["fastest"]) >= 20_000_000, "{}", report["fastest"]);
        assert!(percentile_ms(&report, "service", "50") >= 20.0);
        assert!(percentile_ms(&report, "service", "50") < 1_000.0);
    }
}

#[test]
fn shares_of_a_delay_are_found_again() {
    let delay = Some("1ms:80%,60ms:20%".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "1000", "-c", "20"]).report();
    assert!(percentile_ms(&report, "service", "50") < 50.0);
    assert!(percentile_ms(&report, "service", "90") >= 60.0);
}

#[test]
fn a_stall_under_a_rate_shows_in_response_times_only() {
    let server = Background::start(Options { stall: Some("1s@2s".parse().unwrap()), ..Options::default() }).unwrap();
    let report = Run::say_hello(server.address()).args(["-r", "100", "-c", "1", "-z", "5s"]).report();
    let counts = counts(&report);
    assert_eq!(counts.arrivals, 500);
    let [response, service, lag] = ["response", "service", "lag"].map(|which| percentile_ms(&report, which, "99"));
    // One call in 500 meets the stall; the hundred that are due meanwhile wait behind it, each 10 ms less than the one
    // before.
    assert!((800.0..1_300.0).contains(&response), "response p99 {response} ms");
    assert!(service < 300.0, "service p99 {service} ms");
    assert!(lag > 700.0, "lag p99 {lag} ms");
    // The headline, and with it ghz's keys, is response time.
    let p99 = report["latencyDistribution"].as_array().unwrap().iter().find(|row| row["percentage"] == 99).unwrap();
    let p99 = whole(&p99["latency"]) as f64 / 1e6;
    assert!((p99 - response).abs() <= response / 500.0, "{p99} and {response}");
}

#[test]
fn a_closed_loop_has_service_times_only() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "50", "-c", "5"]).report();
    assert!(times(&report, "service").is_some());
    assert!(times(&report, "response").is_none() && times(&report, "lag").is_none());
}

#[test]
fn a_server_that_dies_is_accounted_for() {
    for flags in [["-r", "200", "-c", "20"], ["-c", "5", "-t", "500ms"]] {
        let server = Served::start(&["--delay", "2ms"]);
        let run = Run::say_hello(server.address()).args(flags).args(["-z", "2s", "-O", "json"]).start();
        thread::sleep(Duration::from_secs(1));
        server.signal(Signal::KILL);
        let done = run.wait();
        assert_eq!(done.code(), Some(0), "{}", done.stderr);
        let report = done.json();
        // The identities are checked in there.
        let counts = counts(&report);
        assert!(counts.ok > 0, "{counts:?}");
        assert!(counts.failed + counts.unsent + counts.abandoned > 0, "{counts:?}");
        assert_eq!(report["endReason"], "timeout");
        if flags.contains(&"-r") {
            assert_eq!(counts.arrivals, 400, "what was planned");
        }
        assert!(whole(&report["grpcbench"]["connections"]["lost"]) >= 1);
    }
}

#[test]
fn connections_that_are_sent_away_lose_no_call() {
    let max_connection_age = Some(Duration::from_millis(300));
    let server = Background::start(Options { max_connection_age, ..Options::default() }).unwrap();
    let report = Run::say_hello(server.address()).args(["-r", "200", "-z", "2s"]).report();
    let counts = counts(&report);
    assert_eq!((counts.arrivals, counts.ok), (400, 400), "{counts:?} {}", report["errorDistribution"]);
    assert!(server.counts().connections() > 2, "{}", server.counts().connections());
}
