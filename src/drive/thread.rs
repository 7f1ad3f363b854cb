//! The thread of a worker: its runtime and connections, before and after the run.

use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::runtime::LocalRuntime;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::alarm::Alarm;
use super::caller::{Seat, UnaryCaller};
use super::contents::{Contents, Sources};
use super::meeting::Meeting;
use super::news::{News, Times};
use super::showing::ShowingCaller;
use super::stop::Order;
use super::streams::StreamCaller;
use super::usage::ThreadUse;
use super::watching::{Watch, WorkerLog};
use super::worker::{Books, Parts, Slots, TimeLimit, Worker, WorkerRun, stopped};
use crate::clock::Clock;
use crate::error::{ConnectError, Error};
use crate::load::{Arrivals, Share, Tickets};
use crate::plan::{Plan, Streams};
use crate::record::{ByConnection, Connected, Connections, EndReason, Recorder, Slices, WorkerUse};
use crate::schema::Kind;
use crate::transport::{Connection, Route, Shared};
use crate::units::Offset;

/// Connects under way at the same time in one worker: enough to hide a long way, few enough for a listen queue.
const CONNECTS_AT_ONCE: usize = 64;

/// The longest that connections may take to close.
const GOODBYE: Duration = Duration::from_millis(200);

/// What a worker has to do.
pub(super) struct Job<'a> {
    pub(super) plan: &'a Plan,
    /// Its number among the workers.
    pub(super) number: usize,
    /// Its part of connections, slots and calls.
    pub(super) share: Share,
    /// Single calls that it lists at most.
    pub(super) details: usize,
    pub(super) tickets: Arc<Tickets>,
    pub(super) meeting: Arc<Meeting>,
    /// Takes what each worker has to tell.
    pub(super) news: mpsc::Sender<(usize, News)>,
    /// The start of the clock, once it is known.
    pub(super) started: watch::Receiver<Option<Instant>>,
    pub(super) stop: watch::Receiver<Order>,
    /// Who wants to see single calls.
    pub(super) watch: Watch,
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
                recorder: Recorder::new(job.plan.load.is_open(), 0),
                warmup: None,
                slices: (Vec::new(), Vec::new()),
                by_connection: Vec::new(),
                end_reason: EndReason::Interrupt,
                elapsed: Offset::ZERO,
            },
            connections: Connections::default(),
            usage: WorkerUse::default(),
        }
    }
}

/// How connecting went: how long the fastest connect took, if there was a way to go.
pub(super) type Readiness = Result<Option<Duration>, Error>;

/// Does the job: connects, says on `ready` how that went, and runs when the clock starts. `None` if it never does.
pub(super) fn work(job: Job<'_>, ready: mpsc::Sender<Readiness>) -> Option<Finished> {
    let runtime = LocalRuntime::new().expect("the system gives a runtime");
    runtime.block_on(work_in_runtime(job, ready))
}

async fn work_in_runtime(mut job: Job<'_>, ready: mpsc::Sender<Readiness>) -> Option<Finished> {
    let shared = Shared::new();
    let mut stop = job.stop.clone();
    let connected = tokio::select! {
        connected = connect(&job, &shared) => connected,
        _ = stopped(&mut stop) => return Some(Finished::nothing(&job)),
    };
    let (outcome, connections) = match connected {
        Ok(connections) => (Ok(fastest(&connections)), connections),
        Err(error) => (Err(error.into()), Vec::new()),
    };
    let _ = ready.send(outcome);
    // All have spoken when all senders are gone.
    drop(ready);
    let start = (*job.started.wait_for(Option::is_some).await.ok()?)?;
    let alarm = Rc::new(Alarm::new(job.plan.idle).expect("the system gives a timer"));
    let (since, before) = (Instant::now(), ThreadUse::now());
    let run = tokio::select! {
        run = run(&job, &shared, start, &connections, Rc::clone(&alarm)) => run,
        () = shared.broken() => panic!("the task of a connection has panicked"),
    };
    let used = ThreadUse::now().since(before);
    let usage = WorkerUse {
        cpu_ns: used.cpu_ns,
        wall_ns: u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
        spin_ns: alarm.spin_ns().min(used.cpu_ns),
        run_delay_ns: used.run_delay_ns,
        preempted: used.preempted,
    };
    let tally = tally(&job, &shared, &connections, &run);
    say_goodbye(connections).await;
    Some(Finished { run, connections: tally, usage })
}

/// How long the fastest TCP connect took, if there was one.
fn fastest(connections: &[Connection]) -> Option<Duration> {
    connections.iter().map(|connection| Duration::from_nanos(connection.connected().tcp_ns)).min()
}

/// What the connections of the worker did.
fn tally(job: &Job<'_>, shared: &Shared, connections: &[Connection], run: &WorkerRun) -> Connections {
    connections.iter().for_each(Connection::account);
    let worker = u32::try_from(job.number).expect("few workers");
    let connected = connections.iter().zip(&run.by_connection).map(|(connection, calls)| Connected {
        worker,
        calls: *calls,
        ..connection.connected().clone()
    });
    Connections { connected: connected.collect(), ..shared.take_tally() }
}

