//! The planned calls of one worker, in the order in which they are due.

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
    /// The next call, or whether time is the reason that there is none.
    fn next(&mut self) -> Result<Arrival, bool> {
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

    /// The next call. `now` is asked only where it decides whether the call counts.
    pub fn next(&mut self, now: impl FnOnce() -> Offset) -> Option<Arrival> {
        if self.stopped {
            return None;
        }
        match &mut self.plan {
            Planned::Closed(closed) => closed.next(now),
            Planned::Open(open) => open.next().map_err(|time| self.out_of_time |= time).ok(),
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use super::*;
    use crate::units::Rate;

    const SECOND: u64 = 1_000_000_000;

    fn load(rate: &str, spacing: Spacing) -> Load {
        let schedule = Schedule::Constant(rate.parse::<Rate>().unwrap());
        Load::Open { schedule, spacing, in_flight: NonZeroU32::MIN }
    }

    fn of(load: &Load, limits: Limits, share: Share) -> Arrivals {
        Arrivals::new(load, limits, share, Arc::new(Tickets::new(limits, 1)))
    }

    fn open(rate: &str, limits: Limits) -> Arrivals {
        of(&load(rate, Spacing::Constant), limits, Share::WHOLE)
    }

    fn limits(calls: Option<u64>, ms: Option<u64>) -> Limits {
        Limits::new(calls, ms.map(Duration::from_millis)).unwrap()
    }

    fn all(arrivals: &mut Arrivals) -> Vec<Arrival> {
        std::iter::from_fn(|| arrivals.next(|| Offset::ZERO)).collect()
    }

    fn measured(count: u64) -> Unsent {
        Unsent { warmup: 0, measured: count }
    }

    #[test]
    fn two_hundred_calls_at_ten_a_second_take_from_0_to_19_9_s() {
        let all = all(&mut open("10", limits(Some(200), None)));
        assert_eq!(all.len(), 200);
        assert_eq!(all[0].due, Some(Offset::ZERO));
        let last = Offset::from_nanos(19_900_000_000);
        assert_eq!(all[199], Arrival { index: 199, due: Some(last), measured: true });
    }

    #[test]
    fn the_limit_that_comes_first_holds() {
        for (calls, ms, count, by_count) in [
            (Some(5), Some(1_000), 5, true),
            (Some(50), Some(1_000), 10, false),
            (Some(10), Some(1_000), 10, true),
            (None, Some(1_001), 11, false),
        ] {
            let mut arrivals = open("10", limits(calls, ms));
            assert_eq!(all(&mut arrivals).len(), count);
            assert_eq!(arrivals.ended_by_count(), by_count, "{calls:?} {ms:?}");
        }
    }

    #[test]
    fn a_schedule_that_ends_before_its_time_has_made_all_calls() {
        let schedule = Schedule::Stages("2s:10".parse().unwrap());
        let load = Load::Open { schedule, spacing: Spacing::Constant, in_flight: NonZeroU32::MIN };
        for (ms, by_count) in [(2_000, false), (3_000, true)] {
            let mut arrivals = of(&load, limits(None, Some(ms)), Share::WHOLE);
            assert_eq!(all(&mut arrivals).len(), 10);
            assert_eq!(arrivals.ended_by_count(), by_count, "{ms}");
        }
    }

    #[test]
    fn stop_counts_what_was_due_and_not_given() {
        let mut arrivals = open("10", limits(Some(100), None));
        for _ in 0..3 {
            arrivals.next(|| Offset::ZERO).unwrap();
        }
        assert_eq!(arrivals.stop(Offset::from_nanos(SECOND)), measured(7));
        assert_eq!(arrivals.next(|| Offset::ZERO), None);
        assert_eq!(arrivals.stop(Offset::from_nanos(9 * SECOND)), measured(0), "counted once");
    }

    #[test]
    fn stop_early_owes_nothing_for_calls_given_ahead() {
        let mut arrivals = open("10", limits(Some(100), None));
        for _ in 0..3 {
            arrivals.next(|| Offset::ZERO).unwrap();
        }
        assert_eq!(arrivals.stop(Offset::from_nanos(1)), measured(0));
    }

    #[test]
    fn limits_count_from_the_end_of_the_warm_up() {
        for spacing in [Spacing::Constant, Spacing::Poisson { seed: 3 }] {
            let load = load("10", spacing);
            let of = |limits: Limits, warmup| of(&load, limits.after(Some(warmup)), Share::WHOLE);
            let mut by_calls = of(limits(Some(20), None), Warmup::Calls(7));
            let calls = all(&mut by_calls);
            assert_eq!((calls.len(), calls.iter().filter(|call| call.measured).count()), (27, 20));
            assert_eq!(by_calls.measured_from(), calls[7].due);

            let from = Offset::from_nanos(2 * SECOND);
            let mut by_time = of(limits(Some(20), None), Warmup::Time(Duration::from_secs(2)));
            let calls = all(&mut by_time);
            assert_eq!(calls.iter().filter(|call| call.measured).count(), 20);
            assert!(calls.iter().all(|call| call.measured == (call.due.unwrap() >= from)));
            assert_eq!(by_time.measured_from(), Some(from));

            let mut by_time = of(limits(None, Some(3_000)), Warmup::Time(Duration::from_secs(2)));
            let last = all(&mut by_time).last().unwrap().due.unwrap();
            assert!((4 * SECOND..5 * SECOND).contains(&last.as_nanos()), "3 s after 2 s: {last:?}");
            assert!(!by_time.ended_by_count());
        }
    }

    #[test]
    fn workers_draw_the_same_instants_by_chance() {
        let load = load("100", Spacing::Poisson { seed: 42 });
        let limits = limits(Some(1_000), Some(8_000));
        let whole = all(&mut of(&load, limits, Share::WHOLE));
        assert!((700..900).contains(&whole.len()), "{} of about 800", whole.len());
        for workers in [1u32, 2, 3, 8, 64] {
            let shares = Share::split(64, workers);
            let mut parts: Vec<Arrival> =
                shares.into_iter().flat_map(|share| all(&mut of(&load, limits, share))).collect();
            parts.sort_by_key(|call| call.index);
            assert_eq!(parts, whole, "{workers} workers");
        }
        let mut arrivals = of(&load, limits, Share::WHOLE);
        for _ in 0..10 {
            arrivals.next(|| Offset::ZERO).unwrap();
        }
        let due = whole.iter().filter(|call| call.due.unwrap() < Offset::from_nanos(SECOND)).count() as u64;
        assert_eq!(arrivals.stop(Offset::from_nanos(SECOND)), measured(due - 10));
    }

    #[test]
    fn workers_together_make_every_call_of_a_schedule_once() {
        let schedule = Schedule::Stages("2s:300,1s:0".parse().unwrap());
        let load = Load::Open { schedule, spacing: Spacing::Constant, in_flight: NonZeroU32::MIN };
        for workers in 1..=64u32 {
            let parts = Share::split(64, workers).into_iter();
            let mut numbers: Vec<u64> = parts
                .flat_map(|share| all(&mut of(&load, limits(None, Some(60_000)), share)))
                .map(|call| call.index)
                .collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>(), "{workers} workers");
            assert!((450..=451).contains(&numbers.len()), "{}", numbers.len());
        }
    }

    #[test]
    fn workers_together_make_every_call_once() {
        for workers in [1u32, 2, 3, 8] {
            let limits = limits(Some(1_000), None);
            let tickets = Arc::new(Tickets::new(limits, workers));
            let load = Load::Closed { concurrency: NonZeroU32::MIN.into() };
            let mut sources: Vec<Arrivals> = Share::split(8, workers)
                .into_iter()
                .map(|share| Arrivals::new(&load, limits, share, Arc::clone(&tickets)))
                .collect();
            let mut seen = Vec::new();
            while let Some(arrival) = sources.iter_mut().rev().find_map(|source| source.next(|| Offset::ZERO)) {
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
        let load = Load::Closed { concurrency: NonZeroU32::new(10_000).unwrap().into() };
        let mut workers = [(); 2].map(|()| Arrivals::new(&load, limits, Share::WHOLE, Arc::clone(&tickets)));
        for worker in &mut workers {
            assert_eq!((0..5_000).filter_map(|_| worker.next(|| Offset::ZERO)).count(), 5_000);
        }
        assert!(workers.iter_mut().all(|worker| worker.next(|| Offset::ZERO).is_none()));
    }

    #[test]
    fn callers_count_their_calls_from_the_end_of_the_warm_up() {
        let load = Load::Closed { concurrency: NonZeroU32::MIN.into() };
        let limits = limits(Some(100), None).after(Some(Warmup::Time(Duration::from_secs(1))));
        let tickets = Arc::new(Tickets::new(limits, 2));
        let mut workers = [(); 2].map(|()| Arrivals::new(&load, limits, Share::WHOLE, Arc::clone(&tickets)));
        let mut seen = Vec::new();
        // Both take turns, a call every 10 ms.
        for turn in 0.. {
            let now = Offset::from_nanos(turn * 10_000_000);
            let Some(call) = workers[turn as usize % 2].next(|| now) else { break };
            assert_eq!(call.measured, now >= Offset::from_nanos(SECOND));
            seen.push(call.index);
        }
        let left: usize = workers
            .iter_mut()
            .map(|worker| std::iter::from_fn(|| worker.next(|| Offset::from_nanos(9 * SECOND))).count())
            .sum();
        assert_eq!(seen.len() + left, 200, "100 of the warm-up, and 100 that count");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len() + left, 200, "no number twice");
    }
}
