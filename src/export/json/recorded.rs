//! What was recorded of a set of calls, in JSON: those that count, or those of the warm-up.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::broken::{Broken, bounded};
use super::distribution::{Full, Pair};
use super::quantity::{Bytes, Count};
use super::streams::Streams;
use crate::report::{
    self, ConnectTimes, ErrorCount, PhaseTimes, Recorder, StatusCount, StatusTimes, UnsentCount, status_name,
};
use crate::units::Offset;

/// Rows of the bounded tables of a recording, and one for the rest.
const STATUSES_MAX: usize = 17 + 32 + 1;
const TEXTS_MAX: usize = 64 + 1;
/// Failed calls have times by the statuses that gRPC names, and one more.
const FAILED_MAX: usize = 17;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    arrivals: Count,
    sent: Count,
    unsent: Count,
    done: Count,
    ok: Count,
    failed: Count,
    abandoned: Count,
    ignored: Count,
    censored: Count,
    limited: Count,
    retried: Count,
}

impl Counts {
    pub(super) fn new(counts: &report::Counts) -> Counts {
        let report::Counts { arrivals, sent, unsent, done, ok, failed, abandoned, ignored, censored, limited, retried } =
            *counts;
        Counts {
            arrivals: Count(arrivals),
            sent: Count(sent),
            unsent: Count(unsent),
            done: Count(done),
            ok: Count(ok),
            failed: Count(failed),
            abandoned: Count(abandoned),
            ignored: Count(ignored),
            censored: Count(censored),
            limited: Count(limited),
            retried: Count(retried),
        }
    }

    pub(super) fn retried(self) -> u64 {
        self.retried.0
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Times<'a> {
    #[serde(borrow)]
    ok: Pair<'a>,
    /// The next ones together.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    failed: Option<Pair<'a>>,
    #[serde(borrow)]
    failed_by_status: Vec<OfStatus<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    lag: Option<Full<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    own_lag: Option<Full<'a>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    connect: Option<Full<'a>>,
    /// When the last call left, and when the last one that left was due, from the start of the clock.
    last_sent_ns: u64,
    last_due_ns: u64,
    /// How long calls that were cut off had been under way, together.
    #[serde(default, skip_serializing_if = "is_none")]
    cut_off_ns: u64,
    /// Of the OK calls.
    #[serde(borrow)]
    phases: Phases<'a>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    connect_steps: Option<ConnectSteps<'a>>,
}

/// What service times are made of.
#[derive(Serialize, Deserialize)]
struct Phases<'a> {
    #[serde(borrow)]
    stream: Full<'a>,
    #[serde(borrow)]
    request: Full<'a>,
    #[serde(borrow)]
    head: Full<'a>,
    #[serde(borrow)]
    message: Full<'a>,
    #[serde(borrow)]
    trailers: Full<'a>,
}

impl Phases<'_> {
    fn new(phases: &PhaseTimes) -> Phases<'static> {
        let PhaseTimes { stream, request, head, message, trailers } = phases;
        Phases {
            stream: Full::new(stream),
            request: Full::new(request),
            head: Full::new(head),
            message: Full::new(message),
            trailers: Full::new(trailers),
        }
    }

    fn read(&self) -> Result<PhaseTimes, Broken> {
        Ok(PhaseTimes {
            stream: self.stream.read("times.phases.stream")?,
            request: self.request.read("times.phases.request")?,
            head: self.head.read("times.phases.head")?,
            message: self.message.read("times.phases.message")?,
            trailers: self.trailers.read("times.phases.trailers")?,
        })
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

impl ConnectSteps<'_> {
    fn new(connect: &ConnectTimes) -> ConnectSteps<'static> {
        let ConnectTimes { dns, tcp, tls, http2, total: _ } = connect;
        ConnectSteps { dns: Full::new(dns), tcp: Full::new(tcp), tls: Full::new(tls), http2: Full::new(http2) }
    }
}

/// Whether there is no such time.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(ns: &u64) -> bool {
    *ns == 0
}

/// What [`Times`] are made from, which reports and recorders have alike.
#[derive(Clone, Copy)]
pub(super) struct Measured<'r> {
    pub(super) ok: &'r report::Latencies,
    pub(super) failed: &'r [StatusTimes],
    pub(super) lag: Option<&'r report::Distribution>,
    pub(super) own_lag: Option<&'r report::Distribution>,
    pub(super) last_sent: Offset,
    pub(super) last_due: Offset,
    pub(super) cut_off_ns: u64,
    pub(super) phases: &'r PhaseTimes,
}

