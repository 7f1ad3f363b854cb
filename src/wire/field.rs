//! Which fields a response may carry (RFC 9113 sections 8.2 and 8.3).

/// What a field of a response is. It depends on the field alone, so a table entry keeps it and a field that comes by
/// reference is not looked at again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// A regular field.
    Regular,
    /// `:status` with this number.
    Status(u16),
    /// A field that makes the message malformed.
    Malformed(Flaw),
}

/// Why a field makes its message malformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flaw {
    Name,
    Value,
    Pseudo,
    Status,
    Connection,
}

impl Flaw {
    /// The flaw in words.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Flaw::Name => "a header name with bytes that no name may have",
            Flaw::Value => "a header value with NUL, CR or LF",
            Flaw::Pseudo => "a pseudo-header that does not belong in a response",
            Flaw::Status => "a :status that is not a number of three digits",
            Flaw::Connection => "a connection-specific header",
        }
    }
}

/// Judges a field.
///
/// White space around a value is let through although RFC 9113 section 8.2.1 forbids it: gRPC writes spaces in
/// `grpc-message` as they are, so a message that ends in one is common and harmless.
pub(super) const fn judge(name: &[u8], value: &[u8]) -> Verdict {
    match name {
        b":status" => return status(value),
        [b':', ..] => return Verdict::Malformed(Flaw::Pseudo),
        [] => return Verdict::Malformed(Flaw::Name),
        _ => {}
    }
    let mut at = 0;
    while at < name.len() {
        if !NAME_BYTES[name[at] as usize] {
            return Verdict::Malformed(Flaw::Name);
        }
        at += 1;
    }
    at = 0;
    while at < value.len() {
        if matches!(value[at], b'\0' | b'\r' | b'\n') {
            return Verdict::Malformed(Flaw::Value);
        }
        at += 1;
    }
    match name {
        b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade" => {
            Verdict::Malformed(Flaw::Connection)
        }
        _ => Verdict::Regular,
    }
}

const fn status(value: &[u8]) -> Verdict {
    match *value {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Verdict::Status((a - b'0') as u16 * 100 + (b - b'0') as u16 * 10 + (c - b'0') as u16)
        }
        _ => Verdict::Malformed(Flaw::Status),
    }
}

/// The bytes of a regular name: visible ASCII without capitals and without the colon.
static NAME_BYTES: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0x21;
    while byte < 0x7f {
        allowed[byte] = !(byte >= b'A' as usize && byte <= b'Z' as usize) && byte != b':' as usize;
        byte += 1;
    }
    allowed
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_judged() {
        let malformed = Verdict::Malformed;
        for (name, value, verdict) in [
            ("grpc-status", "0", Verdict::Regular),
            ("x", "", Verdict::Regular),
            ("grpc-message", " spaces and \u{e9} ", Verdict::Regular),
            (":status", "200", Verdict::Status(200)),
            (":status", "999", Verdict::Status(999)),
            (":status", "099", malformed(Flaw::Status)),
            (":status", "20", malformed(Flaw::Status)),
            (":status", "2000", malformed(Flaw::Status)),
            (":status", "2x0", malformed(Flaw::Status)),
            (":path", "/", malformed(Flaw::Pseudo)),
            (":", "", malformed(Flaw::Pseudo)),
            ("", "x", malformed(Flaw::Name)),
            ("Grpc-status", "0", malformed(Flaw::Name)),
            ("a:b", "0", malformed(Flaw::Name)),
            ("a b", "0", malformed(Flaw::Name)),
            ("a\u{7f}", "0", malformed(Flaw::Name)),
            ("\u{e9}", "0", malformed(Flaw::Name)),
            ("a", "x\ny", malformed(Flaw::Value)),
            ("a", "x\ry", malformed(Flaw::Value)),
            ("a", "\0", malformed(Flaw::Value)),
            ("connection", "close", malformed(Flaw::Connection)),
            ("transfer-encoding", "chunked", malformed(Flaw::Connection)),
            ("upgrade", "x", malformed(Flaw::Connection)),
            ("keep-alive", "1", malformed(Flaw::Connection)),
            ("proxy-connection", "1", malformed(Flaw::Connection)),
        ] {
            assert_eq!(judge(name.as_bytes(), value.as_bytes()), verdict, "{name}: {value}");
        }
    }
}
