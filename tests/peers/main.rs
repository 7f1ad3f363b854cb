//! The measured path against servers that behave oddly, frame by frame, over real sockets; and against the same calls
//! made by tonic.
//!
//! A test that begins with a number, like `c25`, is about one way in which servers behave that other clients got wrong.
//! Counts, identities and orderings are checked; times only as bounds that a busy machine keeps.

#[expect(dead_code, reason = "the other tests of the program use all of it")]
#[path = "../it/harness.rs"]
mod harness;
#[expect(dead_code, reason = "the other tests of the program use all of it")]
#[path = "../it/numbers.rs"]
mod numbers;

mod frames;
mod identity;
mod lifetimes;
mod request;
mod run;
mod server;

mod addresses;
mod answers;
mod back_pressure;
mod bodies;
mod connections;
mod differential;
mod endings;
mod http2;
mod pacing;
mod samples;
mod secure;
mod sizes;
mod streaming;
mod streams;
mod texts;
mod timing;
mod zoo;
