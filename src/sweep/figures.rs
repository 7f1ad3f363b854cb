//! The figures of one run that a sweep shows, and the medians of several runs.

use crate::report::{Percentile, Report, Verdict};

/// What is taken from a report.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    /// Calls that ended with a status.
    pub count: u64,
    /// How many with which.
    pub statuses: Vec<(String, u64)>,
    /// Due and never started.
    pub unsent: u64,
    /// Cut off at the end.
    pub abandoned: u64,
    /// How long the run was.
    pub total_ns: u64,
    /// Times, if any call ended that has one.
    pub times: Option<Times>,
    /// Calls that ended in a second.
    pub throughput: f64,
    /// The rate that was asked for; `None` in a closed loop.
    pub offered: Option<f64>,
    /// Calls that ended OK in a second.
    pub ok_rate: f64,
    /// Calls that ended in a second, but for the time that the last ones take by themselves.
    pub pace: f64,
    /// Which part of the calls that were due ended OK.
    pub ok_share: f64,
    /// Whether to believe it.
    pub verdict: Verdict,
}

/// The times that a report is about.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// The longest.
    pub slowest_ns: u64,
    /// The shortest.
    pub fastest_ns: u64,
    /// The mean.
    pub average_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// Percentiles and their names.
    pub percentiles: Vec<(String, u64)>,
}

impl Times {
    fn of(report: &Report) -> Option<Times> {
        let times = Some(report.times.headline()).filter(|times| !times.is_empty())?;
        let percentile = |percentile: &Percentile| (format!("{} %", percentile.label()), percentile.ns);
        Some(Times {
            slowest_ns: times.max(),
            fastest_ns: times.min(),
            average_ns: times.mean(),
            p99_ns: times.quantile(0.99),
            percentiles: report.percentiles.iter().map(percentile).collect(),
        })
    }

    /// The medians over the rounds that have times.
    fn median(rounds: &[&Figures]) -> Option<Times> {
        let rounds: Vec<&Times> = rounds.iter().filter_map(|figures| figures.times.as_ref()).collect();
        let of = |of: fn(&Times) -> u64| whole_median(rounds.iter().map(|times| of(times)));
        let percentile = |at: usize| whole_median(rounds.iter().filter_map(|times| Some(times.percentiles.get(at)?.1)));
        let labels = rounds.first()?.percentiles.iter().map(|(label, _)| label.clone());
        Some(Times {
            slowest_ns: of(|times| times.slowest_ns),
            fastest_ns: of(|times| times.fastest_ns),
            average_ns: of(|times| times.average_ns),
            p99_ns: of(|times| times.p99_ns),
            percentiles: labels.enumerate().map(|(at, label)| (label, percentile(at))).collect(),
        })
    }
}

impl Figures {
    /// The figures of a report.
    pub fn of(report: &Report) -> Figures {
        let (times, counts) = (report.times.headline(), &report.counts);
        let total_ns = report.elapsed.as_nanos();
        // The last call takes its time too: of a server that keeps pace the end comes an average time after the last is
        // due, which says nothing about its throughput.
        let busy_ns = total_ns.saturating_sub(times.mean()).max(1);
        Figures {
            count: counts.done,
            statuses: report.statuses.iter().map(|row| (row.name.to_string(), row.count)).collect(),
            unsent: counts.unsent,
            abandoned: counts.abandoned,
            total_ns,
            times: Times::of(report),
            throughput: report.throughput,
            offered: report.offered_rate,
            ok_rate: report.per_second(counts.ok),
            pace: counts.done as f64 * 1e9 / busy_ns as f64,
            // Those in flight when the time was over might have ended either way.
            ok_share: counts.ok as f64 / (counts.done + counts.unsent).max(1) as f64,
            verdict: report.verdict,
        }
    }

    /// The median of each figure, and the worst verdict. `None` of nothing.
    pub fn median(rounds: &[&Figures]) -> Option<Figures> {
        let first = *rounds.first()?;
        let count = |of: &dyn Fn(&Figures) -> u64| whole_median(rounds.iter().map(|figures| of(figures)));
        let rate = |of: fn(&Figures) -> f64| median(rounds.iter().map(|figures| of(figures)));
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in rounds.iter().flat_map(|figures| &figures.statuses) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let offered: Vec<f64> = rounds.iter().filter_map(|figures| figures.offered).collect();
        Some(Figures {
            count: count(&|figures| figures.count),
            statuses: names.into_iter().map(|name| (name.clone(), count(&|figures| figures.status(name)))).collect(),
            unsent: count(&|figures| figures.unsent),
            abandoned: count(&|figures| figures.abandoned),
            total_ns: count(&|figures| figures.total_ns),
            times: Times::median(rounds),
            throughput: rate(|figures| figures.throughput),
            offered: (!offered.is_empty()).then(|| median(offered.into_iter())),
            ok_rate: rate(|figures| figures.ok_rate),
            pace: rate(|figures| figures.pace),
            ok_share: rate(|figures| figures.ok_share),
            verdict: rounds.iter().map(|figures| figures.verdict).max().unwrap_or(first.verdict),
        })
    }

    /// How many calls ended with the status of that name.
    pub fn status(&self, name: &str) -> u64 {
        self.statuses.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two whole numbers")]
fn whole_median(values: impl Iterator<Item = u64>) -> u64 {
    median(values.map(|value| value as f64)) as u64
}

/// The middle one, or the mean of the two in the middle. 0 of nothing.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        len if len % 2 == 1 => values[len / 2],
        len => f64::midpoint(values[len / 2 - 1], values[len / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(count: u64, status: &str, p99_ns: Option<u64>, verdict: Verdict) -> Figures {
        let times =
            p99_ns.map(|p99_ns| Times { p99_ns, percentiles: vec![("50 %".into(), p99_ns / 2)], ..Times::default() });
        Figures {
            count,
            statuses: vec![(status.to_owned(), count)],
            unsent: 0,
            abandoned: 0,
            total_ns: 1,
            times,
            throughput: count as f64,
            offered: None,
            ok_rate: 0.0,
            pace: 0.0,
            ok_share: 1.0,
            verdict,
        }
    }

    #[test]
    fn of_several_rounds_each_figure_is_the_median() {
        let rounds = [
            figures(100, "OK", Some(10), Verdict::Valid),
            figures(300, "OK", Some(30), Verdict::Doubtful),
            figures(200, "Unavailable", None, Verdict::Valid),
        ];
        let median = Figures::median(&rounds.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!((median.count, median.throughput, median.verdict), (200, 200.0, Verdict::Doubtful));
        assert_eq!((median.status("OK"), median.status("Unavailable"), median.status("Aborted")), (100, 0, 0));
        let times = median.times.unwrap();
        assert_eq!(
            (times.p99_ns, times.percentiles),
            (20, vec![("50 %".to_owned(), 10)]),
            "of the rounds that have times"
        );
        assert_eq!(Figures::median(&[]), None);
        assert_eq!(Figures::median(&[&rounds[2]]).unwrap().times, None);
    }
}
