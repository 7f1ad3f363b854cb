//! Turns a [`Plan`] into a [`Recording`].
//!
//! Each worker is a thread with a runtime, connections, slots and a recorder of its own; they meet before the clock
//! starts and after it has stopped. Nothing here prints, and after the clock has started nothing fails: calls end with
//! a status.

mod alarm;
mod caller;
mod clock;
#[cfg(test)]
mod simulation;
mod stop;
mod streams;
#[cfg(test)]
mod tests;
mod thread;
mod worker;

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::error::{Error, Problems};
use crate::load::{Share, Tickets};
use crate::plan::Plan;
use crate::record::{Connections, EndReason, Recorder, Recording};
use crate::units::Offset;

pub use stop::Stop;
use thread::{Finished, Job};

/// From the moment at which all workers are ready to the start of the clock: time for each to hear of it.
const LEAD: Duration = Duration::from_millis(2);

/// Runs the plan, whose security has been found out. Returns when the run has ended.
///
/// Errors when a connection does not come up; nothing has been called then.
pub fn run(plan: &Plan, stop: &Stop) -> Result<Recording, Problems> {
    plan.check()?;
    let shares = Share::split(plan.connections.get(), plan.workers.get());
    let tickets = Arc::new(Tickets::new(plan.limits, plan.load.in_flight()));
    let (start, started) = watch::channel(None);
    let (ready, all_ready) = mpsc::channel();
    // `start` moves in, so that leaving early drops it before the scope waits for its threads.
    std::thread::scope(move |scope| {
        let workers: Vec<_> = shares
            .iter()
            .enumerate()
            .map(|(number, share)| {
                let job = Job {
                    plan,
                    share: *share,
                    details: plan.details.div_ceil(shares.len()),
                    tickets: Arc::clone(&tickets),
                    started: started.clone(),
                    stop: stop.subscribe(),
                };
                let ready = ready.clone();
                std::thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || thread::work(job, ready))
                    .expect("the system gives a thread for each worker")
            })
            .collect();
        drop(ready);
        let mut problems = Problems::new();
        for outcome in all_ready {
            problems.keep::<(), Error>(outcome);
        }
        // Dropping `start` sends the workers that are ready home.
        problems.into_result()?;
        let started_at = SystemTime::now() + LEAD;
        start.send_replace(Some(Instant::now() + LEAD));
        Ok(gather(plan, started_at, workers.into_iter().map(std::thread::ScopedJoinHandle::join)))
    })
}

/// Merges what the workers bring. One that panicked brings nothing, and is counted.
fn gather(
    plan: &Plan,
    started_at: SystemTime,
    workers: impl Iterator<Item = std::thread::Result<Option<Finished>>>,
) -> Recording {
    let mut recording = Recording {
        calls: Recorder::new(plan.load.schedule().is_some(), 0),
        connections: Connections::default(),
        workers: Vec::new(),
        end_reason: EndReason::Count,
        elapsed: Offset::ZERO,
        started_at,
        workers_lost: 0,
    };
    for worker in workers {
        let Ok(Some(finished)) = worker else {
            recording.workers_lost += 1;
            continue;
        };
        recording.calls.merge(finished.run.recorder);
        recording.connections.merge(finished.connections);
        recording.workers.push(finished.usage);
        recording.elapsed = recording.elapsed.max(finished.run.elapsed);
        recording.end_reason = recording.end_reason.max(finished.run.end_reason);
    }
    recording
}
