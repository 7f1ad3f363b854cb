//! The thread of a worker: its runtime and connections, before and after the run.

use std::rc::Rc;
use std::sync::{Arc, mpsc};

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;

use super::alarm::Alarm;
use super::caller::{Place, UnaryCaller};
use super::clock::Clock;
use super::stop::Level;
use super::worker::{TimeLimit, Worker, WorkerRun, interrupted};
use crate::error::{ConnectError, Error};
use crate::load::{Arrivals, Load, Share, Tickets};
use crate::plan::Plan;
use crate::record::{Connections, EndReason, Recorder, WorkerUse};
use crate::transport::{Connection, Route, Shared};
use crate::units::Offset;

/// Connects under way at the same time in one worker: enough to hide a long way, few enough for a listen queue.
const CONNECTS_AT_ONCE: usize = 64;

/// What a worker has to do.
pub(super) struct Job<'a> {
    pub(super) plan: &'a Plan,
    /// Its part of connections, slots and calls.
    pub(super) share: Share,
    /// Single calls that it lists at most.
    pub(super) details: usize,
    pub(super) tickets: Arc<Tickets>,
    /// The start of the clock, once it is known.
    pub(super) started: watch::Receiver<Option<Instant>>,
    pub(super) stop: watch::Receiver<Level>,
}

/// What a worker brings.
pub(super) struct Finished {
    pub(super) run: WorkerRun,
    pub(super) connections: Connections,
    pub(super) usage: WorkerUse,
}

impl Finished {
    /// Of a worker that was interrupted before the start.
    fn nothing(job: &Job<'_>) -> Finished {
        Finished {
            run: WorkerRun {
                recorder: Recorder::new(job.plan.load.schedule().is_some(), 0),
                end_reason: EndReason::Interrupt,
                elapsed: Offset::ZERO,
            },
            connections: Connections::default(),
            usage: WorkerUse { cpu_ns: 0, wall_ns: 0 },
        }
    }
}

/// Does the job: connects, says on `ready` how that went, and runs when the clock starts. `None` if it never does.
pub(super) fn work(job: Job<'_>, ready: mpsc::Sender<Result<(), Error>>) -> Option<Finished> {
    let runtime = Builder::new_current_thread().enable_all().build().expect("the system gives a runtime");
    LocalSet::new().block_on(&runtime, work_in_runtime(job, ready))
}

async fn work_in_runtime(mut job: Job<'_>, ready: mpsc::Sender<Result<(), Error>>) -> Option<Finished> {
    let shared = Shared::new();
    let mut stop = job.stop.clone();
    let connected = tokio::select! {
        connected = connect(&job, &shared) => connected,
        () = interrupted(&mut stop) => return Some(Finished::nothing(&job)),
    };
    let (outcome, connections) = match connected {
        Ok(connections) => (Ok(()), connections),
        Err(error) => (Err(error.into()), Vec::new()),
    };
    let _ = ready.send(outcome);
    // All have spoken when all senders are gone.
    drop(ready);
    let start = (*job.started.wait_for(Option::is_some).await.ok()?)?;
    let before = CpuClock::now();
    let run = run(&job, start, connections).await;
    let usage = WorkerUse {
        cpu_ns: before.elapsed_ns(),
        wall_ns: u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
    };
    Some(Finished { run, connections: shared.take_tally(), usage })
}

/// All connections of the worker, several at a time.
async fn connect(job: &Job<'_>, shared: &Rc<Shared>) -> Result<Vec<Connection>, ConnectError> {
    let plan = job.plan;
    let route = Route::new(&plan.target, &plan.method.path(), plan.metadata.entries(), plan.deadline)?;
    let mut connections = Vec::new();
    let mut under_way = JoinSet::new();
    for _ in 0..job.share.width() {
        if under_way.len() == CONNECTS_AT_ONCE {
            connections.extend(under_way.join_next().await.map(joined).transpose()?);
        }
        under_way.spawn_local(Connection::open(route.clone(), Rc::clone(shared)));
    }
    while let Some(connection) = under_way.join_next().await {
        connections.push(joined(connection)?);
    }
    Ok(connections)
}

fn joined<T>(outcome: Result<T, tokio::task::JoinError>) -> T {
    match outcome {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn run(job: &Job<'_>, start: Instant, connections: Vec<Connection>) -> WorkerRun {
    let Job { plan, share, .. } = job;
    let clock = Clock::starting_at(start);
    let arrivals = Arrivals::new(plan.load, plan.limits, *share, Arc::clone(&job.tickets));
    let recorder = Recorder::new(plan.load.schedule().is_some(), job.details);
    let limit = share.below(plan.load.in_flight().into());
    let at_start = match plan.load {
        Load::Closed { .. } => limit,
        Load::Open { .. } => 1,
    };
    let source = Rc::new(plan.calls.unshared());
    let metadata = Rc::new(plan.metadata.unshared());
    let share = *share;
    let connections_in_run = u64::from(plan.connections.get());
    let callers = connections.clone();
    let new_caller = move |slot: u64| {
        let of_slot = slot % callers.len() as u64;
        let connection = callers[usize::try_from(of_slot).expect("an index")].clone();
        let slot = share.nth(slot);
        let place = Place { slot, connection: slot % connections_in_run };
        UnaryCaller::new(connection, Rc::clone(&source), Rc::clone(&metadata), place, clock)
    };
    let alarm = Alarm::new().expect("the system gives a timer");
    let worker = Worker::new(clock, alarm, arrivals, recorder, limit, new_caller);
    let time = TimeLimit { duration: plan.limits.duration(), at_end: plan.at_duration };
    worker.run(at_start, time, job.stop.clone(), || connections.iter().for_each(Connection::abandon)).await
}

/// CPU time of this thread, user and system.
struct CpuClock(u64);

impl CpuClock {
    fn now() -> CpuClock {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        CpuClock(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
    }

    fn elapsed_ns(&self) -> u64 {
        CpuClock::now().0.saturating_sub(self.0)
    }
}
