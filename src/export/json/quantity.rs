//! Numbers as they stand in the document, with the bounds that they are read with: sums over all files that are merged
//! fit, whatever someone writes into them.

use serde::{Deserialize, Serialize};

use crate::report::COUNT_MAX;

/// So many calls or messages.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(try_from = "u64", into = "u64")]
pub(super) struct Count(pub(super) u64);

impl TryFrom<u64> for Count {
    type Error = String;

    fn try_from(count: u64) -> Result<Count, String> {
        if count <= COUNT_MAX { Ok(Count(count)) } else { Err(format!("a count is at most {COUNT_MAX}")) }
    }
}

impl From<Count> for u64 {
    fn from(count: Count) -> u64 {
        count.0
    }
}

/// The most bytes: eight million gigabytes.
const BYTES_MAX: u64 = 1 << 53;

/// So many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(try_from = "u64", into = "u64")]
pub(super) struct Bytes(pub(super) u64);

impl TryFrom<u64> for Bytes {
    type Error = String;

    fn try_from(bytes: u64) -> Result<Bytes, String> {
        if bytes <= BYTES_MAX { Ok(Bytes(bytes)) } else { Err(format!("there are at most {BYTES_MAX} bytes")) }
    }
}

impl From<Bytes> for u64 {
    fn from(bytes: Bytes) -> u64 {
        bytes.0
    }
}
