//! Runs that someone ends.

use std::thread::sleep;
use std::time::Duration;

use grpcbench::target::{Background, Options};
use rustix::process::Signal;

use super::harness::{Run, Running};
use super::numbers::{counts, total_s};

/// A run that would go on for a minute, some of whose calls have been answered.
fn under_way(server: &Background) -> Running {
    let run = Run::say_hello(server.address()).args(["-r", "100", "-z", "60s", "-O", "json"]).start();
    while server.counts().all_calls() < 20 {
        sleep(Duration::from_millis(5));
    }
    run
}

#[test]
fn an_interrupt_ends_the_run_and_the_report_is_printed() {
    for signal in [Signal::INT, Signal::TERM] {
        let server = Background::start(Options::default()).unwrap();
        let run = under_way(&server);
        run.signal(signal);
        let done = run.wait();
        assert_eq!(done.code(), Some(130), "{}", done.stderr);
        let report = done.json();
        assert_eq!(report["endReason"], "cancel");
        let counts = counts(&report);
        assert!(counts.ok >= 19, "{counts:?}");
        assert_eq!(counts.abandoned, 0, "those in flight were waited for");
        assert_eq!(counts.sent, server.counts().all_calls());
        assert!(total_s(&report) < 30.0);
        assert!(done.stderr.contains("interrupt again"), "{}", done.stderr);
    }
}

#[test]
fn a_second_interrupt_cuts_calls_off() {
    // Answered at once for half a second, and then not for an hour.
    let server = Background::start(Options { stall: Some("1h@500ms".parse().unwrap()), ..Options::default() }).unwrap();
    let run = Run::say_hello(server.address()).args(["-r", "50", "-z", "60s", "-t", "0", "-O", "json"]).start();
    while server.counts().all_calls() < 35 {
        sleep(Duration::from_millis(5));
    }
    run.signal(Signal::INT);
    sleep(Duration::from_millis(300));
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    let report = done.json();
    assert_eq!(report["endReason"], "cancel");
    let counts = counts(&report);
    assert!(counts.ok > 0 && counts.abandoned > 0, "{counts:?}");
    assert_eq!(counts.sent, server.counts().all_calls());
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}

#[test]
fn an_interrupt_while_it_connects_ends_the_run_too() {
    let run = Run::say_hello(&super::listener::silent()).args(["--connect-timeout", "50s", "-O", "json"]).start();
    sleep(Duration::from_millis(500));
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    let report = done.json();
    assert_eq!(report["endReason"], "cancel");
    assert_eq!(counts(&report).arrivals, 0);
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}

#[test]
fn an_interrupt_before_the_run_leaves_no_file_behind() {
    let host = super::listener::silent();
    let run = Run::new()
        .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", "--connect-timeout", "50s"])
        .args(["-o", "run.json", &host]);
    let file = run.path("run.json");
    let run = run.start();
    // It is there once the flags are settled; then the target is asked what it speaks.
    while !file.exists() {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(300));
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    assert_eq!(done.files.get("run.json"), None);
    assert!(done.stderr.contains("interrupted before the first call"), "{}", done.stderr);
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}
