//! Whether to believe a run: what speaks against it, each with its numbers, weighed to one verdict.
//!
//! Thresholds are constants with their argument beside them. A run is [`Verdict::Valid`] unless something is found.

use std::fmt;
use std::num::NonZeroU32;

use super::steady::{self, Beginning, Drift};
use super::{EndReason, Report, Warning, WorkerUse};
use crate::load::{Load, Population, Schedule};
use crate::units::Offset;

/// Whether to believe a run. The later, the worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Nothing was found that speaks against the numbers.
    Valid,
    /// Something may have bent the numbers.
    Doubtful,
    /// This program or its machine, not the server, decided the numbers.
    ClientLimited,
}

/// `valid`, `doubtful`, `client-limited`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Valid => "valid",
            Verdict::Doubtful => "doubtful",
            Verdict::ClientLimited => "client-limited",
        })
    }
}

impl Verdict {
    /// The worst that `warnings` mean.
    pub(super) fn of(warnings: &[Warning]) -> Verdict {
        warnings.iter().filter_map(Warning::bearing).max().unwrap_or(Verdict::Valid)
    }
}

/// A quantile is spoken of when at least so many values lie above it: with fewer, one odd call decides it.
const VALUES_BEYOND: u64 = 10;

/// A part of the calls so small that even the 99th percentile does not show it.
pub(super) const SMALL_SHARE: f64 = 0.01;

/// From a tenth of the calls on that waited for a free slot, the run was for a good part a closed loop: how long the
/// calls waited says how long the run was.
pub(super) const LIMITED_SHARE: f64 = 0.1;

/// When most calls of a run that fell behind its rate had waited for a slot, the limit of calls in flight held it back;
/// otherwise slots were free and it was us.
pub(super) const LIMITED_MOSTLY: f64 = 0.5;

/// From a tenth of the calls on that were cut off at the end, the calls that are counted are those that happened to be
/// quick enough: the run is too short for them.
pub(super) const ABANDONED_SHARE: f64 = 0.1;

/// Lag that is ours and makes up more than a fifth of a response time bends it visibly.
const LATE_SHARE: f64 = 0.2;
/// Lag that is ours and makes up most of a response time has decided it.
pub(super) const LATE_SHARE_MOST: f64 = 0.5;
/// A timer wakes a thread some tens of microseconds late on an idle machine: a median lag below is the machine's, and
/// no sign that it has too much to do.
const LATE_NS_MEDIAN: u64 = 100_000;
/// A thread that is ready to run may wait about a millisecond for its turn now and then, on any machine that does other
/// things too: a tail below that is no sign either.
const LATE_NS_TAIL: u64 = 1_000_000;

/// A worker that is busy for more of its time than this has queues of its own: at 85 % the mean wait in a queue of one
/// server (M/D/1: load / 2(1 - load)) is 2.8 times the time it takes to handle a call.
const BUSY_SHARE: f64 = 0.85;
/// In a shorter run the start (first touch of memory, first turn of each slot) is much of a worker's time.
const JUDGED_NS_MIN: u64 = 100_000_000;

/// A thread that waits for a CPU for more than a twentieth of its time lets one event in twenty lie there unseen: enough
/// to show in a high percentile.
const HELD_SHARE: f64 = 0.05;
/// From a seventh of the time on the wait is in every percentile.
pub(super) const HELD_SHARE_MOST: f64 = 0.15;
/// A throttled group stands still for tens of milliseconds at a time: a hundredth of the time is enough to show.
const THROTTLED_SHARE: f64 = 0.01;

/// Callers who wait for us, and not for the server, for a tenth of their time make that much less load.
const CALLERS_IDLE_SHARE: f64 = 0.1;
/// At the beginning and the end of a run not all callers are in a call: their mean is only spoken of where each has made
/// so many calls that the ends don't matter.
const CALLS_OF_EACH: u64 = 50;

/// Calls that wait for a stream for more than a twentieth of their time tell of the server's limit, and not of how long it
/// takes to answer.
pub(super) const STREAM_WAIT_SHARE: f64 = 0.05;

/// A send rate that falls short of the offered one by more than this is another load than the one that was asked for.
const SHORTFALL_SHARE: f64 = 0.01;

