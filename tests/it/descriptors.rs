//! Runs that may open few files.

use grpcbench::target::{Background, Options};

use super::harness::Run;
use super::numbers::{counts, whole};

#[test]
fn a_limit_that_may_be_raised_is_raised() {
    let server = Background::start(Options::default()).unwrap();
    let flags = ["-n", "600", "-c", "300", "--connections", "300", "--cpus", "2"];
    let report = Run::say_hello(server.address()).open_files("-S -n 40").args(flags).report();
    assert_eq!((counts(&report).ok, server.counts().connections()), (600, 300));
}

/// The number that is told is enough.
#[test]
fn as_many_files_as_are_asked_for_will_do() {
    let server = Background::start(Options::default()).unwrap();
    for (connections, cpus) in [("1", "1"), ("100", "4"), ("64", "64")] {
        let run = || {
            Run::say_hello(server.address()).args([
                "-n",
                "300",
                "-c",
                "100",
                "--connections",
                connections,
                "--cpus",
                cpus,
            ])
        };
        let told = run().open_files("-n 20").status(2).go().stderr;
        let needed = told.split(' ').skip_while(|word| *word != "need").nth(1).unwrap().to_owned();
        let report = run().open_files(&format!("-n {needed}")).report();
        assert_eq!(counts(&report).ok, 300, "{connections} connections with {needed} files");
        assert_eq!(whole(&report["grpcbench"]["connections"]["lost"]), 0);
    }
}
