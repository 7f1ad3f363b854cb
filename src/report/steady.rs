//! Whether a run was the same from its beginning to its end, by its intervals.
//!
//! Only intervals in which enough calls ended are looked at, and the last one, which the end cuts short, is not.

use super::Row;

/// A beginning that is unlike the rest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Beginning {
    /// What shows it: a quantile in thousandths.
    pub(super) permille: u16,
    /// Its value in the first interval.
    pub(super) first_ns: u64,
    /// The largest such value in all others.
    pub(super) rest_ns: u64,
    /// When it was over.
    pub(super) settled_ns: u64,
    /// The calls until then.
    pub(super) calls: u64,
}

/// A time that grew or shrank over the run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Drift {
    /// The median of the first third.
    pub(super) first_ns: u64,
    /// The median of the last third.
    pub(super) last_ns: u64,
}

/// A median rests on so many calls at least.
const CALLS_MIN: u64 = 20;
/// Fewer intervals than this say nothing about what is usual.
const ROWS_MIN: usize = 5;
/// The first interval is unlike the rest if it is so many times larger than the largest of them: the largest of four or
/// more is exceeded by chance every fifth time or less, but not by half.
const UNLIKE: f64 = 1.5;
/// Medians that differ by less are of no interest to anybody.
const UNLIKE_NS: u64 = 50_000;
/// A thread may wait about a millisecond for its turn now and then, on any machine that does other things too: tails
/// that differ by less say nothing of the server.
const UNLIKE_NS_TAIL: u64 = 1_000_000;

/// How a run began, if that is unlike the rest.
pub(super) fn beginning(rows: &[Row], interval_ns: u64) -> Option<Beginning> {
    let rows = usable(rows)?;
    let (first, rest) = rows.split_first()?;
    let unlike = |permille: u16, of: fn(&Row) -> u64, needed: u64, tolerated_ns: u64| {
        let largest = rest.iter().map(of).max()?;
        let enough = rest.iter().chain([first]).all(|row| row.done - row.failed >= needed);
        let far = of(first) as f64 > UNLIKE * largest as f64 && of(first) - largest > tolerated_ns;
        let settled = rest.iter().position(|row| of(row) <= median(rest.iter().map(of)) * 11 / 10).unwrap_or(0) + 1;
        (enough && far).then(|| Beginning {
            permille,
            first_ns: of(first),
            rest_ns: largest,
            settled_ns: (settled as u64).saturating_mul(interval_ns),
            calls: rows[..settled].iter().map(|row| row.done).sum(),
        })
    };
    // For each tail ten of an interval's calls lie beyond it at least.
    unlike(500, |row| row.p50_ns, CALLS_MIN, UNLIKE_NS)
        .or_else(|| unlike(900, |row| row.p90_ns, 100, UNLIKE_NS_TAIL))
        .or_else(|| unlike(990, |row| row.p99_ns, 1_000, UNLIKE_NS_TAIL))
}

/// How much the median must differ between the first and the last third.
const DRIFT: f64 = 0.2;
/// So far from 0 the Mann-Kendall statistic of a series without a trend comes once in a thousand times.
const TREND: f64 = 3.29;
/// The test compares each value with each other one; more values than this are first put together.
const VALUES_MAX: usize = 60;

/// Whether the median rose or fell over the run: a trend that is no chance (Mann-Kendall) and large enough to matter.
pub(super) fn drift(rows: &[Row]) -> Option<Drift> {
    let rows = usable(rows)?;
    let medians: Vec<u64> = rows.iter().map(|row| row.p50_ns).collect();
    let values: Vec<u64> =
        medians.chunks(medians.len().div_ceil(VALUES_MAX)).map(|part| median(part.iter().copied())).collect();
    let count = values.len();
    if count < 2 * ROWS_MIN {
        return None;
    }
    let mut score = 0i64;
    for (at, earlier) in values.iter().enumerate() {
        score += values[at + 1..].iter().map(|later| later.cmp(earlier) as i64).sum::<i64>();
    }
    let n = count as f64;
    let spread = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let third = count / 3;
    let (first_ns, last_ns) =
        (median(values[..third].iter().copied()), median(values[count - third..].iter().copied()));
    let change = last_ns.abs_diff(first_ns);
    let matters = change as f64 > DRIFT * first_ns as f64 && change > UNLIKE_NS;
    ((score as f64).abs() > TREND * spread && matters).then_some(Drift { first_ns, last_ns })
}

/// The intervals that can be compared, if there are enough.
fn usable(rows: &[Row]) -> Option<&[Row]> {
    let (_, whole) = rows.split_last()?;
    (whole.len() >= ROWS_MIN && whole.iter().all(|row| row.done - row.failed >= CALLS_MIN)).then_some(whole)
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn rows(medians_ms: impl IntoIterator<Item = u64>) -> Vec<Row> {
        medians_ms
            .into_iter()
            .map(|ms| Row { done: 2_000, p50_ns: ms * MS, p90_ns: 2 * ms * MS, p99_ns: 3 * ms * MS, ..Row::default() })
            .collect()
    }

    #[test]
    fn a_slow_beginning_is_seen_with_its_length() {
        let slow = rows([90, 30, 11, 10, 10, 11, 10, 10]);
        let found = beginning(&slow, 1_000 * MS).unwrap();
        assert_eq!((found.permille, found.first_ns, found.rest_ns), (500, 90 * MS, 30 * MS));
        assert_eq!((found.settled_ns, found.calls), (2_000 * MS, 4_000));
        assert_eq!(beginning(&rows([12, 10, 10, 11, 10, 10, 10]), 1_000 * MS), None);
        assert_eq!(beginning(&rows([90, 10, 10]), 1_000 * MS), None, "too few to say what is usual");
        let mut tail = rows([10; 8]);
        tail[0].p99_ns = 200 * MS;
        assert_eq!(beginning(&tail, 1_000 * MS).unwrap().permille, 990);
        tail[0].p90_ns = 100 * MS;
        assert_eq!(beginning(&tail, 1_000 * MS).unwrap().permille, 900);
        let mut quick = rows([1; 8]);
        for row in &mut quick {
            row.p99_ns = 500_000;
        }
        quick[0].p99_ns = 1_400_000;
        assert_eq!(beginning(&quick, 1_000 * MS), None, "as any thread may wait");
        let mut few = rows([90, 10, 10, 10, 10, 10, 10]);
        few[3].done = 3;
        assert_eq!(beginning(&few, 1_000 * MS), None);
    }

    #[test]
    fn a_drift_is_a_trend_that_matters() {
        assert_eq!(drift(&rows((0..31).map(|n| 10 + n))), Some(Drift { first_ns: 15 * MS, last_ns: 35 * MS }));
        assert_eq!(drift(&rows((0..31).rev().map(|n| 10 + n))).unwrap().last_ns, 16 * MS, "downwards too");
        assert_eq!(drift(&rows((0..31).map(|n| 1_000 + n))), None, "3 % do not matter");
        assert_eq!(drift(&rows((0..31).map(|n| 10 + n % 5 * 5))), None, "up and down is no trend");
        assert_eq!(drift(&rows((0..6).map(|n| 10 + n))), None, "too few");
        assert!(drift(&rows((0..10_000).map(|n| 10 + n / 100))).is_some());
    }

    #[test]
    fn chance_alone_is_no_drift() {
        let found = (0..500).filter(|seed| {
            let mut random = fastrand::Rng::with_seed(*seed);
            drift(&rows((0..60).map(|_| random.u64(5..20)))).is_some()
        });
        assert!(found.count() <= 3, "of 500");
    }
}
