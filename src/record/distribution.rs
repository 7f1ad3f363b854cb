//! A distribution of times: an HDR histogram, and beside it what a histogram would round.

use std::fmt;
use std::sync::LazyLock;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

use super::packed;
use crate::units::UnitError;

/// The longest time that is told apart: one hour. Longer ones are counted as this long, and as clamped.
pub const HIGHEST_NS: u64 = 3_600 * 1_000_000_000;

/// Times in nanoseconds: three significant digits for every quantile, exact count, sum, minimum and maximum.
///
/// Merging is associative and commutative, bucket for bucket: quantiles of merged distributions are those of one
/// distribution fed with all values.
#[derive(Clone)]
pub struct Distribution {
    /// `None` until there is a value or one is awaited: a histogram takes 270 KB, and many distributions stay empty.
    buckets: Option<Histogram<u64>>,
    sum: u128,
    min: u64,
    max: u64,
    clamped: u64,
}

/// What a histogram would round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exact {
    /// See [`Distribution::sum`].
    pub sum: u128,
    /// See [`Distribution::min`].
    pub min: u64,
    /// See [`Distribution::max`].
    pub max: u64,
    /// See [`Distribution::clamped`].
    pub clamped: u64,
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution::new()
    }
}

impl Distribution {
    /// Without values.
    pub fn new() -> Distribution {
        Distribution { buckets: None, sum: 0, min: u64::MAX, max: 0, clamped: 0 }
    }

    /// Without values, and with the memory for them, so that the first one costs no more than the others.
    pub fn with_room() -> Distribution {
        Distribution { buckets: Some(no_values()), ..Distribution::new() }
    }

    /// Adds one value.
    pub fn record(&mut self, nanos: u64) {
        self.record_many(nanos, 1);
    }

    /// Adds the same value so many times.
    pub fn record_many(&mut self, nanos: u64, count: u64) {
        if count == 0 {
            return;
        }
        if nanos > HIGHEST_NS {
            self.clamped += count;
        }
        // 0 is below the lowest trackable value and counted in its bucket.
        self.buckets.get_or_insert_with(no_values).saturating_record_n(nanos.min(HIGHEST_NS), count);
        self.sum += u128::from(nanos) * u128::from(count);
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Distribution) {
        let Some(buckets) = &other.buckets else { return };
        self.buckets.get_or_insert_with(no_values).add(buckets).expect("all distributions have the same bounds");
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.clamped += other.clamped;
    }

    /// Takes in all values of `other`, and its memory if there is none here.
    pub fn absorb(&mut self, other: Distribution) {
        if self.is_empty() {
            *self = other;
        } else {
            self.merge(&other);
        }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.buckets.as_ref().map_or(0, Histogram::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The smallest value, exact; 0 without values.
    pub fn min(&self) -> u64 {
        if self.is_empty() { 0 } else { self.min }
    }

    /// The largest value, exact.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The sum of all values, exact.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The arithmetic mean, cut to whole nanoseconds; 0 without values.
    pub fn mean(&self) -> u64 {
        let mean = self.sum.checked_div(self.count().into()).unwrap_or(0);
        u64::try_from(mean).unwrap_or(u64::MAX)
    }

    /// The value at `quantile` (0 to 1) by nearest rank: the smallest recorded value that at least so large a part of
    /// the values does not exceed. Off by less than a thousandth; 0 without values.
    pub fn quantile(&self, quantile: f64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        if quantile <= 0.0 {
            return self.min;
        }
        // The rank is quantile times count, rounded up. Where that is whole in truth, the product of floats may lie a
        // hair above it; the next smaller quantile keeps it from being rounded up by one rank.
        // A bucket answers with its upper end, which may lie beyond the largest value that was seen.
        self.buckets().value_at_quantile(quantile.next_down()).clamp(self.min, self.max)
    }

    /// How many values were above the top of the histogram.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }

    /// The histogram in the V2 format of `HdrHistogram`, deflated: what its libraries in other languages read.
    pub fn to_hdr_v2(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(self.buckets(), &mut bytes)
            .expect("memory can be written, and the bounds fit");
        bytes
    }

    /// The distribution that was written as its histogram (see [`Distribution::to_hdr_v2`]) and what it would round.
    ///
    /// Errors when the bytes are no such histogram, or the numbers contradict it.
    pub fn from_hdr_v2(hdr: &[u8], exact: Exact) -> Result<Distribution, UnitError> {
        let buckets = packed::unpack(hdr)?;
        let Exact { sum, min, max, clamped } = exact;
        let count = u128::from(buckets.len());
        let fits = if count == 0 {
            (sum, min, max, clamped) == (0, 0, 0, 0)
        } else {
            let (low, high) = (u128::from(min), u128::from(max));
            let sums = low * (count - 1) + high..=high * (count - 1) + low;
            let in_bucket = |value: u64, bucket: u64| buckets.equivalent(value.min(HIGHEST_NS), bucket);
            min <= max
                && sums.contains(&sum)
                && in_bucket(min, buckets.min())
                && in_bucket(max, buckets.max())
                && (clamped > 0) == (max > HIGHEST_NS)
                && clamped <= buckets.count_at(HIGHEST_NS)
        };
        if !fits {
            return Err(UnitError::new("the histogram and the sum, minimum, maximum and clamped beside it agree"));
        }
        Ok(if count == 0 {
            Distribution::new()
        } else {
            Distribution { buckets: Some(buckets), sum, min, max, clamped }
        })
    }

    /// The histogram, for iteration.
    pub fn buckets(&self) -> &Histogram<u64> {
        static EMPTY: LazyLock<Histogram<u64>> = LazyLock::new(no_values);
        self.buckets.as_ref().unwrap_or_else(|| &EMPTY)
    }
}

fn no_values() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HIGHEST_NS, 3).expect("constant, valid bounds")
}

impl fmt::Debug for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Distribution")
            .field("count", &self.count())
            .field("min", &self.min())
            .field("mean", &self.mean())
            .field("max", &self.max)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Distribution) -> bool {
        let same_buckets = self.is_empty() && other.is_empty() || self.buckets() == other.buckets();
        same_buckets && (self.sum, self.min, self.max, self.clamped) == (other.sum, other.min, other.max, other.clamped)
    }
}
