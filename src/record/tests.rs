//! The laws that recordings keep: merging is a sum, quantiles are those of the sorted values, tables are bounded,
//! and the identities hold.

use proptest::prelude::*;

use super::*;

/// One finished or abandoned call and what it said.
#[derive(Clone, Debug)]
struct Call {
    sample: Sample,
    failure: String,
}

fn call() -> impl Strategy<Value = Call> {
    let times = (0u64..1 << 40, 0u64..1 << 30, 0u64..1 << 41);
    let statuses = prop_oneof![4 => Just(0u32), 2 => 0u32..20, 1 => any::<u32>()];
    (times, statuses, 0u32..1000, any::<bool>(), prop::bool::weighted(0.1), "[ab]{0,2}").prop_map(
        |((due, lag, service), status, bytes, slot_was_free, abandoned, failure)| Call {
            sample: Sample {
                phases: Phases { stream_ns: due % 3, request_ns: lag % 1_000, head_ns: service / 2, message_ns: 0 },
                bytes_received: u64::from(bytes) * 3,
                bytes_unpacked: u64::from(bytes) * 3,
                bytes_sent: bytes.into(),
                status,
                end: if abandoned { End::Abandoned } else { End::Done },
                slot_was_free,
                ..Sample::answered(
                    Offset::from_nanos(due),
                    Offset::from_nanos(due + lag),
                    Offset::from_nanos(due + lag + service),
                )
            },
            failure,
        },
    )
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    prop::collection::vec(call(), 0..40)
}

fn recorder(open: bool, details: usize, calls: &[Call]) -> Recorder {
    let mut recorder = Recorder::new(open, details);
    for call in calls {
        recorder.record(&call.sample, &call.failure);
    }
    recorder
}

fn merged(mut one: Recorder, other: &Recorder) -> Recorder {
    one.merge(other.clone());
    one
}

#[derive(PartialEq, Debug)]
struct Unordered {
    statuses: Vec<(u32, u64)>,
    failures: Vec<(u32, String, u64)>,
    details: Vec<(u64, u64, u64, u32)>,
    rest: Recorder,
}

