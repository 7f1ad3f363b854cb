//! Reports of recordings made by hand: figures, and verdicts with the warnings behind them.

use std::num::NonZeroU32;
use std::time::Duration;

use super::*;
use crate::load::{Limits, Load, Schedule, Spacing};
use crate::plan::{AtDuration, Idle, Windows};
use crate::record::{End, Phases, Recorder, Sample};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn setup(load: Load) -> Setup {
    Setup {
        about: About { cpus: 2, ..About::default() },
        load,
        limits: Limits::new(Some(200), None).unwrap(),
        at_duration: AtDuration::Abandon,
        max_failures: None,
        idle: Idle::Hybrid,
        deadline: Some(Duration::from_secs(20)),
        connect_timeout: Duration::from_secs(10),
        authority: None,
        connections: NonZeroU32::MIN,
        windows: Windows::default(),
    }
}

pub(super) fn closed() -> Setup {
    setup(Load::Closed { concurrency: NonZeroU32::new(50).unwrap().into() })
}

pub(super) fn open(rate: &str) -> Setup {
    setup(Load::Open {
        schedule: Schedule::Constant(rate.parse().unwrap()),
        spacing: Spacing::Constant,
        in_flight: NonZeroU32::new(50).unwrap(),
    })
}

/// A call that ends OK. Fields are changed where a test is about them.
pub(super) fn sample(due: u64, lag: u64, service: u64) -> Sample {
    let [due, sent, done] = [due, due + lag, due + lag + service].map(Offset::from_nanos);
    Sample { bytes_received: 7, bytes_unpacked: 7, bytes_sent: 5, ..Sample::answered(due, sent, done) }
}

pub(super) fn recording(open: bool, samples: &[Sample]) -> Recording {
    let mut calls = Recorder::new(open, 0);
    for sample in samples {
        calls.record(sample, "no backend");
    }
    Recording {
        calls,
        elapsed: samples.iter().map(|sample| sample.done).max().unwrap_or_default(),
        ..Recording::empty(open, SystemTime::UNIX_EPOCH)
    }
}

/// `count` calls at 10/s with the same lag and service time, as `change` leaves them.
pub(super) fn at_ten_a_second(count: u64, lag: u64, service: u64, change: impl Fn(u64, &mut Sample)) -> Recording {
    let samples: Vec<Sample> = (0..count)
        .map(|index| {
            let mut sample = sample(index * 100 * MS, lag, service);
            change(index, &mut sample);
            sample
        })
        .collect();
    recording(true, &samples)
}

/// Nothing unusual: 10 ms a call, one after the other.
fn one_after_the_other(count: u64) -> Recording {
    let samples: Vec<Sample> = (0..count).map(|index| sample(index * 10 * MS, 0, 10 * MS)).collect();
    recording(false, &samples)
}

fn kinds<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Vec<&'static str> {
    warnings.map(Warning::kind).collect()
}

fn reasons(report: &Report) -> Vec<&'static str> {
    kinds(report.reasons())
}

fn notes(report: &Report) -> Vec<&'static str> {
    kinds(report.notes())
}

/// What the report says about a warning of this kind, with its advice.
fn said(report: &Report, kind: &str) -> String {
    let warning = report.warnings.iter().find(|warning| warning.kind() == kind).expect("the warning is there");
    format!("{} | {}", warning.text(), warning.advice(&report.setup).unwrap_or_default())
}

#[test]
fn two_hundred_calls_at_ten_a_second_are_valid() {
    let report = Report::of(&at_ten_a_second(200, 60_000, 400_000, |_, _| {}), open("10"));
    assert_eq!(report.verdict, Verdict::Valid);
    assert_eq!(report.reasons().count(), 0);
    assert_eq!(report.offered_rate, Some(10.0));
    assert!((report.send_rate - 10.0).abs() < 0.001, "{}", report.send_rate);
    assert!((report.throughput - 10.05).abs() < 0.001, "{}", report.throughput);
    assert_eq!(
        said(&report, "too_few_samples"),
        "200 calls are few for high percentiles: the 99th takes 1000, the 99.9th 10000 | raise -n"
    );
    assert_eq!(notes(&report), ["too_few_samples"]);
}

