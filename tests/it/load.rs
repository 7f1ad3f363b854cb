//! How much, how fast, and until when.

use std::time::Duration;

use grpcbench::target::{Background, Options};

use super::harness::Run;
use super::numbers::{counts, total_s, whole};

#[test]
fn a_rate_is_kept_from_the_first_call_on() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "21", "-r", "10"]).report();
    let counts = counts(&report);
    assert_eq!((counts.arrivals, counts.ok), (21, 21));
    // The first call is due at 0, the last at 2 s.
    assert!((2.0..2.5).contains(&total_s(&report)), "{}", total_s(&report));
    assert_eq!(report["grpcbench"]["offeredRate"].as_f64(), Some(10.0));

    // Calls are listed in the order of their end, which here is that of their start: 100 ms apart.
    let ends: Vec<&str> =
        report["details"].as_array().unwrap().iter().map(|call| call["timestamp"].as_str().unwrap()).collect();
    assert_eq!(ends.len(), 21);
    assert!(ends.is_sorted(), "{ends:?}");
}

#[test]
fn fractions_and_times_are_rates_too() {
    let server = Background::start(Options::default()).unwrap();
    for (rate, per_second) in [("2.5", 2.5), ("50/1s", 50.0), ("600/m", 10.0)] {
        let report = Run::say_hello(server.address()).args(["-n", "2", "-r", rate]).report();
        let offered = report["grpcbench"]["offeredRate"].as_f64().unwrap();
        assert!((offered - per_second).abs() < 1e-9, "{rate}: {offered}");
        assert!(total_s(&report) >= 1.0 / per_second, "{rate}: the second call is due one gap after the first");
    }
}

#[test]
fn a_rate_of_0_is_none() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "20", "-c", "2", "-r", "0"]).report();
    assert!(report["grpcbench"]["offeredRate"].is_null());
    assert_eq!(counts(&report).ok, 20);
}

#[test]
fn a_time_ends_a_closed_loop() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-c", "2", "-z", "500ms"]).report();
    assert_eq!(report["endReason"], "timeout");
    assert!((0.5..1.5).contains(&total_s(&report)), "{}", total_s(&report));
    assert!(counts(&report).ok > 200, "the default of -n does not hold");
}

#[test]
fn a_time_ends_an_open_loop_with_all_that_was_due() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-r", "50", "-z", "1s"]).report();
    assert_eq!(report["endReason"], "timeout");
    assert_eq!(counts(&report).arrivals, 50, "due at 0, 20, ..., 980 ms");
}

#[test]
fn a_count_beside_a_time_is_not_used_and_that_is_said() {
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address())
        .args(["-n", "5", "-c", "1", "-z", "200ms", "-O", "json"])
        .stderr(expect_test::expect![[r"
            note: -n is not used, because -z says how long to run; with -x in its place both hold
        "]])
        .go();
    assert!(counts(&done.json()).ok > 5);
}

#[test]
fn with_a_bound_whichever_comes_first() {
    let slow = Background::start(Options { delay: Some("50ms".parse().unwrap()), ..Options::default() }).unwrap();
    let quick = Background::start(Options::default()).unwrap();

    let report = Run::say_hello(quick.address()).args(["-n", "30", "-c", "3", "-x", "20s"]).report();
    assert_eq!((counts(&report).ok, &report["endReason"]), (30, &"normal".into()));

    let report = Run::say_hello(slow.address()).args(["-n", "1000", "-c", "1", "-x", "300ms"]).report();
    assert!(counts(&report).sent < 20, "{:?}", counts(&report));
    assert_eq!(report["endReason"], "timeout");

    let report = Run::say_hello(quick.address()).args(["-c", "1", "-z", "20s", "-x", "300ms"]).report();
    assert!(total_s(&report) < 2.0, "of two times the smaller one holds");
}

#[test]
fn calls_in_flight_at_the_end_are_cut_off_or_waited_for() {
    let server = || {
        let delay = Some("400ms".parse().unwrap());
        Background::start(Options { delay, ..Options::default() }).unwrap()
    };
    let (cut, waited) = (server(), server());
    let run = |server: &Background, how| {
        Run::say_hello(server.address()).args(["-c", "3", "-z", "600ms", "--duration-stop", how]).report()
    };
    let closed = counts(&run(&cut, "close"));
    assert_eq!((closed.ok, closed.failed, closed.abandoned), (3, 0, 3), "three answers, and three on their way");
    let drained = counts(&run(&waited, "WAIT"));
    assert_eq!((drained.ok, drained.failed, drained.abandoned), (6, 0, 0));
}

#[test]
fn an_in_flight_limit_holds_calls_back() {
    let delay = Some("100ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let done = Run::say_hello(server.address()).args(["-n", "20", "-r", "100", "-c", "1", "-O", "json"]).go();
    let report = done.json();
    assert_eq!(counts(&report).ok, 20);
    assert!(done.elapsed >= Duration::from_secs(2), "one at a time, 100 ms each");
    // The last call was due at 190 ms and left after 1.9 s.
    let slowest = whole(&report["slowest"]) as f64 / 1e9;
    assert!(slowest > 1.5, "{slowest}: the wait counts");
}
