//! The planned calls of one worker, in the order in which they are due.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::spacing::Draws;
use super::{Limits, Load, Schedule, Share, Spacing, Warmup};
use crate::units::Offset;

/// One planned call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The number of the call, unique in the run, from 0.
    pub index: u64,
    /// When it is due; `None` in a closed loop, where it is due as soon as a caller is free.
    pub due: Option<Offset>,
    /// Whether it counts: it does not belong to the warm-up.
    pub measured: bool,
}

/// Calls that were due and had not been given out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Unsent {
    /// Of the warm-up.
    pub warmup: u64,
    /// Of those that count.
    pub measured: u64,
}

/// The call numbers of a closed loop, handed to workers in batches: the one thing that workers share.
#[derive(Debug)]
pub struct Tickets {
    numbers: Counter,
    /// Calls that count, where time and not a number of calls ends the warm-up.
    counted: Option<Counter>,
}

#[derive(Debug)]
struct Counter {
    next: AtomicU64,
    end: u64,
    callers: u64,
}

impl Counter {
    fn new(end: u64, callers: u32) -> Counter {
        Counter { next: AtomicU64::new(0), end, callers: callers.max(1).into() }
    }

    /// Takes a batch: large while each caller has many calls before it, so that the counter is rarely touched, and
    /// single numbers towards the end, so that no worker sits on calls that another's idle caller could make.
    fn claim(&self) -> Range<u64> {
        let left = self.end.saturating_sub(self.next.load(Ordering::Relaxed));
        let batch = (left / (self.callers * 4)).clamp(1, 64);
        let start = self.next.fetch_add(batch, Ordering::Relaxed).min(self.end);
        start..(start + batch).min(self.end)
    }

    /// The next number of the batch, which is filled up if it is empty.
    fn next(&self, batch: &mut Range<u64>) -> Option<u64> {
        if batch.is_empty() {
            *batch = self.claim();
        }
        batch.next()
    }
}

impl Tickets {
    /// The numbers of a closed loop within `limits`, for `callers` callers in all workers together.
    pub fn new(limits: Limits, callers: u32) -> Tickets {
        let calls = limits.calls().unwrap_or(u64::MAX);
        match limits.warmup() {
            Some(Warmup::Time(_)) => {
                Tickets { numbers: Counter::new(u64::MAX, callers), counted: Some(Counter::new(calls, callers)) }
            }
            Some(Warmup::Calls(first)) => {
                Tickets { numbers: Counter::new(calls.saturating_add(first), callers), counted: None }
            }
            None => Tickets { numbers: Counter::new(calls, callers), counted: None },
        }
    }
}

/// The planned calls of one worker. Ends at the limits of the run, or when it is stopped.
#[derive(Debug)]
pub struct Arrivals {
    plan: Planned,
    stopped: bool,
    /// They ended because the time was over, and not because there were no more.
    out_of_time: bool,
}

#[derive(Debug)]
enum Planned {
    Closed(Closed),
    Open(Box<Open>),
}

#[derive(Debug)]
struct Closed {
    tickets: Arc<Tickets>,
    numbers: Range<u64>,
    counted: Range<u64>,
    warmup: Option<Warmup>,
}

impl Closed {
    fn next(&mut self, now: impl FnOnce() -> Offset) -> Option<Arrival> {
        let arrival = |index, measured| Arrival { index, due: None, measured };
        let numbers = &self.tickets.numbers;
        match (self.warmup, &self.tickets.counted) {
            (Some(Warmup::Time(time)), Some(counted)) => {
                let measured = now() >= Offset::from_duration(time);
                if measured {
                    // From now on it need not be asked again, and the tickets are what counts.
                    counted.next(&mut self.counted)?;
                }
                numbers.next(&mut self.numbers).map(|index| arrival(index, measured))
            }
            (Some(Warmup::Calls(first)), _) => {
                numbers.next(&mut self.numbers).map(|index| arrival(index, index >= first))
            }
            _ => numbers.next(&mut self.numbers).map(|index| arrival(index, true)),
        }
    }
}

#[derive(Debug)]
struct Open {
    schedule: Schedule,
    window: Window,
    share: Share,
    source: Source,
    /// Calls of the warm-up that were not given out before it was over.
    passed_over: u64,
}

#[derive(Clone, Debug)]
enum Source {
    Even { given: u64 },
    Random(Draws),
}

/// What of a schedule belongs to a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    /// The first call that counts.
    first: u64,
    /// From when on calls count.
    from: Offset,
    /// Calls with lower numbers are made.
    calls: u64,
    /// Calls due earlier are made.
    end: Offset,
}

impl Window {
    fn new(schedule: &Schedule, spacing: Spacing, limits: Limits) -> Window {
        let (first, from) = match (limits.warmup(), spacing) {
            (None, _) => (0, Offset::ZERO),
            (Some(Warmup::Calls(first)), Spacing::Constant) => (first, schedule.due(first)),
            (Some(Warmup::Time(time)), Spacing::Constant) => {
                let from = Offset::from_duration(time);
                (schedule.due_before(from), from)
            }
            (Some(Warmup::Calls(first)), Spacing::Poisson { seed }) => {
                let mut draws = Draws::new(seed);
                (first, (0..=first).map(|_| draws.draw(schedule).1).last().unwrap_or_default())
            }
            (Some(Warmup::Time(time)), Spacing::Poisson { seed }) => {
                let (from, mut draws) = (Offset::from_duration(time), Draws::new(seed));
                let first = std::iter::repeat_with(|| draws.draw(schedule)).find(|(_, due)| *due >= from);
                (first.map_or(0, |(index, _)| index), from)
            }
        };
        Window {
            first,
            from,
            calls: limits.calls().map_or(u64::MAX, |calls| calls.saturating_add(first)),
            end: limits.duration().map_or(Offset::from_nanos(u64::MAX), |duration| from + duration),
        }
    }
}

