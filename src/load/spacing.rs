//! Where calls lie under their rate: evenly, or by chance.

use std::fmt;

use super::Schedule;
use crate::units::Offset;

/// How calls are spread under a rate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Spacing {
    /// Evenly: call `k` is due when the area under the rate reaches `k`.
    #[default]
    Constant,
    /// A Poisson process: as callers who know nothing of each other come. Every worker draws the same instants from the
    /// seed, so they don't depend on the number of workers.
    Poisson {
        /// The seed.
        seed: u64,
    },
}

/// `constant`, `poisson, seed 7`.
impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spacing::Constant => f.write_str("constant"),
            Spacing::Poisson { seed } => write!(f, "poisson, seed {seed}"),
        }
    }
}

/// The instants at which calls are due by chance, one after the other.
///
/// A Poisson process of rate 1 has exponential gaps; read as areas under the rate, its points are those of a process
/// with that rate, also where it changes (the time-change theorem).
#[derive(Clone, Debug)]
pub(super) struct Draws {
    random: fastrand::Rng,
    /// The area that is reached, in 2^32 parts of a call.
    area: u128,
    /// The number of the next.
    pub(super) index: u64,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Draws {
        Draws { random: fastrand::Rng::with_seed(seed), area: 0, index: 0 }
    }

    /// The next call and when it is due.
    pub(super) fn draw(&mut self, schedule: &Schedule) -> (u64, Offset) {
        // 1 - [0, 1) is never 0, whose logarithm is no number.
        let gap = -(1.0 - self.random.f64()).ln() * 4_294_967_296.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 37 calls, and casts saturate"
        )]
        let gap = gap as u64;
        self.area += u128::from(gap);
        self.index += 1;
        (self.index - 1, schedule.reaches(self.area))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instants(rate: &str, seed: u64, count: usize) -> Vec<u64> {
        let schedule = Schedule::Constant(rate.parse().unwrap());
        let mut draws = Draws::new(seed);
        (0..count).map(|_| draws.draw(&schedule).1.as_nanos()).collect()
    }

    /// The largest distance between the distribution of `values` and `cumulative`, times the root of their number.
    fn kolmogorov(mut values: Vec<f64>, cumulative: impl Fn(f64) -> f64) -> f64 {
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let distance = values.iter().enumerate().map(|(rank, value)| {
            let expected = cumulative(*value);
            (expected - rank as f64 / count).abs().max(((rank + 1) as f64 / count - expected).abs())
        });
        distance.fold(0.0, f64::max) * count.sqrt()
    }

    /// Exceeded by one in a thousand samples of the right distribution.
    const KOLMOGOROV_PERMILLE: f64 = 1.949;

    #[test]
    fn gaps_are_exponential() {
        for seed in 0..20 {
            let instants = instants("250", seed, 5_000);
            let gaps = std::iter::once(instants[0]).chain(instants.windows(2).map(|pair| pair[1] - pair[0]));
            let gaps: Vec<f64> = gaps.map(|gap| gap as f64 / 1e9).collect();
            let found = kolmogorov(gaps, |gap| 1.0 - (-250.0 * gap).exp());
            assert!(found < KOLMOGOROV_PERMILLE, "seed {seed}: {found}");
        }
    }

    /// The test must be able to say no.
    #[test]
    fn even_gaps_are_not_exponential() {
        assert!(kolmogorov(vec![0.004; 5_000], |gap| 1.0 - (-250.0 * gap).exp()) > 10.0);
    }

    /// Given their number, the points under a line from 0 are spread like the square of the time.
    #[test]
    fn instants_under_a_ramp_follow_it() {
        let schedule = Schedule::Stages("10s:1000".parse().unwrap());
        for seed in 0..20 {
            let mut draws = Draws::new(seed);
            let all: Vec<f64> = std::iter::from_fn(|| Some(draws.draw(&schedule).1.as_nanos()))
                .take_while(|due| *due < 10_000_000_000)
                .map(|due| due as f64 / 1e10)
                .collect();
            assert!((4_700..5_300).contains(&all.len()), "{} of 5000", all.len());
            let found = kolmogorov(all, |t| t * t);
            assert!(found < KOLMOGOROV_PERMILLE, "seed {seed}: {found}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_again_and_another_does_not() {
        assert_eq!(instants("10", 7, 100), instants("10", 7, 100));
        assert_ne!(instants("10", 7, 100), instants("10", 8, 100));
        assert!(instants("10", 7, 10_000).is_sorted());
    }
}
