//! A rate that changes in steps, and then holds.

use std::fmt;

use super::ramp::Ramp;
use super::scale::Scale;
use super::search::{first, guess};
use crate::units::{Nanos, Offset, Rate, UnitError};

/// A rate that rises or falls by the same amount every so often, until an end.
///
/// All numbers are whole: rates in units of a common scale, numbers of calls in halves of these units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Steps {
    ramp: Ramp,
    scale: Scale,
    start: u64,
    step: i128,
    every_ns: u64,
    /// How many steps there are; after them the rate is `end`.
    count: u64,
    end: u64,
}

impl Steps {
    /// The staircase that `ramp` asks for: its rate changes by the step every step duration, until it has reached the
    /// end rate or the longest time is over, whichever comes first. Without either it rises as far as rates can, or
    /// falls to nothing, after which no call is due.
    ///
    /// Errors when the ramp contradicts itself, or is too large to be counted exactly.
    pub fn new(ramp: Ramp) -> Result<Steps, UnitError> {
        ramp.check()?;
        let too_large = || UnitError::new("these steps make more calls than can be counted");
        let scale = Scale::of([Some(ramp.start), Some(ramp.step.size()), ramp.end].into_iter().flatten());
        let scale = scale.ok_or_else(too_large)?;
        let every_ns = Offset::from_duration(ramp.every).as_nanos();
        let [start, size] = [ramp.start, ramp.step.size()].map(|rate| scale.units(rate));
        let (limit, down) = (ramp.end.map(|end| scale.units(end)), ramp.step.is_down());
        let most = match (limit, down) {
            (Some(end), _) => start.abs_diff(end).div_ceil(size),
            (None, true) => start.div_ceil(size),
            // No further than rates go.
            (None, false) => (scale.highest() - start) / size,
        };
        let within = ramp.longest.map_or(u64::MAX, |longest| Offset::from_duration(longest).as_nanos() / every_ns);
        let steps = most.min(within);
        let reached = if down { start.saturating_sub(size * steps) } else { start + size.saturating_mul(steps) };
        let end = limit.filter(|_| steps == most).unwrap_or(reached);
        let step = if down { -i128::from(size) } else { i128::from(size) };
        let steps = Steps { ramp, scale, start, step, every_ns, count: steps, end };
        steps.checked_base().ok_or_else(too_large)?;
        Ok(steps)
    }

    /// What was asked for.
    pub fn ramp(&self) -> Ramp {
        self.ramp
    }

    /// The rate at the end; `None` if it is nothing.
    pub fn end(&self) -> Option<Rate> {
        self.scale.rate(self.end)
    }

    /// When the last step is made.
    fn end_ns(&self) -> u64 {
        self.count.saturating_mul(self.every_ns)
    }

    /// Whether calls beyond what can be counted would be due before the last step.
    fn checked_base(&self) -> Option<i128> {
        let steps = i128::from(self.count);
        let rise = self.step.checked_mul(steps)?.checked_mul(steps)?;
        let flat = 2i128.checked_mul(self.start.into())?.checked_mul(steps)?;
        flat.checked_add(rise.abs())?.checked_mul(self.every_ns.into())
    }

    /// Calls before step `step`, in halves of the scale.
    fn base(&self, step: u64) -> u128 {
        let step = i128::from(step);
        // The sum of start + i * step for i below `step`, twice, times the time of each.
        let sum = 2 * i128::from(self.start) * step + self.step * step * (step - 1);
        (sum * i128::from(self.every_ns)).unsigned_abs()
    }

    /// The rate after step `step`.
    fn rate(&self, step: u64) -> u64 {
        if step >= self.count {
            return self.end;
        }
        let rate = i128::from(self.start) + self.step * i128::from(step);
        u64::try_from(rate).unwrap_or(0)
    }

    /// See [`Schedule::reaches`](super::Schedule::reaches).
    pub(super) fn reaches(&self, calls: u128) -> Offset {
        let halves = self.scale.halves(calls);
        // steps * (2 start + step * steps) * every = halves, solved for the steps.
        let (twice_start, size) = (2.0 * self.start as f64, self.step as f64);
        let target = halves as f64 / self.every_ns as f64;
        let root = (twice_start * twice_start + 4.0 * size * target).max(0.0).sqrt();
        let near = guess(2.0 * target / (twice_start + root));
        let step = first(0, self.count + 1, near, |step| self.base(step) >= halves).saturating_sub(1);
        let left = halves - self.base(step);
        let rate = u128::from(2 * self.rate(step));
        let within = match (left, rate) {
            (0, _) => Some(0),
            (_, 0) => None,
            _ => Some(left.div_ceil(rate)),
        };
        let nanos = within.and_then(|within| within.checked_add(u128::from(step) * u128::from(self.every_ns)));
        Offset::from_nanos(nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(u64::MAX))
    }

    /// See [`Schedule::due_before`](super::Schedule::due_before).
    pub(super) fn due_before(&self, end: Offset) -> u64 {
        let Some(last) = end.as_nanos().checked_sub(1) else { return 0 };
        let step = (last / self.every_ns).min(self.count);
        let within = last - step * self.every_ns;
        self.scale.calls_up_to(self.base(step) + 2 * u128::from(self.rate(step)) * u128::from(within))
    }

    /// When the rate has become nothing for good.
    pub(super) fn ends(&self) -> Option<Offset> {
        (self.end == 0).then(|| Offset::from_nanos(self.end_ns()))
    }
}

/// `steps from 50/s by 10/s every 5s to 150/s`.
impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ramp { start, step, every, .. } = self.ramp;
        write!(f, "steps from {start} by {step} every {every:?}")?;
        match self.end() {
            _ if self.ramp.end.is_none() && self.ramp.longest.is_none() => Ok(()),
            Some(end) => write!(f, " to {end} after {:?}", Offset::from_nanos(self.end_ns()).as_duration()),
            None => write!(f, " to nothing after {}", Nanos(self.end_ns())),
        }
    }
}
