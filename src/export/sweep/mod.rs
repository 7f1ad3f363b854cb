//! What came of a sweep: its tables in all formats of tables, and as HTML with charts above them.

mod chart;

use std::io;

use self::chart::{Chart, Line};
use super::page::{self, escaped};
use super::table::{TableFormat, html};
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
    let targets = results.targets().iter().map(|target| escaped(&format!("{} = {}", target.name, target.host)));
    let header = format!("<h1>Sweep</h1>\n<p>{}</p>\n", targets.collect::<Vec<_>>().join("<br>"));
    out.write_all(page::begin("grpcbench - sweep", &header).as_bytes())?;
    out.write_all(charts(&results.curves()).concat().as_bytes())?;
    out.write_all(html::all(&tables).as_bytes())?;
    out.write_all(page::END.as_bytes())?;
    out.flush()
}

/// Throughput and 99th percentile over what was swept. None of a single load, which is no line.
fn charts(curves: &[Curve]) -> Vec<String> {
    let Some(axis) = curves.first().map(|curve| curve.axis) else { return Vec::new() };
    if curves.iter().all(|curve| curve.readings.len() < 2) {
        return Vec::new();
    }
    let lines = |of: fn(&Reading) -> Option<f64>| -> Vec<Line> {
        let points =
            |curve: &Curve| curve.readings.iter().filter_map(|reading| Some((reading.at, of(reading)?))).collect();
        curves.iter().map(|curve| Line { name: curve.name.clone(), points: points(curve) }).collect()
    };
    let throughput = Chart {
        title: "Calls that ended OK in a second",
        x_name: axis.name(),
        lines: lines(|reading| Some(reading.ok_rate)),
        diagonal: axis == Axis::Rate,
        show: |value| format!("{value}"),
    };
    let p99 = Chart {
        title: "99th percentile",
        x_name: axis.name(),
        // Where no call ended OK there is no time.
        lines: lines(|reading| (reading.p99_ns > 0).then_some(reading.p99_ns as f64)),
        diagonal: false,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of a chart")]
        show: |value| Nanos(value as u64).to_string().replace(".00", ""),
    };
    vec![throughput.svg(), p99.svg()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_without_an_ok_call_is_low_in_throughput_and_not_fast() {
        let reading = |at: f64, ok_rate: f64, p99_ns: u64| Reading {
            at,
            offered: Some(at),
            ok_rate,
            pace: at,
            ok_share: ok_rate / at,
            mean_ns: p99_ns,
            p99_ns,
        };
        let readings = vec![reading(10.0, 10.0, 2_000_000), reading(20.0, 0.0, 0), reading(40.0, 30.0, 5_000_000)];
        let charts = charts(&[Curve { name: "one".to_owned(), axis: Axis::Rate, readings }]);
        let points: Vec<usize> = charts.iter().map(|chart| chart.matches("<circle").count() - 1).collect();
        assert_eq!(points, [3, 2], "and one in each legend");
        assert!(charts[1].contains(">2 ms<") && charts[1].contains(">5 ms<"), "{}", charts[1]);
    }
}
