//! The charts of the page: percentiles, histogram, and the run over time.

use super::chart::{Axis, Chart, Line, bars};
use crate::report::{Distribution, Report, Row};

/// Points of a line at most: more are not told apart on a screen.
const POINTS_MAX: usize = 240;
/// Points between two powers of ten of the percentile plot.
const POINTS_PER_DECADE: u32 = 40;

/// A time unit that suits times up to `most` nanoseconds.
fn unit(most: f64) -> (f64, &'static str) {
    if most >= 1e9 {
        (1e9, "s")
    } else if most >= 1e6 {
        (1e6, "ms")
    } else {
        (1e3, "µs")
    }
}

/// Latency over percentiles, with more room the closer they are to 100: as plots of `HdrHistogram` have it.
pub(super) fn percentiles(report: &Report) -> String {
    let times = report.times.headline();
    if times.is_empty() {
        return String::new();
    }
    // The last value of n lies at 1 - 1/n.
    let decades = (times.count() as f64).log10().clamp(1.0, 7.0);
    let line = |name, times: &Distribution| Line { name, points: plotted(times, decades) };
    let lines = match (&report.times.response, &report.lag) {
        (Some(response), Some(lag)) => {
            vec![line("response", response), line("service", &report.times.service), line("lag", lag)]
        }
        _ => vec![line("latency", times)],
    };
    let most = report.lag.as_ref().map_or(0, Distribution::max).max(times.max()) as f64;
    let (unit, name) = unit(most);
    let marks = [(0.0, "0 %"), (1.0, "90 %"), (2.0, "99 %"), (3.0, "99.9 %"), (4.0, "99.99 %"), (5.0, "99.999 %")];
    let ticks = marks.into_iter().filter(|(at, _)| *at <= decades).map(|(at, label)| (at, label.to_owned())).collect();
    let chart = Chart {
        label: format!("Latency in {name} by percentile; the table below has the figures"),
        height: 320.0,
        x: Axis { from: 0.0, to: decades, ticks },
        y: Axis::up_to(most, unit),
        lines,
    };
    chart.figure(&format!("Latency in {name} by percentile."))
}

fn plotted(times: &Distribution, decades: f64) -> Vec<(f64, Option<f64>)> {
    let points = f64::from(POINTS_PER_DECADE);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 280")]
    let last = (decades * points).ceil() as u32;
    let point = |at: u32| {
        let x = (f64::from(at) / points).min(decades);
        (x, (!times.is_empty()).then(|| times.quantile(1.0 - 10f64.powf(-x)) as f64))
    };
    (0..=last).map(point).collect()
}

/// How many calls took up to each mark.
pub(super) fn histogram(report: &Report) -> String {
    if report.histogram.is_empty() {
        return String::new();
    }
    let (unit, name) = unit(report.histogram.last().map_or(0.0, |bar| bar.mark_ns));
    let rows: Vec<(String, u64)> =
        report.histogram.iter().map(|bar| (format!("{:.3}", bar.mark_ns / unit), bar.count)).collect();
    let label = format!("Calls by latency, up to each mark in {name}; the table below has the figures");
    format!("<figure>\n{}<figcaption>Calls up to each mark in {name}.</figcaption>\n</figure>\n", bars(&label, &rows))
}

/// Rate, latency, failures and calls in flight, interval by interval.
pub(super) fn over_time(report: &Report) -> String {
    if report.rows.is_empty() {
        return String::new();
    }
    let parts: Vec<Part> =
        report.rows.chunks(report.rows.len().div_ceil(POINTS_MAX)).map(|rows| Part::new(rows, report)).collect();
    let line = |name, of: &dyn Fn(&Part) -> Option<f64>| Line {
        name,
        points: parts.iter().map(|part| (part.at_s, of(part))).collect(),
    };
    let time = |of: fn(&Part) -> u64| move |part: &Part| Some(of(part) as f64).filter(|nanos| *nanos > 0.0);
    let latency = vec![
        line("50 %", &time(|part| part.p50_ns)),
        line("90 %", &time(|part| part.p90_ns)),
        line("99 %", &time(|part| part.p99_ns)),
        line("slowest", &time(|part| part.max_ns)),
    ];
    let rate = vec![line("started", &|part| Some(part.started)), line("ended", &|part| Some(part.done))];
    let failed = vec![line("failed", &|part| Some(part.failed))];
    let in_flight = vec![line("in flight", &|part| Some(part.in_flight as f64))];
    let longest = parts.iter().map(|part| part.max_ns).max().unwrap_or(0) as f64;
    let (unit, name) = unit(longest);
    let end_s = report.rows.len() as f64 * report.interval_ns as f64 / 1e9;
    let charts = [
        (rate, 1.0, "Calls per second".to_owned()),
        (latency, unit, format!("Latency in {name}")),
        (failed, 1.0, "Failed calls per second".to_owned()),
        (in_flight, 1.0, "Calls in flight at the end of each interval".to_owned()),
    ];
    let figures: String = charts
        .into_iter()
        .map(|(lines, unit, what)| {
            let most = lines.iter().flat_map(|line| &line.points).filter_map(|(_, y)| *y).fold(0.0, f64::max);
            let label = format!("{what} over time in seconds; the series in the JSON has the figures");
            let (x, y) = (Axis::up_to(end_s, 1.0), Axis::up_to(most, unit));
            Chart { label, height: 240.0, x, y, lines }.figure(&format!("{what}, over seconds."))
        })
        .collect();
    format!("<div class=\"pair\">\n{figures}</div>\n")
}

/// Some intervals as one point. Of percentiles the largest is shown: an outlier must not be averaged away.
struct Part {
    at_s: f64,
    started: f64,
    done: f64,
    failed: f64,
    in_flight: u64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

impl Part {
    fn new(rows: &[Row], report: &Report) -> Part {
        let seconds = report.interval_ns as f64 / 1e9;
        let per_second = |of: fn(&Row) -> u64| {
            rows.iter().map(|row| of(row) as f64).sum::<f64>() / (rows.len().max(1) as f64 * seconds)
        };
        let most = |of: fn(&Row) -> u64| rows.iter().map(of).max().unwrap_or(0);
        let start = rows.first().map_or(0.0, |row| row.start.as_nanos() as f64 / 1e9);
        Part {
            at_s: start + rows.len() as f64 * seconds / 2.0,
            started: per_second(|row| row.started),
            done: per_second(|row| row.done),
            failed: per_second(|row| row.failed),
            in_flight: most(|row| row.in_flight),
            p50_ns: most(|row| row.p50_ns),
            p90_ns: most(|row| row.p90_ns),
            p99_ns: most(|row| row.p99_ns),
            max_ns: most(|row| row.max_ns),
        }
    }
}
