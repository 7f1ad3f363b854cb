//! Streaming calls in paused time: the real caller and the real connection, and at the other end of a pipe in memory an
//! HTTP/2 server that is not ours and does what a script says. What is measured inside the streams is exact.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::OnceLock;

use h2::server::{self, SendResponse};
use h2::{RecvStream, SendStream};
use tokio::io::duplex;
use tokio::task::spawn_local;
use tokio::time::sleep_until;
use tonic::codegen::http::{HeaderMap, HeaderValue, Response};

use super::*;
use crate::drive::caller::Seat;
use crate::drive::contents::{Contents, Sources};
use crate::drive::streams::StreamCaller;
use crate::payload::{CallSource, Metadata, Reading};
use crate::plan::Streams;
use crate::record::{Distribution, StreamTimes};
use crate::schema::{Kind, Method, Schema};
use crate::transport::{Connection, Route, Security, Shared, Target};

type Bytes = Cursor<Vec<u8>>;

/// A call, as the server's script sees it.
struct Served {
    start: Instant,
    request: RecvStream,
    /// Bytes of the request that have been read and belong to no whole message.
    input: Vec<u8>,
    answer: SendStream<Bytes>,
}

impl Served {
    fn new(request: RecvStream, mut respond: SendResponse<Bytes>) -> Served {
        let head = Response::builder().header("content-type", "application/grpc").body(()).unwrap();
        let answer = respond.send_response(head, false).unwrap();
        Served { start: Instant::now(), request, input: Vec::new(), answer }
    }

    /// Waits until so long after the call has come.
    async fn at(&self, ms: u64) {
        sleep_until(self.start + Duration::from_millis(ms)).await;
    }

    /// The length of the next message, which is read and no further; `None` at the end of the request.
    async fn message(&mut self) -> Option<usize> {
        loop {
            if let Some((prefix, rest)) = self.input.split_first_chunk::<5>() {
                let length = u32::from_be_bytes(prefix[1..].try_into().unwrap()) as usize;
                if rest.len() >= length {
                    self.input.drain(..5 + length);
                    return Some(length);
                }
            }
            // A client that has gone says nothing more either.
            let bytes = self.request.data().await?.ok()?;
            self.input.extend_from_slice(&bytes);
            self.request.flow_control().release_capacity(bytes.len()).unwrap();
        }
    }

    fn reply(&mut self, bytes: usize) {
        let prefix = [&[0], &u32::try_from(bytes).unwrap().to_be_bytes()[..]].concat();
        // A client that has gone does not hear it.
        let _ = self.answer.send_data(Cursor::new([prefix, vec![7; bytes]].concat()), false);
    }

    fn end(&mut self) {
        let trailers =
            [("grpc-status", "0")].map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        let _ = self.answer.send_trailers(HeaderMap::from_iter(trailers));
    }
}

/// Calls of one kind, and the server that they meet.
struct Streaming {
    kind: Kind,
    /// The data of the calls.
    data: String,
    streams: Streams,
    deadline: Option<Duration>,
    /// What the server lets each stream send before it has read.
    window: u32,
}

impl Streaming {
    fn new(kind: Kind) -> Streaming {
        let data = r#"{"name":"Ann"}"#.to_owned();
        Streaming { kind, data, streams: Streams::default(), deadline: None, window: 1 << 20 }
    }

    fn method(&self) -> Method {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        let schema = SCHEMA.get_or_init(|| {
            let protos = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/protos"));
            Schema::compile(&[protos.join("helloworld.proto")], &[protos]).unwrap()
        });
        let name = match self.kind {
            Kind::Unary => "SayHello",
            Kind::ServerStreaming => "SayHellos",
            Kind::ClientStreaming => "SayHelloCS",
            Kind::Bidi => "SayHelloBidi",
        };
        schema.method(&format!("helloworld.Greeter/{name}")).unwrap()
    }

