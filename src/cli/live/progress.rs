//! How a run is getting on, in numbers: what has been done, what is left, and what happened last.

use std::time::Duration;

use crate::load::Warmup;
use crate::plan::Plan;
use crate::record::Glance;
use crate::units::Offset;

/// Where a run ends, and begins to count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) calls: Option<u64>,
    pub(super) duration: Option<Duration>,
    pub(super) warmup: Option<Warmup>,
}

impl Goal {
    pub(super) fn of(plan: &Plan) -> Goal {
        let limits = plan.limits;
        Goal { calls: limits.calls(), duration: limits.duration(), warmup: limits.warmup() }
    }
}

/// How a run is getting on.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Progress {
    /// Calls do not count yet.
    pub(super) warming_up: bool,
    /// Since calls count; in the warm-up, since it began.
    pub(super) elapsed: Duration,
    /// The part of the run, or of the warm-up, that is behind, if it has a known end.
    pub(super) part: Option<f64>,
    /// The time to that end.
    pub(super) left: Option<Duration>,
    /// Calls that count and ended with a status.
    pub(super) counted: u64,
    /// Calls that ended in each second, lately.
    pub(super) rate: f64,
    /// Calls under way.
    pub(super) in_flight: u64,
    /// The median of calls that ended OK lately.
    pub(super) p50_ns: Option<u64>,
    /// Their 99th percentile.
    pub(super) p99_ns: Option<u64>,
    /// Failed calls by status, most frequent first.
    pub(super) failures: Vec<(Option<u32>, u64)>,
}

impl Progress {
    /// At `now`; "lately" is since `then`.
    pub(super) fn new(goal: &Goal, then: &Glance, now: &Glance) -> Progress {
        let warming_up = goal.warmup.is_some() && now.measured_from.is_none_or(|from| from > now.at);
        let (calls, duration, done, from) = if warming_up {
            let (calls, duration) = match goal.warmup {
                Some(Warmup::Calls(calls)) => (Some(calls), None),
                Some(Warmup::Time(time)) => (None, Some(time)),
                None => (None, None),
            };
            (calls, duration, now.over, Offset::ZERO)
        } else {
            (goal.calls, goal.duration, now.counted, now.measured_from.unwrap_or_default())
        };
        let elapsed = Duration::from_nanos(now.at.since(from));
        let of_calls = calls.map(|calls| done as f64 / calls.max(1) as f64);
        let of_time = duration.map(|duration| elapsed.as_secs_f64() / duration.as_secs_f64());
        let part = of_calls.into_iter().chain(of_time).max_by(f64::total_cmp).map(|part| part.min(1.0));
        // What is done of the nearer end says when it comes, as the time of a run does by itself.
        let left = part.filter(|part| *part > 0.0).map(|part| elapsed.mul_f64((1.0 - part) / part));
        let over = now.over.saturating_sub(then.over);
        Progress {
            warming_up,
            elapsed,
            part,
            left,
            counted: now.counted,
            rate: over as f64 * 1e9 / now.at.since(then.at).max(1) as f64,
            in_flight: now.in_flight(),
            p50_ns: now.quantile_since(then, 0.5),
            p99_ns: now.quantile_since(then, 0.99),
            failures: now.failures(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Pulse, Sample};

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Offset {
        Offset::from_nanos(ms * MS)
    }

    /// What is seen after `calls` that took a millisecond each, `failed` of them without success.
    fn glance(ms: u64, from: Option<u64>, calls: u32, failed: u32) -> Glance {
        let pulse = Pulse::default();
        for number in 0..calls {
            pulse.started();
            let status = if number < failed { 14 } else { 0 };
            let sample = Sample { status, ..Sample::answered(at(0), at(0), at(1)) };
            pulse.ended(&sample, from.is_some());
        }
        let mut glance = Glance::new(at(ms), from.map(at));
        glance.add(&pulse);
        glance
    }

    fn goal(calls: Option<u64>, seconds: Option<u64>) -> Goal {
        Goal { calls, duration: seconds.map(Duration::from_secs), warmup: None }
    }

    #[test]
    fn the_nearer_end_says_how_much_is_left() {
        let now = glance(10_000, Some(0), 250, 0);
        for (goal, part, left_s) in [
            (goal(Some(1_000), None), 0.25, 30.0),
            (goal(None, Some(40)), 0.25, 30.0),
            (goal(Some(500), Some(40)), 0.5, 10.0),
            (goal(Some(1_000), Some(20)), 0.5, 10.0),
            (goal(Some(250), None), 1.0, 0.0),
            (goal(None, Some(5)), 1.0, 0.0),
        ] {
            let progress = Progress::new(&goal, &glance(9_000, Some(0), 200, 0), &now);
            assert_eq!(progress.part, Some(part), "{goal:?}");
            assert!((progress.left.unwrap().as_secs_f64() - left_s).abs() < 1e-6, "{goal:?}: {:?}", progress.left);
            assert!((progress.rate - 50.0).abs() < 1e-9, "calls of the last second: {}", progress.rate);
        }
        let start = Progress::new(&goal(Some(9), None), &glance(0, Some(0), 0, 0), &glance(0, Some(0), 0, 0));
        assert_eq!((start.part, start.left, start.p50_ns), (Some(0.0), None, None));
    }

    #[test]
    fn a_warm_up_has_an_end_of_its_own() {
        let goal = Goal { warmup: Some(Warmup::Time(Duration::from_secs(2))), ..goal(None, Some(10)) };
        let warming = Progress::new(&goal, &glance(0, None, 0, 0), &glance(500, None, 50, 9));
        assert!(warming.warming_up);
        assert_eq!((warming.part, warming.counted, warming.failures.len()), (Some(0.25), 0, 0));
        // A schedule knows beforehand when calls begin to count.
        assert!(Progress::new(&goal, &glance(0, None, 0, 0), &glance(500, Some(2_000), 50, 0)).warming_up);
        let counting = Progress::new(&goal, &glance(2_000, Some(2_000), 50, 0), &glance(3_000, Some(2_000), 90, 3));
        assert!(!counting.warming_up);
        assert_eq!((counting.elapsed, counting.part), (Duration::from_secs(1), Some(0.1)));
        assert_eq!(counting.failures, [(Some(14), 3)]);
    }
}
