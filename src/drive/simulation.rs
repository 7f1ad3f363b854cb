//! The drive against a scripted caller in paused time: exact, to the nanosecond, and over in milliseconds.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::alarm::Alarm;
use super::caller::{Caller, Outcome};
use super::meeting::Meeting;
use super::stop::Stop;
use super::worker::{Books, Parts, Slots, TimeLimit, Worker};
use crate::clock::Clock;
use crate::load::{
    Arrival, Arrivals, Growth, Limits, LineRamp, Load, Population, PopulationChange, Ramp, Schedule, Share, Spacing,
    Steps, Tickets, Warmup,
};
use crate::plan::{AtDuration, MaxFailures};
use crate::record::{ByConnection, Detail, End, EndReason, Recorder, Row, Sample, Series, Slices};
use crate::units::{Change, Offset, Rate};

#[path = "tests/model.rs"]
mod model;
#[path = "tests/streams.rs"]
mod streams;

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
            status: service.status,
            end,
            ..Sample::answered(arrival.due.unwrap_or(sent), sent, self.clock.now())
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
    max_failures: Option<MaxFailures>,
    script: Rc<dyn Fn(u64, Offset) -> Service>,
    /// Interrupts after so many milliseconds.
    interrupts_ms: Vec<u64>,
}

impl Simulation {
    fn open(rate: &str, in_flight: u32) -> Simulation {
        let schedule = Schedule::Constant(rate.parse().unwrap());
        Simulation::scheduled(schedule, in_flight)
    }

    fn scheduled(schedule: Schedule, in_flight: u32) -> Simulation {
        let in_flight = NonZeroU32::new(in_flight).unwrap();
        Simulation::of(Load::Open { schedule, spacing: Spacing::Constant, in_flight })
    }

    fn closed(concurrency: u32) -> Simulation {
        Simulation::of(Load::Closed { concurrency: NonZeroU32::new(concurrency).unwrap().into() })
    }

    fn of(load: Load) -> Simulation {
        Simulation {
            load,
            limits: Limits::new(Some(200), None).unwrap(),
            at_end: AtDuration::Abandon,
            max_failures: None,
            script: Rc::new(|_, _| Service::ok(1)),
            interrupts_ms: Vec::new(),
        }
    }

    fn limits(mut self, calls: Option<u64>, ms: Option<u64>) -> Simulation {
        self.limits = Limits::new(calls, ms.map(Duration::from_millis)).unwrap();
        self
    }

    fn drain(self) -> Simulation {
        self.at_end(AtDuration::Drain)
    }

    fn at_end(mut self, at_end: AtDuration) -> Simulation {
        self.at_end = at_end;
        self
    }

    fn warm_up(mut self, warmup: Warmup) -> Simulation {
        self.limits = self.limits.after(Some(warmup));
        self
    }

