//! A server whose every message has its known instant and size: what is reported of a stream are those numbers.
//!
//! The server says when it really wrote each message, so that only what lies between it and the report is judged. On a
//! machine that does other things too that may be anything now and then, and the bounds are wide. `bench/stream-times.sh`
//! sets `GRPCBENCH_TRUTH=strict`: then every single value is held to 5 % or 200 µs, whichever is larger, and server and
//! client (`--idle spin`) watch their sockets, for neither can know of the time that the system takes to wake it.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::Deserializer;
use serde_json::Value;
use tokio::time::Instant;

use super::frames::{Frame, data, data_in_pieces, greeting, grpc, message, trailers};
use super::harness::Run;
use super::run::{Outcome, go};
use super::server::{Event, Peer, Server, Watchful};

/// When a stream's messages are sent, in milliseconds after the call has come, and how long they are.
const PLAN: [(u64, usize); 8] =
    [(30, 1), (40, 20_000), (60, 0), (61, 5), (101, 200_000), (106, 1_000), (206, 64), (209, 3)];
const CALLS: usize = 6;

/// Nanoseconds that the server spent, as it saw them itself.
#[derive(Clone, Default, Debug)]
struct Truth {
    first: Vec<u64>,
    gaps: Vec<u64>,
}

fn nanos(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.duration_since(from).as_nanos()).unwrap()
}

/// Sleeps until close to the time, and watches the clock for the rest.
fn reach(due: Instant) {
    let left = due.saturating_duration_since(Instant::now());
    std::thread::sleep(left.saturating_sub(Duration::from_micros(300)));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

/// Writes a message now; when its last byte was given to the system.
fn write(peer: &mut Peer, stream: u32, bytes: usize) -> Instant {
    peer.send(stream, &data_in_pieces(&message(&vec![7; bytes]), 16_384));
    peer.flush();
    Instant::now()
}

/// Sends the plan on each stream, and keeps what it did.
fn planned() -> (Server, Arc<Mutex<Truth>>) {
    let truth = Arc::<Mutex<Truth>>::default();
    let kept = Arc::clone(&truth);
    let server = serve(move |peer, event| {
        let Event::Whole(stream) = event else { return };
        let start = Instant::now();
        peer.send(stream, &[grpc()]);
        peer.flush();
        let mut last = None;
        for (ms, bytes) in PLAN {
            reach(start + Duration::from_millis(ms));
            let written = write(peer, stream, bytes);
            let mut truth = kept.lock().unwrap();
            match last.replace(written) {
                None => truth.first.push(nanos(start, written)),
                Some(last) => truth.gaps.push(nanos(last, written)),
            }
        }
        peer.send(stream, &[end()]);
    });
    (server, truth)
}

fn end() -> Frame {
    trailers(&[("grpc-status", "0")])
}

/// Every value counts, and client and server have a CPU each.
fn strict() -> bool {
    std::env::var("GRPCBENCH_TRUTH").is_ok_and(|truth| truth == "strict")
}

fn serve(script: impl Fn(&mut Peer, Event) + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    if strict() {
        Server::on(Watchful(listener), greeting(&[]), script)
    } else {
        Server::on(listener, greeting(&[]), script)
    }
}

/// All values of a distribution of the report, in order, as its histogram has them.
fn values(outcome: &Outcome, name: &str) -> Vec<u64> {
    let times: &Value = &outcome.report["grpcbench"]["streams"][name];
    let packed = STANDARD.decode(times["hdr"].as_str().unwrap_or_else(|| panic!("{name}: {times}"))).unwrap();
    let histogram: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut packed.as_slice()).unwrap();
    let recorded = histogram.iter_recorded();
    recorded
        .flat_map(|row| std::iter::repeat_n(row.value_iterated_to(), usize::try_from(row.count_at_value()).unwrap()))
        .collect()
}

/// What was found is what there was, value by value in the order of their size.
#[track_caller]
#[expect(clippy::print_stderr, reason = "bench/stream-times.sh shows it")]
fn same(what: &str, mut found: Vec<u64>, mut truth: Vec<u64>) {
    assert_eq!(found.len(), truth.len(), "{what}");
    found.sort_unstable();
    truth.sort_unstable();
    let off: Vec<u64> = found.iter().zip(&truth).map(|(found, truth)| found.abs_diff(*truth)).collect();
    let allowed = |truth: u64| (truth / 20).max(200_000);
    let within = off.iter().zip(&truth).filter(|(off, truth)| **off <= allowed(**truth)).count();
    let worst = off.iter().max().unwrap();
    eprintln!("{what}: {within} of {} within 5 % or 200 µs, the worst {} µs off", off.len(), worst / 1_000);
    if strict() {
        assert_eq!(within, off.len(), "{what}: found {found:?} where it was {truth:?}");
    } else {
        let mut sorted = off.clone();
        sorted.sort_unstable();
        assert!(sorted[sorted.len() / 2] < 10_000_000, "{what}: found {found:?} where it was {truth:?}");
    }
}

#[track_caller]
fn run(server: &Server, method: &str, flags: &str) -> Outcome {
    let call = format!("helloworld.Greeter.{method}");
    let run = Run::new().args(["--insecure", "--proto", "helloworld.proto", "--call", &call]);
    let idle: &[&str] = if strict() { &["--idle", "spin"] } else { &[] };
    go(run.args(flags.split_whitespace()).args(idle.iter().copied()).args([server.address()]))
}

#[test]
fn messages_of_a_server_stream_come_when_they_were_sent() {
    let (server, truth) = planned();
    // The first call, for which both sides have to be woken, is not for exactness.
    let outcome = run(&server, "SayHellos", &format!("-n {CALLS} -c 1 --warmup 1"));
    outcome.all_ok(CALLS as u64);
    let mut truth = truth.lock().unwrap().clone();
    truth.first.remove(0);
    truth.gaps.drain(..PLAN.len() - 1);
    same("first message", values(&outcome, "first_message"), truth.first);
    same("gap", values(&outcome, "gap"), truth.gaps);
    let bytes = outcome.report["grpcbench"]["traffic"]["message_bytes_received"].as_u64().unwrap();
    assert_eq!(bytes, (CALLS * PLAN.iter().map(|(_, bytes)| bytes).sum::<usize>()) as u64);
}

#[test]
fn round_trips_are_what_the_server_took() {
    const MESSAGES: usize = 15;
    // Replies to the messages of a stream take 2, 15 and 40 ms, in rotation.
    let truth = Arc::<Mutex<Vec<u64>>>::default();
    let kept = Arc::clone(&truth);
    let server = serve(move |peer, event| match event {
        Event::Head(stream) => {
            peer.send(stream, &[grpc()]);
            peer.flush();
        }
        Event::Body(stream, _) => {
            let came = Instant::now();
            let thinks = [2, 15, 40][kept.lock().unwrap().len() % 3];
            reach(came + Duration::from_millis(thinks));
            peer.send(stream, &[data(&message(b"reply"))]);
            peer.flush();
            kept.lock().unwrap().push(nanos(came, Instant::now()));
        }
        Event::Whole(stream) => peer.send(stream, &[end()]),
        _ => {}
    });
    let flags = format!("-n 4 -c 1 --stream-ping-pong --stream-call-count {MESSAGES} --warmup 1");
    let outcome = run(&server, "SayHelloBidi", &flags);
    outcome.all_ok(4);
    let truth = truth.lock().unwrap().split_off(MESSAGES);
    same("round trip", values(&outcome, "round_trip"), truth);
}
