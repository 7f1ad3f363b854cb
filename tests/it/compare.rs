//! Runs side by side, as they are stored by real runs against real servers.

use expect_test::expect;
use grpcbench::target::{Background, Options};
use serde_json::Value;

use super::harness::Run;

fn server(delay: &str) -> Background {
    Background::start(Options { delay: Some(delay.parse().unwrap()), ..Options::default() }).unwrap()
}

/// The JSON report of a run with a name and these flags.
fn run(server: &Background, name: &str, flags: &[&str]) -> String {
    let run = Run::say_hello(server.address()).args(["--name", name, "-O", "json"]).args(flags.iter().copied());
    run.go().stdout
}

/// The JSON report of a run of 40 calls by two callers.
fn stored(server: &Background, name: &str) -> String {
    run(server, name, &["-n", "40", "-c", "2"])
}

/// A comparison of files `0.json`, `1.json` and so on, which hold `texts`.
fn compare(texts: &[String]) -> Run {
    let start = Run::new();
    let run = texts.iter().enumerate().fold(start, |run, (at, text)| run.file(&format!("{at}.json"), text));
    let names: Vec<String> = (0..texts.len()).map(|at| format!("{at}.json")).collect();
    run.args(["compare"]).args(names.iter().map(String::as_str))
}

/// The cells of a row of the first table that has it.
fn row<'a>(tables: &'a Value, label: &str) -> Vec<&'a Value> {
    let rows = tables["tables"].as_array().unwrap().iter().flat_map(|table| table["rows"].as_array().unwrap());
    let mut found = rows.filter(|row| row["label"] == label);
    found.next().unwrap_or_else(|| panic!("{label} in {tables}"))["cells"].as_array().unwrap().iter().collect()
}

#[test]
fn two_runs_stand_side_by_side_with_the_rows_that_everybody_knows() {
    let (quick, slow) = (server("1ms"), server("6ms"));
    let texts = [stored(&quick, "quick"), stored(&slow, "")];
    let done = compare(&texts).go();
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines[1], "quick, 1:");
    let head: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(head, ["quick", "1"], "the name of the run, or that of its file");
    let labels: Vec<&str> = lines[3..].iter().map_while(|line| line.split_whitespace().next()).take(10).collect();
    assert_eq!(
        labels,
        [
            "Count",
            "OK",
            "DeadlineExceeded",
            "Unavailable",
            "Total",
            "Slowest",
            "Fastest",
            "Average",
            "Requests/sec",
            "p50"
        ]
    );
    assert!(done.stdout.contains("it cannot tell the server from the day"), "{}", done.stdout);

    let tables = compare(&texts).args(["-O", "json"]).go().json();
    assert_eq!(row(&tables, "Count"), [&serde_json::json!({"value": 40}), &serde_json::json!({"value": 40})]);
    let fastest = row(&tables, "Fastest");
    assert_eq!(fastest[0]["unit"], "ms");
    assert!(
        fastest[0]["value"].as_f64().unwrap() >= 1.0 && fastest[1]["value"].as_f64().unwrap() >= 6.0,
        "{fastest:?}"
    );
}

#[test]
fn any_run_can_be_the_baseline() {
    let quick = server("0s");
    let texts = ["one", "other", "third"].map(|name| stored(&quick, name));
    let done = compare(&texts).args(["--baseline", "third"]).go();
    assert!(done.stdout.starts_with("\nthird, one, other:\n"), "{}", done.stdout);
    assert!(done.stdout.contains("\none against third, "), "{}", done.stdout);
}

#[test]
fn every_format_has_the_same_table() {
    let quick = server("0s");
    let texts = [stored(&quick, "a|b"), stored(&quick, "<c>")];
    let written =
        |format: &str| compare(&texts).args(["-O", format, "-o", "out"]).go().files.get("out").unwrap().to_owned();
    assert!(written("markdown").contains("|  | a\\|b | &lt;c&gt; |\n| --- | ---: | ---: |\n| Count | 40 | 40 |\n"));
    assert!(written("csv").starts_with("table,row,unit,a|b,<c>\r\n\"a|b, <c>\",Count,,40,40\r\n"));
    assert!(written("html").contains("<th scope=\"row\">Count</th><td>40</td><td>40</td>"));
    assert!(written("TEXT").contains("Count"));
}

#[test]
fn repeated_runs_get_a_verdict() {
    let (quick, slow) = (server("0s"), server("150ms"));
    let repeated = |server, name| (0..4).map(move |_| run(server, name, &["-n", "6", "-c", "2"]));
    let texts: Vec<String> = repeated(&quick, "main").chain(repeated(&slow, "branch")).collect();
    let tables = compare(&texts).args(["-O", "json", "--metric", "p50,throughput"]).go().json();
    for metric in ["p50", "throughput"] {
        let cells = tables["tables"][1]["rows"].as_array().unwrap().iter().find(|row| row["label"] == metric).unwrap();
        assert_eq!(cells["cells"][6], "worse", "{cells}");
    }
    // The same groups, named by files and by names.
    for groups in [["--a", "main", "--b", "branch"], ["--a", "0.json,1.json,2.json,3.json", "--b", "branch"]] {
        assert_eq!(compare(&texts).args(["-O", "json", "--metric", "p50,throughput"]).args(groups).go().json(), tables);
    }
    let failed = compare(&texts).args(["--metric", "p50", "--fail-on", "worse:50%"]).status(1).go();
    assert!(failed.stderr.starts_with("error: branch: p50 is worse by +"), "{}", failed.stderr);
    compare(&texts).args(["--metric", "p50", "--fail-on", "worse:50%", "--baseline", "branch"]).go();
}

