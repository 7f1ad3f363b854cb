//! The drive against a scripted caller in paused time: exact, to the nanosecond, and over in milliseconds.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::{Instant, timeout};

use super::alarm::Alarm;
use super::caller::{Caller, Outcome};
use super::clock::Clock;
use super::stop::Stop;
use super::worker::{TimeLimit, Worker, WorkerRun};
use crate::load::{Arrival, Arrivals, Limits, Load, Schedule, Share, Tickets};
use crate::plan::AtDuration;
use crate::record::{Detail, End, EndReason, Recorder, Sample};
use crate::units::Offset;

const MS: u64 = 1_000_000;

/// Calls that take as long as a script says.
struct Scripted {
    script: Rc<dyn Fn(u64, Offset) -> Service>,
    clock: Clock,
    cut: Rc<Cut>,
    failure: &'static str,
}

#[derive(Default)]
struct Cut {
    done: Cell<bool>,
    notify: Notify,
}

/// What the server does with a call.
#[derive(Clone, Copy)]
struct Service {
    ms: u64,
    status: u32,
}

impl Service {
    fn ok(ms: u64) -> Service {
        Service { ms, status: 0 }
    }
}

impl Caller for Scripted {
    async fn call(&mut self, arrival: Arrival) -> Outcome {
        let sent = self.clock.now();
        let service = (self.script)(arrival.index, sent);
        let served = timeout(Duration::from_millis(service.ms), async {
            while !self.cut.done.get() {
                self.cut.notify.notified().await;
            }
        });
        let end = if served.await.is_err() { End::Done } else { End::Abandoned };
        self.failure = if service.status == 0 { "" } else { "scripted" };
        Outcome::Sent(Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            first: self.clock.now(),
            done: self.clock.now(),
            bytes_received: 0,
            bytes_sent: 0,
            messages_received: 1,
            messages_sent: 1,
            status: service.status,
            end,
            slot_was_free: true,
        })
    }

    fn failure(&self) -> &str {
        self.failure
    }
}

/// A run of one worker.
struct Simulation {
    load: Load,
    limits: Limits,
    at_end: AtDuration,
    script: Rc<dyn Fn(u64, Offset) -> Service>,
    /// Interrupts after so many milliseconds.
    interrupts_ms: Vec<u64>,
}

impl Simulation {
    fn open(rate: &str, in_flight: u32) -> Simulation {
        let schedule = Schedule::Constant(rate.parse().unwrap());
        Simulation::of(Load::Open { schedule, in_flight: NonZeroU32::new(in_flight).unwrap() })
    }

    fn closed(concurrency: u32) -> Simulation {
        Simulation::of(Load::Closed { concurrency: NonZeroU32::new(concurrency).unwrap() })
    }

    fn of(load: Load) -> Simulation {
        Simulation {
            load,
            limits: Limits::new(Some(200), None).unwrap(),
            at_end: AtDuration::Abandon,
            script: Rc::new(|_, _| Service::ok(1)),
            interrupts_ms: Vec::new(),
        }
    }

    fn limits(mut self, calls: Option<u64>, ms: Option<u64>) -> Simulation {
        self.limits = Limits::new(calls, ms.map(Duration::from_millis)).unwrap();
        self
    }

    fn drain(mut self) -> Simulation {
        self.at_end = AtDuration::Drain;
        self
    }

    fn interrupts(mut self, ms: &[u64]) -> Simulation {
        self.interrupts_ms = ms.to_vec();
        self
    }

    fn serve(mut self, script: impl Fn(u64, Offset) -> Service + 'static) -> Simulation {
        self.script = Rc::new(script);
        self
    }

