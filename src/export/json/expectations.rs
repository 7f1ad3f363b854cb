//! What was expected of the run, and what came of it, in JSON.

use serde::Serialize;

use crate::report::Report;
use crate::report::expectation::Outcome;
use crate::report::metric::Value;

#[derive(Serialize)]
pub(super) struct Expected {
    text: String,
    metric: String,
    held: bool,
    #[serde(flatten)]
    found: Found,
}

/// A value and its unit, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Whole { value: u64, unit: &'static str },
    Rate { value: f64, unit: &'static str },
    Nothing { reason: String },
}

impl Expected {
    /// One for each expectation.
    pub(super) fn all(report: &Report) -> Vec<Expected> {
        report.expectations.iter().map(Expected::new).collect()
    }

    fn new(outcome: &Outcome) -> Expected {
        let found = match outcome.value {
            Ok(Value::Nanos(value)) => Found::Whole { value, unit: "ns" },
            Ok(Value::Calls { count, .. }) => Found::Whole { value: count, unit: "calls" },
            Ok(Value::PerSecond { rate, .. }) => Found::Rate { value: rate, unit: "per_second" },
            Err(reason) => Found::Nothing { reason: reason.to_string() },
        };
        let expectation = outcome.expectation;
        Expected { text: expectation.to_string(), metric: expectation.metric.to_string(), held: outcome.held, found }
    }
}