/// All connections of the worker in their order, several at a time.
async fn connect(job: &Job<'_>, shared: &Rc<Shared>) -> Result<Vec<Connection>, ConnectError> {
    let plan = job.plan;
    let route = Route::new(&plan.target, &plan.method.path(), plan.metadata.entries(), plan.deadline)?;
    let mut connections = Vec::new();
    let mut under_way = JoinSet::new();
    for k in 0..job.share.width() {
        if under_way.len() == CONNECTS_AT_ONCE {
            connections.extend(under_way.join_next().await.map(joined).transpose()?);
        }
        let route = route.clone().of_connection(job.share.nth(k));
        let opening = Connection::open(route, Rc::clone(shared));
        under_way.spawn_local(async move { opening.await.map(|connection| (k, connection)) });
    }
    while let Some(connection) = under_way.join_next().await {
        connections.push(joined(connection)?);
    }
    connections.sort_unstable_by_key(|(k, _)| *k);
    Ok(connections.into_iter().map(|(_, connection)| connection).collect())
}

/// Closes the connections. The run is over, and does not wait long for those that cannot be closed.
async fn say_goodbye(connections: Vec<Connection>) {
    let mut leaving = JoinSet::new();
    for connection in connections {
        leaving.spawn_local(async move { connection.close().await });
    }
    let _ = timeout(GOODBYE, leaving.join_all()).await;
}

fn joined<T>(outcome: Result<T, tokio::task::JoinError>) -> T {
    match outcome {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn run(
    job: &Job<'_>,
    shared: &Rc<Shared>,
    start: Instant,
    connections: &[Connection],
    alarm: Rc<Alarm>,
) -> WorkerRun {
    let Job { plan, number, .. } = *job;
    let clock = Clock::starting_at(start);
    let open = plan.load.is_open();
    let (past, warmed_up) = (job.news.clone(), job.news.clone());
    // Nobody listens when the run is given up, and then nobody wants any news either.
    let books = Books {
        recorder: Recorder::new(open, job.details).with_room(),
        warmup: plan.limits.warmup().map(|_| Recorder::new(open, 0).with_room()),
        slices: Slices::new(plan.interval, open),
        by_connection: ByConnection::new(connections.len()),
        past: Box::new(move |interval| drop(past.send((number, News::Past(interval.into()))))),
        warmed_up: open.then(|| {
            let tell = move |calls: &Recorder| drop(warmed_up.send((number, News::WarmedUp(Times::of(calls)))));
            Box::new(tell) as Box<dyn FnOnce(&Recorder)>
        }),
    };
    let sources = Sources::of_worker(&plan.calls, &plan.metadata);
    let connections_of_worker = connections.to_vec();
    let share = job.share;
    let connections_in_run = u64::from(plan.connections.get());
    let seat_of = move |slot: u64| {
        let of_slot = usize::try_from(slot % connections_of_worker.len() as u64).expect("an index");
        let in_run = share.nth(slot);
        let contents = Contents::new(sources.clone(), in_run, in_run % connections_in_run);
        Seat::new(connections_of_worker[of_slot].clone(), contents, clock)
    };
    let time = TimeLimit { duration: plan.limits.duration(), at_end: plan.at_duration };
    let stop = job.stop.clone();
    let cut_off = || connections.iter().for_each(Connection::abandon);
    let of_worker = Rc::clone(shared);
    let replies = job.watch.replies.clone();
    // The form of the calls is decided here, once, and not in each call.
    match (plan.method.kind(), replies) {
        (Kind::Unary, None) => {
            let new_caller = move |slot| UnaryCaller::new(seat_of(slot));
            Worker::new(parts(job, clock, alarm, books, new_caller)).run(time, stop, cut_off).await
        }
        (kind @ Kind::Unary, Some(replies)) => {
            let new_caller = move |slot| {
                let (shared, wanted) = (Rc::clone(&of_worker), Some(replies.clone()));
                let shown = StreamCaller::new(seat_of(slot), shared, kind, Streams::default(), wanted);
                ShowingCaller::new(replies.clone(), shown, UnaryCaller::new(seat_of(slot)))
            };
            Worker::new(parts(job, clock, alarm, books, new_caller)).run(time, stop, cut_off).await
        }
        (kind, replies) => {
            let streams = plan.streams;
            shared.expect_streams();
            let new_caller =
                move |slot| StreamCaller::new(seat_of(slot), Rc::clone(&of_worker), kind, streams, replies.clone());
            let mut run = Worker::new(parts(job, clock, alarm, books, new_caller)).run(time, stop, cut_off).await;
            run.recorder.streams = Some(shared.take_streams());
            run
        }
    }
}

fn parts<F>(job: &Job<'_>, clock: Clock, alarm: Rc<Alarm>, books: Books, new_caller: F) -> Parts<F> {
    let Job { plan, share, number, .. } = *job;
    let connections = plan.connections.get().into();
    Parts {
        number,
        log: job.watch.log.clone().map(|log| WorkerLog { log, share, connections }),
        clock,
        alarm,
        meeting: Arc::clone(&job.meeting),
        arrivals: Arrivals::new(&plan.load, plan.limits, share, Arc::clone(&job.tickets)),
        books,
        shape: Slots::new(&plan.load, share),
        new_caller,
    }
}
