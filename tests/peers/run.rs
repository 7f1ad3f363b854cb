//! Runs of the program against a peer, and what they came to.

use std::time::Duration;

use serde_json::Value;

use super::harness::Run;
use super::numbers::{Counts, counts, whole};

/// What a run that reported came to. Its identities have been checked.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    pub(crate) report: Value,
    pub(crate) elapsed: Duration,
    /// The most memory that the program used.
    pub(crate) peak_kib: u64,
}

/// A status by number, what was said, and how often.
type Failure = (Option<u64>, String, u64);

/// Runs `SayHello` in plaintext; with these flags, written as on a command line.
#[track_caller]
pub(crate) fn run(address: &str, flags: &str) -> Outcome {
    go(Run::say_hello(address).args(flags.split_whitespace()))
}

/// Runs to the end with a JSON report. The exit code must be that of a run that has one.
#[track_caller]
pub(crate) fn go(run: Run) -> Outcome {
    let done = run.args(["-O", "json"]).start().wait();
    let report = done.json();
    let counts = counts(&report);
    assert_eq!(done.code(), Some(i32::from(counts.ok == 0)), "{}", done.stderr);
    Outcome { counts, report, elapsed: done.elapsed, peak_kib: done.peak_kib }
}

/// Does the same for each, all at once: for tests that mostly wait.
pub(crate) fn for_each<T: Send>(all: impl IntoIterator<Item = T>, test: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        let test = &test;
        for one in all {
            scope.spawn(move || test(one));
        }
    });
}

impl Outcome {
    /// Every call ended OK, and there were so many.
    #[track_caller]
    pub(crate) fn all_ok(&self, calls: u64) {
        let counts = self.counts;
        assert_eq!((counts.ok, counts.failed, counts.abandoned), (calls, 0, 0), "{:?}", self.failures());
    }

    /// Every call ended with this status and said this, and there were so many.
    #[track_caller]
    pub(crate) fn all_failed(&self, calls: u64, status: tonic::Code, said: &str) {
        assert_eq!(self.counts.done, calls);
        let failures = self.failures();
        let [(code, text, count)] = &failures[..] else { panic!("{failures:?}") };
        assert_eq!((*code, *count), (Some(status as u64), calls), "{failures:?}");
        assert!(text.contains(said), "`{text}` does not say `{said}`");
    }

    /// What the failed calls said.
    pub(crate) fn failures(&self) -> Vec<Failure> {
        let errors = self.report["grpcbench"]["errors"].as_array().unwrap();
        let failure = |error: &Value| {
            (error["code"].as_u64(), error["said"].as_str().unwrap().to_owned(), whole(&error["count"]))
        };
        errors.iter().map(failure).collect()
    }

    /// How many calls ended with this status.
    pub(crate) fn with_status(&self, status: tonic::Code) -> u64 {
        let statuses = self.report["grpcbench"]["statuses"].as_array().unwrap();
        let row = statuses.iter().find(|row| row["code"] == status as u64);
        row.map_or(0, |row| whole(&row["count"]))
    }

    /// Calls that were sent once more.
    pub(crate) fn retried(&self) -> u64 {
        whole(&self.report["grpcbench"]["counts"]["retried"])
    }

    /// A count of connections: `lost`, `reconnected`.
    pub(crate) fn connections(&self, which: &str) -> u64 {
        whole(&self.report["grpcbench"]["connections"][which])
    }

    /// How long each listed call took, in milliseconds.
    pub(crate) fn latencies_ms(&self) -> Vec<f64> {
        let details = self.report["details"].as_array().unwrap();
        details.iter().map(|detail| whole(&detail["latency"]) as f64 / 1e6).collect()
    }
}
