//! Messages compressed by gzip (RFC 1952), unpacked as they come: for their size, and for who wants to see them.
//!
//! The stream may be cut anywhere, and nothing of it is kept, so that memory stays flat whatever the server packs. The
//! library has a reader of whole streams only, which cannot be used again; hence the header and the trailer are read
//! here, and the library unpacks what is between them.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::message::BadMessage;

/// How much is unpacked at a time.
const OUTPUT: usize = 16 * 1024;

/// Bits of the header's flags: which optional fields follow. `FTEXT` says nothing of the format.
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Unpacks one message after the other.
#[derive(Debug)]
pub(super) struct Gunzip {
    inflate: Decompress,
    output: Box<[u8]>,
    checksum: Crc,
    part: Part,
    /// Bytes of the part that have come, of those that are looked at.
    seen: [u8; 10],
    seen_len: usize,
    /// Flags of optional fields that are still to come.
    flags: u8,
    /// Bytes of the message so far.
    unpacked: u64,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Header,
    ExtraLength,
    Extra(u16),
    Name,
    Comment,
    HeaderCrc,
    Deflated,
    Trailer,
    /// All of it has come. Another member may follow, as when two files are put together.
    End,
}

impl Gunzip {
    fn new() -> Gunzip {
        Gunzip {
            inflate: Decompress::new(false),
            output: vec![0; OUTPUT].into_boxed_slice(),
            checksum: Crc::new(),
            part: Part::Header,
            seen: [0; 10],
            seen_len: 0,
            flags: 0,
            unpacked: 0,
        }
    }

    /// The same in a box. Never inlined, as what else is only for compressed messages: their state passes over the stack,
    /// and whoever takes in messages would make room for it each time.
    #[inline(never)]
    pub(super) fn boxed() -> Box<Gunzip> {
        Box::new(Gunzip::new())
    }

    /// Begins a message.
    #[inline(never)]
    pub(super) fn begin(&mut self) {
        self.unpacked = 0;
        self.begin_member();
    }

    /// Takes in bytes of the message; what they give goes to `out`. Errors if they are no gzip, or give more than `most`
    /// bytes altogether.
    #[inline(never)]
    pub(super) fn feed(&mut self, mut bytes: &[u8], most: u32, out: &mut impl FnMut(&[u8])) -> Result<(), BadMessage> {
        while let Some((&first, rest)) = bytes.split_first() {
            match self.part {
                Part::Header => self.collect(&mut bytes, 10).then(|| self.header()).transpose()?.unwrap_or_default(),
                Part::ExtraLength => {
                    if self.collect(&mut bytes, 2) {
                        self.part = Part::Extra(u16::from_le_bytes([self.seen[0], self.seen[1]]));
                        self.pass_extra(&mut bytes);
                    }
                }
                Part::Extra(_) => self.pass_extra(&mut bytes),
                Part::Name | Part::Comment => {
                    bytes = rest;
                    if first == 0 {
                        self.next_field();
                    }
                }
                Part::HeaderCrc => {
                    if self.collect(&mut bytes, 2) {
                        self.next_field();
                    }
                }
                Part::Deflated => self.inflate(&mut bytes, most, out)?,
                Part::Trailer => self.collect(&mut bytes, 8).then(|| self.trailer()).transpose()?.unwrap_or_default(),
                Part::End => self.begin_member(),
            }
        }
        Ok(())
    }

    /// How many bytes the message has so far.
    pub(super) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// The message is over. Errors if something is missing.
    pub(super) fn end(&self) -> Result<(), BadMessage> {
        if self.part == Part::End { Ok(()) } else { Err(BadMessage::Gzip) }
    }

    fn begin_member(&mut self) {
        self.part = Part::Header;
        self.seen_len = 0;
        self.checksum.reset();
        self.inflate.reset(false);
    }

    /// Takes bytes until `count` have been seen; whether they have.
    fn collect(&mut self, bytes: &mut &[u8], count: usize) -> bool {
        let take = bytes.len().min(count - self.seen_len);
        self.seen[self.seen_len..self.seen_len + take].copy_from_slice(&bytes[..take]);
        *bytes = &bytes[take..];
        self.seen_len += take;
        let whole = self.seen_len == count;
        if whole {
            self.seen_len = 0;
        }
        whole
    }

    fn header(&mut self) -> Result<(), BadMessage> {
        let [0x1f, 0x8b, 8, flags, ..] = self.seen else { return Err(BadMessage::Gzip) };
        if flags & RESERVED != 0 {
            return Err(BadMessage::Gzip);
        }
        self.flags = flags;
        self.next_field();
        Ok(())
    }

    /// What comes behind the field that has ended: fields in the order of the format, then the data.
    fn next_field(&mut self) {
        let fields =
            [(EXTRA, Part::ExtraLength), (NAME, Part::Name), (COMMENT, Part::Comment), (HEADER_CRC, Part::HeaderCrc)];
        let next = fields.into_iter().find(|(flag, _)| self.flags & flag != 0);
        let (flag, part) = next.unwrap_or((0, Part::Deflated));
        self.flags &= !flag;
        self.part = part;
    }

    fn pass_extra(&mut self, bytes: &mut &[u8]) {
        let Part::Extra(left) = self.part else { return };
        let take = bytes.len().min(left.into());
        *bytes = &bytes[take..];
        // No more than `left`, which is a u16.
        let left = left - u16::try_from(take).unwrap_or(left);
        self.part = Part::Extra(left);
        if left == 0 {
            self.next_field();
        }
    }

