//! The state of one connection, and what can be asked of it.

use std::collections::VecDeque;

use super::counters::Counters;
use super::error_code::ErrorCode;
use super::event::Fault;
use super::flow::{ReceiveWindow, SendWindow};
use super::frame::{MAX_31, PREFACE, kind};
use super::hpack::{Decoder, Encoder, Head};
use super::output::Output;
use super::receive::HeaderBlock;
use super::settings::{Config, FIRST_WINDOW, PeerSettings};
use super::streams::Streams;

/// The client side of an HTTP/2 connection, without its socket.
///
/// The caller gives it what was read ([`receive`](Connection::receive)), writes what waits
/// ([`output`](Connection::output), [`wrote`](Connection::wrote)), and in between opens streams and sends on them. After
/// each of `receive` and `wrote` it should ask [`take_writable`](Connection::take_writable) until that says `None`.
pub struct Connection {
    pub(super) config: Config,
    pub(super) peer: PeerSettings,
    /// The peer's first SETTINGS came.
    pub(super) settled: bool,
    pub(super) encoder: Encoder,
    pub(super) decoder: Decoder,
    pub(super) heads: Vec<Head>,
    pub(super) streams: Streams,
    /// The number of the next stream; above 2^31-1 when all are used.
    pub(super) next_id: u32,
    /// What we may send on all streams together.
    pub(super) window: SendWindow,
    pub(super) received: ReceiveWindow,
    /// Streams that stopped short and may go on, in the order in which they may. Some may be gone.
    pub(super) turns: VecDeque<u32>,
    pub(super) output: Output,
    /// The beginning of a frame whose rest was not read yet.
    pub(super) partial: Vec<u8>,
    /// The header block that is coming in pieces.
    pub(super) block: HeaderBlock,
    /// The peer sent GOAWAY.
    pub(super) peer_leaving: bool,
    /// We sent GOAWAY.
    pub(super) leaving: bool,
    pub(super) fault: Option<Fault>,
    pub(super) counters: Counters,
}

impl Connection {
    /// A connection whose output holds what a client says first: preface, SETTINGS, and the `WINDOW_UPDATE` that opens the
    /// connection's window.
    pub fn new(config: Config) -> Connection {
        let config = config.in_range();
        let mut output = Output::new();
        output.push(PREFACE);
        output.frame(kind::SETTINGS, 0, 0, &config.payload());
        if config.connection_window > FIRST_WINDOW {
            let more = config.connection_window - FIRST_WINDOW;
            output.frame(kind::WINDOW_UPDATE, 0, 0, &more.to_be_bytes());
        }
        Connection {
            config,
            peer: PeerSettings::default(),
            settled: false,
            encoder: Encoder::new(),
            decoder: Decoder::new(config.header_table_size as usize),
            heads: Vec::new(),
            streams: Streams::new(),
            next_id: 1,
            window: SendWindow::new(FIRST_WINDOW),
            received: ReceiveWindow::default(),
            turns: VecDeque::new(),
            output,
            partial: Vec::new(),
            block: HeaderBlock::default(),
            peer_leaving: false,
            leaving: false,
            fault: None,
            counters: Counters::default(),
        }
    }

    /// The bytes to write to the socket.
    pub fn output(&self) -> &[u8] {
        self.output.waiting()
    }

    /// Says that the first `count` bytes of the output were written.
    pub fn wrote(&mut self, count: usize) {
        self.output.wrote(count);
    }

    /// How many bytes were written so far.
    pub fn bytes_written(&self) -> u64 {
        self.output.written_in_all()
    }

    /// How many bytes will have been written when all that waits now is.
    pub fn bytes_put_out(&self) -> u64 {
        self.output.written_in_all() + self.output.len() as u64
    }

    /// What we announced, with values outside their range moved into it.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What the peer announced.
    pub fn peer(&self) -> &PeerSettings {
        &self.peer
    }

    /// Whether the peer's first SETTINGS came. Before that its limits are unknown, and streams opened may be refused.
    pub fn settled(&self) -> bool {
        self.settled
    }

    /// The number of streams that are open or half-closed.
    pub fn active(&self) -> usize {
        self.streams.len()
    }

    /// How many more streams may be opened now.
    pub fn free_slots(&self) -> usize {
        if self.closing() {
            return 0;
        }
        let numbers = ((MAX_31 - self.next_id) / 2 + 1) as usize;
        let limit = self.peer.max_concurrent_streams.map_or(usize::MAX, |limit| limit as usize);
        limit.saturating_sub(self.active()).min(numbers)
    }

    /// Whether no new streams can be opened any more: GOAWAY seen or sent, a fault, or all stream numbers used.
    pub fn closing(&self) -> bool {
        self.peer_leaving || self.leaving || self.fault.is_some() || self.next_id > MAX_31
    }

    /// What passed so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Sends a PING; the answer is a [`Pong`](super::Event::Pong) with the same payload.
    pub fn ping(&mut self, payload: [u8; 8]) {
        self.counters.pings_out += 1;
        self.output.frame(kind::PING, 0, 0, &payload);
    }

    /// Says goodbye: no new streams, and with an error code the reason why. Streams that are open may still end.
    pub fn go_away(&mut self, code: ErrorCode) {
        self.say_goodbye(code, b"");
    }

    /// Remembers the fault and tells the peer, if it can understand.
    pub(super) fn fail(&mut self, fault: Fault) {
        self.fault = Some(fault);
        if fault.foreign.is_none() {
            self.say_goodbye(fault.code, fault.reason.as_bytes());
        }
    }

    /// We accept no pushed streams, so the last one that we acted upon is always 0.
    fn say_goodbye(&mut self, code: ErrorCode, debug: &[u8]) {
        let payload = [&[0; 4], &code.0.to_be_bytes(), debug].concat();
        self.output.frame(kind::GOAWAY, 0, 0, &payload);
        self.leaving = true;
    }

    /// Bytes of memory that the peer has a hand in.
    #[cfg(any(test, fuzzing))]
    pub fn footprint(&self) -> usize {
        self.decoder.footprint()
            + self.output.footprint()
            + self.partial.capacity()
            + self.block.footprint()
            + self.turns.capacity() * 4
    }
}
