//! Mistakes in what is expected of runs.

use expect_test::expect;
use grpcbench::error::GateError;

use super::{check, with};

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &GateError) -> fn() {
    match error {
        GateError::NoSuchMetric { .. } => metrics_that_there_are_not,
        GateError::CannotHold { .. } => what_cannot_come_true,
        GateError::TooFewRuns { .. } => metrics_that_there_are_not,
        GateError::NoSuchRun { .. } => metrics_that_there_are_not,
        GateError::UnlikePlans { .. } => metrics_that_there_are_not,
        GateError::GateStaysOpen { .. } => metrics_that_there_are_not,
    }
}

#[test]
fn metrics_that_there_are_not() {
    check(
        with(&["--expect", "P99 < 20ms", "--expect", "latency < 20ms", "--expect", "status.Unavialable == 0"]),
        expect![[""]],
    );
}

#[test]
fn expectations_that_say_nothing() {
    check(
        with(&["--expect", "p99", "--expect", "p99 < 20", "--expect", "failed < 20ms", "--expect", "rate > 5%"]),
        expect![[""]],
    );
}

#[test]
fn what_cannot_come_true() {
    check(
        with(&["--expect", "lag.p99 < 1ms", "--expect", "first_message.p99 < 1ms", "--expect", "rate >= offered"]),
        expect![[""]],
    );
}
