//! The answers of the first calls on standard error, and the log of all calls in a file.

use std::collections::BTreeSet;

use grpcbench::target::{Background, Options};
use serde_json::Value;

use super::harness::{Done, Run};
use super::numbers::{counts, whole};

const NUMBERED: &str = r#"{"name":"{{.RequestNumber}}"}"#;

fn server() -> Background {
    Background::start(Options::default()).unwrap()
}

fn call(server: &Background, method: &str) -> Run {
    let call = format!("helloworld.Greeter.{method}");
    Run::new().args(["--insecure", "--proto", "helloworld.proto", "--call", &call, server.address()])
}

/// What is shown for each call, in the order in which it is shown.
fn responses(done: &Done) -> Vec<&str> {
    done.stderr.split("Response to call ").skip(1).collect()
}

#[test]
fn the_first_answers_are_shown_and_the_rest_are_made_as_ever() {
    let server = server();
    let args = ["-n", "50", "-c", "7", "--connections", "3", "-d", NUMBERED, "-O", "json", "--show-responses", "3"];
    let done = call(&server, "SayHello").args(args).go();
    assert_eq!((counts(&done.json()).ok, server.counts().all_calls()), (50, 50));
    let shown = responses(&done);
    assert_eq!(shown.len(), 3, "{}", done.stderr);
    for (number, text) in shown.iter().enumerate() {
        assert!(text.starts_with(&format!("{number}: OK after ")), "{text}");
        assert!(text.contains("  metadata:\n    content-type: application/grpc\n"), "{text}");
        assert!(text.contains(&format!("\n  message: {{\"message\":\"Hello {number}\"}}\n")), "{text}");
        assert!(!text.contains("grpc-status"), "{text}");
    }
    let none = call(&server, "SayHello").args(["-n", "5", "--show-responses", "0"]).go();
    assert_eq!(none.stderr, "");
    let all = call(&server, "SayHello").args(["-n", "5", "-c", "2", "--show-responses", "9"]).go();
    assert_eq!(responses(&all).len(), 5);
}

#[test]
fn streams_show_all_their_messages() {
    let server = server();
    let three = r#"[{"name":"Ann"},{"name":"Ben"},{"name":"Cem"}]"#;
    for (method, lines) in [
        (
            "SayHellos",
            &["message 1: {\"message\":\"Hello Ann, 1 of 5\"}", "message 5: {\"message\":\"Hello Ann, 5 of 5\"}"][..],
        ),
        ("SayHelloCS", &["message: {\"message\":\"Hello Ann, Ben, Cem\"}"]),
        ("SayHelloBidi", &["message 1: {\"message\":\"Hello Ann\"}", "message 3: {\"message\":\"Hello Cem\"}"]),
    ] {
        let done = call(&server, method).args(["-n", "6", "-c", "2", "-d", three, "--show-responses", "1"]).go();
        let shown = responses(&done);
        assert_eq!(shown.len(), 1, "{method}");
        for line in lines {
            assert!(shown[0].contains(&format!("\n  {line}\n")), "{method}: {}", shown[0]);
        }
    }
}

#[test]
fn failures_are_shown_with_what_they_said() {
    let server =
        Background::start(Options { errors: vec!["UNAVAILABLE:100%".parse().unwrap()], ..Options::default() }).unwrap();
    let done = call(&server, "SayHello").args(["-n", "4", "-c", "1", "--show-responses", "1"]).status(1).go();
    let shown = responses(&done);
    assert_eq!(shown.len(), 1);
    assert!(shown[0].starts_with("0: Unavailable after "), "{}", shown[0]);
    assert!(!shown[0].contains("message:"), "{}", shown[0]);
}

#[test]
fn answers_that_never_end_are_cut_off_with_the_run() {
    let server = Background::start(Options { delay: Some("30s".parse().unwrap()), ..Options::default() }).unwrap();
    let done = call(&server, "SayHello").args(["-z", "200ms", "-c", "2", "--show-responses", "5"]).status(1).go();
    let shown = responses(&done);
    assert_eq!(shown.len(), 2, "{}", done.stderr);
    assert!(shown.iter().all(|text| text.contains("cut off at the end of the run after")), "{}", done.stderr);
}

