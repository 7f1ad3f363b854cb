//! Calls that end before their time: early answers, deadlines, resets.

use std::net::TcpListener;
use std::time::Duration;

use tonic::Code;

use super::frames::{
    INITIAL_WINDOW_SIZE, data, fine, go_away, greeting, grpc, message, rst, settings, trailers, trailers_only,
    window_update,
};
use super::harness::Run;
use super::run::{for_each, go, run};
use super::server::{Event, Server};

const MS: Duration = Duration::from_millis(1);

fn anywhere() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// A run whose calls carry a name of so many bytes.
fn long_calls(address: &str, bytes: usize) -> Run {
    let data = format!(r#"{{"name":"{}"}}"#, "x".repeat(bytes));
    Run::say_hello(address).file("data.json", data).args(["-D", "data.json"])
}

#[test]
fn c27_an_early_answer_and_a_reset_that_means_no_harm() {
    let full = [trailers_only(&[("grpc-status", "8"), ("grpc-message", "full")]), rst(0)];
    let good = [grpc(), data(&message(b"")), trailers(&[("grpc-status", "0")]), rst(0)];
    for at_head in [true, false] {
        let on = move |event: Event| match event {
            Event::Head(stream) if at_head => Some(stream),
            Event::Whole(stream) if !at_head => Some(stream),
            _ => None,
        };
        for (frames, ok) in [(full.to_vec(), false), (good.to_vec(), true)] {
            let server = Server::start(move |peer, event| {
                if let Some(stream) = on(event) {
                    peer.send(stream, &frames);
                }
            });
            let outcome = run(server.address(), "-n 1000 -c 10");
            if ok {
                outcome.all_ok(1000);
            } else {
                outcome.all_failed(1000, Code::ResourceExhausted, "full");
            }
            assert_eq!((server.seen().requests, server.seen().connections), (1000, 1), "slots are freed");
        }
    }
}

#[test]
fn c27_an_early_answer_stops_a_long_request() {
    for with_reset in [true, false] {
        let server = Server::start(move |peer, event| {
            if let Event::Head(stream) = event {
                peer.send(stream, &[trailers_only(&[("grpc-status", "8"), ("grpc-message", "full")])]);
                if with_reset {
                    peer.send(stream, &[rst(0)]);
                }
            }
        });
        let outcome = go(long_calls(server.address(), 5_000_000).args(["-n", "10", "-c", "2"]));
        outcome.all_failed(10, Code::ResourceExhausted, "full");
        let seen = server.seen();
        // The first windows, and no more: nobody opened them further.
        assert!(seen.body_bytes <= 10 * 65_535, "{}", seen.body_bytes);
        // NO_ERROR or CANCEL, unless the server was first.
        assert!(with_reset && seen.resets.is_empty() || seen.resets == [8; 10], "{:?}", seen.resets);
    }
}

/// What is on its way when the answer comes can't be called back; the rest stays at home, although all windows are open.
#[cfg(unix)]
#[test]
fn c27_an_early_answer_keeps_the_rest_of_a_request_at_home() {
    // The buffer of a unix socket is small, and the server reads on only when its answer has long been there.
    let folder = tempfile::tempdir().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
    let server = Server::on(listener, greeting(&[(INITIAL_WINDOW_SIZE, 1 << 30)]), |peer, event| {
        if let Event::Head(stream) = event {
            peer.send(stream, &[trailers_only(&[("grpc-status", "8"), ("grpc-message", "full")])]);
            peer.flush();
            std::thread::sleep(200 * MS);
        }
    });
    let outcome = go(long_calls(server.address(), 16_000_000).args(["-n", "4", "-c", "1"]));
    outcome.all_failed(4, Code::ResourceExhausted, "full");
    let seen = server.seen();
    assert!(seen.body_bytes < 4 * 4_000_000, "{}", seen.body_bytes);
    assert_eq!(seen.connections, 1);
    // The last one may stand behind what was on its way when the program ended.
    assert!(seen.resets.len() >= 3 && seen.resets.iter().all(|code| *code == 8), "{:?}", seen.resets);
}

#[test]
fn c28_deadlines_against_servers_that_do_not_answer() {
    let never = Server::start(|_, _| {});
    let only_a_head = Server::answering([grpc()]);
    let half_a_message = Server::answering([grpc(), data(&message(b"hello")[..7])]);
    let on_and_on = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send(stream, &[grpc()]);
            for tenth in 1..20 {
                peer.send_later(tenth * 100 * MS, stream, &[data(&message(b"tick"))]);
            }
        }
    });
    for_each([never, only_a_head, half_a_message, on_and_on], |server| {
        let outcome = run(server.address(), "-t 300ms -n 4 -c 2");
        outcome.all_failed(4, Code::DeadlineExceeded, "deadline");
        for latency in outcome.latencies_ms() {
            assert!((300.0..1500.0).contains(&latency), "{latency}");
        }
        let seen = server.seen();
        assert_eq!(seen.field("grpc-timeout"), Some("300000u"));
        assert_eq!(seen.resets, [8; 4], "CANCEL");
    });
}

