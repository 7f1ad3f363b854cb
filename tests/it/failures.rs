//! Runs in which no call succeeds, or none is done at all.

use grpcbench::export::Format;
use grpcbench::target::{Background, Options};
use serde_json::Value;

use super::harness::Run;
use super::numbers::{counts, whole};

/// A report in every format that has no number which is none.
#[track_caller]
fn in_every_format(run: impl Fn() -> Run, status: i32) {
    for format in Format::ALL {
        let done = run().args(["-O", format.name()]).status(status).go();
        assert!(!done.stdout.trim().is_empty(), "{format}");
        let mut words = done.stdout.split(|c: char| !c.is_alphanumeric());
        let odd = words.find(|word| ["nan", "inf", "infinity"].contains(&&*word.to_lowercase()));
        assert_eq!(odd, None, "{format}: {}", done.stdout);
    }
}

/// Keys that readers of ghz's reports rely on are there, and are lists where they are lists.
#[track_caller]
fn whole_document(report: &Value) {
    for key in ["histogram", "latencyDistribution", "details"] {
        assert!(report[key].is_array(), "{key}: {}", report[key]);
    }
    for key in ["fastest", "slowest", "average", "count", "total", "rps"] {
        assert!(report[key].is_number(), "{key}: {}", report[key]);
    }
}

#[test]
fn c37_no_successful_call() {
    let errors = vec!["UNAVAILABLE:100%".parse().unwrap()];
    let server = Background::start(Options { errors, ..Options::default() }).unwrap();
    let run = || Run::say_hello(server.address()).args(["-n", "10", "-c", "2"]);
    in_every_format(run, 1);
    let report = run().args(["-O", "json"]).status(1).go().json();
    whole_document(&report);
    assert_eq!(report["statusCodeDistribution"], serde_json::json!({"Unavailable": 10}));
    assert_eq!((whole(&report["count"]), whole(&report["fastest"]), whole(&report["slowest"])), (10, 0, 0));
    assert_eq!(counts(&report).failed, 10);
}

#[test]
fn c37_no_call_was_done() {
    let stall = Some("1h@0s".parse().unwrap());
    let server = Background::start(Options { stall, ..Options::default() }).unwrap();
    let run = || Run::say_hello(server.address()).args(["-z", "200ms", "-c", "2"]);
    in_every_format(run, 1);
    let report = run().args(["-O", "json"]).status(1).go().json();
    whole_document(&report);
    assert_eq!((whole(&report["count"]), report["rps"].as_f64()), (0, Some(0.0)));
    assert_eq!(counts(&report).abandoned, 2);
}
