//! The whole of a worker against a real server, on the thread of the test: what a call allocates.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use allocation_counter::measure;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Stop;
use super::meeting::Meeting;
use super::thread::{Job, work};
use super::watching::Watch;
use crate::load::{Limits, Load, Schedule, Share, Spacing, Tickets};
use crate::payload::{CallSource, Metadata, Reading};
use crate::plan::{AtDuration, Idle, Plan, Streams};
use crate::schema::Schema;
use crate::target::{Background, Options};
use crate::transport::{Security, Target};

/// How often a worker allocates in a run of so many calls, from before it connects until it has ended.
fn allocations(load: Load, calls: u64) -> u64 {
    let server = Background::start(Options::default()).unwrap();
    let protos = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/protos"));
    let schema = Schema::compile(&[protos.join("helloworld.proto")], &[protos]).unwrap();
    let method = schema.method("helloworld.Greeter/SayHello").unwrap();
    let plan = Plan {
        target: Target { security: Security::Plaintext, ..Target::parse(server.address()).unwrap() },
        calls: CallSource::from_json(
            Some(r#"[{"name":"Ann"},{"name":"Ben"}]"#),
            "--data",
            &method,
            &Reading::default(),
        )
        .unwrap(),
        method,
        metadata: Metadata::default(),
        streams: Streams::default(),
        load,
        limits: Limits::new(Some(calls), None).unwrap(),
        at_duration: AtDuration::Abandon,
        deadline: Some(Duration::from_secs(20)),
        connections: NonZeroU32::MIN,
        workers: NonZeroU32::MIN,
        max_failures: None,
        interval: Duration::from_secs(1),
        idle: Idle::default(),
        details: 0,
    };
    let stop = Stop::default();
    let (_start, started) = watch::channel(Some(Instant::now()));
    let (ready, _outcome) = mpsc::channel();
    let (news, _all_news) = mpsc::channel();
    let mut finished = None;
    let info = measure(|| {
        let job = Job {
            plan: &plan,
            number: 0,
            watch: Watch::default(),
            share: Share::WHOLE,
            details: 0,
            tickets: Arc::new(Tickets::new(plan.limits, 1)),
            meeting: Arc::new(Meeting::new(1, None, stop.clone())),
            news,
            started,
            stop: stop.subscribe(),
        };
        finished = work(job, ready);
    });
    let recorder = finished.unwrap().run.recorder;
    assert_eq!((recorder.statuses.count(0), recorder.done()), (calls, calls));
    info.count_total
}

/// Runs of unlike length allocate the same, but for a few of the header table (the server puts a new date into it each
/// second, and it grows to its limit by doubling) and of the slots (an open loop adds them as it needs them). So five
/// thousand calls more cost none.
#[test]
fn further_calls_allocate_nothing() {
    let concurrency = NonZeroU32::new(20).unwrap();
    let schedule = Schedule::Constant("20000".parse().unwrap());
    let closed = Load::Closed { concurrency: concurrency.into() };
    let open = Load::Open { schedule, spacing: Spacing::default(), in_flight: concurrency };
    for load in [closed, open] {
        let (few, many) = (allocations(load.clone(), 1_000), allocations(load.clone(), 6_000));
        assert!(few > 100, "the counting works: connecting and starting allocate");
        assert!(many < few + 50, "{many} in a long run and {few} in a short one, {load}");
    }
}
