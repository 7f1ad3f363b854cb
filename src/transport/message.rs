//! gRPC messages within a stream of DATA bytes: counted, and kept only for a reader. Compressed ones are unpacked, to
//! know how long they are.
//!
//! `PROTOCOL-HTTP2.md`: each message has one byte that says whether it is compressed, its length in four, and so many
//! bytes. DATA frames may cut this anywhere.

use std::fmt;

use tonic::Code;

use super::gunzip::Gunzip;
use super::kept::Kept;

/// The bytes before each message.
pub(super) const PREFIX: usize = 5;

/// What a call accepts of the messages of its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Accepted {
    /// The longest, in bytes: as it comes, and unpacked.
    pub(super) bytes: u32,
    /// Whether they may be compressed by gzip.
    pub(super) gzip: bool,
}

/// Why a message is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BadMessage {
    /// Compressed, and nobody said how, or asked for it.
    Compressed,
    /// Neither compressed nor not.
    Flag,
    TooLong {
        bytes: u32,
        most: u32,
    },
    /// Said to be compressed by gzip, and not.
    Gzip,
    TooLongUnpacked {
        most: u32,
    },
}

impl BadMessage {
    /// The status of its call.
    pub(super) fn code(self) -> Code {
        match self {
            BadMessage::Compressed | BadMessage::Flag | BadMessage::Gzip => Code::Internal,
            BadMessage::TooLong { .. } | BadMessage::TooLongUnpacked { .. } => Code::ResourceExhausted,
        }
    }
}

impl fmt::Display for BadMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadMessage::Compressed => {
                f.write_str("the server sent a compressed message without naming a compression that we accept")
            }
            BadMessage::Flag => f.write_str("the server sent a message with a bad compression flag"),
            BadMessage::TooLong { bytes, most } => {
                write!(f, "the server sent a message of {bytes} bytes, and --max-recv-message-size allows {most}")
            }
            BadMessage::Gzip => f.write_str("the server sent a compressed message that is no gzip"),
            BadMessage::TooLongUnpacked { most } => {
                write!(
                    f,
                    "the server sent a compressed message that has more bytes than the {most} that \
                     --max-recv-message-size allows"
                )
            }
        }
    }
}

/// Counts the messages of one direction of a call.
#[derive(Debug, Default)]
pub(super) struct MessageCounter {
    /// Messages that are complete.
    pub(super) messages: u32,
    /// Their bytes that came, without prefixes.
    pub(super) bytes: u64,
    /// The same, with those of compressed messages that are complete as they are when unpacked.
    pub(super) bytes_unpacked: u64,
    prefix: [u8; PREFIX],
    /// How much of the prefix has come.
    prefix_len: usize,
    /// Within a message, `left` bytes before its end.
    reading: bool,
    left: u32,
    /// It is compressed.
    gunzip: Option<Box<Gunzip>>,
}

/// Those that are not in use, so that there are no more than compressed messages that come at the same time.
pub(super) type Gunzips = Vec<Box<Gunzip>>;

