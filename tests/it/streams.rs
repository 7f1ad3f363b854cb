//! Streaming calls: what is sent, how they end, and what is measured inside them.

use grpcbench::target::{Background, Method, Options};
use serde_json::Value;

use rustix::process::Signal;

use super::harness::{Run, Served};
use super::numbers::{counts, status, whole};

const THREE: &str = r#"[{"name":"Ann"},{"name":"Ben"},{"name":"Cem"}]"#;

fn server() -> Background {
    Background::start(Options::default()).unwrap()
}

fn delayed(delay: &str) -> Background {
    Background::start(Options { delay: Some(delay.parse().unwrap()), ..Options::default() }).unwrap()
}

fn call(server: &Background, method: &str) -> Run {
    let call = format!("helloworld.Greeter.{method}");
    Run::new().args(["--insecure", "--proto", "helloworld.proto", "--call", &call, server.address()])
}

fn streams<'a>(report: &'a Value, key: &str) -> &'a Value {
    &report["grpcbench"]["streams"][key]
}

fn messages(report: &Value) -> (u64, u64) {
    let traffic = &report["grpcbench"]["traffic"];
    (whole(&traffic["messages_sent"]), whole(&traffic["messages_received"]))
}

#[test]
fn all_kinds_send_and_receive_what_they_should() {
    for (method, counted, sent, received) in [
        ("SayHellos", Method::SayHellos, 100, 500),
        ("SayHelloCS", Method::SayHelloCs, 300, 100),
        ("SayHelloBidi", Method::SayHelloBidi, 300, 300),
    ] {
        let server = server();
        let report = call(&server, method).args(["-n", "100", "-c", "10", "-d", THREE]).report();
        assert_eq!(counts(&report).ok, 100, "{method}");
        assert_eq!(messages(&report), (sent, received), "{method}");
        assert_eq!(server.counts().calls(counted), 100, "{method}: as the server saw it");
        assert_eq!(whole(&streams(&report, "first_message")["count"]), 100, "{method}");
        assert_eq!(whole(&streams(&report, "gap")["count"]), received - 100, "{method}");
        assert_eq!(streams(&report, "round_trip").is_object(), method == "SayHelloBidi", "{method}");
    }
}

#[test]
fn unary_calls_have_no_streams_in_their_report() {
    let server = server();
    let report = call(&server, "SayHello").args(["-n", "5"]).report();
    assert!(report["grpcbench"].get("streams").is_none());
}

#[test]
fn a_count_goes_on_through_the_data() {
    let server = server();
    let args = ["-n", "10", "-c", "2", "-d", THREE, "--stream-call-count", "7"];
    let report = call(&server, "SayHelloCS").args(args).report();
    assert_eq!(messages(&report), (70, 10));
    assert_eq!(streams(&report, "messages_sent_per_call")["max"], 7);
    let report = call(&server, "SayHelloBidi").args(args).report();
    assert_eq!(messages(&report), (70, 70));
    assert_eq!(streams(&report, "unmatched"), 0);
}

#[test]
fn many_small_messages_are_no_attack() {
    let server = server();
    for method in ["SayHelloCS", "SayHelloBidi"] {
        let report = call(&server, method).args(["-n", "2", "-c", "1", "--stream-call-count", "20000"]).report();
        assert_eq!(messages(&report).0, 40_000, "{method}");
    }
}

#[test]
fn ping_pong_waits_for_each_reply() {
    let server = delayed("5ms");
    let report = call(&server, "SayHelloBidi")
        .args(["-n", "4", "-c", "4", "--stream-call-count", "20", "--stream-ping-pong"])
        .report();
    assert_eq!(messages(&report), (80, 80));
    let round_trip = streams(&report, "round_trip");
    assert_eq!(whole(&round_trip["count"]), 80);
    assert!(whole(&round_trip["min_ns"]) >= 5_000_000, "{round_trip}");
    assert!(whole(&report["fastest"]) >= 20 * 5_000_000, "one after the other");
}

#[test]
fn both_sides_have_counted_the_same_messages() {
    let mut server = Served::start(&[]);
    let report = Run::new()
        .args(["--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHelloBidi"])
        .args(["-n", "100", "-c", "100", "--connections", "5", "--stream-ping-pong"])
        .args(["--stream-call-count", "4000000000", "--stream-call-duration", "1s", "-d", THREE, server.address()])
        .report();
    assert_eq!((counts(&report).ok, streams(&report, "unmatched")), (100, &Value::from(0)));
    let (sent, received) = messages(&report);
    assert!(sent == received && sent > 300, "{sent} {received}");
    server.signal(Signal::INT);
    let words = format!("served 100 calls on 5 connections, {sent} messages in and {received} out\n");
    assert_eq!(server.last_words(), words);
}