    fn max_failures(mut self, max: MaxFailures) -> Simulation {
        self.max_failures = Some(max);
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

    fn run(self) -> Simulated {
        let script = Rc::clone(&self.script);
        self.run_with(async |clock| {
            let cut = Rc::new(Cut::default());
            let of_callers = Rc::clone(&cut);
            let new_caller =
                move |_| Scripted { script: Rc::clone(&script), clock, cut: Rc::clone(&of_callers), failure: "" };
            let cut_off = move || {
                cut.done.set(true);
                cut.notify.notify_waiters();
            };
            (new_caller, cut_off)
        })
    }

    /// Runs with the callers that `parts` makes, and the way to cut off their calls that it gives.
    fn run_with<C, F, X>(self, parts: impl AsyncFnOnce(Clock) -> (F, X)) -> Simulated
    where
        C: Caller + 'static,
        F: Fn(u64) -> C + 'static,
        X: Fn(),
    {
        let mut paused = Builder::new_current_thread();
        paused.enable_time().start_paused(true);
        paused.build_local(LocalOptions::default()).unwrap().block_on(async {
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
            let open = self.load.is_open();
            let series = Rc::new(RefCell::new(Series::new(INTERVAL, 1)));
            let rows = Rc::clone(&series);
            let books = Books {
                recorder: Recorder::new(open, 100_000),
                warmup: self.limits.warmup().map(|_| Recorder::new(open, 100_000)),
                slices: Slices::new(INTERVAL, open),
                by_connection: ByConnection::new(1),
                past: Box::new(move |past| rows.borrow_mut().add(0, past)),
                warmed_up: None,
            };
            let (new_caller, cut_off) = parts(clock).await;
            let meeting = Arc::new(Meeting::new(1, self.max_failures, stop.clone()));
            let worker = Worker::new(Parts {
                number: 0,
                log: None,
                clock,
                alarm: Rc::new(Alarm::simulated()),
                meeting: Arc::clone(&meeting),
                arrivals: Arrivals::new(&self.load, self.limits, Share::WHOLE, tickets),
                books,
                shape: Slots::new(&self.load, Share::WHOLE),
                new_caller,
            });
            let time = TimeLimit { duration: self.limits.duration(), at_end: self.at_end };
            let mut run = worker.run(time, stop.subscribe(), cut_off).await;
            run.recorder.check();
            let warmup = run.warmup.take();
            warmup.iter().for_each(Recorder::check);
            let (slices, started) = std::mem::take(&mut run.slices);
            series.borrow_mut().end(0, slices, &started);
            let from = meeting.counted_from(run.elapsed);
            Simulated {
                recorder: run.recorder,
                warmup,
                rows: series.replace(Series::new(INTERVAL, 1)).finish(Offset::ZERO),
                from,
                end_reason: run.end_reason,
                elapsed: run.elapsed,
            }
        })
    }
}

/// What a simulated run gave.
struct Simulated {
    recorder: Recorder,
    warmup: Option<Recorder>,
    rows: Vec<Row>,
    from: Offset,
    end_reason: EndReason,
    elapsed: Offset,
}

impl Simulated {
    fn warmup(&self) -> &Recorder {
        self.warmup.as_ref().expect("the plan has a warm-up")
    }
}

const INTERVAL: Duration = Duration::from_millis(250);

/// Nearest rank over the single calls: the truth that the histograms must come near.
fn exact_quantile(run: &Simulated, of: impl Fn(&Detail) -> u64, quantile: f64) -> u64 {
    let mut all: Vec<u64> = run.recorder.details.rows().iter().map(of).collect();
    all.sort_unstable();
    all[(quantile * all.len() as f64).ceil() as usize - 1]
}

#[test]
fn c35_a_constant_rate_is_kept_to_the_nanosecond() {
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
fn c35_the_in_flight_limit_is_never_exceeded() {
    let in_flight = Rc::new(Cell::new((0u32, 0u32)));
    let ends = Rc::new(RefCell::new(Vec::<u64>::new()));
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
fn c34_a_closed_loop_makes_exactly_the_calls_it_is_told() {
    let run = Simulation::closed(7).limits(Some(1_000), None).run();
    assert_eq!(run.recorder.done(), 1_000);
    assert!(run.recorder.lag.is_none());
    assert_eq!(run.elapsed, Offset::from_nanos(1_000_u64.div_ceil(7) * MS));
    let run = Simulation::closed(50).limits(Some(3), None).run();
    assert_eq!((run.recorder.done(), run.elapsed), (3, Offset::from_nanos(MS)));
}

#[test]
fn c36_time_over_abandons_what_is_in_flight() {
    let run = Simulation::closed(1).limits(None, Some(1_000)).serve(|_, _| Service::ok(150)).run();
    assert_eq!((run.recorder.done(), run.recorder.abandoned), (6, 1));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Duration, Offset::from_nanos(1_000 * MS)));
}

#[test]
fn c36_time_over_drains_where_that_is_asked() {
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
#[should_panic(expected = "a slot of worker 0 has panicked")]
fn a_slot_that_panics_ends_its_worker() {
    let script = |index: u64, _| {
        assert!(index < 3, "a bug of ours");
        Service::ok(10)
    };
    Simulation::closed(2).limits(Some(10), None).serve(script).run();
}

#[test]
#[should_panic(expected = "a slot of worker 0 has panicked")]
fn the_last_slot_that_panics_ends_its_worker_too() {
    Simulation::closed(1).limits(Some(1), None).serve(|_, _| panic!("a bug of ours")).run();
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
    assert_eq!((calls.ok.service.max(), calls.failed_times().service.min()), (2 * MS, 50 * MS));
    assert_eq!(calls.failures.rows()[0].count, 50);
}

#[test]
fn c36_time_over_may_leave_no_trace_of_what_was_in_flight() {
    let run =
        Simulation::closed(1).limits(None, Some(1_000)).serve(|_, _| Service::ok(150)).at_end(AtDuration::Ignore).run();
    let calls = &run.recorder;
    assert_eq!((calls.done(), calls.abandoned, calls.ignored, calls.sent()), (6, 0, 1, 6));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Duration, Offset::from_nanos(1_000 * MS)));
}

#[test]
fn a_warm_up_is_outside_of_all_numbers() {
    let first_fail = |index: u64, _| Service { ms: 7, status: if index < 20 { 14 } else { 0 } };
    let run = Simulation::open("100", 50)
        .limits(Some(100), None)
        .warm_up(Warmup::Time(Duration::from_millis(195)))
        .serve(first_fail)
        .run();
    assert_eq!((run.recorder.statuses.count(0), run.recorder.done()), (100, 100));
    assert_eq!((run.warmup().statuses.count(14), run.warmup().done()), (20, 20));
    assert_eq!(run.from, Offset::from_nanos(195 * MS));
    assert_eq!(run.rows[..4].iter().map(|row| row.started).collect::<Vec<_>>(), [25; 4]);

    let run = Simulation::closed(1).limits(None, Some(1_000)).warm_up(Warmup::Calls(20)).serve(first_fail).run();
    assert_eq!((run.warmup().done(), run.from), (20, Offset::from_nanos(140 * MS)));
    assert_eq!((run.recorder.done(), run.recorder.abandoned), (142, 1), "a second from there on");
    assert_eq!(run.elapsed, Offset::from_nanos(1_140 * MS));
}