    fn run(self) -> WorkerRun {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let clock = Clock::starting_at(Instant::now());
            let stop = Stop::default();
            let interrupter = stop.clone();
            tokio::task::spawn_local(async move {
                for ms in self.interrupts_ms {
                    tokio::time::sleep_until(clock.instant(Offset::from_nanos(ms * MS))).await;
                    interrupter.interrupt();
                }
            });
            let tickets = Arc::new(Tickets::new(self.limits, 1));
            let arrivals = Arrivals::new(self.load, self.limits, Share::WHOLE, tickets);
            let recorder = Recorder::new(self.load.schedule().is_some(), 100_000);
            let cut = Rc::new(Cut::default());
            let caller_cut = Rc::clone(&cut);
            let new_caller =
                move |_| Scripted { script: Rc::clone(&self.script), clock, cut: Rc::clone(&caller_cut), failure: "" };
            let limit = self.load.in_flight().into();
            let at_start = if self.load.schedule().is_some() { 1 } else { limit };
            let worker = Worker::new(clock, Alarm::simulated(), arrivals, recorder, limit, new_caller);
            let time = TimeLimit { duration: self.limits.duration(), at_end: self.at_end };
            let run = worker.run(at_start, time, stop.subscribe(), move || {
                cut.done.set(true);
                cut.notify.notify_waiters();
            });
            let run = run.await;
            run.recorder.check();
            run
        })
    }
}

/// Nearest rank over the single calls: the truth that the histograms must come near.
fn exact_quantile(run: &WorkerRun, of: impl Fn(&Detail) -> u64, quantile: f64) -> u64 {
    let mut all: Vec<u64> = run.recorder.details.rows().iter().map(of).collect();
    all.sort_unstable();
    all[(quantile * all.len() as f64).ceil() as usize - 1]
}

#[test]
fn a_constant_rate_is_kept_to_the_nanosecond() {
    let run = Simulation::open("10", 50).run();
    assert_eq!(run.recorder.sent(), 200);
    assert_eq!(run.recorder.lag.as_ref().unwrap().max(), 0);
    let ends: Vec<u64> = run.recorder.details.rows().iter().map(|call| call.done.as_nanos()).collect();
    assert_eq!(ends, (0..200).map(|k| k * 100 * MS + MS).collect::<Vec<_>>());
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Count, Offset::from_nanos(19_901 * MS)));
}

/// The stall of the design: one slot, 100 arrivals a second for 10 s, and one answer that takes a second longer.
#[test]
fn a_stall_shows_in_response_time_and_not_in_service_time() {
    let run = Simulation::open("100", 1)
        .limits(Some(1_000), None)
        .serve(|index, _| Service::ok(if index == 500 { 1_000 } else { 1 }))
        .run();
    assert_eq!(run.recorder.done(), 1_000);
    assert_eq!(exact_quantile(&run, |call| call.service_ns, 0.99), MS);
    assert_eq!(exact_quantile(&run, |call| call.response_ns, 0.99), 910 * MS);
    // Behind the stalled call (due at 5.00 s, back at 6.00 s) the next leave a millisecond apart, each due 10 ms after
    // the last: their lags are 990, 981, ... 9 ms.
    let lag = run.recorder.lag.as_ref().unwrap();
    assert_eq!(lag.max(), 990 * MS);
    assert_eq!(lag.sum(), u128::from((1..=110).map(|k| 9 * k).sum::<u64>() * MS));
    assert_eq!(run.recorder.limited, 110, "late because the only slot was busy");
}

#[test]
fn a_stall_with_slots_to_spare_delays_no_other_call() {
    let run = Simulation::open("100", 500)
        .limits(Some(1_000), None)
        .serve(|index, _| Service::ok(if index == 500 { 1_000 } else { 1 }))
        .run();
    assert_eq!(run.recorder.lag.as_ref().unwrap().max(), 0);
    assert_eq!(run.recorder.limited, 0);
    assert_eq!(exact_quantile(&run, |call| call.response_ns, 0.99), MS);
    assert_eq!(run.recorder.ok.headline().max(), 1_000 * MS);
}

