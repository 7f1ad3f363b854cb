//! Reports that have nowhere to go.

use expect_test::expect;
use grpcbench::error::OutputError;
use grpcbench::target::{Background, Options};

use super::check;
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &OutputError) -> fn() {
    match error {
        OutputError::Unwritable { .. } => is_opened_before_anything_is_sent,
        OutputError::NoStandardOutput { .. } => crate::outputs::a_full_disk_is_told_wherever_output_goes,
    }
}

#[test]
fn is_opened_before_anything_is_sent() {
    let server = Background::start(Options::default()).unwrap();
    check(
        Run::say_hello(server.address()).args(["-o", "no/run.json"]).status(2),
        expect![[r"
        error: cannot write `no/run.json`
        caused by: No such file or directory (os error 2)
        hint: make the folder `no` first
    "]],
    );
    check(
        Run::say_hello(server.address()).args(["-o", "."]).status(2),
        expect![[r"
        error: cannot write `.`
        caused by: Is a directory (os error 21)
    "]],
    );
    assert_eq!(server.counts().connections(), 0);
}