impl MessageCounter {
    /// Takes in bytes up to the end of a message; whether one is complete. What is left of `bytes` comes behind it.
    ///
    /// Errors when a message is not to be read further.
    pub(super) fn next(
        &mut self,
        bytes: &mut &[u8],
        accepted: Accepted,
        gunzips: &mut Gunzips,
        mut kept: Option<&mut Kept>,
    ) -> Result<bool, BadMessage> {
        while !bytes.is_empty() {
            if self.reading {
                let take = u32::try_from(bytes.len()).unwrap_or(u32::MAX).min(self.left);
                let (now, later) = bytes.split_at(take as usize);
                *bytes = later;
                self.left -= take;
                self.bytes += u64::from(take);
                if let Some(gunzip) = &mut self.gunzip {
                    gunzip.feed(now, accepted.bytes, &mut |unpacked| {
                        if let Some(kept) = &mut kept {
                            kept.bytes(unpacked);
                        }
                    })?;
                } else {
                    self.bytes_unpacked += u64::from(take);
                    if let Some(kept) = &mut kept {
                        kept.bytes(now);
                    }
                }
            } else {
                let have = self.prefix_len;
                let take = bytes.len().min(PREFIX - have);
                self.prefix[have..have + take].copy_from_slice(&bytes[..take]);
                *bytes = &bytes[take..];
                self.prefix_len += take;
                if self.prefix_len < PREFIX {
                    break;
                }
                self.begin(accepted, gunzips)?;
            }
            if self.left == 0 {
                self.reading = false;
                self.messages = self.messages.saturating_add(1);
                if let Some(gunzip) = self.gunzip.take() {
                    gunzip.end()?;
                    self.bytes_unpacked += gunzip.unpacked();
                    gunzips.push(gunzip);
                }
                if let Some(kept) = &mut kept {
                    kept.end_message();
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn begin(&mut self, accepted: Accepted, gunzips: &mut Gunzips) -> Result<(), BadMessage> {
        let [compressed, length @ ..] = self.prefix;
        match compressed {
            0 => {}
            1 if accepted.gzip => {}
            1 => return Err(BadMessage::Compressed),
            _ => return Err(BadMessage::Flag),
        }
        let length = u32::from_be_bytes(length);
        if length > accepted.bytes {
            return Err(BadMessage::TooLong { bytes: length, most: accepted.bytes });
        }
        if compressed == 1 {
            let mut gunzip = gunzips.pop().unwrap_or_else(Gunzip::boxed);
            gunzip.begin();
            self.gunzip = Some(gunzip);
        }
        self.prefix_len = 0;
        self.left = length;
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

    const ALL: Accepted = Accepted { bytes: u32::MAX, gzip: false };

    fn feed(counter: &mut MessageCounter, bytes: &[u8]) -> Result<(), BadMessage> {
        feed_accepting(counter, bytes, ALL)
    }

    fn feed_accepting(counter: &mut MessageCounter, mut bytes: &[u8], accepted: Accepted) -> Result<(), BadMessage> {
        while !bytes.is_empty() {
            counter.next(&mut bytes, accepted, &mut Gunzips::new(), None)?;
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
        assert_eq!(feed(&mut counter, &[1, 0, 0, 0, 0]), Err(BadMessage::Compressed));
        assert_eq!(feed(&mut MessageCounter::default(), b"<html>"), Err(BadMessage::Flag));
    }

    #[test]
    fn c33_messages_that_are_too_long_are_seen_by_their_prefix() {
        let accepted = Accepted { bytes: 3, gzip: false };
        feed_accepting(&mut MessageCounter::default(), &[0, 0, 0, 0, 3, 1, 2, 3], accepted).unwrap();
        let too_long = feed_accepting(&mut MessageCounter::default(), &[0, 0, 0, 0, 4], accepted);
        assert_eq!(too_long, Err(BadMessage::TooLong { bytes: 4, most: 3 }));
        assert_eq!(too_long.unwrap_err().code(), Code::ResourceExhausted);
    }

    #[test]
    fn compressed_messages_count_as_they_come_and_as_they_are() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packed, &[7; 1000]).unwrap();
        let packed = packed.finish().unwrap();
        let on_the_wire = packed.len() as u64;
        let framed = [&[1, 0, 0, 0, u8::try_from(packed.len()).unwrap()], &packed[..], &[0, 0, 0, 0, 1, 7]].concat();
        let (mut counter, mut gunzips, mut kept) = (MessageCounter::default(), Gunzips::new(), Kept::with_room(5000));
        let accepted = Accepted { bytes: 1000, gzip: true };
        for _ in 0..2 {
            for piece in framed.chunks(3) {
                let mut piece = piece;
                while !piece.is_empty() {
                    counter.next(&mut piece, accepted, &mut gunzips, Some(&mut kept)).unwrap();
                }
            }
        }
        assert_eq!((counter.messages, counter.is_partial(), gunzips.len()), (4, false, 1));
        assert_eq!((counter.bytes, counter.bytes_unpacked), (2 * (on_the_wire + 1), 2 * 1001));
        assert_eq!(kept.messages, [vec![7; 1000], vec![7], vec![7; 1000], vec![7]]);
        let short = Accepted { bytes: 999, gzip: true };
        let too_long = feed_accepting(&mut MessageCounter::default(), &framed, short).unwrap_err();
        assert_eq!((too_long, too_long.code()), (BadMessage::TooLongUnpacked { most: 999 }, Code::ResourceExhausted));
        let broken = feed_accepting(&mut MessageCounter::default(), &[1, 0, 0, 0, 1, 7], accepted).unwrap_err();
        assert_eq!((broken, broken.code()), (BadMessage::Gzip, Code::Internal));
    }
}
