//! A [`Target`] and the connections to it.

mod target;

pub use target::{Address, Security, Target};
