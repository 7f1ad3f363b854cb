//! The form of a call: what a slot does with an arrival.

use std::rc::Rc;

use tokio::time::Instant;

use super::clock::Clock;
use crate::load::Arrival;
use crate::payload::CallSource;
use crate::record::{End, Sample};
use crate::transport::Connection;

/// Makes calls, one at a time.
pub(super) trait Caller {
    /// Makes the call, and says what became of it. Whether a slot was free in time is for the slot to say.
    async fn call(&mut self, arrival: Arrival) -> Sample;

    /// What the last call said if it failed.
    fn failure(&self) -> &str;
}

/// Unary calls over a connection.
#[derive(Debug)]
pub(super) struct UnaryCaller {
    connection: Connection,
    source: Rc<CallSource>,
    clock: Clock,
    failure: String,
}

impl UnaryCaller {
    pub(super) fn new(connection: Connection, source: Rc<CallSource>, clock: Clock) -> UnaryCaller {
        UnaryCaller { connection, source, clock, failure: String::new() }
    }
}

impl Caller for UnaryCaller {
    async fn call(&mut self, arrival: Arrival) -> Sample {
        let message = self.source.message(arrival.index);
        let now = Instant::now();
        let reply = self.connection.unary(message.framed(), now, &mut self.failure).await;
        let sent = self.clock.offset(now);
        let done = self.clock.offset(reply.done);
        Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            first: reply.first.map_or(done, |first| self.clock.offset(first)),
            done,
            bytes_received: reply.bytes_received,
            bytes_sent: message.payload_bytes(),
            messages_received: reply.messages_received,
            messages_sent: 1,
            status: reply.status.unwrap_or(0),
            end: if reply.status.is_some() { End::Done } else { End::Abandoned },
            slot_was_free: true,
        }
    }

    fn failure(&self) -> &str {
        &self.failure
    }
}
