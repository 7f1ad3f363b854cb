//! Servers that misbehave, each against the whole program: what a call comes to, who else is harmed, and that neither
//! time nor memory runs away.
//!
//! What a whole answer may look like is in `answers`, how calls may end in `endings`, connections in `connections`,
//! streams in `streams` and `streaming`, TLS in `secure`. Here are the floods, the frames that should not be, and
//! tables of moments.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tonic::Code;

use super::frames::{
    Frame, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, block, bytes, continuation, data, fine, go_away, greeting,
    grpc, headers, in_pieces, message, ping, rst, settings, trailers, trailers_only, window_update,
};
use super::harness::Run;
use super::run::{Outcome, for_each, go, run};
use super::server::{Connection, Event, Peer, Server};

const MS: Duration = Duration::from_millis(1);
/// What a run of an unoptimised program takes at most, whatever a server does: several times what a good one takes.
const PEAK_KIB: u64 = 160 * 1024;

impl Outcome {
    /// Nothing ran away.
    #[track_caller]
    fn bounded(&self, time: Duration) {
        assert!(self.elapsed < time, "{:?}", self.elapsed);
        assert!(self.peak_kib < PEAK_KIB, "{} KiB", self.peak_kib);
    }

    /// Calls ended with these statuses only.
    #[track_caller]
    fn only(&self, statuses: &[Code]) {
        let count: u64 = statuses.iter().map(|status| self.with_status(*status)).sum();
        assert_eq!(count, self.counts.done, "{:?}", self.failures());
    }
}

/// Twenty calls to a server that does this once it has a request.
#[track_caller]
fn answered(answer: impl Fn(&mut Peer, u32) + Send + Sync + 'static) -> (Outcome, Server) {
    let server = Server::start(move |peer, event| {
        if let Event::Whole(stream) = event {
            answer(peer, stream);
        }
    });
    let outcome = run(server.address(), "-n 20 -c 2 -t 5s");
    outcome.bounded(Duration::from_secs(20));
    (outcome, server)
}

fn repeated(frame: &Frame, times: usize) -> Vec<Frame> {
    vec![frame.clone(); times]
}

#[test]
fn floods_before_an_answer_harm_nothing() {
    let floods: [(&str, Vec<Frame>); 8] = [
        ("interim responses", repeated(&headers(&[(":status", "103"), ("link", "</style.css>")]), 5_000)),
        ("pings", repeated(&ping(), 1_000)),
        ("settings", repeated(&settings(&[(6, 16_384)]), 500)),
        ("windows", repeated(&window_update(1), 5_000)),
        ("unknown frames", repeated(&bytes(b"\0\0\x04\xaa\xff\0\0\0\x01what"), 5_000)),
        ("priorities", repeated(&bytes(b"\0\0\x05\x02\0\0\0\0\x01\0\0\0\0\x10"), 5_000)),
        ("acknowledgements", repeated(&bytes(b"\0\0\0\x04\x01\0\0\0\0"), 5_000)),
        ("resets of a stream that is gone", Vec::new()),
    ];
    for (name, flood) in floods {
        let (outcome, server) = answered(move |peer, stream| {
            peer.send(stream, &flood);
            peer.answer(stream);
            if flood.is_empty() {
                peer.send(stream, &repeated(&rst(8), 5_000));
            }
        });
        outcome.all_ok(20);
        assert_eq!(server.seen().connections, 1, "{name}");
    }
}

/// A flood of frames that are to be answered, by a server that reads no answer.
#[test]
fn floods_that_nobody_reads_the_replies_of_end_their_connection() {
    for frame in [ping(), settings(&[])] {
        let server = Server::raw(TcpListener::bind("127.0.0.1:0").unwrap(), move |mut connection| {
            let mut flood = settings(&[]).bytes(0);
            flood.extend(frame.bytes(0).repeat(10_000));
            // Until the client has had enough.
            while connection.io.write_all(&flood).is_ok() {}
        });
        let outcome = run(server.address(), "-n 4 -c 2 -t 3s");
        outcome.bounded(Duration::from_secs(20));
        outcome.only(&[Code::Unavailable, Code::DeadlineExceeded]);
        assert_eq!(outcome.counts.done, 4);
    }
}

