//! Turns a [`Plan`] into a [`Recording`].

use crate::error::Problems;
use crate::plan::Plan;
use crate::record::Recording;

/// The stop of a run, from outside: clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {}

impl Stop {
    /// A first interrupt ends the issuing of calls, and waits for those in flight; a second one abandons them.
    pub fn interrupt(&self) {
        todo!()
    }
}

/// Runs the plan, whose security has been found out. Returns when the run has ended; fails only when the connections don't come up.
pub fn run(plan: &Plan, stop: &Stop) -> Result<Recording, Problems> {
    let _ = (plan, stop);
    todo!()
}
