//! Help, version, formats, output files, and the commands beside a run.

use grpcbench::target::{Background, Options};
use rustix::process::Signal;

use super::harness::{Run, Served};

#[test]
fn help_names_every_group_and_ends_with_examples() {
    let help = Run::new().args(["--help"]).go().stdout;
    for heading in ["Method:", "Data:", "Load:", "Connection:", "Report:", "Commands:", "Examples:", "Exit codes:"] {
        assert!(help.contains(&format!("\n{heading}\n")), "{heading} in\n{help}");
    }
    assert_eq!(Run::new().args(["-h"]).go().stdout.lines().next(), help.lines().next());
}

#[test]
fn the_version_is_that_of_the_package() {
    for flag in ["--version", "-v", "-V"] {
        assert_eq!(Run::new().args([flag]).go().stdout, concat!("grpcbench ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}

#[test]
fn without_arguments_it_helps() {
    let done = Run::new().status(2).go();
    assert!(done.stderr.contains("Usage: grpcbench [FLAGS] HOST"), "{}", done.stderr);
    assert_eq!(done.stdout, "");
}

#[test]
fn flags_that_do_not_exist_are_refused() {
    let done = Run::new().args(["--concurency", "5", "localhost:1"]).status(2).go();
    assert!(done.stderr.contains("--concurrency"), "the near name is told: {}", done.stderr);
}

#[test]
fn formats() {
    let server = Background::start(Options::default()).unwrap();
    let run = || Run::say_hello(server.address()).args(["-n", "5", "-c", "1"]);

    assert!(run().go().stdout.starts_with("\nSummary:\n"));
    let line = run().args(["-O", "json"]).go();
    assert_eq!(line.stdout.lines().count(), 1);
    assert_eq!(line.json()["count"], 5);
    let pretty = run().args(["--format", "pretty"]).go();
    assert!(pretty.stdout.lines().count() > 20, "{}", pretty.stdout);
    assert_eq!(pretty.json()["count"], 5);
    assert_eq!(line.stderr + &pretty.stderr, "", "nothing to say");
}

#[test]
fn a_report_goes_to_a_file() {
    let server = Background::start(Options::default()).unwrap();
    let run = |name| Run::say_hello(server.address()).args(["-n", "3", "-c", "1", "-O", "json", "-o", name]);

    let done = run("new.json").go();
    assert_eq!(done.stdout, "");
    let report: serde_json::Value = serde_json::from_str(done.files.get("new.json").unwrap()).unwrap();
    assert_eq!(report["count"], 3);

    let done = run("old.json").file("old.json", "x".repeat(1 << 20)).go();
    let report: serde_json::Value = serde_json::from_str(done.files.get("old.json").unwrap()).unwrap();
    assert_eq!(report["count"], 3, "nothing is left of the longer file that was there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_finds_no_room_goes_to_standard_output() {
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address())
        .args(["-n", "3", "-c", "1", "-O", "json", "-o", "/dev/full"])
        .status(1)
        .stderr(expect_test::expect![[r"
            error: cannot write `/dev/full`
            caused by: No space left on device (os error 28)
        "]])
        .go();
    assert_eq!(done.json()["count"], 3);
}

#[test]
fn a_run_that_fails_leaves_the_output_file_as_it_was() {
    let host = super::listener::nobody();
    let run = || Run::say_hello(&host).args(["-o", "run.json"]).status(3);
    assert_eq!(run().file("run.json", "precious").go().files.get("run.json"), Some("precious"));
    assert_eq!(run().go().files.get("run.json"), None);
}

#[test]
fn names_tags_and_options_are_in_the_report() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address())
        .args(["-n", "2", "-c", "1", "-t", "3s", "--name", "nightly", "--tags", r#"{"env":"ci","rev":"7"}"#])
        .args(["-d", r#"{"name":"Ann"}"#, "-m", r#"{"x-trace":"1","authorization":"Bearer hidden"}"#])
        .report();
    assert_eq!(report["name"], "nightly");
    assert_eq!(report["tags"], serde_json::json!({"env": "ci", "rev": "7"}));
    let options = &report["options"];
    assert_eq!(options["host"], server.address());
    assert_eq!(options["call"], "helloworld.Greeter.SayHello");
    assert_eq!(options["proto"], "helloworld.proto");
    assert_eq!(options["insecure"], true);
    assert_eq!(options["total"], 2);
    assert_eq!(options["concurrency"], 1);
    assert_eq!(options["timeout"], 3_000_000_000_u64);
    assert_eq!(options["data"], serde_json::json!({"name": "Ann"}));
    assert!(!report.to_string().contains("hidden"), "secrets stay out of reports");
}

#[test]
fn the_demo_shows_its_command_and_a_report() {
    let done = Run::new().args(["demo", "-z", "300ms", "-O", "json"]).go();
    let report = done.json();
    assert_eq!(report["endReason"], "timeout");
    assert!(report["count"].as_u64().unwrap() > 0);
    assert_eq!(report["options"]["proto"], "protos/helloworld.proto");

    // The command that it shows does what it says.
    let shown: Vec<&str> = done.stderr.lines().map(str::trim).filter(|line| line.starts_with("grpcbench ")).collect();
    let [serve, run] = shown[..] else { panic!("no commands in {}", done.stderr) };
    assert!(serve.starts_with("grpcbench serve 127.0.0.1:"), "{serve}");
    assert!(run.contains("--call helloworld.Greeter.SayHello -d '{\"name\":\"Ann\"}' -z 300ms"), "{run}");
}

#[test]
fn serve_says_where_it_listens_and_ends_when_told() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Served::start(&["--seed", "7"]);
        let report = Run::say_hello(server.address()).args(["-n", "10", "-c", "2"]).report();
        assert_eq!(report["count"], 10);
        server.signal(signal);
        assert_eq!(server.last_words(), "served 10 calls on 1 connections, 10 messages in and 10 out\n");
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn serve_tells_all_that_is_wrong() {
    let done = Run::new()
        .args(["serve", "--delay", "fast", "--error", "NOPE:1%", "--stall", "1s", "--max-connection-age", "5"])
        .status(2)
        .go();
    for part in ["--delay", "--error", "--stall", "--max-connection-age"] {
        assert!(done.stderr.contains(part), "{part} in {}", done.stderr);
    }
    assert_eq!(done.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 4, "{}", done.stderr);
}

#[test]
pub(crate) fn serve_needs_a_free_port() {
    let server = Background::start(Options::default()).unwrap();
    Run::new()
        .args(["serve", server.address()])
        .named(server.address(), "ADDRESS")
        .status(2)
        .stderr(expect_test::expect![[r"
            error: cannot listen on ADDRESS
            caused by: Address already in use (os error 98)
            hint: stop what listens there, or use port 0 for a free one
        "]])
        .go();
}

#[test]
fn standard_output_may_be_closed() {
    let server = Background::start(Options::default()).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_grpcbench"))
        .args(["--insecure", "--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter/SayHello"])
        .args(["-n", "500", "-O", "pretty", server.address()])
        .current_dir(super::harness::project())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_strict_run_fails_if_it_is_not_to_be_believed() {
    let server = Background::start(Options::default()).unwrap();
    let run = || Run::say_hello(server.address()).args(["-n", "500", "-c", "2", "-O", "json"]);
    run().go();
    let strict = run().args(["--strict"]).start().wait();
    let valid = strict.json()["grpcbench"]["verdict"]["value"] == "valid";
    assert_eq!(strict.code(), Some(if valid { 0 } else { 4 }), "{}", strict.stdout);
}
