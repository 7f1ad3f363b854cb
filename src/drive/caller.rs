//! The form of a call: what a slot does with an arrival.

use std::rc::Rc;

use tokio::time::Instant;

use super::clock::Clock;
use crate::load::Arrival;
use crate::payload::{Call, CallSource, Metadata, Room, payload_bytes};
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
    /// There was nothing to send.
    Unsent,
}

/// Where a slot is, in the numbers of the whole run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) slot: u64,
    pub(super) connection: u64,
}

/// Unary calls over a connection.
#[derive(Debug)]
pub(super) struct UnaryCaller {
    connection: Connection,
    source: Rc<CallSource>,
    metadata: Rc<Metadata>,
    place: Place,
    clock: Clock,
    room: Room,
    /// When what calls send is made, if it is made for each.
    rendered: Rendered,
    /// Whether that could be made for the call at hand.
    ready: bool,
    failure: String,
}

/// When what a call sends is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rendered {
    /// It is there from the start.
    Never,
    /// While the call waits until it is due.
    Ahead,
    /// At the last moment, since it has the time in it.
    AtSend,
}

impl UnaryCaller {
    pub(super) fn new(
        connection: Connection,
        source: Rc<CallSource>,
        metadata: Rc<Metadata>,
        place: Place,
        clock: Clock,
    ) -> UnaryCaller {
        let rendered = if source.reads_clock() || metadata.reads_clock() {
            Rendered::AtSend
        } else if source.is_rendered() || metadata.is_rendered() {
            Rendered::Ahead
        } else {
            Rendered::Never
        };
        let (room, failure) = (Room::new(), String::new());
        UnaryCaller { connection, source, metadata, place, clock, room, rendered, ready: true, failure }
    }

    fn render(&mut self, arrival: Arrival) {
        let call = Call::new(arrival.index, self.place.slot, self.place.connection);
        let made = self.source.render(&call, &mut self.room);
        let made = made.and_then(|()| self.metadata.render(&call, &mut self.room));
        self.ready = made.is_ok();
        if let Err(reason) = made {
            self.failure = reason;
        }
    }
}

impl Caller for UnaryCaller {
    fn prepare(&mut self, arrival: Arrival) {
        if self.rendered == Rendered::Ahead {
            self.render(arrival);
        }
    }

    async fn call(&mut self, arrival: Arrival) -> Outcome {
        if self.rendered == Rendered::AtSend {
            self.render(arrival);
        }
        if !self.ready {
            return Outcome::Unsent;
        }
        let messages = self.source.call(arrival.index, &self.room);
        let framed = messages.get(0).expect("a call of this kind has one message");
        let fields = self.metadata.of_call(arrival.index, &self.room);
        let now = Instant::now();
        let reply = self.connection.unary(framed, fields, now, &mut self.failure).await;
        let sent = self.clock.offset(now);
        let done = self.clock.offset(reply.done);
        Outcome::Sent(Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            first: reply.first.map_or(done, |first| self.clock.offset(first)),
            done,
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