/// What speaks against `report`, worst first.
pub(super) fn warnings(report: &Report) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = [
        generator_late(report),
        worker_busy(report),
        waited_for_cpu(report),
        throttled(report),
        stolen(report),
        callers_idle(report),
        in_flight_limit(report),
        stream_limit(report),
        behind_plan(report),
        cut_off(report),
        unsent(report),
        too_many_failures(report),
        slow_start(report),
        drift(report),
        workers_lost(report),
        unoptimised(report),
        clamped(report),
        none_succeeded(report),
        nothing_done(report),
        too_short(report),
        calls_failed(report),
        censored(report),
        too_few_samples(report),
        details_capped(report),
        rows_capped(report),
    ]
    .into_iter()
    .flatten()
    .collect();
    // Stable: those of one weight stay in the order above.
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.bearing()));
    warnings
}

/// Compares lag that is ours with response times at the median, and at the highest printed quantile that has enough
/// values beyond it.
fn generator_late(report: &Report) -> Option<Warning> {
    let own_lag = report.own_lag.as_ref()?;
    let every_call = report.all_calls();
    let response = if report.times.headline().is_empty() { every_call.headline() } else { report.times.headline() };
    if own_lag.is_empty() || response.is_empty() {
        return None;
    }
    let tail = [990, 950, 900].into_iter().find(|permille| rests_on_enough(own_lag.count(), *permille));
    let median = rests_on_enough(own_lag.count(), 500).then_some((500, LATE_NS_MEDIAN));
    let places = [median, tail.map(|permille| (permille, LATE_NS_TAIL))];
    places
        .into_iter()
        .flatten()
        .filter_map(|(permille, tolerated_ns)| {
            let quantile = f64::from(permille) / 1000.0;
            let (lag_ns, response_ns) = (own_lag.quantile(quantile), response.quantile(quantile));
            let share = (lag_ns as f64 / response_ns.max(1) as f64).min(1.0);
            (lag_ns > tolerated_ns && share > LATE_SHARE).then_some(Warning::GeneratorLate {
                permille,
                lag_ns,
                response_ns,
                share,
            })
        })
        .max_by(|one, other| one.share().total_cmp(&other.share()))
}

/// Whether enough of `count` values lie above the quantile.
fn rests_on_enough(count: u64, permille: u16) -> bool {
    count >= samples_needed(permille)
}

/// How many values it takes for enough of them to lie above the quantile.
pub(super) fn samples_needed(permille: u16) -> u64 {
    samples_needed_at(u32::from(permille) * 1_000)
}

/// The same for a quantile in millionths. Beyond the very last no value can lie, however many there are.
pub(super) fn samples_needed_at(millionths: u32) -> u64 {
    (VALUES_BEYOND * 1_000_000).div_ceil(u64::from(1_000_000u32.saturating_sub(millionths).max(1)))
}

fn worker_busy(report: &Report) -> Option<Warning> {
    let judged = || judged(report);
    let busy = judged().filter(|worker| worker.busy() > BUSY_SHARE).count() as u64;
    let busiest = judged().map(WorkerUse::busy).max_by(f64::total_cmp)?;
    (busy > 0).then_some(Warning::WorkerBusy {
        busy,
        workers: report.workers.len() as u64,
        share: busiest.min(1.0),
        open: report.setup.is_open(),
    })
}

/// The workers that ran long enough.
fn judged(report: &Report) -> impl Iterator<Item = &WorkerUse> {
    report.workers.iter().filter(|worker| worker.wall_ns >= JUDGED_NS_MIN)
}

fn waited_for_cpu(report: &Report) -> Option<Warning> {
    let share = |worker: &WorkerUse| part(worker.run_delay_ns.unwrap_or(0), worker.wall_ns).min(1.0);
    let worst = judged(report).max_by(|one, other| share(one).total_cmp(&share(other)))?;
    (share(worst) > HELD_SHARE)
        .then(|| Warning::WaitedForCpu { delay_ns: worst.run_delay_ns.unwrap_or(0), share: share(worst) })
}

fn throttled(report: &Report) -> Option<Warning> {
    let throttled_ns = report.machine.throttled_ns?;
    let share = part(throttled_ns, report.elapsed.as_nanos()).min(1.0);
    (share > THROTTLED_SHARE).then_some(Warning::Throttled { throttled_ns, share })
}

