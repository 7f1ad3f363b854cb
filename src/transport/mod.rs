//! A [`Target`] and the connections to it.

mod target;

use crate::error::Error;
pub use target::{Address, Security, Target};

/// Finds out whether the target speaks TLS or plaintext.
pub fn probe(target: &Target, calls_carry_metadata: bool) -> Result<Security, Error> {
    let _ = (target, calls_carry_metadata);
    todo!()
}
