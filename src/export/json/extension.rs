//! The key `grpcbench`: all that ghz's document has no place for. Times are nanoseconds, rates are per second; the unit
//! is in the name.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::asked::{Limits, LoadModel};
use super::client::{Machine, Workers};
use super::distribution::{Full, Spread};
use super::http2::Http2;
use super::series::Series;
use super::streams::Streams;
use crate::export::timestamp;
use crate::report::{
    self, ConnectTimes, Connected, EndReason, Latencies, Number, PhaseTimes, Report, StatusTimes, Warning, status_name,
};

/// The number of the schema: raised when a key changes its meaning or goes away, not when one is added.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub(super) struct Extension<'a> {
    schema: u32,
    version: &'static str,
    started_at: String,
    /// From the start of the clock until calls counted.
    measured_from_ns: u64,
    elapsed_ns: u64,
    ended_by: &'static str,
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
    verdict: Verdict,
}

/// What came before calls counted.
#[derive(Serialize)]
struct Warmup<'a> {
    elapsed_ns: u64,
    sent: u64,
    ok: u64,
    failed: u64,
    abandoned: u64,
    unsent: u64,
    service: Full<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Full<'a>>,
}

impl<'a> Warmup<'a> {
    fn new(warmup: &'a report::Warmup) -> Warmup<'a> {
        let calls = &warmup.calls;
        let ok = calls.statuses.count(0);
        Warmup {
            elapsed_ns: warmup.elapsed.as_nanos(),
            sent: calls.sent(),
            ok,
            failed: calls.done() - ok,
            abandoned: calls.abandoned,
            unsent: calls.unsent,
            service: Full(&calls.ok.service),
            response: calls.ok.response.as_ref().map(Full),
        }
    }
}

/// Times of calls that ended with one status.
#[derive(Serialize)]
struct OfStatus<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    name: Cow<'static, str>,
    #[serde(flatten)]
    times: Pair<'a>,
}

impl<'a> OfStatus<'a> {
    fn new(row: &'a StatusTimes) -> OfStatus<'a> {
        let name = row.status.map_or(Cow::Borrowed("Code(others)"), status_name);
        OfStatus { code: row.status, name, times: Pair::new(&row.times) }
    }
}

#[derive(Serialize)]
struct Security {
    plaintext: bool,
    found_out: bool,
}

#[derive(Serialize)]
struct Counts {
    arrivals: u64,
    sent: u64,
    unsent: u64,
    done: u64,
    ok: u64,
    failed: u64,
    abandoned: u64,
    ignored: u64,
    censored: u64,
    limited: u64,
    retried: u64,
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
struct Times<'a> {
    ok: Pair<'a>,
    failed: Pair<'a>,
    failed_by_status: Vec<OfStatus<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag: Option<Full<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_lag: Option<Full<'a>>,
    /// Of the OK calls.
    phases: Phases<'a>,
    connect: Full<'a>,
    connect_steps: ConnectSteps<'a>,
}

/// What service times are made of.
#[derive(Serialize)]
struct Phases<'a> {
    stream: Full<'a>,
    request: Full<'a>,
    head: Full<'a>,
    message: Full<'a>,
    trailers: Full<'a>,
}

impl<'a> Phases<'a> {
    fn new(phases: &'a PhaseTimes) -> Phases<'a> {
        let PhaseTimes { stream, request, head, message, trailers } = phases;
        Phases {
            stream: Full(stream),
            request: Full(request),
            head: Full(head),
            message: Full(message),
            trailers: Full(trailers),
        }
    }
}

/// What connect times are made of.
#[derive(Serialize)]
struct ConnectSteps<'a> {
    dns: Full<'a>,
    tcp: Full<'a>,
    tls: Full<'a>,
    http2: Full<'a>,
}

impl<'a> ConnectSteps<'a> {
    fn new(connect: &'a ConnectTimes) -> ConnectSteps<'a> {
        let ConnectTimes { dns, tcp, tls, http2, total: _ } = connect;
        ConnectSteps { dns: Full(dns), tcp: Full(tcp), tls: Full(tls), http2: Full(http2) }
    }
}

#[derive(Serialize)]
struct Pair<'a> {
    service: Full<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Full<'a>>,
}

impl<'a> Pair<'a> {
    fn new(times: &'a Latencies) -> Pair<'a> {
        Pair { service: Full(&times.service), response: times.response.as_ref().map(Full) }
    }
}

#[derive(Serialize)]
struct Status<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    name: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    said: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct Unsent<'a> {
    reason: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct Traffic {
    messages_sent: u64,
    messages_received: u64,
    message_bytes_sent: u64,
    message_bytes_received: u64,
    message_bytes_unpacked: u64,
    wire_bytes_sent: u64,
    wire_bytes_received: u64,
}

#[derive(Serialize)]
struct Connections<'a> {
    lost: u64,
    reconnected: u64,
    connected: Vec<Connect<'a>>,
}

