//! One worker: its slots, and how a run begins and ends for them.
//!
//! Everything here runs on one thread. A slot takes the next arrival, waits until it is due, makes the call, and records
//! it; there is no queue between slots, and little is shared with other workers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::{spawn_local, yield_now};
use tokio::time::sleep_until;

use super::alarm::{Alarm, Wake};
use super::caller::{Caller, Outcome};
use super::meeting::Meeting;
use super::stop::{Level, Order};
use super::watching::WorkerLog;
use crate::clock::Clock;
use crate::load::{Arrivals, Load, Population, Share};
use crate::plan::AtDuration;
use crate::record::{ByConnection, ConnectionCalls, End, EndReason, Past, Recorder, Sample, Slice, Slices};
use crate::units::Offset;

/// When a worker's run ends by the clock, and what then happens to calls in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    /// From when calls count.
    pub(super) duration: Option<Duration>,
    pub(super) at_end: AtDuration,
}

/// How many slots a worker has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slots {
    /// As many as its share of the callers.
    Closed(Population, Share),
    /// As many as it takes, up to a limit.
    Open(u64),
}

impl Slots {
    pub(super) fn new(load: &Load, share: Share) -> Slots {
        match load {
            Load::Closed { concurrency } => Slots::Closed(*concurrency, share),
            Load::Open { in_flight, .. } => Slots::Open(share.below(u64::from(in_flight.get()))),
        }
    }
}

/// What a worker takes calls in with.
pub(super) struct Books {
    /// Of calls that count.
    pub(super) recorder: Recorder,
    /// Of those before.
    pub(super) warmup: Option<Recorder>,
    pub(super) slices: Slices,
    pub(super) by_connection: ByConnection,
    /// Takes intervals that are past.
    pub(super) past: Box<dyn FnMut(Past)>,
    /// Takes the calls of the warm-up as far as they have ended when it is over.
    pub(super) warmed_up: Option<WarmedUp>,
}

/// Takes the calls of a warm-up.
type WarmedUp = Box<dyn FnOnce(&Recorder)>;

/// The slots of one worker and what they share.
pub(super) struct Worker<F> {
    number: usize,
    clock: Clock,
    alarm: Rc<Alarm>,
    meeting: Arc<Meeting>,
    arrivals: RefCell<Arrivals>,
    books: RefCell<Books>,
    /// Takes each call, if somebody wants to see it.
    log: Option<WorkerLog>,
    /// Makes the caller of slot `k`.
    new_caller: F,
    shape: Slots,
    /// Slots with lower numbers may make calls.
    limit: Cell<u64>,
    /// Slots that there have been; the number of the next.
    slots: Cell<u64>,
    running: Cell<u64>,
    /// A slot has panicked.
    broken: Cell<bool>,
    /// More callers are still to come.
    growing: Cell<bool>,
    /// There are no more arrivals.
    exhausted: Cell<bool>,
    measuring: Cell<bool>,
    /// Calls that are cut off are not to be counted.
    ignoring: Cell<bool>,
    progress: Notify,
    last_done: Cell<Offset>,
}

/// That a slot runs. Where it ends by a panic, which its task would keep to itself, the worker is told.
struct Running<F>(Rc<Worker<F>>);

impl<F> Drop for Running<F> {
    fn drop(&mut self) {
        let worker = &self.0;
        worker.running.set(worker.running.get() - 1);
        worker.broken.set(worker.broken.get() || std::thread::panicking());
        if worker.running.get() == 0 || worker.broken.get() {
            worker.progress.notify_waiters();
        }
    }
}

/// What a worker's run gave.
pub(super) struct WorkerRun {
    pub(super) recorder: Recorder,
    pub(super) warmup: Option<Recorder>,
    /// Slices that are left, and calls started by interval.
    pub(super) slices: (Vec<Slice>, Vec<u32>),
    /// Calls of each of its connections.
    pub(super) by_connection: Vec<ConnectionCalls>,
    pub(super) end_reason: EndReason,
    /// From the start of the clock.
    pub(super) elapsed: Offset,
}

