//! How far apart two groups are: the median of all differences between a value of the one and a value of the other
//! (Hodges and Lehmann 1963), and the interval of all shifts that the rank test would not rule out.

/// A shift with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shift {
    pub(super) estimate: f64,
    /// `None` if no shift can be ruled out.
    pub(super) interval: Option<(f64, f64)>,
}

impl Shift {
    /// From `first` to `second`, neither of them empty, where the rank test rules out what puts U more than `bound` away
    /// from its mean.
    pub(super) fn new(first: &[f64], second: &[f64], bound: f64) -> Shift {
        let mut differences: Vec<f64> =
            second.iter().flat_map(|after| first.iter().map(move |before| after - before)).collect();
        differences.sort_by(f64::total_cmp);
        // Shifted by s, U counts the differences above s. It is ruled out where U < nm/2 - bound: as many of the smallest
        // and of the largest differences as there are whole numbers from 0 to there lie outside.
        let outside = (differences.len() as f64 / 2.0 - bound).ceil();
        let interval = (outside >= 1.0).then(|| {
            let at = whole(outside) - 1;
            (differences[at], differences[differences.len() - 1 - at])
        });
        Shift { estimate: median(&differences), interval }
    }
}

/// A number from 0 on without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of runs and of ways are small")]
pub(super) fn whole(number: f64) -> usize {
    number as usize
}

/// The median of values in order; 0 without values.
pub(super) fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[len / 2],
        len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "they are exact")]
    fn medians() {
        assert_eq!([&[][..], &[3.0], &[1.0, 2.0], &[1.0, 2.0, 9.0]].map(median), [0.0, 3.0, 1.5, 2.0]);
    }

    /// 4 and 4 values at 5 %: U = 0 and U = 16 are ruled out, and R's `wilcox.test(conf.int = TRUE)` gives the smallest
    /// and the largest difference.
    #[test]
    fn the_interval_is_where_the_test_does_not_rule_out() {
        let (first, second) = ([1.0, 2.0, 3.0, 4.5], [11.0, 13.0, 14.0, 17.0]);
        let shift = Shift::new(&first, &second, 7.5);
        assert_eq!(shift.interval, Some((6.5, 16.0)));
        assert!((shift.estimate - 11.0).abs() < 1e-12, "{}", shift.estimate);
        assert_eq!(Shift::new(&first, &second, 8.0).interval, None, "nothing is ruled out");
        assert_eq!(Shift::new(&first, &second, 6.5).interval, Some((8.0, 15.0)));
    }
}
