//! Sweeps that cannot start.

use expect_test::expect;

use super::check;
use crate::harness::Run;

/// A sweep whose flags are right but for `args`.
fn with(args: &[&str]) -> Run {
    Run::new()
        .args(["sweep", "--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"])
        .args(args.iter().copied())
        .status(2)
}

#[test]
fn there_are_targets_and_a_folder() {
    check(
        with(&[]),
        expect![[r"
            error: --target is missing
            hint: name the servers, such as --target old=localhost:50051 --target new=localhost:50052

            error: --dir is missing
            hint: name a folder for the reports of the cells, such as --dir results
        "]],
    );
    check(
        with(&["--target", "a=127.0.0.1:9", "--dir", "out", "127.0.0.1:9"]),
        expect![[r"
            error: `127.0.0.1:9` and --target contradict each other: each of them says who is called
            hint: leave out one of them
        "]],
    );
    check(
        with(&[
            "--target",
            "a/b=127.0.0.1:9",
            "--target",
            "c=127.0.0.1:9",
            "--target",
            "c=127.0.0.1:10",
            "--dir",
            "out",
        ]),
        expect![[r"
            error: `a/b=127.0.0.1:9` is no good value for --target: it is NAME=HOST, and the name has letters, digits, dots, dashes and underscores

            error: `c=127.0.0.1:10` is no good value for --target: each target has a name of its own
        "]],
    );
}

#[test]
fn values_are_right_and_there_once() {
    check(
        with(&[
            "-r",
            "10,x,10/s",
            "-c",
            "0,5,5",
            "--repeat",
            "0",
            "--rest",
            "3",
            "-O",
            "summary",
            "--dir",
            "out",
            "127.0.0.1:9",
        ]),
        expect![[r""]],
    );
}

#[test]
fn every_cell_is_checked_before_the_first() {
    check(with(&["-c", "2,10", "--connections", "5", "--dir", "out", "127.0.0.1:9"]), expect![[r""]]);
}

#[test]
fn standard_input_is_for_one_run() {
    check(with(&["-d", "@", "--dir", "out", "127.0.0.1:9"]), expect![[r""]]);
}

#[test]
fn a_folder_has_one_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let begun = with(&["--dir", dir, "-n", "5", "--rest", "0", "127.0.0.1:9"]).status(3).go();
    assert!(begun.stderr.contains("connection refused"), "{}", begun.stderr);
    check(with(&["--dir", dir, "-n", "6", "-c", "2", "--rest", "0", "127.0.0.1:9"]).named(dir, "DIR"), expect![[r""]]);
    std::fs::write(folder.path().join("sweep.json"), "[]").unwrap();
    check(with(&["--dir", dir, "127.0.0.1:9"]).named(dir, "DIR"), expect![[r""]]);
    check(with(&["--dir", ".", "127.0.0.1:9"]), expect![[r""]]);
}
