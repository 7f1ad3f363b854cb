//! What happened inside streaming calls, in JSON.

use serde::{Deserialize, Serialize};

use super::broken::Broken;
use super::distribution::Full;
use super::quantity::Count;
use crate::report::{Distribution, Report, StreamTimes};

#[derive(Serialize, Deserialize)]
pub(super) struct Streams<'a> {
    #[serde(borrow)]
    first_message: Full<'a>,
    #[serde(borrow)]
    gap: Full<'a>,
    /// Left out where replies don't match messages.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    round_trip: Option<Full<'a>>,
    /// What there is of it then: it takes it to merge this report with others, and is good for nothing else.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    round_trip_unmatched: Option<Full<'a>>,
    /// Left out where messages have no planned instants.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    message_lag: Option<Full<'a>>,
    /// Calls that had to wait for flow control, by how long.
    #[serde(borrow)]
    blocked: Full<'a>,
    #[serde(borrow)]
    messages_sent_per_call: PerCall<'a>,
    #[serde(borrow)]
    messages_received_per_call: PerCall<'a>,
    /// Left out of warm-ups.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    messages_sent_per_second: Option<f64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    messages_received_per_second: Option<f64>,
    ended_by_client: Count,
    unmatched: Count,
}

/// How many messages the calls had.
#[derive(Serialize, Deserialize)]
struct PerCall<'a> {
    min: u64,
    #[serde(skip_deserializing)]
    mean: f64,
    max: u64,
    /// All of them: counts in the place of times.
    #[serde(borrow)]
    calls: Full<'a>,
}

impl PerCall<'_> {
    fn new(counts: &Distribution) -> PerCall<'static> {
        let mean = if counts.is_empty() { 0.0 } else { counts.sum() as f64 / counts.count() as f64 };
        PerCall { min: counts.min(), mean, max: counts.max(), calls: Full::new(counts) }
    }
}

impl Streams<'_> {
    pub(super) fn new(streams: &StreamTimes) -> Streams<'static> {
        let StreamTimes {
            first_message,
            gap,
            round_trip,
            message_lag,
            blocked,
            messages_received,
            messages_sent,
            ended_by_client,
            unmatched,
        } = streams;
        let unless_empty = |times: &Distribution| (!times.is_empty()).then(|| Full::new(times));
        let (matched, unmatched_times) =
            if *unmatched == 0 { (unless_empty(round_trip), None) } else { (None, unless_empty(round_trip)) };
        Streams {
            first_message: Full::new(first_message),
            gap: Full::new(gap),
            round_trip: matched,
            round_trip_unmatched: unmatched_times,
            message_lag: unless_empty(message_lag),
            blocked: Full::new(blocked),
            messages_sent_per_call: PerCall::new(messages_sent),
            messages_received_per_call: PerCall::new(messages_received),
            messages_sent_per_second: None,
            messages_received_per_second: None,
            ended_by_client: Count(*ended_by_client),
            unmatched: Count(*unmatched),
        }
    }

    /// With the messages of a second of the run.
    pub(super) fn per_second(self, report: &Report) -> Self {
        Streams {
            messages_sent_per_second: Some(report.per_second(report.traffic.messages_sent)),
            messages_received_per_second: Some(report.per_second(report.traffic.messages_received)),
            ..self
        }
    }

    pub(super) fn read(&self) -> Result<StreamTimes, Broken> {
        let some = |place: &str, times: Option<&Full<'_>>| {
            times.map_or_else(|| Ok(Distribution::new()), |times| times.read(place))
        };
        Ok(StreamTimes {
            first_message: self.first_message.read("first_message")?,
            gap: self.gap.read("gap")?,
            round_trip: some("round_trip", self.round_trip.as_ref().or(self.round_trip_unmatched.as_ref()))?,
            message_lag: some("message_lag", self.message_lag.as_ref())?,
            blocked: self.blocked.read("blocked")?,
            messages_received: self.messages_received_per_call.calls.read("messages_received_per_call.calls")?,
            messages_sent: self.messages_sent_per_call.calls.read("messages_sent_per_call.calls")?,
            ended_by_client: self.ended_by_client.0,
            unmatched: self.unmatched.0,
        })
    }
}