fn stolen(report: &Report) -> Option<Warning> {
    let stolen_ns = report.machine.stolen_ns?;
    let share = part(stolen_ns, report.elapsed.as_nanos()).min(1.0);
    (share > HELD_SHARE).then_some(Warning::Stolen { stolen_ns, share })
}

/// Little's law: calls in flight = throughput times mean time. In a closed loop they are the callers, unless we keep
/// them waiting.
fn callers_idle(report: &Report) -> Option<Warning> {
    let Load::Closed { concurrency: Population::Constant(callers) } = report.setup.load else { return None };
    let callers = callers.get();
    if report.counts.done < CALLS_OF_EACH * u64::from(callers) || report.elapsed < Offset::from_nanos(JUDGED_NS_MIN) {
        return None;
    }
    let mean_s = report.all_calls().service.mean() as f64 / 1e9;
    // Callers of calls that were cut off were busy as well, all the time if the server answers no more.
    let in_flight = report.throughput * mean_s + part(report.cut_off_ns, report.elapsed.as_nanos());
    let share = 1.0 - in_flight / f64::from(callers);
    (share > CALLERS_IDLE_SHARE).then_some(Warning::CallersIdle { in_flight, callers, share })
}

/// Whether the plan asks for the same load all the time.
fn is_constant(report: &Report) -> bool {
    match &report.setup.load {
        Load::Closed { concurrency } => matches!(concurrency, Population::Constant(_)),
        Load::Open { schedule, .. } => matches!(schedule, Schedule::Constant(_)),
    }
}

fn slow_start(report: &Report) -> Option<Warning> {
    let rows = Some(&report.rows).filter(|_| is_constant(report))?;
    let Beginning { permille, first_ns, rest_ns, settled_ns, calls } = steady::beginning(rows, report.interval_ns)?;
    let share = part(calls, report.counts.done).min(1.0);
    Some(Warning::SlowStart { permille, first_ns, rest_ns, settled_ns, share })
}

fn drift(report: &Report) -> Option<Warning> {
    let Drift { first_ns, last_ns } = steady::drift(Some(&report.rows).filter(|_| is_constant(report))?)?;
    Some(Warning::Drift { first_ns, last_ns })
}

fn too_many_failures(report: &Report) -> Option<Warning> {
    let failed = report.counts.failed;
    (report.end_reason == EndReason::Failures)
        .then(|| Warning::TooManyFailures { failed, share: part(failed, report.counts.done) })
}

fn censored(report: &Report) -> Option<Warning> {
    let censored = report.counts.censored;
    (censored > 0).then(|| Warning::Censored {
        censored,
        share: part(censored, report.counts.done),
        deadline_ns: report.setup.deadline.map(|deadline| Offset::from_duration(deadline).as_nanos()),
    })
}

fn too_short(report: &Report) -> Option<Warning> {
    let short = report.counts.done > 0 && report.elapsed < Offset::from_nanos(JUDGED_NS_MIN);
    short.then_some(Warning::TooShort { elapsed_ns: report.elapsed.as_nanos(), needed_ns: JUDGED_NS_MIN })
}

fn in_flight_limit(report: &Report) -> Option<Warning> {
    let limited = report.counts.limited;
    // Calls in flight = rate times their mean time (Little's law), over all calls: failed ones hold a slot too.
    let service_s = report.all_calls().service.mean() as f64 / 1e9;
    let needed = report.offered_rate.unwrap_or(0.0) * service_s;
    (limited > 0).then(|| Warning::InFlightLimit {
        limited,
        share: part(limited, report.counts.sent),
        limit: report.setup.load.in_flight(),
        needed: needed.ceil(),
    })
}

/// Calls waited because a server lets only so many streams be open on a connection.
fn stream_limit(report: &Report) -> Option<Warning> {
    let http2 = &report.connections.http2;
    let limit = http2.peers.stream_limit().filter(|_| !http2.stream_waits.is_empty())?;
    // Where no call ended OK, those that failed are all there is.
    let (waits, times) = if report.ok.service.is_empty() {
        (&http2.stream_waits, &report.failed.service)
    } else {
        (&report.phases.stream, &report.ok.service)
    };
    Some(Warning::StreamLimit {
        limit,
        waits: http2.stream_waits.count(),
        mean_ns: http2.stream_waits.mean(),
        share: (waits.sum() as f64 / times.sum().max(1) as f64).min(1.0),
        connections: connections_needed(report, limit),
    })
}