/// What a worker works with.
pub(super) struct Parts<F> {
    pub(super) number: usize,
    pub(super) log: Option<WorkerLog>,
    pub(super) clock: Clock,
    pub(super) alarm: Rc<Alarm>,
    pub(super) meeting: Arc<Meeting>,
    pub(super) arrivals: Arrivals,
    pub(super) books: Books,
    pub(super) shape: Slots,
    pub(super) new_caller: F,
}

impl<C: Caller + 'static, F: Fn(u64) -> C + 'static> Worker<F> {
    pub(super) fn new(parts: Parts<F>) -> Rc<Worker<F>> {
        let Parts { number, log, clock, alarm, meeting, arrivals, books, shape, new_caller } = parts;
        Rc::new(Worker {
            number,
            clock,
            alarm,
            meeting,
            arrivals: RefCell::new(arrivals),
            books: RefCell::new(books),
            log,
            new_caller,
            shape,
            limit: Cell::new(0),
            slots: Cell::new(0),
            running: Cell::new(0),
            broken: Cell::new(false),
            growing: Cell::new(true),
            exhausted: Cell::new(false),
            measuring: Cell::new(false),
            ignoring: Cell::new(false),
            progress: Notify::new(),
            last_done: Cell::new(Offset::ZERO),
        })
    }

    /// Makes the calls. Ends when all are made, at the time limit, or when `stop` says so; `cut_off` is called when
    /// calls in flight are to end at once.
    pub(super) async fn run(
        self: Rc<Self>,
        time: TimeLimit,
        mut stop: watch::Receiver<Order>,
        cut_off: impl Fn(),
    ) -> WorkerRun {
        let alarm = Rc::clone(&self.alarm);
        let keeper = spawn_local(async move { alarm.run().await });
        if let Some(from) = self.arrivals.borrow().measured_from() {
            self.meeting.measure_from(from);
            self.measuring.set(true);
        }
        self.alarm.until(self.clock.start()).await;
        let populating = Rc::clone(&self);
        let populator = spawn_local(async move { populating.populate().await });
        let passing = Rc::clone(&self);
        let passer = spawn_local(async move { passing.pass_intervals().await });
        let end_reason = self.wait_for_end(time, &mut stop, &cut_off).await;
        keeper.abort();
        populator.abort();
        passer.abort();
        let elapsed = match end_reason {
            EndReason::Count => self.last_done.get(),
            EndReason::Duration | EndReason::Failures | EndReason::Interrupt => self.clock.now(),
        };
        // The slots have ended, and nobody else has the books.
        let mut books = self.books.replace(Books {
            recorder: Recorder::new(false, 0),
            warmup: None,
            slices: Slices::new(Duration::from_secs(1), false),
            by_connection: ByConnection::new(0),
            past: Box::new(drop),
            warmed_up: None,
        });
        if let Some(warmup) = &mut books.warmup {
            warmup.unsent += self.arrivals.borrow().passed_over();
        }
        WorkerRun {
            by_connection: books.by_connection.finish(&books.recorder),
            recorder: books.recorder,
            warmup: books.warmup,
            slices: books.slices.finish(),
            end_reason,
            elapsed,
        }
    }

    /// Adds slots as the load asks for; those of callers who leave end by themselves.
    async fn populate(self: &Rc<Self>) {
        match self.shape {
            Slots::Open(limit) => {
                self.limit.set(limit);
                if limit > 0 {
                    self.add_slot();
                }
            }
            Slots::Closed(population, share) => {
                let mut taken = self.meeting.taken.subscribe();
                let mut now = Offset::ZERO;
                while !self.exhausted.get() {
                    self.limit.set(share.below(population.at(now).into()));
                    while self.slots.get() < self.limit.get() {
                        self.add_slot();
                    }
                    let Some(next) = population.changes_after(now) else { break };
                    tokio::select! {
                        () = sleep_until(self.clock.instant(next)) => now = next,
                        _ = taken.wait_for(|taken| *taken) => break,
                    }
                }
            }
        }
        self.growing.set(false);
        self.progress.notify_waiters();
    }

