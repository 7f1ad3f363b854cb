//! HPACK, the header compression of HTTP/2 (RFC 7541): both directions, Huffman code and dynamic table included.
//!
//! It turns blocks into fields and fields into blocks, and knows neither frames nor streams. Nothing here allocates per
//! field once its buffers have grown: a field is lent to the caller from the block, from a scratch buffer or from the
//! table. What a peer can grow is bounded by the table size that we announced and by the length of the block, which the
//! caller bounds.

mod decoder;
mod encoder;
mod huffman;
mod integer;
mod table;
#[cfg(test)]
mod tests;

pub(super) use decoder::{Decoder, Field};
pub(super) use encoder::{Encoder, Head, append_literal};
#[cfg(test)]
pub(super) use tests::RandomEncoder;

/// A header block that cannot be decoded, and why. The two sides' tables may differ from here on, so the connection is
/// lost with it (RFC 9113 section 4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BadBlock(pub(super) &'static str);
