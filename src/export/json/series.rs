//! The run over time, in JSON: a list for each column, so that a long run does not repeat every name every second.

use serde::{Deserialize, Serialize};

use super::broken::{Broken, bounded};
use super::quantity::Count;
use crate::report::{ROWS_MAX, Report, Row};
use crate::units::Offset;

/// Each list has an entry for each interval, from when calls counted.
#[derive(Serialize, Deserialize)]
pub(super) struct Series {
    pub(super) interval_ns: u64,
    started: Vec<Count>,
    done: Vec<Count>,
    failed: Vec<Count>,
    in_flight: Vec<Count>,
    p50_ns: Vec<u64>,
    p90_ns: Vec<u64>,
    p99_ns: Vec<u64>,
    max_ns: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lag_p99_ns: Option<Vec<u64>>,
    /// How many more intervals there were than are listed.
    #[serde(default)]
    pub(super) left_out: u64,
}

impl Series {
    pub(super) fn new(report: &Report) -> Series {
        let mut series = Series {
            interval_ns: report.interval_ns,
            started: Vec::new(),
            done: Vec::new(),
            failed: Vec::new(),
            in_flight: Vec::new(),
            p50_ns: Vec::new(),
            p90_ns: Vec::new(),
            p99_ns: Vec::new(),
            max_ns: Vec::new(),
            lag_p99_ns: report.setup.is_open().then(Vec::new),
            left_out: report.rows_left_out,
        };
        for row in &report.rows {
            // Intervals begin where the one before ends.
            let Row { start: _, started, done, failed, in_flight, p50_ns, p90_ns, p99_ns, max_ns, lag_p99_ns } = *row;
            series.started.push(Count(started));
            series.done.push(Count(done));
            series.failed.push(Count(failed));
            series.in_flight.push(Count(in_flight));
            series.p50_ns.push(p50_ns);
            series.p90_ns.push(p90_ns);
            series.p99_ns.push(p99_ns);
            series.max_ns.push(max_ns);
            if let Some(lag) = &mut series.lag_p99_ns {
                lag.push(lag_p99_ns);
            }
        }
        series
    }

    pub(super) fn read(&self) -> Result<Vec<Row>, Broken> {
        let count = bounded("series.started", &self.started, usize::try_from(ROWS_MAX).unwrap_or(usize::MAX))?.len();
        let lens = [
            ("done", self.done.len()),
            ("failed", self.failed.len()),
            ("in_flight", self.in_flight.len()),
            ("p50_ns", self.p50_ns.len()),
            ("p90_ns", self.p90_ns.len()),
            ("p99_ns", self.p99_ns.len()),
            ("max_ns", self.max_ns.len()),
            ("lag_p99_ns", self.lag_p99_ns.as_ref().map_or(count, Vec::len)),
        ];
        if let Some((name, len)) = lens.into_iter().find(|(_, len)| *len != count) {
            let what = format!("it has {len} entries, and `started` has {count}");
            return Err(Broken::new(&format!("series.{name}"), what));
        }
        let row = |at: usize| Row {
            start: Offset::from_nanos((at as u64).saturating_mul(self.interval_ns)),
            started: self.started[at].0,
            done: self.done[at].0,
            failed: self.failed[at].0,
            in_flight: self.in_flight[at].0,
            p50_ns: self.p50_ns[at],
            p90_ns: self.p90_ns[at],
            p99_ns: self.p99_ns[at],
            max_ns: self.max_ns[at],
            lag_p99_ns: self.lag_p99_ns.as_ref().map_or(0, |lag| lag[at]),
        };
        Ok((0..count).map(row).collect())
    }
}
