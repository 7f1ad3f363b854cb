//! Turns a [`Plan`] into a [`Recording`].
//!
//! Each worker is a thread with a runtime, connections, slots and a recorder of its own; they meet before the clock
//! starts and after it has stopped. Nothing here prints, and after the clock has started nothing fails: calls end with
//! a status.

mod alarm;
mod caller;
mod contents;
mod live;
mod machine;
mod meeting;
mod news;
mod showing;
#[cfg(test)]
mod simulation;
mod stop;
mod streams;
#[cfg(test)]
mod tests;
mod thread;
mod unconnected;
mod usage;
mod watching;
mod worker;

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::error::{Error, Problems, UsageError};
use crate::load::{Share, Tickets};
use crate::plan::Plan;
use crate::record::{Recorder, Recording, Series, Warmup};
use crate::units::Offset;

pub use live::Live;
use machine::Observer;
use meeting::Meeting;
use news::{Foresight, News};
pub use stop::Stop;
use thread::{Finished, Job};
#[doc(hidden)]
pub use unconnected::{closed_loop_unconnected, open_loop_unconnected};
pub use watching::{CallEnd, CallEvent, CallEvents, CallLog, KeptReply, Replies, Watch};

/// From the moment at which all workers are ready to the start of the clock: time for each to hear of it.
const LEAD: Duration = Duration::from_millis(2);

/// Runs the plan, whose security has been found out. Returns when the run has ended.
///
/// Errors when a connection does not come up, or there is no thread for a worker; nothing has been called then.
pub fn run(plan: &Plan, stop: &Stop) -> Result<Recording, Problems> {
    run_watched(plan, stop, &Watch::default())
}

/// The same, with single calls, and what can be foretold, to be seen by others.
pub fn run_watched(plan: &Plan, stop: &Stop, watch: &Watch) -> Result<Recording, Problems> {
    plan.check()?;
    let mut foresight = Foresight::new(plan, watch.foretold);
    let shares = Share::split(plan.connections.get(), plan.workers.get());
    let tickets = Arc::new(Tickets::new(plan.limits, plan.load.in_flight()));
    let meeting = Meeting::new(shares.len(), plan.max_failures, stop.clone());
    let meeting = Arc::new(if watch.live.is_some() { meeting.seen() } else { meeting });
    let observer = Observer::before();
    let (news, all_news) = mpsc::channel();
    let (start, started) = watch::channel(None);
    let (ready, all_ready) = mpsc::channel();
    // `start` moves in, so that leaving early drops it before the scope waits for its threads.
    std::thread::scope(move |scope| {
        let workers: Result<Vec<_>, UsageError> = shares
            .iter()
            .enumerate()
            .map(|(number, share)| {
                let job = Job {
                    plan,
                    number,
                    share: *share,
                    details: plan.details.div_ceil(shares.len()),
                    tickets: Arc::clone(&tickets),
                    meeting: Arc::clone(&meeting),
                    news: news.clone(),
                    started: started.clone(),
                    stop: stop.subscribe(),
                    watch: watch.clone(),
                };
                let ready = ready.clone();
                std::thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || thread::work(job, ready))
                    .map_err(|source| UsageError::NoThread { number: number + 1, workers: shares.len(), source })
            })
            .collect();
        drop((ready, news));
        // Those that were begun go home, too.
        let workers = workers?;
        let mut problems = Problems::new();
        for outcome in all_ready {
            if let Some(fastest) = problems.keep::<_, Error>(outcome) {
                foresight.connected(fastest);
            }
        }
        // Dropping `start` sends the workers that are ready home.
        problems.into_result()?;
        foresight.all_connected();
        let mut recording = Recording::empty(plan.load.is_open(), SystemTime::now() + LEAD);
        if let Some(log) = &watch.log {
            log.start(recording.started_at);
        }
        let clock_start = Instant::now() + LEAD;
        start.send_replace(Some(clock_start));
        if let Some(live) = &watch.live {
            live.started(Clock::starting_at(clock_start), &meeting);
        }
        let series = follow(plan, shares.len(), &all_news, &meeting, &mut foresight);
        gather(&mut recording, plan, &meeting, series, workers.into_iter().map(std::thread::ScopedJoinHandle::join));
        count_from(&mut recording, &meeting);
        recording.machine = observer.after();
        Ok(recording)
    })
}

/// How often several workers are told that time passes.
const TIME_PASSES: Duration = Duration::from_secs(1);

/// Takes in what workers hand over while they run. Returns when all have ended.
fn follow(
    plan: &Plan,
    workers: usize,
    news: &mpsc::Receiver<(usize, News)>,
    meeting: &Meeting,
    foresight: &mut Foresight<'_>,
) -> Series {
    let mut series = Series::new(plan.interval, workers);
    let mut told = Instant::now();
    loop {
        // What is past for one worker alone is past.
        if workers > 1 && told.elapsed() >= TIME_PASSES {
            told = Instant::now();
            meeting.time_passes.send_replace(());
        }
        match news.recv_timeout(TIME_PASSES) {
            Ok((worker, News::Past(past))) => series.add(worker, *past),
            Ok((_, News::WarmedUp(times))) => foresight.warmed_up(times),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return series,
        }
    }
}

/// Merges what the workers bring. One that panicked brings nothing, and is counted.
fn gather(
    recording: &mut Recording,
    plan: &Plan,
    meeting: &Meeting,
    mut series: Series,
    workers: impl Iterator<Item = std::thread::Result<Option<Finished>>>,
) {
    let mut warmup = Recorder::new(plan.load.is_open(), 0);
    for (number, worker) in workers.enumerate() {
        let Ok(Some(finished)) = worker else {
            recording.workers_lost += 1;
            continue;
        };
        let (slices, started) = finished.run.slices;
        series.end(number, slices, &started);
        recording.calls.merge(finished.run.recorder);
        if let Some(calls) = finished.run.warmup {
            warmup.merge(calls);
        }
        recording.connections.merge(finished.connections);
        recording.workers.push(finished.usage);
        recording.elapsed = recording.elapsed.max(finished.run.elapsed);
        recording.end_reason = recording.end_reason.max(finished.run.end_reason);
    }
    // Each worker had room for its part, rounded up.
    recording.calls.details.keep(plan.details);
    recording.rows_left_out = series.left_out();
    let from = meeting.counted_from(recording.elapsed);
    recording.rows = series.finish(Offset::from_nanos(recording.elapsed.since(from)));
    recording.interval_ns = Offset::from_duration(plan.interval).as_nanos();
    if plan.limits.warmup().is_some() {
        recording.warmup = Some(Warmup { calls: warmup, elapsed: Offset::ZERO });
    }
}

/// Tells the warm-up from the rest of the time.
fn count_from(recording: &mut Recording, meeting: &Meeting) {
    let Some(warmup) = &mut recording.warmup else { return };
    let whole = recording.elapsed;
    // A run that was stopped before its warm-up was over has no other time.
    let from = meeting.counted_from(whole).min(whole);
    warmup.elapsed = from;
    recording.measured_from = from;
    recording.elapsed = Offset::from_nanos(whole.since(from));
}
