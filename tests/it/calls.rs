//! What is sent, how often, and how it ends.

use grpcbench::target::{Background, Method, Options};

use super::harness::Run;
use super::listener::Listener;
use super::numbers::{counts, status};

fn server(options: Options) -> Background {
    Background::start(options).unwrap()
}

#[test]
fn c34_exactly_as_many_calls_as_asked_for() {
    for (calls, flags) in [
        (1_000, "-n 1000 -c 7"),
        (5, "-n 5 -c 50"),
        (7, "-n 7 -c 3"),
        (1, "-n 1 -c 1"),
        (200, ""),
        (101, "-n 101 -c 10 --connections 4 --cpus 2"),
        (40, "-n 40 -r 400"),
        (41, "-n 41 -r 500 -c 3 --connections 3 --cpus 3"),
    ] {
        let server = server(Options::default());
        let report = Run::say_hello(server.address()).args(flags.split_whitespace()).report();
        let counts = counts(&report);
        assert_eq!((counts.arrivals, counts.ok), (calls, calls), "{flags}");
        assert_eq!(server.counts().calls(Method::SayHello), calls, "{flags}: as the server saw it");
        assert_eq!(server.counts().all_calls(), calls);
        assert_eq!(report["endReason"], "normal", "{flags}");
        assert_eq!(report["details"].as_array().unwrap().len() as u64, calls, "{flags}");
    }
}

#[test]
fn as_many_connections_as_asked_for() {
    let server = server(Options::default());
    Run::say_hello(server.address()).args(["-n", "20", "-c", "5", "--connections", "5"]).go();
    assert_eq!(server.counts().connections(), 5);
}