#[test]
fn what_a_warm_up_leaves_undone_does_not_hold_up_what_counts() {
    // The warm-up asks for 200 calls of 20 ms over one place: 50 of them can be made in its second.
    let service = |index: u64, _| Service::ok(if index < 200 { 20 } else { 1 });
    let run = Simulation::open("200", 1)
        .limits(Some(100), None)
        .warm_up(Warmup::Time(Duration::from_secs(1)))
        .serve(service)
        .run();
    assert_eq!((run.warmup().done(), run.warmup().unsent), (50, 150));
    assert_eq!((run.recorder.done(), run.recorder.unsent, run.recorder.limited), (100, 0, 0));
    assert_eq!(run.elapsed, Offset::from_nanos(1_496 * MS), "the last is due after 99 gaps of 5 ms");

    let run = Simulation::open("200", 1).limits(Some(100), None).warm_up(Warmup::Calls(200)).serve(service).run();
    assert_eq!((run.warmup().done(), run.warmup().unsent), (50, 150));
    assert_eq!((run.recorder.done(), run.recorder.limited), (100, 0));
}

#[test]
fn a_run_that_is_stopped_before_its_warm_up_is_over_has_no_calls() {
    let run = Simulation::open("100", 1)
        .warm_up(Warmup::Time(Duration::from_secs(2)))
        .serve(|_, _| Service::ok(100))
        .interrupts(&[1_005])
        .run();
    assert_eq!(run.recorder.arrivals(), 0);
    assert_eq!((run.warmup().done(), run.warmup().unsent), (11, 90));
}

#[test]
fn too_many_failures_stop_the_run_at_once() {
    let fail = |index: u64, _| Service { ms: 3, status: if index % 5 == 4 { 14 } else { 0 } };
    let run = Simulation::open("100", 10).max_failures(MaxFailures::Calls(2)).serve(fail).run();
    assert_eq!((run.recorder.done(), run.recorder.statuses.count(14), run.recorder.unsent), (15, 3, 0));
    assert_eq!((run.end_reason, run.elapsed), (EndReason::Failures, Offset::from_nanos(143 * MS)));
    // A fifth is more than 19 %, which shows as soon as it is judged.
    let run = Simulation::open("100", 10).max_failures(MaxFailures::Share(0.19)).serve(fail).run();
    assert_eq!((run.recorder.done(), run.end_reason), (100, EndReason::Failures));
    let run = Simulation::open("100", 10).max_failures(MaxFailures::Share(0.2)).serve(fail).run();
    assert_eq!((run.recorder.done(), run.end_reason), (200, EndReason::Count));
}

fn changing(start: u32, step: i32, every_ms: u64, end: u32) -> Simulation {
    let change = PopulationChange {
        start,
        step,
        every: Duration::from_millis(every_ms),
        line: false,
        end: Some(end),
        longest: None,
    };
    Simulation::of(Load::Closed { concurrency: Population::Changing(Growth::new(change).unwrap()) })
}

#[test]
fn callers_join_and_leave_with_time() {
    let run = changing(2, 3, 250, 8).limits(None, Some(1_000)).serve(|_, _| Service::ok(10)).run();
    let started: Vec<u64> = run.rows.iter().map(|row| row.started).collect();
    assert_eq!(started, [2 * 25, 5 * 25, 8 * 25, 8 * 25]);
    // Who leaves ends the last call: all 8 call at 240 ms, those of them who stay at 320 ms.
    let run = changing(8, -3, 250, 2).limits(None, Some(1_000)).serve(|_, _| Service::ok(80)).run();
    let started: Vec<u64> = run.rows.iter().map(|row| row.started).collect();
    assert_eq!(started, [8 * 4, 5 * 3, 2 * 3, 2 * 3]);
    assert_eq!((run.rows[0].in_flight, run.rows[1].in_flight), (8, 5));
}

#[test]
fn a_run_does_not_wait_for_callers_who_have_nothing_to_do() {
    let run = changing(1, 1, 3_600_000, 5).limits(Some(20), None).run();
    assert_eq!((run.recorder.done(), run.elapsed), (20, Offset::from_nanos(20 * MS)));
}

/// Paused time may only stand for real time while nothing but timers is waited for.
#[test]
fn the_simulation_takes_no_time() {
    let start = std::time::SystemTime::now();
    Simulation::open("0.001", 1).limits(Some(100), None).run();
    assert!(start.elapsed().unwrap() < Duration::from_secs(5), "27 hours in a moment");
}
