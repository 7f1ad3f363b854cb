//! Whether bytes are a message of a given type: the wire format, read against a descriptor.
//!
//! Stricter than parsers of protobuf, which keep what they don't know: what calls send should be what the schema says,
//! and a wrong guess about the form of a file should show. Specification: protobuf.dev, "Encoding".

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Syntax};

use super::encode::WireType;

/// How deep messages nest at most, as in protobuf's own parsers.
const DEPTH: usize = 100;

/// Checks that `bytes` are one message of the type. Fields that the type does not have are passed over if they are
/// allowed.
///
/// Errors with what is wrong, and at which byte.
pub(super) fn check(bytes: &[u8], message: &MessageDescriptor, allow_unknown: bool) -> Result<(), String> {
    let mut reader = Reader { bytes, at: 0, allow_unknown };
    reader.message(message, bytes.len(), None, 0)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    allow_unknown: bool,
}

/// A field as a message has it.
struct Known {
    name: String,
    kind: Kind,
    is_list: bool,
    is_group: bool,
}

impl Known {
    fn find(message: &MessageDescriptor, number: u32) -> Option<Known> {
        let own = |field: FieldDescriptor| Known {
            name: field.name().to_owned(),
            kind: field.kind(),
            is_list: field.is_list() || field.is_map(),
            is_group: field.is_group(),
        };
        message.get_field(number).map(own).or_else(|| {
            message.get_extension(number).map(|extension| Known {
                name: extension.json_name().to_owned(),
                kind: extension.kind(),
                is_list: extension.is_list(),
                is_group: extension.is_group(),
            })
        })
    }

    fn wire_type(&self) -> WireType {
        match self.kind {
            Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => WireType::Fixed64,
            Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => WireType::Fixed32,
            Kind::Message(_) if self.is_group => WireType::GroupStart,
            Kind::String | Kind::Bytes | Kind::Message(_) => WireType::Delimited,
            _ => WireType::Varint,
        }
    }
}

impl Reader<'_> {
    /// Reads a message up to `end`; or, if it is the group of a field, to the end of that.
    fn message(
        &mut self,
        message: &MessageDescriptor,
        end: usize,
        group: Option<u32>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("messages nest more than {DEPTH} deep"));
        }
        let mut present = Vec::new();
        loop {
            if self.at == end && group.is_none() {
                break;
            }
            let start = self.at;
            let (number, wire_type) = self.tag(end)?;
            if wire_type == WireType::GroupEnd {
                if group != Some(number) {
                    return Err(format!("a group ends at byte {start} that was not begun"));
                }
                break;
            }
            match Known::find(message, number) {
                Some(field) => self.field(&field, number, wire_type, start, end, depth)?,
                None if self.allow_unknown => self.unknown(number, wire_type, end, depth)?,
                None => {
                    let name = message.full_name();
                    return Err(format!("`{name}` has no field with the number {number} (at byte {start})"));
                }
            }
            present.push(number);
        }
        if message.parent_file().syntax() == Syntax::Proto2 {
            let required = message.fields().find(|field| field.is_required() && !present.contains(&field.number()));
            if let Some(field) = required {
                return Err(format!("`{}` of `{}` is required and not there", field.name(), message.full_name()));
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Known,
        number: u32,
        wire_type: WireType,
        start: usize,
        end: usize,
        depth: usize,
    ) -> Result<(), String> {
        let own = field.wire_type();
        let packed = wire_type == WireType::Delimited && own != wire_type && field.is_list;
        if wire_type != own && !(packed && own != WireType::GroupStart) {
            return Err(format!("the field `{}` at byte {start} is not of its type", field.name));
        }
        match &field.kind {
            Kind::Message(message) if field.is_group => self.message(message, end, Some(number), depth + 1),
            Kind::Message(message) => {
                let inner = self.length(end)?;
                self.message(message, inner, None, depth + 1)
            }
            kind if wire_type == WireType::Delimited && !packed => {
                let from = self.at;
                let inner = self.length(end)?;
                let value = &self.bytes[self.at..inner];
                if *kind == Kind::String && std::str::from_utf8(value).is_err() {
                    return Err(format!("the text of `{}` at byte {from} is not UTF-8", field.name));
                }
                self.at = inner;
                Ok(())
            }
            _ if packed => {
                let inner = self.length(end)?;
                while self.at < inner {
                    self.value(own, inner)?;
                }
                Ok(())
            }
            _ => self.value(own, end),
        }
    }

    /// Passes over a field that the message does not have.
    fn unknown(&mut self, number: u32, wire_type: WireType, end: usize, depth: usize) -> Result<(), String> {
        if wire_type != WireType::GroupStart {
            return self.value(wire_type, end);
        }
        if depth > DEPTH {
            return Err(format!("groups nest more than {DEPTH} deep"));
        }
        loop {
            let start = self.at;
            match self.tag(end)? {
                (closed, WireType::GroupEnd) if closed == number => return Ok(()),
                (_, WireType::GroupEnd) => {
                    return Err(format!("a group ends at byte {start} that was not begun"));
                }
                (inner, wire_type) => self.unknown(inner, wire_type, end, depth + 1)?,
            }
        }
    }

    fn value(&mut self, wire_type: WireType, end: usize) -> Result<(), String> {
        match wire_type {
            WireType::Varint => self.varint(end).map(|_| ()),
            WireType::Fixed32 => self.skip(4, end),
            WireType::Fixed64 => self.skip(8, end),
            WireType::Delimited => {
                self.at = self.length(end)?;
                Ok(())
            }
            WireType::GroupStart | WireType::GroupEnd => Err(format!("a group at byte {} is out of place", self.at)),
        }
    }

    fn tag(&mut self, end: usize) -> Result<(u32, WireType), String> {
        let start = self.at;
        let tag = self.varint(end)?;
        let wire_type = match tag & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Delimited,
            3 => WireType::GroupStart,
            4 => WireType::GroupEnd,
            5 => WireType::Fixed32,
            other => return Err(format!("there is no wire type {other} (at byte {start})")),
        };
        match u32::try_from(tag >> 3) {
            Ok(number @ 1..0x2000_0000) => Ok((number, wire_type)),
            _ => Err(format!("there is no field number {} (at byte {start})", tag >> 3)),
        }
    }

    /// Where what follows ends, going by the length in front of it.
    fn length(&mut self, end: usize) -> Result<usize, String> {
        let start = self.at;
        let length = self.varint(end)?;
        let inner = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        inner.filter(|inner| *inner <= end).ok_or_else(|| {
            format!("the length {length} at byte {start} goes beyond the {} bytes that are left", end - self.at)
        })
    }

    fn varint(&mut self, end: usize) -> Result<u64, String> {
        let rest = &self.bytes[self.at..end];
        let (value, len) = varint(rest).ok_or_else(|| {
            if rest.len() < 10 { self.cut_off() } else { format!("the number at byte {} is too long", self.at) }
        })?;
        self.at += len;
        Ok(value)
    }

    fn skip(&mut self, len: usize, end: usize) -> Result<(), String> {
        if end - self.at < len {
            return Err(self.cut_off());
        }
        self.at += len;
        Ok(())
    }

    fn cut_off(&self) -> String {
        format!("it is cut off in the value at byte {}", self.at)
    }
}

/// The number that `bytes` begin with, and how many bytes it takes; `None` if it has no end, or more than 64 bits.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (place, byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7F);
        if place == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}
