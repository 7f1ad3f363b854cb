//! A worker whose calls are answered at once: what driving costs by itself. Benches measure it, and nobody else uses it.

use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::LocalRuntime;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::alarm::Alarm;
use super::caller::{Caller, Outcome};
use super::meeting::Meeting;
use super::stop::Stop;
use super::worker::{Books, Parts, Slots, TimeLimit, Worker};
use crate::clock::Clock;
use crate::load::{Arrival, Arrivals, Limits, Load, Schedule, Share, Spacing, Tickets};
use crate::plan::{AtDuration, Idle};
use crate::record::{ByConnection, Recorder, Sample, Slices};
use crate::units::Rate;

/// Calls in flight.
const IN_FLIGHT: NonZeroU32 = NonZeroU32::new(50).unwrap();

/// Makes so many calls in a closed loop, at which somebody looks if it is to be `seen`.
#[doc(hidden)]
pub fn closed_loop_unconnected(calls: u64, seen: bool) {
    drive(calls, &Load::Closed { concurrency: IN_FLIGHT.into() }, seen);
}

/// Makes so many calls under a rate at which all are due at once.
#[doc(hidden)]
pub fn open_loop_unconnected(calls: u64) {
    let schedule = Schedule::Constant(Rate::new(1, 1).expect("a rate"));
    drive(calls, &Load::Open { schedule, spacing: Spacing::Constant, in_flight: IN_FLIGHT }, false);
}

/// Answers at once, and lets the other slots have their turn.
struct Echo(Clock);

impl Caller for Echo {
    async fn call(&mut self, arrival: Arrival) -> Outcome {
        let sent = self.0.now();
        yield_now().await;
        Outcome::Sent(Sample::answered(arrival.due.unwrap_or(sent), sent, self.0.now()))
    }

    fn failure(&self) -> &'static str {
        ""
    }
}

fn drive(calls: u64, load: &Load, seen: bool) {
    let limits = Limits::new(Some(calls), None).expect("a limit");
    let runtime = LocalRuntime::new().expect("the system gives a runtime");
    let run = runtime.block_on(async {
        let (clock, stop) = (Clock::starting_at(Instant::now()), Stop::default());
        let meeting = Meeting::new(1, None, stop.clone());
        let worker = Worker::new(Parts {
            number: 0,
            log: None,
            clock,
            alarm: Rc::new(Alarm::new(Idle::Sleep).expect("the system gives a timer")),
            meeting: Arc::new(if seen { meeting.seen() } else { meeting }),
            arrivals: Arrivals::new(load, limits, Share::WHOLE, Arc::new(Tickets::new(limits, 1))),
            books: Books {
                recorder: Recorder::new(load.is_open(), 0).with_room(),
                warmup: None,
                // One that nobody reaches: how long this takes is not to change what it does.
                slices: Slices::new(Duration::from_secs(3_600), load.is_open()),
                by_connection: ByConnection::new(1),
                past: Box::new(drop),
                warmed_up: None,
            },
            shape: Slots::new(load, Share::WHOLE),
            new_caller: move |_| Echo(clock),
        });
        worker.run(TimeLimit { duration: None, at_end: AtDuration::Drain }, stop.subscribe(), || {}).await
    });
    assert_eq!(run.recorder.done(), calls);
}