    /// Tells of intervals that are past, also while no call ends: who merges them waits for all workers.
    async fn pass_intervals(&self) {
        let mut time_passes = self.meeting.time_passes.subscribe();
        while time_passes.changed().await.is_ok() {
            let now = self.clock.now();
            let mut books = self.books.borrow_mut();
            let Books { slices, past, .. } = &mut *books;
            slices.pass(now, self.meeting.counted_from(now), past);
        }
    }

    async fn wait_for_end(
        self: &Rc<Self>,
        time: TimeLimit,
        stop: &mut watch::Receiver<Order>,
        cut_off: &impl Fn(),
    ) -> EndReason {
        let mut measuring = self.meeting.measuring.subscribe();
        let time_over = async {
            let Some(duration) = time.duration else { return std::future::pending().await };
            // The sender lives as long as the run.
            let from = measuring.wait_for(Option::is_some).await.ok().and_then(|from| *from);
            let end = from.unwrap_or_default() + duration;
            sleep_until(self.clock.instant(end)).await;
            end
        };
        let (reason, end) = tokio::select! {
            biased;
            reason = stopped(stop) => (reason, self.clock.now()),
            end = time_over => (EndReason::Duration, end),
            () = self.ended_by_count() => return EndReason::Count,
        };
        self.stop_issuing(end);
        if reason == EndReason::Duration && time.at_end != AtDuration::Drain {
            self.ignoring.set(time.at_end == AtDuration::Ignore);
            cut_off();
        }
        tokio::select! {
            biased;
            () = self.ended() => return reason,
            () = abandoned(stop) => cut_off(),
        }
        self.ended().await;
        reason
    }

    /// No slot starts a call from now on. Counts the calls that were due before `end` and have not been sent.
    fn stop_issuing(&self, end: Offset) {
        let unsent = self.arrivals.borrow_mut().stop(end);
        let mut books = self.books.borrow_mut();
        books.recorder.unsent += unsent.measured;
        if let Some(warmup) = &mut books.warmup {
            warmup.unsent += unsent.warmup;
        }
        self.limit.set(0);
        self.exhausted.set(true);
        self.alarm.stop();
    }

    fn add_slot(self: &Rc<Self>) {
        let number = self.slots.get();
        self.slots.set(number + 1);
        self.running.set(self.running.get() + 1);
        let worker = Rc::clone(self);
        let mut caller = (self.new_caller)(number);
        spawn_local(async move {
            let _running = Running(Rc::clone(&worker));
            // By reference: a caller that is moved into a future takes its room twice.
            worker.slot(number, &mut caller).await;
        });
    }

    /// The whole of a slot.
    async fn slot(self: &Rc<Self>, number: u64, caller: &mut C) {
        let connection = self.books.borrow().by_connection.of_slot(number);
        while number < self.limit.get() {
            let scarce = self.slots.get() >= self.limit.get();
            let Some(arrival) = self.arrivals.borrow_mut().next(scarce, || self.clock.now()) else {
                self.exhausted.set(true);
                self.meeting.all_taken();
                break;
            };
            let mut slot_was_free = true;
            if let Some(due) = arrival.due {
                slot_was_free = self.clock.now() <= due || self.slots.get() < self.limit.get();
            }
            caller.prepare(arrival);
            if let Some(due) = arrival.due {
                if self.alarm.until(self.clock.instant(due)).await == Wake::Stopped {
                    self.count_unsent(due, arrival.measured);
                    break;
                }
                if self.alarm.is_idle() && self.slots.get() < self.limit.get() {
                    self.add_slot();
                }
            } else if arrival.measured && !self.measuring.replace(true) {
                self.meeting.measure_from(self.clock.now());
            }
            self.meeting.show_start(self.number);
            let outcome = caller.call(arrival).await;
            if let Some(log) = &self.log {
                log.note(number, arrival, &outcome, caller.failure());
            }
            match outcome {
                Outcome::Sent(sample) => {
                    let sample = Sample { slot_was_free, ..sample };
                    self.meeting.show_end(self.number, Some((&sample, arrival.measured)));
                    self.take_in(&sample, connection, arrival.measured, caller.failure());
                }
                Outcome::Unsent => {
                    self.meeting.show_end(self.number, None);
                    self.take_in_unsent(arrival.measured, caller.failure());
                    // Nothing was waited for, and others must have their turn.
                    yield_now().await;
                }
            }
        }
    }

