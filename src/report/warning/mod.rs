//! What speaks against a run, or should be known when it is read: the numbers here; what is said, and what to do about it, beside.

mod advice;
mod numbers;
mod text;

use super::verdict::{
    ABANDONED_SHARE, HELD_SHARE_MOST, LATE_SHARE_MOST, LIMITED_MOSTLY, LIMITED_SHARE, SMALL_SHARE, STREAM_WAIT_SHARE,
    Verdict,
};

/// A finding about a run with the numbers that raised it. Shares are parts of a whole, 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Warning {
    /// Calls left late although a slot was free.
    GeneratorLate {
        /// At which percentile it shows most, in thousandths.
        permille: u16,
        /// Our own lag there.
        lag_ns: u64,
        /// The response time there.
        response_ns: u64,
        /// Lag as a part of the response time.
        share: f64,
    },
    /// The run was stopped because too many calls failed.
    TooManyFailures {
        /// How many.
        failed: u64,
        /// As a part of the calls done.
        share: f64,
    },
    /// The first interval was unlike the rest.
    SlowStart {
        /// At which percentile it shows, in thousandths.
        permille: u16,
        /// The first interval there.
        first_ns: u64,
        /// The slowest other interval there.
        rest_ns: u64,
        /// When it was over.
        settled_ns: u64,
        /// The part of the calls that were made by then.
        share: f64,
    },
    /// Times grew or shrank over the run.
    Drift {
        /// The median of the first third.
        first_ns: u64,
        /// The median of the last third.
        last_ns: u64,
    },
    /// Calls ended at their deadline.
    Censored {
        /// How many.
        censored: u64,
        /// As a part of the calls done.
        share: f64,
        /// The deadline; `None` if it was the server's.
        deadline_ns: Option<u64>,
    },
    /// Worker threads had little idle time.
    WorkerBusy {
        /// How many.
        busy: u64,
        /// Of how many.
        workers: u64,
        /// CPU time of the busiest as a part of its time.
        share: f64,
        /// Whether calls were due at planned instants.
        open: bool,
    },
    /// Worker threads were ready to run and had to wait for a CPU.
    WaitedForCpu {
        /// How long the one that waited longest did.
        delay_ns: u64,
        /// As a part of its time.
        share: f64,
    },
    /// The control group had used up its CPU time, and was held back.
    Throttled {
        /// How long.
        throttled_ns: u64,
        /// As a part of the run.
        share: f64,
    },
    /// The host of this virtual machine had given its CPUs to others.
    Stolen {
        /// How long, on average over the CPUs.
        stolen_ns: u64,
        /// As a part of the run.
        share: f64,
    },
    /// Callers of a closed loop were not in a call all the time, as Little's law tells.
    CallersIdle {
        /// Calls in flight on average.
        in_flight: f64,
        /// Callers.
        callers: u32,
        /// The part of their time in which they were in no call.
        share: f64,
    },
    /// Calls were due while as many as allowed were in flight.
    InFlightLimit {
        /// How many.
        limited: u64,
        /// As a part of the calls sent.
        share: f64,
        /// The limit.
        limit: u32,
        /// In flight at the offered rate and the mean service time.
        needed: f64,
    },
    /// Calls waited for a stream, because the server lets only so many be open on a connection.
    StreamLimit {
        /// So many.
        limit: u32,
        /// Calls that waited, the warm-up included.
        waits: u64,
        /// How long they did on average.
        mean_ns: u64,
        /// The part of the service time of the OK calls that they waited.
        share: f64,
        /// As many connections as it takes, where more than there were would do.
        connections: Option<u32>,
    },
    /// Calls were made at a lower rate than planned.
    BehindPlan {
        /// Planned, per second.
        offered: f64,
        /// Real, per second.
        achieved: f64,
        /// The part that is missing.
        shortfall: f64,
        /// The part of the calls sent that waited for a free slot.
        limited: f64,
    },
    /// Calls were in flight when the run was cut off.
    CutOff {
        /// How many.
        abandoned: u64,
        /// As a part of the calls sent.
        share: f64,
    },
    /// Calls were due and never started.
    Unsent {
        /// How many.
        unsent: u64,
        /// How many of them had nothing to send.
        unmade: u64,
        /// As a part of the arrivals.
        share: f64,
    },
    /// Workers panicked.
    WorkersLost {
        /// How many.
        lost: u32,
    },
    /// The program was built without optimisation.
    Unoptimised,
    /// Times above the top of the histogram.
    Clamped {
        /// How many.
        clamped: u64,
    },
    /// Calls ended, and none of them OK.
    NoneSucceeded {
        /// How many failed.
        failed: u64,
    },
    /// No call ended with a status.
    NothingDone {
        /// How many were started.
        sent: u64,
    },
    /// The run was too short to judge how busy the client was.
    TooShort {
        /// How long it took.
        elapsed_ns: u64,
        /// How long it should take.
        needed_ns: u64,
    },
    /// Calls ended with a status other than OK.
    CallsFailed {
        /// How many.
        failed: u64,
        /// As a part of the calls done.
        share: f64,
        /// Whether they count in the times.
        counted: bool,
    },
    /// A printed percentile rests on too few calls.
    TooFewSamples {
        /// The first such percentile, in millionths.
        millionths: u32,
        /// How many calls there are.
        samples: u64,
        /// How many it takes.
        needed: u64,
    },
    /// Not all single calls are listed.
    DetailsCapped {
        /// How many are.
        listed: u64,
        /// How many are not.
        left_out: u64,
    },
    /// Not all intervals are listed.
    RowsCapped {
        /// How many are.
        listed: u64,
        /// How many are not.
        left_out: u64,
        /// How long each is.
        interval_ns: u64,
    },
}

