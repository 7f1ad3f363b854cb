//! The form of a call: what a slot does with an arrival.

use tokio::time::Instant;

use super::contents::Contents;
use crate::clock::Clock;
use crate::load::Arrival;
use crate::payload::payload_bytes;
use crate::record::{End, Sample};
use crate::transport::{Connection, Reply};

/// Makes calls, one at a time.
pub(super) trait Caller {
    /// Makes ready what can be before the call is due.
    fn prepare(&mut self, _arrival: Arrival) {}

    /// Makes the call, and says what became of it. Whether a slot was free in time is for the slot to say.
    fn call(&mut self, arrival: Arrival) -> impl Future<Output = Outcome>;

    /// What the last call said if it failed, or why it was not sent.
    fn failure(&self) -> &str;
}

/// What became of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// It was sent.
    Sent(Sample),
    /// It could not be: what it was to send could not be made.
    Unsent,
}

/// What every caller over a connection has.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) connection: Connection,
    pub(super) contents: Contents,
    pub(super) clock: Clock,
    /// What the last call said if it failed, or why it was not sent.
    pub(super) failure: String,
}

impl Seat {
    pub(super) fn new(connection: Connection, contents: Contents, clock: Clock) -> Seat {
        Seat { connection, contents, clock, failure: String::new() }
    }

    /// Whether what the call sends is complete. If not, it cannot be sent, and the failure says why.
    pub(super) fn complete(&mut self, arrival: Arrival) -> bool {
        let complete = self.contents.complete(arrival);
        complete.map_err(|reason| self.failure = reason).is_ok()
    }

    /// What became of a call that left at `sent`.
    pub(super) fn outcome(&self, arrival: Arrival, sent: Instant, messages: Sent, reply: &Reply) -> Outcome {
        let sent = self.clock.offset(sent);
        Outcome::Sent(Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            done: sent.plus_nanos(reply.service_ns),
            phases: reply.phases,
            bytes_received: reply.bytes_received,
            bytes_unpacked: reply.bytes_unpacked,
            bytes_sent: messages.bytes,
            messages_received: reply.messages_received,
            messages_sent: messages.count,
            status: reply.status.unwrap_or(0),
            end: if reply.status.is_some() { End::Done } else { End::Abandoned },
            slot_was_free: true,
        })
    }
}

/// The messages that a call has sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Sent {
    pub(super) count: u32,
    pub(super) bytes: u64,
}

impl Sent {
    /// With one more.
    #[must_use]
    pub(super) fn and(self, framed: &[u8]) -> Sent {
        Sent { count: self.count.saturating_add(1), bytes: self.bytes + u64::from(payload_bytes(framed)) }
    }
}

/// Unary calls over a connection.
#[derive(Debug)]
pub(super) struct UnaryCaller {
    seat: Seat,
}

impl UnaryCaller {
    pub(super) fn new(seat: Seat) -> UnaryCaller {
        UnaryCaller { seat }
    }
}

impl Caller for UnaryCaller {
    fn prepare(&mut self, arrival: Arrival) {
        self.seat.contents.prepare(arrival);
    }

    #[expect(clippy::manual_async_fn, reason = "an async fn keeps all that it is given twice, for each call in flight")]
    fn call(&mut self, arrival: Arrival) -> impl Future<Output = Outcome> {
        async move {
            if !self.seat.complete(arrival) {
                return Outcome::Unsent;
            }
            let Seat { connection, contents, failure, .. } = &mut self.seat;
            let framed = contents.messages(arrival).get(0).expect("a call of this kind has one message");
            let now = Instant::now();
            let fields = contents.fields(arrival);
            let reply = connection.unary(framed, &fields, now, failure).await;
            let messages = if reply.request_sent { Sent::default().and(framed) } else { Sent::default() };
            self.seat.outcome(arrival, now, messages, &reply)
        }
    }

    fn failure(&self) -> &str {
        &self.seat.failure
    }
}
