//! Messages compressed by gzip (RFC 1952), as gRPC's compression.md has it: once before the run, or as they are rendered.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::message::{PREFIX, prefix};
use crate::error::Problems;

/// The first byte of the frame of a compressed message.
const COMPRESSED: u8 = 1;

/// Compresses the framed message that begins at `start` and ends `out`. One without a byte stays as it is, since nothing
/// would be gained.
///
/// Errors when one that gzip makes longer gets too long for its frame.
pub(super) fn compress(out: &mut Vec<u8>, start: usize) -> Result<(), Problems> {
    let message = &out[start + PREFIX..];
    if message.is_empty() {
        return Ok(());
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(message.len()), Compression::default());
    encoder.write_all(message).expect("there is memory");
    let compressed = encoder.finish().expect("there is memory");
    let mut prefix = prefix(compressed.len())?;
    prefix[0] = COMPRESSED;
    out.truncate(start);
    out.extend_from_slice(&prefix);
    out.extend_from_slice(&compressed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::super::MessageList;
    use super::*;

    #[test]
    fn compressed_messages_are_the_same_messages() {
        let long = "a message that repeats itself ".repeat(100);
        for message in [&b"\x01"[..], b"short", long.as_bytes()] {
            let list = MessageList::one(message).unwrap();
            let mut framed = [b"before", list.all().get(0).unwrap()].concat();
            compress(&mut framed, 6).unwrap();
            let (before, framed) = framed.split_at(6);
            assert_eq!((before, framed[0]), (&b"before"[..], 1));
            assert_eq!(super::super::payload_bytes(framed) as usize, framed.len() - PREFIX);
            let mut read = Vec::new();
            GzDecoder::new(&framed[PREFIX..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, message);
            assert!(framed.len() < 100);
        }
    }

    #[test]
    fn an_empty_message_stays_empty() {
        let mut framed = vec![0; PREFIX];
        compress(&mut framed, 0).unwrap();
        assert_eq!(framed, [0; PREFIX]);
    }
}
