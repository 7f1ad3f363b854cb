//! What happened inside streaming calls, in JSON.

use serde::Serialize;

use super::distribution::Full;
use crate::report::{Distribution, Report, StreamTimes};

#[derive(Serialize)]
pub(super) struct Streams<'a> {
    first_message: Full<'a>,
    gap: Full<'a>,
    /// Left out where replies don't match messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    round_trip: Option<Full<'a>>,
    /// Left out where messages have no planned instants.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_lag: Option<Full<'a>>,
    /// Calls that had to wait for flow control, by how long.
    blocked: Full<'a>,
    messages_sent_per_call: PerCall,
    messages_received_per_call: PerCall,
    messages_sent_per_second: f64,
    messages_received_per_second: f64,
    ended_by_client: u64,
    unmatched: u64,
}

/// How many messages the calls had.
#[derive(Serialize)]
struct PerCall {
    min: u64,
    mean: f64,
    max: u64,
}

impl PerCall {
    fn new(counts: &Distribution) -> PerCall {
        let mean = if counts.is_empty() { 0.0 } else { counts.sum() as f64 / counts.count() as f64 };
        PerCall { min: counts.min(), mean, max: counts.max() }
    }
}

impl<'a> Streams<'a> {
    pub(super) fn new(report: &'a Report, streams: &'a StreamTimes) -> Streams<'a> {
        Streams {
            first_message: Full(&streams.first_message),
            gap: Full(&streams.gap),
            round_trip: report.round_trip().map(Full),
            message_lag: Some(&streams.message_lag).filter(|lag| !lag.is_empty()).map(Full),
            blocked: Full(&streams.blocked),
            messages_sent_per_call: PerCall::new(&streams.messages_sent),
            messages_received_per_call: PerCall::new(&streams.messages_received),
            messages_sent_per_second: report.per_second(report.traffic.messages_sent),
            messages_received_per_second: report.per_second(report.traffic.messages_received),
            ended_by_client: streams.ended_by_client,
            unmatched: streams.unmatched,
        }
    }
}
