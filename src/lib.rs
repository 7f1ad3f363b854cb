//! A gRPC load tester whose numbers can be trusted.
//!
//! A [`plan::Plan`] says what to send (a [`payload::CallSource`] for a [`schema::Method`]) and when (a [`load::Load`]);
//! [`drive::run`] carries it out over [`transport`] connections and returns a [`record::Recording`];
//! a [`report::Report`] says what the recording means; an [`export::Format`] writes it down.
//!
//! Modules may use those above them in this list and never those below:
//! `files`, [`units`], [`error`], `clock`, [`load`], [`record`], [`wire`], [`transport`], [`schema`], [`payload`], [`plan`], [`drive`],
//! [`report`], [`sweep`], [`export`], [`cli`]. `target`, the embedded test server, stands beside them. `tests/tidy.rs` holds the layering.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::large_stack_arrays,
        reason = "the numbers of tests are small, and their stacks are not deep"
    )
)]

pub mod cli;
mod clock;
pub mod drive;
pub mod error;
pub mod export;
mod files;
pub mod load;
pub mod payload;
pub mod plan;
pub mod record;
pub mod report;
pub mod schema;
pub mod sweep;
pub mod target;
pub mod transport;
pub mod units;
pub mod wire;