    /// Runs `simulation` with these calls against a server that answers each as `script` does.
    fn run(self, simulation: Simulation, script: impl AsyncFn(Served) + 'static) -> Simulated {
        let Streaming { kind, streams, deadline, window, .. } = self;
        let method = self.method();
        let calls = CallSource::from_json(Some(&self.data), "--data", &method, &Reading::default()).unwrap();
        let target = Target { security: Security::Plaintext, ..Target::parse("localhost:1").unwrap() };
        let route = Route::new(&target, &method.path(), &[], deadline).unwrap();
        let shared = Shared::new();
        let of_callers = Rc::clone(&shared);
        let mut run = simulation.run_with(async move |clock| {
            let (ours, theirs) = duplex(1 << 20);
            spawn_local(async move {
                let mut builder = server::Builder::new();
                let builder = builder.initial_window_size(window).initial_connection_window_size(1 << 30);
                let mut connection = builder.handshake::<_, Bytes>(theirs).await.unwrap();
                let script = Rc::new(script);
                while let Some(Ok((request, respond))) = connection.accept().await {
                    let script = Rc::clone(&script);
                    spawn_local(async move { script(Served::new(request.into_body(), respond)).await });
                }
            });
            let connection = Connection::in_memory(route, Rc::clone(&of_callers), ours).await.unwrap();
            let of_slots = connection.clone();
            let sources = Sources::of_worker(&calls, &Metadata::default());
            let new_caller = move |slot| {
                let contents = Contents::new(sources.clone(), slot, 0);
                let seat = Seat::new(of_slots.clone(), contents, clock);
                StreamCaller::new(seat, Rc::clone(&of_callers), kind, streams, None)
            };
            (new_caller, move || connection.abandon())
        });
        run.recorder.streams = Some(shared.take_streams());
        run
    }
}

impl Simulated {
    fn streams(&self) -> &StreamTimes {
        self.recorder.streams.as_ref().unwrap()
    }

    /// How long each call took, in milliseconds, in the order of their ends.
    fn services_ms(&self) -> Vec<u64> {
        self.recorder.details.rows().iter().map(|call| call.service_ns / MS).collect()
    }
}

/// What the histogram of so many milliseconds each is.
fn times(ms: impl IntoIterator<Item = u64>) -> Distribution {
    let mut times = Distribution::new();
    ms.into_iter().for_each(|ms| times.record(ms * MS));
    times
}

fn counts(of: impl IntoIterator<Item = u64>) -> Distribution {
    let mut counts = Distribution::new();
    of.into_iter().for_each(|count| counts.record(count));
    counts
}

#[test]
fn a_server_stream_is_measured_to_the_nanosecond() {
    let sizes = [1, 100_000, 0, 20_000, 5];
    let run = Streaming::new(Kind::ServerStreaming).run(
        Simulation::closed(3).limits(Some(9), None),
        async move |mut call: Served| {
            for (ms, bytes) in [30, 40, 80, 81, 281].into_iter().zip(sizes) {
                call.at(ms).await;
                call.reply(bytes);
            }
            call.at(300).await;
            call.end();
        },
    );
    assert_eq!(run.services_ms(), [300; 9]);
    let streams = run.streams();
    assert_eq!(streams.first_message, times([30; 9]));
    assert_eq!(streams.gap, times([10, 40, 1, 200].repeat(9)));
    assert_eq!(streams.messages_received, counts([5; 9]));
    assert_eq!(run.recorder.traffic.message_bytes_received, 9 * sizes.iter().sum::<usize>() as u64);
    assert_eq!(streams.blocked, Distribution::default());
}

