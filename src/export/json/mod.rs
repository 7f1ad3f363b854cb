//! The report as JSON: the document that ghz writes, with all its keys, types and units, and one key more, `grpcbench`,
//! for all that ghz does not say. `docs/report.schema.json` is its schema.
//!
//! Lists that are empty are `[]`, never `null`, and every number is finite: readers need no special cases.

mod broken;
mod client;
mod connections;
mod details;
mod distribution;
mod expectations;
mod extension;
mod http2;
mod limits;
mod load;
mod options;
mod plan;
mod quantity;
mod read;
mod recorded;
mod series;
mod streams;

use std::collections::HashMap;
use std::io;

use serde::{Serialize, Serializer};

use self::details::Details;
use self::extension::Extension;
use self::options::Options;
use super::timestamp;
use crate::report::{Bar, EndReason, Percentile, Report};

pub use read::{ReadError, read};

/// How the document is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// In one line.
    OneLine,
    /// With indents of two spaces.
    Indented,
}

/// Writes the document and a newline.
pub(super) fn write(report: &Report, layout: Layout, out: &mut dyn io::Write) -> io::Result<()> {
    // Single calls are written one by one, in pieces of a few bytes: the buffer turns them into few writes.
    let mut out = io::BufWriter::new(out);
    let document = Document::new(report);
    match layout {
        Layout::OneLine => serde_json::to_writer(&mut out, &document)?,
        Layout::Indented => serde_json::to_writer_pretty(&mut out, &document)?,
    }
    io::Write::write_all(&mut out, b"\n")?;
    io::Write::flush(&mut out)
}

/// ghz's document, in ghz's order, and our key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    end_reason: &'static str,
    options: Options<'a>,
    count: u64,
    total: u64,
    average: u64,
    fastest: u64,
    slowest: u64,
    rps: f64,
    error_distribution: ErrorDistribution<'a>,
    status_code_distribution: StatusDistribution<'a>,
    latency_distribution: Vec<Latency>,
    histogram: Vec<Bucket>,
    details: Details<'a>,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    tags: Pairs<'a>,
    grpcbench: Extension<'a>,
}

impl<'a> Document<'a> {
    fn new(report: &'a Report) -> Document<'a> {
        let about = &report.setup.about;
        let times = report.times.headline();
        let options = Options::new(&report.setup);
        let grpcbench = Extension::new(report, options.data());
        Document {
            date: timestamp::seconds(report.ended_at(), about.utc_offset_s),
            name: about.name.as_deref().filter(|name| !name.is_empty()),
            end_reason: match report.end_reason {
                EndReason::Count => "normal",
                EndReason::Duration => "timeout",
                // ghz has no such end, and its readers take this for a text.
                EndReason::Failures => "failures",
                EndReason::Interrupt => "cancel",
            },
            options,
            count: report.counts.done,
            total: report.elapsed.as_nanos(),
            average: times.mean(),
            fastest: times.min(),
            slowest: times.max(),
            rps: report.throughput,
            error_distribution: ErrorDistribution(report),
            status_code_distribution: StatusDistribution(report),
            latency_distribution: report.percentiles.iter().filter_map(Latency::new).collect(),
            histogram: report.histogram.iter().map(Bucket::new).collect(),
            details: Details(report),
            tags: Pairs(&about.tags),
            grpcbench,
        }
    }
}

/// Failed calls by their full text.
struct ErrorDistribution<'a>(&'a Report);

impl Serialize for ErrorDistribution<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.errors.iter().map(|row| (row.text(), row.count)))
    }
}

/// Calls by the name of their status.
struct StatusDistribution<'a>(&'a Report);

impl Serialize for StatusDistribution<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.statuses.iter().map(|row| (&row.name, row.count)))
    }
}

/// A percentile in nanoseconds; ghz's readers expect whole percentages only.
#[derive(Serialize)]
struct Latency {
    percentage: u32,
    latency: u64,
}

impl Latency {
    fn new(percentile: &Percentile) -> Option<Latency> {
        percentile.whole().map(|percentage| Latency { percentage, latency: percentile.ns })
    }
}

/// A bar; the mark is in seconds.
#[derive(Serialize)]
struct Bucket {
    mark: f64,
    count: u64,
    frequency: f64,
}

impl Bucket {
    fn new(bar: &Bar) -> Bucket {
        Bucket { mark: bar.mark_ns / 1e9, count: bar.count, frequency: bar.share }
    }
}

/// Names with texts, as an object. A name that comes again adds its text behind a comma, as gRPC joins metadata: an
/// object with the same key twice is read differently by different readers.
pub(super) struct Pairs<'a>(pub(super) &'a [(String, String)]);

impl Pairs<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut places = HashMap::with_capacity(self.0.len());
        let mut names: Vec<(&str, Vec<&str>)> = Vec::with_capacity(self.0.len());
        for (name, value) in self.0 {
            let place = *places.entry(name).or_insert(names.len());
            if place == names.len() {
                names.push((name, Vec::new()));
            }
            names[place].1.push(value);
        }
        serializer.collect_map(names.iter().map(|(name, values)| (name, values.join(","))))
    }
}
