//! Messages compressed by gzip (RFC 1952), as gRPC's compression.md has it: once, before the run.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{CallSource, Message, PREFIX};
use crate::error::Problems;

/// The first byte of the frame of a compressed message.
const COMPRESSED: u8 = 1;

impl CallSource {
    /// The same messages, compressed. Those without a byte stay as they are, since nothing would be gained.
    ///
    /// Errors when one that gzip makes longer gets too long for its frame.
    pub fn compressed(self) -> Result<CallSource, Problems> {
        Ok(match self {
            CallSource::Fixed(message) => CallSource::Fixed(message.compressed()?),
            CallSource::Cycle(messages) => {
                CallSource::Cycle(messages.iter().map(Message::compressed).collect::<Result<_, _>>()?)
            }
        })
    }
}

impl Message {
    fn compressed(&self) -> Result<Message, Problems> {
        let message = &self.framed()[PREFIX..];
        if message.is_empty() {
            return Ok(self.clone());
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(message).expect("there is memory");
        let Message { framed } = Message::new(&encoder.finish().expect("there is memory"))?;
        let mut framed = framed.to_vec();
        framed[0] = COMPRESSED;
        Ok(Message { framed: framed.into() })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn compressed_messages_are_the_same_messages() {
        let long = "a message that repeats itself ".repeat(100);
        let messages = [&b"\x01"[..], b"short", long.as_bytes()];
        let source = CallSource::Cycle(messages.iter().map(|message| Message::new(message).unwrap()).collect());
        let compressed = source.compressed().unwrap();
        for (index, message) in (0..).zip(messages) {
            let sent = compressed.message(index);
            assert_eq!(sent.framed()[0], 1);
            assert_eq!(sent.payload_bytes() as usize, sent.framed().len() - PREFIX);
            let mut read = Vec::new();
            GzDecoder::new(&sent.framed()[PREFIX..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, message);
        }
        assert!(compressed.message(2).payload_bytes() < 100);
    }

    #[test]
    fn an_empty_message_stays_empty() {
        let source = CallSource::Fixed(Message::new(b"").unwrap()).compressed().unwrap();
        assert_eq!(source.message(0).framed(), [0; PREFIX]);
    }
}
