//! The planned calls of one worker, in the order in which they are due.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Limits, Load, Schedule, Share};
use crate::units::Offset;

/// One planned call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The number of the call, unique in the run, from 0.
    pub index: u64,
    /// When it is due; `None` in a closed loop, where it is due as soon as a caller is free.
    pub due: Option<Offset>,
}

/// The call numbers of a closed loop, handed to workers in batches: the one thing that workers share.
#[derive(Debug)]
pub struct Tickets {
    next: AtomicU64,
    end: u64,
    callers: u64,
}

impl Tickets {
    /// The numbers below `limits.calls()`, for `callers` callers in all workers together.
    pub fn new(limits: Limits, callers: u32) -> Tickets {
        Tickets { next: AtomicU64::new(0), end: limits.calls().unwrap_or(u64::MAX), callers: callers.max(1).into() }
    }

    /// Takes a batch: large while each caller has many calls before it, so that the counter is rarely touched, and
    /// single numbers towards the end, so that no worker sits on calls that another's idle caller could make.
    fn claim(&self) -> Range<u64> {
        let left = self.end.saturating_sub(self.next.load(Ordering::Relaxed));
        let batch = (left / (self.callers * 4)).clamp(1, 64);
        let start = self.next.fetch_add(batch, Ordering::Relaxed).min(self.end);
        start..(start + batch).min(self.end)
    }
}

/// The planned calls of one worker. Ends at the limits of the run, or when it is stopped.
#[derive(Debug)]
pub struct Arrivals {
    plan: Planned,
    stopped: bool,
}

#[derive(Debug)]
enum Planned {
    Closed { tickets: Arc<Tickets>, batch: Range<u64> },
    Open { schedule: Schedule, limits: Limits, share: Share, given: u64, total: u64 },
}

impl Arrivals {
    /// The calls of the worker that owns `share`. Every worker of a run is given the same `tickets`.
    pub fn new(load: Load, limits: Limits, share: Share, tickets: Arc<Tickets>) -> Arrivals {
        let plan = match load {
            Load::Closed { .. } => Planned::Closed { tickets, batch: 0..0 },
            Load::Open { schedule, .. } => Planned::Open {
                schedule,
                limits,
                share,
                given: 0,
                total: share.below(limits.due_before(schedule, Offset::from_nanos(u64::MAX))),
            },
        };
        Arrivals { plan, stopped: false }
    }

    /// Whether it is the number of calls that ends them, and not the time.
    pub fn end_by_count(&self) -> bool {
        match self.plan {
            Planned::Closed { .. } => true,
            Planned::Open { limits, share, total, .. } => {
                limits.calls().is_some_and(|calls| share.below(calls) == total)
            }
        }
    }

    /// Ends the arrivals. Returns how many of them were due before `now` but had not been given out: these are unsent.
    pub fn stop(&mut self, now: Offset) -> u64 {
        if std::mem::replace(&mut self.stopped, true) {
            return 0;
        }
        match self.plan {
            Planned::Closed { .. } => 0,
            Planned::Open { schedule, limits, share, given, .. } => {
                share.below(limits.due_before(schedule, now)).saturating_sub(given)
            }
        }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        if self.stopped {
            return None;
        }
        match &mut self.plan {
            Planned::Closed { tickets, batch } => {
                if batch.is_empty() {
                    *batch = tickets.claim();
                }
                batch.next().map(|index| Arrival { index, due: None })
            }
            Planned::Open { schedule, share, given, total, .. } => {
                if given == total {
                    return None;
                }
                let index = share.nth(*given);
                *given += 1;
                Some(Arrival { index, due: Some(schedule.due(index)) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use super::*;
    use crate::units::Rate;

    fn open(rate: &str, limits: Limits, share: Share) -> Arrivals {
        let load =
            Load::Open { schedule: Schedule::Constant(rate.parse::<Rate>().unwrap()), in_flight: NonZeroU32::MIN };
        Arrivals::new(load, limits, share, Arc::new(Tickets::new(limits, 1)))
    }

    fn limits(calls: Option<u64>, ms: Option<u64>) -> Limits {
        Limits::new(calls, ms.map(Duration::from_millis)).unwrap()
    }

    #[test]
    fn two_hundred_calls_at_ten_a_second_take_from_0_to_19_9_s() {
        let all: Vec<Arrival> = open("10", limits(Some(200), None), Share::WHOLE).collect();
        assert_eq!(all.len(), 200);
        assert_eq!(all[0].due, Some(Offset::ZERO));
        assert_eq!(all[199], Arrival { index: 199, due: Some(Offset::from_nanos(19_900_000_000)) });
    }

    #[test]
    fn the_limit_that_comes_first_holds() {
        assert_eq!(open("10", limits(Some(5), Some(1_000)), Share::WHOLE).count(), 5);
        assert_eq!(open("10", limits(Some(50), Some(1_000)), Share::WHOLE).count(), 10, "none is due at the very end");
        assert_eq!(open("10", limits(None, Some(1_001)), Share::WHOLE).count(), 11);
    }

    #[test]
    fn stop_counts_what_was_due_and_not_given() {
        let mut arrivals = open("10", limits(Some(100), None), Share::WHOLE);
        assert_eq!(arrivals.by_ref().take(3).count(), 3);
        assert_eq!(arrivals.stop(Offset::from_nanos(1_000_000_000)), 7);
        assert_eq!(arrivals.next(), None);
        assert_eq!(arrivals.stop(Offset::from_nanos(9_000_000_000)), 0, "counted once");
    }

    #[test]
    fn stop_early_owes_nothing_for_calls_given_ahead() {
        let mut arrivals = open("10", limits(Some(100), None), Share::WHOLE);
        assert_eq!(arrivals.by_ref().take(3).count(), 3);
        assert_eq!(arrivals.stop(Offset::from_nanos(1)), 0);
    }

    #[test]
    fn workers_together_make_every_call_once() {
        for workers in [1u32, 2, 3, 8] {
            let limits = limits(Some(1_000), None);
            let tickets = Arc::new(Tickets::new(limits, workers));
            let load = Load::Closed { concurrency: NonZeroU32::MIN };
            let mut sources: Vec<Arrivals> = Share::split(8, workers)
                .into_iter()
                .map(|share| Arrivals::new(load, limits, share, Arc::clone(&tickets)))
                .collect();
            let mut seen = Vec::new();
            while let Some(arrival) = sources.iter_mut().rev().find_map(Iterator::next) {
                assert_eq!(arrival.due, None);
                seen.push(arrival.index);
                sources.rotate_left(1);
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..1_000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_worker_sits_on_calls_that_idle_callers_could_make() {
        // As many calls as callers: one each, whichever worker asks first.
        let limits = limits(Some(10_000), None);
        let tickets = Arc::new(Tickets::new(limits, 10_000));
        let load = Load::Closed { concurrency: NonZeroU32::new(10_000).unwrap() };
        let mut first = Arrivals::new(load, limits, Share::WHOLE, Arc::clone(&tickets));
        let mut second = Arrivals::new(load, limits, Share::WHOLE, tickets);
        assert_eq!(first.by_ref().take(5_000).count(), 5_000);
        assert_eq!(second.by_ref().take(5_000).count(), 5_000);
        assert_eq!((first.next(), second.next()), (None, None));
    }
}
