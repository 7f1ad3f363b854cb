//! What is asked of a rate that changes: where it begins, how it changes, and until when.

use std::time::Duration;

use crate::units::{Change, Rate, UnitError};

/// A rate that changes evenly, as ghz's options have it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ramp {
    /// The rate at the beginning.
    pub start: Rate,
    /// By how much it changes in each `every`.
    pub step: Change,
    /// How long a step takes.
    pub every: Duration,
    /// The rate at which it stops changing.
    pub end: Option<Rate>,
    /// After so long it stops changing, whatever it has reached.
    pub longest: Option<Duration>,
}

impl Ramp {
    /// Errors when it contradicts itself.
    pub(super) fn check(&self) -> Result<(), UnitError> {
        if self.every.is_zero() || self.longest.is_some_and(|longest| longest.is_zero()) {
            return Err(UnitError::new("a time is above 0"));
        }
        let Some(end) = self.end else { return Ok(()) };
        let (from, to) = (self.start.per_second(), end.per_second());
        if self.start == end {
            return Err(UnitError::new(format!("it starts with {} and ends with the same", self.start)));
        }
        if (to < from) != self.step.is_down() {
            return Err(UnitError::new(format!(
                "a step of {} leads away from the end: from {} to {end}",
                self.step, self.start
            )));
        }
        Ok(())
    }
}
