//! Streaming calls: what is sent, how they end, and what is measured inside them.

use grpcbench::target::{Background, Method, Options};
use serde_json::Value;

use super::harness::Run;
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
