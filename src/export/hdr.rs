//! Distributions as the tools of `HdrHistogram` read them: the table of percentiles that its plotters draw, and the log
//! of histograms that its processors read. Times are milliseconds in both.

use std::fmt::Write as _;
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::timestamp;
use crate::report::{Distribution, Report};

/// How many rows there are between 0 and 50 %, between 50 and 75 %, and so on: as the tools have it.
const TICKS_PER_HALF_DISTANCE: u32 = 5;

/// The percentiles of the headline, finer towards the slowest.
pub(super) fn table(report: &Report) -> String {
    let times = report.times.headline();
    let mut text = format!("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    let mut below = 0;
    let shown = (!times.is_empty()).then(|| times.buckets().iter_quantiles(TICKS_PER_HALF_DISTANCE));
    for step in shown.into_iter().flatten() {
        below += step.count_since_last_iteration();
        let quantile = step.quantile_iterated_to();
        // A bucket answers with its upper end, which may lie beyond the largest value that was seen.
        let value = step.value_iterated_to().clamp(times.min(), times.max());
        let _ = write!(text, "{:12.6} {quantile:14.12} {below:10}", milliseconds(value));
        // Of the last row, with 100 %, there is none.
        if quantile < 1.0 {
            let _ = write!(text, " {:14.2}", 1.0 / (1.0 - quantile));
        }
        text.push('\n');
    }
    let mean = if times.is_empty() { 0.0 } else { times.sum() as f64 / times.count() as f64 / 1e6 };
    let deviation = times.buckets().stdev() / 1e6;
    let _ = writeln!(text, "#[Mean    = {mean:12.6}, StdDeviation   = {deviation:12.6}]");
    let _ = writeln!(text, "#[Max     = {:12.6}, Total count    = {:12}]", milliseconds(times.max()), times.count());
    // As the tools count them: for times up to an hour at three digits.
    let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {:12}]", 32, 2_048);
    text
}

/// All distributions of the run, each over its whole time: the headline without a tag, the others by their names.
pub(super) fn log(report: &Report) -> String {
    let utc_offset_s = report.setup.about.utc_offset_s;
    let started_at = report.started_at + report.measured_from.as_duration();
    let since = started_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut text = String::new();
    let _ = writeln!(text, "#[Logged by grpcbench {}]", env!("CARGO_PKG_VERSION"));
    text.push_str("#[Histogram log format version 1.3]\n");
    let (secs, millis) = (since.as_secs(), since.subsec_millis());
    let when = timestamp::seconds(started_at, utc_offset_s);
    let _ = writeln!(text, "#[StartTime: {secs}.{millis:03} (seconds since epoch), {when}]");
    text.push_str("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    let seconds = report.elapsed.as_duration().as_secs_f64();
    for (tag, times) in distributions(report) {
        if !tag.is_empty() {
            let _ = write!(text, "Tag={tag},");
        }
        let packed = BASE64_STANDARD.encode(times.to_hdr_v2());
        let _ = writeln!(text, "0.000,{seconds:.3},{:.3},{packed}", milliseconds(times.max()));
    }
    text
}

/// Tags are names without spaces and commas.
fn distributions(report: &Report) -> Vec<(String, &Distribution)> {
    let mut all = vec![(String::new(), report.times.headline()), ("service".to_owned(), &report.times.service)];
    for (tag, times) in [("lag", &report.lag), ("own_lag", &report.own_lag)] {
        all.extend(times.as_ref().map(|times| (tag.to_owned(), times)));
    }
    for row in &report.failed_by_status {
        let code = row.status.map_or_else(|| "others".to_owned(), |code| code.to_string());
        all.push((format!("status_{code}"), row.times.headline()));
    }
    if let Some(streams) = &report.streams {
        let inside = [
            ("first_message", &streams.first_message),
            ("gap", &streams.gap),
            ("message_lag", &streams.message_lag),
            ("blocked", &streams.blocked),
        ];
        let matched = report.round_trip().map(|times| ("round_trip", times));
        all.extend(inside.into_iter().chain(matched).map(|(tag, times)| (tag.to_owned(), times)));
    }
    all.retain(|(tag, times)| tag.is_empty() || !times.is_empty());
    all
}

fn milliseconds(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}
