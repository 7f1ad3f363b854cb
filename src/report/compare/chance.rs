//! What chance alone does to several metrics at once: the largest of their distances over all ways to share the runs out
//! between the two groups.
//!
//! If the groups do not differ, each way to share them out was as likely as the one that happened. A run is moved with all
//! its metrics, so whatever ties the metrics together is kept, and a bound for the largest distance holds for all of them
//! (Westfall and Young 1993, single-step maxT). With few runs all ways are looked at, otherwise a sample of them
//! to which the one that happened is added, which keeps the level (Phipson and Smyth 2010).

use super::ranks::Ranks;
use super::shift::whole;

/// So many ways to share out are all looked at: those of 12 and 11 runs, and of fewer.
const ALL_WAYS_MOST: u64 = 1_500_000;
/// Otherwise so many of them.
const SOME_WAYS: usize = 19_999;
/// The sample is the same in each comparison.
const SEED: u64 = 0x5eed;
/// Distances that differ by less are equal, and were added up in another order.
const EQUAL: f64 = 1e-9;

/// The largest distances that chance gives, in no order.
#[derive(Debug)]
pub(super) struct Chance(Vec<f64>);

impl Chance {
    /// For the metrics whose ranks these are: of `first` and `second` runs, in the same order for each metric.
    pub(super) fn of(metrics: &[Ranks], first: usize, second: usize) -> Chance {
        match ways(first, second) {
            Some(ways) if ways <= ALL_WAYS_MOST => Chance::all(metrics, first, second),
            _ => Chance::some(metrics, first, second),
        }
    }

    fn all(metrics: &[Ranks], first: usize, second: usize) -> Chance {
        let mut walk = Walk { metrics, runs: first + second, sums: vec![0.0; metrics.len()], largest: Vec::new() };
        if first == second {
            // The other half are these with the groups' names exchanged, and as far from the mean.
            walk.take(0, first);
        } else {
            walk.choose(0, first);
        }
        Chance(walk.largest)
    }

    fn some(metrics: &[Ranks], first: usize, second: usize) -> Chance {
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut runs: Vec<usize> = (0..first + second).collect();
        let happened = metrics.iter().map(Ranks::observed).fold(0.0, f64::max);
        let drawn = (0..SOME_WAYS).map(|_| {
            random.shuffle(&mut runs);
            let sum = |ranks: &Ranks| runs[..first].iter().map(|run| ranks.rank(*run)).sum();
            metrics.iter().map(|ranks| ranks.distance(sum(ranks))).fold(0.0, f64::max)
        });
        Chance(drawn.chain([happened]).collect())
    }

    /// How often chance alone takes some metric as far as `distance`.
    pub(super) fn p(&self, distance: f64) -> f64 {
        let as_far = self.0.iter().filter(|largest| **largest >= distance - EQUAL).count();
        as_far as f64 / self.0.len() as f64
    }

    /// The distance beyond which chance alone takes any metric no more often than `level`.
    pub(super) fn bound(&mut self, level: f64) -> f64 {
        let beyond = whole(level * self.0.len() as f64 + EQUAL);
        let at = self.0.len().saturating_sub(beyond + 1);
        let (_, bound, _) = self.0.select_nth_unstable_by(at, f64::total_cmp);
        *bound + EQUAL
    }
}

/// How many ways there are to share `first + second` runs out; `None` if there are too many to count.
pub(super) fn ways(first: usize, second: usize) -> Option<u64> {
    let mut ways: u64 = 1;
    for step in 1..=first.min(second) {
        let next = first.max(second) + step;
        // After each step it is a binomial coefficient, and the division leaves nothing.
        ways = ways.checked_mul(next as u64)? / step as u64;
    }
    Some(ways)
}

/// A walk through all choices of a first group, with the rank sums of what is chosen so far.
struct Walk<'a> {
    metrics: &'a [Ranks],
    runs: usize,
    sums: Vec<f64>,
    largest: Vec<f64>,
}