#[test]
fn a_few_late_calls_are_no_reason() {
    let late = |index: u64, sample: &mut Sample| {
        if index.is_multiple_of(40) {
            *sample = self::sample(sample.due.as_nanos(), 8 * MS, MS);
        }
    };
    let report = Report::of(&at_ten_a_second(200, 60_000, MS, late), open("10"));
    assert_eq!(report.verdict, Verdict::Valid, "5 of 200 are too few to judge by: {:?}", report.warnings);
}

#[test]
fn lag_of_our_own_makes_it_client_limited() {
    let report = Report::of(&at_ten_a_second(200, 5 * MS, MS, |_, _| {}), open("10"));
    assert_eq!(report.verdict, Verdict::ClientLimited);
    assert_eq!(reasons(&report), ["generator_late"]);
    let said = said(&report, "generator_late");
    assert!(said.starts_with("calls left 5.00 ms late at the "), "{said}");
    assert!(said.contains("83 % of the response time there (6.00 ms)"), "{said}");
    let advice = "spread the calls over 2 threads with --connections 2, or lower -r";
    assert!(said.ends_with(&format!("{advice}; a CPU that is slow to wake is kept awake by --idle spin")), "{said}");

    let mut spinning = open("10");
    spinning.idle = Idle::Spin;
    let report = Report::of(&at_ten_a_second(200, 5 * MS, MS, |_, _| {}), spinning);
    assert!(self::said(&report, "generator_late").ends_with(advice));

    let mut wide = open("10");
    wide.connections = NonZeroU32::new(2).unwrap();
    let report = Report::of(&at_ten_a_second(200, 5 * MS, MS, |_, _| {}), wide);
    assert!(self::said(&report, "generator_late").contains("lower -r, keep other work off this machine"));
}

#[test]
fn less_lag_makes_it_doubtful() {
    let report = Report::of(&at_ten_a_second(200, 2 * MS, 6 * MS, |_, _| {}), open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["generator_late"]));
}

#[test]
fn lag_is_weighed_against_failed_calls_if_there_are_no_others() {
    let fail = |_, sample: &mut Sample| sample.status = 14;
    let report = Report::of(&at_ten_a_second(200, 5 * MS, MS, fail), open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::ClientLimited, vec!["generator_late", "none_succeeded"]));
}

#[test]
fn waiting_for_a_slot_is_not_our_lag() {
    let wait = |index: u64, sample: &mut Sample| {
        if index.is_multiple_of(5) {
            *sample = Sample { slot_was_free: false, ..self::sample(sample.due.as_nanos(), 50 * MS, 20 * MS) };
        }
    };
    let report = Report::of(&at_ten_a_second(200, 60_000, 20 * MS, wait), open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["in_flight_limit"]));
    let said = said(&report, "in_flight_limit");
    assert!(said.starts_with("40 calls (20 %) were due while 50 were in flight"), "{said}");
    assert!(said.contains("the server was slow for a while"), "there was room on average: {said}");

    let wait_rarely = |index: u64, sample: &mut Sample| sample.slot_was_free = !index.is_multiple_of(50);
    let report = Report::of(&at_ten_a_second(200, 60_000, 20 * MS, wait_rarely), open("10"));
    assert_eq!(report.verdict, Verdict::Valid);
    assert_eq!(notes(&report), ["in_flight_limit", "too_few_samples"]);
}

#[test]
fn too_low_a_limit_is_named_with_the_number_it_takes() {
    // 10/s of 8 s each: 80 in flight, 50 allowed.
    let wait = |_, sample: &mut Sample| sample.slot_was_free = false;
    let report = Report::of(&at_ten_a_second(200, 60_000, 8 * SECOND, wait), open("10"));
    let said = said(&report, "in_flight_limit");
    assert!(said.ends_with("about 80 are in flight: raise -c, or lower -r"), "{said}");
}

