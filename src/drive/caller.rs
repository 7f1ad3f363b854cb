//! The form of a call: what a slot does with an arrival.

use tokio::time::Instant;

use super::clock::Clock;
use super::contents::Contents;
use crate::load::Arrival;
use crate::payload::payload_bytes;
use crate::record::{End, Sample};
use crate::transport::Connection;

/// Makes calls, one at a time.
pub(super) trait Caller {
    /// Makes ready what can be before the call is due.
    fn prepare(&mut self, _arrival: Arrival) {}

    /// Makes the call, and says what became of it. Whether a slot was free in time is for the slot to say.
    async fn call(&mut self, arrival: Arrival) -> Outcome;

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

/// Unary calls over a connection.
#[derive(Debug)]
pub(super) struct UnaryCaller {
    connection: Connection,
    contents: Contents,
    clock: Clock,
    failure: String,
}

impl UnaryCaller {
    pub(super) fn new(connection: Connection, contents: Contents, clock: Clock) -> UnaryCaller {
        UnaryCaller { connection, contents, clock, failure: String::new() }
    }
}

impl Caller for UnaryCaller {
    fn prepare(&mut self, arrival: Arrival) {
        self.contents.prepare(arrival);
    }

    async fn call(&mut self, arrival: Arrival) -> Outcome {
        if let Err(reason) = self.contents.complete(arrival) {
            self.failure = reason;
            return Outcome::Unsent;
        }
        let framed = self.contents.messages(arrival).get(0).expect("a call of this kind has one message");
        let fields = self.contents.fields(arrival);
        let now = Instant::now();
        let reply = self.connection.unary(framed, fields, now, &mut self.failure).await;
        let sent = self.clock.offset(now);
        let done = self.clock.offset(reply.done);
        Outcome::Sent(Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            done,
            phases: reply.phases,
            bytes_received: reply.bytes_received,
            bytes_sent: payload_bytes(framed),
            messages_received: reply.messages_received,
            messages_sent: 1,
            status: reply.status.unwrap_or(0),
            end: if reply.status.is_some() { End::Done } else { End::Abandoned },
            slot_was_free: true,
        })
    }

    fn failure(&self) -> &str {
        &self.failure
    }
}
