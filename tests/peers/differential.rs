//! The same calls through tonic's `Channel` and through ours: where both are right, they say the same; where they differ,
//! the difference is listed with its reason.

use grpcbench::target::helloworld::HelloRequest;
use grpcbench::target::helloworld::greeter_client::GreeterClient;
use grpcbench::target::{Background, Options};
use tokio::runtime::Builder;
use tonic::{Code, Status};

use super::frames::{Frame, data, fine, grpc, headers, message, rst, trailers, trailers_only};
use super::run::run;
use super::server::Server;

/// The endings of so many calls in a row, made by tonic.
fn by_tonic(address: &str, calls: usize) -> Vec<Result<(), Status>> {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = GreeterClient::connect(format!("http://{address}")).await.unwrap();
        let mut endings = Vec::new();
        for _ in 0..calls {
            endings.push(client.say_hello(HelloRequest::default()).await.map(drop));
        }
        endings
    })
}

/// The same, made by us: the text of each, empty for OK, as ghz writes it.
fn by_us(address: &str, calls: usize) -> Vec<String> {
    let outcome = run(address, &format!("-n {calls} -c 1"));
    let details = outcome.report["details"].as_array().unwrap();
    details.iter().map(|detail| detail["error"].as_str().unwrap().to_owned()).collect()
}

/// What our report says of a status that tonic gives.
fn as_written(ending: &Result<(), Status>) -> String {
    let Err(status) = ending else { return String::new() };
    let name = if status.code() == Code::Cancelled { "Canceled".to_owned() } else { format!("{:?}", status.code()) };
    format!("rpc error: code = {name} desc = {}", status.message())
}

#[test]
fn the_embedded_server_with_faults() {
    let statuses = [
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    let errors: Vec<_> = statuses.iter().map(|status| format!("{status}:5%").parse().unwrap()).collect();
    // Servers of one seed draw the same faults for the same calls.
    let server = || Background::start(Options { errors: errors.clone(), seed: 7, ..Options::default() }).unwrap();
    let (theirs, ours) = (by_tonic(server().address(), 400), by_us(server().address(), 400));
    let theirs: Vec<_> = theirs.iter().map(as_written).collect();
    assert_eq!(ours, theirs);
    let kinds: std::collections::BTreeSet<_> = theirs.iter().collect();
    assert_eq!(kinds.len(), 17, "every status and OK occurred");
}

#[test]
fn scripted_servers_on_which_both_agree() {
    for frames in [
        fine(),
        vec![trailers_only(&[("grpc-status", "5"), ("grpc-message", "no such thing")])],
        vec![trailers_only(&[("grpc-status", "13"), ("grpc-message", "%E2%98%83 100%25 %22%0A")])],
        vec![trailers_only(&[("grpc-status", "16")])],
        vec![grpc(), trailers(&[("grpc-status", "9"), ("grpc-message", "late")])],
        vec![grpc(), data(&message(b"\x0a\x01x")), trailers(&[("grpc-status", "10"), ("grpc-message", "after all")])],
        vec![headers(&[(":status", "103")]), grpc(), data(&message(b"")), trailers(&[("grpc-status", "0")])],
    ] {
        let theirs = by_tonic(Server::answering(frames.clone()).address(), 3);
        let ours = by_us(Server::answering(frames.clone()).address(), 3);
        assert_eq!(ours, theirs.iter().map(as_written).collect::<Vec<_>>(), "{frames:?}");
    }
}

/// The words are each one's own where the server has said nothing.
#[test]
fn endings_without_a_status_are_the_same_status() {
    // 5 has no mapping in PROTOCOL-HTTP2.md, and 7 is sent once more by us.
    let codes = (0..=13).filter(|code| !matches!(code, 5 | 7));
    let mut answers: Vec<Vec<Frame>> = codes.map(|code| vec![rst(code)]).collect();
    answers.push(vec![grpc(), data(&message(b"")).end()]);
    answers.push(vec![grpc(), data(&message(b"half")[..6]), trailers(&[("grpc-status", "0")])]);
    answers.push(vec![grpc(), data(&[1, 0, 0, 0, 0]), trailers(&[("grpc-status", "0")])]);
    answers.push(vec![trailers_only(&[("grpc-status", "abc")])]);
    let mut differences = Vec::new();
    for frames in answers {
        let theirs = by_tonic(Server::answering(frames.clone()).address(), 1).remove(0).unwrap_err();
        let outcome = run(Server::answering(frames.clone()).address(), "-n 2 -c 1");
        let ours = outcome.failures()[0].0;
        if ours != Some(theirs.code() as u64) {
            differences.push((frames, theirs, outcome.failures()));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Where we differ, the specifications are on our side.
#[test]
fn scripted_servers_on_which_we_differ() {
    let ok = || trailers(&[("grpc-status", "0")]);
    let html = |status| headers(&[(":status", status), ("content-type", "text/html")]);
    let two = [message(b""), message(b"")].concat();
    let differences: [(&str, Vec<Frame>, Option<Code>, Code); 4] = [
        // http-grpc-status-mapping.md: 502 is Unavailable. tonic reads the page as a message.
        ("an error page", vec![html("502"), data(b"<html>").end()], Some(Code::Internal), Code::Unavailable),
        // statuscodes.md: a response cardinality violation is Unimplemented. tonic takes the first message.
        ("two messages", vec![grpc(), data(&two), ok()], None, Code::Unimplemented),
        ("no message", vec![grpc(), ok()], Some(Code::Internal), Code::Unimplemented),
        // PROTOCOL-HTTP2.md: broken percent-encoding must not cost the status.
        (
            "a message that is no UTF-8",
            vec![trailers_only(&[("grpc-status", "5"), ("grpc-message", "%C3%28")])],
            Some(Code::Unknown),
            Code::NotFound,
        ),
    ];
    let mut found = Vec::new();
    for (what, frames, theirs, ours) in differences {
        let by_tonic = by_tonic(Server::answering(frames.clone()).address(), 1).remove(0);
        run(Server::answering(frames).address(), "-n 2 -c 1").all_failed(2, ours, "");
        found.push((what, by_tonic.err().map(|status| status.code()), theirs));
    }
    let changed: Vec<_> = found.iter().filter(|(_, now, listed)| now != listed).collect();
    assert!(changed.is_empty(), "tonic has changed, as (what, now, listed): {changed:?}");
}
