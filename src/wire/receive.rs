//! From bytes to frames, and the frames that concern the connection or only the state of a stream.

use super::connection::Connection;
use super::error_code::ErrorCode;
use super::event::{Event, Fault, Foreign};
use super::frame::{FrameHead, HEAD, MAX_31, flag, kind, number};
use super::settings::pairs;
use super::streams::Stream;

/// What we pass on of a GOAWAY's debug data.
const DEBUG_MAX: usize = 1024;
/// The bytes after which a peer that does not speak HTTP/2 is found out.
const FOREIGN_MIN: usize = 5;

/// A header block that comes in more than one frame.
#[derive(Default)]
pub(super) struct HeaderBlock {
    pub(super) bytes: Vec<u8>,
    /// The stream, while the block is not whole; else 0.
    pub(super) stream: u32,
    pub(super) end_stream: bool,
    pub(super) frames: u32,
}

impl HeaderBlock {
    #[cfg(any(test, fuzzing))]
    pub(super) fn footprint(&self) -> usize {
        self.bytes.capacity()
    }
}

impl Connection {
    /// Takes bytes that were read from the socket, however they were cut, and reports what they mean.
    ///
    /// Frames are handled where they lie; only the beginning of one whose end was not read yet is copied. After a fault
    /// nothing is taken any more.
    pub fn receive(&mut self, bytes: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.take_frames(bytes, on).inspect_err(|&fault| self.fail(fault))
    }

