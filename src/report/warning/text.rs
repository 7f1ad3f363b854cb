//! What a finding says to people.

use super::Warning;
use crate::report::Percentile;
use crate::report::verdict::samples_needed;
use crate::units::Nanos;

impl Warning {
    /// The sentence for people.
    #[expect(clippy::too_many_lines, reason = "an arm for each kind, and none of them is long")]
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
            Warning::WaitedForCpu { delay_ns, share } => format!(
                "a worker thread was ready to run and waited for a CPU for {}, {} of its time: answers lay there unseen \
                 and calls left late",
                Nanos(delay_ns),
                percent(share),
            ),
            Warning::Throttled { throttled_ns, share } => format!(
                "the control group of this client had used up its CPU time and was held back for {}, {} of the run",
                Nanos(throttled_ns),
                percent(share),
            ),
            Warning::Stolen { stolen_ns, share } => format!(
                "the host of this virtual machine gave its CPUs to others for {}, {} of the run: answers lay there unseen \
                 and calls left late",
                Nanos(stolen_ns),
                percent(share),
            ),
            Warning::CallersIdle { in_flight, callers, share } => format!(
                "of {callers} callers {in_flight:.1} were in a call on average: this client took {} of their time between \
                 calls",
                percent(share),
            ),
            Warning::TooManyFailures { failed, share } => format!(
                "the run was stopped early: {} failed ({}), more than --max-failures allows",
                calls(failed),
                percent(share),
            ),
            Warning::SlowStart { permille, first_ns, rest_ns, settled_ns, share } => format!(
                "the start is unlike the rest: the {} of the first interval is {}, of all others at most {}, and the \
                 first {} made {} of the calls",
                percentile(permille),
                Nanos(first_ns),
                Nanos(rest_ns),
                Nanos(settled_ns),
                percent(share),
            ),
            Warning::Drift { first_ns, last_ns } => format!(
                "times {} over the run: the median was {} in its first third and {} in its last",
                if last_ns > first_ns { "grew" } else { "fell" },
                Nanos(first_ns),
                Nanos(last_ns),
            ),
            Warning::Censored { censored, share, deadline_ns } => {
                let at_least =
                    deadline_ns.map_or_else(|| "the server's deadline".to_owned(), |ns| Nanos(ns).to_string());
                format!(
                    "{} ({}) ended at their deadline: they took at least {at_least}, and how much longer they would \
                     have taken is not known",
                    calls(censored),
                    percent(share),
                )
            }
            Warning::InFlightLimit { limited, share, limit, .. } => format!(
                "{} ({}) were due while {limit} were in flight, and waited for a free slot: the server or the plan, \
                 not this client, made them late",
                calls(limited),
                percent(share),
            ),
            Warning::StreamLimit { limit, waits, mean_ns, share, .. } => format!(
                "the server lets {limit} streams be open on a connection: {} waited {} on average for one, {} of the service \
                 time",
                calls(waits),
                Nanos(mean_ns),
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
            Warning::Unsent { unsent, unmade, share } if unmade == unsent => format!(
                "{} ({}) could not be sent: what their templates gave was no message",
                calls(unsent),
                percent(share),
            ),
            Warning::Unsent { unsent, share, .. } => format!(
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
            Warning::NothingDone { sent: 0 } => "no call was made that counts".to_owned(),
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
            Warning::TooFewSamples { millionths, samples, needed } => {
                let higher: String = [990, 999]
                    .into_iter()
                    .filter(|higher| u32::from(*higher) * 1_000 > millionths)
                    .map(|higher| ordinal(higher) + " " + &samples_needed(higher).to_string())
                    .fold(String::new(), |text, higher| text + ", the " + &higher);
                format!(
                    "{} are few for high percentiles: the {} takes {needed}{higher}",
                    calls(samples),
                    ordinal_at(millionths)
                )
            }
            Warning::DetailsCapped { listed, left_out } => format!(
                "{} are listed one by one and {left_out} more are not; all other numbers cover every call",
                calls(listed)
            ),
            Warning::RowsCapped { listed, left_out, interval_ns } => format!(
                "{listed} intervals of {} are listed and {left_out} more are not; all other numbers cover the whole run",
                Nanos(interval_ns)
            ),
        }
    }
}

fn percentile(permille: u16) -> String {
    if permille == 500 { "median".to_owned() } else { format!("{} percentile", ordinal(permille)) }
}

/// `99th`, `99.9th`.
fn ordinal(permille: u16) -> String {
    ordinal_at(u32::from(permille) * 1_000)
}

fn ordinal_at(millionths: u32) -> String {
    format!("{}th", Percentile { millionths, ns: 0 }.label())
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
