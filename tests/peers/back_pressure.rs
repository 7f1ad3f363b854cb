//! Servers that do not take what is sent: calls end by their deadline, the time that flow control held them back is
//! reported, and what waits does not pile up in memory.

use std::io::Write as _;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::Value;
use tonic::Code;

use super::frames::{Frame, INITIAL_WINDOW_SIZE, greeting, grpc, settings, window_update};
use super::harness::Run;
use super::numbers::whole;
use super::run::{Outcome, go};
use super::server::{Event, Server};

/// Eight calls with messages of 64 KiB each.
fn long_messages(server: &Server, method: &str) -> Run {
    let call = format!("helloworld.Greeter.{method}");
    let message = format!(r#"{{"name":"{}"}}"#, "x".repeat(64 << 10));
    Run::new()
        .args(["--insecure", "--proto", "helloworld.proto", "--call", &call, "-D", "long.json"])
        .args(["-n", "8", "-c", "4", server.address()])
        .file("long.json", message)
}

/// 6 GB in each call, for which it has 400 ms.
fn many_megabytes(server: &Server, method: &str) -> Run {
    long_messages(server, method).args(["-t", "400ms", "--stream-call-count", "100000"])
}

fn blocked(outcome: &Outcome) -> &Value {
    &outcome.report["grpcbench"]["streams"]["blocked"]
}

/// Every call ended by its deadline, for most of which flow control held it back.
#[track_caller]
fn all_blocked(outcome: &Outcome) {
    outcome.all_failed(8, Code::DeadlineExceeded, "deadline");
    let blocked = blocked(outcome);
    assert_eq!(whole(&blocked["count"]), 8, "{blocked}");
    assert!((200_000_000..=3_000_000_000).contains(&whole(&blocked["min_ns"])), "{blocked}");
    // A call cannot be blocked for longer than it lasts.
    assert!(outcome.latencies_ms().iter().all(|ms| *ms >= 400.0), "{:?}", outcome.latencies_ms());
}

#[test]
fn a_window_of_64_kib_that_never_opens_blocks_until_the_deadline() {
    for method in ["SayHelloCS", "SayHelloBidi"] {
        let server = Server::on(TcpListener::bind("127.0.0.1:0").unwrap(), vec![settings(&[])], |_, _| {});
        all_blocked(&go(many_megabytes(&server, method)));
        assert_eq!(server.seen().body_bytes, 65_535, "{method}: the window of the connection, and no more");
    }
}

#[test]
fn a_window_of_64_kib_that_opens_slowly_is_waited_for() {
    // As much is let through as has come, a while later.
    let server =
        Server::on(TcpListener::bind("127.0.0.1:0").unwrap(), vec![settings(&[])], |peer, event| match event {
            Event::Head(stream) => peer.send(stream, &[grpc()]),
            Event::Body(stream, bytes) => {
                let by = window_update(u32::try_from(bytes).unwrap());
                peer.send_later(Duration::from_millis(40), stream, std::slice::from_ref(&by));
                peer.send_later(Duration::from_millis(40), 0, &[by]);
            }
            _ => {}
        });
    let outcome = go(many_megabytes(&server, "SayHelloBidi"));
    all_blocked(&outcome);
    let sent = server.seen().body_bytes;
    assert!((2 * 65_535..=80 * 65_535).contains(&sent), "about a window each 40 ms: {sent}");
}

/// A server that says hello and then reads nothing at all.
fn never_reading(hello: Vec<Frame>) -> Server {
    Server::raw(TcpListener::bind("127.0.0.1:0").unwrap(), move |mut connection| {
        let bytes: Vec<u8> = hello.iter().flat_map(|frame| frame.bytes(0)).collect();
        let _ = connection.io.write_all(&bytes);
        std::thread::sleep(Duration::from_secs(20));
    })
}

/// Wide windows, so that only the network stands in the way.
fn wide() -> Vec<Frame> {
    greeting(&[(INITIAL_WINDOW_SIZE, 1 << 30)])
}

#[test]
fn a_server_that_never_reads_blocks_until_the_deadline() {
    for method in ["SayHelloCS", "SayHelloBidi"] {
        for hello in [vec![settings(&[])], wide()] {
            all_blocked(&go(many_megabytes(&never_reading(hello), method)));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_not_taken_does_not_pile_up_in_memory() {
    // Calls of 6 GB each. Beside them a run that sends nothing of the kind.
    let peak_kb = |server: &Server, flags: &[&str]| {
        let run = long_messages(server, "SayHelloCS").args(["-t", "0"]).args(flags.iter().copied()).start();
        std::thread::sleep(Duration::from_millis(1_500));
        let peak = run.peak_kb();
        drop(run);
        peak
    };
    let (few, many) = (["--stream-call-count", "1"], ["--stream-call-count", "100000"]);
    let window = Server::on(TcpListener::bind("127.0.0.1:0").unwrap(), vec![settings(&[])], |_, _| {});
    let base = peak_kb(&window, &few);
    for (name, server) in [("a window of 64 KiB", window), ("a server that never reads", never_reading(wide()))] {
        let peak = peak_kb(&server, &many);
        assert!(peak < base + 8 * 1024, "{name}: {peak} kB beside {base} kB");
    }
}
