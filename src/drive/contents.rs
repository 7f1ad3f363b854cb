//! What the calls of a slot send: made when it is best made, and kept in the slot's own room.

use std::cell::RefCell;
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
    /// For messages that are made as the call goes on; taken out while there is one in it.
    spare: RefCell<Room>,
    /// Why the call at hand cannot be sent.
    refused: Option<String>,
}

impl Contents {
    /// Of slot number `slot`, whose calls go over connection number `connection` of the run.
    pub(super) fn new(sources: Sources, slot: u64, connection: u64) -> Contents {
        Contents { sources, slot, connection, room: Room::new(), spare: RefCell::default(), refused: None }
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

    /// The messages of the call; of those that are made one by one the first.
    pub(super) fn messages(&self, arrival: Arrival) -> Messages<'_> {
        self.sources.calls.call(arrival.index, &self.room)
    }

    /// The metadata that only this call has.
    pub(super) fn fields(&self, arrival: Arrival) -> Fields<'_> {
        self.sources.metadata.of_call(arrival.index, &self.room)
    }

    /// The messages of a call that sends a stream of them.
    pub(super) fn feed(&self, arrival: Arrival) -> Feed<'_> {
        Feed {
            contents: self,
            arrival,
            ready: self.messages(arrival),
            one_by_one: self.sources.calls.one_by_one(arrival.index),
            room: self.spare.take(),
            made: 0,
        }
    }

    fn call(&self, arrival: Arrival) -> Call {
        Call::new(arrival.index, self.slot, self.connection)
    }

    fn render(&mut self, arrival: Arrival) {
        let call = self.call(arrival);
        let Sources { calls, metadata, .. } = &self.sources;
        let made = calls.render(&call, &mut self.room).and_then(|()| metadata.render(&call, &mut self.room));
        self.refused = made.err();
    }
}

/// The messages of one streaming call, from the first on, and from the beginning again when they are used up.
pub(super) struct Feed<'a> {
    contents: &'a Contents,
    arrival: Arrival,
    /// All of them, or the first if they are made one by one.
    ready: Messages<'a>,
    /// How many there are of those.
    one_by_one: Option<usize>,
    /// Where the last one was made.
    room: Room,
    made: u32,
}

impl Feed<'_> {
    /// How many messages there are before they begin anew.
    pub(super) fn len(&self) -> usize {
        self.one_by_one.unwrap_or(self.ready.len())
    }

    /// Whether there is always another one.
    pub(super) fn is_endless(&self) -> bool {
        self.one_by_one.is_some_and(|messages| messages > 0)
    }

    /// Makes message `number` if that can be done before it is due.
    pub(super) fn prepare(&mut self, number: u32) -> Result<(), String> {
        if self.contents.sources.moment == Moment::AtSend { Ok(()) } else { self.complete(number) }
    }

    /// Makes it if that has not been done. Errors with the reason why it cannot be sent.
    pub(super) fn complete(&mut self, number: u32) -> Result<(), String> {
        if self.one_by_one.is_none() || number == self.made {
            return Ok(());
        }
        let call = self.contents.call(self.arrival).at_message(number);
        self.contents.sources.calls.render(&call, &mut self.room)?;
        self.made = number;
        Ok(())
    }

    /// Message `number`, which is complete.
    pub(super) fn message(&self, number: u32) -> Option<&[u8]> {
        let Feed { contents, arrival, ready, room, .. } = self;
        match (self.one_by_one, number) {
            (None, _) if ready.is_empty() => None,
            (None, _) => ready.get(number as usize % ready.len()),
            (Some(_), 0) => ready.get(0),
            (Some(_), _) => contents.sources.calls.call(arrival.index, room).get(0),
        }
    }
}

impl Drop for Feed<'_> {
    fn drop(&mut self) {
        self.contents.spare.replace(std::mem::take(&mut self.room));
    }
}