    /// Records a call that was sent.
    fn take_in(&self, sample: &Sample, connection: usize, measured: bool, failure: &str) {
        self.alarm.note_work();
        let mut books = self.books.borrow_mut();
        let Books { recorder, warmup, slices, by_connection, past, warmed_up } = &mut *books;
        if sample.end == End::Abandoned && self.ignoring.get() {
            recorder.record_ignored(sample);
            return;
        }
        self.last_done.set(self.last_done.get().max(sample.done));
        if measured {
            recorder.record(sample, failure);
            by_connection.record(connection, sample);
            if let Some(interval) = slices.record(sample, self.meeting.counted_from(sample.sent)) {
                past(interval);
            }
        } else if let Some(warmup) = warmup {
            warmup.record(sample, failure);
        }
        // Calls of a warm-up that was too much for the server may end long after it.
        if let Some(warmup) = warmup
            && warmed_up.is_some()
            && sample.done >= self.meeting.counted_from(sample.done)
            && let Some(warmed_up) = warmed_up.take()
        {
            warmed_up(warmup);
        }
        drop(books);
        let counts = measured && sample.end == End::Done;
        if counts && self.meeting.ended(self.number, sample.status != 0) && !self.exhausted.get() {
            // At once, and not when the order comes around: no call leaves after this one.
            self.stop_issuing(self.clock.now());
        }
    }

    /// Counts a call that could not be sent.
    fn take_in_unsent(&self, measured: bool, reason: &str) {
        let mut books = self.books.borrow_mut();
        let recorder = if measured { Some(&mut books.recorder) } else { books.warmup.as_mut() };
        if let Some(recorder) = recorder {
            recorder.record_unsent(reason);
        }
    }

    /// A slot was stopped while it held the arrival that is due at `due`.
    fn count_unsent(&self, due: Offset, measured: bool) {
        let mut books = self.books.borrow_mut();
        let recorder = if measured { Some(&mut books.recorder) } else { books.warmup.as_mut() };
        if let Some(recorder) = recorder.filter(|_| due < self.clock.now()) {
            recorder.unsent += 1;
        }
    }

    async fn ended(&self) {
        loop {
            assert!(!self.broken.get(), "a slot of worker {} has panicked", self.number);
            if self.running.get() == 0 && (self.exhausted.get() || !self.growing.get()) {
                return;
            }
            self.progress.notified().await;
        }
    }

    /// Ended, and not because there was no time for more.
    async fn ended_by_count(&self) {
        self.ended().await;
        if !self.arrivals.borrow().ended_by_count() {
            std::future::pending::<()>().await;
        }
    }
}

/// Somebody says that the run is to stop, and why.
pub(super) async fn stopped(stop: &mut watch::Receiver<Order>) -> EndReason {
    // The sender lives as long as the run.
    stop.wait_for(|order| order.level >= Level::StopIssuing).await.map_or(EndReason::Interrupt, |order| order.reason)
}

async fn abandoned(stop: &mut watch::Receiver<Order>) {
    let _ = stop.wait_for(|order| order.level >= Level::Abandon).await;
}
