//! Where a run begins to count and where it ends.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// Where a run ends by itself, at whichever of the two comes first, and what comes before it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    calls: Option<u64>,
    duration: Option<Duration>,
    warmup: Option<Warmup>,
}

/// The beginning of a run, which is made like the rest and counts in none of its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Warmup {
    /// Calls due (open loop) or sent (closed loop) before this time.
    Time(Duration),
    /// So many calls, in the order of their start.
    Calls(u64),
}

impl Limits {
    /// At most `calls` calls, and none due (open loop) or sent (closed loop) after `duration`.
    ///
    /// `None` when nothing would end the run, or a limit is 0.
    pub fn new(calls: Option<u64>, duration: Option<Duration>) -> Option<Limits> {
        let bounded = calls.is_some() || duration.is_some();
        let positive = calls != Some(0) && duration != Some(Duration::ZERO);
        (bounded && positive).then_some(Limits { calls, duration, warmup: None })
    }

    /// The same after a warm-up: the limits count from its end.
    #[must_use]
    pub fn after(self, warmup: Option<Warmup>) -> Limits {
        Limits { warmup, ..self }
    }

    /// The limits of so many equal runs together, where only calls add up.
    #[must_use]
    pub fn times(self, runs: NonZeroU32) -> Limits {
        let many = |calls: u64| calls.saturating_mul(runs.get().into());
        let warmup = self.warmup.map(|warmup| match warmup {
            Warmup::Calls(calls) => Warmup::Calls(many(calls)),
            Warmup::Time(time) => Warmup::Time(time),
        });
        Limits { calls: self.calls.map(many), warmup, ..self }
    }

    /// The most calls.
    pub fn calls(self) -> Option<u64> {
        self.calls
    }

    /// The longest time.
    pub fn duration(self) -> Option<Duration> {
        self.duration
    }

    /// What comes before.
    pub fn warmup(self) -> Option<Warmup> {
        self.warmup
    }
}

/// `200 calls`, `5s`, `200 calls or 5s`, `5s after a warm-up of 2s`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.calls, self.duration) {
            (Some(calls), Some(duration)) => write!(f, "{} or {duration:?}", Calls(calls))?,
            (Some(calls), None) => write!(f, "{}", Calls(calls))?,
            (None, Some(duration)) => write!(f, "{duration:?}")?,
            (None, None) => f.write_str("no limit")?,
        }
        match self.warmup {
            None => Ok(()),
            Some(Warmup::Time(time)) => write!(f, " after a warm-up of {time:?}"),
            Some(Warmup::Calls(calls)) => write!(f, " after a warm-up of {}", Calls(calls)),
        }
    }
}

struct Calls(u64);

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} call{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}