/// Calls of 10 ms to a server with a limit of streams, of which each waited for a stream for so long.
fn limited_to(limit: u32, waited_ms: u64) -> Recording {
    let waits = |index: u64| {
        let phases = Phases { stream_ns: waited_ms * MS, ..Phases::default() };
        Sample { phases, ..sample(index * 10 * MS, 0, 10 * MS) }
    };
    let samples: Vec<Sample> = (0..1_000).map(waits).collect();
    let mut recording = recording(false, &samples);
    let http2 = &mut recording.connections.http2;
    let settings = PeerSettings {
        max_concurrent_streams: Some(limit),
        initial_window: 65_535,
        max_frame_size: 16_384,
        header_table_size: 4_096,
        max_header_list_size: None,
    };
    http2.peers.add(settings, 1);
    http2.stream_waits.record_many(waited_ms * MS, 1_000);
    http2.streams_wanted_max = 35;
    recording
}

#[test]
fn a_limit_of_streams_is_named_with_the_connections_it_takes() {
    let report = Report::of(&limited_to(10, 8), closed());
    assert!(reasons(&report).contains(&"stream_limit"), "{:?}", report.warnings);
    assert_eq!(
        said(&report, "stream_limit"),
        "the server lets 10 streams be open on a connection: 1000 calls waited 8.00 ms on average for one, 80 % of the \
         service time | use 5 connections: --connections 5"
    );
    let advice = |limit, setup: Setup| {
        let report = Report::of(&limited_to(limit, 8), setup);
        report.warnings.iter().find_map(|warning| match warning {
            Warning::StreamLimit { connections, .. } => Some(*connections),
            _ => None,
        })
    };
    let on = |connections, setup| Setup { connections: NonZeroU32::new(connections).unwrap(), ..setup };
    assert_eq!(advice(7, closed()), Some(Some(8)), "50 calls by sevens");
    assert_eq!(advice(10, on(4, closed())), Some(Some(5)));
    assert_eq!(advice(10, on(5, closed())), Some(None), "there are as many as it takes");
    assert_eq!(advice(0, closed()), Some(None), "none would do");
    // Under a rate up to 50 may be in flight, and there were never more than 35.
    assert_eq!(advice(10, open("10")), Some(Some(4)));
    assert_eq!(advice(10, on(2, open("10"))), Some(Some(5)), "35 on each of two are more than 50");
}

#[test]
fn a_short_wait_for_a_stream_is_no_reason() {
    let mut recording = limited_to(10, 0);
    assert_eq!(notes(&Report::of(&recording, closed()))[0], "stream_limit");
    recording.connections.http2.stream_waits = Distribution::new();
    assert!(!notes(&Report::of(&recording, closed())).contains(&"stream_limit"), "a limit that nobody met");
}

#[test]
fn falling_behind_is_ours_unless_slots_were_taken() {
    let slowly = |index: u64, sample: &mut Sample| {
        *sample = self::sample(sample.due.as_nanos(), index * 10 * MS, MS);
    };
    let report = Report::of(&at_ten_a_second(200, 0, MS, slowly), open("10"));
    assert_eq!(report.verdict, Verdict::ClientLimited);
    assert_eq!(reasons(&report), ["generator_late", "behind_plan"]);
    let said = said(&report, "behind_plan");
    assert!(said.starts_with("calls were made at 9.10/s, 9.0 % below the offered 10.00/s"), "{said}");

    let taken = |index: u64, sample: &mut Sample| {
        slowly(index, sample);
        sample.slot_was_free = index == 0;
    };
    let report = Report::of(&at_ten_a_second(200, 0, MS, taken), open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["in_flight_limit", "behind_plan"]));
}

#[test]
fn a_long_drain_is_no_lower_rate() {
    // Two calls at 1/s that take 3 s each.
    let report = Report::of(&recording(true, &[sample(0, 0, 3 * SECOND), sample(SECOND, 0, 3 * SECOND)]), open("1"));
    assert!((report.send_rate - 1.0).abs() < 1e-9, "{}", report.send_rate);
    assert_eq!(report.verdict, Verdict::Valid);
}