impl Open {
    /// The next call, or whether time is the reason that there is none. What a warm-up has left undone when calls begin to
    /// count is not made where places are scarce: it would hold up those that count.
    fn next(&mut self, scarce: bool, now: impl FnOnce() -> Offset) -> Result<Arrival, bool> {
        let arrival = self.following()?;
        if arrival.measured || !scarce || now() < self.window.from {
            return Ok(arrival);
        }
        self.passed_over += 1;
        loop {
            match self.following()? {
                arrival if arrival.measured => return Ok(arrival),
                _ => self.passed_over += 1,
            }
        }
    }

    fn following(&mut self) -> Result<Arrival, bool> {
        let Window { first, calls, end, .. } = self.window;
        loop {
            let (index, due) = match &mut self.source {
                Source::Even { given } => {
                    let index = self.share.nth(*given);
                    if index >= calls {
                        return Err(false);
                    }
                    (index, self.schedule.due(index))
                }
                Source::Random(draws) if draws.index >= calls => return Err(false),
                Source::Random(draws) => draws.draw(&self.schedule),
            };
            if due >= end {
                // No call is due at the end of time, which is also where those lie that are never due.
                return Err(self.schedule.ends().is_none_or(|ends| ends >= end));
            }
            match &mut self.source {
                Source::Even { given } => *given += 1,
                Source::Random(_) if !self.share.has(index) => continue,
                Source::Random(_) => {}
            }
            return Ok(Arrival { index, due: Some(due), measured: index >= first });
        }
    }

    /// How many calls that were due before `now` have not been given out.
    fn left(&self, now: Offset) -> Unsent {
        let Window { first, calls, end, .. } = self.window;
        let end = end.min(now);
        match &self.source {
            Source::Even { given } => {
                let left = |below: u64| self.share.below(below).saturating_sub(*given);
                let due = self.schedule.due_before(end).min(calls);
                let warmup = left(due.min(first));
                Unsent { warmup, measured: left(due) - warmup }
            }
            Source::Random(draws) => {
                let (mut draws, mut unsent) = (draws.clone(), Unsent::default());
                while draws.index < calls {
                    let (index, due) = draws.draw(&self.schedule);
                    if due >= end {
                        break;
                    }
                    if self.share.has(index) {
                        *(if index < first { &mut unsent.warmup } else { &mut unsent.measured }) += 1;
                    }
                }
                unsent
            }
        }
    }
}

impl Arrivals {
    /// The calls of the worker that owns `share`. Every worker of a run is given the same `tickets`.
    pub fn new(load: &Load, limits: Limits, share: Share, tickets: Arc<Tickets>) -> Arrivals {
        let plan = match load {
            Load::Closed { .. } => {
                Planned::Closed(Closed { tickets, numbers: 0..0, counted: 0..0, warmup: limits.warmup() })
            }
            Load::Open { schedule, spacing, .. } => Planned::Open(Box::new(Open {
                schedule: schedule.clone(),
                window: Window::new(schedule, *spacing, limits),
                share,
                source: match spacing {
                    Spacing::Constant => Source::Even { given: 0 },
                    Spacing::Poisson { seed } => Source::Random(Draws::new(*seed)),
                },
                passed_over: 0,
            })),
        };
        Arrivals { plan, stopped: false, out_of_time: false }
    }

    /// From when on calls count; `None` where the first such call decides it.
    pub fn measured_from(&self) -> Option<Offset> {
        match &self.plan {
            Planned::Open(open) => Some(open.window.from),
            Planned::Closed(closed) => match closed.warmup {
                None => Some(Offset::ZERO),
                Some(Warmup::Time(time)) => Some(Offset::from_duration(time)),
                Some(Warmup::Calls(_)) => None,
            },
        }
    }

    /// Calls of the warm-up that were passed over, as there had been no place for them when it was over.
    pub fn passed_over(&self) -> u64 {
        match &self.plan {
            Planned::Closed(_) => 0,
            Planned::Open(open) => open.passed_over,
        }
    }

    /// The next call. `scarce` says that as many calls are in flight as may be, but for this one. `now` is asked only of
    /// calls of a warm-up: it decides whether they count, or are still to be made.
    pub fn next(&mut self, scarce: bool, now: impl FnOnce() -> Offset) -> Option<Arrival> {
        if self.stopped {
            return None;
        }
        match &mut self.plan {
            Planned::Closed(closed) => closed.next(now),
            Planned::Open(open) => open.next(scarce, now).map_err(|time| self.out_of_time |= time).ok(),
        }
    }

    /// Once they have ended by themselves: whether it was because all calls were made, and not because of the time.
    pub fn ended_by_count(&self) -> bool {
        !self.out_of_time
    }

    /// Ends the arrivals. Returns how many of them were due before `now` but had not been given out: these are unsent.
    pub fn stop(&mut self, now: Offset) -> Unsent {
        if std::mem::replace(&mut self.stopped, true) {
            return Unsent::default();
        }
        match &self.plan {
            Planned::Closed(_) => Unsent::default(),
            Planned::Open(open) => open.left(now),
        }
    }
}
