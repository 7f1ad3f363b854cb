//! What can be seen of a run while it goes on: counts, and how long calls took.
//!
//! Each worker has a [`Pulse`] that only it writes, with plain stores; whoever looks adds them up to a [`Glance`]. Counts only
//! grow, so that what happened between two glances is their difference: the second that is shown is the last one, whenever
//! somebody looks, and the worker knows nothing of it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::statuses::NAMED;
use super::{End, HIGHEST_NS, Sample};
use crate::units::Offset;

/// Statuses with a count of their own: those that gRPC names. All others share one.
const STATUSES: usize = NAMED + 1;
/// Buckets in each doubling of the time: a bucket is at most 1/64 of its time wide.
const IN_DOUBLING: u64 = 64;
const BUCKETS: usize = bucket(HIGHEST_NS) + 1;

/// The bucket of a time. Below two doublings' worth each nanosecond has its own.
#[expect(clippy::cast_possible_truncation, reason = "buckets are a few thousand")]
const fn bucket(nanos: u64) -> usize {
    let shift = match nanos.checked_ilog2() {
        Some(log) => log.saturating_sub(IN_DOUBLING.ilog2()),
        None => 0,
    };
    (shift as u64 * IN_DOUBLING + (nanos >> shift)) as usize
}

/// The longest time in a bucket.
fn longest_in(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / IN_DOUBLING).saturating_sub(1);
    (((bucket - shift * IN_DOUBLING) + 1) << shift) - 1
}

/// The counts of one worker.
#[derive(Debug)]
#[repr(align(128))]
pub struct Pulse {
    started: AtomicU64,
    over: AtomicU64,
    counted: AtomicU64,
    statuses: [AtomicU64; STATUSES],
    /// By bucket; they may wrap, as differences do not care.
    times: Box<[AtomicU32]>,
}

impl Default for Pulse {
    fn default() -> Pulse {
        Pulse {
            started: AtomicU64::new(0),
            over: AtomicU64::new(0),
            counted: AtomicU64::new(0),
            statuses: Default::default(),
            times: (0..BUCKETS).map(|_| AtomicU32::new(0)).collect(),
        }
    }
}

impl Pulse {
    /// A call leaves.
    pub fn started(&self) {
        one_more(&self.started);
    }

    /// A call that was to leave could not.
    pub fn unsent(&self) {
        one_more(&self.over);
    }

    /// A call has ended. Statuses are of calls that count (`measured`), as they are in reports.
    pub fn ended(&self, sample: &Sample, measured: bool) {
        one_more(&self.over);
        if sample.end == End::Abandoned {
            return;
        }
        if measured {
            one_more(&self.counted);
            one_more(&self.statuses[(sample.status as usize).min(STATUSES - 1)]);
        }
        if sample.status == 0 {
            // In a closed loop a call is due when it leaves.
            let count = &self.times[bucket(sample.done.since(sample.due).min(HIGHEST_NS))];
            count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        }
    }
}