#[test]
fn a_busy_worker_limits_a_closed_loop() {
    let mut recording = one_after_the_other(200);
    recording.workers = vec![
        WorkerUse { cpu_ns: 1_900 * MS, wall_ns: 2 * SECOND, ..WorkerUse::default() },
        WorkerUse { cpu_ns: 100 * MS, wall_ns: 2 * SECOND, ..WorkerUse::default() },
    ];
    let report = Report::of(&recording, closed());
    assert_eq!((report.verdict, reasons(&report)), (Verdict::ClientLimited, vec!["worker_busy"]));
    let said = said(&report, "worker_busy");
    assert!(said.starts_with("1 of 2 worker threads were busy, the busiest 95 % of its time"), "{said}");
    assert!(said.contains("a lower bound"), "{said}");

    let mut recording = at_ten_a_second(200, 60_000, MS, |_, _| {});
    recording.workers = vec![WorkerUse { cpu_ns: 19 * SECOND, wall_ns: 20 * SECOND, ..WorkerUse::default() }];
    assert_eq!(Report::of(&recording, open("10")).verdict, Verdict::Doubtful, "a rate that is kept is kept");
}

#[test]
fn the_threshold_of_a_busy_worker() {
    for (cpu_ms, verdict) in [(1_700, Verdict::Valid), (1_701, Verdict::ClientLimited)] {
        let mut recording = one_after_the_other(200);
        recording.workers = vec![WorkerUse { cpu_ns: cpu_ms * MS, wall_ns: 2 * SECOND, ..WorkerUse::default() }];
        assert_eq!(Report::of(&recording, closed()).verdict, verdict, "{cpu_ms} ms");
    }
}

#[test]
fn a_short_run_is_not_judged_by_its_cpu() {
    let mut recording = recording(false, &[sample(0, 0, MS), sample(0, 0, 2 * MS)]);
    recording.workers = vec![WorkerUse { cpu_ns: 2 * MS, wall_ns: 2 * MS, ..WorkerUse::default() }];
    let report = Report::of(&recording, closed());
    assert_eq!(report.verdict, Verdict::Valid);
    assert_eq!(notes(&report), ["too_short", "too_few_samples"]);
}

#[test]
fn calls_that_are_missing_at_the_end() {
    for (cut, verdict) in [(20, Verdict::Valid), (21, Verdict::Doubtful)] {
        let samples: Vec<Sample> = (0..200)
            .map(|index| Sample {
                end: if index < cut { End::Abandoned } else { End::Done },
                ..sample(index * 10 * MS, 0, 10 * MS)
            })
            .collect();
        let report = Report::of(&recording(false, &samples), closed());
        assert_eq!(report.verdict, verdict, "{cut} of 200");
        assert_eq!(report.counts.abandoned, cut);
        assert!(report.warnings.iter().any(|warning| warning.kind() == "cut_off"));
    }
    for (unsent, verdict) in [(2, Verdict::Valid), (3, Verdict::Doubtful)] {
        let mut recording = at_ten_a_second(200, 60_000, MS, |_, _| {});
        recording.calls.unsent = unsent;
        let report = Report::of(&recording, open("10"));
        assert_eq!((report.verdict, report.counts.arrivals), (verdict, 200 + unsent), "{unsent} unsent");
    }
}

#[test]
fn facts_that_make_any_run_doubtful() {
    let mut unoptimised = closed();
    unoptimised.about.unoptimised = true;
    assert_eq!(reasons(&Report::of(&one_after_the_other(200), unoptimised)), ["unoptimised"]);

    let mut lost = one_after_the_other(200);
    lost.workers_lost = 1;
    assert_eq!(reasons(&Report::of(&lost, closed())), ["workers_lost"]);

    let endless = recording(false, &[sample(0, 0, 2 * crate::record::HIGHEST_NS)]);
    let report = Report::of(&endless, closed());
    assert_eq!(reasons(&report), ["clamped"]);
    assert_eq!(report.verdict, Verdict::Doubtful);
}

