//! gRPC messages within a stream of DATA bytes: counted, not kept.
//!
//! `PROTOCOL-HTTP2.md`: each message has one byte that says whether it is compressed, its length in four, and so many
//! bytes. DATA frames may cut this anywhere.

use tonic::Code;

/// The bytes before each message.
pub(super) const PREFIX: usize = 5;

/// Counts the messages of one direction of a call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MessageCounter {
    /// Messages that are complete.
    pub(super) messages: u32,
    /// Their bytes that came, without prefixes.
    pub(super) bytes: u64,
    prefix: [u8; PREFIX],
    /// How much of the prefix has come.
    prefix_len: usize,
    /// Within a message, `left` bytes before its end.
    reading: bool,
    left: u32,
}

impl MessageCounter {
    /// Takes in bytes up to the end of a message; whether one is complete. What is left of `bytes` comes behind it.
    ///
    /// Errors with the status and text of the call when a message cannot be read.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Result<bool, (Code, &'static str)> {
        while !bytes.is_empty() {
            if self.reading {
                let take = u32::try_from(bytes.len()).unwrap_or(u32::MAX).min(self.left);
                *bytes = &bytes[take as usize..];
                self.left -= take;
                self.bytes += u64::from(take);
            } else {
                let have = self.prefix_len;
                let take = bytes.len().min(PREFIX - have);
                self.prefix[have..have + take].copy_from_slice(&bytes[..take]);
                *bytes = &bytes[take..];
                self.prefix_len += take;
                if self.prefix_len < PREFIX {
                    break;
                }
                self.begin()?;
            }
            if self.left == 0 {
                self.reading = false;
                self.messages = self.messages.saturating_add(1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn begin(&mut self) -> Result<(), (Code, &'static str)> {
        let [compressed, length @ ..] = self.prefix;
        match compressed {
            0 => {}
            // We announce no compression, so nothing may be compressed.
            1 => return Err((Code::Internal, "the server sent a compressed message without naming a compression")),
            _ => return Err((Code::Internal, "the server sent a message with a bad compression flag")),
        }
        self.prefix_len = 0;
        self.left = u32::from_be_bytes(length);
        self.reading = true;
        Ok(())
    }

    /// Whether a message has begun and is not complete.
    pub(super) fn is_partial(&self) -> bool {
        self.reading || self.prefix_len > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(counter: &mut MessageCounter, mut bytes: &[u8]) -> Result<(), (Code, &'static str)> {
        while !bytes.is_empty() {
            counter.next(&mut bytes)?;
        }
        Ok(())
    }

    proptest::proptest! {
        #[test]
        fn any_cut_gives_the_same_count(
            lengths in proptest::collection::vec(0usize..40, 0..8),
            cuts in proptest::collection::vec(1usize..20, 1..20),
        ) {
            let mut stream = Vec::new();
            for length in &lengths {
                stream.push(0);
                stream.extend_from_slice(&u32::try_from(*length).unwrap().to_be_bytes());
                stream.extend(std::iter::repeat_n(7, *length));
            }
            let mut counter = MessageCounter::default();
            let mut rest = &stream[..];
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                feed(&mut counter, now).unwrap();
                rest = later;
            }
            proptest::prop_assert_eq!(counter.messages as usize, lengths.len());
            proptest::prop_assert_eq!(counter.bytes, lengths.iter().sum::<usize>() as u64);
            proptest::prop_assert!(!counter.is_partial());
        }
    }

    #[test]
    fn half_messages_and_bad_flags_are_seen() {
        let mut counter = MessageCounter::default();
        feed(&mut counter, &[0, 0, 0]).unwrap();
        assert!(counter.is_partial());
        feed(&mut counter, &[0, 2, 9]).unwrap();
        assert!(counter.is_partial());
        feed(&mut counter, &[9]).unwrap();
        assert!(!counter.is_partial());
        assert_eq!(feed(&mut counter, &[1, 0, 0, 0, 0]).unwrap_err().0, Code::Internal);
        assert_eq!(feed(&mut MessageCounter::default(), b"<html>").unwrap_err().0, Code::Internal);
    }
}