impl Times<'_> {
    pub(super) fn new(measured: Measured<'_>) -> Times<'static> {
        let Measured { ok, failed, lag, own_lag, last_sent, last_due, cut_off_ns, phases } = measured;
        Times {
            ok: Pair::new(ok),
            failed: None,
            failed_by_status: failed.iter().map(OfStatus::new).collect(),
            lag: lag.map(Full::new),
            own_lag: own_lag.map(Full::new),
            connect: None,
            last_sent_ns: last_sent.as_nanos(),
            last_due_ns: last_due.as_nanos(),
            cut_off_ns,
            phases: Phases::new(phases),
            connect_steps: None,
        }
    }

    /// With the times of all failed calls, and those of the first connects.
    pub(super) fn and(self, failed: &report::Latencies, connect: &ConnectTimes) -> Self {
        Times {
            failed: Some(Pair::new(failed)),
            connect: Some(Full::new(&connect.total)),
            connect_steps: Some(ConnectSteps::new(connect)),
            ..self
        }
    }
}

/// Times of calls that ended with one status.
#[derive(Serialize, Deserialize)]
struct OfStatus<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    service: Full<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    response: Option<Full<'a>>,
}

impl OfStatus<'_> {
    fn new(row: &StatusTimes) -> OfStatus<'static> {
        let StatusTimes { status, times: report::Latencies { service, response } } = row;
        OfStatus {
            code: *status,
            name: status.map_or(Cow::Borrowed("Code(others)"), status_name),
            service: Full::new(service),
            response: response.as_ref().map(Full::new),
        }
    }

    fn read(&self, place: &str) -> Result<StatusTimes, Broken> {
        let times = report::Latencies {
            service: self.service.read(&format!("{place}.service"))?,
            response: self.response.as_ref().map(|times| times.read(&format!("{place}.response"))).transpose()?,
        };
        Ok(StatusTimes { status: self.code, times })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Status<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    count: Count,
}

impl<'a> Status<'a> {
    pub(super) fn new(row: StatusCount) -> Status<'a> {
        let StatusCount { code, name, count } = row;
        Status { code, name, count: Count(count) }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Failure<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    #[serde(borrow)]
    said: Cow<'a, str>,
    count: Count,
}

impl<'a> Failure<'a> {
    pub(super) fn new(row: ErrorCount) -> Failure<'a> {
        let ErrorCount { code, said, count } = row;
        Failure { code, said: said.into(), count: Count(count) }
    }
}

/// The row of the rest comes last, and finds the table full again when it is read.
#[derive(Serialize, Deserialize)]
pub(super) struct Unsent<'a> {
    #[serde(borrow)]
    reason: Cow<'a, str>,
    count: Count,
}

impl<'a> Unsent<'a> {
    pub(super) fn new(row: UnsentCount) -> Unsent<'a> {
        let UnsentCount { reason, count } = row;
        Unsent { reason: reason.into(), count: Count(count) }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Traffic {
    messages_sent: Count,
    messages_received: Count,
    message_bytes_sent: Bytes,
    message_bytes_received: Bytes,
    message_bytes_unpacked: Bytes,
    #[serde(default)]
    pub(super) wire_bytes_sent: Bytes,
    #[serde(default)]
    pub(super) wire_bytes_received: Bytes,
}

impl Traffic {
    pub(super) fn new(traffic: &report::Traffic) -> Traffic {
        let report::Traffic {
            messages_sent,
            messages_received,
            message_bytes_sent,
            message_bytes_received,
            message_bytes_unpacked,
        } = *traffic;
        Traffic {
            messages_sent: Count(messages_sent),
            messages_received: Count(messages_received),
            message_bytes_sent: Bytes(message_bytes_sent),
            message_bytes_received: Bytes(message_bytes_received),
            message_bytes_unpacked: Bytes(message_bytes_unpacked),
            wire_bytes_sent: Bytes(0),
            wire_bytes_received: Bytes(0),
        }
    }

    /// With the bytes that `connections` carried.
    pub(super) fn on_the_wire(self, connections: &report::Connections) -> Traffic {
        Traffic {
            wire_bytes_sent: Bytes(connections.wire_bytes_sent),
            wire_bytes_received: Bytes(connections.wire_bytes_received),
            ..self
        }
    }

