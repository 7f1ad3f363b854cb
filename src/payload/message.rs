//! Messages in their gRPC frames, and the messages of one call.

use std::sync::Arc;

use crate::error::{DataError, Problems};

/// A message in its gRPC frame: one byte (1 if it is compressed), the length in four, the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    framed: Arc<[u8]>,
}

/// What gRPC puts in front of a message.
pub(super) const PREFIX: usize = 5;

impl Message {
    /// Frames an encoded message.
    ///
    /// Errors when it has more than 4294967295 bytes.
    pub fn new(encoded: &[u8]) -> Result<Message, Problems> {
        let mut framed = Vec::with_capacity(PREFIX + encoded.len());
        frame(&mut framed, |out| out.extend_from_slice(encoded))?;
        Ok(Message { framed: framed.into() })
    }

    /// As it goes into DATA frames.
    pub fn framed(&self) -> &[u8] {
        &self.framed
    }

    /// How long the message is without its frame, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        payload_bytes(&self.framed)
    }

    /// Frames what `write` writes.
    pub(super) fn written(write: impl FnOnce(&mut Vec<u8>)) -> Result<Message, Problems> {
        let mut framed = Vec::new();
        frame(&mut framed, write)?;
        Ok(Message { framed: framed.into() })
    }

    /// The same message, compressed.
    pub(super) fn compressed(&self) -> Result<Message, Problems> {
        let mut framed = self.framed.to_vec();
        super::gzip::compress(&mut framed, 0)?;
        Ok(Message { framed: framed.into() })
    }

    pub(super) fn unshared(&self) -> Message {
        Message { framed: Arc::from(&*self.framed) }
    }
}

/// How long a framed message is without its frame, in bytes.
pub fn payload_bytes(framed: &[u8]) -> u32 {
    u32::from_be_bytes([framed[1], framed[2], framed[3], framed[4]])
}

/// Appends what `write` writes, in a frame.
pub(super) fn frame(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Problems> {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX]);
    write(out);
    let prefix = prefix(out.len() - start - PREFIX)?;
    out[start..start + PREFIX].copy_from_slice(&prefix);
    Ok(())
}

/// What stands in front of a message of so many bytes.
pub(super) fn prefix(bytes: usize) -> Result<[u8; PREFIX], Problems> {
    let len = u32::try_from(bytes).map_err(|_| DataError::TooLong { bytes })?.to_be_bytes();
    Ok([0, len[0], len[1], len[2], len[3]])
}

/// The messages of one call, in their frames and in order. A call with one message each way has one.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    of: Of<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Of<'a> {
    Ready(&'a [Message]),
    Rendered { framed: &'a [u8], ends: &'a [usize] },
}

impl<'a> Messages<'a> {
    pub(super) fn ready(messages: &'a [Message]) -> Messages<'a> {
        Messages { of: Of::Ready(messages) }
    }

    /// Messages one after the other, and where each ends.
    pub(super) fn rendered(framed: &'a [u8], ends: &'a [usize]) -> Messages<'a> {
        Messages { of: Of::Rendered { framed, ends } }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        match self.of {
            Of::Ready(messages) => messages.len(),
            Of::Rendered { ends, .. } => ends.len(),
        }
    }

    /// Whether there are none, as in a call that streams nothing.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The one at `place`, in its frame.
    pub fn get(self, place: usize) -> Option<&'a [u8]> {
        match self.of {
            Of::Ready(messages) => messages.get(place).map(Message::framed),
            Of::Rendered { framed, ends } => {
                let end = *ends.get(place)?;
                let start = place.checked_sub(1).map_or(0, |before| ends[before]);
                Some(&framed[start..end])
            }
        }
    }

    /// All of them, in their frames.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        (0..self.len()).filter_map(move |place| self.get(place))
    }
}