#[test]
fn a_warm_up_is_outside_of_what_is_measured_within_streams() {
    for (kind, interval) in [(Kind::ServerStreaming, 0), (Kind::Bidi, 1)] {
        let mut calls = Streaming::new(kind);
        calls.data = r#"[{"name":"Ann"},{"name":"Bo"}]"#.to_owned();
        if kind == Kind::ServerStreaming {
            calls.data = r#"{"name":"Ann"}"#.to_owned();
        }
        calls.streams.interval = Duration::from_millis(interval);
        let simulation = Simulation::closed(1).limits(Some(3), None).warm_up(Warmup::Calls(4));
        let run = calls.run(simulation, async move |mut call: Served| {
            call.message().await;
            call.reply(1);
            call.reply(2);
            while call.message().await.is_some() {}
            call.end();
        });
        let streams = run.streams();
        assert_eq!((run.recorder.done(), run.warmup().done()), (3, 4), "{kind:?}");
        assert_eq!((streams.first_message.count(), streams.messages_received.count()), (3, 3), "{kind:?}");
        assert_eq!(streams.gap.count(), 3, "{kind:?}");
        assert_eq!(streams.message_lag.count(), if interval > 0 { 6 } else { 0 }, "{kind:?}");
        // The second reply comes before the second message, and is a reply to nothing.
        assert_eq!(
            (streams.round_trip.count(), streams.unmatched),
            if kind == Kind::Bidi { (3, 3) } else { (0, 0) },
            "{kind:?}"
        );
    }
}

#[test]
fn messages_that_flow_control_holds_back_are_blocked_for_as_long_as_the_window_is_shut() {
    // A message of 100 kB, and a window of 64 KiB that opens when the server begins to read.
    let mut calls = Streaming::new(Kind::ClientStreaming);
    calls.data = format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000));
    calls.window = 65_535;
    let run = calls.run(Simulation::closed(2).limits(Some(4), None), async |mut call: Served| {
        call.at(50).await;
        while call.message().await.is_some() {}
        call.at(70).await;
        call.reply(3);
        call.end();
    });
    assert_eq!(run.services_ms(), [70; 4]);
    assert_eq!((&run.streams().blocked, &run.streams().first_message), (&times([50; 4]), &times([70; 4])));
}

#[test]
fn a_server_that_never_reads_blocks_until_the_deadline() {
    for kind in [Kind::ClientStreaming, Kind::Bidi, Kind::ServerStreaming] {
        let mut calls = Streaming::new(kind);
        calls.data = format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000));
        calls.window = 65_535;
        calls.deadline = Some(Duration::from_millis(400));
        let run = calls.run(Simulation::closed(2).limits(Some(4), None), async |call: Served| {
            call.at(10_000).await;
        });
        assert_eq!(run.services_ms(), [400; 4], "{kind}");
        assert_eq!(run.recorder.statuses.count(4), 4, "{kind}");
        assert_eq!(run.streams().blocked, times([400; 4]), "{kind}");
    }
}

#[test]
fn a_duration_ends_streams_that_the_server_does_not() {
    // At the duration, or a second later where a server may still have something to say.
    for (kind, ping_pong, ms) in
        [(Kind::ServerStreaming, false, 200), (Kind::Bidi, false, 1_200), (Kind::Bidi, true, 1_200)]
    {
        // It reads, and it does not.
        for window in [1 << 20, 0] {
            let mut calls = Streaming::new(kind);
            calls.window = window;
            calls.streams = Streams { duration: Some(Duration::from_millis(200)), ping_pong, ..Streams::default() };
            let run = calls.run(Simulation::closed(1).limits(Some(3), None), async |mut call: Served| {
                while call.message().await.is_some() {}
                call.at(60_000).await;
            });
            assert_eq!(run.services_ms(), [ms; 3], "{kind} {ping_pong} {window}");
            assert_eq!((run.streams().ended_by_client, run.recorder.statuses.count(0)), (3, 3));
        }
    }
}

/// A bidirectional call in which the server has a reply to each message, drawn from a seed.
#[derive(Clone, Debug)]
struct Drawn {
    streams: Streams,
    /// How long the server takes for its reply to message `k`, in rotation, once the reply before is gone.
    thinks_ms: Vec<u64>,
}

/// The second that a server has after the client's duration.
const GRACE_MS: u64 = 1_000;

impl Drawn {
    fn new(random: &mut fastrand::Rng) -> Drawn {
        let interval = Duration::from_millis(if random.bool() { random.u64(1..40) } else { 0 });
        let duration = random.bool().then(|| Duration::from_millis(random.u64(1..300)));
        let slowest = [5, 50, 400][random.usize(0..3)];
        Drawn {
            streams: Streams { count: Some(random.u32(1..30)), interval, duration, ping_pong: random.bool() },
            thinks_ms: (0..7).map(|_| random.u64(0..slowest)).collect(),
        }
    }