#[test]
fn the_in_flight_limit_is_never_exceeded() {
    let in_flight = Rc::new(Cell::new((0u32, 0u32)));
    let ends = Rc::new(std::cell::RefCell::new(Vec::<u64>::new()));
    let (seen, ended) = (Rc::clone(&in_flight), Rc::clone(&ends));
    let run = Simulation::open("1000", 7)
        .limits(Some(2_000), None)
        .serve(move |_, sent| {
            // A call that ends in this very millisecond has ended before the next one leaves.
            ended.borrow_mut().retain(|end| *end > sent.as_nanos());
            ended.borrow_mut().push(sent.as_nanos() + 20 * MS);
            let now = ended.borrow().len() as u32;
            seen.set((now, seen.get().1.max(now)));
            Service::ok(20)
        })
        .run();
    assert_eq!(in_flight.get().1, 7);
    assert_eq!(run.recorder.done(), 2_000);
    // Slot k begins at k ms and makes a call every 20 ms; 2000 = 285 * 7 + 5, so slot 4 makes the last one, its 286th.
    assert_eq!(run.elapsed, Offset::from_nanos((4 + 286 * 20) * MS));
}

#[test]
fn a_closed_loop_makes_exactly_the_calls_it_is_told() {
    let run = Simulation::closed(7).limits(Some(1_000), None).run();
    assert_eq!(run.recorder.done(), 1_000);
    assert!(run.recorder.lag.is_none());
    assert_eq!(run.elapsed, Offset::from_nanos(1_000_u64.div_ceil(7) * MS));
    let run = Simulation::closed(50).limits(Some(3), None).run();
    assert_eq!((run.recorder.done(), run.elapsed), (3, Offset::from_nanos(MS)));
}

#[test]
fn time_over_abandons_what_is_in_flight() {
    let run = Simulation::closed(1).limits(None, Some(1_000)).serve(|_, _| Service::ok(150)).run();
    assert_eq!((run.recorder.done(), run.recorder.abandoned), (6, 1));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Duration, Offset::from_nanos(1_000 * MS)));
}

#[test]
fn time_over_drains_where_that_is_asked() {
    let run = Simulation::closed(1).limits(None, Some(1_000)).serve(|_, _| Service::ok(150)).drain().run();
    assert_eq!((run.recorder.done(), run.recorder.abandoned), (7, 0));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Duration, Offset::from_nanos(1_050 * MS)));
}

#[test]
fn time_over_counts_what_was_due_and_not_sent() {
    // One slot, 100 ms a call, 100 due in the second: 10 sent, the last of which ends with the run.
    let run = Simulation::open("100", 1).limits(None, Some(1_000)).serve(|_, _| Service::ok(100)).run();
    let calls = &run.recorder;
    assert_eq!(calls.arrivals(), 100);
    assert_eq!((calls.sent(), calls.unsent), (10, 90));
    assert_eq!(run.end_reason, EndReason::Duration);
}

#[test]
fn an_open_loop_lasts_its_whole_time() {
    let run = Simulation::open("100", 10).limits(None, Some(5_000)).run();
    assert_eq!((run.recorder.done(), run.recorder.unsent), (500, 0));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Duration, Offset::from_nanos(5_000 * MS)));
}

#[test]
fn the_count_may_come_before_the_time() {
    let run = Simulation::open("100", 10).limits(Some(50), Some(5_000)).run();
    assert_eq!((run.recorder.done(), run.end_reason), (50, EndReason::Count));
    assert_eq!(run.elapsed, Offset::from_nanos(491 * MS));
    let run = Simulation::closed(2).limits(Some(50), Some(5_000)).run();
    assert_eq!((run.recorder.done(), run.end_reason), (50, EndReason::Count));
}

