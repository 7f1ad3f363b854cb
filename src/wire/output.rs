//! The bytes that wait to be written to the socket.

use super::event::Fault;
use super::frame::{FrameHead, HEAD, flag, kind};

/// While this much waits, no more data is taken.
pub(super) const HIGH_WATER: usize = 1 << 20;
/// Data is taken again when no more than this waits.
pub(super) const LOW_WATER: usize = HIGH_WATER / 2;
/// Bytes of replies that a peer may make us owe it without reading them: thousands of acknowledgements.
pub(super) const OWED_MAX: usize = 64 * 1024;
/// Written bytes are moved out of the buffer when they are more than this and more than those that still wait.
const MOVE_MIN: usize = 64 * 1024;

/// The output buffer.
///
/// `owed` bounds what the peer can make it grow by: it rises with each reply and falls with each byte written, so the
/// buffer never holds more than the high-water mark, one frame, the headers of the streams that the caller opened, and
/// [`OWED_MAX`].
pub(super) struct Output {
    bytes: Vec<u8>,
    written: usize,
    written_in_all: u64,
    owed: usize,
    /// The last frame, if it is one of DATA that does not end its stream: where its head is, counted like
    /// `written_in_all`, and its stream.
    last_data: Option<(u64, u32)>,
}

impl Output {
    pub(super) fn new() -> Output {
        Output { bytes: Vec::new(), written: 0, written_in_all: 0, owed: 0, last_data: None }
    }

    pub(super) fn waiting(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Counts `count` bytes as written.
    pub(super) fn wrote(&mut self, count: usize) {
        debug_assert!(count <= self.len());
        self.written_in_all += count as u64;
        self.written = (self.written + count).min(self.bytes.len());
        self.owed = self.owed.saturating_sub(count);
        if self.written == self.bytes.len() {
            self.bytes.clear();
            self.written = 0;
        } else if self.written > MOVE_MIN && self.written > self.len() {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    /// Bytes that were written since the connection began.
    pub(super) fn written_in_all(&self) -> u64 {
        self.written_in_all
    }

    /// The buffer, for appending in place.
    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        self.last_data = None;
        &mut self.bytes
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes_mut().extend_from_slice(bytes);
    }

    /// Appends a whole frame; `length` is taken from the payload.
    pub(super) fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        self.push(&FrameHead { length: payload.len(), kind, flags, stream }.bytes());
        self.push(payload);
    }

    /// Appends as much of `data` of `stream` as a frame of `max` bytes takes, and says how much that was. What comes right
    /// behind other data of the stream that has not been written goes into its frame: a frame for each of many small
    /// messages costs both sides more than the messages do, and some servers take it for an attack. `end` ends the stream
    /// if all fits.
    pub(super) fn data(&mut self, stream: u32, data: &[u8], end: bool, max: usize) -> usize {
        let (start, before) = self.open_data(stream).filter(|(_, before)| *before < max).unwrap_or_else(|| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(&[0; HEAD]);
            (start, 0)
        });
        let taken = data.len().min(max - before);
        self.bytes.extend_from_slice(&data[..taken]);
        let ends = end && taken == data.len();
        let flags = if ends { flag::END_STREAM } else { 0 };
        let head = FrameHead { length: before + taken, kind: kind::DATA, flags, stream };
        self.bytes[start..start + HEAD].copy_from_slice(&head.bytes());
        self.last_data = (!ends).then(|| (self.written_in_all + (start - self.written) as u64, stream));
        taken
    }

    /// Where the last frame is and how much data it has, if more of `stream` may go into it.
    fn open_data(&self, stream: u32) -> Option<(usize, usize)> {
        let (at, _) = self.last_data.filter(|(_, of)| *of == stream)?;
        // Of a frame whose writing has begun the head may be gone.
        let start = self.written + usize::try_from(at.checked_sub(self.written_in_all)?).ok()?;
        Some((start, self.bytes.len() - start - HEAD))
    }

    /// Appends a frame that the peer made us send.
    pub(super) fn reply(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Result<(), Fault> {
        self.owed += HEAD + payload.len();
        if self.owed > OWED_MAX {
            return Err(Fault::calm("the peer asks for replies and does not read them"));
        }
        self.frame(kind, flags, stream, payload);
        Ok(())
    }

    /// Bytes of memory held.
    #[cfg(any(test, fuzzing))]
    pub(super) fn footprint(&self) -> usize {
        self.bytes.capacity()
    }
}
