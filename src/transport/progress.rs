//! How far a call is, and since when: what its phases and its waits are told from.

use tokio::time::Instant;

use crate::record::{Http2, Phases};
use crate::wire::Shut;

/// When one attempt to make a call came how far. Whatever comes in one read has the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    begun: Instant,
    /// It had to wait for a stream slot.
    queued: bool,
    opened: Option<Instant>,
    /// Where its request ends in all that is ever written, once that is known.
    pub(super) request_end: u64,
    pub(super) written: Option<Instant>,
    pub(super) head: Option<Instant>,
    /// When its first message was complete.
    pub(super) first: Option<Instant>,
    /// Its request cannot go on, since then and because of these windows.
    held: Option<(Instant, Shut)>,
    held_ns: HeldNs,
}

/// For how long a request was held back.
#[derive(Clone, Copy, Default, Debug)]
struct HeldNs {
    /// By the stream's window.
    stream: u64,
    /// By the connection's window.
    connection: u64,
    /// By either of them, or because the network did not take what was written.
    any: u64,
}

impl Progress {
    pub(super) fn new(begun: Instant) -> Progress {
        Progress {
            begun,
            queued: false,
            opened: None,
            request_end: u64::MAX,
            written: None,
            head: None,
            first: None,
            held: None,
            held_ns: HeldNs::default(),
        }
    }

    /// It waits for a stream slot.
    pub(super) fn queued(&mut self) {
        self.queued = true;
    }

    /// It has a stream. The clock is read only if it had to wait for that.
    pub(super) fn opened(&mut self) {
        self.opened = Some(if self.queued { Instant::now() } else { self.begun });
    }

    /// Its request stopped short.
    pub(super) fn hold(&mut self, shut: Shut) {
        self.held = Some((Instant::now(), shut));
    }

    /// Its request goes on, or is no longer of interest.
    pub(super) fn go_on(&mut self) {
        if let Some((since, shut)) = self.held.take() {
            let waited = nanos(since, Instant::now());
            self.held_ns.stream += if shut.stream { waited } else { 0 };
            self.held_ns.connection += if shut.connection { waited } else { 0 };
            self.held_ns.any += waited;
        }
    }

    /// The phases of the call, which left at `sent` and has ended at `done`.
    pub(super) fn phases(&self, sent: Instant, done: Instant) -> Phases {
        let opened = self.opened.unwrap_or(done);
        let head = self.head.unwrap_or(done);
        // A server may answer before it has the whole request.
        let written = self.written.unwrap_or(head).min(head);
        // Without a message there is nothing to wait for but the end.
        let first = self.first.unwrap_or(head);
        Phases {
            stream_ns: nanos(sent, opened),
            request_ns: nanos(opened, written),
            head_ns: nanos(written, head),
            message_ns: nanos(head, first),
        }
    }

    /// How long the request was held back, by windows or by the network.
    pub(super) fn held_ns(&self) -> u64 {
        self.held_ns.any
    }

    /// Adds to `http2` what the call, which has ended at `done`, had to wait for.
    pub(super) fn add_waits(&self, done: Instant, http2: &mut Http2) {
        if self.queued {
            http2.stream_waits.record(nanos(self.begun, self.opened.unwrap_or(done)));
        }
        if self.held_ns.stream > 0 {
            http2.stream_window_waits.record(self.held_ns.stream);
        }
        if self.held_ns.connection > 0 {
            http2.connection_window_waits.record(self.held_ns.connection);
        }
    }

    /// Whether it had to wait for anything that HTTP/2 limits.
    pub(super) fn has_waited(&self) -> bool {
        self.queued || self.held_ns.stream > 0 || self.held_ns.connection > 0
    }
}

/// From one instant to a later one.
pub(super) fn nanos(from: Instant, to: Instant) -> u64 {
    if from == to {
        // Common, and cheap to see.
        return 0;
    }
    u64::try_from(to.saturating_duration_since(from).as_nanos()).unwrap_or(u64::MAX)
}