#[test]
fn header_blocks_without_end_cost_their_connection() {
    let head = || grpc().to_be_continued();
    for flood in [vec![], b"\x88".to_vec(), b"\0\x01x\x01y".to_vec()] {
        let (outcome, server) = answered(move |peer, stream| {
            peer.send(stream, &[head()]);
            peer.send(stream, &repeated(&continuation(&flood).to_be_continued(), 20_000));
        });
        outcome.all_failed(20, Code::Unavailable, "ENHANCE_YOUR_CALM");
        assert!(server.seen().connections >= 10, "two calls at most on each");
    }
}

#[test]
fn header_lists_that_are_too_long_cost_their_call() {
    let long = "x".repeat(60_000);
    for (fields, fine) in [(2, true), (6, false)] {
        let mut list = vec![(":status", "200"), ("content-type", "application/grpc")];
        list.extend(std::iter::repeat_n(("x-long", long.as_str()), fields));
        let head = in_pieces(&headers(&list), 16_384);
        let (outcome, server) = answered(move |peer, stream| {
            peer.send(stream, &head);
            peer.send(stream, &[data(&message(b"")), trailers(&[("grpc-status", "0")])]);
        });
        if fine {
            outcome.all_ok(20);
        } else {
            outcome.all_failed(20, Code::Internal, "more headers than the list size that we announced");
        }
        assert_eq!(server.seen().connections, 1);
    }
}

#[test]
fn the_header_table_may_change_its_size_with_every_block() {
    // The static `:status: 200`; the content type enters the table, and is taken from it in the next block if it can be.
    let literal = [b"\x88\x40\x0ccontent-type\x10".as_slice(), b"application/grpc"].concat();
    let (outcome, server) = answered(move |peer, stream| {
        let sizes: &[u8] = match peer.requests % 4 {
            0 => b"\x20",
            1 => b"\x20\x3f\xe1\x1f",
            2 => b"\x3f\x1f",
            _ => b"",
        };
        peer.send(stream, &[block(&[sizes, &literal].concat()), data(&message(b""))]);
        peer.send(stream, &[trailers(&[("grpc-status", "0")])]);
    });
    outcome.all_ok(20);
    assert_eq!(server.seen().connections, 1);

    // Larger than was announced: the two sides would read different tables from here on.
    let (outcome, _) = answered(|peer, stream| peer.send(stream, &[block(b"\x3f\xe2\x1f\x88")]));
    outcome.all_failed(20, Code::Unavailable, "COMPRESSION_ERROR");
}

#[test]
fn headers_that_come_drop_by_drop_end_at_the_deadline() {
    // A frame that is never whole, and a header block that is never whole.
    let half = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            let head = grpc().bytes(stream);
            for (at, byte) in head[..head.len() - 1].iter().enumerate() {
                peer.send_later(u32::try_from(at).unwrap() * 10 * MS, stream, &[bytes(&[*byte])]);
            }
        }
    });
    let block = Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            let mut frames = in_pieces(&grpc(), 1);
            frames.pop();
            for (at, frame) in frames.into_iter().enumerate() {
                peer.send_later(u32::try_from(at).unwrap() * 10 * MS, stream, &[frame]);
            }
        }
    });
    for_each([half, block], |server| {
        let outcome = run(server.address(), "-n 1 -c 1 -t 700ms");
        outcome.bounded(Duration::from_secs(20));
        outcome.all_failed(1, Code::DeadlineExceeded, "deadline");
    });
}

#[test]
fn settings_that_change_in_the_middle_of_a_run_stop_nothing_for_good() {
    let concurrent = |limit| settings(&[(MAX_CONCURRENT_STREAMS, limit)]);
    let window = |size| settings(&[(INITIAL_WINDOW_SIZE, size)]);
    for (down, none, up) in [
        (concurrent(1), concurrent(0), concurrent(100)),
        (window(1_000), window(0), window(65_535)),
        (settings(&[(5, 16_777_215)]), settings(&[(1, 0)]), settings(&[(5, 16_384), (1, 4096)])),
    ] {
        let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 100)], move |peer, event| match event {
            Event::Head(_) if peer.requests % 60 == 20 => peer.say(std::slice::from_ref(&down)),
            Event::Head(_) if peer.requests % 60 == 40 => {
                peer.say(std::slice::from_ref(&none));
                peer.send_later(30 * MS, 0, std::slice::from_ref(&up));
            }
            // What was shut in between is opened for them.
            Event::Whole(stream) => peer.answer(stream),
            _ => {}
        });
        let outcome = go(Run::say_hello(server.address()).args(["-n", "300", "-c", "10", "-d", r#"{"name":"Ann"}"#]));
        outcome.bounded(Duration::from_secs(30));
        outcome.all_ok(300);
        assert_eq!((server.seen().connections, server.seen().requests), (1, 300));
    }
}

/// When a server says that it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    Connected,
    Head,
    Whole,
    HalfAnswered,
    Answered,
}