#[test]
fn every_warning_of_these_reports_is_whole() {
    let mut recording = at_ten_a_second(200, 5 * MS, MS, |index, sample| {
        sample.status = if index.is_multiple_of(2) { 14 } else { 0 };
        sample.slot_was_free = !index.is_multiple_of(3);
    });
    recording.calls.unsent = 100;
    recording.workers_lost = 1;
    recording.workers = vec![WorkerUse { cpu_ns: SECOND, wall_ns: SECOND, ..WorkerUse::default() }];
    let mut setup = open("10");
    setup.about.unoptimised = true;
    let report = Report::of(&recording, setup);
    assert_eq!(
        reasons(&report),
        ["generator_late", "worker_busy", "in_flight_limit", "unsent", "workers_lost", "unoptimised"]
    );
    assert_eq!(notes(&report), ["calls_failed", "too_few_samples"]);
    for warning in &report.warnings {
        assert!(!warning.text().contains("  "), "{}", warning.text());
        for (name, number) in warning.numbers() {
            if let Number::Real(real) = number {
                assert!(real.is_finite() && real >= 0.0, "{name} of {warning:?}");
                assert!(!name.contains("share") || real <= 1.0, "{name} of {warning:?}");
            }
        }
    }
}

/// Nine calls of 10 ms that end OK, and one of 1000 ms that fails.
fn nine_and_one(count_errors: bool) -> Report {
    let mut samples = vec![sample(0, 0, 10 * MS); 9];
    samples.push(Sample { status: 14, ..sample(0, 0, 1_000 * MS) });
    let mut setup = closed();
    setup.about.count_errors = count_errors;
    Report::of(&recording(false, &samples), setup)
}

#[test]
fn one_set_of_calls_for_all_figures() {
    for (count_errors, size, mean, max) in [(false, 9, 10 * MS, 10 * MS), (true, 10, 109 * MS, 1_000 * MS)] {
        let report = nine_and_one(count_errors);
        let times = report.times.headline();
        assert_eq!((times.count(), times.min(), times.mean(), times.max()), (size, 10 * MS, mean, max));
        assert_eq!(report.histogram.iter().map(|bar| bar.count).sum::<u64>(), size);
        assert_eq!(report.percentiles.last().unwrap().ns, max);
        assert_eq!((report.counts.done, report.counts.ok, report.counts.failed), (10, 9, 1));
        assert!((report.throughput - 10.0).abs() < 1e-9, "over all calls: {}", report.throughput);
    }
}

#[test]
fn no_successful_call() {
    let samples = vec![Sample { status: 14, ..sample(0, 0, 10 * MS) }; 10];
    let report = Report::of(&recording(false, &samples), closed());
    assert!(report.percentiles.is_empty() && report.histogram.is_empty());
    assert_eq!((report.times.headline().min(), report.times.headline().max()), (0, 0));
    assert_eq!(report.statuses, [StatusCount { code: Some(14), name: "Unavailable".into(), count: 10 }]);
    assert_eq!(report.errors[0].text(), "rpc error: code = Unavailable desc = no backend");
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["none_succeeded"]));
}

#[test]
fn no_call_at_all() {
    for setup in [closed(), open("10")] {
        let is_open = setup.is_open();
        let report = Report::of(&recording(is_open, &[]), setup);
        assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["nothing_done"]));
        for rate in [report.throughput, report.send_rate] {
            assert!(rate.abs() < f64::EPSILON, "{rate}");
        }
        assert_eq!(report.counts, Counts::default());
    }
}

#[test]
#[should_panic(expected = "OK calls and their times")]
fn counts_that_contradict_each_other_are_a_bug() {
    let mut recording = one_after_the_other(3);
    recording.calls.statuses.add(0);
    let _ = Report::of(&recording, closed());
}

