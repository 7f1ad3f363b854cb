//! Runs and setups without any order, for property tests.

use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use grpcbench::load::{Limits, Load, Schedule, Spacing};
use grpcbench::plan::{About, AtDuration, Idle, Windows};
use grpcbench::record::{End, EndReason, Phases, Recorder, Recording, Sample, WorkerUse};
use grpcbench::report::Setup;
use grpcbench::units::{Offset, Rate};
use proptest::prelude::*;

/// A call and what it said, from a small world of times and a large one of statuses and texts.
fn call() -> impl Strategy<Value = (Sample, String)> {
    let time = prop_oneof![Just(0u64), 0u64..10_000_000_000, Just(u64::MAX / 4)];
    let status = prop_oneof![3 => Just(0u32), 2 => 0u32..20, 1 => any::<u32>()];
    (time.clone(), time.clone(), time, status, any::<bool>(), prop::bool::weighted(0.2), any::<String>()).prop_map(
        |(due, lag, service, status, slot_was_free, abandoned, text)| {
            let [due, sent, done] = [due, due + lag, due + lag + service].map(Offset::from_nanos);
            let sample = Sample {
                phases: Phases { stream_ns: lag, request_ns: 7, head_ns: service / 2, message_ns: 0 },
                bytes_received: 3,
                bytes_unpacked: 3,
                bytes_sent: 5,
                status,
                end: if abandoned { End::Abandoned } else { End::Done },
                slot_was_free,
                ..Sample::answered(due, sent, done)
            };
            (sample, text)
        },
    )
}

/// What is known of a run besides its calls.
fn setup() -> impl Strategy<Value = Setup> {
    let load = prop_oneof![
        (1u32..1_000).prop_map(|callers| Load::Closed { concurrency: some(callers).into() }),
        (1u64..1_000_000, 1_000_000u64..1_000_000_000_000, 1u32..1_000).prop_map(|(calls, per_ns, in_flight)| {
            let schedule = Schedule::Constant(Rate::new(calls, per_ns).expect("a good rate"));
            Load::Open { schedule, spacing: Spacing::Constant, in_flight: some(in_flight) }
        }),
    ];
    let texts =
        (any::<String>(), prop::option::of(any::<String>()), prop::collection::vec(any::<(String, String)>(), 0..4));
    (load, 1u64..1_000, texts, any::<(bool, bool)>(), -90_000i32..90_000).prop_map(
        |(load, calls, (host, data, pairs), (count_errors, plaintext), utc_offset_s)| Setup {
            about: About {
                name: data.clone(),
                tags: pairs.clone(),
                host,
                data,
                metadata: pairs,
                count_errors,
                plaintext,
                utc_offset_s,
                cpus: 2,
                ..About::default()
            },
            load,
            limits: Limits::new(Some(calls), None).expect("good limits"),
            at_duration: AtDuration::Abandon,
            max_failures: None,
            idle: Idle::Hybrid,
            deadline: None,
            connect_timeout: Duration::from_secs(10),
            authority: None,
            connections: NonZeroU32::MIN,
            windows: Windows::default(),
        },
    )
}

fn some(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("above 0")
}

/// A run of either kind of loop.
pub(crate) fn run() -> impl Strategy<Value = (Setup, Recording)> {
    (setup(), prop::collection::vec(call(), 0..120), 0u64..50, 0usize..40, any::<(u32, u32)>()).prop_map(
        |(setup, calls, unsent, details, (cpu_ns, wall_ns))| {
            let mut recorder = Recorder::new(setup.is_open(), details);
            for (sample, text) in &calls {
                recorder.record(sample, text);
            }
            recorder.unsent = unsent;
            let worker = WorkerUse { cpu_ns: cpu_ns.into(), wall_ns: wall_ns.into(), ..WorkerUse::default() };
            let started_at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
            let recording = Recording {
                elapsed: recorder.last_sent,
                calls: recorder,
                workers: vec![worker],
                end_reason: EndReason::Interrupt,
                ..Recording::empty(setup.is_open(), started_at)
            };
            (setup, recording)
        },
    )
}
