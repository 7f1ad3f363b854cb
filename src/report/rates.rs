//! Rates of a run: what was planned, and what was done.

use std::time::Duration;

use super::{Recording, Setup};
use crate::load::{Load, Schedule, Spacing};
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
        let first = schedule.due_before(recording.measured_from);
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
                let last = first.saturating_add(sent - 1);
                let gap = match spacing {
                    Spacing::Constant => schedule.span(last.saturating_add(1)).since(schedule.due(last)),
                    Spacing::Poisson { .. } => mean_gap(planned, calls.arrivals()),
                };
                per_second(sent, calls.last_sent.since(from).saturating_add(gap))
            }
        };
        Rates { offered: Some(offered), sent }
    }
}

/// When the first call of another run would have been due, had it been the next of this one: at a constant rate, where
/// that can be told.
pub(super) fn next_due(recording: &Recording, load: &Load) -> Option<Offset> {
    match load {
        Load::Open { schedule: schedule @ Schedule::Constant(_), spacing: Spacing::Constant, .. }
            if recording.calls.sent() > 0 =>
        {
            let gap = schedule.span(1).since(schedule.due(0));
            Some(recording.calls.last_sent + Duration::from_nanos(gap))
        }
        _ => None,
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
