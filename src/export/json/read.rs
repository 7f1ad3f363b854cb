//! Reading a document back: the recording of a run and the setup that made it, from which the same report is made again,
//! and with it any other format.
//!
//! A document may come from anywhere. Reading it takes memory in proportion to its length, and ends in a recording of
//! which every report can be made, or in a [`ReadError`].

use std::time::SystemTime;
use std::{error, fmt};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::broken::Broken;
use super::client::{Machine, Workers};
use super::connections::{self, Connections};
use super::details::SingleCalls;
use super::extension::{EndedBy, SCHEMA, Warmup};
use super::http2::Http2;
use super::limits::Limits;
use super::load::LoadModel;
use super::plan::{self, Plan, Security};
use super::recorded::{Calls, Counts, Failure, Status, Times, Traffic, Unsent};
use super::series::Series;
use super::streams::Streams;
use crate::export::timestamp;
use crate::report::{self, ErrorCount, Recording, Run, Setup};
use crate::units::Offset;

/// Why a text is no stored run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// It is no JSON.
    NoJson {
        /// What the parser says, with line and column.
        what: String,
    },
    /// It is JSON, and another program's.
    Foreign {
        /// ghz's report: without histograms it cannot be made into one of ours.
        ghz: bool,
    },
    /// A later version of this program wrote it.
    Newer {
        /// The number of its schema.
        schema: u64,
        /// The highest number that is known.
        known: u32,
    },
    /// A part of it is not what it should be.
    Broken {
        /// The keys that lead there, joined with dots.
        place: String,
        /// What is wrong there.
        what: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NoJson { what } => write!(f, "it is no JSON: {what}"),
            ReadError::Foreign { ghz: true } => f.write_str("it is a report of ghz, without the key `grpcbench`"),
            ReadError::Foreign { ghz: false } => f.write_str("it is no report: the key `grpcbench` is missing"),
            ReadError::Newer { schema, known } => {
                write!(f, "it has schema {schema}, and this version knows them up to {known}")
            }
            ReadError::Broken { place, what } => write!(f, "`{place}` is not as it was written: {what}"),
        }
    }
}

impl error::Error for ReadError {}

impl From<Broken> for ReadError {
    fn from(broken: Broken) -> ReadError {
        let Broken { place, what } = broken;
        ReadError::Broken { place, what }
    }
}

/// The parts of a document that tell whether it is one.
#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    grpcbench: Option<&'a RawValue>,
    #[serde(borrow)]
    options: Option<&'a RawValue>,
    #[serde(borrow)]
    details: Option<&'a RawValue>,
    #[serde(rename = "latencyDistribution", borrow)]
    latency_distribution: Option<&'a RawValue>,
}

/// ghz's options, as far as they are not said again.
#[derive(Deserialize)]
struct Options<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// The schema of our key, before anything else in it is looked at.
#[derive(Deserialize)]
struct Version {
    schema: u64,
}

/// Our key, as far as it is not made again from the rest.
#[derive(Deserialize)]
struct Extension<'a> {
    #[serde(borrow)]
    started_at: std::borrow::Cow<'a, str>,
    measured_from_ns: u64,
    elapsed_ns: u64,
    ended_by: EndedBy,
    #[serde(borrow)]
    plan: Plan<'a>,
    load: LoadModel,
    limits: Limits,
    security: Security,
    counts: Counts,
    #[serde(borrow)]
    times: Times<'a>,
    #[serde(borrow)]
    statuses: Vec<Status<'a>>,
    #[serde(borrow)]
    errors: Vec<Failure<'a>>,
    #[serde(borrow)]
    unsent: Vec<Unsent<'a>>,
    #[serde(borrow)]
    warmup: Option<Warmup<'a>>,
    series: Series,
    traffic: Traffic,
    #[serde(borrow)]
    streams: Option<Streams<'a>>,
    #[serde(borrow)]
    connections: Connections<'a>,
    #[serde(borrow)]
    http2: Http2<'a>,
    workers: Workers,
    #[serde(borrow)]
    machine: Machine<'a>,
    details: SingleCalls,
}

