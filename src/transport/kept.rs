//! What is kept of an answer for a reader. Other answers are counted, and gone.

/// A name and a value as they came.
pub type KeptField = (Vec<u8>, Vec<u8>);

/// What is kept of one answer, up to a bound.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// Metadata before the messages.
    pub metadata: Vec<KeptField>,
    /// Messages, unpacked.
    pub messages: Vec<Vec<u8>>,
    /// Metadata at the end.
    pub trailers: Vec<KeptField>,
    /// Messages that found no room any more.
    pub messages_left_out: u64,
    /// Whether metadata found none.
    pub fields_left_out: bool,
    /// Of the message that is coming.
    current: Vec<u8>,
    /// That one finds no room.
    too_long: bool,
    /// Bytes for which there is room.
    room: usize,
}

/// What an entry costs beside its bytes, about: so that empty ones find an end too.
const ENTRY: usize = 64;

impl Kept {
    /// With room for so many bytes.
    pub(super) fn with_room(room: usize) -> Kept {
        Kept { room, ..Kept::default() }
    }

    /// A field of the head, or with `trailer` of the end.
    pub(super) fn field(&mut self, name: &[u8], value: &[u8], trailer: bool) {
        if !self.takes(ENTRY + name.len() + value.len()) {
            self.fields_left_out = true;
            return;
        }
        let fields = if trailer { &mut self.trailers } else { &mut self.metadata };
        fields.push((name.to_vec(), value.to_vec()));
    }

    /// The head was all: what it had are trailers.
    pub(super) fn head_was_all(&mut self) {
        self.trailers.append(&mut self.metadata);
    }

    /// Bytes of a message.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if !self.too_long && self.takes(bytes.len()) {
            self.current.extend_from_slice(bytes);
        } else {
            self.too_long = true;
        }
    }

    /// The message is whole.
    pub(super) fn end_message(&mut self) {
        let message = std::mem::take(&mut self.current);
        // What comes behind one that is left out is left out too: whoever reads on would take it for the next.
        if std::mem::take(&mut self.too_long) || self.messages_left_out > 0 || !self.takes(ENTRY) {
            self.messages_left_out += 1;
        } else {
            self.messages.push(message);
        }
    }

    fn takes(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted() {
        let mut kept = Kept::with_room(300);
        kept.field(b"x-a", b"1", false);
        for message in [&b"one"[..], b"two", &[0; 200], b"four"] {
            kept.bytes(message);
            kept.end_message();
        }
        kept.field(b"x-b", &[0; 200], true);
        assert_eq!(kept.metadata, [(b"x-a".to_vec(), b"1".to_vec())]);
        assert_eq!((kept.messages, kept.messages_left_out), (vec![b"one".to_vec(), b"two".to_vec()], 2));
        assert!(kept.fields_left_out && kept.trailers.is_empty());
    }

    #[test]
    fn a_stream_without_end_is_cut() {
        let mut kept = Kept::with_room(10_000);
        for _ in 0..1_000_000 {
            kept.end_message();
        }
        assert_eq!(kept.messages.len() as u64 + kept.messages_left_out, 1_000_000);
        assert!(kept.messages.len() <= 10_000 / ENTRY);
    }
}
