//! The Mann-Whitney statistic for two groups of values, one metric at a time.
//!
//! Values of both groups are ranked together; equal values share the mean of their ranks. The rank sum of the first group
//! is the same thing as Mann and Whitney's U, moved by a constant.

/// The ranks of the values of two groups, and what the rank sum of a group is if it does not matter who is in it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ranks {
    /// Those of the first group, then those of the second.
    of_runs: Vec<f64>,
    /// How many are in the first.
    first: usize,
    /// The mean of the rank sum over all ways to choose a first group.
    mean: f64,
    /// Its standard deviation; 0 if all values are equal.
    pub(super) deviation: f64,
}

impl Ranks {
    /// Of the values of both groups; neither is empty.
    pub(super) fn new(first: &[f64], second: &[f64]) -> Ranks {
        let ranks = midranks(&first.iter().chain(second).copied().collect::<Vec<f64>>());
        let (n, all) = (first.len() as f64, ranks.len() as f64);
        let mean_rank = f64::midpoint(all, 1.0);
        // The variance of the sum of n numbers that are drawn without putting back from these (Lehmann 1975, appendix).
        let spread: f64 = ranks.iter().map(|rank| (rank - mean_rank).powi(2)).sum();
        let variance = if all > 1.0 { n * (all - n) / (all * (all - 1.0)) * spread } else { 0.0 };
        Ranks { of_runs: ranks, first: first.len(), mean: n * mean_rank, deviation: variance.sqrt() }
    }

    /// The rank of a value, counted through both groups.
    pub(super) fn rank(&self, at: usize) -> f64 {
        self.of_runs[at]
    }

    /// How many deviations a rank sum lies from its mean, to either side.
    pub(super) fn distance(&self, sum: f64) -> f64 {
        if self.deviation > 0.0 { (sum - self.mean).abs() / self.deviation } else { 0.0 }
    }

    /// The same for the groups as they are.
    pub(super) fn observed(&self) -> f64 {
        self.distance(self.of_runs[..self.first].iter().sum())
    }
}

/// The rank of each value from 1 on; the mean of their ranks for equal ones.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut rank = 0;
    for equal in order.chunk_by(|one, other| values[*one].total_cmp(&values[*other]).is_eq()) {
        // The mean of rank + 1, ..., rank + count.
        let mean = rank as f64 + f64::midpoint(equal.len() as f64, 1.0);
        for at in equal {
            ranks[*at] = mean;
        }
        rank += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(midranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(midranks(&[]), [0.0; 0]);
    }

    /// With n and m values and no ties the variance is nm(n + m + 1) / 12 (Mann and Whitney 1947).
    #[test]
    fn the_deviation_is_that_of_the_textbook() {
        let ranks = Ranks::new(&[1.0, 5.0, 3.0], &[2.0, 9.0, 7.0, 8.0]);
        assert!((ranks.deviation.powi(2) - 3.0 * 4.0 * 8.0 / 12.0).abs() < 1e-12);
        assert!((ranks.observed() - 4.0 / 8.0f64.sqrt()).abs() < 1e-12, "1, 4 and 3 of 7");
        assert!(Ranks::new(&[2.0; 3], &[2.0; 3]).observed().abs() < 1e-12, "nothing to tell apart");
    }
}
