//! What happens within streaming calls.

use std::time::Duration;

/// How the messages of a streaming call follow each other, and how the client ends it. The default sends the messages of
/// the data one after the other, ends its side, and waits for the server.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Streams {
    /// How many messages a call sends, beginning anew with the data when that is used up; for server streaming, after
    /// how many messages of the answer the client ends the call.
    pub count: Option<u32>,
    /// The time between two messages that are sent: message `k` is due `k` intervals after the start of its call.
    pub interval: Duration,
    /// The client ends its side, and for server streaming the call, after this long.
    pub duration: Option<Duration>,
    /// The next message leaves when the reply to the last one has come (bidirectional streaming).
    pub ping_pong: bool,
}
