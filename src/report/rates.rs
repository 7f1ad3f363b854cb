//! Rates of a run: what was planned, and what was done.

use super::{Recording, Setup};
use crate::load::{Load, Schedule, Spacing, Warmup};
use crate::units::Offset;

/// Calls per second that were due and that left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rates {
    /// Planned; `None` in a closed loop.
    pub(super) offered: Option<f64>,
    /// Real.
    pub(super) sent: f64,
}

impl Rates {
    /// Calls are counted over the time that belongs to them, which ends when the next one would be due: so a run that
    /// keeps its plan achieves just what was offered, however few calls it has.
    pub(super) fn of(recording: &Recording, setup: &Setup) -> Rates {
        let calls = &recording.calls;
        let Load::Open { schedule, spacing, .. } = &setup.load else {
            return Rates { offered: None, sent: recording.send_rate() };
        };
        // Calls of the warm-up come first, and by chance or not, about as many as the rate says.
        let first = match setup.limits.warmup() {
            None => 0,
            Some(Warmup::Calls(calls)) => calls,
            Some(Warmup::Time(time)) => schedule.due_before(Offset::from_duration(time)),
        };
        let from = match spacing {
            Spacing::Constant => schedule.due(first),
            Spacing::Poisson { .. } => recording.measured_from,
        };
        let planned = span(schedule, first, calls.arrivals());
        let offered = match (schedule, spacing) {
            (Schedule::Constant(rate), Spacing::Constant) => rate.per_second(),
            (_, Spacing::Constant) => per_second(calls.arrivals().max(1), planned),
            // Chance makes more or fewer calls due than the rate says. What was asked for is those that were drawn.
            (_, Spacing::Poisson { .. }) if calls.unsent == 0 && calls.sent() > 0 => {
                let gap = mean_gap(planned, calls.arrivals());
                per_second(calls.arrivals(), calls.last_due.since(from).saturating_add(gap))
            }
            (_, Spacing::Poisson { .. }) => {
                per_second(calls.arrivals().max(1), recording.elapsed.as_nanos().max(planned))
            }
        };
        let sent = match calls.sent() {
            0 => 0.0,
            sent => {
                let last = first + sent - 1;
                let gap = match spacing {
                    Spacing::Constant => schedule.span(last + 1).since(schedule.due(last)),
                    Spacing::Poisson { .. } => mean_gap(planned, calls.arrivals()),
                };
                per_second(sent, calls.last_sent.since(from).saturating_add(gap))
            }
        };
        Rates { offered: Some(offered), sent }
    }
}

/// The time of `calls` calls from number `first` on, in nanoseconds.
fn span(schedule: &Schedule, first: u64, calls: u64) -> u64 {
    schedule.span(first.saturating_add(calls.max(1))).since(schedule.due(first))
}

fn mean_gap(span: u64, calls: u64) -> u64 {
    span / calls.max(1)
}

fn per_second(calls: u64, nanos: u64) -> f64 {
    calls as f64 * 1e9 / nanos.max(1) as f64
}
