//! How many callers a closed loop has, as a function of time.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::units::{Offset, UnitError};

/// The callers of a closed loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Population {
    /// As many all the time.
    Constant(NonZeroU32),
    /// More or fewer as time goes by, and then as many as there are.
    Changing(Growth),
}

/// What is asked of a population that changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PopulationChange {
    /// Callers at the beginning.
    pub start: u32,
    /// How many join in each `every`; those below 0 leave.
    pub step: i32,
    /// How long a step takes.
    pub every: Duration,
    /// One after the other, evenly, instead of all at the end of a step.
    pub line: bool,
    /// The number at which it stops changing.
    pub end: Option<u32>,
    /// After so long it stops changing, whatever it has reached.
    pub longest: Option<Duration>,
}

/// A population that grows or shrinks, until an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    change: PopulationChange,
    /// How many join or leave at a time.
    size: u32,
    /// How many times.
    times: u64,
    end: u32,
}

/// Callers at most: each has a place in memory.
const MOST: u32 = 1_000_000;

impl Growth {
    /// The population that `change` asks for: it changes by the step every step duration, until it has reached the end
    /// or the longest time is over, whichever comes first.
    ///
    /// Errors when the change contradicts itself, or would leave no caller.
    pub fn new(change: PopulationChange) -> Result<Growth, UnitError> {
        let PopulationChange { start, step, every, line, end, longest } = change;
        if start == 0 || start > MOST || end.is_some_and(|end| end == 0 || end > MOST) {
            return Err(UnitError::new(format!("there are from 1 to {MOST} callers")));
        }
        if step == 0 {
            return Err(UnitError::new("a step is other than 0"));
        }
        if every.is_zero() || longest.is_some_and(|longest| longest.is_zero()) {
            return Err(UnitError::new("a time is above 0"));
        }
        if end == Some(start) {
            return Err(UnitError::new(format!("it starts with {start} callers and ends with the same")));
        }
        if end.is_some_and(|end| (end < start) != (step < 0)) {
            let end = end.unwrap_or(0);
            return Err(UnitError::new(format!("a step of {step} leads away from the end: from {start} to {end}")));
        }
        let size = if line { 1 } else { step.unsigned_abs() };
        let limit = end.unwrap_or(if step < 0 { 0 } else { MOST });
        let most = u64::from(start.abs_diff(limit).div_ceil(size));
        let growth = Growth { change, size, times: most, end: limit };
        let within = longest.map_or(u64::MAX, |longest| growth.changes_by(Offset::from_duration(longest)));
        let growth = Growth { times: most.min(within), ..growth };
        let growth = Growth { end: growth.after(growth.times), ..growth };
        if growth.end == 0 {
            return Err(UnitError::new("all callers would leave; say with how many it ends, or after what time"));
        }
        Ok(growth)
    }

    /// What was asked for.
    pub fn change(self) -> PopulationChange {
        self.change
    }

    /// Changes in a step.
    fn in_a_step(self) -> u64 {
        if self.change.line { self.change.step.unsigned_abs().into() } else { 1 }
    }

    /// How many changes there have been at `now`.
    fn changes_by(self, now: Offset) -> u64 {
        let every = self.change.every.as_nanos();
        let changes = u128::from(now.as_nanos()) * u128::from(self.in_a_step()) / every;
        u64::try_from(changes).unwrap_or(u64::MAX).min(self.times)
    }

    /// Callers after so many changes.
    fn after(self, changes: u64) -> u32 {
        let size = u32::try_from(changes.saturating_mul(self.size.into())).unwrap_or(u32::MAX);
        if self.change.step < 0 {
            self.change.start.saturating_sub(size).max(self.change.end.unwrap_or(0))
        } else {
            self.change.start.saturating_add(size).min(self.change.end.unwrap_or(MOST))
        }
    }
}

impl Population {
    /// Callers at the beginning.
    pub fn at_start(self) -> u32 {
        self.at(Offset::ZERO)
    }

    /// Callers at `now`.
    pub fn at(self, now: Offset) -> u32 {
        match self {
            Population::Constant(callers) => callers.get(),
            Population::Changing(growth) => growth.after(growth.changes_by(now)),
        }
    }

    /// When it next changes after `now`; `None` if it never does.
    pub fn changes_after(self, now: Offset) -> Option<Offset> {
        let Population::Changing(growth) = self else { return None };
        let next = growth.changes_by(now) + 1;
        if next > growth.times {
            return None;
        }
        let nanos = (u128::from(next) * growth.change.every.as_nanos()).div_ceil(growth.in_a_step().into());
        u64::try_from(nanos).ok().map(Offset::from_nanos)
    }