/// How many connections it takes for no call to wait for a stream; `None` if that many are in use, or none would do.
///
/// The plan says how many calls are in flight. Under a rate it only says how many may be; then it is as many as were seen
/// at the worst moment, on a connection that carries its share.
fn connections_needed(report: &Report, limit: u32) -> Option<u32> {
    let limit = NonZeroU32::new(limit)?;
    let planned = u64::from(report.setup.load.in_flight());
    let connections = report.setup.connections.get();
    let seen = report.connections.http2.streams_wanted_max.saturating_mul(connections.into());
    let in_flight = if report.setup.is_open() { planned.min(seen) } else { planned };
    let needed = u32::try_from(in_flight.div_ceil(limit.get().into())).ok()?;
    (needed > connections).then_some(needed)
}

fn behind_plan(report: &Report) -> Option<Warning> {
    let (offered, achieved, sent) = (report.offered_rate?, report.send_rate, report.counts.sent);
    let shortfall = 1.0 - achieved / offered;
    // Less than a whole call short is a matter of when one looks.
    let missing = sent as f64 * (offered / achieved) - sent as f64;
    (sent > 0 && shortfall > SHORTFALL_SHARE && missing >= 1.0).then(|| Warning::BehindPlan {
        offered,
        achieved,
        shortfall,
        limited: part(report.counts.limited, sent),
    })
}

fn cut_off(report: &Report) -> Option<Warning> {
    let abandoned = report.counts.abandoned;
    (abandoned > 0).then(|| Warning::CutOff { abandoned, share: part(abandoned, report.counts.sent) })
}

fn unsent(report: &Report) -> Option<Warning> {
    let unsent = report.counts.unsent;
    let unmade = report.unsent_reasons.iter().map(|row| row.count).sum();
    (unsent > 0).then(|| Warning::Unsent { unsent, unmade, share: part(unsent, report.counts.arrivals) })
}

fn workers_lost(report: &Report) -> Option<Warning> {
    let lost = report.workers_lost;
    (lost > 0).then_some(Warning::WorkersLost { lost })
}

fn unoptimised(report: &Report) -> Option<Warning> {
    report.setup.about.unoptimised.then_some(Warning::Unoptimised)
}

fn clamped(report: &Report) -> Option<Warning> {
    let clamped = report.all_calls().headline().clamped();
    (clamped > 0).then_some(Warning::Clamped { clamped })
}

fn nothing_done(report: &Report) -> Option<Warning> {
    (report.counts.done == 0).then_some(Warning::NothingDone { sent: report.counts.sent })
}

fn none_succeeded(report: &Report) -> Option<Warning> {
    let failed = report.counts.failed;
    (failed > 0 && report.counts.ok == 0).then_some(Warning::NoneSucceeded { failed })
}

fn calls_failed(report: &Report) -> Option<Warning> {
    let failed = report.counts.failed;
    (failed > 0 && report.counts.ok > 0).then(|| Warning::CallsFailed {
        failed,
        share: part(failed, report.counts.done),
        counted: report.setup.about.count_errors,
    })
}

fn too_few_samples(report: &Report) -> Option<Warning> {
    let samples = report.times.headline().count();
    let mut shown = report.percentiles.iter().map(|percentile| percentile.millionths).filter(|part| *part < 1_000_000);
    let millionths = shown.find(|millionths| samples < samples_needed_at(*millionths))?;
    Some(Warning::TooFewSamples { millionths, samples, needed: samples_needed_at(millionths) })
}

fn details_capped(report: &Report) -> Option<Warning> {
    let left_out = report.details.left_out();
    (left_out > 0).then(|| Warning::DetailsCapped { listed: report.details.rows().len() as u64, left_out })
}

fn rows_capped(report: &Report) -> Option<Warning> {
    let left_out = report.rows_left_out;
    (left_out > 0).then_some(Warning::RowsCapped {
        listed: report.rows.len() as u64,
        left_out,
        interval_ns: report.interval_ns,
    })
}

fn part(count: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { count as f64 / whole as f64 }
}