#[test]
fn expectations_hold_for_each_run() {
    let (quick, slow) = (server("0s"), server("20ms"));
    let texts = [stored(&quick, "quick"), stored(&slow, "slow")];
    let done = compare(&texts)
        .args(["--expect", "ok == 40", "--expect", "min < 20ms", "--junit", "result.xml"])
        .status(1)
        .go();
    assert!(done.stderr.starts_with("error: slow: expected min < 20ms, found "), "{}", done.stderr);
    assert!(done.stdout.contains("\nExpectations:\n"), "{}", done.stdout);
    let xml = done.files.get("result.xml").unwrap();
    let document = roxmltree::Document::parse(xml).unwrap();
    let failures: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("testsuite"))
        .map(|suite| (suite.attribute("name").unwrap(), suite.attribute("failures").unwrap()))
        .collect();
    assert_eq!(failures, [("quick", "0"), ("slow", "1")]);
}

#[test]
pub(crate) fn unlike_plans_are_refused_with_all_that_differs() {
    let quick = server("0s");
    let texts = [stored(&quick, "a"), run(&quick, "b", &["-n", "40", "-c", "1", "-d", r#"{"name":"longer"}"#])];
    let refused = compare(&texts).status(2).stderr(expect![[r"
        error: these runs cannot be compared: the concurrency is 2 callers, and 1 caller in `b`; the mean size of a message is 0.0 bytes, and 8.0 bytes in `b`
        hint: run them with the same plan, or compare them as they are with --force
    "]]).go();
    assert_eq!(refused.stdout, "");
    let forced = compare(&texts).args(["--force"]).go();
    assert!(forced.stdout.contains("These runs had different plans: the concurrency is"), "{}", forced.stdout);
}

#[test]
pub(crate) fn one_run_is_no_comparison() {
    let quick = server("0s");
    let texts = ["main", "main"].map(|name| stored(&quick, name));
    let message = expect![[r"
        error: compare takes 2 runs at least, and here there is 1
        hint: name JSON reports of runs; those with one --name are taken for one thing repeated, unless --a and --b share them out
    "]];
    compare(&texts).status(2).stderr(message).go();
    Run::new().args(["compare"]).status(2).stderr(expect![[r"
        error: compare takes 2 runs at least, and here there is none
        hint: name JSON reports of runs; those with one --name are taken for one thing repeated, unless --a and --b share them out
    "]]).go();
    compare(&texts).args(["--a", "main"]).status(2).stderr(expect![[r"
        error: --b takes 1 run at least, and here there is none
        hint: name JSON reports of runs; those with one --name are taken for one thing repeated, unless --a and --b share them out
    "]]).go();
}

#[test]
fn files_that_are_no_reports() {
    let texts = ["{}".to_owned(), "no JSON".to_owned()];
    compare(&texts)
        .args(["none.json"])
        .status(2)
        .stderr(expect![[r"
            error: `0.json` is no report of grpcbench: the key `grpcbench` is missing
            hint: -O json or -O pretty writes a report that can be read again

            error: `1.json` is no report: expected ident at line 1 column 2
            hint: -O json or -O pretty writes a report that can be read again

            error: cannot read `none.json`
            caused by: No such file or directory (os error 2)
        "]])
        .go();
}

#[test]
pub(crate) fn names_that_no_run_has() {
    let quick = server("0s");
    let texts = [stored(&quick, "main"), stored(&quick, "branch")];
    compare(&texts)
        .args(["--baseline", "mian"])
        .status(2)
        .stderr(expect![[r"
        error: `mian` is no good value for --baseline: no run has that name
        hint: the runs are main, branch
    "]])
        .go();
    compare(&texts)
        .args(["--a", "main", "--b", "branhc"])
        .status(2)
        .stderr(expect![[r"
        error: `branhc` is no good value for --b: no run has that name
        hint: the runs are main, branch
    "]])
        .go();
}

#[test]
pub(crate) fn a_gate_that_cannot_close_is_refused() {
    let quick = server("0s");
    let texts = [stored(&quick, "main"), stored(&quick, "branch")];
    compare(&texts).args(["--fail-on", "worse:5%"]).status(2).stderr(expect![[r"
        error: --fail-on can never fail this comparison: 1 and 1 runs are too few ever to tell
        hint: repeat the runs: with 4 on each side a large difference can be shown, with 10 a small one; for a fixed bound there is --expect
    "]]).go();
    compare(&texts)
        .args(["--fail-on", "slower"])
        .status(2)
        .stderr(expect![[r"
        error: `slower` is no good value for --fail-on: it is worse, or worse and by how much at least, such as worse:5%
    "]])
        .go();
}

#[test]
fn github_gets_the_tables() {
    let quick = server("0s");
    let texts = [stored(&quick, "main"), stored(&quick, "branch")];
    let run = compare(&texts);
    let path = run.path("summary.md").display().to_string();
    let done = run.variable("GITHUB_STEP_SUMMARY", &path).go();
    assert!(done.files.get("summary.md").unwrap().contains("|  | main | branch |"));
}
