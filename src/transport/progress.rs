//! How far a call is, and since when: what its phases and its waits are told from.

use crate::clock::Clock;
use crate::record::{Http2, Phases};
use crate::units::Offset;
use crate::wire::Shut;

/// When one attempt to make a call came how far. Whatever comes in one read has the same time.
///
/// It is written for every call, so it is small.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Offset,
    opened: Mark,
    written: Mark,
    head: Mark,
    /// When its first message was complete.
    first: Mark,
    /// Where its request ends in all that is ever written, once that is known.
    pub(super) request_end: u64,
    /// For how long its request was held back, if it was. That it may be is not known before its end.
    held: Option<Box<Held>>,
    /// It had to wait for a stream slot.
    queued: bool,
}

/// Nanoseconds from the beginning, once it has come to that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark(u64);

impl Mark {
    const NOT_YET: Mark = Mark(u64::MAX);

    fn or(self, other_ns: u64) -> u64 {
        if self == Mark::NOT_YET { other_ns } else { self.0 }
    }
}

/// For how long a request was held back, in nanoseconds.
#[derive(Default, Debug)]
struct Held {
    /// It cannot go on, since then and because of these windows.
    now: Option<(Offset, Shut)>,
    /// By the stream's window.
    stream_ns: u64,
    /// By the connection's window.
    connection_ns: u64,
    /// By either of them, or because the network did not take what was written.
    any_ns: u64,
}

impl Progress {
    pub(super) fn new(begun: Offset) -> Progress {
        Progress {
            begun,
            opened: Mark::NOT_YET,
            written: Mark::NOT_YET,
            head: Mark::NOT_YET,
            first: Mark::NOT_YET,
            request_end: u64::MAX,
            held: None,
            queued: false,
        }
    }

    /// It waits for a stream slot.
    pub(super) fn queued(&mut self) {
        self.queued = true;
    }

    /// It has a stream. The clock is read only if it had to wait for that.
    pub(super) fn opened(&mut self, clock: Clock) {
        self.opened = if self.queued { self.mark(clock.now()) } else { Mark(0) };
    }

    /// Its request has left.
    pub(super) fn written(&mut self, now: Offset) {
        self.written = self.mark(now);
    }

    /// The head of the answer has come.
    pub(super) fn head(&mut self, now: Offset) {
        self.head = self.mark(now);
    }

    /// A message of the answer is complete.
    pub(super) fn message(&mut self, now: Offset) {
        if self.first == Mark::NOT_YET {
            self.first = self.mark(now);
        }
    }

    fn mark(&self, now: Offset) -> Mark {
        Mark(now.since(self.begun))
    }

    /// Its request stopped short.
    pub(super) fn hold(&mut self, shut: Shut, now: Offset) {
        self.held.get_or_insert_default().now = Some((now, shut));
    }

    /// Its request goes on, or is no longer of interest.
    pub(super) fn go_on(&mut self, clock: Clock) {
        let Some(held) = &mut self.held else { return };
        if let Some((since, shut)) = held.now.take() {
            let waited = clock.now().since(since);
            held.stream_ns += if shut.stream { waited } else { 0 };
            held.connection_ns += if shut.connection { waited } else { 0 };
            held.any_ns += waited;
        }
    }

    /// The phases of the call, which left at `sent` and has ended at `done`.
    pub(super) fn phases(&self, sent: Offset, done: Offset) -> Phases {
        let done_ns = done.since(self.begun);
        let opened_ns = self.opened.or(done_ns);
        let head_ns = self.head.or(done_ns);
        // A server may answer before it has the whole request.
        let written_ns = self.written.or(head_ns).min(head_ns);
        // Without a message there is nothing to wait for but the end.
        let first_ns = self.first.or(head_ns);
        Phases {
            stream_ns: self.begun.since(sent) + opened_ns,
            request_ns: written_ns.saturating_sub(opened_ns),
            head_ns: head_ns.saturating_sub(written_ns),
            message_ns: first_ns.saturating_sub(head_ns),
        }
    }

    /// How long the request was held back, by windows or by the network.
    pub(super) fn held_ns(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.any_ns)
    }

    /// Adds to `http2` what the call, which has ended at `done`, had to wait for.
    pub(super) fn add_waits(&self, done: Offset, http2: &mut Http2) {
        if self.queued {
            http2.stream_waits.record(self.opened.or(done.since(self.begun)));
        }
        if let Some(held) = &self.held {
            if held.stream_ns > 0 {
                http2.stream_window_waits.record(held.stream_ns);
            }
            if held.connection_ns > 0 {
                http2.connection_window_waits.record(held.connection_ns);
            }
        }
    }

    /// Whether it had to wait for anything that HTTP/2 limits.
    pub(super) fn has_waited(&self) -> bool {
        self.queued || self.held.is_some()
    }
}