/// No other thread writes these, so that a load and a store are enough.
fn one_more(count: &AtomicU64) {
    count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// What could be seen of a run at one time, in all workers together.
#[derive(Clone, Debug)]
pub struct Glance {
    /// When.
    pub at: Offset,
    /// When calls began to count; `None` before.
    pub measured_from: Option<Offset>,
    /// Calls that have left.
    pub started: u64,
    /// Calls that are over, with a status or without.
    pub over: u64,
    /// Calls that count and ended with a status.
    pub counted: u64,
    statuses: [u64; STATUSES],
    times: Box<[u32]>,
}

impl Glance {
    /// At a time, of nothing yet.
    pub fn new(at: Offset, measured_from: Option<Offset>) -> Glance {
        let times = vec![0; BUCKETS].into_boxed_slice();
        Glance { at, measured_from, started: 0, over: 0, counted: 0, statuses: [0; STATUSES], times }
    }

    /// Adds what a worker has counted.
    pub fn add(&mut self, pulse: &Pulse) {
        // What is over first: a call that ends in between would be over and not started.
        self.over += pulse.over.load(Ordering::Relaxed);
        self.started += pulse.started.load(Ordering::Relaxed);
        self.counted += pulse.counted.load(Ordering::Relaxed);
        for (sum, count) in self.statuses.iter_mut().zip(&pulse.statuses) {
            *sum += count.load(Ordering::Relaxed);
        }
        for (sum, count) in self.times.iter_mut().zip(&pulse.times) {
            *sum = sum.wrapping_add(count.load(Ordering::Relaxed));
        }
    }

    /// Calls under way.
    pub fn in_flight(&self) -> u64 {
        self.started.saturating_sub(self.over)
    }

    /// Failed calls by status, most frequent first; `None` for those that gRPC does not name.
    pub fn failures(&self) -> Vec<(Option<u32>, u64)> {
        let code = |at: usize| u32::try_from(at).ok().filter(|_| at < STATUSES - 1);
        let counts = self.statuses.iter().enumerate().skip(1).filter(|(_, count)| **count > 0);
        let mut failures: Vec<_> = counts.map(|(at, count)| (code(at), *count)).collect();
        failures.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        failures
    }

    /// The time below which this part of the calls lay that ended OK since `earlier`; `None` if none did. At most 1/64
    /// too long.
    pub fn quantile_since(&self, earlier: &Glance, quantile: f64) -> Option<u64> {
        let counts = || self.times.iter().zip(&earlier.times).map(|(now, then)| u64::from(now.wrapping_sub(*then)));
        let all: u64 = counts().sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
        let rank = ((quantile * all as f64).ceil() as u64).clamp(1, all.max(1));
        let mut below = 0;
        let place = counts().position(|count| {
            below += count;
            below >= rank
        });
        place.map(longest_in)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(nanos: u64, status: u32, end: End) -> Sample {
        let [sent, done] = [0, nanos].map(Offset::from_nanos);
        Sample { status, end, ..Sample::answered(sent, sent, done) }
    }

    fn glance(pulses: &[Pulse]) -> Glance {
        let mut glance = Glance::new(Offset::ZERO, None);
        for pulse in pulses {
            glance.add(pulse);
        }
        glance
    }

    #[test]
    fn calls_are_counted_where_they_belong() {
        let pulses = [Pulse::default(), Pulse::default()];
        for _ in 0..6 {
            pulses[0].started();
        }
        pulses[1].started();
        pulses[0].ended(&sample(10, 0, End::Done), false);
        pulses[0].ended(&sample(10, 14, End::Done), true);
        pulses[0].ended(&sample(10, 99, End::Done), true);
        pulses[0].ended(&sample(10, 0, End::Abandoned), true);
        pulses[0].unsent();
        pulses[1].ended(&sample(10, 14, End::Done), true);
        let glance = glance(&pulses);
        assert_eq!((glance.started, glance.over, glance.counted, glance.in_flight()), (7, 6, 3, 1));
        assert_eq!(glance.failures(), [(Some(14), 2), (None, 1)]);
    }

    #[test]
    fn quantiles_are_of_the_time_between_two_glances() {
        let pulse = [Pulse::default()];
        for _ in 0..1_000 {
            pulse[0].ended(&sample(5_000_000, 0, End::Done), true);
        }
        let then = glance(&pulse);
        assert_eq!(glance(&pulse).quantile_since(&then, 0.5), None, "nothing has ended since");
        for nanos in 1..=100 {
            pulse[0].ended(&sample(nanos * 10_000, 0, End::Done), true);
        }
        let now = glance(&pulse);
        for (quantile, expected) in [(0.0, 10_000), (0.5, 500_000), (0.99, 990_000), (1.0, 1_000_000)] {
            let found = now.quantile_since(&then, quantile).unwrap();
            assert!((expected..=expected + expected / 64).contains(&found), "{quantile}: {found}");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_in_the_bucket_that_ends_just_above_it(nanos in 0..=HIGHEST_NS) {
            let bucket = bucket(nanos);
            prop_assert!(bucket < BUCKETS);
            prop_assert!((nanos..=nanos + nanos / 64).contains(&longest_in(bucket)), "{} in {}", nanos, bucket);
            prop_assert!(bucket == 0 || longest_in(bucket - 1) < nanos);
        }
    }
}
