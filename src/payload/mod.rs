//! What calls send: JSON to encoded messages, and metadata. Everything is encoded before the first connection is made.
//!
//! Data that cannot be sent is refused here, all mistakes of a text at once; nothing that comes later can fail on it.

mod encode;
mod field;
mod gzip;
pub(crate) mod json;
mod mapping;
mod metadata;
mod number;
#[cfg(test)]
mod round_trip;
mod scalar;
#[cfg(test)]
mod tests;
mod time;
mod well_known;

use std::sync::Arc;

use crate::error::{DataError, Excerpt, Problems};
use crate::schema::Method;

use json::{Json, Node};
use mapping::{Mapper, Step};
use well_known::WellKnown;

pub use metadata::Metadata;

/// A message in its gRPC frame: one byte (1 if it is compressed), the length in four, the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    framed: Arc<[u8]>,
}

/// What gRPC puts in front of a message.
const PREFIX: usize = 5;

impl Message {
    /// Frames an encoded message.
    ///
    /// Errors when it has more than 4294967295 bytes.
    pub fn new(encoded: &[u8]) -> Result<Message, Problems> {
        Message::written(|out| out.extend_from_slice(encoded))
    }

    /// As it goes into DATA frames.
    pub fn framed(&self) -> &[u8] {
        &self.framed
    }

    /// How long the message is without its frame, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        u32::from_be_bytes([self.framed[1], self.framed[2], self.framed[3], self.framed[4]])
    }

    /// Frames what `write` writes.
    fn written(write: impl FnOnce(&mut Vec<u8>)) -> Result<Message, Problems> {
        let mut framed = vec![0; PREFIX];
        write(&mut framed);
        let prefix = prefix(framed.len() - PREFIX)?;
        framed[..PREFIX].copy_from_slice(&prefix);
        Ok(Message { framed: framed.into() })
    }

    fn unshared(&self) -> Message {
        Message { framed: Arc::from(&*self.framed) }
    }
}

/// The messages of each call.
#[derive(Clone, Debug)]
pub enum CallSource {
    /// The same message each time.
    Fixed(Message),
    /// Call `n` sends message `n` modulo their number. Never empty.
    Cycle(Vec<Message>),
}

impl CallSource {
    /// Reads JSON: an object is the message of each call, an array has messages for calls in rotation. `None`, and a text
    /// with nothing in it, is the empty message. `origin` is where it comes from, for errors: `--data` or a file's name.
    ///
    /// If the method takes a `google.protobuf.ListValue` or `Value`, an array is the message itself; other messages with
    /// a JSON form of their own are taken in that form.
    ///
    /// Errors: text that is not JSON, or more than one value; an empty array; whatever the message cannot hold.
    pub fn from_json(json: Option<&str>, origin: &str, method: &Method) -> Result<CallSource, Problems> {
        let input = method.input();
        let text = json.unwrap_or_default();
        if is_blank(text) {
            return empty(origin, method).map(CallSource::Fixed);
        }
        let node = read(text, origin)?;
        let mut mapper = Mapper::new(origin, text, method.scope());
        let whole = WellKnown::of(&input).is_some_and(WellKnown::takes_array);
        let source = match &node.value {
            Json::Array(values) if values.is_empty() && !whole => {
                return Err(DataError::NothingToSend { origin: origin.to_owned() }.into());
            }
            Json::Array(values) if !whole => {
                let messages = values.iter().enumerate().map(|(index, value)| {
                    mapper
                        .within(Step::Index(index), |mapper| Message::written(|out| mapper.message(&input, value, out)))
                });
                CallSource::Cycle(messages.collect::<Result<_, _>>()?)
            }
            _ => CallSource::Fixed(Message::written(|out| mapper.message(&input, &node, out))?),
        };
        mapper.finish()?;
        Ok(source)
    }

    /// Whether `text` can be data at all, where it is not known yet for which method.
    pub fn check_text(text: &str, origin: &str) -> Result<(), Problems> {
        if is_blank(text) { Ok(()) } else { read(text, origin).map(|_| ()) }
    }

    /// The message of call `index`.
    pub fn message(&self, index: u64) -> &Message {
        match self {
            CallSource::Fixed(message) => message,
            CallSource::Cycle(messages) => {
                // The remainder is below a length in memory.
                #[allow(clippy::cast_possible_truncation)]
                let index = (index % messages.len() as u64) as usize;
                &messages[index]
            }
        }
    }

    /// The messages of streaming call `index`, in order: all of them, in each call.
    pub fn sequence(&self, _index: u64) -> &[Message] {
        match self {
            CallSource::Fixed(message) => std::slice::from_ref(message),
            CallSource::Cycle(messages) => messages,
        }
    }

    /// The longest message: its place in the data, from 0, and its bytes without the frame.
    pub fn longest(&self) -> (usize, u32) {
        let messages = self.sequence(0).iter().map(Message::payload_bytes).enumerate();
        messages.rev().max_by_key(|(_, bytes)| *bytes).expect("there is a message")
    }

    /// The same messages in memory of their own, so that threads don't share cache lines.
    #[must_use]
    pub fn unshared(&self) -> CallSource {
        match self {
            CallSource::Fixed(message) => CallSource::Fixed(message.unshared()),
            CallSource::Cycle(messages) => CallSource::Cycle(messages.iter().map(Message::unshared).collect()),
        }
    }
}

/// What stands in front of a message of so many bytes.
fn prefix(bytes: usize) -> Result<[u8; PREFIX], Problems> {
    let len = u32::try_from(bytes).map_err(|_| DataError::TooLong { bytes })?.to_be_bytes();
    Ok([0, len[0], len[1], len[2], len[3]])
}

/// The message without any field; only required ones can be missing from it.
fn empty(origin: &str, method: &Method) -> Result<Message, Problems> {
    let mut mapper = Mapper::new(origin, "", method.scope());
    let message = Message::written(|out| mapper.fields(&method.input(), &[], None, &(0..0), out))?;
    mapper.finish()?;
    Ok(message)
}

/// The JSON value that `text` is.
fn read<'a>(text: &'a str, origin: &str) -> Result<Node<'a>, Problems> {
    json::read(text).map_err(|error| {
        let (offset, len) = (error.at.start, error.at.len());
        let bare = text[offset..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\'');
        let excerpt =
            Excerpt { origin: origin.to_owned(), text: text.to_owned(), offset, len, label: "here".to_owned() };
        DataError::NotJson { origin: origin.to_owned(), problem: error.problem, bare, excerpt }.into()
    })
}

/// Whether a text says nothing, be it with a byte-order mark.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}
