//! How many files this process may have open: each connection is one.

use crate::error::UsageError;
use crate::plan::Plan;

/// What a worker has open beside its connections: what its runtime waits on, and its alarm.
const OF_A_WORKER: u64 = 6;
/// What comes and goes: looking up names, a report's file.
const OF_THE_REST: u64 = 16;

/// Allows this process what `plan` needs, as far as the system lets it.
///
/// Errors when that is too little for each connection to be there once.
pub(super) fn provide(plan: &Plan) -> Result<(), UsageError> {
    let connections = plan.connections.get();
    let beside = open_now() + u64::from(plan.workers.get()) * OF_A_WORKER + OF_THE_REST;
    let needed = beside + u64::from(connections);
    // One that is left may still have calls to end when the next one is there.
    match system::allow(needed + u64::from(connections)) {
        Some(allowed) if allowed < needed => Err(UsageError::TooFewOpenFiles { connections, needed, allowed }),
        _ => Ok(()),
    }
}

/// How many files are open; a guess where the system does not tell.
fn open_now() -> u64 {
    std::fs::read_dir("/dev/fd").map_or(OF_THE_REST, |files| files.count() as u64)
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// Raises the limit to `wanted` if it is lower, and to what is allowed if that is less. Returns the limit, if there is
    /// any.
    pub(super) fn allow(wanted: u64) -> Option<u64> {
        let limit = getrlimit(Resource::Nofile);
        let current = limit.current?;
        if current >= wanted {
            return Some(current);
        }
        let raised = limit.maximum.map_or(wanted, |maximum| wanted.min(maximum));
        match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), ..limit }) {
            Ok(()) => Some(raised),
            Err(_) => Some(current),
        }
    }
}

#[cfg(not(unix))]
mod system {
    /// There is no such limit.
    pub(super) fn allow(_: u64) -> Option<u64> {
        None
    }
}
