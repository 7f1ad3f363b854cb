//! What can be seen of a run, and of its single calls, while it goes on, by those who ask for it. It goes from the workers to another
//! thread, and no call ever waits for that thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::time::SystemTime;

use super::caller::Outcome;
use super::live::Live;
use crate::load::{Arrival, Share};
use crate::plan::Forecast;
use crate::record::Sample;
use crate::transport::Kept;

/// Who sees what. The default sees nothing, and costs nothing.
#[derive(Clone, Default, Debug)]
pub struct Watch {
    /// Takes every call.
    pub log: Option<CallLog>,
    /// Takes the answers of the first calls.
    pub replies: Option<Replies>,
    /// Is told what can be known to go wrong, before calls count or as soon as they do.
    pub foretold: Option<fn(Forecast)>,
    /// Looks at the run from outside.
    pub live: Option<Live>,
}

/// Takes every call as it ends, as long as the other side keeps up.
#[derive(Clone, Debug)]
pub struct CallLog {
    events: SyncSender<CallEvent>,
    missed: Arc<AtomicU64>,
}

impl CallLog {
    /// With room for so many events, and where they come out. Whoever takes them should look for them from time to time,
    /// and not wait in the channel: waking a thread would be for a worker to do.
    pub fn with_room(events: usize) -> (CallLog, Receiver<CallEvent>) {
        let (sender, receiver) = sync_channel(events);
        (CallLog { events: sender, missed: Arc::default() }, receiver)
    }

    /// How many calls found no room, and are missing.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }

    /// The clock will start at `at`.
    pub(super) fn start(&self, at: SystemTime) {
        // Nobody listens any more if this fails.
        let _ = self.events.try_send(CallEvent::Start(at));
    }

    /// Takes a call.
    fn note(&self, call: CallEnd) {
        if self.events.try_send(CallEvent::End(call)).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug)]
pub enum CallEvent {
    /// The clock starts at this time; offsets count from it.
    Start(SystemTime),
    /// A call has ended.
    End(CallEnd),
}

/// A call that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct CallEnd {
    /// Its number in the run.
    pub number: u64,
    /// The number of the slot that made it: what ghz calls a worker.
    pub slot: u64,
    /// The number of the connection.
    pub connection: u64,
    /// Whether it counts; it does not in the warm-up.
    pub measured: bool,
    /// What was measured of it; `None` if it could not be sent.
    pub sample: Option<Sample>,
    /// What it said if it failed, or why it was not sent.
    pub failure: String,
}

/// One worker's way to the log.
#[derive(Clone, Debug)]
pub(super) struct WorkerLog {
    pub(super) log: CallLog,
    pub(super) share: Share,
    /// Of the whole run.
    pub(super) connections: u64,
}

impl WorkerLog {
    /// Takes a call that the worker's slot number `slot` has made.
    pub(super) fn note(&self, slot: u64, arrival: Arrival, outcome: &Outcome, failure: &str) {
        let slot = self.share.nth(slot);
        let sample = match outcome {
            Outcome::Sent(sample) => Some(*sample),
            Outcome::Unsent => None,
        };
        self.log.note(CallEnd {
            number: arrival.index,
            slot,
            connection: slot % self.connections,
            measured: arrival.measured,
            sample,
            failure: failure.to_owned(),
        });
    }
}

/// Takes the answers of the first calls.
#[derive(Clone, Debug)]
pub struct Replies {
    /// Of calls with lower numbers.
    pub first: u64,
    /// How many bytes of each answer are kept.
    pub room: usize,
    /// Where they come out.
    pub to: Sender<KeptReply>,
}

impl Replies {
    /// Whether the answer of this call is wanted.
    pub(super) fn want(&self, arrival: Arrival) -> bool {
        arrival.index < self.first
    }
}

/// The answer of one call.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptReply {
    /// The number of the call in the run.
    pub number: u64,
    /// What was measured of it.
    pub sample: Sample,
    /// What it said if it failed.
    pub failure: String,
    /// What came; nothing if it had no connection.
    pub kept: Kept,
}
