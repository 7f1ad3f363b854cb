//! What is expected of a run, whether that holds, and who is told.

use grpcbench::target::{Background, Options};
use roxmltree::{Document, Node};

use super::harness::Run;

fn greeter() -> Background {
    Background::start(Options::default()).unwrap()
}

/// A server whose every fourth call or so fails.
fn failing() -> Background {
    Background::start(Options { errors: vec!["UNAVAILABLE:25%".parse().unwrap()], ..Options::default() }).unwrap()
}

#[test]
fn what_holds_is_shown_with_its_value() {
    let server = greeter();
    let done = Run::say_hello(server.address())
        .args(["-n", "40", "-c", "2", "--expect", "ok == 40", "--expect", "p99.9<1h", "--expect", "failed <= 0%"])
        .go();
    let (_, block) = done.stdout.split_once("\nExpectations:\n").unwrap();
    let lines: Vec<String> =
        block.lines().take(3).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "held ok == 40 40 of 40 calls (100 %)");
    assert!(lines[1].starts_with("held p99.9 < 3600s "), "{lines:?}");
    assert_eq!(lines[2], "held failed <= 0% 0 of 40 calls (0 %)");
    assert_eq!(done.stderr, "");
}

#[test]
fn what_does_not_hold_fails_the_run_and_is_told_wherever_the_report_goes() {
    let server = greeter();
    let done = Run::say_hello(server.address())
        .args(["-n", "40", "-c", "2", "--expect", "ok < 40", "--expect", "unsent == 0", "-O", "json", "-o", "run.json"])
        .status(1)
        .stderr(expect_test::expect![[r"
            error: expected ok < 40, found 40 of 40 calls (100 %)
        "]])
        .go();
    let report: serde_json::Value = serde_json::from_str(done.files.get("run.json").unwrap()).unwrap();
    assert_eq!(
        report["grpcbench"]["expectations"],
        serde_json::json!([
            {"text": "ok < 40", "metric": "ok", "held": false, "value": 40, "unit": "calls"},
            {"text": "unsent == 0", "metric": "unsent", "held": true, "value": 0, "unit": "calls"},
        ])
    );
}

#[test]
fn a_rate_is_held_against_the_plan() {
    let server = greeter();
    let run = |expected: &str| Run::say_hello(server.address()).args(["-n", "20", "-r", "100", "--expect", expected]);
    run("rate >= 50% of offered").go();
    run("rate > 200% of offered").status(1).go();
    run("lag.p50 < 10s").go();
}

#[test]
fn it_can_be_a_key_of_a_config_and_a_variable() {
    let server = greeter();
    let config = r#"{"expect": ["ok == 10", "p99 < 1h"], "total": 10, "concurrency": 1}"#;
    let run = || Run::say_hello(server.address()).file("run.json", config).args(["--config", "run.json"]);
    assert!(run().go().stdout.contains("held    ok == 10"));
    run().args(["--expect", "ok == 11"]).status(1).go();
    Run::say_hello(server.address())
        .variable("GRPCBENCH_EXPECT", "ok == 1")
        .args(["-n", "2", "-c", "1"])
        .status(1)
        .go();
}

/// The cases of a `JUnit` file: name, and what came of it.
fn cases(xml: &str) -> Vec<(String, String)> {
    let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error} in\n{xml}"));
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let result = |case: Node<'_, '_>| {
        let inner = case.children().find(Node::is_element);
        inner.map_or("passed".to_owned(), |inner| {
            format!("{}: {}", inner.tag_name().name(), inner.attribute("message").unwrap())
        })
    };
    cases.map(|case| (case.attribute("name").unwrap().to_owned(), result(case))).collect()
}

#[test]
fn junit_has_a_case_for_each_expectation_and_for_the_verdict() {
    let server = failing();
    let done = Run::say_hello(server.address())
        .args(["-n", "200", "-c", "1", "--expect", "failed == 0", "--expect", "ok > 0", "--junit", "result.xml"])
        .args(["--name", "<b>&\"'\u{1b}[31m]]>"])
        .status(1)
        .go();
    let xml = done.files.get("result.xml").unwrap();
    let found = cases(xml);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["failed == 0", "ok > 0", "calls succeed", "verdict"]);
    assert!(found[0].1.starts_with("failure: ") && found[0].1.contains(" of 200 calls"), "{found:?}");
    assert_eq!((found[1].1.as_str(), found[2].1.as_str()), ("passed", "passed"));
    // A build for tests is without optimisation, which the verdict tells.
    assert!(found[3].1.starts_with("skipped: "), "{found:?}");

    let document = Document::parse(xml).unwrap();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!(suite.attribute("name"), Some("<b>&\"'\\u{1b}[31m]]>"));
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("4"), Some("1")));
}

#[test]
fn junit_tells_why_no_call_succeeded() {
    let server =
        Background::start(Options { errors: vec!["INTERNAL:100%".parse().unwrap()], ..Options::default() }).unwrap();
    let done = Run::say_hello(server.address())
        .args(["-n", "3", "-c", "1", "--junit", "result.xml", "--strict"])
        .status(1)
        .go();
    let found = cases(done.files.get("result.xml").unwrap());
    assert_eq!(found[0], ("calls succeed".to_owned(), "failure: none of 3 calls succeeded".to_owned()));
    assert!(found[1].1.starts_with("failure: "), "with --strict the verdict counts: {found:?}");
}

#[test]
fn a_junit_file_that_takes_nothing_loses_no_report() {
    let server = greeter();
    let done = Run::say_hello(server.address())
        .args(["-n", "5", "-c", "1", "--junit", "/dev/full", "--expect", "ok == 5"])
        .status(1)
        .go();
    assert!(done.stdout.contains("held    ok == 5"), "{}", done.stdout);
    assert!(done.stderr.starts_with("error: cannot write `/dev/full`"), "{}", done.stderr);
}

#[test]
fn github_gets_a_summary_behind_what_is_there() {
    let server = greeter();
    let run = Run::say_hello(server.address()).file("summary.md", "# Before\n");
    let path = run.path("summary.md").display().to_string();
    let done = run.variable("GITHUB_STEP_SUMMARY", &path).args(["-n", "5", "-c", "1", "--expect", "ok == 5"]).go();
    let summary = done.files.get("summary.md").unwrap();
    assert!(summary.starts_with("# Before\n"), "{summary}");
    assert!(summary.contains("ok == 5") && summary.contains('|'), "{summary}");

    let done = Run::say_hello(server.address())
        .variable("GITHUB_STEP_SUMMARY", "/no/such/folder/summary.md")
        .args(["-n", "5", "-c", "1"])
        .go();
    assert!(
        done.stderr.starts_with("note: no step summary: cannot write `/no/such/folder/summary.md`"),
        "{}",
        done.stderr
    );
}
