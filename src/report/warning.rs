//! What speaks against a run, or should be known when it is read: the numbers, the sentence, and what to do about it.

use super::verdict::{
    ABANDONED_SHARE, LATE_SHARE_MOST, LIMITED_MOSTLY, LIMITED_SHARE, SMALL_SHARE, Verdict, samples_needed,
};
use super::{Percentile, Setup};
use crate::units::Nanos;

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
        /// The lowest such percentile, in thousandths.
        permille: u16,
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
            Warning::InFlightLimit { share, .. } => (share > LIMITED_SHARE).then_some(Verdict::Doubtful),
            // Calls that waited for a slot were held up by the server or the plan, all others by us.
            Warning::BehindPlan { limited, .. } if limited < LIMITED_MOSTLY => Some(Verdict::ClientLimited),
            Warning::CutOff { share, .. } => (share > ABANDONED_SHARE).then_some(Verdict::Doubtful),
            Warning::Unsent { share, .. } => (share > SMALL_SHARE).then_some(Verdict::Doubtful),
            Warning::GeneratorLate { .. }
            | Warning::BehindPlan { .. }
            | Warning::WorkersLost { .. }
            | Warning::Unoptimised
            | Warning::Clamped { .. }
            | Warning::NoneSucceeded { .. }
            | Warning::NothingDone { .. } => Some(Verdict::Doubtful),
            Warning::TooShort { .. }
            | Warning::CallsFailed { .. }
            | Warning::TooFewSamples { .. }
            | Warning::DetailsCapped { .. } => None,
        }
    }

    /// Its name in machine-readable reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Warning::GeneratorLate { .. } => "generator_late",
            Warning::WorkerBusy { .. } => "worker_busy",
            Warning::InFlightLimit { .. } => "in_flight_limit",
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
        }
    }

    /// Lag as a part of the response time, for the choice among several places.
    pub(super) fn share(&self) -> f64 {
        if let Warning::GeneratorLate { share, .. } = self { *share } else { 0.0 }
    }

    /// The sentence for people.
    pub fn text(&self) -> String {
        match *self {
            Warning::GeneratorLate { permille, lag_ns, response_ns, share } => format!(
                "calls left {} late at the {} although a slot was free: {} of the response time there ({}) is this \
                 client's own",
                Nanos(lag_ns),
                percentile(permille),
                percent(share),
                Nanos(response_ns),
            ),
            Warning::WorkerBusy { busy, workers, share, open } => {
                let who = if workers == 1 {
                    format!("the worker thread was busy {} of its time", percent(share))
                } else {
                    format!("{busy} of {workers} worker threads were busy, the busiest {} of its time", percent(share))
                };
                if open {
                    format!("{who}: little was left for calls that come close together")
                } else {
                    format!("{who}: the client was at its limit, and the throughput is a lower bound of the server's")
                }
            }
            Warning::InFlightLimit { limited, share, limit, .. } => format!(
                "{} ({}) were due while {limit} were in flight, and waited for a free slot: the server or the plan, \
                 not this client, made them late",
                calls(limited),
                percent(share),
            ),
            Warning::BehindPlan { offered, achieved, shortfall, .. } => {
                format!("calls were made at {achieved:.2}/s, {} below the offered {offered:.2}/s", percent(shortfall))
            }
            Warning::CutOff { abandoned, share } => format!(
                "{} ({} of those sent) were cut off at the end of the run: in no status and no latency",
                calls(abandoned),
                percent(share),
            ),
            Warning::Unsent { unsent, share } => format!(
                "{} ({}) were due but never started: they would have had the longest response times",
                calls(unsent),
                percent(share),
            ),
            Warning::WorkersLost { lost } => {
                format!(
                    "{lost} worker thread{} broke down: a bug of grpcbench, and its calls are missing here",
                    s(lost.into())
                )
            }
            Warning::Unoptimised => {
                "this grpcbench was built without optimisation: it is several times slower".to_owned()
            }
            Warning::Clamped { clamped } => {
                format!("{} took more than an hour, and count as one hour in percentiles", calls(clamped))
            }
            Warning::NoneSucceeded { failed } => format!("none of {} succeeded", calls(failed)),
            Warning::NothingDone { sent: 0 } => "no call was made".to_owned(),
            Warning::NothingDone { sent } => format!("none of {} came to an end", calls(sent)),
            Warning::TooShort { elapsed_ns, .. } => {
                format!("the run took {}: too short to tell how busy the client was", Nanos(elapsed_ns))
            }
            Warning::CallsFailed { failed, share, counted } => format!(
                "{} failed ({}); the times of this report {}",
                calls(failed),
                percent(share),
                if counted { "include them" } else { "leave them out" },
            ),
            Warning::TooFewSamples { permille, samples, needed } => {
                let higher: String = [990, 999]
                    .into_iter()
                    .filter(|higher| *higher > permille)
                    .map(|higher| ordinal(higher) + " " + &samples_needed(higher).to_string())
                    .fold(String::new(), |text, higher| text + ", the " + &higher);
                format!(
                    "{} are few for high percentiles: the {} takes {needed}{higher}",
                    calls(samples),
                    ordinal(permille)
                )
            }
            Warning::DetailsCapped { listed, left_out } => format!(
                "{} are listed one by one and {left_out} more are not; all other numbers cover every call",
                calls(listed)
            ),
        }
    }

    /// What to do about it, in the run that `setup` describes.
    pub fn advice(&self, setup: &Setup) -> Option<String> {
        match *self {
            Warning::GeneratorLate { .. } | Warning::WorkerBusy { .. } => Some(relieve_client(setup)),
            Warning::BehindPlan { limited, .. } if limited < LIMITED_MOSTLY => Some(relieve_client(setup)),
            Warning::BehindPlan { achieved, .. } => {
                Some(format!("the server kept up with about {achieved:.0}/s at {} in flight", setup.load.in_flight()))
            }
            Warning::InFlightLimit { limit, needed, .. } => Some(if needed > f64::from(limit) {
                format!("at this rate and service time about {needed:.0} are in flight: raise -c, or lower -r")
            } else {
                "on average there was room, so the server was slow for a while: see its slowest service time".to_owned()
            }),
            Warning::CutOff { share, .. } => (share > ABANDONED_SHARE).then(|| {
                "let the run last much longer than a call does, or wait for the last ones with --duration-stop wait"
                    .to_owned()
            }),
            Warning::Unsent { .. } => Some(if setup.is_open() {
                "raise -c, lower -r, or see why the server is slow".to_owned()
            } else {
                "let the run end by itself".to_owned()
            }),
            Warning::WorkersLost { .. } => Some("please report it, with the message on stderr".to_owned()),
            Warning::Unoptimised => Some("build it with --release".to_owned()),
            Warning::Clamped { .. } => Some("set a deadline with -t".to_owned()),
            Warning::NoneSucceeded { .. } => {
                Some("see the error distribution, and make one call that works first".to_owned())
            }
            Warning::NothingDone { .. } => Some("let the run last longer".to_owned()),
            Warning::TooShort { .. } | Warning::TooFewSamples { .. } => Some(format!("raise {}", end_flag(setup))),
            Warning::CallsFailed { .. } | Warning::DetailsCapped { .. } => None,
        }
    }

    /// The numbers by name; the unit is in the name.
    pub fn numbers(&self) -> Vec<(&'static str, Number)> {
        use Number::{Real, Whole};
        match *self {
            Warning::GeneratorLate { permille, lag_ns, response_ns, share } => vec![
                ("percentile", Real(f64::from(permille) / 10.0)),
                ("lag_ns", Whole(lag_ns)),
                ("response_ns", Whole(response_ns)),
                ("share", Real(share)),
            ],
            Warning::WorkerBusy { busy, workers, share, .. } => {
                vec![("busy", Whole(busy)), ("workers", Whole(workers)), ("share", Real(share))]
            }
            Warning::InFlightLimit { limited, share, limit, needed } => vec![
                ("limited", Whole(limited)),
                ("share", Real(share)),
                ("limit", Whole(limit.into())),
                ("needed", Real(needed)),
            ],
            Warning::BehindPlan { offered, achieved, shortfall, limited } => vec![
                ("offered", Real(offered)),
                ("achieved", Real(achieved)),
                ("shortfall", Real(shortfall)),
                ("limited_share", Real(limited)),
            ],
            Warning::CutOff { abandoned, share } => vec![("abandoned", Whole(abandoned)), ("share", Real(share))],
            Warning::Unsent { unsent, share } => vec![("unsent", Whole(unsent)), ("share", Real(share))],
            Warning::WorkersLost { lost } => vec![("lost", Whole(lost.into()))],
            Warning::Unoptimised => vec![],
            Warning::Clamped { clamped } => vec![("clamped", Whole(clamped))],
            Warning::NoneSucceeded { failed } => vec![("failed", Whole(failed))],
            Warning::NothingDone { sent } => vec![("sent", Whole(sent))],
            Warning::TooShort { elapsed_ns, needed_ns } => {
                vec![("elapsed_ns", Whole(elapsed_ns)), ("needed_ns", Whole(needed_ns))]
            }
            Warning::CallsFailed { failed, share, .. } => vec![("failed", Whole(failed)), ("share", Real(share))],
            Warning::TooFewSamples { permille, samples, needed } => vec![
                ("percentile", Real(f64::from(permille) / 10.0)),
                ("samples", Whole(samples)),
                ("needed", Whole(needed)),
            ],
            Warning::DetailsCapped { listed, left_out } => {
                vec![("listed", Whole(listed)), ("left_out", Whole(left_out))]
            }
        }
    }
}

/// What gives the client more room. A thread needs a connection of its own, so that comes first.
fn relieve_client(setup: &Setup) -> String {
    let cpus = setup.about.cpus;
    let less = if setup.is_open() { "lower -r" } else { "lower -c" };
    if setup.connections.get() < cpus {
        format!("spread the calls over {cpus} threads with --connections {cpus}, or {less}")
    } else {
        format!("{less}, keep other work off this machine, or put the client on a larger one")
    }
}

/// The flag that makes this run longer.
fn end_flag(setup: &Setup) -> &'static str {
    if setup.limits.calls().is_some() { "-n" } else { "-z" }
}

fn percentile(permille: u16) -> String {
    if permille == 500 { "median".to_owned() } else { format!("{} percentile", ordinal(permille)) }
}

/// `99th`, `99.9th`.
fn ordinal(permille: u16) -> String {
    format!("{}th", Percentile { permille, ns: 0 }.label())
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

fn calls(count: u64) -> String {
    format!("{count} call{}", s(count))
}

fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
