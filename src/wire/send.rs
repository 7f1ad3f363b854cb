//! The commands that send: requests, their data, resets; and who may go on after a stop.

use super::connection::Connection;
use super::error_code::ErrorCode;
use super::event::Blocked;
use super::frame::{FrameHead, HEAD, flag, kind};
use super::hpack::{Head, append_literal};
use super::output::{HIGH_WATER, LOW_WATER};
use super::response::FIELD_OVERHEAD;
use super::streams::{Stream, StreamKey};

/// The largest DATA frame that we send, also to peers that take larger ones: streams shall take turns.
const DATA_MAX: usize = 64 * 1024;

/// How large a list of headers is by the count of [`PeerSettings::max_header_list_size`](super::PeerSettings).
pub fn header_list_size<'f>(fields: impl IntoIterator<Item = (&'f [u8], &'f [u8])>) -> u64 {
    fields.into_iter().map(|(name, value)| (name.len() + value.len() + FIELD_OVERHEAD) as u64).sum()
}

/// Names a request head of one connection, see [`Connection::prepare`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeadId(usize);

/// Which windows hold back a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shut {
    /// That of the stream has no room.
    pub stream: bool,
    /// That of the connection has no room.
    pub connection: bool,
}

impl Connection {
    /// Registers a list of request headers, pseudo-headers first, that many streams will begin with.
    ///
    /// Names must be in lower case; nothing is checked here. On first use the fields enter the header table as far as
    /// there is room, and later uses copy a few bytes.
    pub fn prepare(&mut self, head: Vec<(Vec<u8>, Vec<u8>)>) -> HeadId {
        self.heads.push(Head::new(head));
        HeadId(self.heads.len() - 1)
    }

    /// Opens a stream with a prepared head and `extra` fields behind it, which no table keeps. `end` means that the
    /// request has no data. Events of the stream will carry `tag`.
    ///
    /// Panics if `head` belongs to another connection that has more heads.
    pub fn open<'f>(
        &mut self,
        head: HeadId,
        extra: impl IntoIterator<Item = (&'f [u8], &'f [u8])>,
        tag: u32,
        end: bool,
    ) -> Result<StreamKey, Blocked> {
        if self.closing() {
            return Err(Blocked::Closing);
        }
        if self.free_slots() == 0 {
            return Err(Blocked::StreamLimit);
        }
        let id = self.next_id;
        self.next_id += 2;
        self.streams.insert(Stream::new(id, tag, self.peer.initial_window_size, end));
        let (output, encoder) = (self.output.bytes_mut(), &mut self.encoder);
        // The frame's head is filled in when the block's length is known.
        let start = output.len();
        output.extend_from_slice(&[0; HEAD]);
        encoder.append_head(&mut self.heads[head.0], output);
        for (name, value) in extra {
            append_literal(name, value, output);
        }
        let length = output.len() - start - HEAD;
        self.counters.header_bytes_out += length as u64;
        let end = if end { flag::END_STREAM } else { 0 };
        let max = self.peer.max_frame_size as usize;
        if length <= max {
            let flags = end | flag::END_HEADERS;
            let head = FrameHead { length, kind: kind::HEADERS, flags, stream: id };
            output[start..start + HEAD].copy_from_slice(&head.bytes());
        } else {
            let block = output.split_off(start + HEAD);
            output.truncate(start);
            self.send_in_pieces(id, end, &block, max);
        }
        Ok(StreamKey(id))
    }

    fn send_in_pieces(&mut self, id: u32, end: u8, block: &[u8], max: usize) {
        let last = block.len().div_ceil(max) - 1;
        for (number, piece) in block.chunks(max).enumerate() {
            let (kind, end) = if number == 0 { (kind::HEADERS, end) } else { (kind::CONTINUATION, 0) };
            let flags = if number == last { end | flag::END_HEADERS } else { end };
            self.output.frame(kind, flags, id, piece);
        }
    }

    /// Sends as much of `bytes` as the windows of the stream and of the connection and the output's high-water mark
    /// allow, and returns how many bytes that were. With `end` the request ends if all of them were taken.
    ///
    /// After a send that stopped short, [`take_writable`](Connection::take_writable) will name the stream when it may
    /// go on. For a stream that is gone or has ended, everything is taken and nothing sent.
    pub fn send(&mut self, key: StreamKey, bytes: &[u8], end: bool) -> usize {
        let Some(stream) = self.streams.get_mut(key.0) else { return bytes.len() };
        if stream.sent_end {
            return bytes.len();
        }
        let allowed = bytes.len().min(stream.window.room()).min(self.window.room());
        let max = (self.peer.max_frame_size as usize).min(DATA_MAX);
        let mut taken = 0;
        while taken < allowed && self.output.len() < HIGH_WATER {
            let last = end && allowed == bytes.len();
            taken += self.output.data(key.0, &bytes[taken..allowed], last, max);
        }
        if end && bytes.is_empty() {
            self.output.data(key.0, b"", true, max);
        }
        stream.window.spend(taken);
        self.window.spend(taken);
        self.counters.data_bytes_out += taken as u64;
        let whole = taken == bytes.len();
        stream.stopped = !whole;
        if whole && end {
            stream.sent_end = true;
            if stream.got_end {
                self.streams.remove(key.0);
            }
        } else if !whole {
            let by_output = taken < allowed;
            *(if by_output { &mut self.counters.output_stops } else { &mut self.counters.window_stops }) += 1;
            self.queue(key.0);
        }
        taken
    }

    /// Which windows are shut for a stream whose [`send`](Connection::send) stopped short. None of them: the output is full.
    pub fn shut(&self, key: StreamKey) -> Shut {
        let stream = self.streams.get(key.0).is_some_and(|stream| stream.window.room() == 0);
        Shut { stream, connection: self.window.room() == 0 }
    }

    /// Ends a stream at once with `RST_STREAM`. There will be no more events for it.
    pub fn reset(&mut self, key: StreamKey, code: ErrorCode) {
        if self.streams.remove(key.0).is_some() {
            self.output.frame(kind::RST_STREAM, 0, key.0, &code.0.to_be_bytes());
            self.counters.resets_out += 1;
        }
    }

    /// The next stream whose [`send`](Connection::send) stopped short and may go on now, in turn.
    ///
    /// Both windows are open and the output has drained to half its high-water mark, or the answer is `None`. Each stop
    /// is answered once; a stream that stops again is queued again, behind the others.
    pub fn take_writable(&mut self) -> Option<u32> {
        if self.turns.is_empty() || self.window.room() == 0 || self.output.len() > LOW_WATER {
            return None;
        }
        while let Some(id) = self.turns.pop_front() {
            let Some(stream) = self.streams.get_mut(id) else { continue };
            stream.queued = false;
            if stream.stopped && stream.window.room() > 0 {
                stream.stopped = false;
                return Some(stream.tag);
            }
        }
        None
    }

    /// Queues a stream that stopped short. If its own window is still shut when its turn comes, it loses its turn and is
    /// queued again when that opens.
    pub(super) fn queue(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(id) else { return };
        if std::mem::replace(&mut stream.queued, true) {
            return;
        }
        self.turns.push_back(id);
        // Streams that are gone leave their numbers behind; they must not pile up while the connection's window is shut.
        if self.turns.len() > 2 * self.streams.len() + 16 {
            let streams = &self.streams;
            self.turns.retain(|&id| streams.get(id).is_some());
        }
    }
}