#[cfg(target_os = "linux")]
#[test]
fn open_streams_cost_little_memory() {
    // The most memory while so many calls are open, which the server never answers.
    let peak_kb = |calls: &str| {
        let server = delayed("1h");
        let flags = ["-n", calls, "-c", calls, "--connections", "10", "-t", "0"];
        let run = call(&server, "SayHellos").args(flags).start();
        while server.counts().all_calls() < calls.parse().unwrap() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        run.peak_kb()
    };
    let (few, many) = (peak_kb("10"), peak_kb("1010"));
    // 400 MB for 10,000 are 40 kB for each.
    assert!(many < few + 20 * 1_000, "{few} kB with 10 streams, {many} kB with 1,010");
}

#[test]
fn times_inside_a_stream_are_those_of_the_server() {
    let server = delayed("20ms");
    let report = call(&server, "SayHellos").args(["-n", "10", "-c", "5"]).report();
    let (first, gap) = (streams(&report, "first_message"), streams(&report, "gap"));
    for times in [first, gap] {
        assert!(whole(&times["min_ns"]) >= 15_000_000, "{times}");
        assert!(whole(&times["percentiles_ns"]["50"]) < 40_000_000, "{times}");
    }
    let lifetimes = &report["grpcbench"]["times"]["ok"]["service"];
    assert!(whole(&lifetimes["min_ns"]) >= 100_000_000, "five messages of 20 ms: {lifetimes}");
}

#[test]
fn a_server_stream_that_the_client_ends_by_count_is_ok() {
    let server = delayed("2ms");
    let report = call(&server, "SayHellos").args(["-n", "20", "-c", "4", "--stream-call-count", "2"]).report();
    assert_eq!(counts(&report).ok, 20);
    assert_eq!(messages(&report), (20, 40));
    assert_eq!(streams(&report, "ended_by_client"), 20);
    // The server's status counts where it comes first.
    let report = call(&server, "SayHellos").args(["-n", "20", "-c", "4", "--stream-call-count", "50"]).report();
    assert_eq!((messages(&report), streams(&report, "ended_by_client")), ((20, 100), &Value::from(0)));
}

#[test]
fn a_server_stream_that_is_idle_ends_by_duration() {
    let server = delayed("30s");
    let report = call(&server, "SayHellos").args(["-n", "6", "-c", "3", "--stream-call-duration", "200ms"]).report();
    assert_eq!(counts(&report).ok, 6);
    assert_eq!(streams(&report, "ended_by_client"), 6);
    assert!(whole(&report["fastest"]) >= 200_000_000 && whole(&report["slowest"]) < 5_000_000_000);
}

#[test]
fn messages_are_due_at_their_instants() {
    let server = server();
    let report = call(&server, "SayHelloCS")
        .args(["-n", "3", "-c", "3", "--stream-call-count", "10", "--stream-interval", "20ms"])
        .report();
    assert_eq!(messages(&report), (30, 3));
    assert!(whole(&report["fastest"]) >= 9 * 20_000_000, "nine intervals between ten messages");
    assert_eq!(whole(&streams(&report, "message_lag")["count"]), 30);
}

#[test]
fn messages_are_due_at_their_instants_whatever_comes_back() {
    // Without ping-pong the server's 30 ms for each reply hold up none of the messages.
    let server = delayed("30ms");
    let flags = ["-n", "2", "-c", "2", "--stream-call-count", "10", "--stream-interval", "10ms"];
    let report = call(&server, "SayHelloBidi").args(flags).report();
    assert_eq!((messages(&report), whole(&streams(&report, "message_lag")["count"])), ((20, 20), 20));
    let round_trip = streams(&report, "round_trip");
    assert!(whole(&round_trip["max_ns"]) >= 10 * 30_000_000 - 9 * 10_000_000, "the last waits longest: {round_trip}");
    // With it they leave when the reply is there, and are late.
    let report = call(&server, "SayHelloBidi").args(flags).args(["--stream-ping-pong"]).report();
    assert!(whole(&streams(&report, "message_lag")["max_ns"]) >= 9 * (30 - 10) * 1_000_000);
    // Server streaming sends one message, at once.
    let report = call(&server, "SayHellos").args(flags).report();
    assert_eq!((messages(&report), streams(&report, "message_lag")), ((2, 10), &Value::Null));
}