impl Walk<'_> {
    /// All choices of `missing` more runs from number `at` on.
    fn choose(&mut self, at: usize, missing: usize) {
        if missing == 0 {
            let distances = self.metrics.iter().zip(&self.sums).map(|(ranks, sum)| ranks.distance(*sum));
            self.largest.push(distances.fold(0.0, f64::max));
            return;
        }
        self.take(at, missing);
        if self.runs - at > missing {
            self.choose(at + 1, missing);
        }
    }

    /// Those of them with run `at`.
    fn take(&mut self, at: usize, missing: usize) {
        self.add(at, 1.0);
        self.choose(at + 1, missing - 1);
        self.add(at, -1.0);
    }

    fn add(&mut self, at: usize, sign: f64) {
        for (sum, ranks) in self.sums.iter_mut().zip(self.metrics) {
            *sum += sign * ranks.rank(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(first: &[f64], second: &[f64]) -> (Chance, f64) {
        let ranks = Ranks::new(first, second);
        (Chance::of(std::slice::from_ref(&ranks), first.len(), second.len()), ranks.observed())
    }

    #[test]
    fn ways_are_binomial_coefficients() {
        for (first, second, expected) in [
            (3, 3, Some(20)),
            (5, 5, Some(252)),
            (2, 4, Some(15)),
            (10, 10, Some(184_756)),
            (0, 3, Some(1)),
            (40, 60, None),
        ] {
            assert_eq!(ways(first, second), expected, "{first} {second}");
        }
    }

    /// Two-sided p values of R's `wilcox.test(exact = TRUE)`.
    #[test]
    fn one_metric_is_the_exact_mann_whitney_test() {
        for (first, second, expected) in [
            (&[1.0, 2.0, 3.0][..], &[4.0, 5.0, 6.0][..], 0.1),
            (&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 0.028_571_428_571),
            (&[1.0, 2.0, 3.0, 5.0], &[4.0, 6.0, 7.0, 8.0], 0.057_142_857_143),
            (&[1.1, 2.2, 3.3, 4.4, 5.5], &[0.9, 6.6, 7.7, 8.8, 9.9], 0.150_793_650_794),
            (&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], 0.133_333_333_333),
        ] {
            let (chance, observed) = chance(first, second);
            assert!((chance.p(observed) - expected).abs() < 1e-9, "{first:?} {second:?}: {}", chance.p(observed));
        }
    }

    /// Of the 20 ways to share out 1, 1, 2, 2, 2, 3 two are as far from the mean as {1, 1, 2}: it, of which there are
    /// three, and {2, 2, 3}, of which there are three.
    #[test]
    fn ties_are_exact_too() {
        let (chance, observed) = chance(&[1.0, 1.0, 2.0], &[2.0, 2.0, 3.0]);
        assert!((chance.p(observed) - 6.0 / 20.0).abs() < 1e-12, "{}", chance.p(observed));
    }

    #[test]
    fn a_sample_of_the_ways_agrees_with_all_of_them() {
        let first: Vec<f64> = (0..9).map(|n| f64::from(n * 7 % 11)).collect();
        let second: Vec<f64> = (0..9).map(|n| f64::from(n * 5 % 13) + 2.5).collect();
        let ranks = [Ranks::new(&first, &second)];
        let (mut all, mut some) = (Chance::all(&ranks, 9, 9), Chance::some(&ranks, 9, 9));
        assert!((all.p(ranks[0].observed()) - some.p(ranks[0].observed())).abs() < 0.01);
        assert!((all.bound(0.05) - some.bound(0.05)).abs() < 0.1);
    }

    #[test]
    fn no_more_than_the_level_lies_beyond_the_bound() {
        let (mut found, _) = chance(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        for level in [0.005, 0.01, 0.05, 0.2] {
            let bound = found.bound(level);
            let beyond = found.0.iter().filter(|largest| **largest > bound).count() as f64 / found.0.len() as f64;
            assert!(beyond <= level, "{level}: {beyond}");
        }
    }
}