#[test]
fn go_away_at_any_moment_with_any_last_stream() {
    use Moment::{Answered, Connected, HalfAnswered, Head, Whole};
    for_each([Connected, Head, Whole, HalfAnswered, Answered], |moment| {
        for last in [i64::from(u32::MAX >> 1), 0, -2, -1, 2, 1_000] {
            for (code, close) in [(0, true), (0, false), (11, true)] {
                go_away_at(moment, last, code, close);
            }
        }
    });
}

/// Every connection is left once, at its third request; the first 20 requests of each are answered if they come.
fn go_away_at(moment: Moment, last: i64, code: u32, close: bool) {
    let server = Server::start(move |peer, event| {
        let now = match event {
            // Otherwise no call would ever be made.
            Event::Connected => moment == Moment::Connected && peer.number % 2 == 1,
            Event::Head(_) => moment == Moment::Head && peer.requests == 3,
            Event::Whole(_) => moment != Moment::Head && moment != Moment::Connected && peer.requests == 3,
            _ => false,
        };
        if let Event::Whole(stream) = event
            && now
        {
            match moment {
                Moment::HalfAnswered => peer.send(stream, &[grpc(), data(&message(b"half")[..7])]),
                Moment::Answered => peer.answer(stream),
                _ => {}
            }
        }
        if now {
            // A negative number counts back from the newest stream, a small one forward.
            let newest = i64::from(peer.newest);
            let last = if last.abs() < 10 && last != 0 { newest + last } else { last };
            peer.say(&[go_away(u32::try_from(last.max(0)).unwrap(), code)]);
            if close {
                peer.close();
            }
        } else if let Event::Whole(stream) = event {
            peer.answer(stream);
        }
    });
    let what = format!("{moment:?} {last} {code} {close}");
    let outcome = run(server.address(), "-n 30 -c 3 -t 500ms");
    outcome.bounded(Duration::from_secs(30));
    assert_eq!(outcome.counts.done, 30, "{what}");
    // A call that the server kept and never answered ends with its connection, or by its deadline.
    outcome.only(&[Code::Ok, Code::Unavailable, Code::DeadlineExceeded]);
    if moment == Moment::Answered && code == 0 && !close {
        outcome.only(&[Code::Ok, Code::Unavailable, Code::DeadlineExceeded]);
    }
    assert!(outcome.counts.ok > 0, "{what}: {:?}", outcome.failures());
}

#[test]
fn a_reset_after_the_end_of_an_answer_changes_nothing() {
    for code in (0..14).chain([4711]) {
        let (outcome, server) = answered(move |peer, stream| {
            peer.answer(stream);
            peer.send(stream, &[rst(code)]);
        });
        outcome.all_ok(20);
        assert_eq!(server.seen().connections, 1);
    }
}

#[test]
fn frames_after_the_end_of_a_stream_are_for_nobody() {
    for late in [
        vec![data(b"late")],
        vec![data(&message(b"late")).end()],
        vec![trailers(&[("grpc-status", "13")])],
        vec![grpc()],
        vec![window_update(1 << 20)],
        fine(),
    ] {
        let (outcome, server) = answered(move |peer, stream| {
            peer.answer(stream);
            peer.send(stream, &late);
        });
        outcome.all_ok(20);
        assert_eq!(server.seen().connections, 1, "the connection goes on");
    }
}

#[test]
fn windows_that_overflow_cost_what_they_are_of() {
    let most = window_update(0x7fff_ffff);
    let (outcome, server) = answered(move |peer, stream| peer.send(stream, &[most.clone(), most.clone()]));
    assert_eq!(server.seen().connections, 1);
    // Its request has ended, and a window that nobody will use can overflow in peace: only then is there no reset.
    outcome.only(&[Code::Internal, Code::DeadlineExceeded]);
    let most = window_update(0x7fff_ffff);
    let (outcome, _) = answered(move |peer, _| peer.say(std::slice::from_ref(&most)));
    outcome.all_failed(20, Code::Unavailable, "FLOW_CONTROL_ERROR");
}

