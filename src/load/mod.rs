//! When calls are made: pure arithmetic over offsets, without a clock and without gRPC.
//!
//! A [`Schedule`] says **when each call is due**, not how long to wait until the next one: catching up after a stall
//! needs no code, and lateness cannot be lost.

mod arrivals;
mod share;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::units::{Offset, Rate};

pub use arrivals::{Arrival, Arrivals, Tickets};
pub use share::Share;

/// What decides that a call is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// Closed loop: each of `concurrency` callers makes its next call when the last one has been answered.
    Closed {
        /// The population of callers.
        concurrency: NonZeroU32,
    },
    /// Open loop: calls are due at planned instants, whatever the server does.
    Open {
        /// The planned instants.
        schedule: Schedule,
        /// At most so many calls are sent and not done at any time; a call due beyond that waits, and its wait counts
        /// in its response time.
        in_flight: NonZeroU32,
    },
}

impl Load {
    /// The most calls that can be sent and not done at the same time.
    pub fn in_flight(self) -> u32 {
        match self {
            Load::Closed { concurrency } => concurrency.get(),
            Load::Open { in_flight, .. } => in_flight.get(),
        }
    }

    /// The schedule of an open loop.
    pub fn schedule(self) -> Option<Schedule> {
        match self {
            Load::Closed { .. } => None,
            Load::Open { schedule, .. } => Some(schedule),
        }
    }
}

/// One line for people: `closed loop, 50 callers` or `open loop, constant 10/s, at most 50 in flight`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Closed { concurrency } if concurrency.get() == 1 => f.write_str("closed loop, 1 caller"),
            Load::Closed { concurrency } => write!(f, "closed loop, {concurrency} callers"),
            Load::Open { schedule, in_flight } => write!(f, "open loop, {schedule}, at most {in_flight} in flight"),
        }
    }
}

/// The instants at which calls are due.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Schedule {
    /// Equal gaps, the first call at the start.
    Constant(Rate),
}

impl Schedule {
    /// Calls per second over a long time.
    pub fn mean_rate(self) -> f64 {
        match self {
            Schedule::Constant(rate) => rate.per_second(),
        }
    }

    /// When call `index` is due. Never earlier than call `index - 1`.
    pub fn due(self, index: u64) -> Offset {
        match self {
            Schedule::Constant(rate) => rate.due(index),
        }
    }

    /// How many calls are due before `end`.
    pub fn due_before(self, end: Offset) -> u64 {
        match self {
            Schedule::Constant(rate) => rate.due_before(end),
        }
    }
}

/// `constant 10/s`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Constant(rate) => write!(f, "constant {rate}"),
        }
    }
}

/// Where a run ends by itself: at whichever of the two comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    calls: Option<u64>,
    duration: Option<Duration>,
}

impl Limits {
    /// At most `calls` calls, and none due (open loop) or sent (closed loop) after `duration`.
    ///
    /// `None` when nothing would end the run, or a limit is 0.
    pub fn new(calls: Option<u64>, duration: Option<Duration>) -> Option<Limits> {
        let bounded = calls.is_some() || duration.is_some();
        let positive = calls != Some(0) && duration != Some(Duration::ZERO);
        (bounded && positive).then_some(Limits { calls, duration })
    }

    /// The most calls.
    pub fn calls(self) -> Option<u64> {
        self.calls
    }

    /// The longest time.
    pub fn duration(self) -> Option<Duration> {
        self.duration
    }

    /// How many calls of an open loop are due within these limits before `now`.
    fn due_before(self, schedule: Schedule, now: Offset) -> u64 {
        let end = self.duration.map_or(now, |duration| now.min(Offset::from_duration(duration)));
        schedule.due_before(end).min(self.calls.unwrap_or(u64::MAX))
    }
}

/// `200 calls`, `5s`, `200 calls or 5s`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.calls, self.duration) {
            (Some(calls), Some(duration)) => write!(f, "{calls} calls or {duration:?}"),
            (Some(1), None) => f.write_str("1 call"),
            (Some(calls), None) => write!(f, "{calls} calls"),
            (None, Some(duration)) => write!(f, "{duration:?}"),
            (None, None) => f.write_str("no limit"),
        }
    }
}
