//! Every mistake that a user can make, as it is told: all of standard error, and the exit code.
//!
//! Nothing may be sent after a mistake, so most of these runs have a target where nobody listens.

mod config;
mod connect;
mod data;
mod gate;
mod output;
mod schema;
mod stored;
mod sweep;
mod usage;

use expect_test::Expect;

use crate::harness::Run;

/// A run whose flags are right but for `args`.
fn with(args: &[&str]) -> Run {
    Run::say_hello("127.0.0.1:9").args(args.iter().copied()).status(2)
}

/// A run of `call` in a file `greeter.proto` that holds `proto`.
fn of(proto: &str, call: &str) -> Run {
    Run::new().file("greeter.proto", proto).args(["--proto", "greeter.proto", "--call", call, "127.0.0.1:9"]).status(2)
}

#[track_caller]
fn check(run: Run, expected: Expect) {
    let done = run.stderr(expected).go();
    assert_eq!(done.stdout, "");
}
