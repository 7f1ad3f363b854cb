//! What the calls of a slot send: made when it is best made, and kept in the slot's own room.

use std::rc::Rc;

use crate::load::Arrival;
use crate::payload::{Call, CallSource, Fields, Messages, Metadata, Room};

/// Messages and metadata of all calls of a worker.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    calls: Rc<CallSource>,
    metadata: Rc<Metadata>,
    moment: Moment,
}

/// When what a call sends is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// Before the run.
    BeforeAll,
    /// While the call waits until it is due.
    Ahead,
    /// As it is sent, since it has the time in it.
    AtSend,
}

impl Sources {
    /// Copies of both for one worker, which threads share nothing of.
    pub(super) fn of_worker(calls: &CallSource, metadata: &Metadata) -> Sources {
        let moment = if calls.reads_clock() || metadata.reads_clock() {
            Moment::AtSend
        } else if calls.is_rendered() || metadata.is_rendered() {
            Moment::Ahead
        } else {
            Moment::BeforeAll
        };
        Sources { calls: Rc::new(calls.unshared()), metadata: Rc::new(metadata.unshared()), moment }
    }
}

/// What the calls of one slot send.
#[derive(Debug)]
pub(super) struct Contents {
    sources: Sources,
    /// Numbers in the whole run.
    slot: u64,
    connection: u64,
    room: Room,
    /// Why the call at hand cannot be sent.
    refused: Option<String>,
}

impl Contents {
    /// Of slot number `slot`, whose calls go over connection number `connection` of the run.
    pub(super) fn new(sources: Sources, slot: u64, connection: u64) -> Contents {
        Contents { sources, slot, connection, room: Room::new(), refused: None }
    }

    /// Makes what can be made before the call is due.
    pub(super) fn prepare(&mut self, arrival: Arrival) {
        if self.sources.moment == Moment::Ahead {
            self.render(arrival);
        }
    }

    /// Makes the rest. Errors with the reason why the call cannot be sent.
    pub(super) fn complete(&mut self, arrival: Arrival) -> Result<(), String> {
        if self.sources.moment == Moment::AtSend {
            self.render(arrival);
        }
        self.refused.take().map_or(Ok(()), Err)
    }

    /// The messages of the call.
    pub(super) fn messages(&self, arrival: Arrival) -> Messages<'_> {
        self.sources.calls.call(arrival.index, &self.room)
    }

    /// The metadata that only this call has.
    pub(super) fn fields(&self, arrival: Arrival) -> Fields<'_> {
        self.sources.metadata.of_call(arrival.index, &self.room)
    }

    fn render(&mut self, arrival: Arrival) {
        let call = Call::new(arrival.index, self.slot, self.connection);
        let Sources { calls, metadata, .. } = &self.sources;
        let made = calls.render(&call, &mut self.room).and_then(|()| metadata.render(&call, &mut self.room));
        self.refused = made.err();
    }
}
