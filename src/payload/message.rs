//! Messages in their gRPC frames, one after the other, and those of one call among them.

use crate::error::{DataError, Problems};

/// Messages in gRPC frames: one byte (1 if it is compressed), the length in four, the bytes.
///
/// They are in one piece of memory, in order, so that calls that take them in turn read on where the last one ended.
#[derive(Clone, Default, Debug)]
pub struct MessageList {
    framed: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

/// What gRPC puts in front of a message.
pub(super) const PREFIX: usize = 5;

impl MessageList {
    /// One message, which is encoded.
    ///
    /// Errors when it has more than 4294967295 bytes.
    pub fn one(encoded: &[u8]) -> Result<MessageList, Problems> {
        MessageList::of_each([encoded])
    }

    /// Several, which are encoded. Errors as for one.
    pub(super) fn of_each<'a>(encoded: impl IntoIterator<Item = &'a [u8]>) -> Result<MessageList, Problems> {
        let mut list = MessageList::default();
        for encoded in encoded {
            list.push(|out| out.extend_from_slice(encoded))?;
        }
        Ok(list.without_spare())
    }

    /// Appends what `write` writes.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Problems> {
        let start = self.framed.len();
        self.framed.extend_from_slice(&[0; PREFIX]);
        write(&mut self.framed);
        let prefix = prefix(self.framed.len() - start - PREFIX)?;
        self.framed[start..start + PREFIX].copy_from_slice(&prefix);
        self.ends.push(self.framed.len());
        Ok(())
    }

    /// Compresses the last one.
    pub(super) fn compress_last(&mut self) -> Result<(), Problems> {
        if self.ends.pop().is_some() {
            let start = self.start_of(self.ends.len());
            super::gzip::compress(&mut self.framed, start)?;
            self.ends.push(self.framed.len());
        }
        Ok(())
    }

    /// The last one and its place.
    pub(super) fn last(&self) -> Option<(usize, &[u8])> {
        let place = self.ends.len().checked_sub(1)?;
        Some((place, &self.framed[self.start_of(place)..]))
    }

    /// The same messages, compressed.
    pub(super) fn compressed(&self) -> Result<MessageList, Problems> {
        let mut list = MessageList::default();
        for framed in self.all().iter() {
            list.push(|out| out.extend_from_slice(&framed[PREFIX..]))?;
            list.compress_last()?;
        }
        Ok(list.without_spare())
    }

    /// Without the memory that it has grown into and does not use.
    #[must_use]
    pub(super) fn without_spare(mut self) -> MessageList {
        self.framed.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    /// Empty again, with its memory.
    pub(super) fn clear(&mut self) {
        self.framed.clear();
        self.ends.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> Messages<'_> {
        Messages { framed: &self.framed, start: 0, ends: &self.ends }
    }

    /// The one at `place`, which is below their number.
    pub fn only(&self, place: usize) -> Messages<'_> {
        Messages { framed: &self.framed, start: self.start_of(place), ends: &self.ends[place..=place] }
    }

    fn start_of(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

/// How long a framed message is without its frame, in bytes.
pub fn payload_bytes(framed: &[u8]) -> u32 {
    u32::from_be_bytes([framed[1], framed[2], framed[3], framed[4]])
}

/// What stands in front of a message of so many bytes.
pub(super) fn prefix(bytes: usize) -> Result<[u8; PREFIX], Problems> {
    let len = u32::try_from(bytes).map_err(|_| DataError::TooLong { bytes })?.to_be_bytes();
    Ok([0, len[0], len[1], len[2], len[3]])
}

/// The messages of one call, in their frames and in order. A call with one message each way has one.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    /// They are somewhere in this.
    framed: &'a [u8],
    /// Where the first begins.
    start: usize,
    /// Where each ends.
    ends: &'a [usize],
}

impl<'a> Messages<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.ends.len()
    }

    /// Whether there are none, as in a call that streams nothing.
    pub fn is_empty(self) -> bool {
        self.ends.is_empty()
    }

    /// The one at `place`, in its frame.
    pub fn get(self, place: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(self.start, |before| self.ends[before]);
        Some(&self.framed[start..end])
    }

    /// All of them, in their frames.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        (0..self.len()).filter_map(move |place| self.get(place))
    }
}
