//! The frames that make up a response: HEADERS with their CONTINUATIONs, and DATA.

use super::connection::Connection;
use super::error_code::ErrorCode;
use super::event::{Event, Fault};
use super::field::Verdict;
use super::frame::{FrameHead, flag, kind};
use super::hpack::Field;
use super::receive::HeaderBlock;

/// The frames that a header block may be cut into. Ours are 16 KiB at least, so this is no limit for an honest peer.
const BLOCK_FRAMES_MAX: u32 = 128;
/// The bytes of a header block that we take at least, and how many times the list limit otherwise: a longer block
/// cannot be decoded in bounded memory, which costs the connection; a longer list costs only its stream.
const BLOCK_MIN: usize = 64 * 1024;
const BLOCK_TIMES: usize = 4;
/// A block buffer above this is given back after use.
const BLOCK_KEPT: usize = 4096;
/// What a field counts beside its bytes (RFC 9113 section 6.5.2).
pub(super) const FIELD_OVERHEAD: usize = 32;

impl Connection {
    pub(super) fn take_data(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        on: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        self.known(head)?;
        // The connection's window counts what comes for any stream, gone or not, padding included.
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        self.counters.data_bytes_in += u64::from(length);
        let window = self.config.connection_window;
        let over = |_| Fault::flow_control("more data than the connection's window allows");
        self.received.receive(length, window).map_err(over)?;
        if let Some(by) = self.received.update(window) {
            self.open_window(0, by)?;
        }
        let data = head.unpadded(payload)?;
        let Some(stream) = self.streams.get_mut(head.stream) else {
            self.counters.ignored_in += 1;
            return Ok(());
        };
        if stream.got_end {
            return self.stream_error(head.stream, ErrorCode::STREAM_CLOSED, "data after the end of the response", on);
        }
        if !stream.answered {
            let reason = "data before the response headers";
            return self.stream_error(head.stream, ErrorCode::PROTOCOL_ERROR, reason, on);
        }
        let window = self.config.stream_window;
        if stream.received.receive(length, window).is_err() {
            let reason = "more data than the stream's window allows";
            return self.stream_error(head.stream, ErrorCode::FLOW_CONTROL_ERROR, reason, on);
        }
        let (tag, end) = (stream.tag, head.has(flag::END_STREAM));
        if end {
            self.end_response(head.stream);
        } else if let Some(by) = stream.received.update(window) {
            self.open_window(head.stream, by)?;
        }
        on(Event::Data { tag, bytes: data, end });
        Ok(())
    }

    fn open_window(&mut self, stream: u32, by: u32) -> Result<(), Fault> {
        self.counters.window_updates_out += 1;
        self.output.reply(kind::WINDOW_UPDATE, 0, stream, &by.to_be_bytes())
    }

    pub(super) fn take_headers(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        on: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        self.known(head)?;
        let mut fragment = head.unpadded(payload)?;
        if head.has(flag::PRIORITY) {
            fragment = fragment.get(5..).ok_or(Fault::frame_size("a HEADERS frame without its priority fields"))?;
        }
        let end_stream = head.has(flag::END_STREAM);
        if head.has(flag::END_HEADERS) {
            return self.take_block(head.stream, end_stream, fragment, on);
        }
        self.block.stream = head.stream;
        self.block.end_stream = end_stream;
        self.block.frames = 1;
        self.extend_block(fragment)
    }

    /// That a block is open on this stream was checked with the frame's head.
    pub(super) fn take_continuation(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        on: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        self.block.frames += 1;
        if self.block.frames > BLOCK_FRAMES_MAX {
            return Err(Fault::calm("a header block in too many frames"));
        }
        self.extend_block(payload)?;
        if !head.has(flag::END_HEADERS) {
            return Ok(());
        }
        let HeaderBlock { mut bytes, stream, end_stream, .. } = std::mem::take(&mut self.block);
        let outcome = self.take_block(stream, end_stream, &bytes, on);
        if bytes.capacity() <= BLOCK_KEPT {
            bytes.clear();
            self.block.bytes = bytes;
        }
        outcome
    }

