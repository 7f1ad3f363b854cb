//! What is expected of runs: read from flags, held against reports, and told to whom it concerns.

use std::path::Path;

use super::claims::Claims;
use super::diagnose;
use super::output::Destination;
use super::values::invalid;
use crate::error::{GateError, OutputError, Problems};
use crate::export::write_junit;
use crate::report::Report;
use crate::report::expectation::{Expectation, ExpectationError};
use crate::report::metric::{Metric, UnknownMetric};
use crate::schema::near;

/// What decides whether runs are good enough, and where that is written.
#[derive(Debug)]
pub(super) struct Gate {
    /// What is expected of each run.
    pub(super) expectations: Vec<Expectation>,
    junit: Option<Destination>,
    strict: bool,
}

impl Gate {
    /// From what `--expect` and `--junit` say; the file is opened at once. `strict`: whether the verdict decides too.
    pub(super) fn new(
        expectations: &[String],
        junit: Option<&Path>,
        strict: bool,
        claims: &mut Claims,
    ) -> Result<Gate, Problems> {
        let mut problems = Problems::new();
        let expectations =
            expectations.iter().filter_map(|text| problems.keep(expectation(text))).collect::<Vec<Expectation>>();
        let junit = junit.and_then(|path| problems.keep(Destination::open("--junit", path, claims)));
        problems.into_result()?;
        Ok(Gate { expectations, junit, strict })
    }

    /// Errors if something is expected that a run like this cannot give.
    pub(super) fn check(&self, open: bool, streaming: bool) -> Result<(), Problems> {
        let mut problems = Problems::new();
        for expectation in &self.expectations {
            if let Some(because) = expectation.never(open, streaming) {
                problems.push(GateError::CannotHold { text: expectation.to_string(), because: because.to_string() });
            }
        }
        problems.into_result()
    }

    /// Says which expectations did not hold, and writes all outcomes of `runs`, each with its name. Whether all held.
    pub(super) fn close(self, runs: &[(&str, &Report)]) -> (bool, Result<(), OutputError>) {
        let mut held = true;
        for (name, report) in runs {
            let of = if runs.len() > 1 { format!("{name}: ") } else { String::new() };
            for outcome in report.unmet() {
                held = false;
                diagnose::failure(&format!("{of}expected {}, found {}", outcome.expectation, outcome.found()));
            }
        }
        let write = |mut junit: Destination| junit.replace(|out| write_junit(runs, self.strict, out));
        (held, self.junit.map_or(Ok(()), write))
    }
}

fn expectation(text: &str) -> Result<Expectation, Problems> {
    text.parse().map_err(|error| match error {
        ExpectationError::Rule(rule) => invalid("--expect", text, rule).into(),
        ExpectationError::NoSuchMetric(name) => no_such_metric("--expect", text, name).into(),
    })
}

/// The metric `name`, which is the value of the flag `what`.
pub(super) fn metric(what: &'static str, name: &str) -> Result<Metric, GateError> {
    name.parse().map_err(|UnknownMetric| no_such_metric(what, name, name.to_owned()))
}

fn no_such_metric(what: &'static str, text: &str, name: String) -> GateError {
    let known = Metric::known();
    let near = near(&name, known.iter().map(String::as_str));
    GateError::NoSuchMetric { what, text: text.to_owned(), name, near }
}