#[test]
fn options_of_0_are_none() {
    let server = server();
    for method in ["SayHellos", "SayHelloCS", "SayHelloBidi"] {
        let zero = ["--stream-call-count", "0", "--stream-interval", "0", "--stream-call-duration", "0"];
        let report = call(&server, method).args(["-n", "4", "-c", "2", "-d", THREE]).args(zero).report();
        assert_eq!((counts(&report).ok, streams(&report, "ended_by_client")), (4, &Value::from(0)), "{method}");
        let sent = if method == "SayHellos" { 4 } else { 12 };
        assert_eq!(messages(&report).0, sent, "{method}");
    }
}

#[test]
fn a_duration_ends_a_stream_that_is_not_idle() {
    // A reply every 50 ms, five in all.
    let server = delayed("50ms");
    let flags = ["-n", "4", "-c", "4", "--stream-call-duration", "120ms"];
    let report = call(&server, "SayHellos").args(flags).report();
    assert_eq!((counts(&report).ok, streams(&report, "ended_by_client")), (4, &Value::from(4)));
    assert!(
        (4..=8).contains(&messages(&report).1),
        "two a call, or fewer if the server is late: {:?}",
        messages(&report)
    );
    assert!(whole(&report["fastest"]) >= 120_000_000);
}

#[test]
fn a_duration_ends_the_wait_for_a_reply() {
    let server = delayed("30s");
    let flags = ["-n", "2", "-c", "2", "--stream-ping-pong", "--stream-call-duration", "100ms"];
    let report = call(&server, "SayHelloBidi").args(flags).report();
    assert_eq!((counts(&report).ok, streams(&report, "ended_by_client")), (2, &Value::from(2)));
    assert_eq!(streams(&report, "unmatched"), 2);
    assert!(whole(&report["slowest"]) < 10_000_000_000, "not those 30 s");
}

#[test]
fn a_duration_ends_the_sending() {
    let server = server();
    for method in ["SayHelloCS", "SayHelloBidi"] {
        let report = call(&server, method)
            .args(["-n", "2", "-c", "2", "--stream-call-count", "1000", "--stream-interval", "20ms"])
            .args(["--stream-call-duration", "300ms"])
            .report();
        assert_eq!(counts(&report).ok, 2, "{method}");
        let sent = messages(&report).0;
        assert!((2..=30).contains(&sent), "{method}: fifteen a call and no more, were {sent}");
        assert!(whole(&report["slowest"]) < 3_000_000_000, "{method}");
    }
}

#[test]
fn a_stream_that_takes_too_long_ends_by_its_deadline() {
    let server = delayed("30s");
    for method in ["SayHellos", "SayHelloCS", "SayHelloBidi"] {
        let run = call(&server, method).args(["-n", "4", "-c", "2", "-t", "150ms", "-O", "json"]).status(1);
        let report = run.go().json();
        assert_eq!(status(&report, "DeadlineExceeded"), 4, "{method}");
        counts(&report);
    }
}

#[test]
fn streams_under_a_rate_are_timed_from_the_plan() {
    let server = delayed("1ms");
    let report = call(&server, "SayHelloBidi").args(["-n", "50", "-r", "200", "-d", THREE]).report();
    assert_eq!(counts(&report).ok, 50);
    assert_eq!(messages(&report), (150, 150));
    assert!(report["grpcbench"]["times"]["ok"]["response"].is_object());
}

#[test]
fn streams_in_flight_at_the_end_are_abandoned() {
    let server = delayed("30s");
    let report = call(&server, "SayHellos").args(["-z", "300ms", "-c", "5", "-O", "json"]).status(1).go().json();
    let counts = counts(&report);
    assert_eq!((counts.sent, counts.abandoned), (5, 5));
}

/// What the server heard in the first call of `SayHelloCS`, as its answer repeats it.
fn heard(server: &Background, args: &[&str]) -> Vec<String> {
    let args = args.iter().copied().chain(["-n", "2", "-c", "1", "--stream-dynamic-messages", "--show-responses", "1"]);
    let stderr = call(server, "SayHelloCS").args(args).go().stderr;
    let (_, names) = stderr.split_once("{\"message\":\"Hello ").unwrap_or_else(|| panic!("{stderr}"));
    names.split('"').next().unwrap_or_default().split(", ").map(str::to_owned).collect()
}