/// A number that raised a warning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A count, or a time in nanoseconds where its name ends in `_ns`.
    Whole(u64),
    /// A share, or a rate per second.
    Real(f64),
}

impl Warning {
    /// What it means for the verdict; `None` if it should be known but does not make the numbers less true.
    pub fn bearing(&self) -> Option<Verdict> {
        match *self {
            Warning::GeneratorLate { share, .. } if share > LATE_SHARE_MOST => Some(Verdict::ClientLimited),
            // Where each answer triggers the next call, a client that is always busy sets the pace. Under a rate it
            // only may: lag and a missed rate tell.
            Warning::WorkerBusy { open, .. } => Some(if open { Verdict::Doubtful } else { Verdict::ClientLimited }),
            Warning::WaitedForCpu { share, .. } | Warning::Throttled { share, .. } | Warning::Stolen { share, .. }
                if share > HELD_SHARE_MOST =>
            {
                Some(Verdict::ClientLimited)
            }
            // Whose callers are idle was kept from calling by nothing but itself.
            Warning::CallersIdle { .. } => Some(Verdict::ClientLimited),
            Warning::InFlightLimit { share, .. } => (share > LIMITED_SHARE).then_some(Verdict::Doubtful),
            Warning::StreamLimit { share, .. } => (share > STREAM_WAIT_SHARE).then_some(Verdict::Doubtful),
            // Calls that waited for a slot were held up by the server or the plan, all others by us.
            Warning::BehindPlan { limited, .. } if limited < LIMITED_MOSTLY => Some(Verdict::ClientLimited),
            Warning::CutOff { share, .. } => (share > ABANDONED_SHARE).then_some(Verdict::Doubtful),
            // A few calls are in no percentile that is shown. Of those of the start it is the ones beyond the percentile in
            // which it shows that are unlike the rest.
            Warning::SlowStart { permille, share, .. } => {
                let unlike = share * f64::from(1000 - permille) / 1000.0;
                (unlike > SMALL_SHARE).then_some(Verdict::Doubtful)
            }
            Warning::Unsent { share, .. } => (share > SMALL_SHARE).then_some(Verdict::Doubtful),
            Warning::GeneratorLate { .. }
            | Warning::BehindPlan { .. }
            | Warning::WaitedForCpu { .. }
            | Warning::Throttled { .. }
            | Warning::Stolen { .. }
            | Warning::TooManyFailures { .. }
            | Warning::Drift { .. }
            | Warning::WorkersLost { .. }
            | Warning::Unoptimised
            | Warning::Clamped { .. }
            | Warning::NoneSucceeded { .. }
            | Warning::NothingDone { .. } => Some(Verdict::Doubtful),
            Warning::TooShort { .. }
            | Warning::Censored { .. }
            | Warning::CallsFailed { .. }
            | Warning::TooFewSamples { .. }
            | Warning::DetailsCapped { .. }
            | Warning::RowsCapped { .. } => None,
        }
    }

    /// Its name in machine-readable reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Warning::GeneratorLate { .. } => "generator_late",
            Warning::WorkerBusy { .. } => "worker_busy",
            Warning::WaitedForCpu { .. } => "waited_for_cpu",
            Warning::Throttled { .. } => "throttled",
            Warning::Stolen { .. } => "stolen",
            Warning::CallersIdle { .. } => "callers_idle",
            Warning::TooManyFailures { .. } => "too_many_failures",
            Warning::SlowStart { .. } => "slow_start",
            Warning::Drift { .. } => "drift",
            Warning::Censored { .. } => "censored",
            Warning::InFlightLimit { .. } => "in_flight_limit",
            Warning::StreamLimit { .. } => "stream_limit",
            Warning::BehindPlan { .. } => "behind_plan",
            Warning::CutOff { .. } => "cut_off",
            Warning::Unsent { .. } => "unsent",
            Warning::WorkersLost { .. } => "workers_lost",
            Warning::Unoptimised => "unoptimised",
            Warning::Clamped { .. } => "clamped",
            Warning::NoneSucceeded { .. } => "none_succeeded",
            Warning::NothingDone { .. } => "nothing_done",
            Warning::TooShort { .. } => "too_short",
            Warning::CallsFailed { .. } => "calls_failed",
            Warning::TooFewSamples { .. } => "too_few_samples",
            Warning::DetailsCapped { .. } => "details_capped",
            Warning::RowsCapped { .. } => "rows_capped",
        }
    }

    /// Lag as a part of the response time, for the choice among several places.
    pub(super) fn share(&self) -> f64 {
        if let Warning::GeneratorLate { share, .. } = self { *share } else { 0.0 }
    }
}
