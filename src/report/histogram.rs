//! Shapes of a distribution as people read them: percentiles, and a histogram; ghz's, unless others are asked for.

use crate::record::{Distribution, HIGHEST_NS};

/// The percentiles that a report prints, in thousandths: ghz's seven, and one that shows the tail.
const PERMILLES: [u16; 8] = [100, 250, 500, 750, 900, 950, 990, 999];
/// Steps from the fastest call to the slowest.
const STEPS: usize = 10;

/// A percentile of a distribution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Percentile {
    /// Which, in millionths: 990 000 is the 99th percentile.
    pub millionths: u32,
    /// The time that so many of the calls did not exceed, by nearest rank; off by less than a thousandth.
    pub ns: u64,
}

impl Percentile {
    /// The percentiles of `times` that reports print; none without values.
    pub fn all(times: &Distribution) -> Vec<Percentile> {
        if times.is_empty() {
            return Vec::new();
        }
        PERMILLES.into_iter().map(|permille| Percentile::of(times, permille)).collect()
    }

    /// Percentile `permille` / 10 of `times`.
    pub fn of(times: &Distribution, permille: u16) -> Percentile {
        Percentile::at(times, u32::from(permille) * 1_000)
    }

    /// Percentile `millionths` / 10 000 of `times`.
    pub fn at(times: &Distribution, millionths: u32) -> Percentile {
        Percentile { millionths, ns: times.quantile(quantile(millionths)) }
    }

    /// Which, as a part of the values.
    pub fn quantile(self) -> f64 {
        quantile(self.millionths)
    }

    /// The percentage if it is a whole one: ghz has no other.
    pub fn whole(self) -> Option<u32> {
        self.millionths.is_multiple_of(10_000).then_some(self.millionths / 10_000)
    }

    /// The percentage as text: `50`, `99.9`.
    pub fn label(self) -> String {
        if let Some(whole) = self.whole() {
            return whole.to_string();
        }
        let digits = format!("{}.{:04}", self.millionths / 10_000, self.millionths % 10_000);
        digits.trim_end_matches('0').to_owned()
    }
}

fn quantile(millionths: u32) -> f64 {
    f64::from(millionths) / 1e6
}

/// What of a distribution is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Percentiles, in millionths.
    pub percentiles: Vec<u32>,
    /// The marks of the histogram.
    pub marks: Marks,
}

impl Default for View {
    fn default() -> View {
        View { percentiles: PERMILLES.map(|permille| u32::from(permille) * 1_000).into(), marks: Marks::Linear }
    }
}

/// Where the bars of a histogram end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Marks {
    /// As ghz has it: at the fastest call, at the slowest, and equally far apart between.
    Linear,
    /// At 1, 2 and 5 times the powers of ten, from the fastest call to the slowest.
    Log,
    /// At these times in nanoseconds, which rise; and at the slowest call, if it lies beyond them.
    At(Vec<u64>),
}

impl View {
    /// The percentiles of `times`; none without values.
    pub(super) fn percentiles(&self, times: &Distribution) -> Vec<Percentile> {
        let shown: &[u32] = if times.is_empty() { &[] } else { &self.percentiles };
        shown.iter().map(|millionths| Percentile::at(times, *millionths)).collect()
    }

    /// The histogram of `times`; none without values.
    pub(super) fn bars(&self, times: &Distribution) -> Vec<Bar> {
        if times.is_empty() {
            return Vec::new();
        }
        match &self.marks {
            Marks::Linear => bars(times),
            Marks::Log => bars_at(times, powers(times.min(), times.max())),
            Marks::At(marks) => bars_at(times, marks.clone()),
        }
    }
}

/// The marks from the last that is not above `min` to the first that is not below `max`.
fn powers(min: u64, max: u64) -> Vec<u64> {
    let all =
        (0..).map_while(|power| 10u64.checked_pow(power)).flat_map(|ten| [1, 2, 5].map(|n| ten.saturating_mul(n)));
    let mut marks = Vec::new();
    for mark in all {
        if mark <= min {
            marks.clear();
        }
        marks.push(mark);
        if mark >= max {
            break;
        }
    }
    marks
}

/// The histogram at `marks`, which rise. A bucket counts at the first mark that is not below its middle, and so do those
/// that the histogram cannot tell from the mark.
fn bars_at(times: &Distribution, mut marks: Vec<u64>) -> Vec<Bar> {
    if marks.last().is_none_or(|last| *last < times.max()) {
        marks.push(times.max());
    }
    let buckets = times.buckets();
    let mut counts = vec![0; marks.len()];
    for step in buckets.iter_recorded() {
        let middle = buckets.median_equivalent(step.value_iterated_to());
        let within = |mark: &u64| *mark >= middle || buckets.equivalent((*mark).min(HIGHEST_NS), middle);
        let at = marks.iter().position(within).unwrap_or(marks.len() - 1);
        counts[at] += step.count_since_last_iteration();
    }
    let total = times.count() as f64;
    let bar = |(mark, count): (u64, u64)| Bar { mark_ns: mark as f64, count, share: count as f64 / total };
    marks.into_iter().zip(counts).map(bar).collect()
}

/// One row of the histogram.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bar {
    /// The upper end, in nanoseconds: values above the mark before and not above this one.
    pub mark_ns: f64,
    /// How many values.
    pub count: u64,
    /// Which part of all values, 0 to 1.
    pub share: f64,
}

