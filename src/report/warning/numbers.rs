//! The numbers of a finding, for programs.

use super::{Number, Warning};

impl Warning {
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
            Warning::WaitedForCpu { delay_ns, share } => vec![("delay_ns", Whole(delay_ns)), ("share", Real(share))],
            Warning::Throttled { throttled_ns, share } => {
                vec![("throttled_ns", Whole(throttled_ns)), ("share", Real(share))]
            }
            Warning::Stolen { stolen_ns, share } => vec![("stolen_ns", Whole(stolen_ns)), ("share", Real(share))],
            Warning::CallersIdle { in_flight, callers, share } => {
                vec![("in_flight", Real(in_flight)), ("callers", Whole(callers.into())), ("share", Real(share))]
            }
            Warning::SlowStart { permille, first_ns, rest_ns, settled_ns, share } => vec![
                ("percentile", Real(f64::from(permille) / 10.0)),
                ("first_ns", Whole(first_ns)),
                ("rest_ns", Whole(rest_ns)),
                ("settled_ns", Whole(settled_ns)),
                ("share", Real(share)),
            ],
            Warning::Drift { first_ns, last_ns } => vec![("first_ns", Whole(first_ns)), ("last_ns", Whole(last_ns))],
            Warning::Censored { censored, share, deadline_ns } => {
                let deadline = deadline_ns.map(|ns| ("deadline_ns", Whole(ns)));
                [("censored", Whole(censored)), ("share", Real(share))].into_iter().chain(deadline).collect()
            }
            Warning::InFlightLimit { limited, share, limit, needed } => vec![
                ("limited", Whole(limited)),
                ("share", Real(share)),
                ("limit", Whole(limit.into())),
                ("needed", Real(needed)),
            ],
            Warning::StreamLimit { limit, waits, mean_ns, share, connections } => {
                let connections = connections.map(|connections| ("connections", Whole(connections.into())));
                [
                    ("limit", Whole(limit.into())),
                    ("waits", Whole(waits)),
                    ("mean_ns", Whole(mean_ns)),
                    ("share", Real(share)),
                ]
                .into_iter()
                .chain(connections)
                .collect()
            }
            Warning::BehindPlan { offered, achieved, shortfall, limited } => vec![
                ("offered", Real(offered)),
                ("achieved", Real(achieved)),
                ("shortfall", Real(shortfall)),
                ("limited_share", Real(limited)),
            ],
            Warning::CutOff { abandoned, share } => vec![("abandoned", Whole(abandoned)), ("share", Real(share))],
            Warning::Unsent { unsent, unmade, share } => {
                vec![("unsent", Whole(unsent)), ("unmade", Whole(unmade)), ("share", Real(share))]
            }
            Warning::WorkersLost { lost } => vec![("lost", Whole(lost.into()))],
            Warning::Unoptimised => vec![],
            Warning::Clamped { clamped } => vec![("clamped", Whole(clamped))],
            Warning::NoneSucceeded { failed } => vec![("failed", Whole(failed))],
            Warning::NothingDone { sent } => vec![("sent", Whole(sent))],
            Warning::TooShort { elapsed_ns, needed_ns } => {
                vec![("elapsed_ns", Whole(elapsed_ns)), ("needed_ns", Whole(needed_ns))]
            }
            Warning::TooManyFailures { failed, share } | Warning::CallsFailed { failed, share, .. } => {
                vec![("failed", Whole(failed)), ("share", Real(share))]
            }
            Warning::TooFewSamples { millionths, samples, needed } => vec![
                ("percentile", Real(f64::from(millionths) / 10_000.0)),
                ("samples", Whole(samples)),
                ("needed", Whole(needed)),
            ],
            Warning::DetailsCapped { listed, left_out } => {
                vec![("listed", Whole(listed)), ("left_out", Whole(left_out))]
            }
            Warning::RowsCapped { listed, left_out, interval_ns } => {
                vec![("listed", Whole(listed)), ("left_out", Whole(left_out)), ("interval_ns", Whole(interval_ns))]
            }
        }
    }
}