/// A worker that ran for 20 s.
fn used(change: impl Fn(&mut WorkerUse)) -> Vec<WorkerUse> {
    let mut used = WorkerUse { cpu_ns: SECOND, wall_ns: 20 * SECOND, ..WorkerUse::default() };
    change(&mut used);
    vec![used]
}

#[test]
fn watching_the_clock_is_not_work() {
    let mut recording = at_ten_a_second(200, 60_000, 10 * MS, |_, _| {});
    recording.workers = used(|used| (used.cpu_ns, used.spin_ns) = (19_900 * MS, 19_000 * MS));
    assert_eq!(Report::of(&recording, open("10")).verdict, Verdict::Valid);
}

#[test]
fn a_client_without_a_cpu_is_the_limit() {
    for (delay_ms, verdict) in [(1_000, Verdict::Valid), (1_001, Verdict::Doubtful), (3_001, Verdict::ClientLimited)] {
        let mut recording = at_ten_a_second(200, 60_000, 10 * MS, |_, _| {});
        recording.workers = used(|used| used.run_delay_ns = Some(delay_ms * MS));
        let report = Report::of(&recording, open("10"));
        assert_eq!(report.verdict, verdict, "{delay_ms} ms");
        if verdict == Verdict::ClientLimited {
            let said = said(&report, "waited_for_cpu");
            assert!(
                said.starts_with("a worker thread was ready to run and waited for a CPU for 3.00 s, 15 %"),
                "{said}"
            );
        }
    }
    let elapsed_ms = 19_910;
    for (share, verdict) in [(0.009, Verdict::Valid), (0.02, Verdict::Doubtful), (0.2, Verdict::ClientLimited)] {
        let mut recording = at_ten_a_second(200, 60_000, 10 * MS, |_, _| {});
        recording.machine.throttled_ns = Some((share * f64::from(elapsed_ms) * 1e6) as u64);
        let report = Report::of(&recording, open("10"));
        assert_eq!((report.verdict, reasons(&report).contains(&"throttled")), (verdict, verdict != Verdict::Valid));
    }
    for (share, verdict) in [(0.04, Verdict::Valid), (0.06, Verdict::Doubtful), (0.2, Verdict::ClientLimited)] {
        let mut recording = at_ten_a_second(200, 60_000, 10 * MS, |_, _| {});
        recording.machine.stolen_ns = Some((share * f64::from(elapsed_ms) * 1e6) as u64);
        let report = Report::of(&recording, open("10"));
        assert_eq!((report.verdict, reasons(&report).contains(&"stolen")), (verdict, verdict != Verdict::Valid));
    }
}

#[test]
fn callers_who_wait_for_us_are_seen_by_littles_law() {
    // Four callers, 50 calls each and one after the other, with a pause of 1 or 2 ms after each 10 ms.
    for (pause, verdict) in [(MS, Verdict::Valid), (2 * MS, Verdict::ClientLimited)] {
        let calls = (0..400).map(|index| sample(index / 4 * (10 * MS + pause), 0, 10 * MS));
        let mut setup = closed();
        setup.load = Load::Closed { concurrency: NonZeroU32::new(4).unwrap().into() };
        let report = Report::of(&recording(false, &calls.collect::<Vec<_>>()), setup);
        assert_eq!(report.verdict, verdict, "{:?}", report.warnings);
        if verdict == Verdict::ClientLimited {
            let said = said(&report, "callers_idle");
            assert!(said.starts_with("of 4 callers 3.3 were in a call on average: this client took 17 %"), "{said}");
        }
    }
}

#[test]
fn callers_of_calls_that_were_cut_off_are_not_idle() {
    // As above with pauses of 2 ms; but one of the callers was in a call all the time, which was cut off.
    let calls = (0..400).map(|index| sample(index / 4 * 12 * MS, 0, 10 * MS));
    let mut recording = recording(false, &calls.collect::<Vec<_>>());
    recording.calls.cut_off_ns = recording.elapsed.as_nanos();
    let mut setup = closed();
    setup.load = Load::Closed { concurrency: NonZeroU32::new(4).unwrap().into() };
    assert_eq!(Report::of(&recording, setup).verdict, Verdict::Valid);
}