    /// The most callers at any time.
    pub fn most(self) -> u32 {
        match self {
            Population::Constant(callers) => callers.get(),
            Population::Changing(growth) => growth.change.start.max(growth.end),
        }
    }
}

impl From<NonZeroU32> for Population {
    fn from(callers: NonZeroU32) -> Population {
        Population::Constant(callers)
    }
}

/// `50 callers`, `from 5 to 50 callers, 5 more every 10s`.
impl fmt::Display for Population {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Population::Constant(callers) if callers.get() == 1 => f.write_str("1 caller"),
            Population::Constant(callers) => write!(f, "{callers} callers"),
            Population::Changing(growth) => {
                let PopulationChange { start, step, every, line, end, longest } = growth.change;
                match growth.end {
                    _ if end.is_none() && longest.is_none() => write!(f, "{start} callers at first")?,
                    end => write!(f, "from {start} to {end} callers")?,
                }
                let (size, what) = (step.unsigned_abs(), if step < 0 { "fewer" } else { "more" });
                write!(f, ", {size} {what} every {every:?}{}", if line { " one by one" } else { "" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn changing(change: PopulationChange) -> Population {
        Population::Changing(Growth::new(change).unwrap())
    }

    fn change(start: u32, step: i32, end: Option<u32>, longest_s: Option<u64>) -> PopulationChange {
        let longest = longest_s.map(Duration::from_secs);
        PopulationChange { start, step, every: Duration::from_secs(2), line: false, end, longest }
    }

    fn at_seconds(population: Population, seconds: u64) -> Vec<u32> {
        (0..seconds).map(|second| population.at(Offset::from_nanos(second * 1_000_000_000))).collect()
    }

    #[test]
    fn steps_are_those_of_the_documentation() {
        assert_eq!(at_seconds(changing(change(5, 5, Some(12), None)), 7), [5, 5, 10, 10, 12, 12, 12]);
        assert_eq!(at_seconds(changing(change(5, 5, None, Some(3))), 7), [5, 5, 10, 10, 10, 10, 10]);
        assert_eq!(at_seconds(changing(change(9, -4, Some(2), Some(60))), 7), [9, 9, 5, 5, 2, 2, 2]);
    }

    #[test]
    fn a_line_changes_one_by_one() {
        let line = changing(PopulationChange { line: true, ..change(1, 4, Some(6), None) });
        let at = |ms: u64| line.at(Offset::from_nanos(ms * 1_000_000));
        assert_eq!([0, 499, 500, 1_000, 1_999, 2_000, 2_500, 9_000].map(at), [1, 1, 2, 3, 4, 5, 6, 6]);
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for wrong in [
            change(0, 1, None, None),
            change(5, 0, None, None),
            change(5, 1, Some(5), None),
            change(5, 1, Some(2), None),
            change(5, -1, Some(9), None),
            change(5, 1, Some(0), None),
            change(5, -1, None, None),
            change(5, -5, None, Some(4)),
            change(5, 1, None, Some(0)),
            PopulationChange { every: Duration::ZERO, ..change(5, 1, None, None) },
        ] {
            assert!(Growth::new(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn populations_read_well() {
        for (population, text) in [
            (Population::Constant(NonZeroU32::MIN), "1 caller"),
            (changing(change(5, 5, Some(50), None)), "from 5 to 50 callers, 5 more every 2s"),
            (
                changing(PopulationChange { line: true, ..change(50, -5, None, Some(10)) }),
                "from 50 to 25 callers, 5 fewer every 2s one by one",
            ),
            (changing(change(5, 5, None, None)), "5 callers at first, 5 more every 2s"),
        ] {
            assert_eq!(population.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn changes_are_announced(start in 1u32..50, step in -20i32..20, every_ms in 1u64..3_000, line: bool, end in prop::option::of(1u32..50), longest_ms in prop::option::of(1u64..10_000)) {
            let [every, longest] = [Some(every_ms), longest_ms].map(|ms| ms.map(Duration::from_millis));
            let change = PopulationChange { start, step, every: every.unwrap(), line, end, longest };
            let Ok(growth) = Growth::new(change) else { return Ok(()) };
            let population = Population::Changing(growth);
            let mut now = Offset::ZERO;
            for _ in 0..50 {
                let Some(next) = population.changes_after(now) else {
                    prop_assert_eq!(population.at(Offset::from_nanos(u64::MAX)), population.at(now));
                    break;
                };
                prop_assert!(next > now);
                prop_assert_eq!(population.at(Offset::from_nanos(next.as_nanos() - 1)), population.at(now));
                prop_assert!(population.at(next) != population.at(now));
                now = next;
            }
            prop_assert!(population.at(now) >= 1 && population.at(now) <= population.most());
        }
    }
}
