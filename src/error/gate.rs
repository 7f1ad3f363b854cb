//! Mistakes in what is expected of runs, and in what runs are compared.

use super::schema::alternatives;

/// A mistake in what is expected of a run, or in a comparison.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// Something is expected of a metric that there is not.
    #[error("`{text}` is no good value for {what}: there is no metric `{name}`")]
    NoSuchMetric {
        /// The flag.
        what: &'static str,
        /// The expectation, as it was given.
        text: String,
        /// The metric.
        name: String,
        /// Metrics whose names are near.
        near: Vec<String>,
    },
    /// Something is expected that cannot come true.
    #[error("--expect '{text}' cannot hold: {because}")]
    CannotHold {
        /// The expectation.
        text: String,
        /// Why.
        because: String,
    },
    /// Fewer runs than it takes.
    #[error("{what} takes {least} run{} at least, and here {}", if *least == 1 { "" } else { "s" }, are(*given))]
    TooFewRuns {
        /// What: `compare`, `--a`.
        what: &'static str,
        /// So many.
        least: usize,
        /// As many as there are.
        given: usize,
    },
    /// A name that no run has.
    #[error("`{name}` is no good value for {what}: no run has that name")]
    NoSuchRun {
        /// The flag.
        what: &'static str,
        /// The name.
        name: String,
        /// The names of the runs.
        known: Vec<String>,
    },
    /// Runs of which each does something else.
    #[error("these runs cannot be compared: {}", differences.join("; "))]
    UnlikePlans {
        /// In what they are unlike, each as a sentence.
        differences: Vec<String>,
    },
    /// A gate that could never close.
    #[error("--fail-on can never fail this comparison: {before} and {after} runs are too few ever to tell")]
    GateStaysOpen {
        /// The runs on the one side.
        before: usize,
        /// And on the other.
        after: usize,
    },
}

impl GateError {
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            GateError::NoSuchMetric { near, .. } if near.is_empty() => {
                "metrics are avg, min, max, p99, service.p99, lag.p99, first_message.p99, ok, failed, status.Unavailable, \
                 unsent, abandoned, throughput and rate"
                    .to_owned()
            }
            GateError::NoSuchMetric { near, .. } => format!("did you mean {}?", alternatives(near)),
            GateError::CannotHold { .. } => return None,
            GateError::TooFewRuns { .. } => {
                "name JSON reports of runs; those with one --name are taken for one thing repeated, unless --a and --b share them \
                 out"
                    .to_owned()
            }
            GateError::NoSuchRun { known, .. } => format!("the runs are {}", known.join(", ")),
            GateError::UnlikePlans { .. } => "run them with the same plan, or compare them as they are with --force".to_owned(),
            GateError::GateStaysOpen { .. } => {
                "repeat the runs: with 4 on each side a large difference can be shown, with 10 a small one; for a fixed bound \
                 there is --expect"
                    .to_owned()
            }
        })
    }

    /// The flag whose value is wrong, if it is one flag.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            GateError::NoSuchMetric { what, .. } => Some(what),
            GateError::CannotHold { .. } => Some("--expect"),
            _ => None,
        }
    }
}

fn are(given: usize) -> String {
    match given {
        0 => "there is none".to_owned(),
        1 => "there is 1".to_owned(),
        given => format!("there are {given}"),
    }
}
