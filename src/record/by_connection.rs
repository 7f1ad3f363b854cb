//! The calls of each connection of a worker.
//!
//! There may be ten thousand connections, so theirs are histograms of two digits, from a microsecond on: a few kilobytes
//! of memory in use for each. They become two percentiles at the end of the run and go away.

use hdrhistogram::Histogram;

use super::{End, HIGHEST_NS, Latencies, Recorder, Sample};

/// Times below are told apart no further.
const LOWEST_NS: u64 = 1_000;

/// What the calls on one connection came to. Times are nanoseconds, of calls that ended OK: response times under a rate,
/// service times in a closed loop; 0 without such calls.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ConnectionCalls {
    /// Calls that ended with a status.
    pub done: u64,
    /// Of these, with a status other than OK.
    pub failed: u64,
    /// The median, to two digits where there are several connections.
    pub p50_ns: u64,
    /// The 99th percentile, likewise.
    pub p99_ns: u64,
}

impl ConnectionCalls {
    /// Of all calls of a recorder, whose worker has one connection.
    fn of_all(calls: &Recorder) -> ConnectionCalls {
        let times = Latencies::headline(&calls.ok);
        ConnectionCalls {
            done: calls.done(),
            failed: calls.done() - calls.statuses.count(0),
            p50_ns: times.quantile(0.5),
            p99_ns: times.quantile(0.99),
        }
    }
}

/// The calls of a worker by connection. A worker with one connection has nothing to tell apart, and keeps nothing.
#[derive(Debug)]
pub struct ByConnection {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    done: u64,
    failed: u64,
    max_ns: u64,
    times: Histogram<u32>,
}

impl Row {
    fn new() -> Row {
        let times = Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, 2).expect("constant, valid bounds");
        Row { done: 0, failed: 0, max_ns: 0, times }
    }

    fn record(&mut self, sample: &Sample) {
        self.done += 1;
        if sample.status == 0 {
            // In a closed loop a call is due when it leaves.
            let nanos = sample.done.since(sample.due);
            self.times.saturating_record(nanos);
            self.max_ns = self.max_ns.max(nanos);
        } else {
            self.failed += 1;
        }
    }

    fn calls(&self) -> ConnectionCalls {
        let quantile = |quantile: f64| self.times.value_at_quantile(quantile).min(self.max_ns);
        ConnectionCalls { done: self.done, failed: self.failed, p50_ns: quantile(0.5), p99_ns: quantile(0.99) }
    }
}

impl ByConnection {
    /// Of so many connections.
    pub fn new(connections: usize) -> ByConnection {
        let rows = if connections > 1 { connections } else { 0 };
        ByConnection { rows: (0..rows).map(|_| Row::new()).collect() }
    }

    /// The place of the connection that carries the calls of this slot, for they go round.
    pub fn of_slot(&self, slot: u64) -> usize {
        usize::try_from(slot % self.rows.len().max(1) as u64).expect("an index")
    }

    /// Takes in a call that was sent over connection `place` of the worker.
    pub fn record(&mut self, place: usize, sample: &Sample) {
        if let (Some(row), End::Done) = (self.rows.get_mut(place), sample.end) {
            row.record(sample);
        }
    }

    /// A row for each connection; `calls` is what the worker recorded of all.
    pub fn finish(&self, calls: &Recorder) -> Vec<ConnectionCalls> {
        if self.rows.is_empty() {
            return vec![ConnectionCalls::of_all(calls)];
        }
        self.rows.iter().map(Row::calls).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Offset;

    const MS: u64 = 1_000_000;

    fn sample(ms: u64, status: u32) -> Sample {
        Sample { status, ..Sample::answered(Offset::ZERO, Offset::ZERO, Offset::from_nanos(ms * MS)) }
    }

    #[test]
    fn each_connection_has_its_own() {
        let mut by_connection = ByConnection::new(2);
        let mut all = Recorder::new(false, 0);
        for ms in 1..=100 {
            by_connection.record(0, &sample(ms, 0));
            by_connection.record(1, &sample(10 * ms, if ms % 4 == 0 { 14 } else { 0 }));
        }
        by_connection.record(1, &Sample { end: End::Abandoned, ..sample(1, 0) });
        all.record(&sample(7, 0), "");
        let [quick, slow] = by_connection.finish(&all)[..] else { panic!("two connections") };
        assert_eq!((quick.done, quick.failed, slow.done, slow.failed), (100, 0, 100, 25));
        for (found, ms) in [(quick.p50_ns, 50), (quick.p99_ns, 99), (slow.p50_ns, 500), (slow.p99_ns, 990)] {
            assert!(found.abs_diff(ms * MS) <= ms * MS / 50, "{found} is not {ms} ms");
        }
    }

    #[test]
    fn a_single_connection_has_all_calls() {
        let mut by_connection = ByConnection::new(1);
        let mut all = Recorder::new(false, 0);
        for status in [0, 0, 5] {
            by_connection.record(0, &sample(3, status));
            all.record(&sample(3, status), "");
        }
        let row = ConnectionCalls { done: 3, failed: 1, p50_ns: 3 * MS, p99_ns: 3 * MS };
        assert_eq!(by_connection.finish(&all), [row]);
    }
}
