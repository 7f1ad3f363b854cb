//! One worker: its slots, and how a run begins and ends for them.
//!
//! Everything here runs on one thread. A slot takes the next arrival, waits until it is due, makes the call, and records
//! it; there is no queue between slots, and nothing is shared with other workers but the tickets of a closed loop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::{spawn_local, yield_now};
use tokio::time::sleep_until;

use super::alarm::{Alarm, Wake};
use super::caller::{Caller, Outcome};
use super::clock::Clock;
use super::stop::Level;
use crate::load::Arrivals;
use crate::plan::AtDuration;
use crate::record::{EndReason, Recorder, Sample};
use crate::units::Offset;

/// When a worker's run ends by the clock, and what then happens to calls in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    pub(super) duration: Option<Duration>,
    pub(super) at_end: AtDuration,
}

/// The slots of one worker and what they share.
pub(super) struct Worker<F> {
    clock: Clock,
    alarm: Rc<Alarm>,
    arrivals: RefCell<Arrivals>,
    recorder: RefCell<Recorder>,
    /// Makes the caller of slot `k`.
    new_caller: F,
    limit: u64,
    /// Slots that there have been; the number of the next.
    slots: Cell<u64>,
    running: Cell<u64>,
    all_ended: Notify,
    last_done: Cell<Offset>,
}

/// What a worker's run gave.
#[derive(Debug)]
pub(super) struct WorkerRun {
    pub(super) recorder: Recorder,
    pub(super) end_reason: EndReason,
    pub(super) elapsed: Offset,
}

impl<C: Caller + 'static, F: Fn(u64) -> C + 'static> Worker<F> {
    pub(super) fn new(
        clock: Clock,
        alarm: Alarm,
        arrivals: Arrivals,
        recorder: Recorder,
        limit: u64,
        new_caller: F,
    ) -> Rc<Worker<F>> {
        Rc::new(Worker {
            clock,
            alarm: Rc::new(alarm),
            arrivals: RefCell::new(arrivals),
            recorder: RefCell::new(recorder),
            new_caller,
            limit,
            slots: Cell::new(0),
            running: Cell::new(0),
            all_ended: Notify::new(),
            last_done: Cell::new(Offset::ZERO),
        })
    }

    /// Makes the calls. Ends when all are made, at the time limit, or when `stop` says so; `cut_off` is called when
    /// calls in flight are to end at once.
    pub(super) async fn run(
        self: Rc<Self>,
        at_start: u64,
        time: TimeLimit,
        mut stop: watch::Receiver<Level>,
        cut_off: impl Fn(),
    ) -> WorkerRun {
        let alarm = Rc::clone(&self.alarm);
        let keeper = spawn_local(async move { alarm.run().await });
        self.alarm.until(self.clock.start()).await;
        for _ in 0..at_start.min(self.limit) {
            self.add_slot();
        }
        let end_reason = self.wait_for_end(time, &mut stop, &cut_off).await;
        keeper.abort();
        let elapsed = match end_reason {
            EndReason::Count => self.last_done.get(),
            EndReason::Duration | EndReason::Interrupt => self.clock.now(),
        };
        // The slots have ended, and nobody else has the recorder.
        let recorder = self.recorder.replace(Recorder::new(false, 0));
        WorkerRun { recorder, end_reason, elapsed }
    }

    async fn wait_for_end(
        self: &Rc<Self>,
        time: TimeLimit,
        stop: &mut watch::Receiver<Level>,
        cut_off: &impl Fn(),
    ) -> EndReason {
        let end = time.duration.map(|duration| self.clock.start() + duration);
        let time_over = async {
            match end {
                Some(end) => sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        let reason = tokio::select! {
            biased;
            () = interrupted(stop) => EndReason::Interrupt,
            () = time_over => EndReason::Duration,
            () = self.ended_by_count() => EndReason::Count,
        };
        if reason == EndReason::Count {
            return reason;
        }
        self.stop_issuing(end.filter(|_| reason == EndReason::Duration).map(|end| self.clock.offset(end)));
        if reason == EndReason::Duration && time.at_end == AtDuration::Abandon {
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

    /// No slot starts a call from now on. Counts the calls that were due before `end` (now, if it is not given) and
    /// have not been sent.
    fn stop_issuing(&self, end: Option<Offset>) {
        let end = end.unwrap_or_else(|| self.clock.now());
        let unsent = self.arrivals.borrow_mut().stop(end);
        self.recorder.borrow_mut().unsent += unsent;
        self.alarm.stop();
    }

    fn add_slot(self: &Rc<Self>) {
        let number = self.slots.get();
        self.slots.set(number + 1);
        self.running.set(self.running.get() + 1);
        let worker = Rc::clone(self);
        let caller = (self.new_caller)(number);
        spawn_local(async move {
            worker.slot(caller).await;
            worker.running.set(worker.running.get() - 1);
            if worker.running.get() == 0 {
                worker.all_ended.notify_waiters();
            }
        });
    }

    /// The whole of a slot.
    async fn slot(self: &Rc<Self>, mut caller: C) {
        loop {
            let Some(arrival) = self.arrivals.borrow_mut().next() else { break };
            let mut slot_was_free = true;
            if let Some(due) = arrival.due {
                slot_was_free = self.clock.now() <= due || self.slots.get() < self.limit;
            }
            caller.prepare(arrival);
            if let Some(due) = arrival.due {
                if self.alarm.until(self.clock.instant(due)).await == Wake::Stopped {
                    self.count_unsent(due);
                    break;
                }
                if self.alarm.is_idle() && self.slots.get() < self.limit {
                    self.add_slot();
                }
            }
            let sample = match caller.call(arrival).await {
                Outcome::Sent(sample) => Sample { slot_was_free, ..sample },
                Outcome::Unsent => {
                    self.recorder.borrow_mut().record_unsent(caller.failure());
                    // Nothing was waited for, and others must have their turn.
                    yield_now().await;
                    continue;
                }
            };
            self.last_done.set(self.last_done.get().max(sample.done));
            self.recorder.borrow_mut().record(&sample, caller.failure());
        }
    }

    /// A slot was stopped while it held the arrival that is due at `due`.
    fn count_unsent(&self, due: Offset) {
        if due < self.clock.now() {
            self.recorder.borrow_mut().unsent += 1;
        }
    }

    async fn ended(&self) {
        while self.running.get() > 0 {
            self.all_ended.notified().await;
        }
    }

    /// Ended, and not because there was no time for more.
    async fn ended_by_count(&self) {
        self.ended().await;
        if !self.arrivals.borrow().end_by_count() {
            std::future::pending::<()>().await;
        }
    }
}

/// Somebody says that the run is to stop.
pub(super) async fn interrupted(stop: &mut watch::Receiver<Level>) {
    // The sender lives as long as the run.
    let _ = stop.wait_for(|level| *level >= Level::StopIssuing).await;
}

async fn abandoned(stop: &mut watch::Receiver<Level>) {
    let _ = stop.wait_for(|level| *level >= Level::Abandon).await;
}
