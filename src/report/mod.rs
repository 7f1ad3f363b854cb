//! What a recording means. Pure: values in, values out; no clock, no environment, no output.
//!
//! A [`Report`] is a plain value with public fields, and formats are functions of it. Percentiles, average, extremes
//! and histogram always describe one set of calls: those that ended OK, or all that ended if failed ones are to count.

pub mod compare;
pub mod expectation;
mod histogram;
pub mod metric;
mod rates;
mod runs;
mod setup;
mod statuses;
mod steady;
pub mod table;
#[cfg(test)]
mod tests;
mod verdict;
mod warning;

use std::time::SystemTime;

use crate::units::Offset;

pub use crate::load::{
    Growth, Limits, LineRamp, Load, Population, PopulationChange, Ramp, Schedule, Spacing, Stages, Steps,
    Warmup as WarmupLimit,
};
use crate::plan::Plan;
pub use crate::plan::{About, AtDuration, Idle, MaxFailures, Windows};
pub use crate::record::{
    COUNT_MAX, CodeCounts, ConnectTimes, Connected, ConnectionCalls, Connections, Detail, Details, Distribution,
    EndReason, Exact, FrameCounts, Http2, Latencies, Machine, PeerSettings, Peers, PhaseRecorder, PhaseTimes, ROWS_MAX,
    Recorder, Recording, Row, StatusTimes, StreamTimes, Traffic, Warmup, WorkerUse,
};
use expectation::{Expectation, Outcome};
pub use histogram::{Bar, Marks, Percentile, View, bars};
use rates::Rates;
pub use runs::{Difference, Run, Unlike};
pub use setup::Setup;
pub use statuses::{ErrorCount, StatusCount, UnsentCount, error_text, status_code, status_name};
pub use verdict::Verdict;
pub use warning::{Number, Warning};

/// The status of calls that ended at their deadline.
const DEADLINE_EXCEEDED: u32 = 4;

/// What a run means.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What was asked for.
    pub setup: Setup,
    /// When the clock started.
    pub started_at: SystemTime,
    /// From when calls counted, after the start of the clock.
    pub measured_from: Offset,
    /// How long it took from there until the last call ended, or the run was cut off.
    pub elapsed: Offset,
    /// The calls before.
    pub warmup: Option<Warmup>,
    /// How it went over time, in intervals of so many nanoseconds from when calls counted.
    pub rows: Vec<Row>,
    /// How long each interval is.
    pub interval_ns: u64,
    /// How many more intervals there were than have rows.
    pub rows_left_out: u64,
    /// Why it ended.
    pub end_reason: EndReason,
    /// How many calls there were of each kind.
    pub counts: Counts,
    /// Calls per second that were planned, on average; `None` in a closed loop.
    pub offered_rate: Option<f64>,
    /// Calls started per second: under a rate from the start to one mean gap after the last call left, so that a run
    /// that keeps its plan achieves just what was offered; in a closed loop over the whole run.
    pub send_rate: f64,
    /// Calls that ended per second of the whole run.
    pub throughput: f64,
    /// Times of the calls that the report is about.
    pub times: Latencies,
    /// Percentiles of the headline of these times; none without calls.
    pub percentiles: Vec<Percentile>,
    /// Their histogram; none without calls.
    pub histogram: Vec<Bar>,
    /// Times of calls that ended OK.
    pub ok: Latencies,
    /// What the service times of calls that ended OK are made of.
    pub phases: PhaseTimes,
    /// Times of calls that ended otherwise.
    pub failed: Latencies,
    /// The same by status.
    pub failed_by_status: Vec<StatusTimes>,
    /// How late calls left; `None` in a closed loop.
    pub lag: Option<Distribution>,
    /// How late calls left that had a free slot in time; `None` in a closed loop.
    pub own_lag: Option<Distribution>,
    /// When the last call left.
    pub last_sent: Offset,
    /// When the last of the calls that left was due.
    pub last_due: Offset,
    /// How long calls that were cut off had been under way, together.
    pub cut_off_ns: u64,
    /// Calls by status.
    pub statuses: Vec<StatusCount>,
    /// Failed calls by what the server said.
    pub errors: Vec<ErrorCount>,
    /// Why calls could not be sent, and how many.
    pub unsent_reasons: Vec<UnsentCount>,
    /// Messages and their bytes.
    pub traffic: Traffic,
    /// What happened inside streaming calls; `None` for unary ones.
    pub streams: Option<StreamTimes>,
    /// What the connections did.
    pub connections: Connections,
    /// How long the first connects took.
    pub connect: ConnectTimes,
    /// The machine that made the calls.
    pub machine: Machine,
    /// What each worker cost.
    pub workers: Vec<WorkerUse>,
    /// Workers that panicked.
    pub workers_lost: u32,
    /// Single calls.
    pub details: Details,
    /// Whether to believe it.
    pub verdict: Verdict,
    /// The reasons of the verdict, worst first, and then what should be known besides.
    pub warnings: Vec<Warning>,
    /// What was expected of the run, and what came of it.
    pub expectations: Vec<Outcome>,
}

