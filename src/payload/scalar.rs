//! Values that are no messages: numbers, booleans, strings, bytes, enums, and keys of maps.
//!
//! Errors are what would be right, as a phrase: `a whole number from 0 to 4294967295 (uint32)`.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use prost_reflect::{EnumDescriptor, Kind, Syntax};

use super::encode::{self, Scalar};
use super::json::Json;
use super::number::{self, NoNumber};

/// The enum whose only value is written `null`.
pub(super) const NULL_VALUE: &str = "google.protobuf.NullValue";

/// The value of a field of type `kind`.
pub(super) fn read<'n>(kind: &Kind, json: &'n Json<'_>) -> Result<Scalar<'n>, String> {
    match kind {
        Kind::Double | Kind::Float => floating(kind, json),
        Kind::Bool => match json {
            Json::Bool(value) => Ok(Scalar::Varint(u64::from(*value))),
            _ => Err("true or false (bool)".to_owned()),
        },
        Kind::String => match json {
            Json::String(text) => Ok(Scalar::Bytes(text.as_bytes().into())),
            _ => Err("a string".to_owned()),
        },
        Kind::Bytes => match json {
            Json::String(text) => base64_bytes(text).map(|bytes| Scalar::Bytes(bytes.into())),
            _ => None,
        }
        .ok_or_else(|| "bytes as a base64 string".to_owned()),
        Kind::Enum(descriptor) => enumeration(descriptor, json),
        _ => match json {
            Json::Number(text) => integer(kind, text),
            Json::String(text) => integer(kind, text),
            _ => Err(NoNumber::Syntax),
        }
        .map_err(|_| whole_number(kind)),
    }
}

/// The key of an entry in a map whose keys are of type `kind`.
pub(super) fn map_key<'n>(kind: &Kind, text: &'n str) -> Result<Scalar<'n>, String> {
    match (kind, text) {
        (Kind::String, text) => Ok(Scalar::Bytes(text.as_bytes().into())),
        (Kind::Bool, "true") => Ok(Scalar::Varint(1)),
        (Kind::Bool, "false") => Ok(Scalar::Varint(0)),
        (Kind::Bool, _) => Err("\"true\" or \"false\"".to_owned()),
        (kind, text) => integer(kind, text).map_err(|_| whole_number(kind)),
    }
}

/// Bytes from base64: the standard alphabet or the one that is safe in URLs, with padding or without.
pub(super) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    // What the last character has beyond whole bytes is passed over, as the official parsers do.
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
    if text.contains(['-', '_']) { URL_SAFE.decode(text).ok() } else { STANDARD.decode(text).ok() }
}

/// A type as people know it from `.proto` files.
pub(super) fn type_name(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) => format!("`{}`", message.full_name()),
        Kind::Enum(descriptor) => format!("`{}`", descriptor.full_name()),
        kind => format!("{kind:?}"),
    }
}

fn integer(kind: &Kind, text: &str) -> Result<Scalar<'static>, NoNumber> {
    let (min, max) = range(kind);
    let value = number::integer(text, min, max)?;
    // In range by now, so that the low bits in two's complement are all there is.
    #[allow(clippy::cast_possible_truncation)]
    let (short, long) = (value as i32, value as i64);
    Ok(match kind {
        Kind::Sint32 | Kind::Sint64 => encode::zigzag(long),
        Kind::Fixed32 | Kind::Sfixed32 => Scalar::Fixed32(short.to_le_bytes()),
        Kind::Fixed64 | Kind::Sfixed64 => Scalar::Fixed64(long.to_le_bytes()),
        _ => encode::signed(long),
    })
}

fn range(kind: &Kind) -> (i128, i128) {
    match kind {
        Kind::Uint32 | Kind::Fixed32 => (0, u32::MAX.into()),
        Kind::Uint64 | Kind::Fixed64 => (0, u64::MAX.into()),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => (i64::MIN.into(), i64::MAX.into()),
        _ => (i32::MIN.into(), i32::MAX.into()),
    }
}

fn whole_number(kind: &Kind) -> String {
    let (min, max) = range(kind);
    format!("a whole number from {min} to {max} ({})", type_name(kind))
}

fn floating(kind: &Kind, json: &Json<'_>) -> Result<Scalar<'static>, String> {
    let float = matches!(kind, Kind::Float);
    let exact = |value: f64| {
        #[allow(clippy::cast_possible_truncation)]
        if float { Scalar::Fixed32((value as f32).to_le_bytes()) } else { Scalar::Fixed64(value.to_le_bytes()) }
    };
    let parsed = |text: &str| {
        if float {
            number::float(text).map(|value| Scalar::Fixed32(value.to_le_bytes()))
        } else {
            number::double(text).map(|value| Scalar::Fixed64(value.to_le_bytes()))
        }
    };
    let result = match json {
        Json::Number(text) => parsed(text),
        Json::String(text) => match text.as_ref() {
            "NaN" => Ok(exact(f64::NAN)),
            "Infinity" => Ok(exact(f64::INFINITY)),
            "-Infinity" => Ok(exact(f64::NEG_INFINITY)),
            text => parsed(text),
        },
        _ => Err(NoNumber::Syntax),
    };
    result.map_err(|reason| match (reason, float) {
        (NoNumber::Range, true) => "a number within ±3.4028235e38 (float)".to_owned(),
        (NoNumber::Range, false) => "a number within ±1.7976931348623157e308 (double)".to_owned(),
        (_, float) => {
            format!("a number, \"NaN\", \"Infinity\" or \"-Infinity\" ({})", if float { "float" } else { "double" })
        }
    })
}

fn enumeration(descriptor: &EnumDescriptor, json: &Json<'_>) -> Result<Scalar<'static>, String> {
    let closed = descriptor.parent_file().syntax() == Syntax::Proto2;
    let number = match json {
        Json::String(name) => descriptor.get_value_by_name(name).map(|value| value.number()),
        Json::Null if descriptor.full_name() == NULL_VALUE => Some(0),
        Json::Number(text) => number::integer(text, i32::MIN.into(), i32::MAX.into())
            .ok()
            .and_then(|number| i32::try_from(number).ok())
            .filter(|number| !closed || descriptor.get_value(*number).is_some()),
        _ => None,
    };
    number.map(|number| encode::signed(number.into())).ok_or_else(|| {
        let numbers = if closed { "or its number" } else { "or a number" };
        format!("the name of a value of `{}` {numbers}", descriptor.full_name())
    })
}