/// The run that `document` is the JSON report of.
pub fn read(document: &[u8]) -> Result<Run, ReadError> {
    // Editors of some systems begin a text with a mark.
    let document = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
    let outline = outline(document)?;
    let ours = outline
        .grpcbench
        .ok_or(ReadError::Foreign { ghz: outline.latency_distribution.is_some() && outline.details.is_some() })?;
    let Version { schema } = part("grpcbench", ours)?;
    if schema > u64::from(SCHEMA) {
        return Err(ReadError::Newer { schema, known: SCHEMA });
    }
    let data = match outline.options {
        Some(options) => part::<Options<'_>>("options", options)?.data,
        None => None,
    };
    let extension: Extension<'_> = part("grpcbench", ours)?;
    let within = |broken: Broken| ReadError::from(broken.within("grpcbench"));
    let parts = extension.read(data.map(RawValue::get)).map_err(within)?;
    parts.with_details(outline.details)
}

fn outline(document: &[u8]) -> Result<Outline<'_>, ReadError> {
    let no_json = |what: String| ReadError::NoJson { what };
    // One check of the whole text, instead of one of every string in it.
    let text = std::str::from_utf8(document).map_err(|error| no_json(error.to_string()))?;
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => ReadError::Foreign { ghz: false },
        _ => no_json(error.to_string()),
    })
}

/// The part of a document at `place`.
fn part<'de, T: Deserialize<'de>>(place: &str, json: &'de RawValue) -> Result<T, ReadError> {
    let mut json = serde_json::Deserializer::from_str(json.get());
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let inner = error.path().to_string();
        let place = if inner == "." { place.to_owned() } else { format!("{place}.{inner}") };
        ReadError::Broken { place, what: reason(error.inner()) }
    })
}

/// The error without its line and column, which count from the beginning of a part and not of the document.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text).to_owned()
}

/// A run, but for the calls that are listed one by one.
struct Parts {
    setup: Setup,
    recording: Recording,
    details: SingleCalls,
}

impl Extension<'_> {
    fn read(self, data: Option<&str>) -> Result<Parts, Broken> {
        let started_at: SystemTime =
            timestamp::read(&self.started_at).ok_or_else(|| Broken::new("started_at", "it is no time in RFC 3339"))?;
        let elsewhere = plan::Elsewhere {
            load: &self.load,
            limits: &self.limits,
            security: self.security,
            windows: self.http2.windows().map_err(|broken| broken.within("http2"))?,
            data,
        };
        let setup = self.plan.read(&elsewhere)?;
        let elsewhere = connections::Elsewhere {
            retried: self.counts.retried(),
            wire_bytes_sent: self.traffic.wire_bytes_sent.0,
            wire_bytes_received: self.traffic.wire_bytes_received.0,
            http2: self.http2.read().map_err(|broken| broken.within("http2"))?,
        };
        let calls = Calls {
            counts: self.counts,
            times: self.times,
            statuses: self.statuses,
            errors: self.errors,
            unsent: self.unsent,
            traffic: self.traffic,
            streams: self.streams,
        };
        let recording = Recording {
            calls: calls.read()?,
            warmup: self.warmup.as_ref().map(Warmup::read).transpose()?,
            rows: self.series.read()?,
            interval_ns: self.series.interval_ns,
            rows_left_out: self.series.left_out,
            connections: self.connections.read(elsewhere)?,
            workers: self.workers.read()?,
            machine: self.machine.read(),
            end_reason: self.ended_by.read(),
            elapsed: Offset::from_nanos(self.elapsed_ns),
            started_at,
            measured_from: Offset::from_nanos(self.measured_from_ns),
            workers_lost: self.workers.lost,
        };
        if recording.calls.lag.is_some() != setup.is_open() {
            return Err(Broken::new("times", "they are of another loop than `load`"));
        }
        if let Some(contradiction) = recording.contradiction() {
            return Err(Broken::new("series", contradiction));
        }
        Ok(Parts { setup, recording, details: self.details })
    }
}

impl Parts {
    fn with_details(self, list: Option<&RawValue>) -> Result<Run, ReadError> {
        let Parts { setup, mut recording, details } = self;
        let errors = ErrorCount::rows(&recording.calls.failures);
        recording.calls.details = details.read(list, recording.started_at, &errors)?;
        Ok(Run { setup, recording })
    }
}

impl Warmup<'_> {
    fn read(&self) -> Result<report::Warmup, Broken> {
        let calls = self.calls.read().map_err(|broken| broken.within("warmup.calls"))?;
        Ok(report::Warmup { calls, elapsed: Offset::from_nanos(self.elapsed_ns) })
    }
}