/// How many calls of a run came to what.
///
/// arrivals = sent + unsent; sent = done + abandoned; done = ok + failed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Due.
    pub arrivals: u64,
    /// Started.
    pub sent: u64,
    /// Due but never started.
    pub unsent: u64,
    /// Ended with a status.
    pub done: u64,
    /// Ended with status OK.
    pub ok: u64,
    /// Ended with another status.
    pub failed: u64,
    /// Cut off at the end of the run.
    pub abandoned: u64,
    /// Cut off at the end without being counted anywhere else.
    pub ignored: u64,
    /// Ended at their deadline: how long they would have taken is not known, only that it is at least that.
    pub censored: u64,
    /// Due while as many as allowed were in flight.
    pub limited: u64,
    /// Sent once more because a server said that it had not processed them.
    pub retried: u64,
}

impl Counts {
    /// How many calls `calls` recorded, of which `retried` were sent once more.
    pub fn of(calls: &Recorder, retried: u64) -> Counts {
        let ok = calls.statuses.count(0);
        Counts {
            arrivals: calls.arrivals(),
            sent: calls.sent(),
            unsent: calls.unsent,
            done: calls.done(),
            ok,
            failed: calls.done() - ok,
            abandoned: calls.abandoned,
            ignored: calls.ignored,
            censored: calls.statuses.count(DEADLINE_EXCEEDED),
            limited: calls.limited,
            retried,
        }
    }
}

impl Report {
    /// The report of `recording`, which `plan` produced.
    pub fn new(recording: &Recording, plan: &Plan, about: &About) -> Report {
        Report::of(recording, Setup::new(plan, about))
    }

    /// The report of `recording`, which came from a run as `setup` describes it.
    ///
    /// Panics if the counts of the recording contradict each other: a bug of ours.
    pub fn of(recording: &Recording, setup: Setup) -> Report {
        let calls = &recording.calls;
        calls.check();
        let failed = calls.failed_times();
        let times = if setup.about.count_errors { merged(&calls.ok, &failed) } else { calls.ok.clone() };
        let Rates { offered: offered_rate, sent: send_rate } = Rates::of(recording, &setup);
        let mut report = Report {
            started_at: recording.started_at,
            measured_from: recording.measured_from,
            elapsed: recording.elapsed,
            warmup: recording.warmup.clone(),
            rows: recording.rows.clone(),
            interval_ns: recording.interval_ns,
            rows_left_out: recording.rows_left_out,
            end_reason: recording.end_reason,
            counts: Counts::of(calls, recording.connections.retried),
            send_rate,
            offered_rate,
            throughput: recording.throughput(),
            percentiles: Percentile::all(times.headline()),
            histogram: bars(times.headline()),
            times,
            ok: calls.ok.clone(),
            phases: calls.phases(),
            failed,
            failed_by_status: calls.failed.clone(),
            lag: calls.lag.clone(),
            own_lag: calls.own_lag.clone(),
            last_sent: calls.last_sent,
            last_due: calls.last_due,
            cut_off_ns: calls.cut_off_ns,
            statuses: StatusCount::rows(&calls.statuses),
            errors: ErrorCount::rows(&calls.failures),
            unsent_reasons: UnsentCount::rows(&calls.unsent_reasons),
            traffic: calls.traffic,
            streams: calls.streams.clone(),
            connections: recording.connections.clone(),
            connect: recording.connections.connect_times(),
            machine: recording.machine.clone(),
            workers: recording.workers.clone(),
            workers_lost: recording.workers_lost,
            details: calls.details.clone(),
            setup,
            verdict: Verdict::Valid,
            warnings: Vec::new(),
            expectations: Vec::new(),
        };
        report.warnings = verdict::warnings(&report);
        report.verdict = Verdict::of(&report.warnings);
        report
    }

    /// The same, held against what was expected.
    #[must_use]
    pub fn expecting(self, expectations: &[Expectation]) -> Report {
        let expectations = expectations.iter().map(|expectation| expectation.check(&self)).collect();
        Report { expectations, ..self }
    }

    /// Expectations that did not hold.
    pub fn unmet(&self) -> impl Iterator<Item = &Outcome> {
        self.expectations.iter().filter(|outcome| !outcome.held)
    }

    /// The same report with other percentiles and another histogram.
    #[must_use]
    pub fn seen(mut self, view: &View) -> Report {
        let times = self.times.headline();
        (self.percentiles, self.histogram) = (view.percentiles(times), view.bars(times));
        self.warnings = verdict::warnings(&self);
        self.verdict = Verdict::of(&self.warnings);
        self
    }

    /// When the clock stopped.
    pub fn ended_at(&self) -> SystemTime {
        self.started_at + self.measured_from.as_duration() + self.elapsed.as_duration()
    }

    /// The reasons of the verdict, worst first; none if it is valid.
    pub fn reasons(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(|warning| warning.bearing().is_some())
    }

    /// What should be known besides.
    pub fn notes(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(|warning| warning.bearing().is_none())
    }

    /// The error text of a single call; empty if it ended OK.
    pub fn call_error(&self, detail: &Detail) -> String {
        statuses::call_error(&self.errors, detail.status, detail.failure)
    }

    /// Round trips of messages, where each had its reply in every call.
    pub fn round_trip(&self) -> Option<&Distribution> {
        let streams = self.streams.as_ref()?;
        Some(&streams.round_trip).filter(|round_trip| streams.unmatched == 0 && !round_trip.is_empty())
    }

    /// How many of `count` there were in a second of the run.
    pub fn per_second(&self, count: u64) -> f64 {
        self.elapsed.per_second(count)
    }

    /// Times of all calls that ended.
    fn all_calls(&self) -> Latencies {
        merged(&self.ok, &self.failed)
    }
}

fn merged(one: &Latencies, other: &Latencies) -> Latencies {
    let mut all = one.clone();
    all.merge(other);
    all
}
