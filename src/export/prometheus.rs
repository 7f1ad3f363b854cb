//! Prometheus' text format, by ghz's names where they follow Prometheus' rules for names, which `promtool check metrics`
//! holds: gauges of the run, a histogram and a summary of its times.
//!
//! Gauges and the summary keep ghz's nanoseconds. The histogram is what Prometheus means by one: buckets in seconds that
//! count all that is below them, and beside them the count and the sum of the very calls in the buckets.

use std::fmt::Write as _;
use std::time::Duration;

use crate::report::{EndReason, Load, Report, Schedule, Setup};

/// The whole exposition.
pub(super) fn text(report: &Report) -> String {
    let mut page = Page { labels: labels(report), text: String::new() };
    let times = report.times.headline();
    for (name, help, value) in [
        ("ghz_run_calls", "Calls that ended with a status.", report.counts.done as f64),
        ("ghz_run_elapsed", "Time of the run in nanoseconds.", report.elapsed.as_nanos() as f64),
        ("ghz_run_average", "Mean latency in nanoseconds.", times.mean() as f64),
        ("ghz_run_fastest", "Smallest latency in nanoseconds.", times.min() as f64),
        ("ghz_run_slowest", "Largest latency in nanoseconds.", times.max() as f64),
        ("ghz_run_rps", "Calls that ended in a second.", report.throughput),
        ("ghz_run_errors", "Calls that ended with a status other than OK.", report.counts.failed as f64),
    ] {
        page.family(name, help, "gauge");
        page.sample(name, &[], value);
    }
    histogram(report, &mut page);
    quantiles(report, &mut page);
    page.family("grpcbench_calls", "Calls by their status.", "gauge");
    for status in &report.statuses {
        page.sample("grpcbench_calls", &[("status", &status.name)], status.count as f64);
    }
    for (status, count) in [("abandoned", report.counts.abandoned), ("unsent", report.counts.unsent)] {
        page.sample("grpcbench_calls", &[("status", status)], count as f64);
    }
    page.family("grpcbench_verdict", "Whether the run is to be believed; the label has the verdict.", "gauge");
    page.sample("grpcbench_verdict", &[("verdict", &report.verdict.to_string())], 1.0);
    page.text
}

fn histogram(report: &Report, page: &mut Page) {
    const NAME: &str = "ghz_run_latency_seconds";
    page.family(NAME, "Latencies in seconds.", "histogram");
    let mut below = 0;
    let mut last = f64::NEG_INFINITY;
    for (at, bar) in report.histogram.iter().enumerate() {
        below += bar.count;
        let mark = bar.mark_ns / 1e9;
        // Where all calls took equally long all marks are the same, and the last of them counts all.
        let repeated = report.histogram.get(at + 1).is_some_and(|next| next.mark_ns <= bar.mark_ns);
        if mark > last && !repeated {
            page.sample(&format!("{NAME}_bucket"), &[("le", &number(mark))], below as f64);
            last = mark;
        }
    }
    let times = report.times.headline();
    page.sample(&format!("{NAME}_bucket"), &[("le", "+Inf")], times.count() as f64);
    page.sample(&format!("{NAME}_sum"), &[], times.sum() as f64 / 1e9);
    page.sample(&format!("{NAME}_count"), &[], times.count() as f64);
}

fn quantiles(report: &Report, page: &mut Page) {
    const NAME: &str = "ghz_run_latency";
    page.family(NAME, "Latencies in nanoseconds.", "summary");
    for percentile in &report.percentiles {
        page.sample(NAME, &[("quantile", &number(percentile.quantile()))], percentile.ns as f64);
    }
    let times = report.times.headline();
    page.sample(&format!("{NAME}_sum"), &[], times.sum() as f64);
    page.sample(&format!("{NAME}_count"), &[], times.count() as f64);
}

/// The text as it grows; every sample has the labels of the run.
struct Page {
    labels: String,
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let mut own = String::new();
        for (label, value) in labels {
            let _ = write!(own, ",{label}=\"{}\"", escaped(value));
        }
        let _ = writeln!(self.text, "{name}{{{}{own}}} {}", self.labels, number(value));
    }
}

/// The labels of the run: ghz's, in one order, and its tags behind them.
fn labels(report: &Report) -> String {
    let Setup { about, load, limits, deadline, connect_timeout, authority, connections, .. } = &report.setup;
    let nanos = |time: Option<Duration>| time.unwrap_or_default().as_nanos().to_string();
    let end_reason = match report.end_reason {
        EndReason::Count => "normal",
        EndReason::Duration => "timeout",
        EndReason::Failures => "failures",
        EndReason::Interrupt => "cancel",
    };
    let mut labels: Vec<(String, String)> = [
        ("name", about.name.clone().unwrap_or_default()),
        ("end_reason", end_reason.to_owned()),
        ("call", about.call.clone()),
        ("host", about.host.clone()),
        ("proto", about.protos.join(",")),
        ("protoset", about.protosets.join(",")),
        ("import_paths", about.import_paths.join(",")),
        ("insecure", about.plaintext.to_string()),
        ("skip_tls", about.skip_tls.to_string()),
        ("authority", authority.clone().unwrap_or_default()),
        ("load", load.to_string()),
        ("rps", rps(load)),
        ("concurrency", if load.is_unlimited() { "0".to_owned() } else { load.in_flight().to_string() }),
        ("async", load.is_unlimited().to_string()),
        ("total", limits.calls().map_or_else(|| i32::MAX.to_string(), |calls| calls.to_string())),
        ("duration", nanos(limits.duration())),
        ("connections", connections.to_string()),
        ("timeout", nanos(*deadline)),
        ("dial_timeout", nanos(Some(*connect_timeout))),
        ("keepalive", nanos(about.keepalive)),
        ("binary", about.binary.to_string()),
        ("count_errors", about.count_errors.to_string()),
        ("cpus", about.cpus.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    for (name, value) in &about.tags {
        let mut label = format!("tag_{}", label_name(name));
        // Two names that are one as a label.
        while labels.iter().any(|(taken, _)| *taken == label) {
            label.push('_');
        }
        labels.push((label, value.clone()));
    }
    let texts = labels.iter().filter(|(_, value)| !value.is_empty());
    texts.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect::<Vec<_>>().join(",")
}

fn rps(load: &Load) -> String {
    match load.schedule() {
        Some(Schedule::Constant(rate)) => number(rate.per_second()),
        _ => "0".to_owned(),
    }
}

/// Letters, digits and underscores, as labels have them.
fn label_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The value of a label: three characters have an escape, and all others stand for themselves.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '"' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            // Some readers take these for ends of lines.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                escaped.extend(c.escape_default().flat_map(|c| (c == '\\').then_some('\\').into_iter().chain([c])));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// All digits that it takes to read the same number.
fn number(number: f64) -> String {
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_harmless() {
        assert_eq!(label_name("created by-ü"), "created_by__");
        assert_eq!(escaped("a\"b\\c\n\r"), r#"a\"b\\c\n\\r"#);
    }
}