    fn inflate(&mut self, bytes: &mut &[u8], most: u32, out: &mut impl FnMut(&[u8])) -> Result<(), BadMessage> {
        loop {
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(bytes, &mut self.output, FlushDecompress::None);
            let status = status.map_err(|_| BadMessage::Gzip)?;
            let read = size(self.inflate.total_in() - read);
            let written = size(self.inflate.total_out() - written);
            let unpacked = &self.output[..written];
            *bytes = &bytes[read..];
            self.unpacked += written as u64;
            if self.unpacked > u64::from(most) {
                return Err(BadMessage::TooLongUnpacked { most });
            }
            self.checksum.update(unpacked);
            out(unpacked);
            match status {
                Status::StreamEnd => {
                    self.part = Part::Trailer;
                    return Ok(());
                }
                // It has nothing more to give for what it was given, which should have been all of it.
                _ if read == 0 && written == 0 => {
                    return if bytes.is_empty() { Ok(()) } else { Err(BadMessage::Gzip) };
                }
                _ => {}
            }
        }
    }

    /// The checksum and the length, modulo 2^32, of what was packed.
    fn trailer(&mut self) -> Result<(), BadMessage> {
        let said = self.seen.as_chunks().0.iter().take(2).map(|word| u32::from_le_bytes(*word));
        let good = said.eq([self.checksum.sum(), self.checksum.amount()]);
        self.part = Part::End;
        if good { Ok(()) } else { Err(BadMessage::Gzip) }
    }
}

/// A part of the buffers above.
fn size(bytes: u64) -> usize {
    usize::try_from(bytes).expect("no more than a buffer has")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    /// Unpacks `packed`, which comes in pieces of these lengths.
    fn unpack(gunzip: &mut Gunzip, packed: &[u8], cuts: &[usize], most: u32) -> Result<Vec<u8>, BadMessage> {
        let mut all = Vec::new();
        let mut rest = packed;
        gunzip.begin();
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            gunzip.feed(now, most, &mut |bytes| all.extend_from_slice(bytes))?;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        gunzip.end()?;
        assert_eq!(gunzip.unpacked(), all.len() as u64);
        Ok(all)
    }

    fn packed(message: &[u8], with_fields: bool) -> Vec<u8> {
        let mut builder = GzBuilder::new();
        if with_fields {
            builder = builder.extra(vec![7; 300]).filename("name").comment("a comment");
        }
        let mut writer = builder.write(Vec::new(), Compression::default());
        writer.write_all(message).unwrap();
        writer.finish().unwrap()
    }

    proptest::proptest! {
        #[test]
        fn what_was_packed_comes_out_whatever_the_cut(
            messages in proptest::collection::vec(proptest::collection::vec(0u8..4, 0..2000), 1..4),
            cuts in proptest::collection::vec(1usize..600, 1..8),
            with_fields: bool,
        ) {
            let mut gunzip = Gunzip::new();
            for message in messages {
                let packed = packed(&message, with_fields);
                proptest::prop_assert_eq!(unpack(&mut gunzip, &packed, &cuts, 2000).unwrap(), message);
            }
        }

        #[test]
        fn broken_streams_are_seen_and_harm_no_later_one(
            at in 0usize..10_000,
            bit in 0u32..8,
            cuts in proptest::collection::vec(1usize..50, 1..4),
        ) {
            let message = b"a message that repeats itself, a message that repeats itself".repeat(5);
            let good = packed(&message, false);
            let mut bad = good.clone();
            // Of the header only what is looked at; the time and the system are anything.
            let at = if at % good.len() < 10 { at % 3 } else { at % good.len() };
            bad[at] ^= 1 << bit;
            let mut gunzip = Gunzip::new();
            // Or nothing is broken: the last byte of what is packed has bits that are not used.
            let unpacked = unpack(&mut gunzip, &bad, &cuts, u32::MAX);
            proptest::prop_assert!(unpacked == Err(BadMessage::Gzip) || unpacked.as_ref() == Ok(&message));
            proptest::prop_assert_eq!(unpack(&mut gunzip, &good, &cuts, u32::MAX).unwrap(), message);
        }
    }

    #[test]
    fn members_put_together_are_one_message() {
        let both = [packed(b"one ", true), packed(b"and two", false)].concat();
        assert_eq!(unpack(&mut Gunzip::new(), &both, &[3], 100).unwrap(), b"one and two");
        let half = &both[..both.len() - 1];
        assert_eq!(unpack(&mut Gunzip::new(), half, &[1000], 100), Err(BadMessage::Gzip));
        assert_eq!(unpack(&mut Gunzip::new(), b"", &[1], 100), Err(BadMessage::Gzip));
    }

    #[test]
    fn the_bound_is_that_of_the_unpacked_message() {
        let bomb = packed(&vec![0; 10 << 20], false);
        assert!(bomb.len() < 20_000, "{}", bomb.len());
        let mut gunzip = Gunzip::new();
        assert_eq!(unpack(&mut gunzip, &bomb, &[1 << 20], 10 << 20).unwrap().len(), 10 << 20);
        let too_long = unpack(&mut gunzip, &bomb, &[1 << 20], (10 << 20) - 1);
        assert_eq!(too_long, Err(BadMessage::TooLongUnpacked { most: (10 << 20) - 1 }));
        assert!(gunzip.unpacked() <= (10 << 20) + OUTPUT as u64, "it stops there");
    }
}