    fn read(self) -> report::Traffic {
        report::Traffic {
            messages_sent: self.messages_sent.0,
            messages_received: self.messages_received.0,
            message_bytes_sent: self.message_bytes_sent.0,
            message_bytes_received: self.message_bytes_received.0,
            message_bytes_unpacked: self.message_bytes_unpacked.0,
        }
    }
}

/// All that a document says of a set of calls, but for the single ones.
#[derive(Serialize, Deserialize)]
pub(super) struct Calls<'a> {
    pub(super) counts: Counts,
    #[serde(borrow)]
    pub(super) times: Times<'a>,
    #[serde(borrow)]
    pub(super) statuses: Vec<Status<'a>>,
    #[serde(borrow)]
    pub(super) errors: Vec<Failure<'a>>,
    #[serde(borrow)]
    pub(super) unsent: Vec<Unsent<'a>>,
    pub(super) traffic: Traffic,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) streams: Option<Streams<'a>>,
}

impl Calls<'_> {
    /// What `recorder` took in.
    pub(super) fn new(recorder: &Recorder) -> Calls<'static> {
        let Recorder {
            unsent: _,
            unsent_reasons,
            abandoned: _,
            limited: _,
            last_sent,
            last_due,
            statuses,
            failures,
            ok,
            phases,
            failed,
            ignored: _,
            cut_off_ns,
            lag,
            own_lag,
            traffic,
            streams,
            // Only the calls that count are listed.
            details: _,
        } = recorder;
        let phases = phases.times();
        let measured = Measured {
            ok,
            failed,
            lag: lag.as_ref(),
            own_lag: own_lag.as_ref(),
            last_sent: *last_sent,
            last_due: *last_due,
            cut_off_ns: *cut_off_ns,
            phases: &phases,
        };
        Calls {
            counts: Counts::new(&report::Counts::of(recorder, 0)),
            times: Times::new(measured),
            statuses: StatusCount::rows(statuses).into_iter().map(Status::new).collect(),
            errors: ErrorCount::rows(failures).into_iter().map(Failure::new).collect(),
            unsent: UnsentCount::rows(unsent_reasons).into_iter().map(Unsent::new).collect(),
            traffic: Traffic::new(traffic),
            streams: streams.as_ref().map(Streams::new),
        }
    }

    /// The recorder that took it in, without single calls.
    pub(super) fn read(&self) -> Result<Recorder, Broken> {
        let Calls { counts, times, statuses, errors, unsent, traffic, streams } = self;
        let statuses = bounded("statuses", statuses, STATUSES_MAX)?;
        let errors = bounded("errors", errors, TEXTS_MAX)?;
        let unsent = bounded("unsent", unsent, TEXTS_MAX)?;
        let recorder = Recorder {
            unsent: counts.unsent.0,
            unsent_reasons: unsent.iter().map(|row| (&*row.reason, row.count.0)).collect(),
            abandoned: counts.abandoned.0,
            limited: counts.limited.0,
            last_sent: Offset::from_nanos(times.last_sent_ns),
            last_due: Offset::from_nanos(times.last_due_ns),
            statuses: statuses.iter().map(|row| (row.code, row.count.0)).collect(),
            failures: errors.iter().map(|row| (row.code.map(|code| (code, &*row.said)), row.count.0)).collect(),
            ok: times.ok.read("times.ok")?,
            phases: times.phases.read()?.into(),
            failed: failed(&times.failed_by_status)?,
            ignored: counts.ignored.0,
            cut_off_ns: times.cut_off_ns,
            lag: times.lag.as_ref().map(|lag| lag.read("times.lag")).transpose()?,
            own_lag: times.own_lag.as_ref().map(|lag| lag.read("times.own_lag")).transpose()?,
            traffic: traffic.read(),
            streams: streams.as_ref().map(Streams::read).transpose().map_err(|broken| broken.within("streams"))?,
            details: report::Details::default(),
        };
        if let Some(contradiction) = recorder.contradiction() {
            return Err(Broken::new("counts", format!("numbers contradict each other: {contradiction}")));
        }
        if Counts::new(&report::Counts::of(&recorder, counts.retried())) != *counts {
            return Err(Broken::new("counts", "they are not those of the calls below"));
        }
        Ok(recorder)
    }
}

/// Rows in the order of their statuses, the others last: by that a recorder finds them.
fn failed(rows: &[OfStatus<'_>]) -> Result<Vec<StatusTimes>, Broken> {
    const PLACE: &str = "times.failed_by_status";
    let codes: Vec<u32> = bounded(PLACE, rows, FAILED_MAX)?.iter().map(|row| row.code.unwrap_or(u32::MAX)).collect();
    let named = |code: &u32| (1..17).contains(code) || *code == u32::MAX;
    if !codes.iter().all(named) || !codes.is_sorted_by(|one, other| one < other) {
        return Err(Broken::new(PLACE, "it has a row for each status from 1 to 16 that occurred, in their order"));
    }
    rows.iter().enumerate().map(|(at, row)| row.read(&format!("{PLACE}[{at}]"))).collect()
}