#[test]
fn dynamic_messages_are_rendered_one_by_one() {
    let server = server();
    let numbered = r#"{"name":"{{.RequestNumber}}.{{.MessageNumber}}"}"#;
    let two = r#"[{"name":"a{{.MessageNumber}}"},{"name":"b{{.MessageNumber}}"}]"#;
    for (args, names) in [
        // Without a count each element of the data is one message.
        (&["-d", numbered][..], &["0.0"][..]),
        (&["-d", two], &["a0", "b1"]),
        (&["-d", numbered, "--stream-call-count", "4"], &["0.0", "0.1", "0.2", "0.3"]),
        (&["-d", two, "--stream-call-count", "5"], &["a0", "b1", "a2", "b3", "a4"]),
        (&["-d", r#"[{"name":"x"},{"name":"{{.MessageNumber}}"}]"#, "--stream-call-count", "4"], &["x", "1", "x", "3"]),
        (&["-d", numbered, "--stream-call-count", "3", "--stream-interval", "5ms"], &["0.0", "0.1", "0.2"]),
    ] {
        assert_eq!(heard(&server, args), names, "{args:?}");
    }
    let uuids = heard(&server, &["-d", r#"{"name":"{{.UUID}}"}"#, "--stream-call-count", "3"]);
    assert!(uuids[0] != uuids[1] && uuids[1] != uuids[2], "{uuids:?}");
    let clock = heard(
        &server,
        &["-d", r#"{"name":"{{.TimestampUnixNano}}"}"#, "--stream-call-count", "3", "--stream-interval", "5ms"],
    );
    assert!(clock.is_sorted() && clock[0] != clock[2], "each at its own time: {clock:?}");
    let seeded = ["-d", r#"{"name":"{{randomString 9}}"}"#, "--stream-call-count", "3", "--seed", "5"];
    assert_eq!(heard(&server, &seeded), heard(&server, &seeded));
}

#[test]
fn dynamic_messages_go_on_until_their_duration_is_over() {
    let server = server();
    let data = r#"{"name":"{{.MessageNumber}}"}"#;
    let args = ["-n", "3", "-c", "3", "-d", data, "--stream-dynamic-messages", "--stream-call-duration", "150ms"];
    for flags in [&["--stream-interval", "10ms"][..], &["--stream-ping-pong"]] {
        let report = call(&server, "SayHelloBidi").args(args).args(flags.iter().copied()).report();
        assert_eq!(counts(&report).ok, 3);
        let (sent, received) = messages(&report);
        assert_eq!(sent, received);
        assert!(sent >= 6, "more than the data has: {sent}");
        assert_eq!(streams(&report, "unmatched"), 0);
        if flags.len() == 2 {
            assert!(sent <= 3 * 15, "{sent}");
        }
    }
}

#[test]
fn a_later_message_that_cannot_be_made_ends_its_call() {
    let server = server();
    let data = r#"{"name":"{{if and (eq .RequestNumber 1) (eq .MessageNumber 2)}}{{fail "no more"}}{{end}}"}"#;
    let flags = ["-n", "5", "-c", "1", "-d", data, "--stream-dynamic-messages", "--stream-call-count", "4"];
    for method in ["SayHelloCS", "SayHelloBidi"] {
        let report = call(&server, method).args(flags).report();
        assert_eq!((counts(&report).ok, status(&report, "Internal")), (4, 1), "{method}");
        let said = report["grpcbench"]["errors"][0]["said"].as_str().unwrap();
        assert!(said.starts_with("message 3 could not be made: ") && said.contains("no more"), "{said}");
    }
    // The first one of a later call leaves it unsent, as it does where all are made together.
    let data = r#"{"name":"{{if eq .RequestNumber 1}}{{fail "not at all"}}{{end}}"}"#;
    let report =
        call(&server, "SayHelloCS").args(["-n", "5", "-c", "1", "-d", data, "--stream-dynamic-messages"]).report();
    assert_eq!((counts(&report).ok, counts(&report).unsent), (4, 1));
}

#[test]
fn dynamic_messages_that_are_none_are_noted() {
    let server = server();
    let note = |method: &str, data: &str| {
        call(&server, method).args(["-n", "2", "-d", data, "--stream-dynamic-messages"]).go().stderr
    };
    assert!(note("SayHelloCS", THREE).contains("--stream-dynamic-messages is not used: there is no template"));
    assert!(note("SayHello", r#"{"name":"{{.UUID}}"}"#).contains("is not used: it is for methods that take a stream"));
    assert_eq!(note("SayHelloCS", r#"{"name":"{{.UUID}}"}"#), "");
}
