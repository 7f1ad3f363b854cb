//! Messages that are compressed or long.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tonic::Code;

use super::frames::{Frame, data, data_in_pieces, grpc, headers, message, trailers};
use super::harness::Run;
use super::run::{Outcome, go, run};
use super::server::{Event, Server};

fn ok() -> Frame {
    trailers(&[("grpc-status", "0")])
}

/// The head of an answer whose messages are compressed this way.
fn encoded(how: &str) -> Frame {
    headers(&[(":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", how)])
}

/// A message in its frame, said to be compressed.
fn flagged(bytes: &[u8]) -> Vec<u8> {
    let mut framed = message(bytes);
    framed[0] = 1;
    framed
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A server whose every answer is one message of so many bytes, in DATA frames of 16 kB.
fn answering(bytes: usize) -> Server {
    let pieces = data_in_pieces(&message(&vec![7; bytes]), 16_384);
    Server::answering([vec![grpc()], pieces, vec![ok()]].concat())
}

#[test]
fn c33_answers_of_any_length_unless_there_is_a_limit() {
    let server = answering(5 << 20);
    let ten = |flags: &str| run(server.address(), &format!("-n 10 -c 2 {flags}"));
    let bytes = |outcome: &Outcome| outcome.report["grpcbench"]["traffic"]["message_bytes_received"].as_u64();
    ten("").all_ok(10);
    ten("--max-recv-message-size 6MiB").all_ok(10);
    ten("--max-recv-message-size 5242880").all_ok(10);
    for flags in ["--max-recv-message-size=4MB", "--max-recv-message-size 5,242,879", "--max-recv-message-size 0"] {
        let outcome = ten(flags);
        outcome.all_failed(10, Code::ResourceExhausted, "the server sent a message of 5242880 bytes, and --max-recv");
        assert_eq!(bytes(&outcome), Some(0), "{flags}: seen by its prefix");
    }
    // The limits have nothing to do with each other, and a message as long as its limit is not too long.
    ten("--max-send-message-size 5").all_ok(10);
}

#[test]
fn c33_a_message_too_long_to_send_is_refused_before_the_run() {
    let server = answering(1);
    let said = |flags: &[&str]| {
        let run =
            Run::say_hello(server.address()).file("long.json", format!(r#"[{{}},{{"name":"{}"}}]"#, "x".repeat(5000)));
        run.args(["-D", "long.json", "-n", "2", "-c", "1"]).args(flags.iter().copied()).status(2).go().stderr
    };
    assert_eq!(
        said(&["--max-send-message-size", "5 kB"]),
        "error: message 2 of the data has 5003 bytes, and --max-send-message-size allows 5000\n\
         hint: send less, or raise --max-send-message-size\n"
    );
    for flag in ["--max-send-message-size", "--max-recv-message-size"] {
        assert_eq!(
            said(&[flag, "lots"]),
            format!(
                "error: `lots` is no good value for {flag}: a size is a number of bytes, such as 42, 4 MB (4000000) or \
                 4 MiB (4194304)\n"
            )
        );
    }
    assert_eq!(server.seen().connections, 0);
    let long = Run::say_hello(server.address()).file("long.json", format!(r#"{{"name":"{}"}}"#, "x".repeat(5000)));
    go(long.args(["-D", "long.json", "-e", "--max-send-message-size", "100", "-n", "2", "-c", "1"])).all_ok(2);
}

#[test]
fn c19_compressed_requests() {
    let server = answering(3);
    let name = "repeated ".repeat(500);
    let call = Run::say_hello(server.address()).file("data.json", format!(r#"{{"name":"{name}"}}"#));
    let metadata = r#"{"X-Tenant":"Acme","x-run":"7"}"#;
    go(call.args(["-D", "data.json", "-e", "-m", metadata, "-n", "1000", "-c", "10", "--connections", "10"]))
        .all_ok(1000);
    let seen = server.seen();
    assert_eq!(seen.firsts.len(), 10);
    for fields in &seen.firsts {
        for (name, value) in
            [("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip"), ("x-tenant", "Acme"), ("x-run", "7")]
        {
            let values: Vec<_> = fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value).collect();
            assert_eq!(values, [value], "{name}");
        }
    }
    let ([flag, length @ ..], sent) = seen.first_body.split_first_chunk::<5>().unwrap();
    assert_eq!((*flag, u32::from_be_bytes(*length) as usize), (1, sent.len()));
    let mut read = Vec::new();
    GzDecoder::new(sent).read_to_end(&mut read).unwrap();
    assert_eq!(&read[3..], name.as_bytes());
    assert_eq!(seen.body_bytes, 1000 * seen.first_body.len());
    assert!(sent.len() < 100, "{}", sent.len());

    run(server.address(), "-n 10 -c 1").all_ok(10);
    let plain = &server.seen().firsts[10];
    assert!(plain.iter().all(|(name, _)| !name.starts_with("grpc-") || name == "grpc-timeout"), "{plain:?}");
}

#[test]
fn compressed_answers_are_for_those_who_ask_for_them() {
    let short = gzip(&[7; 5000]);
    let server = Server::answering([encoded("gzip"), data(&flagged(&short)), ok()]);
    let outcome = run(server.address(), "-n 10 -c 2 -e");
    outcome.all_ok(10);
    let received = &outcome.report["grpcbench"]["traffic"];
    assert_eq!(received["message_bytes_received"], 10 * short.len(), "as they come: {received}");
    assert_eq!(received["message_bytes_unpacked"], 50_000, "as they are: {received}");
    run(server.address(), "-n 10 -c 2").all_failed(10, Code::Internal, "without naming a compression that we accept");
    // The limit is on what comes, and on what that is.
    run(server.address(), "-n 10 -c 2 -e --max-recv-message-size 5000").all_ok(10);
    let said = "has more bytes than the 4999 that --max-recv";
    run(server.address(), "-n 10 -c 2 -e --max-recv-message-size 4999").all_failed(10, Code::ResourceExhausted, said);
    let said = format!("a message of {} bytes", short.len());
    run(server.address(), "-n 10 -c 2 -e --max-recv-message-size 9").all_failed(10, Code::ResourceExhausted, &said);

    let mixed = Server::answering([encoded("gzip"), data(&message(b"\x0a\x00")), ok()]);
    run(mixed.address(), "-n 10 -c 2 -e").all_ok(10);
    for how in ["identity", "snappy", ""] {
        let server = Server::answering([encoded(how), data(&flagged(&short)), ok()]);
        run(server.address(), "-n 10 -c 2 -e").all_failed(10, Code::Internal, "without naming a compression");
    }
    let silent = Server::answering([grpc(), data(&flagged(&short)), ok()]);
    run(silent.address(), "-n 10 -c 2 -e").all_failed(10, Code::Internal, "without naming a compression");
}

#[test]
fn compressed_answers_that_are_broken_end_their_call() {
    let good = gzip(b"a message that repeats itself, a message that repeats itself");
    let mut wrong_checksum = good.clone();
    let at = wrong_checksum.len() - 8;
    wrong_checksum[at] ^= 1;
    for bytes in [&b""[..], b"text", &good[..good.len() - 1], &wrong_checksum, &[&good[..], b"x"].concat()] {
        let server = Server::answering([encoded("gzip"), data(&flagged(bytes)), ok()]);
        run(server.address(), "-n 10 -c 2 -e").all_failed(10, Code::Internal, "a compressed message that is no gzip");
    }
    // In pieces, and after a good one.
    let messages = [flagged(&good), message(b"plain"), flagged(&good)].concat();
    let server = Server::answering([vec![encoded("gzip")], data_in_pieces(&messages, 7), vec![ok()]].concat());
    let call =
        ["--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHellos", "-e", "-n", "10"];
    let outcome = go(Run::new().args(call).args([server.address()]));
    outcome.all_ok(10);
    let traffic = &outcome.report["grpcbench"]["traffic"];
    assert_eq!(traffic["messages_received"], 30);
    assert_eq!(traffic["message_bytes_received"], 10 * (2 * good.len() + 5));
    assert_eq!(traffic["message_bytes_unpacked"], 10 * (2 * 60 + 5));
}

/// Requests with a hundred thousand fields of metadata, in many frames each; and the size at which a server that has said
/// what it takes is not asked.
#[test]
fn heads_of_any_length_unless_the_server_has_a_limit() {
    const MANY: usize = 100_000;
    const MAX_HEADER_LIST_SIZE: u16 = 6;
    let metadata: Vec<String> = (0..MANY).map(|n| format!(r#""x-{n}":"{n}""#)).collect();
    let metadata = format!("{{{}}}", metadata.join(","));
    let run = |server: &Server| {
        let run = Run::say_hello(server.address()).file("long.json", &metadata);
        run.args(["-M", "long.json", "-n", "3", "-c", "1", "--connections", "1"])
    };
    let answering = |settings: &[(u16, u32)]| {
        Server::greeting(settings, |peer, event| {
            if let Event::Whole(stream) = event {
                peer.answer(stream);
            }
        })
    };
    let server = answering(&[]);
    go(run(&server)).all_ok(3);
    let seen = server.seen();
    let sent = seen.firsts[0].iter().filter(|(name, value)| name.strip_prefix("x-") == Some(value)).count();
    assert_eq!((seen.requests, sent), (3, MANY));

    let server = answering(&[(MAX_HEADER_LIST_SIZE, 100_000)]);
    let told = run(&server).status(3).go().stderr;
    let bytes: u32 = told.trim_end().lines().next().unwrap().rsplit(' ').next().unwrap().parse().expect(&told);
    assert!(bytes as usize > MANY * (32 + "x-".len()), "{told}");
    assert!(told.contains("takes 100000 bytes of request headers (SETTINGS_MAX_HEADER_LIST_SIZE)"), "{told}");
    assert_eq!(server.seen().requests, 0);
    go(run(&answering(&[(MAX_HEADER_LIST_SIZE, bytes)]))).all_ok(3);
    run(&answering(&[(MAX_HEADER_LIST_SIZE, bytes - 1)])).status(3).go();
}

#[test]
fn what_packs_very_much_costs_little_memory() {
    let bomb = gzip(&vec![0; 200 << 20]);
    let pieces = data_in_pieces(&flagged(&bomb), 16_384);
    let server = Server::answering([vec![encoded("gzip")], pieces, vec![ok()]].concat());
    let said = "has more bytes than the 4194304 that";
    let limit = "-n 4 -c 2 -e --max-recv-message-size 4MiB";
    run(server.address(), limit).all_failed(4, Code::ResourceExhausted, said);
}

#[test]
fn answers_that_are_shown_are_cut_where_they_are_long() {
    let frames = |messages: Vec<u8>| [vec![grpc()], data_in_pieces(&messages, 16_384), vec![ok()]].concat();
    let shown = |server: &Server, method: &str| {
        let call = format!("helloworld.Greeter.{method}");
        let args = [
            "--insecure",
            "--proto",
            "helloworld.proto",
            "--call",
            &call,
            "-n",
            "3",
            "-c",
            "1",
            "--show-responses",
            "1",
        ];
        Run::new().args(args).args([server.address()]).go().stderr
    };
    // A reply with one text of so many bytes.
    let reply = |bytes: usize| {
        let mut field = vec![0x0a];
        prost::encode_length_delimiter(bytes, &mut field).unwrap();
        message(&[field, vec![b'x'; bytes]].concat())
    };
    let one = shown(&Server::answering(frames(reply(100_000))), "SayHello");
    assert!(one.contains("1 more message is not shown: 64 KiB of an answer are kept\n"), "{one}");
    let many = shown(&Server::answering(frames(reply(20_000).repeat(1_000))), "SayHellos");
    assert!(many.contains("message 3: {\"message\":\"xxx") && !many.contains("message 4:"), "{}", many.len());
    assert!(many.contains("997 more messages are not shown"), "{}", many.len());
    let odd = shown(&Server::answering([grpc(), data(&message(b"\xff")), ok()]), "SayHello");
    assert!(odd.contains("  message: 1 bytes that cannot be shown: it is no `helloworld.HelloReply`"), "{odd}");
}

#[test]
fn metadata_of_answers_is_shown_without_secrets() {
    let head =
        [(":status", "200"), ("content-type", "application/grpc"), ("set-cookie", "abc123"), ("x-served-by", "me")];
    let end = [("grpc-status", "5"), ("grpc-message", "no such thing"), ("x-session-id", "abc123"), ("x-cost", "7")];
    let server = Server::answering([headers(&head), trailers(&end)]);
    let run = |flag: &str| {
        let run = Run::say_hello(server.address()).args(["-n", "2", "-c", "1", "--show-responses", "1"]);
        run.args(flag.split_whitespace()).status(1).go().stderr
    };
    let stderr = run("");
    assert!(stderr.starts_with("Response to call 0: NotFound after "), "{stderr}");
    let expected = " ms: no such thing\n  metadata:\n    content-type: application/grpc\n    set-cookie: ***\n    \
                    x-served-by: me\n  trailers:\n    x-session-id: ***\n    x-cost: 7\n";
    assert!(stderr.ends_with(expected), "{stderr}");
    assert_eq!(run("--show-secrets").matches("abc123").count(), 2);
}