#[test]
fn plaintext_is_found_out_with_one_note() {
    let server = server(Options::default());
    let run = || {
        Run::new()
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter/SayHello", "-n", "10", "-c", "2"])
            .named(server.address(), "HOST")
    };
    let done = run()
        .args([server.address(), "-O", "json"])
        .stderr(expect_test::expect![[r"
            note: HOST speaks plaintext HTTP/2; add --insecure to say so and skip the test
        "]])
        .go();
    assert_eq!(counts(&done.json()).ok, 10);
    assert_eq!(done.json()["options"]["insecure"], true);
    run().args([&*format!("http://{}", server.address())]).stderr(expect_test::expect![""]).go();
}

#[test]
fn an_object_is_sent_with_every_call() {
    let listener = Listener::start();
    Run::say_hello(&listener.address()).args(["-n", "5", "-c", "1", "-d", r#"{"name":"Ann"}"#]).go();
    assert_eq!(listener.names(), ["Ann"; 5]);
}

#[test]
fn no_data_is_the_empty_message() {
    let listener = Listener::start();
    Run::say_hello(&listener.address()).args(["-n", "2", "-c", "1"]).go();
    assert_eq!(listener.names(), ["", ""]);
}

#[test]
fn an_array_is_sent_in_rotation() {
    let listener = Listener::start();
    let data = r#"[{"name":"Ann"},{"name":"Ben"},{"name":"Cem"}]"#;
    Run::say_hello(&listener.address()).args(["-n", "7", "-c", "1", "-d", data]).go();
    assert_eq!(listener.names(), ["Ann", "Ben", "Cem", "Ann", "Ben", "Cem", "Ann"]);

    let listener = Listener::start();
    let flags = ["-n", "300", "-c", "20", "--connections", "3", "--cpus", "3", "-d", data];
    Run::say_hello(&listener.address()).args(flags).go();
    for name in ["Ann", "Ben", "Cem"] {
        assert_eq!(listener.names().iter().filter(|heard| *heard == name).count(), 100, "{name}");
    }
}

#[test]
fn data_comes_from_files_and_standard_input_too() {
    let data = r#"{"name":"Ünï"}"#;
    for (flags, stdin) in [(["-D", "data.json"], ""), (["-d", "@data.json"], ""), (["-d", "@"], data)] {
        let listener = Listener::start();
        let run = Run::say_hello(&listener.address()).args(["-n", "1", "-c", "1"]).args(flags);
        let report = run.file("data.json", data).stdin(stdin).report();
        assert_eq!(listener.names(), ["Ünï"], "{flags:?}");
        assert_eq!(report["options"]["data"]["name"], "Ünï");
    }
}

#[test]
fn metadata_deadline_and_authority_go_along() {
    let listener = Listener::start();
    let run = Run::say_hello(&listener.address()).args(["-n", "1", "-c", "1", "-t", "2500ms"]);
    run.args(["-m", r#"{"X-Trace":"abc","raw-bin":"AAEC/w=="}"#, "--authority", "greeter.test"]).go();
    let heard = &listener.heard()[0];
    assert_eq!(heard.header("x-trace"), Some("abc"));
    assert_eq!(heard.metadata.get_bin("raw-bin").unwrap().to_bytes().unwrap(), vec![0, 1, 2, 255]);
    assert_eq!(heard.header("te"), Some("trailers"));
    let timeout = heard.header("grpc-timeout").unwrap();
    let (number, unit) = timeout.split_at(timeout.len() - 1);
    let per_second = match unit {
        "n" => 1e9,
        "u" => 1e6,
        "m" => 1e3,
        _ => panic!("{timeout}"),
    };
    assert!(number.len() <= 8, "{timeout}: the protocol has eight digits");
    let seconds = number.parse::<f64>().unwrap() / per_second;
    assert!(seconds <= 2.5 && seconds > 2.0, "{timeout}");
}

#[test]
fn without_a_deadline_none_is_sent() {
    let listener = Listener::start();
    Run::say_hello(&listener.address()).args(["-n", "1", "-c", "1", "-t", "0"]).go();
    assert_eq!(listener.heard()[0].header("grpc-timeout"), None);
}

#[test]
fn calls_end_at_their_deadline() {
    let server = server(Options { delay: Some("5s".parse().unwrap()), ..Options::default() });
    let done =
        Run::say_hello(server.address()).args(["-n", "6", "-c", "3", "-t", "200ms", "-O", "json"]).status(1).go();
    let report = done.json();
    assert_eq!(counts(&report).done, 6);
    assert_eq!(status(&report, "DeadlineExceeded"), 6);
    assert!(done.elapsed.as_secs_f64() < 4.0, "{:?}: nobody waits for the server", done.elapsed);
    for detail in report["details"].as_array().unwrap() {
        assert!(detail["latency"].as_u64().unwrap() >= 200_000_000, "{detail}");
    }
}

#[test]
fn a_share_of_the_calls_fails() {
    let errors = vec!["UNAVAILABLE:30%".parse().unwrap(), "NOT_FOUND:20%".parse().unwrap()];
    let server = server(Options { errors, seed: 3, ..Options::default() });
    let report = Run::say_hello(server.address()).args(["-n", "2000", "-c", "10"]).report();
    let counts = counts(&report);
    let (unavailable, not_found) = (status(&report, "Unavailable"), status(&report, "NotFound"));
    assert_eq!(counts.failed, unavailable + not_found);
    assert!((500..700).contains(&unavailable), "{unavailable} of 2000");
    assert!((300..500).contains(&not_found), "{not_found} of 2000");
    for text in report["errorDistribution"].as_object().unwrap().keys() {
        assert!(
            text.starts_with("rpc error: code = Unavailable desc = ") || text.contains("code = NotFound"),
            "{text}"
        );
    }
}

#[test]
fn a_run_without_a_single_success_fails() {
    let server = server(Options { errors: vec!["INTERNAL:100%".parse().unwrap()], ..Options::default() });
    let run = || Run::say_hello(server.address()).args(["-n", "10", "-c", "2"]).status(1);
    let report = run().report();
    assert_eq!(counts(&report).failed, 10);
    assert_eq!((report["fastest"].as_u64(), report["slowest"].as_u64()), (Some(0), Some(0)));
    assert!(report["histogram"].is_array() && report["latencyDistribution"].is_array());
    let counted = run().args(["--count-errors"]).report();
    assert!(counted["slowest"].as_u64().unwrap() > 0);
    run().go();
}

#[test]
fn a_method_that_the_server_does_not_have_is_a_result() {
    let server = server(Options::default());
    let proto = "syntax = \"proto3\"; package helloworld; message M {} service Greeter { rpc SayBye(M) returns (M); }";
    let report = Run::new()
        .file("bye.proto", proto)
        .args(["--insecure", "--proto", "bye.proto", "--call", "helloworld.Greeter.SayBye", "-n", "4", "-c", "2"])
        .args([server.address()])
        .status(1)
        .report();
    assert_eq!(status(&report, "Unimplemented"), 4);
    counts(&report);
}

#[test]
fn few_streams_are_waited_for() {
    let delay = Some("5ms".parse().unwrap());
    let server = server(Options { max_concurrent_streams: Some(1), delay, ..Options::default() });
    let report = Run::say_hello(server.address()).args(["-n", "20", "-c", "10"]).report();
    assert_eq!(counts(&report).ok, 20, "C31: no stream is refused");
}

#[cfg(unix)]
#[test]
fn unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("greeter.sock");
    let server = Background::start_unix(&socket, Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "10", "-c", "2"]).report();
    assert_eq!(counts(&report).ok, 10);
}

#[test]
fn tls_with_a_certificate_that_is_trusted() {
    let tls = super::listener::certificate();
    let server = server(Options { tls: Some(tls.files()), ..Options::default() });
    let port = server.address().rsplit_once(':').unwrap().1;
    for scheme in ["https://", ""] {
        let done = Run::new()
            .file("ca.pem", &tls.cert)
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", "-n", "10", "-c", "2"])
            .args(["--cacert", "ca.pem", "-O", "json", &*format!("{scheme}localhost:{port}")])
            .stderr(expect_test::expect![""])
            .go();
        assert_eq!(counts(&done.json()).ok, 10);
        assert_ne!(done.json()["options"]["insecure"], true);
    }
}
