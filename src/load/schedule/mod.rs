//! When calls are due: a rate that is constant or changes with time, and its exact integral.

mod course;
mod ramp;
mod scale;
mod search;
mod steps;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::units::{Offset, Rate};

pub use course::{LineRamp, Stages};
pub use ramp::Ramp;
pub use steps::Steps;

/// The rate at which calls are due, as a function of time.
///
/// The area under it up to a time is the number of calls in that time: call `k` is due when the area reaches `k`, so at
/// any time as many are due as the area says, and at most one more (call 0 is due at once).
#[derive(Clone, PartialEq, Debug)]
pub enum Schedule {
    /// Equal gaps, the first call at the start.
    Constant(Rate),
    /// Steps, and then constant.
    Steps(Steps),
    /// A straight line, and then constant.
    Line(LineRamp),
    /// Straight lines in a row, and then nothing.
    Stages(Stages),
}

impl Schedule {
    /// When call `index` is due. Never earlier than call `index - 1`; at the end of time if it never is.
    pub fn due(&self, index: u64) -> Offset {
        match self {
            Schedule::Constant(rate) => rate.due(index),
            _ => self.reaches(u128::from(index) << 32),
        }
    }

    /// When the area under the rate reaches a number of calls that need not be whole: `2^32` parts make a call.
    pub(super) fn reaches(&self, calls: u128) -> Offset {
        let at = match self {
            Schedule::Constant(rate) => constant(*rate, calls),
            Schedule::Steps(steps) => steps.reaches(calls),
            Schedule::Line(line) => line.course.reaches(calls),
            Schedule::Stages(stages) => stages.course.reaches(calls),
        };
        // The end does not belong to the time, as everywhere.
        if self.ends().is_some_and(|end| at >= end) { Offset::from_nanos(u64::MAX) } else { at }
    }

    /// How many calls are due before `end`: those with `due(index) < end`.
    pub fn due_before(&self, end: Offset) -> u64 {
        let end = self.ends().map_or(end, |ends| ends.min(end));
        match self {
            Schedule::Constant(rate) => rate.due_before(end),
            Schedule::Steps(steps) => steps.due_before(end),
            Schedule::Line(line) => line.course.due_before(end),
            Schedule::Stages(stages) => stages.course.due_before(end),
        }
    }

    /// From when on no call is due, however long the run is; `None` if there is no such time.
    pub fn ends(&self) -> Option<Offset> {
        match self {
            Schedule::Constant(_) => None,
            Schedule::Steps(steps) => steps.ends(),
            Schedule::Line(line) => line.course.ends(),
            Schedule::Stages(stages) => stages.course.ends(),
        }
    }

    /// How long it takes until the call after the first `calls` is due, or no other call is: `calls` by this time is
    /// their mean rate.
    pub fn span(&self, calls: u64) -> Offset {
        let next = self.due(calls);
        self.ends().map_or(next, |end| next.min(end))
    }
}

/// When a constant rate reaches so many calls, to the nanosecond below.
fn constant(rate: Rate, calls: u128) -> Offset {
    let (count, per_ns) = rate.parts();
    let (whole, part) = (calls >> 32, calls & 0xffff_ffff);
    let (count, per_ns) = (u128::from(count), u128::from(per_ns));
    let nanos = whole * per_ns / count;
    // What is left of the whole calls, and the part of a call, in 2^32 parts of a nanosecond.
    let left = ((whole * per_ns % count) << 32) + part * per_ns;
    Offset::from_nanos(u64::try_from(nanos + left / (count << 32)).unwrap_or(u64::MAX))
}

/// `constant 10/s`, `steps from 50/s by 10/s every 5s to 150/s after 50s`, `stages 10s:100,30s:500`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Constant(rate) => write!(f, "constant {rate}"),
            Schedule::Steps(steps) => steps.fmt(f),
            Schedule::Line(line) => line.fmt(f),
            Schedule::Stages(stages) => stages.fmt(f),
        }
    }
}
