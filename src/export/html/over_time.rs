//! The run over time: rate, latency, failures and calls in flight, as charts and as a table for those who cannot see them.

use super::chart::{Axis, Chart, Line};
use super::charts::unit;
use crate::export::table::html::fragment;
use crate::report::table::{Cell, Table};
use crate::report::{Report, Row};

/// Points of a line at most: more are not told apart on a screen.
const POINTS_MAX: usize = 240;

/// Charts with their table; nothing without a series.
pub(super) fn section(report: &Report) -> String {
    let parts = parts(report);
    if parts.is_empty() {
        return String::new();
    }
    let table = fragment(&table(&parts));
    charts(&parts) + &format!("<details>\n<summary>These charts as a table</summary>\n{table}</details>\n")
}

fn charts(parts: &[Part]) -> String {
    let line = |name, of: &dyn Fn(&Part) -> Option<f64>| Line {
        name,
        points: parts.iter().map(|part| (f64::midpoint(part.from_s, part.to_s), of(part))).collect(),
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
    let end_s = parts.last().map_or(0.0, |part| part.to_s);
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
            let label = format!("{what} over time in seconds; the table below has the figures");
            let (x, y) = (Axis::up_to(end_s, 1.0), Axis::up_to(most, unit));
            Chart { label, height: 240.0, x, y, lines }.figure(&format!("{what}, over seconds."))
        })
        .collect();
    format!("<div class=\"pair\">\n{figures}</div>\n")
}

fn table(parts: &[Part]) -> Table {
    let columns = ["started/s", "ended/s", "failed/s", "in flight", "50 %", "90 %", "99 %", "slowest"];
    let mut table = Table::new("Over time", columns);
    let time = |nanos: u64| if nanos == 0 { Cell::None } else { Cell::Nanos(nanos) };
    for part in parts {
        let rates = [part.started, part.done, part.failed].map(Cell::PerSecond);
        let times = [part.p50_ns, part.p90_ns, part.p99_ns, part.max_ns].map(time);
        let label = format!("{} to {} s", seconds(part.from_s), seconds(part.to_s));
        table.push(label, rates.into_iter().chain([Cell::Count(part.in_flight)]).chain(times));
    }
    table
}

fn seconds(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

/// Some intervals as one point. Of percentiles the largest is shown: an outlier must not be averaged away.
struct Part {
    from_s: f64,
    to_s: f64,
    started: f64,
    done: f64,
    failed: f64,
    in_flight: u64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

/// The series in as many parts as can be shown. The run has cut its last interval short: as a rate over a moment says
/// nothing, less than half an interval belongs to the part before.
fn parts(report: &Report) -> Vec<Part> {
    let rows = &report.rows;
    let Some(last) = rows.last() else { return Vec::new() };
    let left_ns = report.elapsed.since(last.start).min(report.interval_ns);
    // Nothing is left if a document says so.
    let end_ns = last.start.as_nanos() + if left_ns == 0 { report.interval_ns } else { left_ns };
    let mut starts: Vec<usize> = (0..rows.len()).step_by(rows.len().div_ceil(POINTS_MAX)).collect();
    if left_ns < report.interval_ns / 2 && starts.len() > 1 && starts.last() == Some(&(rows.len() - 1)) {
        starts.pop();
    }
    let ends = starts[1..].iter().copied().chain([rows.len()]);
    let part = |(from, to): (usize, usize)| {
        let to_ns = rows.get(to).map_or(end_ns, |next| next.start.as_nanos());
        Part::new(&rows[from..to], rows[from].start.as_nanos(), to_ns)
    };
    starts.iter().copied().zip(ends).map(part).collect()
}

impl Part {
    fn new(rows: &[Row], from_ns: u64, to_ns: u64) -> Part {
        let seconds = to_ns.saturating_sub(from_ns).max(1) as f64 / 1e9;
        let per_second = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row) as f64).sum::<f64>() / seconds;
        let most = |of: fn(&Row) -> u64| rows.iter().map(of).max().unwrap_or(0);
        Part {
            from_s: from_ns as f64 / 1e9,
            to_s: to_ns as f64 / 1e9,
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