#[test]
fn c28_who_resets_first_decides() {
    let resetting = |after: Duration| {
        Server::start(move |peer, event| {
            if let Event::Whole(stream) = event {
                peer.send_later(after, stream, &[rst(8)]);
            }
        })
    };
    run(resetting(50 * MS).address(), "-t 10s -n 4 -c 2").all_failed(4, Code::Cancelled, "CANCEL");
    run(resetting(2000 * MS).address(), "-t 100ms -n 4 -c 2").all_failed(4, Code::DeadlineExceeded, "deadline");
    // At the same time, either is right, and every call has one of them.
    let outcome = run(resetting(100 * MS).address(), "-t 100ms -n 20 -c 20");
    let (cancelled, late) = (outcome.with_status(Code::Cancelled), outcome.with_status(Code::DeadlineExceeded));
    assert_eq!(cancelled + late, 20);
    for latency in outcome.latencies_ms() {
        assert!(latency >= 99.0, "{latency}");
    }
}

#[test]
fn c28_without_a_deadline_nothing_is_sent_and_nothing_ends() {
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send_later(400 * MS, stream, &fine());
        }
    });
    run(server.address(), "-t 0 -n 2 -c 2").all_ok(2);
    assert_eq!(server.seen().field("grpc-timeout"), None);
    assert_eq!(server.seen().field("te"), Some("trailers"), "the field is found where there is one");
}

#[test]
fn c28_answers_after_the_deadline_harm_nobody() {
    // Every other call is late by a little, and its answer comes when its place is another call's.
    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            if stream % 4 == 1 {
                peer.answer(stream);
            } else {
                peer.send_later(60 * MS, stream, &fine());
            }
        }
        if let Event::Reset(stream, _) = event {
            // As a server does that has written its answer when the reset comes.
            peer.send(stream, &fine());
        }
    });
    let outcome = run(server.address(), "-t 40ms -n 100 -c 4");
    let (ok, late) = (outcome.counts.ok, outcome.with_status(Code::DeadlineExceeded));
    assert_eq!((ok + late, server.seen().connections), (100, 1), "{:?}", outcome.failures());
    assert_eq!(server.seen().resets.len() as u64, late);
    assert!(ok >= 25 && late >= 25, "{ok} and {late}");
}

#[test]
fn c29_reset_codes() {
    for (code, name, status) in [
        (0, "NO_ERROR", Code::Internal),
        (1, "PROTOCOL_ERROR", Code::Internal),
        (2, "INTERNAL_ERROR", Code::Internal),
        (3, "FLOW_CONTROL_ERROR", Code::Internal),
        (4, "SETTINGS_TIMEOUT", Code::Internal),
        (5, "STREAM_CLOSED", Code::Internal),
        (6, "FRAME_SIZE_ERROR", Code::Internal),
        (8, "CANCEL", Code::Cancelled),
        (9, "COMPRESSION_ERROR", Code::Internal),
        (10, "CONNECT_ERROR", Code::Internal),
        (11, "ENHANCE_YOUR_CALM", Code::ResourceExhausted),
        (12, "INADEQUATE_SECURITY", Code::PermissionDenied),
        (13, "HTTP_1_1_REQUIRED", Code::Unknown),
        (4711, "0x1267", Code::Internal),
    ] {
        let server = Server::answering([rst(code)]);
        run(server.address(), "-n 20 -c 2").all_failed(20, status, name);
        assert_eq!((server.seen().connections, server.seen().requests), (1, 20), "{name}");
        // In the middle of an answer it means the same.
        let server = Server::answering([grpc(), data(&message(b"half")[..6]), rst(code)]);
        run(server.address(), "-n 20 -c 2").all_failed(20, status, name);
    }
}