/// The lines of a log, read.
fn lines(done: &Done) -> Vec<Value> {
    let log = done.files.get("calls.log").expect("there is a log");
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

#[test]
fn the_log_has_every_call_once() {
    let server = server();
    let args = ["-n", "2000", "-c", "10", "--connections", "4", "--warmup", "100", "-d", NUMBERED, "-O", "json"];
    let done = call(&server, "SayHello").args(args).args(["--debug", "calls.log"]).go();
    let report = done.json();
    let lines = lines(&done);
    let (first, last) = (&lines[0]["start"], &lines[lines.len() - 1]["end"]);
    assert_eq!(first["call"], "helloworld.Greeter.SayHello");
    assert_eq!(first["host"], server.address());
    assert_eq!((whole(&last["calls"]), whole(&last["missed"])), (2100, 0));
    let calls = &lines[1..lines.len() - 1];
    let numbers: BTreeSet<u64> = calls.iter().map(|call| whole(&call["call"])).collect();
    assert_eq!((calls.len(), numbers.len()), (2100, 2100));
    assert_eq!(calls.iter().filter(|call| call["warmup"] == true).count(), 100);
    for call in calls {
        let [due, sent, first, done] = ["due_ns", "sent_ns", "first_ns", "done_ns"].map(|key| whole(&call[key]));
        assert!(due <= sent && sent <= first && first <= done, "{call}");
        assert_eq!(call["status"], "OK");
        assert_eq!(whole(&call["connection"]), whole(&call["worker"]) % 4, "{call}");
    }
    let bytes: u64 = calls
        .iter()
        .filter(|call| call.get("warmup").is_none())
        .map(|call| whole(&call["message_bytes_received"]))
        .sum();
    assert_eq!(bytes, whole(&report["grpcbench"]["traffic"]["message_bytes_received"]));
}

#[test]
fn the_log_tells_failures_and_calls_that_were_not_sent() {
    let server =
        Background::start(Options { errors: vec!["NOT_FOUND:100%".parse().unwrap()], ..Options::default() }).unwrap();
    let data = r#"{"name":"{{if eq .RequestNumber 3}}{{fail "no more"}}{{end}}"}"#;
    let run = call(&server, "SayHello").args(["-n", "6", "-c", "1", "-d", data, "--debug", "calls.log"]);
    let done = run.status(1).go();
    let lines = lines(&done);
    let calls = &lines[1..lines.len() - 1];
    assert_eq!(calls.len(), 6);
    for call in calls {
        if call["call"] == 3 {
            assert_eq!((&call["status"], call.get("sent_ns")), (&Value::from("unsent"), None));
            assert!(call["message"].as_str().unwrap().contains("no more"), "{call}");
        } else {
            assert_eq!(call["status"], "NotFound");
            assert!(!call["message"].as_str().unwrap().is_empty() && call.get("first_ns").is_none(), "{call}");
        }
    }
}

#[test]
fn a_log_that_cannot_be_written_costs_no_report() {
    let server = server();
    let full = call(&server, "SayHello").args(["-n", "50", "-O", "json", "--debug", "/dev/full"]).status(1).go();
    assert_eq!(counts(&full.json()).ok, 50, "the report is there");
    assert!(full.stderr.starts_with("error: cannot write `/dev/full`\ncaused by: "), "{}", full.stderr);
    let nowhere = call(&server, "SayHello").args(["-n", "50", "--debug", "no/such/folder"]).status(2).go();
    assert!(nowhere.stderr.starts_with("error: cannot write `no/such/folder`"), "{}", nowhere.stderr);
    assert_eq!(server.counts().all_calls(), 50);
}

#[test]
fn a_run_that_does_not_start_leaves_an_old_log_alone() {
    let run = Run::say_hello("127.0.0.1:1").file("calls.log", "old\n").args(["--debug", "calls.log"]).status(3).go();
    assert_eq!(run.files.get("calls.log"), Some("old\n"));
    let run = Run::say_hello("127.0.0.1:1").args(["--debug", "calls.log"]).status(3).go();
    assert_eq!(run.files.get("calls.log"), None);
}

#[test]
fn ghz_configs_name_a_log_too() {
    let server = server();
    let config = format!(
        r#"{{"proto":"helloworld.proto","call":"helloworld.Greeter.SayHello","insecure":true,"total":4,"host":"{}","debug":"calls.log"}}"#,
        server.address()
    );
    let done = Run::new().file("run.json", config).args(["--config", "run.json"]).go();
    assert_eq!(lines(&done).len(), 6);
}

#[test]
fn secrets_are_shown_only_to_those_who_ask() {
    let server = server();
    let metadata = r#"{"authorization":"Bearer abc123","x-api-key":"abc123","x-tenant":"acme"}"#;
    let run = |flags: &[&str]| {
        let run = call(&server, "SayHello").args(["-n", "5", "-m", metadata, "-H", "x-auth: abc123"]);
        let run = run.args(["-O", "json", "--show-responses", "1", "--debug", "calls.log"]);
        run.args(flags.iter().copied()).go()
    };
    let masked = run(&[]);
    for text in [&masked.stdout, &masked.stderr, masked.files.get("calls.log").unwrap()] {
        assert!(!text.contains("abc123"), "{text}");
    }
    assert_eq!(masked.json()["options"]["metadata"]["x-tenant"], "acme");
    assert_eq!(masked.json()["options"]["metadata"]["x-auth"], "***");
    assert_eq!(run(&["--show-secrets"]).json()["options"]["metadata"]["authorization"], "Bearer abc123");
    for broken in [r#"{"authorization":"Bearer abc123""#, r#"{"x-token":"abc123","x":"{{nothing}}"}"#, r#"["abc123"]"#]
    {
        let done = call(&server, "SayHello").args(["-m", broken]).status(2).go();
        assert!(!done.stderr.contains("abc123") || broken.starts_with('['), "{}", done.stderr);
    }
    for broken in ["x-token: {{nothing}} abc123", "authorization: \u{7f}abc123"] {
        let done = call(&server, "SayHello").args(["-H", broken]).status(2).go();
        assert!(!done.stderr.contains("abc123"), "{}", done.stderr);
    }
    let reflect = ["--reflect-metadata", r#"{"authorization":"abc123" x"#];
    let done = Run::new().args(["--insecure", "--call", "a.B.C", server.address()]).args(reflect).status(2).go();
    assert!(!done.stderr.contains("abc123"), "{}", done.stderr);
}
