//! What the measured path allocates once it has warmed up: nothing.
//!
//! Allocations are counted on the thread that makes them, so the client runs on the thread of the test, as it does in a
//! worker, and the server elsewhere. The whole of a worker, with its slots and its clock, is counted beside the code.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use grpcbench::load::{Arrivals, Limits, Load, Schedule, Share, Spacing, Tickets};
use grpcbench::payload::MessageList;
use grpcbench::record::{Phases, Recorder, Sample};
use grpcbench::target::helloworld::HelloRequest;
use grpcbench::target::{Background, Options};
use grpcbench::transport::{Connection, Route, Security, Shared, Target};
use grpcbench::units::Offset;
use prost::Message as _;
use tokio::runtime::LocalRuntime;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use frames::{MAX_CONCURRENT_STREAMS, fine};
use server::{Event, Server};

#[expect(dead_code, reason = "the tests of peers use all of it")]
#[path = "peers/frames.rs"]
mod frames;
#[path = "peers/request.rs"]
mod request;
#[expect(dead_code, reason = "the tests of peers use all of it")]
#[path = "peers/server.rs"]
mod server;

/// Callers on one connection that call as long as they are let to.
struct Callers {
    runtime: LocalRuntime,
    permits: Rc<Semaphore>,
    done: Rc<Cell<u64>>,
    each_done: Rc<Notify>,
    wrong: Rc<Cell<u64>>,
}

impl Callers {
    fn connect(address: &str, callers: usize, deadline: Option<Duration>) -> Callers {
        let runtime = LocalRuntime::new().unwrap();
        let target = Target { security: Security::Plaintext, ..Target::parse(address).unwrap() };
        let metadata = [("x-tenant".to_owned(), b"Acme".to_vec())];
        let route = Route::new(&target, "/helloworld.Greeter/SayHello", &metadata, deadline).unwrap();
        let connection = runtime.block_on(Connection::open(route, Shared::new())).unwrap();
        let messages = MessageList::one(&HelloRequest { name: "Ann".to_owned() }.encode_to_vec()).unwrap();
        let (permits, each_done) = (Rc::new(Semaphore::new(0)), Rc::new(Notify::new()));
        let (done, wrong) = (Rc::<Cell<u64>>::default(), Rc::<Cell<u64>>::default());
        for _ in 0..callers {
            let (connection, messages) = (connection.clone(), messages.clone());
            let (permits, each_done) = (Rc::clone(&permits), Rc::clone(&each_done));
            let (done, wrong) = (Rc::clone(&done), Rc::clone(&wrong));
            runtime.spawn_local(async move {
                let mut failure = String::new();
                let message = messages.all().get(0).unwrap();
                while let Ok(permit) = permits.acquire().await {
                    permit.forget();
                    let reply = connection.unary(message, &[], Instant::now(), &mut failure).await;
                    let good = reply.status == Some(0) && reply.messages_received == 1 && failure.is_empty();
                    wrong.set(wrong.get() + u64::from(!good));
                    done.set(done.get() + 1);
                    each_done.notify_one();
                }
            });
        }
        Callers { runtime, permits, done, each_done, wrong }
    }

    /// Makes so many calls, and returns how often that allocated. Entering the runtime does a few times, whether there
    /// are calls or not; that is not counted.
    fn make(&self, calls: usize) -> u64 {
        let goal = self.done.get() + calls as u64;
        let info = measure(|| {
            self.runtime.block_on(async {
                self.permits.add_permits(calls);
                while self.done.get() < goal {
                    self.each_done.notified().await;
                }
            });
        });
        assert_eq!(self.wrong.get(), 0, "every call ended OK");
        let entering = measure(|| self.runtime.block_on(async {}));
        info.count_total - entering.count_total
    }
}

#[test]
fn unary_calls_allocate_nothing() {
    for (callers, deadline) in [(1, None), (50, Some(Duration::from_secs(20)))] {
        let server = Server::answering(fine());
        let clients = Callers::connect(server.address(), callers, deadline);
        let first = clients.make(1_000);
        assert!(first > 0, "the counting works: buffers and tables grow at first");
        // From now on all callers begin together, which is the most that queues have to take.
        clients.make(1_000);
        assert_eq!(clients.make(10_000), 0, "{callers} callers, {deadline:?}");
    }
}

#[test]
fn calls_that_wait_for_a_stream_allocate_nothing() {
    let server = Server::greeting(&[(MAX_CONCURRENT_STREAMS, 5)], |peer, event| {
        // By fives, so that all others wait for a stream of their own.
        if matches!(event, Event::Whole(_)) && peer.open.len() == 5 {
            peer.answer_open();
        }
    });
    let clients = Callers::connect(server.address(), 50, Some(Duration::from_secs(20)));
    clients.make(1_000);
    assert_eq!(clients.make(10_000), 0);
    assert_eq!(server.seen_so_far().open_max, 5);
}

/// tonic puts the date into the header table, a new one each second: that grows to its limit by doubling, which is a
/// dozen allocations in the life of a connection, and none after that.
#[test]
fn unary_calls_to_a_real_server_allocate_for_the_header_table_only() {
    let server = Background::start(Options::default()).unwrap();
    let clients = Callers::connect(server.address(), 50, Some(Duration::from_secs(20)));
    clients.make(1_000);
    let allocations = clients.make(10_000);
    assert!(allocations <= 12, "{allocations}");
    assert_eq!(server.counts().all_calls(), 11_000);
}

#[test]
fn a_million_arrivals_and_records_allocate_nothing() {
    const CALLS: u64 = 1_000_000;
    let in_flight = NonZeroU32::new(50).unwrap();
    let schedule = Schedule::Constant("1000000".parse().unwrap());
    let limits = Limits::new(Some(CALLS), None).unwrap();
    let closed = Load::Closed { concurrency: in_flight.into() };
    let open = Load::Open { schedule, spacing: Spacing::default(), in_flight };
    for (load, open) in [(closed, false), (open, true)] {
        let mut arrivals = Arrivals::new(&load, limits, Share::WHOLE, Arc::new(Tickets::new(limits, 1)));
        let mut recorder = Recorder::new(open, 0).with_room();
        // Each text that failed calls say is kept once.
        recorder.record(&sample(7, None), "no such thing");
        let mut count = 0;
        let info = measure(|| {
            while let Some(arrival) = arrivals.next(false, || Offset::ZERO) {
                let failure = if sample(arrival.index, arrival.due).status == 0 { "" } else { "no such thing" };
                recorder.record(&sample(arrival.index, arrival.due), failure);
                count += 1;
            }
        });
        assert_eq!((count, recorder.done()), (CALLS, CALLS + 1));
        assert_eq!(info.count_total, 0, "{load}");
    }
}

/// A call as it might be: times from nothing to ten hours, some calls failed.
fn sample(index: u64, due: Option<Offset>) -> Sample {
    let spread = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let sent = due.unwrap_or(Offset::from_nanos(index));
    let done = Offset::from_nanos(sent.as_nanos() + spread % 36_000_000_000_000);
    Sample {
        phases: Phases { stream_ns: 0, request_ns: spread % 7, head_ns: spread % 10_000, message_ns: 0 },
        bytes_received: spread % 1000,
        bytes_unpacked: spread % 1000,
        bytes_sent: 5,
        status: if index % 10 == 7 { 5 } else { 0 },
        slot_was_free: index.is_multiple_of(3),
        ..Sample::answered(sent, sent, done)
    }
}