/// What must not depend on the order of merging. Rows of bounded tables keep the order of their first sight, so they
/// are compared sorted; the tables of these tests stay below their bounds.
fn unordered(recorder: &Recorder) -> Unordered {
    let mut statuses: Vec<_> = recorder.statuses.iter().collect();
    statuses.sort_unstable();
    let mut failures: Vec<_> =
        recorder.failures.rows().iter().map(|row| (row.status, row.text.to_string(), row.count)).collect();
    failures.sort_unstable();
    let mut details: Vec<_> = recorder
        .details
        .rows()
        .iter()
        .map(|row| (row.done.as_nanos(), row.response_ns, row.service_ns, row.status))
        .collect();
    details.sort_unstable();
    let mut rest = recorder.clone();
    rest.statuses = Statuses::default();
    rest.failures = Failures::default();
    rest.details = Details::default();
    Unordered { statuses, failures, details, rest }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn merging_gives_what_one_recorder_would_have(open: bool, one in calls(), other in calls()) {
        let parts = merged(recorder(open, 100, &one), &recorder(open, 100, &other));
        let whole = recorder(open, 200, &[one, other].concat());
        prop_assert_eq!(unordered(&parts), unordered(&whole));
        whole.check();
        parts.check();
    }

    #[test]
    fn merging_is_commutative(open: bool, one in calls(), other in calls()) {
        let (one, other) = (recorder(open, 100, &one), recorder(open, 100, &other));
        prop_assert_eq!(unordered(&merged(one.clone(), &other)), unordered(&merged(other, &one)));
    }

    #[test]
    fn merging_is_associative(open: bool, a in calls(), b in calls(), c in calls()) {
        let [a, b, c] = [a, b, c].map(|calls| recorder(open, 100, &calls));
        let left = merged(merged(a.clone(), &b), &c);
        let right = merged(a, &merged(b, &c));
        // Not only the sums: here even the order of rows is the same, but for calls that end at one instant.
        prop_assert_eq!(left.statuses.iter().collect::<Vec<_>>(), right.statuses.iter().collect::<Vec<_>>());
        prop_assert_eq!(&left.failures, &right.failures);
        prop_assert_eq!(unordered(&left), unordered(&right));
    }

    #[test]
    fn an_empty_recorder_changes_nothing(open: bool, calls in calls()) {
        let recorder = recorder(open, 100, &calls);
        let empty = Recorder::new(open, 0);
        let mut with_empty = merged(recorder.clone(), &empty);
        let mut sorted = recorder;
        sorted.details.merge(Details::with_cap(0), &[]);
        prop_assert_eq!(&with_empty, &sorted);
        with_empty.merge(empty);
        prop_assert_eq!(&with_empty, &sorted);
    }

    #[test]
    fn the_identities_hold(open: bool, calls in calls(), unsent in 0u64..100) {
        let mut recorder = recorder(open, 0, &calls);
        recorder.unsent = unsent;
        recorder.check();
        let abandoned = calls.iter().filter(|call| call.sample.end == End::Abandoned).count() as u64;
        prop_assert_eq!(recorder.abandoned, abandoned);
        prop_assert_eq!(recorder.sent(), calls.len() as u64);
        prop_assert_eq!(recorder.done(), calls.len() as u64 - abandoned);
        prop_assert_eq!(recorder.arrivals(), calls.len() as u64 + unsent);
        let failed = recorder.failures.rows().iter().map(|row| row.count).sum::<u64>() + recorder.failures.others();
        prop_assert_eq!(failed, recorder.failed_times().service.count());
        if let Some(own_lag) = &recorder.own_lag {
            prop_assert_eq!(own_lag.count() + recorder.limited, recorder.sent());
        }
        let last = calls.iter().map(|call| call.sample.sent).max().unwrap_or_default();
        prop_assert_eq!(recorder.last_sent, last);
        let by_status: u64 = recorder.failed.iter().map(|row| row.times.service.count()).sum();
        prop_assert_eq!(by_status, recorder.done() - recorder.statuses.count(0));
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values(
        mut values in prop::collection::vec(prop_oneof![0u64..3_000, 0u64..HIGHEST_NS], 1..300),
        permille in 0u64..=1000,
    ) {
        let mut times = Distribution::new();
        for value in &values {
            times.record(*value);
        }
        values.sort_unstable();
        for permille in [permille, 100, 250, 500, 750, 900, 950, 990, 999] {
            let rank = (permille * values.len() as u64).div_ceil(1000).max(1);
            let truth = values[usize::try_from(rank).unwrap() - 1];
            let found = times.quantile(permille as f64 / 1000.0);
            prop_assert!(found.abs_diff(truth) <= truth / 1000, "{} for {} at {} of {}", found, truth, permille, values.len());
        }
        prop_assert_eq!(times.quantile(0.0), values[0]);
        prop_assert_eq!(times.quantile(1.0), *values.last().unwrap());
        prop_assert_eq!((times.min(), times.max()), (values[0], *values.last().unwrap()));
        let sum: u128 = values.iter().map(|value| u128::from(*value)).sum();
        prop_assert_eq!(times.sum(), sum);
        prop_assert_eq!(u128::from(times.mean()), sum / values.len() as u128);
        prop_assert_eq!((times.count(), times.clamped()), (values.len() as u64, 0));
    }
}

/// Ranks are exact also where the product of a quantile and a count is not, in floats.
#[test]
fn ranks_are_exact_for_every_count() {
    // Every value below 2048 has a bucket of its own, so that the rank can be read from the answer.
    let mut times = Distribution::new();
    for count in 1..=2_000u64 {
        times.record(count);
        if count % 10 > 0 && count % 7 > 0 {
            continue;
        }
        for permille in [10, 70, 100, 140, 250, 280, 500, 550, 560, 750, 900, 950, 990, 999, 1000] {
            let rank = (permille * count).div_ceil(1000);
            assert_eq!(times.quantile(permille as f64 / 1000.0), rank, "{permille} of {count}");
        }
    }
}

#[test]
fn nothing_measured_is_zero_everywhere() {
    let times = Distribution::new();
    assert!(times.is_empty());
    assert_eq!((times.count(), times.min(), times.mean(), times.max(), times.quantile(0.99)), (0, 0, 0, 0, 0));
}

#[test]
fn times_above_the_top_are_clamped_and_counted() {
    let mut times = Distribution::new();
    for nanos in [1, HIGHEST_NS, HIGHEST_NS + 1, u64::MAX] {
        times.record(nanos);
    }
    assert_eq!(times.count(), 4);
    assert_eq!(times.clamped(), 2);
    assert_eq!(times.max(), u64::MAX, "the largest is exact all the same");
    assert!(times.quantile(0.75).abs_diff(HIGHEST_NS) <= HIGHEST_NS / 1000);
    assert_eq!(times.sum(), u128::from(u64::MAX) + 2 * u128::from(HIGHEST_NS) + 2);
    let mut twice = times.clone();
    twice.merge(&times);
    assert_eq!((twice.count(), twice.clamped(), twice.max()), (8, 4, u64::MAX));
}

#[test]
fn histograms_are_read_back_from_their_bytes() {
    let mut times = Distribution::new();
    for nanos in [0, 1, 2_047, 1_000_000, 1_000_000, HIGHEST_NS, u64::MAX] {
        times.record(nanos);
    }
    let bytes = times.to_hdr_v2();
    let read: hdrhistogram::Histogram<u64> =
        hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    assert_eq!(&read, times.buckets());
}

#[test]
fn unknown_statuses_keep_their_number_up_to_a_bound() {
    let mut statuses = Statuses::default();
    for status in 0..1_000 {
        statuses.add(status);
        statuses.add(status);
    }
    assert_eq!(statuses.count(16), 2);
    assert_eq!(statuses.count(17), 2);
    assert_eq!(statuses.iter().count(), 17 + 32);
    assert_eq!(statuses.unlisted(), 2 * (1_000 - 49));
    assert_eq!(statuses.total(), 2_000, "none is lost");
    let mut twice = statuses.clone();
    twice.merge(&statuses);
    assert_eq!(twice.total(), 4_000);
    assert_eq!(twice.iter().count(), 17 + 32);
}

#[test]
fn a_chatty_server_cannot_grow_the_table_of_failures() {
    let mut failures = Failures::default();
    let long = "é".repeat(10_000);
    let first = failures.add(13, &long);
    assert_eq!(first, Some(0));
    assert_eq!(failures.rows()[0].text.len(), 1_024, "cut at a whole character");
    for n in 0..10_000 {
        failures.add(13, &format!("request {n}"));
    }
    assert_eq!(failures.rows().len(), 64);
    assert_eq!(failures.others(), 10_001 - 64);
    assert_eq!(failures.add(13, &long), first, "those that have a row keep it");
    assert_eq!(failures.add(14, "request 0"), None, "another status is another failure");
    assert_eq!(failures.rows().iter().map(|row| row.count).sum::<u64>() + failures.others(), 10_003);
}

#[test]
fn merged_failures_find_their_rows() {
    let mut one = Failures::default();
    one.add(14, "a");
    let mut other = Failures::default();
    other.add(14, "b");
    other.add(14, "a");
    assert_eq!(one.merge(&other), [Some(1), Some(0)]);
    assert_eq!(one.rows().iter().map(|row| (&*row.text, row.count)).collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
}

#[test]
fn details_are_bounded_and_point_to_their_text_after_a_merge() {
    let detail =
        |done, failure| Detail { done: Offset::from_nanos(done), response_ns: 1, service_ns: 1, status: 14, failure };
    let mut one = Details::with_cap(2);
    for done in [10, 30, 50] {
        one.push(detail(done, Some(0)));
    }
    assert_eq!((one.rows().len(), one.left_out()), (2, 1));
    let mut other = Details::with_cap(2);
    other.push(detail(20, Some(0)));
    other.push(detail(40, Some(1)));
    one.merge(other, &[Some(5), None]);
    let rows: Vec<_> = one.rows().iter().map(|row| (row.done.as_nanos(), row.failure)).collect();
    assert_eq!(rows, [(10, Some(0)), (20, Some(5)), (30, Some(0)), (40, None)]);
    assert_eq!((one.cap(), one.left_out()), (4, 1));
}

#[test]
fn details_that_nobody_wants_are_not_missed() {
    let mut recorder = Recorder::new(false, 0);
    let mut other = Recorder::new(false, 0);
    other.record(&Sample::answered(Offset::ZERO, Offset::ZERO, Offset::from_nanos(5)), "");
    recorder.merge(other);
    assert_eq!((recorder.details.rows().len(), recorder.details.left_out()), (0, 0));
}

#[test]
fn lag_is_told_apart_by_whose_it_is() {
    let mut recorder = Recorder::new(true, 0);
    for (lag, slot_was_free) in [(5, true), (1_000, false), (7, true)] {
        let sent = Offset::from_nanos(100 + lag);
        let sample = Sample::answered(Offset::from_nanos(100), sent, Offset::from_nanos(2_000));
        recorder.record(&Sample { slot_was_free, ..sample }, "");
    }
    assert_eq!(recorder.limited, 1);
    assert_eq!(recorder.lag.as_ref().unwrap().max(), 1_000);
    assert_eq!((recorder.own_lag.as_ref().unwrap().count(), recorder.own_lag.as_ref().unwrap().max()), (2, 7));
    assert_eq!(recorder.ok.response.as_ref().unwrap().max(), 1_900);
    assert_eq!(recorder.ok.service.min(), 900);
    recorder.check();
}

/// Of one value both are its, and in its bucket they may lie the wrong way around.
#[test]
fn a_minimum_above_the_maximum_is_refused() {
    let mut one = Distribution::new();
    one.record(44_566_605);
    let hdr = one.to_hdr_v2();
    let read = |min, max| {
        let exact = super::distribution::Exact { sum: one.sum(), min, max, clamped: 0 };
        Distribution::from_hdr_v2(&hdr, exact)
    };
    assert!(read(44_566_605, 44_566_605).is_ok());
    assert!(read(44_566_606, 44_566_605).is_err());
    assert!(read(44_566_605, 44_566_604).is_err());
}
