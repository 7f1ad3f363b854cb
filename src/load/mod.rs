//! When calls are made: pure arithmetic over offsets, without a clock and without gRPC.
//!
//! A [`Schedule`] says **when each call is due**, not how long to wait until the next one: catching up after a stall
//! needs no code, and lateness cannot be lost.

mod arrivals;
mod limits;
mod population;
mod schedule;
mod share;
mod spacing;
mod times;

use std::fmt;
use std::num::NonZeroU32;

use crate::error::UsageError;

pub use arrivals::{Arrival, Arrivals, Tickets, Unsent};
pub use limits::{Limits, Warmup};
pub use population::{Growth, Population, PopulationChange};
pub use schedule::{LineRamp, Ramp, Schedule, Stages, Steps};
pub use share::Share;
pub use spacing::Spacing;

/// What decides that a call is made.
#[derive(Clone, PartialEq, Debug)]
pub enum Load {
    /// Closed loop: each caller makes its next call when the last one has been answered.
    Closed {
        /// The callers.
        concurrency: Population,
    },
    /// Open loop: calls are due at planned instants, whatever the server does.
    Open {
        /// The rate.
        schedule: Schedule,
        /// Where calls lie under the rate.
        spacing: Spacing,
        /// At most so many calls are sent and not done at any time; a call due beyond that waits, and its wait counts
        /// in its response time.
        in_flight: NonZeroU32,
    },
}

impl Load {
    /// As a limit of calls in flight: as many as it takes.
    pub const UNLIMITED: NonZeroU32 = NonZeroU32::MAX;

    /// The most calls that can be sent and not done at the same time.
    pub fn in_flight(&self) -> u32 {
        match self {
            Load::Closed { concurrency } => concurrency.most(),
            Load::Open { in_flight, .. } => in_flight.get(),
        }
    }

    /// Errors if these are more connections than calls that could be in flight on them.
    pub fn uses(&self, connections: NonZeroU32) -> Result<(), UsageError> {
        let (connections, in_flight) = (connections.get(), self.in_flight());
        if connections > in_flight {
            return Err(UsageError::TooManyConnections { connections, in_flight });
        }
        Ok(())
    }

    /// Whether as many calls may be in flight as it takes.
    pub fn is_unlimited(&self) -> bool {
        matches!(self, Load::Open { in_flight, .. } if *in_flight == Load::UNLIMITED)
    }

    /// The schedule of an open loop.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            Load::Closed { .. } => None,
            Load::Open { schedule, .. } => Some(schedule),
        }
    }

    /// Whether calls are due at planned instants.
    pub fn is_open(&self) -> bool {
        self.schedule().is_some()
    }
}

/// One line for people: `closed loop, 50 callers` or `open loop, constant 10/s, at most 50 in flight`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Closed { concurrency } => write!(f, "closed loop, {concurrency}"),
            Load::Open { schedule, spacing, in_flight } => {
                write!(f, "open loop, {schedule}, ")?;
                if *spacing != Spacing::Constant {
                    write!(f, "{spacing}, ")?;
                }
                match *in_flight {
                    Load::UNLIMITED => f.write_str("any number in flight"),
                    limit => write!(f, "at most {limit} in flight"),
                }
            }
        }
    }
}
