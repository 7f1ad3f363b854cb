//! Where the messages and metadata of a call are made if they are made for that call alone.

use super::message::MessageList;

/// Room for what is rendered for one call. A slot keeps one and uses it again and again, so that it stops growing.
#[derive(Default, Debug)]
pub struct Room {
    /// A text that was rendered.
    pub(super) text: String,
    /// Messages.
    pub(super) messages: MessageList,
    /// Names and values of metadata, one after the other.
    pub(super) metadata: Vec<u8>,
    /// Where each name and each value ends.
    pub(super) field_ends: Vec<(usize, usize)>,
}

impl Room {
    /// Empty.
    pub fn new() -> Room {
        Room::default()
    }

    /// Adds a name and a value to the metadata.
    pub(super) fn push_field(&mut self, key: &str, value: &[u8]) {
        self.metadata.extend_from_slice(key.as_bytes());
        let key_end = self.metadata.len();
        self.metadata.extend_from_slice(value);
        self.field_ends.push((key_end, self.metadata.len()));
    }
}