fn with_medians(medians_ms: impl IntoIterator<Item = u64>) -> Recording {
    let mut recording = at_ten_a_second(200, 60_000, 10 * MS, |_, _| {});
    recording.rows =
        medians_ms.into_iter().map(|ms| Row { done: 20, p50_ns: ms * MS, p99_ns: ms * MS, ..Row::default() }).collect();
    recording
}

#[test]
fn a_start_unlike_the_rest_calls_for_a_warm_up() {
    let recording = with_medians([40, 10, 10, 10, 11, 10, 10, 10]);
    let report = Report::of(&recording, open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["slow_start"]));
    let said = said(&report, "slow_start");
    assert!(said.contains("the median of the first interval is 40.00 ms, of all others at most 11.00 ms"), "{said}");
    assert!(said.ends_with("leave the start out with --warmup 1s"), "{said}");
}

/// A stall of some milliseconds in the first interval is in its 99th percentile, and in none of the whole run.
#[test]
fn a_start_is_doubtful_if_enough_calls_are_unlike_the_rest() {
    // Eight intervals with as many calls each, of which the first has so large a part of slow ones.
    for (slow_permille, kinds, verdict) in [
        (500, vec!["slow_start"], Verdict::Doubtful),
        (101, vec!["slow_start"], Verdict::Doubtful),
        (99, vec![], Verdict::Valid),
        (10, vec![], Verdict::Valid),
    ] {
        let mut recording = with_medians([1; 8]);
        let quantile = |permille: u64| if slow_permille > 1_000 - permille { 20 * MS } else { MS };
        for row in &mut recording.rows {
            (row.done, row.p90_ns) = (2_500, MS);
        }
        let first = &mut recording.rows[0];
        (first.p50_ns, first.p90_ns, first.p99_ns) = (quantile(501), quantile(900), quantile(991));
        recording.calls = at_ten_a_second(20_000, 0, MS, |_, _| {}).calls;
        let report = Report::of(&recording, open("10"));
        assert_eq!((reasons(&report), report.verdict), (kinds, verdict), "{slow_permille}: {:?}", report.warnings);
        assert_eq!(notes(&report).contains(&"slow_start"), verdict == Verdict::Valid, "{slow_permille}");
    }
}

#[test]
fn a_drift_is_doubtful_unless_the_load_changes_too() {
    let recording = with_medians((0..30).map(|n| 10 + n));
    let report = Report::of(&recording, open("10"));
    assert_eq!((report.verdict, reasons(&report)), (Verdict::Doubtful, vec!["drift"]));
    assert!(said(&report, "drift").starts_with("times grew over the run: the median was 14.00 ms in its first third"));

    let mut ramped = open("10");
    ramped.load = Load::Open {
        schedule: Schedule::Stages("20s:20".parse().unwrap()),
        spacing: Spacing::Constant,
        in_flight: NonZeroU32::new(50).unwrap(),
    };
    assert!(!reasons(&Report::of(&recording, ramped)).contains(&"drift"));
}

#[test]
fn calls_that_end_at_their_deadline_are_lower_bounds() {
    let late = |index: u64, sample: &mut Sample| {
        if index.is_multiple_of(20) {
            *sample = Sample { status: 4, ..self::sample(sample.due.as_nanos(), 0, 20 * SECOND) };
        }
    };
    let report = Report::of(&at_ten_a_second(200, 60_000, 10 * MS, late), open("10"));
    assert_eq!((report.verdict, report.counts.censored), (Verdict::Valid, 10));
    let said = said(&report, "censored");
    assert!(said.starts_with("10 calls (5.0 %) ended at their deadline: they took at least 20.00 s"), "{said}");
    let [of_deadline] = report.failed_by_status.as_slice() else { panic!("one status failed") };
    assert_eq!((of_deadline.status, of_deadline.times.service.count()), (Some(4), 10));
}

