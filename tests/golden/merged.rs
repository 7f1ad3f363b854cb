//! Several stored runs as one: bucket for bucket what one recorder would have, whatever the runs are merged in.

use std::num::NonZeroU32;
use std::time::Duration;

use grpcbench::export::{self, Format};
use grpcbench::load::{Limits, Load, Schedule, Spacing};
use grpcbench::record::{Recorder, Recording, Row, Sample};
use grpcbench::report::{Difference, Report, Run, Setup, Unlike};
use grpcbench::units::Offset;
use proptest::prelude::*;

use super::{any, reports, written};

const MS: u64 = 1_000_000;

fn stored(run: &Run) -> Run {
    export::read(written(Format::Json, &run.clone().report()).as_bytes()).expect("it was just written")
}

fn run(report: &Report) -> Run {
    export::read(written(Format::Json, report).as_bytes()).expect("it was just written")
}

/// The calls that are due at these numbers, of 800 a second.
fn calls(numbers: impl Iterator<Item = u64>) -> Recording {
    let mut calls = Recorder::new(true, 10_000);
    for number in numbers {
        let due = Offset::from_nanos(number * 1_250_000);
        let sent = due + Duration::from_nanos(number % 13 * 1_000);
        let done = sent + Duration::from_nanos(90_000 + number * 7_919 % 1_009 * 1_003 * (1 + number % 3));
        let status = if number % 50 == 7 { 14 } else { 0 };
        let sample = Sample { status, bytes_received: 11, bytes_sent: 5, ..Sample::answered(due, sent, done) };
        calls.record(&sample, "no backend");
    }
    let empty = Recording::empty(true, std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    Recording { elapsed: Offset::from_nanos(10_000 * MS), calls, ..empty }
}

fn setup(rate: &str, calls: u64) -> Setup {
    let load = Load::Open {
        schedule: Schedule::Constant(rate.parse().unwrap()),
        spacing: Spacing::Constant,
        in_flight: NonZeroU32::new(50).unwrap(),
    };
    Setup { load, limits: Limits::new(Some(calls), None).unwrap(), ..reports::closed().setup }
}

#[test]
fn eight_shards_are_one_run() {
    let shards: Vec<Run> = (0..8)
        .map(|shard| {
            let recording = calls((0..8_000).filter(|number| number % 8 == shard));
            stored(&Run { setup: setup("100", 1_000), recording })
        })
        .collect();
    let merged = Run::merged(shards).unwrap().expect("there are eight").report();
    let whole = Run { setup: setup("800", 8_000), recording: calls(0..8_000) }.report();
    assert_eq!(merged.ok, whole.ok, "bucket for bucket");
    assert_eq!(merged.failed_by_status, whole.failed_by_status);
    assert_eq!(merged.percentiles, whole.percentiles);
    assert_eq!(merged.histogram, whole.histogram);
    assert_eq!(merged.lag, whole.lag);
    assert_eq!(merged.counts, whole.counts);
    assert_eq!(merged.errors, whole.errors);
    let mut ends: Vec<_> = whole.details.rows().to_vec();
    ends.sort_by_key(|detail| detail.done);
    assert_eq!(merged.details.rows(), ends);
    assert_eq!(merged.offered_rate, whole.offered_rate);
    assert_eq!(merged.throughput.to_bits(), whole.throughput.to_bits());
    assert_eq!(merged.setup.limits, whole.setup.limits);
    assert_eq!(merged.setup.load.to_string(), "open loop, constant 800/s, at most 400 in flight");
}

#[test]
fn runs_that_followed_each_other_are_a_longer_one() {
    let one = Run { setup: setup("100", 1_000), recording: calls(0..1_000) };
    let mut later = one.clone();
    later.recording.started_at += Duration::from_secs(60);
    let merged = Run::merged(vec![one.clone(), later]).unwrap().unwrap();
    assert_eq!(merged.recording.elapsed, Offset::from_nanos(20_000 * MS));
    assert_eq!(merged.setup.load, one.setup.load);
    assert_eq!(merged.setup.limits.calls(), Some(2_000));
    let (merged, one) = (merged.report(), one.report());
    assert_eq!(merged.throughput.to_bits(), one.throughput.to_bits());
    assert_eq!(merged.percentiles, one.percentiles);
    let ends: Vec<u64> = merged.details.rows().iter().map(|row| row.done.as_nanos() / (1_000 * MS)).collect();
    assert_eq!((ends[0], ends[1_999]), (0, 61), "single calls keep their time");
}

#[test]
fn intervals_add_up_and_percentiles_are_not_made_up() {
    let mut one = run(&reports::ramp());
    one.recording.calls.details = grpcbench::record::Details::default();
    let merged = Run::merged(vec![one.clone(), one.clone()]).unwrap().unwrap();
    let sum = |rows: &[Row], of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
    for of in [|row: &Row| row.done, |row: &Row| row.started, |row: &Row| row.failed] {
        assert_eq!(sum(&merged.recording.rows, of), 2 * sum(&one.recording.rows, of));
    }
    assert!(merged.recording.rows.iter().all(|row| row.p99_ns == 0));
    assert_eq!(merged.recording.rows[1].max_ns, one.recording.rows[1].max_ns);
    let warmup = |run: &Run| run.recording.warmup.as_ref().unwrap().calls.done();
    assert_eq!(warmup(&merged), 2 * warmup(&one));
    assert_eq!(run(&merged.clone().report()), stored(&merged));
}

#[test]
fn runs_of_other_plans_are_refused_with_all_that_differs() {
    let one = Run { setup: setup("100", 1_000), recording: calls(0..1_000) };
    let mut other = Run { setup: setup("200", 500), ..one.clone() };
    other.setup.about.cpus = 64;
    other.setup.about.host = "elsewhere:1".to_owned();
    let difference = |what, first: &str, other: &str| Difference { what, first: first.into(), other: other.into() };
    let differences = vec![
        difference("target", "127.0.0.1:50051", "elsewhere:1"),
        difference(
            "load",
            "open loop, constant 100/s, at most 50 in flight",
            "open loop, constant 200/s, at most 50 in flight",
        ),
        difference("limits", "1000 calls", "500 calls"),
    ];
    assert_eq!(Run::merged(vec![one.clone(), one, other]), Err(Unlike::Plan { run: 2, differences }));
    assert_eq!(Run::merged(Vec::new()), Ok(None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Whatever was stored: with itself it has twice the calls, and the same percentiles.
    #[test]
    fn a_run_with_itself((setup, recording) in any::run()) {
        let one = Run { setup, recording };
        let Ok(Some(twice)) = Run::merged(vec![one.clone(), one.clone()]) else { return Ok(()) };
        let (twice, one) = (twice.report(), one.report());
        prop_assert_eq!(twice.counts.arrivals, 2 * one.counts.arrivals);
        prop_assert_eq!(twice.percentiles, one.percentiles);
        prop_assert_eq!(twice.times.headline().sum(), 2 * one.times.headline().sum());
    }
}
