//! Reports of stored runs, and reports in several places.

use expect_test::expect;
use grpcbench::export::Format;
use grpcbench::target::{Background, Options};
use serde_json::{Value, json};

use super::harness::Run;

/// The JSON report of a run of `calls` calls with these flags.
fn stored(calls: &str, flags: &[&str]) -> String {
    let server = Background::start(Options::default()).unwrap();
    // Ports change from server to server, and runs of one plan have one target.
    let done =
        Run::say_hello(server.address()).args(["-n", calls, "-c", "2", "-O", "json"]).args(flags.iter().copied());
    done.go().stdout.replace(server.address(), "127.0.0.1:50051")
}

/// `grpcbench report` of files `0.json`, `1.json` and so on, which hold `texts`.
fn report(texts: &[String]) -> Run {
    let run = texts.iter().enumerate().fold(Run::new(), |run, (at, text)| run.file(&format!("{at}.json"), text));
    let names: Vec<String> = (0..texts.len()).map(|at| format!("{at}.json")).collect();
    run.args(["report"]).args(names.iter().map(String::as_str))
}

fn buckets(report: &Value) -> Vec<Value> {
    report["histogram"].as_array().unwrap().iter().map(|bucket| bucket["mark"].clone()).collect()
}

#[test]
fn a_stored_run_comes_in_every_format() {
    let text = stored("40", &[]);
    let server = Background::start(Options::default()).unwrap();
    for format in Format::ALL {
        let again = report(std::slice::from_ref(&text)).args(["-O", format.name()]).go();
        assert_eq!(again.stderr, "", "{format}");
        // What begins a report is the same whether it comes from a run or from its file.
        let fresh = Run::say_hello(server.address()).args(["-n", "40", "-c", "2", "-O", format.name()]).go();
        let beginning = |text: &str| text.trim_start().chars().take(7).collect::<String>();
        assert_eq!(beginning(&again.stdout), beginning(&fresh.stdout), "{format}");
    }
    assert_eq!(report(std::slice::from_ref(&text)).args(["-O", "json"]).go().stdout, text, "nothing is lost");
    assert_eq!(Run::new().args(["report", "-", "-O", "json"]).stdin(text.clone()).go().stdout, text);
}

#[test]
fn a_stored_run_is_seen_as_one_likes() {
    let text = stored("40", &[]);
    let seen = |flags: &[&str]| report(std::slice::from_ref(&text)).args(flags.iter().copied()).report();

    let asked = seen(&["--percentiles", "50, 99.99", "--buckets", "1us,1h"]);
    let percentages: Vec<&String> =
        asked["grpcbench"]["headline"]["percentiles_ns"].as_object().unwrap().keys().collect();
    assert_eq!(percentages, ["50", "99.99"]);
    assert_eq!(buckets(&asked), [json!(1e-6), json!(3600.0)]);
    let counts: u64 = asked["histogram"].as_array().unwrap().iter().map(|bar| bar["count"].as_u64().unwrap()).sum();
    assert_eq!(counts, 40);

    let log = buckets(&seen(&["--histogram", "log"]));
    assert!(
        log.iter()
            .all(|mark| ["1", "2", "5"].iter().any(|digit| format!("{:e}", mark.as_f64().unwrap()).starts_with(digit))),
        "{log:?}"
    );

    assert_eq!(seen(&["--details", "3"])["details"].as_array().unwrap().len(), 3);
    assert_eq!(seen(&["--details", "none"])["count"], 40);
}