    fn extend_block(&mut self, fragment: &[u8]) -> Result<(), Fault> {
        let max = (self.config.max_header_list_size as usize).saturating_mul(BLOCK_TIMES).max(BLOCK_MIN);
        if self.block.bytes.len() + fragment.len() > max {
            return Err(Fault::calm("a header block far beyond the list size that we announced"));
        }
        self.block.bytes.extend_from_slice(fragment);
        Ok(())
    }

    /// Takes a whole header block. It is decoded for streams that are gone, too, to keep the tables of both sides alike.
    fn take_block(&mut self, id: u32, end: bool, block: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        self.counters.header_bytes_in += block.len() as u64;
        let stream = self.streams.get(id);
        let mut list = FieldList {
            tag: stream.map(|stream| stream.tag),
            trailers: stream.is_some_and(|stream| stream.answered),
            limit: self.config.max_header_list_size as usize,
            size: 0,
            status: None,
            wrong: None,
        };
        if stream.is_some_and(|stream| stream.got_end) {
            list.wrong = Some((ErrorCode::STREAM_CLOSED, "headers after the end of the response"));
        }
        let decoded = self.decoder.decode(block, &mut |field| list.take(field, on));
        decoded.map_err(|bad| Fault::compression(bad.0))?;
        let Some(tag) = list.tag else {
            self.counters.ignored_in += 1;
            return Ok(());
        };
        if let Some((code, reason)) = list.verdict(end) {
            return self.stream_error(id, code, reason, on);
        }
        match list.status {
            Some(status) if status < 200 => self.counters.interim_in += 1,
            Some(status) => {
                if let Some(stream) = self.streams.get_mut(id) {
                    stream.answered = true;
                }
                if end {
                    self.end_response(id);
                }
                on(Event::Head { tag, status, end });
            }
            None => {
                self.end_response(id);
                on(Event::Trailers { tag });
            }
        }
        Ok(())
    }

    fn end_response(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(id) else { return };
        stream.got_end = true;
        if stream.sent_end {
            self.streams.remove(id);
        }
    }
}

/// What is known of a list of fields while it is decoded.
struct FieldList {
    /// The stream's tag, unless it is gone.
    tag: Option<u32>,
    trailers: bool,
    limit: usize,
    size: usize,
    status: Option<u16>,
    /// The first thing found wrong. From there on nothing is passed on.
    wrong: Option<(ErrorCode, &'static str)>,
}

impl FieldList {
    fn take(&mut self, field: Field<'_>, on: &mut impl FnMut(Event<'_>)) {
        let (Some(tag), None) = (self.tag, self.wrong) else { return };
        self.size += field.name.len() + field.value.len() + FIELD_OVERHEAD;
        if self.size > self.limit {
            self.wrong = Some((ErrorCode::ENHANCE_YOUR_CALM, "more headers than the list size that we announced"));
            return;
        }
        let malformed = match field.verdict {
            Verdict::Malformed(flaw) => flaw.reason(),
            Verdict::Status(_) if self.trailers => "a :status in trailers",
            Verdict::Status(_) if self.status.is_some() => "a second :status",
            Verdict::Status(status) => {
                self.status = Some(status);
                return;
            }
            Verdict::Regular => {
                if self.trailers || self.status.is_some_and(|status| status >= 200) {
                    on(Event::Header { tag, name: field.name, value: field.value });
                    return;
                } else if self.status.is_some() {
                    return;
                }
                // It also stands for a `:status` that comes late.
                "a response without :status in front"
            }
        };
        self.wrong = Some((ErrorCode::PROTOCOL_ERROR, malformed));
    }

    /// What is wrong with the whole list, if anything.
    fn verdict(&self, end: bool) -> Option<(ErrorCode, &'static str)> {
        let malformed = match self.status {
            _ if self.wrong.is_some() => return self.wrong,
            None if !self.trailers => "a response without :status",
            None if !end => "headers in the middle of a response",
            Some(101) => "a 101 response, which HTTP/2 does not have",
            Some(status) if status < 200 && end => "an interim response that ends the stream",
            _ => return None,
        };
        Some((ErrorCode::PROTOCOL_ERROR, malformed))
    }
}