#[test]
fn rates_leave_the_warm_up_out() {
    let limits = Limits::new(Some(100), None).unwrap();
    for warmup in [crate::load::Warmup::Calls(105), crate::load::Warmup::Time(Duration::from_millis(10_450))] {
        let calls: Vec<Sample> = (105..205).map(|index| sample(index * 100 * MS, 50_000, MS)).collect();
        let mut recording = recording(true, &calls);
        recording.measured_from = Offset::from_nanos(10_450 * MS);
        recording.elapsed = Offset::from_nanos(9_951 * MS);
        let report = Report::of(&recording, Setup { limits: limits.after(Some(warmup)), ..open("10") });
        assert_eq!((report.offered_rate, report.verdict), (Some(10.0), Verdict::Valid));
        assert!((report.send_rate - 10.0).abs() < 0.001, "{}", report.send_rate);
        assert_eq!(report.ended_at(), SystemTime::UNIX_EPOCH + Duration::from_millis(20_401));
    }
}

/// A stored report may say anything.
#[test]
fn rates_of_a_start_beyond_all_time_are_no_panic() {
    let mut recording = recording(true, &[sample(0, 0, MS), sample(100 * MS, 0, MS)]);
    recording.measured_from = Offset::from_nanos(u64::MAX);
    for rate in ["1", "10", "1000000000"] {
        assert!(Report::of(&recording, open(rate)).send_rate > 0.0);
    }
}

/// The end of a run is that of its last answer, which is not when the next call would have been due: neither a slow answer
/// nor a fast one makes the rate of several runs another than that of each.
#[test]
fn runs_that_follow_each_other_have_the_rate_of_each() {
    for (service, warmup) in [(MS, None), (400 * MS, None), (400 * MS, Some(crate::load::Warmup::Calls(5)))] {
        let run = |number: u32| {
            let first = if warmup.is_some() { 5 } else { 0 };
            let calls: Vec<Sample> =
                (first..first + 6).map(|index| sample(index * 100 * MS, 50_000, service)).collect();
            let mut recording = recording(true, &calls);
            recording.started_at = SystemTime::UNIX_EPOCH + number * Duration::from_secs(60);
            recording.measured_from = Offset::from_nanos(first * 100 * MS);
            recording.elapsed = Offset::from_nanos(500 * MS + service);
            let limits = Limits::new(Some(6), None).unwrap().after(warmup);
            Run { setup: Setup { limits, ..open("10") }, recording }
        };
        let report = Run::merged((0..4).map(run).collect()).unwrap().unwrap().report();
        assert_eq!((report.counts.sent, report.offered_rate), (24, Some(10.0)));
        assert!((report.send_rate - 10.0).abs() < 0.001, "{}", report.send_rate);
    }
}

#[test]
fn chance_is_no_shortfall() {
    // Nine calls came by chance where ten were to be expected: all of them left in time.
    let mut setup = open("10");
    setup.load = Load::Open {
        schedule: Schedule::Constant("10".parse().unwrap()),
        spacing: Spacing::Poisson { seed: 1 },
        in_flight: NonZeroU32::new(50).unwrap(),
    };
    setup.limits = Limits::new(None, Some(Duration::from_secs(1))).unwrap();
    let calls: Vec<Sample> = (0..9).map(|index| sample(index * 111 * MS, 0, MS)).collect();
    let report = Report::of(&recording(true, &calls), setup);
    assert!((report.send_rate - report.offered_rate.unwrap()).abs() < 1e-9);
    assert!(!reasons(&report).contains(&"behind_plan"));
}

#[test]
fn intervals_that_are_not_listed_are_told() {
    let mut recording = with_medians([10; 8]);
    recording.rows_left_out = 3_000;
    let report = Report::of(&recording, open("10"));
    assert_eq!((report.verdict, notes(&report).contains(&"rows_capped")), (Verdict::Valid, true));
    assert_eq!(
        said(&report, "rows_capped"),
        "8 intervals of 1.00 s are listed and 3000 more are not; all other numbers cover the whole run | raise --interval"
    );
}