    /// What is measured in so many calls, and how long each takes; `None` if it depends on which of two things in one
    /// instant comes first.
    fn expected(&self, calls: u64) -> Option<(StreamTimes, u64)> {
        let Streams { count, interval, duration, ping_pong } = self.streams;
        let end = duration.map_or(u64::MAX, |duration| duration.as_millis() as u64);
        let interval = interval.as_millis() as u64;
        let (mut sent, mut replies, mut lags, mut now) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (number, thinks) in (0..count.unwrap().into()).zip(self.thinks_ms.iter().cycle()) {
            if ping_pong {
                now = replies.last().copied().unwrap_or(now).min(end).max(now);
            }
            let due = number * interval;
            now = now.max(due.min(end));
            if now >= end {
                break;
            }
            lags.extend((interval > 0).then(|| now - due));
            sent.push(now);
            replies.push(replies.last().copied().unwrap_or(0).max(now) + thinks);
        }
        let finished = if sent.len() == count.unwrap() as usize { *sent.last().unwrap() } else { end };
        let over = replies.last().copied().unwrap_or(0).max(finished);
        let cut = end.saturating_add(GRACE_MS);
        if over == cut || replies.contains(&cut) {
            return None;
        }
        let received: Vec<u64> = replies.into_iter().filter(|reply| *reply < cut).collect();
        let by_client = over > cut;
        let of_all = |of_one: Vec<u64>| of_one.repeat(calls as usize);
        let times = StreamTimes {
            first_message: times(of_all(received.first().copied().into_iter().collect())),
            gap: times(of_all(received.windows(2).map(|pair| pair[1] - pair[0]).collect())),
            round_trip: times(of_all(received.iter().zip(&sent).map(|(reply, sent)| reply - sent).collect())),
            message_lag: times(of_all(lags)),
            messages_sent: counts(of_all(vec![sent.len() as u64])),
            messages_received: counts(of_all(vec![received.len() as u64])),
            ended_by_client: if by_client { calls } else { 0 },
            unmatched: if received.len() == sent.len() { 0 } else { calls },
            ..StreamTimes::default()
        };
        Some((times, over.min(cut)))
    }

    fn simulate(&self, callers: u32, calls: u64) -> Simulated {
        let streaming = Streaming { streams: self.streams, ..Streaming::new(Kind::Bidi) };
        let thinks_ms = self.thinks_ms.clone();
        streaming.run(Simulation::closed(callers).limits(Some(calls), None), async move |mut call: Served| {
            let mut thinks = thinks_ms.iter().cycle();
            while let Some(bytes) = call.message().await {
                tokio::time::sleep(Duration::from_millis(*thinks.next().unwrap())).await;
                call.reply(bytes);
            }
            call.end();
        })
    }
}

#[test]
fn random_streams_do_what_the_model_says() {
    let (mut ambiguous, mut by_client, mut cut_short) = (0, 0, 0);
    for seed in 0..120 {
        let drawn = Drawn::new(&mut fastrand::Rng::with_seed(seed));
        let (callers, calls) = (1 + seed as u32 % 3, 3);
        let Some((expected, ms)) = drawn.expected(calls) else {
            ambiguous += 1;
            continue;
        };
        let run = drawn.simulate(callers, calls);
        assert_eq!(run.services_ms(), [ms; 3], "seed {seed}: {drawn:?}");
        assert_eq!(*run.streams(), expected, "seed {seed}: {drawn:?}");
        assert_eq!(run.recorder.statuses.count(0), calls);
        by_client += u32::from(expected.ended_by_client > 0);
        cut_short += u32::from(expected.messages_sent.max() < drawn.streams.count.unwrap().into());
    }
    assert!(ambiguous < 10 && by_client > 1 && cut_short > 15, "{ambiguous} {by_client} {cut_short}");
}
