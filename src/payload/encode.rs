//! The protobuf wire format, written: varints, tags, fixed-width and length-delimited values.
//!
//! Knows nothing of descriptors or JSON. Specification: protobuf.dev, "Encoding".

use std::borrow::Cow;

/// How a value is laid out, by its number in a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Delimited = 2,
    GroupStart = 3,
    GroupEnd = 4,
    Fixed32 = 5,
}

/// A value that is no message, ready to be written.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Scalar<'a> {
    /// Integers, booleans, enums.
    Varint(u64),
    /// Four bytes, little end first.
    Fixed32([u8; 4]),
    /// Eight bytes, little end first.
    Fixed64([u8; 8]),
    /// Strings and bytes.
    Bytes(Cow<'a, [u8]>),
}

impl Scalar<'_> {
    /// Whether it is what a field has that is not on the wire. A negative zero is not: its bits differ.
    pub(super) fn is_default(&self) -> bool {
        match self {
            Scalar::Varint(value) => *value == 0,
            Scalar::Fixed32(bytes) => *bytes == [0; 4],
            Scalar::Fixed64(bytes) => *bytes == [0; 8],
            Scalar::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// How it is laid out.
    pub(super) fn wire_type(&self) -> WireType {
        match self {
            Scalar::Varint(_) => WireType::Varint,
            Scalar::Fixed32(_) => WireType::Fixed32,
            Scalar::Fixed64(_) => WireType::Fixed64,
            Scalar::Bytes(_) => WireType::Delimited,
        }
    }

    /// Writes it without a tag.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Scalar::Varint(value) => varint(*value, out),
            Scalar::Fixed32(bytes) => out.extend_from_slice(bytes),
            Scalar::Fixed64(bytes) => out.extend_from_slice(bytes),
            Scalar::Bytes(bytes) => {
                varint(bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
        }
    }

    /// Writes it as field `number`.
    pub(super) fn write_field(&self, number: u32, out: &mut Vec<u8>) {
        tag(number, self.wire_type(), out);
        self.write(out);
    }
}

/// Writes seven bits at a time, lowest first.
pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(0x80 | value.to_le_bytes()[0]);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Writes what stands before a field.
pub(super) fn tag(number: u32, wire_type: WireType, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | wire_type as u64, out);
}

/// Puts the length of all that was written since `start` in front of it.
pub(super) fn delimit(start: usize, out: &mut Vec<u8>) {
    let len = out.len() - start;
    let end = out.len();
    varint(len as u64, out);
    let width = out.len() - end;
    out[start..].rotate_right(width);
}

/// A signed number as it is in `int32`, `int64` and enums: sign-extended.
pub(super) fn signed(value: i64) -> Scalar<'static> {
    Scalar::Varint(value.cast_unsigned())
}

/// A signed number as it is in `sint32` and `sint64`: small ones short, whatever their sign.
pub(super) fn zigzag(value: i64) -> Scalar<'static> {
    Scalar::Varint((value << 1 ^ value >> 63).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_in_the_specification() {
        for (scalar, bytes) in [
            (Scalar::Varint(0), &[0][..]),
            (Scalar::Varint(127), &[0x7F]),
            (Scalar::Varint(150), &[0x96, 0x01]),
            (Scalar::Varint(u64::MAX), &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
            (signed(-1), &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
            (zigzag(0), &[0]),
            (zigzag(-1), &[1]),
            (zigzag(1), &[2]),
            (zigzag(-2), &[3]),
            (zigzag(i64::MIN), &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
            (Scalar::Bytes(b"ab".into()), b"\x02ab"),
        ] {
            let mut out = Vec::new();
            scalar.write(&mut out);
            assert_eq!(out, bytes, "{scalar:?}");
        }
    }

    #[test]
    fn lengths_are_put_in_front() {
        let mut out = vec![9];
        out.extend([7; 200]);
        delimit(1, &mut out);
        assert_eq!(out[..4], [9, 0xC8, 0x01, 7]);
        assert_eq!(out.len(), 203);
    }
}
