//! Error codes of `RST_STREAM` and GOAWAY (RFC 9113 section 7).

use std::fmt;

/// An HTTP/2 error code. Unknown ones keep their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    /// No error: a graceful end.
    pub const NO_ERROR: ErrorCode = ErrorCode(0x0);
    /// The peer broke the protocol.
    pub const PROTOCOL_ERROR: ErrorCode = ErrorCode(0x1);
    /// Something went wrong on the sender's side.
    pub const INTERNAL_ERROR: ErrorCode = ErrorCode(0x2);
    /// The peer broke flow control.
    pub const FLOW_CONTROL_ERROR: ErrorCode = ErrorCode(0x3);
    /// Settings were not acknowledged in time.
    pub const SETTINGS_TIMEOUT: ErrorCode = ErrorCode(0x4);
    /// A frame came for a stream whose sender's side had ended.
    pub const STREAM_CLOSED: ErrorCode = ErrorCode(0x5);
    /// A frame of the wrong size.
    pub const FRAME_SIZE_ERROR: ErrorCode = ErrorCode(0x6);
    /// The stream was refused before anything was done for it.
    pub const REFUSED_STREAM: ErrorCode = ErrorCode(0x7);
    /// The stream is no longer wanted.
    pub const CANCEL: ErrorCode = ErrorCode(0x8);
    /// Header compression lost its state.
    pub const COMPRESSION_ERROR: ErrorCode = ErrorCode(0x9);
    /// The connection made for a CONNECT request was lost.
    pub const CONNECT_ERROR: ErrorCode = ErrorCode(0xa);
    /// The peer asks for more than is reasonable.
    pub const ENHANCE_YOUR_CALM: ErrorCode = ErrorCode(0xb);
    /// The transport is not secure enough.
    pub const INADEQUATE_SECURITY: ErrorCode = ErrorCode(0xc);
    /// HTTP/1.1 is wanted instead.
    pub const HTTP_1_1_REQUIRED: ErrorCode = ErrorCode(0xd);

    /// So many codes have a name: those from 0 on.
    pub(super) const NAMED: usize = 14;

    /// The name in RFC 9113, for the codes that have one.
    pub fn name(self) -> Option<&'static str> {
        const NAMES: [&str; ErrorCode::NAMED] = [
            "NO_ERROR",
            "PROTOCOL_ERROR",
            "INTERNAL_ERROR",
            "FLOW_CONTROL_ERROR",
            "SETTINGS_TIMEOUT",
            "STREAM_CLOSED",
            "FRAME_SIZE_ERROR",
            "REFUSED_STREAM",
            "CANCEL",
            "COMPRESSION_ERROR",
            "CONNECT_ERROR",
            "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ];
        NAMES.get(self.0 as usize).copied()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "error code {:#x}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_and_numbers_of_the_rfc() {
        assert_eq!(ErrorCode::REFUSED_STREAM.to_string(), "REFUSED_STREAM");
        assert_eq!(ErrorCode(0xd).to_string(), "HTTP_1_1_REQUIRED");
        assert_eq!(ErrorCode(0xb), ErrorCode::ENHANCE_YOUR_CALM);
        assert_eq!(ErrorCode(0xe).to_string(), "error code 0xe");
    }
}