#[test]
fn c29_refused_streams_are_sent_once_more() {
    let server = Server::answering([rst(7)]);
    let outcome = run(server.address(), "-n 20 -c 2");
    outcome.all_failed(20, Code::Unavailable, "REFUSED_STREAM");
    assert_eq!((outcome.retried(), server.seen().requests), (20, 40), "twice each, and not again");

    let server = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            if peer.requests % 2 == 1 { peer.send(stream, &[rst(7)]) } else { peer.answer(stream) }
        }
    });
    let outcome = run(server.address(), "-n 20 -c 1");
    outcome.all_ok(20);
    assert_eq!((outcome.retried(), server.seen().requests), (20, 40));
}

#[test]
fn long_requests_wait_for_windows() {
    // 64 KiB at first, and then a little for every little that comes, for the stream and for the connection.
    let server = Server::on(anywhere(), vec![settings(&[])], |peer, event| match event {
        Event::Body(stream, bytes) => {
            let by = window_update(u32::try_from(bytes).unwrap());
            peer.send(stream, std::slice::from_ref(&by));
            peer.say(&[by]);
        }
        Event::Whole(stream) => peer.answer(stream),
        _ => {}
    });
    let outcome = go(long_calls(server.address(), 1_000_000).args(["-n", "8", "-c", "4"]));
    outcome.all_ok(8);
    let sent = outcome.report["grpcbench"]["traffic"]["message_bytes_sent"].as_u64().unwrap();
    assert_eq!(server.seen().body_bytes as u64, sent + 8 * 5, "every byte once, with a prefix a message");
}

#[test]
fn a_window_that_never_opens_ends_at_the_deadline() {
    let server = Server::on(anywhere(), vec![settings(&[])], |_, _| {});
    let outcome = go(long_calls(server.address(), 1_000_000).args(["-n", "4", "-c", "2", "-t", "300ms"]));
    outcome.all_failed(4, Code::DeadlineExceeded, "deadline");
    assert_eq!((server.seen().body_bytes, server.seen().resets), (65_535, vec![8; 4]), "the window, and then CANCEL");

    let server = Server::start(|_, _| {});
    let outcome = go(long_calls(server.address(), 1_000_000).args(["-n", "4", "-c", "2", "-t", "300ms"]));
    outcome.all_failed(4, Code::DeadlineExceeded, "deadline");
    assert_eq!(server.seen().body_bytes, 4 * 65_535, "the windows of four streams");

    // The same for a window that is shut from the beginning, and one that is shut when it was open.
    let server = Server::greeting(&[(INITIAL_WINDOW_SIZE, 0)], |_, _| {});
    run(server.address(), "-n 4 -c 2 -t 200ms").all_failed(4, Code::DeadlineExceeded, "deadline");
    assert_eq!((server.seen().body_bytes, server.seen().requests), (0, 4));
}

#[test]
fn a_call_that_is_refused_in_the_middle_of_its_request_starts_from_its_beginning() {
    let server = Server::start(|peer, event| match event {
        Event::Body(stream, _) if peer.number == 1 => {
            peer.say(&[go_away(stream.saturating_sub(2), 0)]);
            peer.close();
        }
        Event::Body(_, bytes) => {
            let by = window_update(u32::try_from(bytes).unwrap());
            let stream = peer.newest;
            peer.send(stream, std::slice::from_ref(&by));
            peer.say(&[by]);
        }
        Event::Whole(stream) => peer.answer(stream),
        _ => {}
    });
    let outcome = go(long_calls(server.address(), 300_000).args(["-n", "2", "-c", "1"]));
    outcome.all_ok(2);
    assert_eq!((outcome.retried(), server.seen().requests, server.seen().connections), (1, 3, 2));
}
