//! What can be known of a run before it is measured: that it needs more calls in flight than it may have.

use std::fmt;
use std::time::Duration;

use super::Plan;
use crate::load::{Limits, Load, Schedule, Warmup};
use crate::units::{Nanos, Offset};

/// A run that cannot keep its rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// What it is known from.
    pub basis: Basis,
    /// How long a call takes by that.
    pub each: Duration,
    /// How many calls are then in flight where the plan is busiest.
    pub needed: u64,
    /// How many may be.
    pub allowed: u32,
}

/// What tells how long a call will take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The fastest TCP connect. It is one round trip, and no call can be faster than that.
    Connect,
    /// The mean service time of the warm-up's calls.
    Warmup,
}

/// What was measured is an estimate: no more is said of a run that is short of places by less than a tenth.
const MARGIN: u64 = 10;
/// A connect that takes less than this says more of the two machines than of the way between them.
const CONNECT_MIN: Duration = Duration::from_millis(1);
/// And one that takes this long has lost its first packet, which is sent again after a second.
const CONNECT_MAX: Duration = Duration::from_secs(1);
/// A schedule is looked at in so many places.
const PLACES: u64 = 64;

impl Plan {
    /// What to expect if each call takes as long as `each`; `None` if the plan may work.
    pub fn forecast(&self, basis: Basis, each: Duration) -> Option<Forecast> {
        forecast(&self.load, self.limits, basis, each)
    }
}

fn forecast(load: &Load, limits: Limits, basis: Basis, each: Duration) -> Option<Forecast> {
    if basis == Basis::Connect && !(CONNECT_MIN..CONNECT_MAX).contains(&each) {
        return None;
    }
    let needed = busiest(load.schedule()?, limits, each);
    let allowed = load.in_flight();
    let at_most = u64::from(allowed) * (MARGIN + 1) / MARGIN;
    (needed > at_most).then_some(Forecast { basis, each, needed, allowed })
}

/// The most calls that are due within a time of `each`: so many are in flight at the end of that time, if each call takes
/// as long and none has to wait.
fn busiest(schedule: &Schedule, limits: Limits, each: Duration) -> u64 {
    let (warmup_calls, from) = match limits.warmup() {
        None => (0, Offset::ZERO),
        Some(Warmup::Calls(calls)) => (calls, schedule.due(calls)),
        Some(Warmup::Time(time)) => (schedule.due_before(Offset::from_duration(time)), Offset::from_duration(time)),
    };
    let by_calls = limits.calls().map(|calls| schedule.span(calls.saturating_add(warmup_calls)));
    let by_time = limits.duration().map(|duration| from + duration);
    let end = [by_calls, by_time, schedule.ends()].into_iter().flatten().min().unwrap_or(from);
    let latest = end.since(from).saturating_sub(Offset::from_duration(each).as_nanos());
    (0..=PLACES)
        .map(|place| {
            let start = from + Duration::from_nanos(latest / PLACES * place);
            schedule.due_before((start + each).min(end)) - schedule.due_before(start.min(end))
        })
        .max()
        .unwrap_or(0)
}

/// `a round trip to the target takes 40.00 ms, so that 200 calls would be in flight where 50 may be: ...`
impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = Nanos(Offset::from_duration(self.each).as_nanos());
        match self.basis {
            Basis::Connect => write!(f, "a round trip to the target takes {each}")?,
            Basis::Warmup => write!(f, "calls of the warm-up took {each} on average")?,
        }
        let Forecast { needed, allowed, .. } = self;
        write!(f, ": at this rate about {needed} calls are in flight, and {allowed} may be; raise -c, or lower -r")
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::load::Spacing;

    const MS: Duration = Duration::from_millis(1);

    fn open(schedule: Schedule, in_flight: u32) -> Load {
        Load::Open { schedule, spacing: Spacing::Constant, in_flight: NonZeroU32::new(in_flight).unwrap() }
    }

    fn constant(rate: &str) -> Schedule {
        Schedule::Constant(rate.parse().unwrap())
    }

    fn for_ten_seconds() -> Limits {
        Limits::new(None, Some(Duration::from_secs(10))).unwrap()
    }

    fn needed(load: &Load, limits: Limits, each: Duration) -> Option<u64> {
        forecast(load, limits, Basis::Warmup, each).map(|forecast| forecast.needed)
    }

    #[test]
    fn five_thousand_a_second_of_40_ms_need_200_in_flight() {
        let forecast = forecast(&open(constant("5000"), 50), for_ten_seconds(), Basis::Connect, 40 * MS).unwrap();
        assert_eq!((forecast.needed, forecast.allowed), (200, 50));
        assert_eq!(
            forecast.to_string(),
            "a round trip to the target takes 40.00 ms: at this rate about 200 calls are in flight, and 50 may be; \
             raise -c, or lower -r"
        );
        assert_eq!(needed(&open(constant("5000"), 200), for_ten_seconds(), 40 * MS), None);
        assert_eq!(needed(&open(constant("5000"), 185), for_ten_seconds(), 40 * MS), None, "may be chance");
        assert_eq!(needed(&open(constant("5000"), 180), for_ten_seconds(), 40 * MS), Some(200));
        assert_eq!(needed(&open(constant("5000"), Load::UNLIMITED.get()), for_ten_seconds(), 40 * MS), None);
        let callers = Load::Closed { concurrency: NonZeroU32::MIN.into() };
        assert_eq!(needed(&callers, for_ten_seconds(), 40 * MS), None, "a closed loop keeps no rate");
    }

    #[test]
    fn short_runs_need_no_more_than_their_calls() {
        let load = open(constant("5000"), 50);
        assert_eq!(needed(&load, Limits::new(Some(50), None).unwrap(), 40 * MS), None);
        assert_eq!(needed(&load, Limits::new(Some(100), None).unwrap(), 40 * MS), Some(100));
        assert_eq!(needed(&load, Limits::new(None, Some(10 * MS)).unwrap(), 40 * MS), None);
        assert_eq!(needed(&load, Limits::new(None, Some(20 * MS)).unwrap(), 40 * MS), Some(100));
        let warm = Limits::new(Some(50), None).unwrap().after(Some(Warmup::Calls(1_000)));
        assert_eq!(needed(&load, warm, 40 * MS), None, "what counts comes after the warm-up");
    }

    #[test]
    fn a_rate_that_changes_is_as_busy_as_it_gets() {
        let stages: Schedule = Schedule::Stages("5s:1000,1s:0".parse().unwrap());
        let found = needed(&open(stages.clone(), 50), for_ten_seconds(), 100 * MS).unwrap();
        assert!((90..=100).contains(&found), "{found}");
        assert_eq!(needed(&open(stages.clone(), 100), for_ten_seconds(), 100 * MS), None);
        let early = Limits::new(None, Some(Duration::from_secs(1))).unwrap();
        assert_eq!(needed(&open(stages, 20), early, 100 * MS), None, "the run ends before it is busy");
    }

    #[test]
    fn connects_that_say_nothing_of_the_way_are_passed_over() {
        let load = open(constant("1000000"), 10);
        let by_connect = |each| forecast(&load, for_ten_seconds(), Basis::Connect, each).is_some();
        assert!(!by_connect(MS / 2), "the machine's own time");
        assert!(by_connect(MS));
        assert!(!by_connect(Duration::from_millis(1_020)), "a packet was lost");
        assert!(needed(&load, for_ten_seconds(), MS / 2).is_some());
    }
}
