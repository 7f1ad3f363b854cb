//! The charts of latency: percentiles and histogram.

use super::chart::{Axis, Chart, Line, bars};
use crate::report::{Distribution, Report};

/// Points between two powers of ten of the percentile plot.
const POINTS_PER_DECADE: u32 = 40;

/// A time unit that suits times up to `most` nanoseconds.
pub(super) fn unit(most: f64) -> (f64, &'static str) {
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
