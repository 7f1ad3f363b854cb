//! Files that are no stored runs, and stored runs that are not one.

use expect_test::expect;
use grpcbench::error::StoredError;
use grpcbench::target::{Background, Options};
use serde_json::{Value, json};

use super::check;
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &StoredError) -> fn() {
    match error {
        StoredError::Unreadable { .. } | StoredError::NoJson { .. } | StoredError::Foreign { .. } => no_reports,
        StoredError::Repeated { .. } => one_run_is_no_two,
        StoredError::Newer { .. } => of_a_later_version,
        StoredError::Broken { .. } => damaged,
        StoredError::Unlike { .. } => of_unlike_plans,
        StoredError::TooLarge { .. } => more_than_one_run_can_be,
    }
}

/// The JSON report of a run with these flags against a server that is always at the same address, as far as it says.
fn stored(flags: &[&str]) -> String {
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address()).args(["-O", "json"]).args(flags.iter().copied()).go();
    done.stdout.replace(server.address(), "127.0.0.1:50051")
}

fn changed(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    change(&mut document);
    document.to_string()
}

#[test]
fn one_run_is_no_two() {
    let run = || Run::new().file("a.json", stored(&["-n", "5", "-c", "1", "--name", "one"]));
    check(
        run().args(["report", "a.json", "./a.json"]).status(2),
        expect![[r"
        error: `./a.json` is named twice: one run would count as two
        hint: name each report once
    "]],
    );
    check(
        run().args(["compare", "a.json", "a.json"]).status(2),
        expect![[r"
        error: `a.json` is named twice: one run would count as two
        hint: name each report once
    "]],
    );
    check(
        run().args(["compare", "--a", "a.json", "--b", "a.json"]).status(2),
        expect![[r"
        error: `a.json` is named twice: one run would count as two
        hint: name each report once
    "]],
    );
    // The run that was stored is lost if its report takes its place.
    let done = run().args(["report", "a.json", "-o", "a.json", "--junit", "a.json"]).status(2);
    check(
        done,
        expect![[r"
        error: `a.json` cannot be written for --junit: the report reads it
        hint: name another file for --junit

        error: `a.json` cannot be written for --output: the report reads it
        hint: name another file for --output
    "]],
    );
}

#[test]
fn no_reports() {
    let ghz = changed(&stored(&["-n", "5", "-c", "1"]), |document| {
        document.as_object_mut().unwrap().remove("grpcbench");
    });
    let run = Run::new().file("ghz.json", ghz).file("other.json", "{}").file("summary.txt", "\nSummary:\n");
    let files = ["ghz.json", "other.json", "summary.txt", "none.json", "-"];
    check(
        run.args(["report"]).args(files).stdin("").status(2),
        expect![[r"
        error: `ghz.json` is no report of grpcbench: ghz wrote it, which keeps no histograms
        hint: run the same test with grpcbench and -O json

        error: `other.json` is no report of grpcbench: the key `grpcbench` is missing
        hint: -O json or -O pretty writes a report that can be read again

        error: `summary.txt` is no report: expected value at line 2 column 1
        hint: -O json or -O pretty writes a report that can be read again

        error: cannot read `none.json`
        caused by: No such file or directory (os error 2)

        error: standard input is no report: EOF while parsing a value at line 1 column 0
        hint: -O json or -O pretty writes a report that can be read again
    "]],
    );
}

#[test]
fn of_a_later_version() {
    let text = r#"{"grpcbench":{"schema":7,"whatever":[]}}"#;
    check(
        Run::new().file("run.json", text).args(["report", "run.json"]).status(2),
        expect![[r"
        error: `run.json` is of a later grpcbench: its schema is 7, and this version knows them up to 1
        hint: read it with the version that wrote it, or a later one
    "]],
    );
}

#[test]
fn damaged() {
    let text = stored(&["-n", "5", "-c", "1"]);
    let counts = changed(&text, |document| document["grpcbench"]["counts"]["ok"] = json!(7));
    let series = changed(&text, |document| document["grpcbench"]["series"]["done"] = json!("many"));
    let run = Run::new().file("counts.json", counts).file("series.json", series);
    check(
        run.args(["report", "counts.json", "series.json"]).status(2),
        expect![[r#"
        error: `counts.json` is damaged at `grpcbench.counts`: they are not those of the calls below

        error: `series.json` is damaged at `grpcbench.series.done`: invalid type: string "many", expected a sequence
    "#]],
    );
}

#[test]
fn of_unlike_plans() {
    let [one, other] = [&["-n", "5", "-c", "1"], &["-n", "6", "-c", "2"]].map(|flags| stored(flags));
    let run = Run::new().file("one.json", one).file("other.json", other);
    check(
        run.args(["report", "one.json", "other.json"]).status(2),
        expect![[r"
        error: `one.json` and `other.json` are not runs of one plan: load: closed loop, 1 caller and closed loop, 2 callers; limits: 5 calls and 6 calls
        hint: only runs of one plan are added up
    "]],
    );
}

#[test]
fn more_than_one_run_can_be() {
    let run = stored(&["-n", "1", "-c", "1"]);
    let names: Vec<String> = (0..1001).map(|number| format!("{number}.json")).collect();
    let with_files = names.iter().fold(Run::new(), |with, name| with.file(name, run.clone()));
    check(
        with_files.args(["report"]).args(names.iter().map(String::as_str)).status(2),
        expect![[r"
        error: these runs cannot be one: 1001 runs are more than 1000
    "]],
    );
}