#[test]
fn an_interrupt_stops_issuing_and_drains() {
    let run = Simulation::open("100", 100).serve(|_, _| Service::ok(95)).interrupts(&[1_005]).run();
    let calls = &run.recorder;
    assert_eq!((calls.done(), calls.abandoned, calls.unsent), (101, 0, 0), "due at 0 to 1000 ms");
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Interrupt, Offset::from_nanos(1_095 * MS)));
}

#[test]
fn a_second_interrupt_abandons_at_once() {
    let run = Simulation::open("100", 100).serve(|_, _| Service::ok(95)).interrupts(&[1_005, 1_032]).run();
    let calls = &run.recorder;
    // Those sent at 940 ms and later are not back at 1032 ms.
    assert_eq!((calls.done(), calls.abandoned), (94, 7));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Interrupt, Offset::from_nanos(1_032 * MS)));
}

#[test]
fn an_interrupt_during_a_drain_abandons_at_the_second() {
    let run = Simulation::closed(1)
        .limits(None, Some(100))
        .serve(|_, _| Service::ok(10_000))
        .drain()
        .interrupts(&[200, 300])
        .run();
    assert_eq!((run.recorder.done(), run.recorder.abandoned), (0, 1));
    assert_eq!(run.elapsed, Offset::from_nanos(300 * MS));
}

#[test]
fn failures_count_apart_from_successes() {
    let run = Simulation::open("100", 10)
        .serve(|index, _| Service {
            ms: if index % 4 == 0 { 50 } else { 2 },
            status: if index % 4 == 0 { 14 } else { 0 },
        })
        .run();
    let calls = &run.recorder;
    assert_eq!((calls.statuses.count(0), calls.statuses.count(14)), (150, 50));
    assert_eq!((calls.ok.service.max(), calls.failed.service.min()), (2 * MS, 50 * MS));
    assert_eq!(calls.failures.rows()[0].count, 50);
}

/// Random plans against a reference model of ten lines: a queue of `in_flight` servers, first come first served.
#[test]
fn random_plans_do_what_the_model_says() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let gap_ms = random.u64(1..20);
        let in_flight = random.u32(1..8);
        let calls = random.u64(1..150);
        let end_ms = random.bool().then(|| random.u64(1..1_000));
        let services: Vec<u64> = (0..calls).map(|_| random.u64(1..60)).collect();

        // Each call leaves when it is due and a slot is free, in order; calls due at or after the end are not made,
        // and those that would leave then are unsent.
        let mut free_at = vec![0; in_flight as usize];
        let (mut expected, mut unsent, mut abandoned) = (Vec::new(), 0, 0);
        for index in (0..calls).filter(|index| end_ms.is_none_or(|end| index * gap_ms < end)) {
            let due = index * gap_ms;
            let slot = free_at.iter_mut().min().unwrap();
            let sent = due.max(*slot);
            *slot = sent + services[index as usize];
            match end_ms {
                Some(end) if sent >= end => unsent += 1,
                Some(end) if *slot >= end => abandoned += 1,
                _ => expected.push((*slot, *slot - due, *slot - sent)),
            }
        }
        expected.sort_unstable();

        let run = Simulation::open(&format!("1/{gap_ms}ms"), in_flight)
            .limits(Some(calls), end_ms)
            .serve(move |index, _| Service::ok(services[index as usize]))
            .run();
        let mut found: Vec<_> = run
            .recorder
            .details
            .rows()
            .iter()
            .map(|call| (call.done.as_nanos() / MS, call.response_ns / MS, call.service_ns / MS))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "seed {seed}: calls");
        assert_eq!(
            (run.recorder.unsent, run.recorder.abandoned),
            (unsent, abandoned),
            "seed {seed}: unsent, abandoned"
        );
    }
}

/// Paused time may only stand for real time while nothing but timers is waited for.
#[test]
fn the_simulation_takes_no_time() {
    let start = std::time::SystemTime::now();
    Simulation::open("0.001", 1).limits(Some(100), None).run();
    assert!(start.elapsed().unwrap() < Duration::from_secs(5), "27 hours in a moment");
}
