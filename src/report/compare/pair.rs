//! One run and another: how far apart they are, beside how much each of them moved while it ran.
//!
//! The intervals of a run's time series are drawn anew in blocks, because what happens in one interval goes on in the next
//! (Künsch 1989; in a circle: Politis and Romano 1992). That says how much the figures of a run depend on which of its
//! intervals are looked at. It says nothing of what differs between one run and the next: that takes more runs.

use super::super::metric::{Metric, Percentage, RateOf};
use super::super::verdict::samples_needed;
use super::super::{Report, Row};
use super::shift::{median, whole};

/// So many times the intervals are drawn.
const DRAWS: usize = 2_000;
/// The draws are the same in each comparison.
const SEED: u64 = 0x5eed;
/// With fewer intervals than this there is little to draw from.
const ROWS_MIN: usize = 10;
/// What lies between holds so much of the draws.
const HELD: f64 = 0.95;

/// How far apart two runs are in the figure of their middle interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Apart {
    /// Which figure.
    pub metric: Metric,
    /// Of the median interval of the first run: nanoseconds, or calls a second.
    pub before: f64,
    /// And of the second.
    pub after: f64,
    /// By how much it differs, as a part of what it was.
    pub estimate: f64,
    /// Where 95 of 100 draws lie.
    pub interval: (f64, f64),
}

/// A figure of an interval.
struct OfRow {
    metric: Metric,
    /// So many calls have to end OK in an interval for it to have the figure.
    calls: u64,
    of: fn(&Row) -> u64,
}

/// What each interval of a time series has.
fn figures() -> [OfRow; 4] {
    let percentile = |permille, of| OfRow {
        metric: Metric::percentile(Percentage::of_permille(permille)),
        calls: samples_needed(permille),
        of,
    };
    [
        percentile(500, |row| row.p50_ns),
        percentile(900, |row| row.p90_ns),
        percentile(990, |row| row.p99_ns),
        OfRow { metric: Metric::Rate(RateOf::Throughput), calls: 1, of: |row| row.done },
    ]
}

/// How far apart two runs are, in all figures that their time series have enough for: those with at least ten whole
/// intervals of one length.
pub fn apart(before: &Report, after: &Report) -> Vec<Apart> {
    if before.interval_ns != after.interval_ns {
        return Vec::new();
    }
    let per_second = 1e9 / before.interval_ns.max(1) as f64;
    let found = figures().into_iter().filter_map(|figure| {
        let (one, other) = (values(&figure, before)?, values(&figure, after)?);
        let scale = if matches!(figure.metric, Metric::Rate(_)) { per_second } else { 1.0 };
        let middle = |values: &[f64]| median(&sorted(values.to_vec())) * scale;
        let (low, high) = drawn(&one, &other);
        let (before, after) = (middle(&one), middle(&other));
        Some(Apart { metric: figure.metric, before, after, estimate: after / before - 1.0, interval: (low, high) })
    });
    found.collect()
}

/// A figure of all intervals of a run but the last, which the end cuts short.
fn values(figure: &OfRow, report: &Report) -> Option<Vec<f64>> {
    let (_, whole) = report.rows.split_last()?;
    let enough = whole.len() >= ROWS_MIN && whole.iter().all(|row| row.done - row.failed >= figure.calls);
    enough.then(|| whole.iter().map(|row| (figure.of)(row) as f64).collect())
}

/// Where most differences lie between the medians of what is drawn from the one and from the other.
fn drawn(one: &[f64], other: &[f64]) -> (f64, f64) {
    let mut random = fastrand::Rng::with_seed(SEED);
    let differences =
        (0..DRAWS).map(|_| redrawn(other, &mut random) / redrawn(one, &mut random) - 1.0).collect::<Vec<f64>>();
    let differences = sorted(differences);
    let outside = whole((1.0 - HELD) / 2.0 * DRAWS as f64);
    (differences[outside], differences[DRAWS - 1 - outside])
}

/// The median of as many values as there are, drawn in blocks from a circle of them.
fn redrawn(values: &[f64], random: &mut fastrand::Rng) -> f64 {
    // The length that is best for estimating variances grows with the cube root (Hall, Horowitz and Jing 1995).
    let block = whole((values.len() as f64).cbrt().round());
    let blocks = values.len().div_ceil(block);
    let starts = (0..blocks).map(|_| random.usize(..values.len())).collect::<Vec<usize>>();
    let drawn = starts.into_iter().flat_map(|start| (start..start + block).map(|at| values[at % values.len()]));
    median(&sorted(drawn.take(values.len()).collect()))
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{closed, recording, sample};
    use super::*;

    const MS: u64 = 1_000_000;

    /// A run with so many whole intervals and the stump of one.
    fn run(medians_ms: impl Iterator<Item = u64>) -> Report {
        let mut report = Report::of(&recording(false, &[sample(0, 0, MS)]), closed());
        report.rows = medians_ms
            .map(|ms| Row { done: 500, p50_ns: ms * MS, p90_ns: 2 * ms * MS, p99_ns: 3 * ms * MS, ..Row::default() })
            .chain([Row { done: 3, p50_ns: 900 * MS, ..Row::default() }])
            .collect();
        report
    }

    #[test]
    fn figures_with_enough_calls_are_held_against_each_other() {
        let found = apart(&run((0..30).map(|n| 10 + n % 3)), &run((0..30).map(|n| 20 + n % 5)));
        let names: Vec<String> = found.iter().map(|apart| apart.metric.to_string()).collect();
        assert_eq!(names, ["p50", "p90", "throughput"], "500 calls are too few for a 99th percentile");
        let p50 = found[0];
        assert_eq!((p50.before, p50.after), (11e6, 22e6));
        assert!((p50.estimate - 1.0).abs() < 1e-12);
        assert!(p50.interval.0 <= p50.estimate && p50.estimate <= p50.interval.1 && p50.interval.0 > 0.5, "{p50:?}");
        assert_eq!(found[2].interval, (0.0, 0.0), "as steady as can be");
        assert!((found[2].before - 500.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_time_series_there_is_nothing() {
        assert_eq!(apart(&run(0..5), &run(0..30)), []);
        let mut other = run((0..30).map(|_| 10));
        other.interval_ns = 500 * MS;
        assert_eq!(apart(&run((0..30).map(|_| 10)), &other), [], "intervals of other lengths have other percentiles");
    }

    /// Values that go on for a while say less than as many that don't.
    #[test]
    fn what_goes_on_makes_the_interval_wider() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut level = 100.0;
        let lasting: Vec<f64> = (0..200)
            .map(|_| {
                level = 0.9 * level + 10.0 + random.f64() - 0.5;
                level
            })
            .collect();
        let mut mixed = lasting.clone();
        random.shuffle(&mut mixed);
        let width = |values: &[f64]| {
            let (low, high) = drawn(values, values);
            high - low
        };
        assert!(width(&lasting) > 1.5 * width(&mixed), "{} {}", width(&lasting), width(&mixed));
    }
}
