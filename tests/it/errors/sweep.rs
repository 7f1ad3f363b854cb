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
        expect![[r"
            error: `x` is no good value for --rps: a rate is a number of calls a second, such as 10 or 0.5, or calls in a time, such as 50/1s or 1000/m

            error: `10/s` is no good value for --rps: each value of a sweep is there once

            error: `0` is no good value for --concurrency: it is a whole number from 1 to 1000000

            error: `5` is no good value for --concurrency: each value of a sweep is there once

            error: `0` is no good value for --repeat: it is a whole number from 1 to 1000

            error: `3` is no good value for --rest: a time has a unit, such as 300ms, 1.5s or 1m30s
            hint: for seconds write 3s

            error: `summary` is no good value for --format: a format of tables is one of text, markdown, csv, json, html
        "]],
    );
}

#[test]
fn every_cell_is_checked_before_the_first() {
    check(
        with(&["-c", "2,10", "--connections", "5", "--dir", "out", "127.0.0.1:9"]),
        expect![[r"
        error: 5 connections are more than 2 calls in flight can use
        hint: raise -c to 5, or use --connections 2
    "]],
    );
}

#[test]
fn other_formats_are_made_of_the_reports_of_the_cells() {
    check(
        with(&["--out", "csv=cells.csv", "--dir", "out", "127.0.0.1:9"]),
        expect![[r"
        error: --out and a sweep contradict each other: each cell has a report in --dir; report makes other formats of it
        hint: leave out one of them
    "]],
    );
}

#[test]
fn standard_input_is_for_one_run() {
    check(
        with(&["-d", "@", "--dir", "out", "127.0.0.1:9"]),
        expect![[r"
        error: data from standard input and a sweep contradict each other: standard input can be read once, and each cell needs the data
        hint: leave out one of them
    "]],
    );
}

#[test]
fn the_grid_is_all_that_says_how_much() {
    let step = ["--load-start", "5", "--load-step", "5", "--load-step-duration", "1s", "--load-schedule", "step"];
    let schedule = ["--concurrency-schedule", "line", "--concurrency-end", "5"];
    let both = ["-r", "5,10", "-c", "2,3", "--async", "--dir", "out", "127.0.0.1:9"];
    check(
        with(&[&step[..], &schedule, &both].concat()),
        expect![[r"
        error: --rps and --load-schedule contradict each other: each of them says what the rate is
        hint: leave out one of them

        error: --concurrency and --concurrency-schedule contradict each other: each of them says how many callers there are
        hint: leave out one of them

        error: --concurrency and --async contradict each other: without a limit to the calls in flight there are no limits to try
        hint: leave out one of them

        error: a rate (steps from 5/s by 5/s every 1s) and a number of callers that changes (from 1 to 5 callers, 1 more every 1s one by one) contradict each other: calls are due by their rate, or made by callers who wait for their answers
        hint: leave out one of them
    "]],
    );
}

#[test]
fn a_folder_has_one_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let begun = with(&["--dir", dir, "-n", "5", "--rest", "0", "127.0.0.1:9"]).status(3).go();
    assert!(begun.stderr.contains("connection refused"), "{}", begun.stderr);
    check(
        with(&["--dir", dir, "-n", "6", "-c", "2", "--rest", "0", "127.0.0.1:9"]).named(dir, "DIR"),
        expect![[r"
        error: `DIR` holds another sweep: loads: `(the load of the flags)` there, `(2 callers)` here; total: `5` there, `6` here
        hint: give another folder to --dir, or the flags with which this one was begun
    "]],
    );
    // Tables do not take the place of what they are made from.
    for file in ["sweep.json", "127.0.0.1-9_c2_1.json"] {
        let path = folder.path().join(file);
        std::fs::write(&path, "{}").unwrap();
        let done = with(&["--dir", dir, "-c", "2", "-o", path.to_str().unwrap(), "127.0.0.1:9"]).go();
        assert!(done.stderr.contains("cannot be written for --output: --dir reads it"), "{}", done.stderr);
    }
    std::fs::write(folder.path().join("sweep.json"), "[]").unwrap();
    check(
        with(&["--dir", dir, "127.0.0.1:9"]).named(dir, "DIR"),
        expect![[r"
        error: `DIR/sweep.json` does not say what the sweep in its folder is: invalid type: sequence, expected a map at line 1 column 0
        hint: give a new or an empty folder to --dir
    "]],
    );
    check(
        with(&["--dir", ".", "127.0.0.1:9"]),
        expect![[r"
        error: `.` is not empty, and holds no sweep
        hint: give a new or an empty folder to --dir
    "]],
    );
}