#[test]
fn a_view_that_cannot_be_is_refused() {
    let text = stored("5", &[]);
    report(&[text])
        .args(["--percentiles", "50,101", "--buckets", "1ms", "--histogram", "log", "--details", "some", "-O", "xml"])
        .status(2)
        .stderr(expect![[r"
            error: `50,101` is no good value for --percentiles: it is a list of percentages above 0 and up to 100, with at most four digits behind the point

            error: --buckets and --histogram contradict each other: each of them says where the bars end
            hint: leave out one of them

            error: `some` is no good value for --details: it is none, all, or a number up to 1000000

            error: `xml` is no good value for --format: a format is one of summary, csv, json, pretty, html, influx-summary, influx-details, prometheus, markdown, hdr, hlog
        "]])
        .go();
}

#[test]
fn shards_are_one_run() {
    let texts = [stored("40", &[]), stored("40", &[])];
    let [one, other] = [0, 1].map(|at| serde_json::from_str::<Value>(&texts[at]).unwrap());
    let merged = report(&texts).report();
    assert_eq!(merged["count"], 80);
    assert_eq!(merged["statusCodeDistribution"], json!({"OK": 80}));
    let extreme = |name: &str| [&one, &other].map(|run| run[name].as_u64().unwrap());
    assert_eq!(merged["fastest"], *extreme("fastest").iter().min().unwrap());
    assert_eq!(merged["slowest"], *extreme("slowest").iter().max().unwrap());
    assert_eq!(merged["details"].as_array().unwrap().len(), 80);
    // One after the other they are a run that lasted longer.
    assert_eq!(merged["grpcbench"]["limits"]["calls"], 80, "{}", merged["grpcbench"]["limits"]);
}

#[test]
fn what_is_expected_of_a_stored_run() {
    let text = stored("40", &["--name", "nightly"]);
    let run = || report(std::slice::from_ref(&text));
    let held = run().args(["--expect", "ok == 40", "--expect", "p99 < 1h"]).go();
    assert!(held.stdout.contains("\nExpectations:\n"), "{}", held.stdout);
    let failed = run()
        .args(["--expect", "ok > 40", "--junit", "result.xml", "-o", "out.txt"])
        .status(1)
        .stderr(expect![[r"
            error: expected ok > 40, found 40 of 40 calls (100 %)
        "]])
        .go();
    assert!(failed.files.get("out.txt").unwrap().contains("Summary:"), "the report still comes");
    let xml = failed.files.get("result.xml").unwrap();
    let document = roxmltree::Document::parse(xml).unwrap();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("name"), suite.attribute("failures")), (Some("nightly"), Some("1")));
    run()
        .args(["--expect", "lag.p99 < 1ms"])
        .status(2)
        .stderr(expect![[r"
        error: --expect 'lag.p99 < 1ms' cannot hold: calls are planned under a rate only, and this load is a closed loop
    "]])
        .go();
}

#[test]
fn as_many_calls_are_listed_as_are_asked_for_by_however_many_workers() {
    let server = Background::start(Options::default()).unwrap();
    let flags = ["-n", "100", "-c", "8", "--connections", "4", "--cpus", "4", "--details", "10", "-O", "json"];
    let report = Run::say_hello(server.address()).args(flags).go().json();
    assert_eq!(report["details"].as_array().unwrap().len(), 10);
}

#[test]
fn several_reports_of_one_run() {
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address())
        .args(["-n", "20", "-c", "2", "--out", "json=run.json", "--out", "prometheus=metrics.prom"])
        .go();
    assert!(done.stdout.contains("Summary:"), "{}", done.stdout);
    let stored: Value = serde_json::from_str(done.files.get("run.json").unwrap()).unwrap();
    assert_eq!(stored["count"], 20);
    assert!(done.files.get("metrics.prom").unwrap().starts_with("# HELP "));
    assert_eq!(server.counts().all_calls(), 20, "one run");
}

#[test]
fn a_place_for_a_report_is_right_before_the_run() {
    let server = Background::start(Options::default()).unwrap();
    Run::say_hello(server.address())
        .args(["--out", "html", "--out", "xml=a", "--out", "csv=no/b", "-o", "c", "--out", "csv=./c"])
        .status(2)
        .stderr(expect![[r"
            error: `html` is no good value for --out: it is a format and a file, such as html=report.html

            error: `xml=a` is no good value for --out: a format is one of summary, csv, json, pretty, html, influx-summary, influx-details, prometheus, markdown, hdr, hlog

            error: cannot write `no/b`
            caused by: No such file or directory (os error 2)
            hint: make the folder `no` first

            error: `./c` cannot be written for --out: --output writes it
            hint: name another file for --out
        "]])
        .go();
    assert_eq!(server.counts().connections(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_other_report() {
    const TOLD: &str = "error: cannot write `/dev/full`\ncaused by: No space left on device (os error 28)\n";
    let server = Background::start(Options::default()).unwrap();
    let flags = ["-O", "csv", "--out", "json=run.json", "--out", "html=/dev/full", "--out", "hdr=run.hdr"];
    let run = Run::say_hello(server.address()).args(["-n", "20", "-c", "2"]).args(flags).status(1).go();
    let later = report(&[run.files.get("run.json").unwrap().to_owned()]).args(flags).status(1).go();
    for done in [run, later] {
        assert_eq!(done.stderr, TOLD);
        assert!(done.stdout.starts_with("duration (ms),status,error\r\n"), "{}", done.stdout);
        assert!(serde_json::from_str::<Value>(done.files.get("run.json").unwrap()).is_ok());
        assert!(done.files.get("run.hdr").unwrap().contains("Percentile"));
    }
    assert_eq!(server.counts().all_calls(), 20);
}
