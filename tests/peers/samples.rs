//! Which calls the numbers of a report describe, and what statuses are called.

use std::time::Duration;

use serde_json::Value;

use super::frames::{fine, trailers_only};
use super::numbers::{status, whole};
use super::run::run;
use super::server::{Event, Server};

/// Nine calls are answered well after 10 ms, and the tenth badly after a second.
fn one_fails_late() -> Server {
    Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            if peer.requests < 10 {
                peer.send_later(Duration::from_millis(10), stream, &fine());
            } else {
                let failed = trailers_only(&[("grpc-status", "14"), ("grpc-message", "late")]);
                peer.send_later(Duration::from_secs(1), stream, &[failed]);
            }
        }
    })
}

#[test]
fn c39_all_numbers_describe_the_same_calls() {
    for (flags, calls) in [("", 9), ("--count-errors", 10)] {
        let server = one_fails_late();
        let report = run(server.address(), &format!("-n 10 -c 1 {flags}")).report;
        let [fastest, average, slowest] = ["fastest", "average", "slowest"].map(|key| whole(&report[key]));
        assert!(fastest <= average && average <= slowest, "{fastest} {average} {slowest}");
        assert!(fastest >= 10_000_000);
        let with_failure = calls == 10;
        assert_eq!(slowest >= 1_000_000_000, with_failure, "{slowest}");
        assert_eq!(average >= 109_000_000, with_failure, "{average}");
        let rows = |key: &str| report[key].as_array().unwrap().clone();
        assert_eq!(rows("histogram").iter().map(|row| whole(&row["count"])).sum::<u64>(), calls);
        let p99 =
            rows("latencyDistribution").iter().find(|row| row["percentage"] == 99).map(|row| whole(&row["latency"]));
        assert!(p99.is_none_or(|p99| p99 >= fastest && p99 <= slowest + slowest / 500), "{p99:?} {slowest}");
        // The rate and the count are of all.
        assert_eq!(whole(&report["count"]), 10);
        let rps = report["rps"].as_f64().unwrap();
        assert!((rps - 10.0 / (whole(&report["total"]) as f64 / 1e9)).abs() < 0.01, "{rps}");
    }
}

#[test]
fn c39_statuses_are_called_as_ghz_calls_them() {
    const NAMES: [(&str, &str); 5] =
        [("0", "OK"), ("1", "Canceled"), ("2", "Unknown"), ("4", "DeadlineExceeded"), ("14", "Unavailable")];
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            match NAMES[(peer.requests - 1) % 5].0 {
                "0" => peer.answer(stream),
                code => peer.send(stream, &[trailers_only(&[("grpc-status", code), ("grpc-message", "why")])]),
            }
        }
    });
    let report = run(server.address(), "-n 5 -c 1").report;
    for (_, name) in NAMES {
        assert_eq!(status(&report, name), 1, "{name}");
    }
    let Value::Object(errors) = &report["errorDistribution"] else { panic!("{report}") };
    for (_, name) in &NAMES[1..] {
        assert_eq!(errors[&format!("rpc error: code = {name} desc = why")], 1, "{errors:?}");
    }
    assert_eq!(errors.len(), 4);
}
