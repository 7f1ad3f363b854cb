//! Base64, Base32, JSON, and digests.

use std::fmt::Write;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gotmpl::Value;
use ring::digest::{self, digest};

use super::{Function, Outcome, string, text};

pub(super) const FUNCTIONS: &[Function] = &[
    ("b64enc", 1..=1, |args| Ok(string(STANDARD.encode(&*text(&args[0])?)))),
    ("b64dec", 1..=1, |args| {
        let bytes = STANDARD.decode(&*text(&args[0])?).map_err(|_| "this is no base64".to_owned())?;
        from_bytes(bytes)
    }),
    ("b32enc", 1..=1, |args| Ok(string(base32(text(&args[0])?.as_bytes())))),
    ("b32dec", 1..=1, |args| from_bytes(from_base32(&text(&args[0])?).ok_or("this is no base32")?)),
    ("toJson", 1..=1, |args| Ok(string(json(&args[0])?.to_string()))),
    ("mustToJson", 1..=1, |args| Ok(string(json(&args[0])?.to_string()))),
    ("toRawJson", 1..=1, |args| Ok(string(json(&args[0])?.to_string()))),
    ("mustToRawJson", 1..=1, |args| Ok(string(json(&args[0])?.to_string()))),
    ("toPrettyJson", 1..=1, |args| Ok(string(format!("{:#}", json(&args[0])?)))),
    ("mustToPrettyJson", 1..=1, |args| Ok(string(format!("{:#}", json(&args[0])?)))),
    ("fromJson", 1..=1, from_json),
    ("mustFromJson", 1..=1, from_json),
    ("sha1sum", 1..=1, |args| digested(&digest::SHA1_FOR_LEGACY_USE_ONLY, &args[0])),
    ("sha256sum", 1..=1, |args| digested(&digest::SHA256, &args[0])),
    ("adler32sum", 1..=1, |args| Ok(string(adler32(text(&args[0])?.as_bytes()).to_string()))),
];

/// Texts of templates are Unicode; other bytes stay in base64, as a `bytes` field wants them anyway.
fn from_bytes(bytes: Vec<u8>) -> Outcome {
    String::from_utf8(bytes).map(string).map_err(|_| "what it stands for is no text in UTF-8".to_owned())
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// RFC 4648, section 6.
fn base32(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(5) * 8);
    for chunk in bytes.chunks(5) {
        let bits = chunk.iter().chain([0; 5].iter()).take(5).fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let digits = (chunk.len() * 8).div_ceil(5);
        for place in 0..8 {
            let digit = (bits >> (35 - 5 * place)).to_le_bytes()[0] & 31;
            out.push(if place < digits { char::from(BASE32[usize::from(digit)]) } else { '=' });
        }
    }
    out
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let (mut bits, mut held, mut bytes) = (0u64, 0, Vec::new());
    for digit in digits.bytes() {
        let value = BASE32.iter().position(|known| *known == digit)?;
        bits = bits << 5 | value as u64;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held).to_le_bytes()[0]);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}

fn json(value: &Value) -> Result<serde_json::Value, String> {
    Ok(match value {
        Value::Nil => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        Value::Float(value) => {
            serde_json::Number::from_f64(*value).ok_or_else(|| format!("JSON has no number {value}"))?.into()
        }
        Value::String(text) => text.as_ref().into(),
        Value::List(values) => values.iter().map(json).collect::<Result<_, _>>()?,
        Value::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| Ok((name.to_string(), json(value)?)));
            serde_json::Value::Object(entries.collect::<Result<_, String>>()?)
        }
        Value::Function(_) => return Err("a function is no value".to_owned()),
    })
}

fn from_json(args: &[Value]) -> Outcome {
    let value = serde_json::from_str(&text(&args[0])?).map_err(|error| format!("this is no JSON: {error}"))?;
    Ok(value_of(value))
}

fn value_of(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Int(number),
            (None, Some(number)) => Value::Uint(number),
            (None, None) => Value::Float(number.as_f64().unwrap_or(0.0)),
        },
        serde_json::Value::String(text) => string(text),
        serde_json::Value::Array(values) => Value::List(values.into_iter().map(value_of).collect()),
        serde_json::Value::Object(entries) => {
            Value::Map(Arc::new(entries.into_iter().map(|(name, value)| (Arc::from(name), value_of(value))).collect()))
        }
    }
}

fn digested(algorithm: &'static digest::Algorithm, value: &Value) -> Outcome {
    let mut out = String::new();
    for byte in digest(algorithm, text(value)?.as_bytes()).as_ref() {
        let _ = write!(out, "{byte:02x}");
    }
    Ok(string(out))
}

/// RFC 1950, section 8.2.
fn adler32(bytes: &[u8]) -> u32 {
    const LARGEST_PRIME: u32 = 65_521;
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % LARGEST_PRIME;
        (a, (a + b) % LARGEST_PRIME)
    });
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn base_32_and_64() {
        check(&[
            ("{{b64enc \"Ünï\"}} {{b64enc \"Ünï\" | b64dec}}", "w5xuw68= Ünï"),
            ("{{b64dec \"?\"}}", "!b64dec: this is no base64"),
            ("{{b64dec \"/w==\"}}", "!no text in UTF-8"),
            (
                "{{b32enc \"f\"}} {{b32enc \"foob\"}} {{b32enc \"foobar\"}} {{b32dec \"MZXW6YTBOI======\"}}",
                "MY====== MZXW6YQ= MZXW6YTBOI====== foobar",
            ),
        ]);
    }

    #[test]
    fn json() {
        check(&[
            ("{{toJson (dict \"a\" (list 1 1.5 nil true) \"b\" \"q\\\"\")}}", r#"{"a":[1,1.5,null,true],"b":"q\""}"#),
            (
                "{{(fromJson \"{\\\"a\\\":[18446744073709551615,9007199254740993]}\").a}}",
                "[18446744073709551615 9007199254740993]",
            ),
            ("{{toPrettyJson (list 1)}}", "[\n  1\n]"),
            ("{{fromJson \"{\"}}", "!fromJson: this is no JSON: EOF"),
        ]);
    }

    #[test]
    fn digests() {
        check(&[
            ("{{sha256sum \"abc\"}}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("{{sha1sum \"abc\"}}", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("{{adler32sum \"Wikipedia\"}}", "300286872"),
        ]);
    }
}
