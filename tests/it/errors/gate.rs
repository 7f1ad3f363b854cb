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
        GateError::TooFewRuns { .. } => crate::compare::one_run_is_no_comparison,
        GateError::NoSuchRun { .. } => crate::compare::names_that_no_run_has,
        GateError::UnlikePlans { .. } => crate::compare::unlike_plans_are_refused_with_all_that_differs,
        GateError::GateStaysOpen { .. } => crate::compare::a_gate_that_cannot_close_is_refused,
    }
}

#[test]
fn metrics_that_there_are_not() {
    check(
        with(&["--expect", "P99 < 20ms", "--expect", "latency < 20ms", "--expect", "status.Unavialable == 0"]),
        expect![[r"
            error: `P99 < 20ms` is no good value for --expect: there is no metric `P99`
            hint: did you mean `p99`, `p90` or `p95`?

            error: `latency < 20ms` is no good value for --expect: there is no metric `latency`
            hint: metrics are avg, min, max, p99, service.p99, lag.p99, first_message.p99, ok, failed, status.Unavailable, unsent, abandoned, throughput and rate

            error: `status.Unavialable == 0` is no good value for --expect: there is no metric `status.Unavialable`
            hint: did you mean `status.Unavailable`?
        "]],
    );
}

#[test]
fn expectations_that_say_nothing() {
    check(
        with(&["--expect", "p99", "--expect", "p99 < 20", "--expect", "failed < 20ms", "--expect", "rate > 5%"]),
        expect![[r"
            error: `p99` is no good value for --expect: an expectation is a metric, one of < <= > >= ==, and a bound, such as p99 < 20ms

            error: `p99 < 20` is no good value for --expect: a time is compared with a number and its unit, such as 20ms or 1.5s

            error: `failed < 20ms` is no good value for --expect: calls are compared with a whole number, or a share such as 1%

            error: `rate > 5%` is no good value for --expect: a rate is compared with calls a second, such as 100, or with the plan: offered, or 99% of offered
        "]],
    );
}

#[test]
fn what_cannot_come_true() {
    check(
        with(&["--expect", "lag.p99 < 1ms", "--expect", "first_message.p99 < 1ms", "--expect", "rate >= offered"]),
        expect![[r"
            error: --expect 'lag.p99 < 1ms' cannot hold: calls are planned under a rate only, and this load is a closed loop

            error: --expect 'first_message.p99 < 1ms' cannot hold: only streaming calls have it

            error: --expect 'rate >= 100% of offered' cannot hold: calls are planned under a rate only, and this load is a closed loop
        "]],
    );
}