/// ghz's histogram: mark 0 is the fastest call, mark 10 the slowest, the others are equally far apart between them, and
/// a value belongs to the first mark that is not below it. None without values.
///
/// The counts add up to those of `times`. Marks are exact; values are known to a thousandth, so those that cannot be
/// told from the fastest are counted with it, and so with the slowest.
pub fn bars(times: &Distribution) -> Vec<Bar> {
    if times.is_empty() {
        return Vec::new();
    }
    let (min, max) = (times.min(), times.max());
    let marks = marks(min, max);
    let buckets = times.buckets();
    let (lowest, highest) = (min.min(HIGHEST_NS), max.min(HIGHEST_NS));
    let mut counts = [0; STEPS + 1];
    for step in buckets.iter_recorded() {
        let value = step.value_iterated_to();
        let at = if buckets.equivalent(value, lowest) {
            0
        } else if buckets.equivalent(value, highest) {
            STEPS
        } else {
            let middle = buckets.median_equivalent(value) as f64;
            marks.iter().position(|mark| *mark >= middle).unwrap_or(STEPS)
        };
        counts[at] += step.count_since_last_iteration();
    }
    if min < max && buckets.equivalent(lowest, highest) {
        // All are in one bucket, and yet one of them is known to be the slowest.
        counts[0] -= 1;
        counts[STEPS] += 1;
    }
    let total = times.count() as f64;
    marks.into_iter().zip(counts).map(|(mark_ns, count)| Bar { mark_ns, count, share: count as f64 / total }).collect()
}

fn marks(min: u64, max: u64) -> [f64; STEPS + 1] {
    let step = (max - min) as f64 / STEPS as f64;
    let mut marks = [0.0; STEPS + 1];
    for (at, mark) in marks.iter_mut().enumerate() {
        *mark = min as f64 + at as f64 * step;
    }
    marks[STEPS] = max as f64;
    marks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn times(values: &[u64]) -> Distribution {
        let mut times = Distribution::new();
        for value in values {
            times.record(*value);
        }
        times
    }

    fn counts(values: &[u64]) -> Vec<u64> {
        bars(&times(values)).iter().map(|bar| bar.count).collect()
    }

    #[test]
    fn nothing_has_no_shape() {
        assert_eq!(bars(&Distribution::new()), []);
        assert_eq!(Percentile::all(&Distribution::new()), []);
    }

    #[test]
    fn equal_values_are_all_the_fastest() {
        assert_eq!(counts(&[7, 7, 7]), [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_value_belongs_to_the_first_mark_not_below_it() {
        // Below 2048 ns every value has a bucket of its own: the marks are 100, 110, ..., 200.
        assert_eq!(counts(&[100, 100, 101, 110, 111, 150, 199, 200]), [2, 2, 1, 0, 0, 1, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn nine_fast_and_a_slow_one() {
        let mut values = [10_000_000; 10];
        values[9] = 1_000_000_000;
        assert_eq!(counts(&values), [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn values_that_cannot_be_told_apart_still_have_both_ends() {
        assert_eq!(counts(&[10_000_000, 10_000_001, 10_000_002]), [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn values_above_the_top_are_counted_as_the_slowest() {
        let bars = bars(&times(&[1_000, 2 * HIGHEST_NS, 3 * HIGHEST_NS]));
        assert_eq!((bars[0].count, bars[10].count), (1, 2));
        assert_eq!(bars[10].mark_ns.to_bits(), ((3 * HIGHEST_NS) as f64).to_bits());
    }

    #[test]
    fn marks_may_be_others() {
        let times = times(&[100, 100, 150, 1_000, 1_200, 40_000]);
        let bars = |marks| {
            let view = View { marks, ..View::default() };
            view.bars(&times).iter().map(|bar| (bar.mark_ns as u64, bar.count)).collect::<Vec<_>>()
        };
        let log =
            [(100, 2), (200, 1), (500, 0), (1_000, 1), (2_000, 1), (5_000, 0), (10_000, 0), (20_000, 0), (50_000, 1)];
        assert_eq!(bars(Marks::Log), log);
        assert_eq!(bars(Marks::At(vec![120, 1_100])), [(120, 2), (1_100, 2), (40_000, 2)]);
        assert_eq!(bars(Marks::At(vec![90_000])), [(90_000, 6)]);
        assert_eq!(bars(Marks::Linear).len(), 11);
        assert_eq!(View::default().bars(&Distribution::new()), []);
    }

    #[test]
    fn percentiles_may_be_any() {
        let label = |millionths| Percentile { millionths, ns: 0 }.label();
        assert_eq!([500_000, 999_900, 999_999, 1, 1_000_000].map(label), ["50", "99.99", "99.9999", "0.0001", "100"]);
    }

    #[test]
    fn percentiles_have_labels() {
        let labels: Vec<String> = Percentile::all(&times(&[1])).into_iter().map(Percentile::label).collect();
        assert_eq!(labels, ["10", "25", "50", "75", "90", "95", "99", "99.9"]);
    }

    proptest! {
        /// Against the rule applied to the values themselves: the same, but for values so close to a mark that the
        /// histogram cannot tell on which side they are.
        #[test]
        fn follows_the_rule(values in prop::collection::vec(1u64..100_000_000_000, 1..200)) {
            let (min, max) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            let marks = marks(min, max);
            let bars = bars(&times(&values));
            prop_assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), values.len() as u64);
            prop_assert!(bars[0].count >= 1);
            prop_assert!(min == max || bars[STEPS].count >= 1);
            let up_to = |limit: f64| values.iter().filter(|value| **value as f64 <= limit).count() as u64;
            let mut seen = 0;
            for (at, bar) in bars.iter().enumerate().take(STEPS) {
                seen += bar.count;
                prop_assert!(up_to(marks[at] * 0.999) <= seen && seen <= up_to(marks[at] * 1.001), "mark {}", at);
            }
        }
    }
}
