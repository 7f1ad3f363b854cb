//! The stop of a run from outside, or by one of its workers.

use std::sync::Arc;

use tokio::sync::watch;

use crate::record::EndReason;

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

/// How far, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Order {
    pub(super) level: Level,
    pub(super) reason: EndReason,
}

/// Stops a run from outside; clones stop the same one.
#[derive(Clone, Debug)]
pub struct Stop {
    order: Arc<watch::Sender<Order>>,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { order: Arc::new(watch::Sender::new(Order { level: Level::Run, reason: EndReason::Interrupt })) }
    }
}

impl Stop {
    /// A first interrupt ends the issuing of calls, and those in flight are waited for; a second one cuts them off.
    /// The run reports what it has measured either way.
    pub fn interrupt(&self) {
        self.order.send_modify(|order| {
            order.level = match order.level {
                Level::Run => Level::StopIssuing,
                // Also where it was a worker that stopped the run: who interrupts then wants to see the end of it.
                Level::StopIssuing | Level::Abandon => Level::Abandon,
            }
        });
    }

    /// Too many calls have failed: no new ones, unless the run stops anyway.
    pub(super) fn failures(&self) {
        self.order.send_if_modified(|order| {
            let runs = order.level == Level::Run;
            if runs {
                *order = Order { level: Level::StopIssuing, reason: EndReason::Failures };
            }
            runs
        });
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Order> {
        self.order.subscribe()
    }
}
