//! The key `grpcbench`: all that ghz's document has no place for. Times are nanoseconds, rates are per second; the unit
//! is in the name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use super::client::{Machine, Workers};
use super::connections::Connections;
use super::details::SingleCalls;
use super::distribution::Spread;
use super::expectations::Expected;
use super::http2::Http2;
use super::limits::Limits;
use super::load::LoadModel;
use super::plan::{Plan, Security};
use super::recorded::{Calls, Counts, Failure, Measured, Status, Times, Traffic, Unsent};
use super::series::Series;
use super::streams::Streams;
use crate::export::timestamp;
use crate::report::{self, EndReason, Number, Report, Warning};

/// The number of the schema: raised when a key changes its meaning or goes away, not when one is added.
pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub(super) struct Extension<'a> {
    schema: u32,
    version: &'static str,
    started_at: String,
    /// From the start of the clock until calls counted.
    measured_from_ns: u64,
    elapsed_ns: u64,
    ended_by: EndedBy,
    plan: Plan<'a>,
    load: LoadModel,
    limits: Limits,
    security: Security,
    counts: Counts,
    rates: Rates,
    /// Which times ghz's keys are about.
    headline: Headline,
    times: Times<'a>,
    statuses: Vec<Status<'a>>,
    errors: Vec<Failure<'a>>,
    unsent: Vec<Unsent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warmup: Option<Warmup<'a>>,
    series: Series,
    traffic: Traffic,
    #[serde(skip_serializing_if = "Option::is_none")]
    streams: Option<Streams<'a>>,
    connections: Connections<'a>,
    http2: Http2<'a>,
    workers: Workers,
    machine: Machine<'a>,
    details: SingleCalls,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<Expected>,
    verdict: Verdict,
}

/// Why the run ended.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EndedBy {
    Count,
    Duration,
    Failures,
    Interrupt,
}

impl EndedBy {
    fn new(reason: EndReason) -> EndedBy {
        match reason {
            EndReason::Count => EndedBy::Count,
            EndReason::Duration => EndedBy::Duration,
            EndReason::Failures => EndedBy::Failures,
            EndReason::Interrupt => EndedBy::Interrupt,
        }
    }

    pub(super) fn read(self) -> EndReason {
        match self {
            EndedBy::Count => EndReason::Count,
            EndedBy::Duration => EndReason::Duration,
            EndedBy::Failures => EndReason::Failures,
            EndedBy::Interrupt => EndReason::Interrupt,
        }
    }
}

/// What came before calls counted.
#[derive(Serialize, Deserialize)]
pub(super) struct Warmup<'a> {
    pub(super) elapsed_ns: u64,
    #[serde(borrow)]
    pub(super) calls: Calls<'a>,
}

impl Warmup<'_> {
    fn new(warmup: &report::Warmup) -> Warmup<'static> {
        let report::Warmup { calls, elapsed } = warmup;
        Warmup { elapsed_ns: elapsed.as_nanos(), calls: Calls::new(calls) }
    }
}

#[derive(Serialize)]
struct Rates {
    #[serde(skip_serializing_if = "Option::is_none")]
    offered: Option<f64>,
    sent: f64,
    done: f64,
}

#[derive(Serialize)]
struct Headline {
    time: &'static str,
    calls: &'static str,
    #[serde(flatten)]
    times: Spread,
}

#[derive(Serialize)]
struct Verdict {
    value: String,
    reasons: Vec<Finding>,
    notes: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    /// What it says of the run: a verdict, or `note`.
    means: Cow<'static, str>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    numbers: Numbers,
}

impl Finding {
    fn new(report: &Report, warning: &Warning) -> Finding {
        Finding {
            kind: warning.kind(),
            means: warning.bearing().map_or(Cow::Borrowed("note"), |verdict| Cow::Owned(verdict.to_string())),
            text: warning.text(),
            advice: warning.advice(&report.setup),
            numbers: Numbers(warning.numbers()),
        }
    }
}

struct Numbers(Vec<(&'static str, Number)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, number)| {
            let number = match *number {
                Number::Whole(whole) => serde_json::Number::from(whole),
                // None of them can be other than finite, and 0 would be the harmless answer if one were.
                Number::Real(real) => serde_json::Number::from_f64(real).unwrap_or_else(|| 0.into()),
            };
            (name, number)
        }))
    }
}

impl<'a> Extension<'a> {
    /// `data` is what ghz's `options` have of the data.
    pub(super) fn new(report: &'a Report, data: Option<&str>) -> Extension<'a> {
        // Whatever a report holds has a place in the document, or follows from what has.
        let Report {
            setup,
            started_at,
            measured_from,
            elapsed,
            warmup,
            rows: _,
            interval_ns: _,
            rows_left_out: _,
            end_reason,
            counts,
            offered_rate,
            send_rate,
            throughput,
            times,
            percentiles,
            histogram: _,
            ok,
            failed,
            failed_by_status,
            phases,
            lag,
            own_lag,
            last_sent,
            last_due,
            cut_off_ns,
            statuses,
            errors,
            unsent_reasons,
            traffic,
            streams,
            connections,
            connect,
            machine,
            workers: _,
            workers_lost: _,
            details,
            verdict: _,
            warnings: _,
            // Asked for, not measured: a reader says anew what is expected.
            expectations: _,
        } = report;
        let about = &setup.about;
        let measured = Measured {
            ok,
            failed: failed_by_status,
            lag: lag.as_ref(),
            own_lag: own_lag.as_ref(),
            last_sent: *last_sent,
            last_due: *last_due,
            cut_off_ns: *cut_off_ns,
            phases,
        };
        Extension {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            started_at: timestamp::nanos(*started_at, about.utc_offset_s),
            measured_from_ns: measured_from.as_nanos(),
            elapsed_ns: elapsed.as_nanos(),
            ended_by: EndedBy::new(*end_reason),
            plan: Plan::new(setup, data),
            load: LoadModel::new(setup),
            limits: Limits::new(setup),
            security: Security { plaintext: about.plaintext, found_out: about.security_found_out },
            counts: Counts::new(counts),
            rates: Rates { offered: *offered_rate, sent: *send_rate, done: *throughput },
            headline: Headline {
                time: if times.response.is_some() { "response" } else { "service" },
                calls: if about.count_errors { "done" } else { "ok" },
                times: Spread::with(times.headline(), percentiles.clone()),
            },
            times: Times::new(measured).and(failed, connect),
            statuses: statuses.iter().cloned().map(Status::new).collect(),
            errors: errors.iter().cloned().map(Failure::new).collect(),
            unsent: unsent_reasons.iter().cloned().map(Unsent::new).collect(),
            warmup: warmup.as_ref().map(Warmup::new),
            series: Series::new(report),
            traffic: Traffic::new(traffic).on_the_wire(connections),
            streams: streams.as_ref().map(|streams| Streams::new(streams).per_second(report)),
            connections: Connections::new(connections),
            http2: Http2::new(report),
            workers: Workers::new(report),
            machine: Machine::new(machine),
            details: SingleCalls::new(details),
            expectations: Expected::all(report),
            verdict: Verdict {
                value: report.verdict.to_string(),
                reasons: report.reasons().map(|warning| Finding::new(report, warning)).collect(),
                notes: report.notes().map(|warning| Finding::new(report, warning)).collect(),
            },
        }
    }
}
