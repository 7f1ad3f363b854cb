//! What the core tells its caller.

use std::fmt;

use super::error_code::ErrorCode;

/// Something that came from the peer. `tag` is what the caller named the stream when it opened it.
///
/// The last event of a stream is one of: `Head` or `Data` with `end`, `Trailers`, `Reset`, `Unprocessed`. After the first
/// three the stream is gone if its request had ended; else its key remains good for [`send`](super::Connection::send)
/// and [`reset`](super::Connection::reset), and a `Reset` may still come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<'a> {
    /// The peer sent settings; see [`peer`](super::Connection::peer).
    Settings,
    /// A regular field of the response head, or after `Head` of the trailers. Pseudo-headers and interim responses
    /// (1xx) are kept back. A list that turns out malformed may have sent some of its fields before its `Reset`.
    Header {
        /// The stream.
        tag: u32,
        /// The name, in lower case.
        name: &'a [u8],
        /// The value; any bytes but NUL, CR and LF.
        value: &'a [u8],
    },
    /// The response head is complete.
    Head {
        /// The stream.
        tag: u32,
        /// `:status`, 200 to 999.
        status: u16,
        /// Nothing follows: what gRPC calls trailers-only.
        end: bool,
    },
    /// The trailers are complete, and so is the response.
    Trailers {
        /// The stream.
        tag: u32,
    },
    /// The data of one DATA frame, perhaps empty, without padding.
    Data {
        /// The stream.
        tag: u32,
        /// The data.
        bytes: &'a [u8],
        /// Nothing follows, no trailers either.
        end: bool,
    },
    /// The stream is gone: the peer sent `RST_STREAM`, or broke the protocol on this stream and we queued one.
    Reset {
        /// The stream.
        tag: u32,
        /// The code that came or that we sent.
        code: ErrorCode,
        /// The peer sent it.
        by_peer: bool,
        /// What the peer did wrong if the reset is ours, else empty.
        reason: &'static str,
    },
    /// The answer to a [`ping`](super::Connection::ping).
    Pong {
        /// What the ping carried.
        payload: [u8; 8],
    },
    /// The peer will take no new streams; those up to `last_stream` may still end well.
    GoAway {
        /// The highest stream that it may have acted upon.
        last_stream: u32,
        /// Why.
        code: ErrorCode,
        /// What the peer says about it, at most 1 KiB.
        debug: &'a [u8],
    },
    /// The stream is gone, and the peer said by GOAWAY that it did not act upon it.
    Unprocessed {
        /// The stream.
        tag: u32,
    },
}

/// Why a stream cannot be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// The peer's limit of concurrent streams is reached; a slot becomes free when a stream is gone.
    StreamLimit,
    /// The connection takes no new streams any more: GOAWAY, a fault, or all stream numbers are used.
    Closing,
}

/// The connection cannot go on.
///
/// A GOAWAY with this code is in the output, except for a peer that does not speak HTTP/2; the caller writes what it can
/// and closes. The streams that were open get no more events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What we tell the peer.
    pub code: ErrorCode,
    /// What the peer did.
    pub reason: &'static str,
    /// The peer's first bytes are not HTTP/2, and this is what they look like.
    pub foreign: Option<Foreign>,
}

/// What answers instead of an HTTP/2 server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// An HTTP/1 server.
    Http1,
    /// A TLS server (a TLS alert or another record), while we speak plaintext.
    Tls,
    /// Something else.
    Unknown,
}

impl Fault {
    pub(super) const fn protocol(reason: &'static str) -> Fault {
        Fault { code: ErrorCode::PROTOCOL_ERROR, reason, foreign: None }
    }

    pub(super) const fn frame_size(reason: &'static str) -> Fault {
        Fault { code: ErrorCode::FRAME_SIZE_ERROR, reason, foreign: None }
    }

    pub(super) const fn flow_control(reason: &'static str) -> Fault {
        Fault { code: ErrorCode::FLOW_CONTROL_ERROR, reason, foreign: None }
    }

    pub(super) const fn compression(reason: &'static str) -> Fault {
        Fault { code: ErrorCode::COMPRESSION_ERROR, reason, foreign: None }
    }

    pub(super) const fn calm(reason: &'static str) -> Fault {
        Fault { code: ErrorCode::ENHANCE_YOUR_CALM, reason, foreign: None }
    }

    pub(super) const fn foreign(foreign: Foreign) -> Fault {
        let reason = match foreign {
            Foreign::Http1 => "the peer answers in HTTP/1",
            Foreign::Tls => "the peer answers with a TLS record",
            Foreign::Unknown => "the peer's first bytes are not an HTTP/2 SETTINGS frame",
        };
        Fault { code: ErrorCode::PROTOCOL_ERROR, reason, foreign: Some(foreign) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.reason, self.code)
    }
}

impl std::error::Error for Fault {}
