//! The run over time, in JSON: a list for each column, so that a long run does not repeat every name every second.

use serde::Serialize;

use crate::report::{Report, Row};

/// Each list has an entry for each interval, from when calls counted.
#[derive(Serialize)]
pub(super) struct Series {
    interval_ns: u64,
    started: Vec<u64>,
    done: Vec<u64>,
    failed: Vec<u64>,
    in_flight: Vec<u64>,
    p50_ns: Vec<u64>,
    p90_ns: Vec<u64>,
    p99_ns: Vec<u64>,
    max_ns: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_p99_ns: Option<Vec<u64>>,
}

impl Series {
    pub(super) fn new(report: &Report) -> Series {
        let column = |of: fn(&Row) -> u64| report.rows.iter().map(of).collect::<Vec<u64>>();
        Series {
            interval_ns: report.interval_ns,
            started: column(|row| row.started),
            done: column(|row| row.done),
            failed: column(|row| row.failed),
            in_flight: column(|row| row.in_flight),
            p50_ns: column(|row| row.p50_ns),
            p90_ns: column(|row| row.p90_ns),
            p99_ns: column(|row| row.p99_ns),
            max_ns: column(|row| row.max_ns),
            lag_p99_ns: report.setup.is_open().then(|| column(|row| row.lag_p99_ns)),
        }
    }
}
