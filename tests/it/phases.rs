//! Where the time of a call went, against servers that are slow in one place only.

use grpcbench::target::{Background, Options};
use serde_json::Value;

use super::harness::Run;
use super::numbers::{counts, whole};

/// The phases of a call, in their order.
const PHASES: [&str; 5] = ["stream", "request", "head", "message", "trailers"];

/// The mean of a phase, in milliseconds.
fn mean_ms(report: &Value, phase: &str) -> f64 {
    whole(&report["grpcbench"]["times"]["phases"][phase]["mean_ns"]) as f64 / 1e6
}

/// This phase takes most of the time of a call, `ms` at least, and all of them together take all of it.
#[track_caller]
fn assert_slow(report: &Value, slow: &str, ms: f64) {
    let times = &report["grpcbench"]["times"];
    let sum: u64 = PHASES.iter().map(|phase| whole(&times["phases"][phase]["sum_ns"])).sum();
    assert_eq!(sum, whole(&times["ok"]["service"]["sum_ns"]));
    for phase in PHASES {
        assert_eq!(times["phases"][phase]["count"], times["ok"]["service"]["count"], "{phase}");
        let mean = mean_ms(report, phase);
        assert!(if phase == slow { mean >= ms } else { mean < ms / 2.0 }, "{phase}: {mean} ms, and {slow} is slow");
    }
}

#[test]
fn a_server_that_thinks_is_slow_to_its_head() {
    let delay = Some("200ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "12", "-c", "4"]).report();
    assert_slow(&report, "head", 200.0);
    assert_eq!(whole(&report["grpcbench"]["http2"]["stream_waits"]["count"]), 0);
}

/// Its head comes at once, the first reply after a delay; with one reply only, nothing is left for the end.
#[test]
fn a_stream_that_begins_late_is_slow_to_its_first_message() {
    let delay = Some("200ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let call = ["--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHellos"];
    let one = Run::new().args(call).args([server.address(), "-n", "8", "-c", "4", "--stream-call-count", "1"]);
    assert_slow(&one.report(), "message", 200.0);
    let many = Run::new().args(call).args([server.address(), "-n", "4", "-c", "4"]).report();
    let [message, trailers] = ["message", "trailers"].map(|phase| mean_ms(&many, phase));
    assert!(message >= 200.0 && trailers >= 400.0, "{message} {trailers}: further replies come after the first");
}

#[test]
fn a_limit_of_streams_is_a_wait_for_a_stream() {
    let options =
        Options { delay: Some("10ms".parse().unwrap()), max_concurrent_streams: Some(10), ..Options::default() };
    let server = Background::start(options).unwrap();
    let run = || Run::say_hello(server.address()).args(["-c", "50", "-n", "1000"]);
    let report = run().report();
    assert_eq!(counts(&report).ok, 1_000);
    // Five rounds of ten: each call waits for four others, but for those of the first round.
    assert_slow(&report, "stream", 30.0);
    let http2 = &report["grpcbench"]["http2"];
    assert_eq!(http2["peers"][0]["max_concurrent_streams"], 10);
    assert_eq!(whole(&http2["streams_wanted_max"]), 50);
    assert!(whole(&http2["stream_waits"]["count"]) >= 900, "{http2}");

    let reasons = report["grpcbench"]["verdict"]["reasons"].as_array().unwrap();
    let found = reasons.iter().find(|reason| reason["kind"] == "stream_limit").expect("a reason");
    assert_eq!((&found["numbers"]["limit"], &found["numbers"]["connections"]), (&10.into(), &5.into()));
    assert!(found["advice"].as_str().unwrap().contains("--connections 5"), "{found}");
    let summary = run().go().stdout;
    assert!(summary.contains("use 5 connections") && summary.contains("stream slot"), "{summary}");

    // What it says is true.
    let report = run().args(["--connections", "5"]).report();
    assert_eq!(whole(&report["grpcbench"]["http2"]["stream_waits"]["count"]), 0);
}

/// Under a rate -c is only a limit: as many connections are advised as the calls need.
#[test]
fn under_a_rate_the_calls_say_how_many_connections_it_takes() {
    let options =
        Options { delay: Some("50ms".parse().unwrap()), max_concurrent_streams: Some(4), ..Options::default() };
    let server = Background::start(options).unwrap();
    // Two more calls each 20 ms than the server takes in 50: they pile up.
    let report = Run::say_hello(server.address()).args(["-r", "100", "-c", "5000", "-n", "100"]).report();
    let verdict = &report["grpcbench"]["verdict"];
    let reasons = verdict["reasons"].as_array().unwrap();
    let found = reasons.iter().find(|reason| reason["kind"] == "stream_limit").expect("a reason");
    let wanted = whole(&report["grpcbench"]["http2"]["streams_wanted_max"]);
    assert_eq!(whole(&found["numbers"]["connections"]), wanted.div_ceil(4), "{verdict}");
    assert!(wanted < 100, "{wanted}");
}

#[test]
fn each_connection_has_its_calls() {
    let server = Background::start(Options::default()).unwrap();
    let run = || Run::say_hello(server.address()).args(["-n", "400", "-c", "8", "--connections", "4", "--cpus", "2"]);
    let report = run().report();
    let connected = report["grpcbench"]["connections"]["connected"].as_array().unwrap();
    assert_eq!(connected.len(), 4);
    assert_eq!(connected.iter().map(|row| whole(&row["calls"])).sum::<u64>(), 400);
    assert_eq!(connected.iter().map(|row| whole(&row["worker"])).collect::<Vec<_>>(), [0, 0, 1, 1]);
    for row in connected {
        assert_eq!((&row["address"], &row["failed"]), (&server.address().into(), &0.into()));
        let [p50, p99] = ["p50_ns", "p99_ns"].map(|time| whole(&row[time]));
        assert!(0 < p50 && p50 <= p99 && p99 <= whole(&report["slowest"]), "{row}");
    }
    let steps = &report["grpcbench"]["times"]["connect_steps"];
    let taken = ["dns", "tcp", "tls", "http2"].map(|step| whole(&steps[step]["count"]));
    assert_eq!(taken, [0, 4, 0, 4], "an address in numbers, and plaintext");
    let summary = run().go().stdout;
    assert!(summary.contains("connection       calls    failed"), "{summary}");
}
