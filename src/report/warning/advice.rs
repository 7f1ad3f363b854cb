//! What to do about a finding.

use super::Warning;
use crate::plan::Idle;
use crate::report::Setup;
use crate::report::verdict::{ABANDONED_SHARE, LIMITED_MOSTLY};

impl Warning {
    /// What to do about it, in the run that `setup` describes.
    pub fn advice(&self, setup: &Setup) -> Option<String> {
        match *self {
            // The CPU of a virtual machine may take a millisecond to come back when it has been idle.
            Warning::GeneratorLate { .. } if setup.idle != Idle::Spin => {
                Some(format!("{}; a CPU that is slow to wake is kept awake by --idle spin", relieve_client(setup)))
            }
            Warning::GeneratorLate { .. } | Warning::WorkerBusy { .. } | Warning::CallersIdle { .. } => {
                Some(relieve_client(setup))
            }
            Warning::WaitedForCpu { .. } => Some(
                "keep other work, and the server, off the CPUs of this client (taskset, cpusets), or give it more of them"
                    .to_owned(),
            ),
            Warning::Throttled { .. } => Some("raise the CPU limit of the container or control group".to_owned()),
            Warning::Stolen { .. } => {
                Some("measure from a machine of its own, or from a virtual one with dedicated CPUs".to_owned())
            }
            Warning::TooManyFailures { .. } => Some("see the error distribution".to_owned()),
            Warning::SlowStart { settled_ns, .. } => {
                Some(format!("leave the start out with --warmup {}s", settled_ns.div_ceil(1_000_000_000)))
            }
            Warning::Drift { .. } => Some(
                "let the run last until times are steady, or see the intervals in the JSON report for what changed"
                    .to_owned(),
            ),
            Warning::Censored { .. } => Some(if setup.about.count_errors {
                "percentiles that reach into these calls are lower bounds".to_owned()
            } else {
                "percentiles are those of the OK calls only; --count-errors counts these as well".to_owned()
            }),
            Warning::BehindPlan { limited, .. } if limited < LIMITED_MOSTLY => Some(relieve_client(setup)),
            Warning::BehindPlan { achieved, .. } => {
                Some(format!("the server kept up with about {achieved:.0}/s at {} in flight", setup.load.in_flight()))
            }
            Warning::InFlightLimit { limit, needed, .. } => Some(if needed > f64::from(limit) {
                format!("at this rate and service time about {needed:.0} are in flight: raise -c, or lower -r")
            } else {
                "on average there was room, so the server was slow for a while: see its slowest service time".to_owned()
            }),
            Warning::StreamLimit { connections, .. } => {
                connections.map(|connections| format!("use {connections} connections: --connections {connections}"))
            }
            Warning::CutOff { share, .. } => (share > ABANDONED_SHARE).then(|| {
                "let the run last much longer than a call does, or wait for the last ones with --duration-stop wait"
                    .to_owned()
            }),
            Warning::Unsent { unsent, unmade, .. } if unmade == unsent => {
                Some("see the reasons, and mend the template".to_owned())
            }
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
            Warning::RowsCapped { .. } => Some("raise --interval".to_owned()),
            Warning::CallsFailed { .. } | Warning::DetailsCapped { .. } => None,
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
