//! What calls send: JSON to encoded messages, and metadata. Everything is encoded before the first connection is made.

use std::sync::Arc;

use crate::error::Problems;
use crate::schema::Method;

/// A message in its gRPC frame: one byte (not compressed), the length in four, the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    framed: Arc<[u8]>,
}

impl Message {
    /// Frames an encoded message.
    pub fn new(encoded: &[u8]) -> Message {
        let _ = encoded;
        todo!()
    }

    /// As it goes into DATA frames.
    pub fn framed(&self) -> &[u8] {
        &self.framed
    }

    /// How long the message is without its frame, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        todo!()
    }
}

/// The messages of each call.
#[derive(Clone, Debug)]
pub enum CallSource {
    /// The same message each time.
    Fixed(Message),
    /// Call `n` sends message `n` modulo their number.
    Cycle(Vec<Message>),
}

impl CallSource {
    /// Reads JSON: an object is the message of each call, an array has messages for calls in rotation. `None` is the
    /// empty message. `origin` is where it comes from, for errors: `--data` or a file's name.
    pub fn from_json(json: Option<&str>, origin: &str, method: &Method) -> Result<CallSource, Problems> {
        let _ = (json, origin, method);
        todo!()
    }

    /// The message of call `index`.
    pub fn message(&self, index: u64) -> &Message {
        let _ = index;
        todo!()
    }

    /// The same messages in memory of their own, so that threads don't share cache lines.
    #[must_use]
    pub fn unshared(&self) -> CallSource {
        todo!()
    }
}

/// Metadata of calls: names in lower case with their values as they go over the wire, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Metadata {
    entries: Vec<(String, Vec<u8>)>,
}

impl Metadata {
    /// Reads a JSON object of strings. Values of `-bin` keys are base64 there and unpadded base64 on the wire.
    pub fn from_json(json: &str, origin: &str) -> Result<Metadata, Problems> {
        let _ = (json, origin);
        todo!()
    }

    /// The entries.
    pub fn entries(&self) -> &[(String, Vec<u8>)] {
        &self.entries
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
