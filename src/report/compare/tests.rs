//! What comparisons promise, in simulations with fixed seeds: how often they cry wolf, and what they find.
//!
//! A simulated run has a level of its own, as real runs have: the machine was a little faster or slower that time. Its calls
//! are log-normal around that.

use fastrand::Rng;

use super::super::metric::{Metric, RateOf};
use super::*;

/// How far the levels of runs lie apart.
const BETWEEN_RUNS: f64 = 0.03;
/// How far the calls of a run lie apart: the 99th percentile is twice the median, or four times.
const EVEN: f64 = 0.3;
const UNEVEN: f64 = 0.6;
const CALLS: usize = 1_000;
/// Where the tail begins, in standard deviations: the slowest 3 % of the calls.
const TAIL: f64 = 1.88;

/// A value of the normal distribution (Box and Muller 1958).
fn normal(random: &mut Rng) -> f64 {
    let (radius, angle) = (1.0 - random.f64(), random.f64() * std::f64::consts::TAU);
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

/// The metrics of a run whose calls lie `apart`, and the slowest of them take `slower` times as long.
fn run(random: &mut Rng, apart: f64, slower: f64) -> Vec<f64> {
    let level = (BETWEEN_RUNS * normal(random)).exp();
    let mut times: Vec<f64> = (0..CALLS)
        .map(|_| {
            let call = normal(random);
            level * if call > TAIL { slower } else { 1.0 } * (apart * call).exp()
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let throughput = CALLS as f64 / times.iter().sum::<f64>();
    let rank =
        |metric: Metric| metric.percentage().map(|percentage| (percentage.quantile() * CALLS as f64).ceil() as usize);
    metrics().map(|metric| rank(metric).map_or(throughput, |rank| times[rank - 1])).collect()
}

/// A comparison of so many runs on each side.
fn comparison(random: &mut Rng, runs: usize, apart: f64, slower: f64) -> Comparison {
    let group = |random: &mut Rng, slower| (0..runs).map(|_| run(random, apart, slower)).collect::<Vec<_>>();
    let (before, after) = (group(random, 1.0), group(random, slower));
    let of = |group: &[Vec<f64>], at: usize| group.iter().map(|run| run[at]).collect();
    let values: Vec<Values> = metrics()
        .enumerate()
        .map(|(at, metric)| Values { metric, before: of(&before, at), after: of(&after, at) })
        .collect();
    Comparison::of_values(&values, runs, runs)
}

fn alarms(comparison: &Comparison) -> bool {
    comparison.changes.iter().any(|change| matches!(change.finding, Finding::Better | Finding::Worse))
}

#[test]
fn equal_groups_raise_an_alarm_in_one_comparison_of_twenty_at_most() {
    let mut random = Rng::with_seed(20_261_130);
    let found = (0..200).filter(|_| alarms(&comparison(&mut random, 5, EVEN, 1.0))).count();
    assert!(found <= 10, "{found} of 200");
    assert!(found > 0, "a test that never rejects tests nothing");
}

/// In how many of 100 comparisons a 99th percentile that is a tenth higher is called worse.
fn found(runs: usize, apart: f64) -> usize {
    let mut random = Rng::with_seed(20_261_130);
    let p99 = "p99".parse::<Metric>().unwrap();
    let is_worse = |comparison: &Comparison| {
        let change = comparison.changes.iter().find(|change| change.metric == p99).unwrap();
        change.finding == Finding::Worse
    };
    (0..100).filter(|_| is_worse(&comparison(&mut random, runs, apart, 1.1))).count()
}

#[test]
fn a_99th_percentile_that_is_a_tenth_higher_is_found_with_ten_runs_a_side() {
    let found = found(10, EVEN);
    assert!(found >= 90, "{found} of 100");
}

/// How far the 99th percentiles of equal runs lie apart: their standard deviation, as a part.
fn spread(apart: f64) -> f64 {
    let mut random = Rng::with_seed(20_261_130);
    let p99 = metrics().position(|metric| metric.to_string() == "p99").unwrap();
    let logarithms: Vec<f64> = (0..500).map(|_| run(&mut random, apart, 1.0)[p99].ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    let squares: f64 = logarithms.iter().map(|logarithm| (logarithm - mean).powi(2)).sum();
    (squares / logarithms.len() as f64).sqrt()
}

/// What `docs/comparing.md` says of noise.
#[test]
fn the_same_change_drowns_in_more_noise() {
    let spreads = [EVEN, UNEVEN].map(|apart| (spread(apart) * 1_000.0).round());
    assert!((44.0..=48.0).contains(&spreads[0]) && (73.0..=77.0).contains(&spreads[1]), "{spreads:?} of 1000");
    let ten = found(10, UNEVEN);
    assert!((50..=62).contains(&ten), "{ten} of 100");
}

#[test]
fn intervals_and_verdicts_say_the_same() {
    let mut random = Rng::with_seed(7);
    for slower in [1.0, 1.05, 1.3] {
        let comparison = comparison(&mut random, 6, EVEN, slower);
        for change in &comparison.changes {
            let (low, high) = change.interval.unwrap();
            assert!(low <= change.estimate && change.estimate <= high, "{change:?}");
            let shown = low > 0.0 || high < 0.0;
            assert_eq!(shown, change.finding != Finding::NoDifference, "{change:?}");
            assert_eq!(shown, change.p <= LEVEL, "{change:?}");
        }
    }
}

#[test]
fn better_is_less_time_and_more_throughput() {
    let values = |metric: &str, before: f64, after: f64| Values {
        metric: metric.parse().unwrap(),
        before: (0..5).map(|n| before + f64::from(n)).collect(),
        after: (0..5).map(|n| after + f64::from(n)).collect(),
    };
    let found = |metric, before, after| Comparison::of_values(&[values(metric, before, after)], 5, 5).changes[0];
    assert_eq!(found("p99", 100.0, 200.0).finding, Finding::Worse);
    assert_eq!(found("p99", 200.0, 100.0).finding, Finding::Better);
    assert_eq!(found("throughput", 100.0, 200.0).finding, Finding::Better);
    assert_eq!(found("throughput", 200.0, 100.0).finding, Finding::Worse);
    assert_eq!(found("p99", 100.0, 101.0).finding, Finding::NoDifference);
    assert!((found("p99", 100.0, 200.0).p - 2.0 / 252.0).abs() < 1e-12);
}

/// Six metrics that all go their own ways, one of which changed: 5 and 5 runs still tell.
#[test]
fn five_and_five_runs_can_always_tell() {
    let mut random = Rng::with_seed(3);
    let mut values: Vec<Values> = metrics()
        .map(|metric| Values {
            metric,
            before: (0..5).map(|_| 100.0 + random.f64()).collect(),
            after: (0..5).map(|_| 100.0 + random.f64()).collect(),
        })
        .collect();
    for value in &mut values[3].after {
        *value += 50.0;
    }
    let comparison = Comparison::of_values(&values, 5, 5);
    assert_eq!(values.len(), 6);
    assert_eq!(comparison.changes[3].finding, Finding::Worse);
    assert!(comparison.changes[3].p <= 12.0 / 252.0);
}

#[test]
fn too_few_runs_are_told_from_no_difference() {
    for (before, after, expected) in [
        (1, 1, false),
        (3, 3, false),
        (3, 4, false),
        (3, 5, true),
        (4, 4, true),
        (2, 7, false),
        (2, 8, true),
        (0, 50, false),
        (100, 100, true),
    ] {
        assert_eq!(can_tell(before, after), expected, "{before} and {after}");
    }
    let values = [Values { metric: Metric::Rate(RateOf::Throughput), before: vec![1.0; 3], after: vec![9.0; 3] }];
    let change = Comparison::of_values(&values, 3, 3).changes[0];
    assert_eq!((change.finding, change.interval), (Finding::TooFewRuns, None));
    assert!((change.estimate - 8.0).abs() < 1e-9);
    assert_eq!(Comparison::of_values(&values, 0, 3).changes, []);
}
