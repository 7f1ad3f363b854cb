//! The calls of a run, whole and dealt out to workers.

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
    std::iter::from_fn(|| arrivals.next(false, || Offset::ZERO)).collect()
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
        arrivals.next(false, || Offset::ZERO).unwrap();
    }
    assert_eq!(arrivals.stop(Offset::from_nanos(SECOND)), measured(7));
    assert_eq!(arrivals.next(false, || Offset::ZERO), None);
    assert_eq!(arrivals.stop(Offset::from_nanos(9 * SECOND)), measured(0), "counted once");
}

#[test]
fn stop_early_owes_nothing_for_calls_given_ahead() {
    let mut arrivals = open("10", limits(Some(100), None));
    for _ in 0..3 {
        arrivals.next(false, || Offset::ZERO).unwrap();
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
        let mut parts: Vec<Arrival> = shares.into_iter().flat_map(|share| all(&mut of(&load, limits, share))).collect();
        parts.sort_by_key(|call| call.index);
        assert_eq!(parts, whole, "{workers} workers");
    }
    let mut arrivals = of(&load, limits, Share::WHOLE);
    for _ in 0..10 {
        arrivals.next(false, || Offset::ZERO).unwrap();
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
        while let Some(arrival) = sources.iter_mut().rev().find_map(|source| source.next(false, || Offset::ZERO)) {
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
        assert_eq!((0..5_000).filter_map(|_| worker.next(false, || Offset::ZERO)).count(), 5_000);
    }
    assert!(workers.iter_mut().all(|worker| worker.next(false, || Offset::ZERO).is_none()));
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
        let Some(call) = workers[turn as usize % 2].next(false, || now) else { break };
        assert_eq!(call.measured, now >= Offset::from_nanos(SECOND));
        seen.push(call.index);
    }
    let left: usize = workers
        .iter_mut()
        .map(|worker| std::iter::from_fn(|| worker.next(false, || Offset::from_nanos(9 * SECOND))).count())
        .sum();
    assert_eq!(seen.len() + left, 200, "100 of the warm-up, and 100 that count");
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len() + left, 200, "no number twice");
}