    fn take_frames(&mut self, mut bytes: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        if !self.partial.is_empty() {
            bytes = self.complete(bytes, on)?;
        }
        loop {
            self.recognise(bytes)?;
            let Some(head) = FrameHead::read(bytes) else { break };
            self.admit(head)?;
            let Some(payload) = bytes.get(HEAD..HEAD + head.length) else { break };
            self.take_frame(head, payload, on)?;
            bytes = &bytes[HEAD + head.length..];
        }
        self.partial.reserve_exact(bytes.len());
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// Completes the partial frame from `bytes` and handles it if it is whole. Returns what is left, which is nothing
    /// unless it was.
    fn complete<'b>(&mut self, bytes: &'b [u8], on: &mut impl FnMut(Event<'_>)) -> Result<&'b [u8], Fault> {
        let bytes = self.fill(bytes, HEAD);
        self.recognise(&self.partial)?;
        let Some(head) = FrameHead::read(&self.partial) else { return Ok(bytes) };
        self.admit(head)?;
        let whole = HEAD + head.length;
        self.partial.reserve_exact(whole - self.partial.len());
        let bytes = self.fill(bytes, whole);
        if self.partial.len() == whole {
            let frame = std::mem::take(&mut self.partial);
            let outcome = self.take_frame(head, &frame[HEAD..], on);
            self.partial = frame;
            self.partial.clear();
            outcome?;
        }
        Ok(bytes)
    }

    /// Moves bytes to the partial frame until it has `length`, and returns the rest.
    fn fill<'b>(&mut self, bytes: &'b [u8], length: usize) -> &'b [u8] {
        let missing = length.saturating_sub(self.partial.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(missing);
        self.partial.extend_from_slice(first);
        rest
    }

    /// Finds out a peer that does not speak HTTP/2 by its first bytes. A SETTINGS frame begins with a zero, for it is
    /// not 65,536 bytes long.
    fn recognise(&self, bytes: &[u8]) -> Result<(), Fault> {
        if self.settled || bytes.len() < FOREIGN_MIN || bytes[0] == 0 {
            return Ok(());
        }
        Err(Fault::foreign(match bytes {
            [b'H', b'T', b'T', b'P', ..] => Foreign::Http1,
            // A TLS record: its type (20 to 24), then version 3.x.
            [20..=24, 3, 0..=4, ..] => Foreign::Tls,
            _ => Foreign::Unknown,
        }))
    }

    /// Checks the head of a frame before its payload is there.
    fn admit(&self, head: FrameHead) -> Result<(), Fault> {
        if !self.settled && (head.kind != kind::SETTINGS || head.has(flag::ACK)) {
            return Err(Fault::foreign(Foreign::Unknown));
        }
        if head.length > self.config.max_frame_size as usize {
            return Err(Fault::frame_size("a frame longer than we announced"));
        }
        let continues = head.kind == kind::CONTINUATION;
        if self.block.stream != 0 && !(continues && head.stream == self.block.stream) {
            return Err(Fault::protocol("a header block is interrupted by another frame"));
        }
        if self.block.stream == 0 && continues {
            return Err(Fault::protocol("a CONTINUATION frame without a header block"));
        }
        Ok(())
    }

    fn take_frame(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        self.counters.frames_in += 1;
        match head.kind {
            kind::DATA => self.take_data(head, payload, on),
            kind::HEADERS => self.take_headers(head, payload, on),
            kind::CONTINUATION => self.take_continuation(head, payload, on),
            kind::RST_STREAM => self.take_reset(head, payload, on),
            kind::SETTINGS => self.take_settings(head, payload, on),
            kind::PING => self.take_ping(head, payload, on),
            kind::GOAWAY => self.take_go_away(head, payload, on),
            kind::WINDOW_UPDATE => self.take_window_update(head, payload, on),
            kind::PUSH_PROMISE => Err(Fault::protocol("a PUSH_PROMISE although push is off")),
            kind::PRIORITY => self.take_priority(head, payload, on),
            _ => {
                self.counters.ignored_in += 1;
                Ok(())
            }
        }
    }

    fn take_settings(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        on_connection(head)?;
        if head.has(flag::ACK) {
            let empty = payload.is_empty();
            return if empty { Ok(()) } else { Err(Fault::frame_size("a SETTINGS acknowledgement with a payload")) };
        }
        let settings = pairs(payload).ok_or(Fault::frame_size("a SETTINGS frame whose length is no multiple of 6"))?;
        self.counters.settings_in += 1;
        for (id, value) in settings {
            let old = self.peer;
            self.peer.take(id, value)?;
            // Each value counts, also those that the same frame takes back: the table may have to shrink in between.
            if old.header_table_size != self.peer.header_table_size {
                self.encoder.resize(value as usize);
            }
            if old.initial_window_size != self.peer.initial_window_size {
                self.shift_windows(old.initial_window_size, self.peer.initial_window_size)?;
            }
        }
        self.settled = true;
        self.output.reply(kind::SETTINGS, flag::ACK, 0, b"")?;
        on(Event::Settings);
        Ok(())
    }

    /// Moves the windows of all streams with the peer's initial window (RFC 9113 section 6.9.2).
    fn shift_windows(&mut self, old: u32, new: u32) -> Result<(), Fault> {
        let mut opened = Vec::new();
        for stream in self.streams.iter_mut() {
            let shifted = stream.window.shift(old, new);
            shifted.map_err(|_| Fault::flow_control("a change of INITIAL_WINDOW_SIZE lifts a window above 2^31-1"))?;
            if stream.stopped && stream.window.room() > 0 {
                opened.push(stream.id());
            }
        }
        for id in opened {
            self.queue(id);
        }
        Ok(())
    }

    fn take_ping(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        on_connection(head)?;
        let payload = <[u8; 8]>::try_from(payload).map_err(|_| Fault::frame_size("a PING that is not 8 bytes long"))?;
        if head.has(flag::ACK) {
            on(Event::Pong { payload });
            return Ok(());
        }
        self.counters.pings_in += 1;
        self.output.reply(kind::PING, flag::ACK, 0, &payload)
    }

    fn take_go_away(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        on_connection(head)?;
        let short = Fault::frame_size("a GOAWAY shorter than 8 bytes");
        let (fixed, debug) = payload.split_at_checked(8).ok_or(short)?;
        let last_stream = number(&fixed[..4]).ok_or(short)? & MAX_31;
        let code = ErrorCode(number(&fixed[4..]).ok_or(short)?);
        self.counters.goaways_in.add(code);
        self.peer_leaving = true;
        on(Event::GoAway { last_stream, code, debug: &debug[..debug.len().min(DEBUG_MAX)] });
        let mut unprocessed: Vec<u32> = self.streams.iter().map(Stream::id).filter(|&id| id > last_stream).collect();
        unprocessed.sort_unstable();
        for id in unprocessed {
            if let Some(stream) = self.streams.remove(id) {
                on(Event::Unprocessed { tag: stream.tag });
            }
        }
        Ok(())
    }

    fn take_window_update(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        on: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        let by = number(payload).ok_or(Fault::frame_size("a WINDOW_UPDATE that is not 4 bytes long"))?;
        let by = by & MAX_31;
        self.counters.window_updates_in += 1;
        if head.stream == 0 {
            if by == 0 {
                return Err(Fault::protocol("a WINDOW_UPDATE by nothing"));
            }
            let grown = self.window.grow(by);
            return grown.map_err(|_| Fault::flow_control("the connection's window is lifted above 2^31-1"));
        }
        self.known(head)?;
        let Some(stream) = self.streams.get_mut(head.stream) else {
            self.counters.ignored_in += 1;
            return Ok(());
        };
        if by == 0 {
            return self.stream_error(head.stream, ErrorCode::PROTOCOL_ERROR, "a WINDOW_UPDATE by nothing", on);
        }
        if stream.window.grow(by).is_err() {
            let reason = "the stream's window is lifted above 2^31-1";
            return self.stream_error(head.stream, ErrorCode::FLOW_CONTROL_ERROR, reason, on);
        }
        if stream.stopped && stream.window.room() > 0 {
            self.queue(head.stream);
        }
        Ok(())
    }

    fn take_reset(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        self.known(head)?;
        let code = number(payload).ok_or(Fault::frame_size("an RST_STREAM that is not 4 bytes long"))?;
        let Some(stream) = self.streams.remove(head.stream) else {
            self.counters.ignored_in += 1;
            return Ok(());
        };
        let code = ErrorCode(code);
        self.counters.resets_in.add(code);
        on(Event::Reset { tag: stream.tag, code, by_peer: true, reason: "" });
        Ok(())
    }

    /// Priorities mean nothing to a client, but a frame must still have the form of one (RFC 9113 section 6.3).
    fn take_priority(&mut self, head: FrameHead, payload: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        self.counters.ignored_in += 1;
        if head.stream == 0 {
            return Err(Fault::protocol("a PRIORITY frame for stream 0"));
        }
        if payload.len() != 5 && self.streams.get(head.stream).is_some() {
            let reason = "a PRIORITY frame that is not 5 bytes long";
            return self.stream_error(head.stream, ErrorCode::FRAME_SIZE_ERROR, reason, on);
        }
        Ok(())
    }

    /// Checks that the stream of a frame is one that we opened, be it gone or not.
    pub(super) fn known(&self, head: FrameHead) -> Result<(), Fault> {
        if head.stream == 0 {
            return Err(Fault::protocol("a frame for stream 0 that belongs to a stream"));
        }
        if head.stream.is_multiple_of(2) || head.stream >= self.next_id {
            return Err(Fault::protocol("a frame for a stream that was never opened"));
        }
        Ok(())
    }

    /// Ends a stream on which the peer broke the protocol.
    pub(super) fn stream_error(
        &mut self,
        id: u32,
        code: ErrorCode,
        reason: &'static str,
        on: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        let Some(stream) = self.streams.remove(id) else { return Ok(()) };
        self.counters.resets_out += 1;
        on(Event::Reset { tag: stream.tag, code, by_peer: false, reason });
        self.output.reply(kind::RST_STREAM, 0, id, &code.0.to_be_bytes())
    }
}

fn on_connection(head: FrameHead) -> Result<(), Fault> {
    if head.stream == 0 { Ok(()) } else { Err(Fault::protocol("a frame of the connection that names a stream")) }
}