#[test]
fn frames_that_should_not_be_cost_their_connection() {
    for (frame, said) in [
        (bytes(b"\0\0\x04\x05\x04\0\0\0\x01\0\0\0\x02"), "PUSH_PROMISE"),
        (bytes(b"\xff\xff\xff\0\0\0\0\0\x01"), "a frame longer than we announced"),
        (bytes(b"\0\0\x07\x06\0\0\0\0\0ninebyt"), "PING"),
        (settings(&[(2, 1)]), "ENABLE_PUSH"),
        (settings(&[(4, 0x8000_0000)]), "INITIAL_WINDOW_SIZE"),
        (bytes(b"HTTP/1.1 200 OK\r\n\r\n"), "FRAME_SIZE_ERROR"),
    ] {
        let (outcome, _) = answered(move |peer, _| peer.say(std::slice::from_ref(&frame)));
        outcome.only(&[Code::Unavailable]);
        let failures = outcome.failures();
        assert!(failures.iter().any(|(_, text, _)| text.contains(said)), "{said}: {failures:?}");
    }
}

/// One of two connections is bad all the time; the calls on the other are none the worse.
#[test]
fn calls_on_other_connections_are_not_harmed() {
    type Bad = fn(&mut Peer, u32);
    let kinds: [Bad; 5] = [
        |peer, stream| peer.send(stream, &repeated(&continuation(b"").to_be_continued(), 500)),
        |peer, _| peer.cut(),
        |peer, stream| peer.send(stream, &[rst(2)]),
        |peer, _| peer.say(&repeated(&ping(), 1_000)),
        |_, _| {},
    ];
    for_each(kinds, |bad| {
        let good = AtomicUsize::new(0);
        let server = Server::start(move |peer, event| {
            if let Event::Whole(stream) = event {
                // The first connection that has a call, whichever of the two it is.
                let one = good.compare_exchange(0, peer.number, Ordering::SeqCst, Ordering::SeqCst);
                if one.is_ok() || one == Err(peer.number) { peer.answer(stream) } else { bad(peer, stream) }
            }
        });
        let outcome = run(server.address(), "-r 200 -z 1s -c 200 --connections 2 -t 500ms --duration-stop wait");
        outcome.bounded(Duration::from_secs(20));
        // Calls take turns on connections.
        assert!(outcome.counts.ok >= 90, "{:?} {:?}", outcome.counts, outcome.failures());
        assert_eq!(outcome.counts.arrivals, 200);
    });
}

/// What differs from call to call must not add up.
#[test]
fn texts_that_are_long_and_always_new_are_bounded_in_memory_and_report() {
    let (long, count) = ("x".repeat(50_000), AtomicUsize::new(0));
    let server = Server::start(move |peer, event| {
        if let Event::Whole(stream) = event {
            let text = format!("{} {long}", count.fetch_add(1, Ordering::SeqCst));
            peer.send(stream, &in_pieces(&trailers_only(&[("grpc-status", "13"), ("grpc-message", &text)]), 16_384));
        }
    });
    let outcome = run(server.address(), "-n 1000 -c 10");
    outcome.bounded(Duration::from_secs(30));
    assert_eq!((outcome.counts.done, outcome.with_status(Code::Internal)), (1_000, 1_000));
    assert!(outcome.report.to_string().len() < 1 << 20, "{}", outcome.report.to_string().len());
}

#[test]
fn a_server_that_is_slow_in_everything_is_still_counted() {
    // Its greeting comes late, its acknowledgements never.
    let server = Server::raw(TcpListener::bind("127.0.0.1:0").unwrap(), |connection: Connection| {
        std::thread::sleep(300 * MS);
        connection.follow(&greeting(&[(MAX_CONCURRENT_STREAMS, 2)]), &|peer, event| {
            if let Event::Whole(stream) = event {
                peer.send_later(50 * MS, stream, &fine());
            }
        });
    });
    let outcome = run(server.address(), "-n 10 -c 5");
    outcome.bounded(Duration::from_secs(20));
    outcome.all_ok(10);
    assert_eq!(server.seen().open_max, 2);
}
