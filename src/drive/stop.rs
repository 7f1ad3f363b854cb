//! The stop of a run from outside.

use std::sync::Arc;

use tokio::sync::watch;

/// How far a run has been told to stop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// Not at all.
    Run,
    /// No new calls; those in flight are waited for.
    StopIssuing,
    /// Calls in flight are cut off.
    Abandon,
}

/// Stops a run from outside; clones stop the same one.
#[derive(Clone, Debug)]
pub struct Stop {
    level: Arc<watch::Sender<Level>>,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { level: Arc::new(watch::Sender::new(Level::Run)) }
    }
}

impl Stop {
    /// A first interrupt ends the issuing of calls, and those in flight are waited for; a second one cuts them off.
    /// The run reports what it has measured either way.
    pub fn interrupt(&self) {
        self.level.send_modify(|level| {
            *level = match level {
                Level::Run => Level::StopIssuing,
                Level::StopIssuing | Level::Abandon => Level::Abandon,
            }
        });
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Level> {
        self.level.subscribe()
    }
}
