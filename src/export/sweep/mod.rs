//! What came of a sweep: its tables in all formats of tables, and as HTML with charts above them.

mod chart;

use std::io;

use self::chart::{Chart, Line};
use super::table::{TableFormat, html_fragment, html_page};
use crate::sweep::{Axis, Curve, Reading, Results};
use crate::units::Nanos;

/// Writes `results` in a format of tables, and flushes.
///
/// Errors when `out` does.
pub fn write_sweep(results: &Results, format: TableFormat, out: &mut dyn io::Write) -> io::Result<()> {
    let tables = results.tables();
    if format != TableFormat::Html {
        return format.write(&tables, out);
    }
    let body: String = charts(&results.curves()).into_iter().chain(tables.iter().map(html_fragment)).collect();
    out.write_all(html_page("Sweep", &body).as_bytes())?;
    out.flush()
}

/// Throughput and 99th percentile over what was swept. None of a single load, which is no line.
fn charts(curves: &[Curve]) -> Vec<String> {
    let Some(axis) = curves.first().map(|curve| curve.axis) else { return Vec::new() };
    if curves.iter().all(|curve| curve.readings.len() < 2) {
        return Vec::new();
    }
    let line = |curve: &Curve, of: fn(&Reading) -> f64| Line {
        name: curve.name.clone(),
        points: curve.readings.iter().map(|reading| (reading.at, of(reading))).collect(),
    };
    let lines = |of: fn(&Reading) -> f64| curves.iter().map(|curve| line(curve, of)).collect::<Vec<_>>();
    let throughput = Chart {
        title: "Calls that ended OK in a second",
        x_name: axis.name(),
        lines: lines(|reading| reading.ok_rate),
        diagonal: axis == Axis::Rate,
        show: |value| format!("{value}"),
    };
    let p99 = Chart {
        title: "99th percentile",
        x_name: axis.name(),
        lines: lines(|reading| reading.p99_ns as f64),
        diagonal: false,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of a chart")]
        show: |value| Nanos(value as u64).to_string(),
    };
    vec![throughput.svg(), p99.svg()]
}