#[derive(Serialize)]
struct Connect<'a> {
    address: &'a str,
    dns_ns: u64,
    tcp_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_ns: Option<u64>,
    http2_ns: u64,
    total_ns: u64,
    worker: u32,
    calls: u64,
    failed: u64,
    p50_ns: u64,
    p99_ns: u64,
}

impl<'a> Connect<'a> {
    fn new(connected: &'a Connected) -> Connect<'a> {
        Connect {
            address: &connected.address,
            dns_ns: connected.dns_ns,
            tcp_ns: connected.tcp_ns,
            tls_ns: connected.tls_ns,
            http2_ns: connected.http2_ns,
            total_ns: connected.total_ns(),
            worker: connected.worker,
            calls: connected.calls.done,
            failed: connected.calls.failed,
            p50_ns: connected.calls.p50_ns,
            p99_ns: connected.calls.p99_ns,
        }
    }
}

#[derive(Serialize)]
struct SingleCalls {
    listed: usize,
    cap: usize,
    left_out: u64,
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
    pub(super) fn new(report: &'a Report) -> Extension<'a> {
        let about = &report.setup.about;
        Extension {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            started_at: timestamp::nanos(report.started_at, about.utc_offset_s),
            measured_from_ns: report.measured_from.as_nanos(),
            elapsed_ns: report.elapsed.as_nanos(),
            ended_by: match report.end_reason {
                EndReason::Count => "count",
                EndReason::Duration => "duration",
                EndReason::Failures => "failures",
                EndReason::Interrupt => "interrupt",
            },
            load: LoadModel::new(report),
            limits: Limits::new(report),
            security: Security { plaintext: about.plaintext, found_out: about.security_found_out },
            counts: counts(report),
            rates: Rates { offered: report.offered_rate, sent: report.send_rate, done: report.throughput },
            headline: Headline {
                time: if report.times.response.is_some() { "response" } else { "service" },
                calls: if about.count_errors { "done" } else { "ok" },
                times: Spread::new(report.times.headline()),
            },
            times: Times {
                ok: Pair::new(&report.ok),
                failed: Pair::new(&report.failed),
                failed_by_status: report.failed_by_status.iter().map(OfStatus::new).collect(),
                lag: report.lag.as_ref().map(Full),
                own_lag: report.own_lag.as_ref().map(Full),
                phases: Phases::new(&report.phases),
                connect: Full(&report.connect.total),
                connect_steps: ConnectSteps::new(&report.connect),
            },
            statuses: statuses(report),
            errors: errors(report),
            unsent: unsent(report),
            warmup: report.warmup.as_ref().map(Warmup::new),
            series: Series::new(report),
            traffic: traffic(report),
            streams: report.streams.as_ref().map(|streams| Streams::new(report, streams)),
            connections: connections(report),
            http2: Http2::new(report),
            workers: Workers::new(report),
            machine: Machine::new(&report.machine),
            details: SingleCalls {
                listed: report.details.rows().len(),
                cap: report.details.cap(),
                left_out: report.details.left_out(),
            },
            verdict: Verdict {
                value: report.verdict.to_string(),
                reasons: report.reasons().map(|warning| Finding::new(report, warning)).collect(),
                notes: report.notes().map(|warning| Finding::new(report, warning)).collect(),
            },
        }
    }
}

fn counts(report: &Report) -> Counts {
    let counts = &report.counts;
    Counts {
        arrivals: counts.arrivals,
        sent: counts.sent,
        unsent: counts.unsent,
        done: counts.done,
        ok: counts.ok,
        failed: counts.failed,
        abandoned: counts.abandoned,
        ignored: counts.ignored,
        censored: counts.censored,
        limited: counts.limited,
        retried: counts.retried,
    }
}

fn statuses(report: &Report) -> Vec<Status<'_>> {
    report.statuses.iter().map(|row| Status { code: row.code, name: &row.name, count: row.count }).collect()
}

fn unsent(report: &Report) -> Vec<Unsent<'_>> {
    report.unsent_reasons.iter().map(|row| Unsent { reason: &row.reason, count: row.count }).collect()
}

fn errors(report: &Report) -> Vec<Failure<'_>> {
    report.errors.iter().map(|row| Failure { code: row.code, said: &row.said, count: row.count }).collect()
}

fn traffic(report: &Report) -> Traffic {
    let (traffic, connections) = (&report.traffic, &report.connections);
    Traffic {
        messages_sent: traffic.messages_sent,
        messages_received: traffic.messages_received,
        message_bytes_sent: traffic.message_bytes_sent,
        message_bytes_received: traffic.message_bytes_received,
        message_bytes_unpacked: traffic.message_bytes_unpacked,
        wire_bytes_sent: connections.wire_bytes_sent,
        wire_bytes_received: connections.wire_bytes_received,
    }
}

fn connections(report: &Report) -> Connections<'_> {
    Connections {
        lost: report.connections.lost,
        reconnected: report.connections.reconnected,
        connected: report.connections.connected.iter().map(Connect::new).collect(),
    }
}
