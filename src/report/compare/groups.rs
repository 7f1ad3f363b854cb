//! Two groups of repeated runs: the run is the unit, its figures are one observation each.
//!
//! Whether a metric changed is decided by its interval: it lies above no change, below, or on both sides. The intervals of
//! all metrics hold together, so one comparison raises a false alarm, on whichever metric, no more often than the
//! level says.

use std::fmt;

use super::super::Report;
use super::super::metric::{Metric, Percentage, RateOf, Value};
use super::chance::{Chance, ways};
use super::ranks::Ranks;
use super::shift::{Shift, median};

/// How often a comparison of equal groups may raise an alarm.
pub const LEVEL: f64 = 0.05;

/// The percentiles that are compared, in thousandths. With throughput they are six metrics: of the 252 ways to share 5 and
/// 5 runs out, no more than twelve (4.8 %) can take one of six metrics all the way, so that 5 and 5 runs can always tell.
const PERMILLES: [u16; 5] = [500, 900, 950, 990, 999];

/// What a comparison of two groups found.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// How many runs there are in the first group.
    pub before: usize,
    /// And in the second.
    pub after: usize,
    /// One for each metric that all runs have.
    pub changes: Vec<Change>,
    /// Metrics that were left out because a run has no value.
    pub left_out: Vec<Metric>,
}

/// How one metric changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// Which.
    pub metric: Metric,
    /// The median of the first group: nanoseconds, calls, or calls a second.
    pub before: f64,
    /// And of the second.
    pub after: f64,
    /// By how much it changed, as a part of what it was.
    pub estimate: f64,
    /// From where to where the change can be; `None` if there are too few runs to say.
    pub interval: Option<(f64, f64)>,
    /// How often chance alone takes some metric as far.
    pub p: f64,
    /// What that comes to.
    pub finding: Finding,
}

/// What is found of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// It changed for the better.
    Better,
    /// It changed for the worse.
    Worse,
    /// It may have changed or not.
    NoDifference,
    /// Whatever the runs had given, there are too few of them to tell.
    TooFewRuns,
}

/// `better`, `worse`, `no difference shown`, `too few runs`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::NoDifference => "no difference shown",
            Finding::TooFewRuns => "too few runs",
        })
    }
}

/// The values of one metric in all runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Which metric.
    pub metric: Metric,
    /// In the first group: nanoseconds, calls, or calls a second.
    pub before: Vec<f64>,
    /// In the second.
    pub after: Vec<f64>,
}

/// The metrics that are compared if nobody says which.
pub fn metrics() -> impl Iterator<Item = Metric> {
    let percentiles = PERMILLES.into_iter().map(Percentage::of_permille).map(Metric::percentile);
    percentiles.chain([Metric::Rate(RateOf::Throughput)])
}

/// Whether groups of so many runs can show anything: the most extreme of all ways to share them out, and its mirror image,
/// have to be rarer than the level.
pub fn can_tell(before: usize, after: usize) -> bool {
    before > 0 && after > 0 && ways(before, after).is_none_or(|ways| 2.0 / ways as f64 <= LEVEL)
}

impl Comparison {
    /// Of the runs `before` and `after`.
    pub fn of_reports(metrics: impl Iterator<Item = Metric>, before: &[&Report], after: &[&Report]) -> Comparison {
        let (mut values, mut left_out) = (Vec::new(), Vec::new());
        for metric in metrics {
            let of = |runs: &[&Report]| runs.iter().map(|run| positive(metric, run)).collect::<Option<Vec<f64>>>();
            match of(before).zip(of(after)) {
                Some((before, after)) => values.push(Values { metric, before, after }),
                None => left_out.push(metric),
            }
        }
        Comparison { left_out, ..Comparison::of_values(&values, before.len(), after.len()) }
    }

    /// Of values above 0: one for each of so many runs in the one and the other group, in the same order for each metric.
    pub fn of_values(values: &[Values], before: usize, after: usize) -> Comparison {
        let comparison = |changes| Comparison { before, after, changes, left_out: Vec::new() };
        if before == 0 || after == 0 || values.is_empty() {
            return comparison(Vec::new());
        }
        // Changes are factors: in logarithms they are differences.
        let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
        let logs: Vec<_> = values.iter().map(|values| (logs(&values.before), logs(&values.after))).collect();
        let ranks: Vec<Ranks> = logs.iter().map(|(before, after)| Ranks::new(before, after)).collect();
        let can_tell = can_tell(before, after);
        let mut chance = can_tell.then(|| Chance::of(&ranks, before, after));
        let bound = chance.as_mut().map_or(f64::INFINITY, |chance| chance.bound(LEVEL));
        let changes = values.iter().zip(&logs).zip(&ranks).map(|((values, (before, after)), ranks)| {
            let shift = Shift::new(before, after, bound * ranks.deviation);
            let interval = shift.interval.map(|(low, high)| (low.exp_m1(), high.exp_m1()));
            Change {
                metric: values.metric,
                before: median_of(&values.before),
                after: median_of(&values.after),
                estimate: shift.estimate.exp_m1(),
                interval,
                p: chance.as_ref().map_or(1.0, |chance| chance.p(ranks.observed())),
                finding: if can_tell { finding(values.metric, interval) } else { Finding::TooFewRuns },
            }
        });
        comparison(changes.collect())
    }
}

fn finding(metric: Metric, interval: Option<(f64, f64)>) -> Finding {
    match interval {
        Some((low, _)) if low > 0.0 && metric.less_is_better() => Finding::Worse,
        Some((low, _)) if low > 0.0 => Finding::Better,
        Some((_, high)) if high < 0.0 && metric.less_is_better() => Finding::Better,
        Some((_, high)) if high < 0.0 => Finding::Worse,
        _ => Finding::NoDifference,
    }
}

/// The value of a metric, if it has one that can be multiplied.
fn positive(metric: Metric, report: &Report) -> Option<f64> {
    let value = match metric.value(report).ok()? {
        Value::Nanos(nanos) => nanos as f64,
        Value::Calls { count, .. } => count as f64,
        Value::PerSecond { rate, .. } => rate,
    };
    // A percentile without a single call beyond it is the slowest call under another name.
    let beyond = |calls: u64, percentage: Percentage| calls as f64 * (1.0 - percentage.quantile()) >= 1.0 - 1e-9;
    let rests = metric.percentage().is_none_or(|percentage| beyond(report.times.headline().count(), percentage));
    (value > 0.0 && rests).then_some(value)
}

fn median_of(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median(&sorted)
}
