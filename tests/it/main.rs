//! The real program against servers of this project, as a user would run it.
//!
//! Counts, identities and orderings are checked, never a latency to the millisecond: the machine may be busy.

mod harness;
mod listener;
mod numbers;

mod calls;
mod cli;
mod compare;
mod config;
mod data;
#[cfg(unix)]
mod descriptors;
mod errors;
mod expect;
mod failures;
mod generate;
mod ghz_flags;
mod interrupt;
mod live;
mod load;
#[cfg(unix)]
mod odd_inputs;
mod outputs;
mod phases;
mod readme;
mod report;
mod responses;
mod streams;
mod sweep;
mod truth;
