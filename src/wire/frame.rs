//! The layout of frames (RFC 9113 sections 4.1 and 6): heads, types, flags, padding.

use super::event::Fault;

/// What a client sends first (RFC 9113 section 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The length of a frame's head.
pub(super) const HEAD: usize = 9;
/// The largest stream number and the largest window.
pub(super) const MAX_31: u32 = 0x7fff_ffff;
/// The frame size that everybody accepts, and the largest that the length field can say.
pub(super) const SIZE_MIN: u32 = 16_384;
/// See [`SIZE_MIN`].
pub(super) const SIZE_MAX: u32 = 0x00ff_ffff;

/// Frame types.
pub(super) mod kind {
    pub(in crate::wire) const DATA: u8 = 0;
    pub(in crate::wire) const HEADERS: u8 = 1;
    pub(in crate::wire) const PRIORITY: u8 = 2;
    pub(in crate::wire) const RST_STREAM: u8 = 3;
    pub(in crate::wire) const SETTINGS: u8 = 4;
    pub(in crate::wire) const PUSH_PROMISE: u8 = 5;
    pub(in crate::wire) const PING: u8 = 6;
    pub(in crate::wire) const GOAWAY: u8 = 7;
    pub(in crate::wire) const WINDOW_UPDATE: u8 = 8;
    pub(in crate::wire) const CONTINUATION: u8 = 9;
}

/// Frame flags.
pub(super) mod flag {
    pub(in crate::wire) const ACK: u8 = 0x1;
    pub(in crate::wire) const END_STREAM: u8 = 0x1;
    pub(in crate::wire) const END_HEADERS: u8 = 0x4;
    pub(in crate::wire) const PADDED: u8 = 0x8;
    pub(in crate::wire) const PRIORITY: u8 = 0x20;
}

/// The head of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameHead {
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl FrameHead {
    /// Reads the head at the start of `bytes`, if it is all there. The reserved bit is ignored.
    pub(super) fn read(bytes: &[u8]) -> Option<FrameHead> {
        let &[l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes.first_chunk::<HEAD>()?;
        Some(FrameHead {
            length: u32::from_be_bytes([0, l0, l1, l2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & MAX_31,
        })
    }

    /// The nine bytes. `length` must be below 2^24.
    pub(super) fn bytes(self) -> [u8; HEAD] {
        let [.., l0, l1, l2] = self.length.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        [l0, l1, l2, self.kind, self.flags, s0, s1, s2, s3]
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The payload of a DATA or HEADERS frame without its padding (RFC 9113 section 6.1).
    pub(super) fn unpadded(self, payload: &[u8]) -> Result<&[u8], Fault> {
        if !self.has(flag::PADDED) {
            return Ok(payload);
        }
        let (&padding, rest) = payload.split_first().ok_or(Fault::frame_size("a padded frame without a pad length"))?;
        let kept = rest.len().checked_sub(usize::from(padding));
        kept.map(|kept| &rest[..kept]).ok_or(Fault::protocol("more padding than the frame is long"))
    }
}

/// A payload that is one number of 32 bits, the top bit ignored.
pub(super) fn number(payload: &[u8]) -> Option<u32> {
    <[u8; 4]>::try_from(payload).ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_and_written() {
        let bytes = [0x01, 0x02, 0x03, 0x09, 0x24, 0xff, 0xff, 0xff, 0xfd];
        let head = FrameHead::read(&bytes).unwrap();
        assert_eq!(head, FrameHead { length: 0x10203, kind: 9, flags: 0x24, stream: 0x7fff_fffd });
        assert_eq!(head.bytes(), [0x01, 0x02, 0x03, 0x09, 0x24, 0x7f, 0xff, 0xff, 0xfd]);
        assert_eq!(FrameHead::read(&bytes[..8]), None);
    }

    #[test]
    fn padding_is_taken_off() {
        let head = |flags| FrameHead { length: 0, kind: 0, flags, stream: 1 };
        assert_eq!(head(0).unpadded(&[1, 2]).unwrap(), [1, 2]);
        assert_eq!(head(flag::PADDED).unpadded(&[1, 7, 0]).unwrap(), [7]);
        assert_eq!(head(flag::PADDED).unpadded(&[2, 0, 0]).unwrap(), [0u8; 0]);
        assert!(head(flag::PADDED).unpadded(&[3, 0, 0]).is_err());
        assert!(head(flag::PADDED).unpadded(&[]).is_err());
    }
}
