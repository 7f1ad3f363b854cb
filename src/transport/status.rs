//! How a call ended, by gRPC's specifications.
//!
//! grpc/doc: `PROTOCOL-HTTP2.md` (errors, Status-Message), `statuscodes.md`, `http-grpc-status-mapping.md`.

use tonic::Code;

use crate::wire::ErrorCode;

/// The number of a status.
pub(super) const fn number(code: Code) -> u32 {
    code as u32
}

/// A unary answer with no message, or with several: a "response cardinality violation" of `statuscodes.md`.
pub(super) const WRONG_NUMBER_OF_MESSAGES: Code = Code::Unimplemented;

/// The status of an HTTP response that has no `grpc-status`.
pub(super) fn of_http(status: u16) -> Code {
    match status {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502 | 503 | 504 => Code::Unavailable,
        _ => Code::Unknown,
    }
}

/// The status of a stream that the server reset.
pub(super) fn of_reset(code: ErrorCode) -> Code {
    match code {
        ErrorCode::REFUSED_STREAM => Code::Unavailable,
        ErrorCode::CANCEL => Code::Cancelled,
        ErrorCode::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
        ErrorCode::INADEQUATE_SECURITY => Code::PermissionDenied,
        ErrorCode::HTTP_1_1_REQUIRED => Code::Unknown,
        _ => Code::Internal,
    }
}

/// Reads the value of `grpc-status`; `None` if it is no number.
pub(super) fn parse(value: &[u8]) -> Option<u32> {
    // Nearly every call ends with one digit.
    if let [digit @ b'0'..=b'9'] = value {
        return Some(u32::from(digit - b'0'));
    }
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    digits.then(|| std::str::from_utf8(value).ok()?.parse().ok()).flatten()
}

/// Undoes the percent-encoding of `grpc-message`, appending to `text`.
///
/// The specification forbids to drop a message whose encoding is broken: what is no escape stays as it is, and what is
/// no UTF-8 becomes replacement characters.
pub(super) fn decode_message(value: &[u8], text: &mut String) {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let escaped = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &after[2..];
            }
            None => bytes.push(byte),
        }
    }
    text.push_str(&String::from_utf8_lossy(&bytes));
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c26_messages_survive_broken_encodings() {
        for (raw, text) in [
            (&b"caf%C3%28 x"[..], "caf\u{fffd}( x"),
            (b"100% of %zz", "100% of %zz"),
            (b"%E2%98%83", "☃"),
            (b"%", "%"),
            (b"%4", "%4"),
            (b"\xff", "\u{fffd}"),
            (b"", ""),
        ] {
            let mut decoded = String::new();
            decode_message(raw, &mut decoded);
            assert_eq!(decoded, text);
        }
    }

    #[test]
    fn c26_statuses_are_numbers() {
        assert_eq!(parse(b"5"), Some(5));
        assert_eq!(parse(b"99"), Some(99));
        for bad in [&b""[..], b"abc", b"-1", b"+1", b"1 ", b"99999999999"] {
            assert_eq!(parse(bad), None);
        }
    }

    #[test]
    fn c25_http_statuses() {
        for (http, code) in [
            (400, Code::Internal),
            (401, Code::Unauthenticated),
            (403, Code::PermissionDenied),
            (404, Code::Unimplemented),
            (429, Code::Unavailable),
            (502, Code::Unavailable),
            (503, Code::Unavailable),
            (504, Code::Unavailable),
            (200, Code::Unknown),
            (302, Code::Unknown),
            (500, Code::Unknown),
        ] {
            assert_eq!(of_http(http), code, "{http}");
        }
    }

    #[test]
    fn c29_reset_codes() {
        for (reset, code) in [
            (0, Code::Internal),
            (1, Code::Internal),
            (2, Code::Internal),
            (3, Code::Internal),
            (4, Code::Internal),
            (6, Code::Internal),
            (7, Code::Unavailable),
            (8, Code::Cancelled),
            (9, Code::Internal),
            (10, Code::Internal),
            (11, Code::ResourceExhausted),
            (12, Code::PermissionDenied),
            (13, Code::Unknown),
            (77, Code::Internal),
        ] {
            assert_eq!(of_reset(ErrorCode(reset)), code, "{reset}");
        }
    }
}
