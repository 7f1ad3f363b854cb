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
    /// Whether there are any times.
    pub timed: bool,
    /// The longest time.
    pub slowest_ns: u64,
    /// The shortest.
    pub fastest_ns: u64,
    /// The mean.
    pub average_ns: u64,
    /// Percentiles and their names.
    pub percentiles: Vec<(String, u64)>,
    /// The 99th of them.
    p99_ns: u64,
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

impl Figures {
    /// The figures of a report.
    pub fn of(report: &Report) -> Figures {
        let (times, counts) = (report.times.headline(), &report.counts);
        let total_ns = report.elapsed.as_nanos();
        // The last call takes its time too: of a server that keeps pace the end comes an average time after the last is
        // due, which says nothing about its throughput.
        let busy_ns = total_ns.saturating_sub(times.mean()).max(1);
        let percentile = |percentile: &Percentile| (format!("{} %", percentile.label()), percentile.ns);
        Figures {
            count: counts.done,
            statuses: report.statuses.iter().map(|row| (row.name.to_string(), row.count)).collect(),
            unsent: counts.unsent,
            abandoned: counts.abandoned,
            total_ns,
            timed: !times.is_empty(),
            slowest_ns: times.max(),
            fastest_ns: times.min(),
            average_ns: times.mean(),
            percentiles: report.percentiles.iter().map(percentile).collect(),
            p99_ns: if times.is_empty() { 0 } else { times.quantile(0.99) },
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
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two whole numbers")]
        let count = |of: &dyn Fn(&Figures) -> u64| median(rounds.iter().map(|figures| of(figures) as f64)) as u64;
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
            timed: rounds.iter().any(|figures| figures.timed),
            slowest_ns: count(&|figures| figures.slowest_ns),
            fastest_ns: count(&|figures| figures.fastest_ns),
            average_ns: count(&|figures| figures.average_ns),
            percentiles: (0..first.percentiles.len())
                .map(|at| {
                    let of = |figures: &Figures| figures.percentiles.get(at).map_or(0, |(_, nanos)| *nanos);
                    (first.percentiles[at].0.clone(), count(&of))
                })
                .collect(),
            p99_ns: count(&|figures| figures.p99_ns),
            throughput: rate(|figures| figures.throughput),
            offered: (!offered.is_empty()).then(|| median(offered.into_iter())),
            ok_rate: rate(|figures| figures.ok_rate),
            pace: rate(|figures| figures.pace),
            ok_share: rate(|figures| figures.ok_share),
            verdict: rounds.iter().map(|figures| figures.verdict).max().unwrap_or(first.verdict),
        })
    }

    /// The 99th percentile.
    pub fn p99_ns(&self) -> u64 {
        self.p99_ns
    }

    /// How many calls ended with the status of that name.
    pub fn status(&self, name: &str) -> u64 {
        self.statuses.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
    }
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
