//! Quantities: points in time of a run, durations, rates, and how they are read and written.
//!
//! Nothing here reads a clock or knows what is being measured.

mod byte_count;
mod change;
mod duration;
mod rate;

use std::fmt;
use std::ops::Add;
use std::time::Duration;

pub use byte_count::ByteCount;
pub use change::Change;
pub use duration::{Nanos, parse_duration};
pub use rate::Rate;

/// A point in time: nanoseconds since a clock started, mostly that of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Offset(u64);

impl Offset {
    /// The start of the clock.
    pub const ZERO: Offset = Offset(0);

    /// The point `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Offset {
        Offset(nanos)
    }

    /// The point `duration` after the start; saturates after 584 years.
    pub fn from_duration(duration: Duration) -> Offset {
        Offset(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since the start.
    pub const fn as_duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// The point `nanos` nanoseconds later; saturates.
    #[must_use]
    pub const fn plus_nanos(self, nanos: u64) -> Offset {
        Offset(self.0.saturating_add(nanos))
    }

    /// Nanoseconds from `earlier` to here; 0 when `earlier` is in fact later.
    pub const fn since(self, earlier: Offset) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// How many of `count` there were in a second from the start to here; 0 at the start.
    pub fn per_second(self, count: u64) -> f64 {
        if self == Offset::ZERO { 0.0 } else { count as f64 * 1e9 / self.0 as f64 }
    }
}

impl Add<Duration> for Offset {
    type Output = Offset;

    fn add(self, duration: Duration) -> Offset {
        self.plus_nanos(Offset::from_duration(duration).0)
    }
}

/// A text that is not the quantity it should be. Displays as the rule that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitError {
    rule: String,
}

impl UnitError {
    /// The rule, as a sentence without a full stop.
    pub(crate) fn new(rule: impl Into<String>) -> UnitError {
        UnitError { rule: rule.into() }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rule)
    }
}

impl std::error::Error for UnitError {}
