//! A sans-IO HTTP/2 client core: bytes in, events out; commands in, bytes out (RFC 9113 and RFC 7541).
//!
//! It knows no socket, no clock, no task and no gRPC, and uses nothing but `std`; so it can be driven by any transport,
//! simulated and fuzzed, and it shows what a load tester wants to see and libraries hide: waits for stream slots and
//! windows, resets and their codes, GOAWAY, header bytes.
//!
//! # How it is used
//!
//! [`Connection`] is the whole of it. Its caller
//!
//! 1. writes [`output`](Connection::output) to the socket and says so by [`wrote`](Connection::wrote);
//! 2. gives what it reads to [`receive`](Connection::receive), which calls back with an [`Event`] for everything that
//!    happened, and returns a [`Fault`] when the connection is lost;
//! 3. registers each request head once by [`prepare`](Connection::prepare), and for each call does
//!    [`open`](Connection::open) and [`send`](Connection::send);
//! 4. after 1 and 2 asks [`take_writable`](Connection::take_writable) which streams may go on whose `send` took less
//!    than it was given, because a window was shut or the output full.
//!
//! A stream is known to the peer by its number, in commands by its [`StreamKey`], in events by the caller's own tag.
//!
//! # How it is built
//!
//! `receive` cuts bytes into frames and takes those that concern the connection, `response` those that make up a
//! response, `send` holds the commands; `streams`, `flow`, `settings`, `output`, `field` and `frame` are the parts that
//! they share, and `hpack` is on its own. HPACK is ours because the crates there are give each field its own
//! allocations, and this core allocates nothing per call, field or table entry.
//!
//! A call costs two copies into the output, a look-up per frame and a callback per event. That comes from: a request
//! head that is a few indexed bytes after its first use; streams found by their number in one comparison; frames handled
//! where they lie in the caller's buffer; header fields lent from where they lie, and judged once when they enter the
//! table; windows wide open, and opened again in steps of half their size.
//!
//! # What holds whatever the peer sends
//!
//! - Nothing panics, and any cut of the bytes gives the same events.
//! - Memory is bounded: one frame of the size that we announced, one header block of a few times the list size that we
//!   announced, the header table, and in the output 64 KiB of replies that the peer does not read. Whoever exceeds them
//!   gets a fault with `ENHANCE_YOUR_CALM`. Frames that cost nothing to keep are not limited in number: honest servers
//!   send thousands of tiny DATA frames.
//! - What breaks the protocol on one stream ends that stream (an [`Event::Reset`] that is not `by_peer`), what breaks
//!   it for all is a [`Fault`]. Frames of streams that are gone are ignored, but their header blocks and their data
//!   still count for the connection.
//!
//! Not checked: `content-length` against the data, priorities, and white space around header values.

mod connection;
mod counters;
mod error_code;
mod event;
mod field;
mod flow;
mod frame;
mod hpack;
mod output;
mod receive;
mod response;
mod send;
mod settings;
mod streams;
#[cfg(test)]
mod tests;

pub use connection::Connection;
pub use counters::{ByCode, Counters};
pub use error_code::ErrorCode;
pub use event::{Blocked, Event, Fault, Foreign};
pub use send::{HeadId, Shut, header_list_size};
pub use settings::{Config, PeerSettings};
pub use streams::StreamKey;
