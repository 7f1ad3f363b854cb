//! What keys and values of metadata may be, and how values go over the wire.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::payload::scalar;

/// Whether what goes by the name of `key` is a secret, and not shown unless that is asked for.
///
/// The rule: a name that has one of the words below in it, or `auth` as a part of its own, or ends in `key`; `-bin` at its
/// end says how a value is written, and not what it is.
pub fn is_secret(key: &str) -> bool {
    const TELLING: [&str; 10] =
        ["authorization", "bearer", "cookie", "credential", "jwt", "passw", "secret", "session", "signature", "token"];
    let key = key.to_ascii_lowercase();
    let key = key.strip_suffix("-bin").unwrap_or(&key);
    key.ends_with("key")
        || TELLING.iter().any(|word| key.contains(word))
        || key.split(['-', '_', '.']).any(|part| part == "auth")
}

/// Checks a key in lower case. Errors with the rule that it breaks.
pub(super) fn check_key(key: &str) -> Result<(), &'static str> {
    match key {
        "" => return Err("it is empty"),
        "content-type" | "te" => return Err("gRPC sets it itself"),
        "user-agent" => return Err("it says which program is calling, and is set already"),
        "host" => return Err("the authority of a call takes its place"),
        "connection" | "keep-alive" | "proxy-connection" | "transfer-encoding" | "upgrade" | "http2-settings" => {
            return Err("HTTP/2 has no headers about connections");
        }
        "content-length" => return Err("the length of a call's data is not known from its headers"),
        _ => {}
    }
    if key.starts_with(':') {
        return Err("names with a colon in front belong to HTTP/2");
    }
    if key.starts_with("grpc-") {
        return Err("names that start with `grpc-` belong to gRPC");
    }
    if !key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'_' | b'.' | b'-')) {
        return Err("only letters, digits, `_`, `-` and `.` are allowed");
    }
    Ok(())
}

/// Why a value cannot be sent.
pub(super) struct Refusal {
    pub(super) rule: String,
    /// What would help.
    pub(super) advice: Option<&'static str>,
}

/// What goes over the wire for the value `text` of `key`.
pub(super) fn wire_value(key: &str, text: &str) -> Result<Vec<u8>, Refusal> {
    if key.ends_with("-bin") {
        return match scalar::base64_bytes(text) {
            Some(bytes) => Ok(STANDARD_NO_PAD.encode(bytes).into_bytes()),
            None => Err(Refusal {
                rule: "must be base64, as its key ends in `-bin`".to_owned(),
                advice: Some("encode the bytes, as in `printf '\\x01\\x02' | base64`"),
            }),
        };
    }
    if let Some(c) = text.chars().find(|c| !matches!(c, ' '..='~')) {
        let (rule, advice) = if c == '\n' || c == '\r' {
            ("has a line break, and must be printable ASCII".to_owned(), Some("check for a line break at its end"))
        } else {
            let advice = "send other bytes as base64 under a key that ends in `-bin`";
            (format!("has the character U+{:04X}, and must be printable ASCII", u32::from(c)), Some(advice))
        };
        return Err(Refusal { rule, advice });
    }
    if text.trim() != text {
        let rule = "has a space at its start or end, which HTTP/2 does not allow".to_owned();
        return Err(Refusal { rule, advice: None });
    }
    Ok(text.as_bytes().to_vec())
}
