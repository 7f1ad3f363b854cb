//! Schedules against their integrals.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::units::Change;

const SECOND: u64 = 1_000_000_000;

fn ramp(start: &str, step: &str, every_s: u64, end: Option<&str>, longest_s: Option<u64>) -> Ramp {
    Ramp {
        start: start.parse().unwrap(),
        step: step.parse().unwrap(),
        every: Duration::from_secs(every_s),
        end: end.map(|end| end.parse().unwrap()),
        longest: longest_s.map(Duration::from_secs),
    }
}

fn steps(start: &str, step: &str, every_s: u64, end: Option<&str>, longest_s: Option<u64>) -> Schedule {
    Schedule::Steps(Steps::new(ramp(start, step, every_s, end, longest_s)).unwrap())
}

fn line(start: &str, step: &str, end: Option<&str>, longest_s: Option<u64>) -> Schedule {
    Schedule::Line(LineRamp::new(ramp(start, step, 1, end, longest_s)).unwrap())
}

fn stages(text: &str) -> Schedule {
    Schedule::Stages(text.parse().unwrap())
}

/// Calls due in each of the first seconds.
fn per_second(schedule: &Schedule, seconds: u64) -> Vec<u64> {
    let until = |second: u64| schedule.due_before(Offset::from_nanos(second * SECOND));
    (0..seconds).map(|second| until(second + 1) - until(second)).collect()
}

#[test]
fn steps_are_those_of_the_documentation() {
    // Until an end rate, which need not be a whole number of steps away.
    let up = steps("50", "10", 5, Some("150"), None);
    assert_eq!(per_second(&up, 7), [50, 50, 50, 50, 50, 60, 60]);
    assert_eq!(per_second(&up, 60)[49..], [140, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150]);
    assert_eq!(per_second(&steps("50", "30", 1, Some("150"), None), 6), [50, 80, 110, 140, 150, 150]);
    // For a time, which then holds what was reached.
    let timed = steps("50", "10", 5, None, Some(40));
    assert_eq!(per_second(&timed, 60)[38..42], [120, 120, 130, 130]);
    // Whichever comes first.
    assert_eq!(per_second(&steps("50", "10", 1, Some("60"), Some(5)), 4), [50, 60, 60, 60]);
    assert_eq!(per_second(&steps("50", "10", 1, Some("500"), Some(2)), 4), [50, 60, 70, 70]);
    assert_eq!(per_second(&steps("50", "-20", 1, Some("20"), None), 4), [50, 30, 20, 20]);
    // Down without an end: to nothing.
    let down = steps("50", "-20", 1, None, None);
    assert_eq!(per_second(&down, 5), [50, 30, 10, 0, 0]);
    assert_eq!(down.ends(), Some(Offset::from_nanos(3 * SECOND)));
    assert_eq!(down.due(89), Offset::from_nanos(2 * SECOND + 900_000_000));
    let never = Offset::from_nanos(u64::MAX);
    assert_eq!((down.due(90), down.due_before(never)), (never, 90), "none at the very end");
}

#[test]
fn a_line_is_no_staircase() {
    // 10 to 20 a second in 10 s: 150 calls, 10.5 of them in the first second.
    let line = line("10", "1", Some("20"), None);
    assert_eq!(line.due_before(Offset::from_nanos(SECOND)), 11);
    assert_eq!(line.due_before(Offset::from_nanos(10 * SECOND)), 150);
    assert_eq!(line.due(150), Offset::from_nanos(10 * SECOND));
    assert_eq!(line.due(170), Offset::from_nanos(11 * SECOND), "and then constant");
    // t = (sqrt(100 + 2k) - 10) s.
    let third = (106f64.sqrt() - 10.0) * 1e9;
    assert!((line.due(3).as_nanos() as f64 - third).abs() < 2.0);
}

#[test]
fn a_line_holds_what_it_has_reached_after_its_longest_time() {
    let half = Ramp { longest: Some(Duration::from_millis(1_500)), ..ramp("10", "3", 1, Some("20"), None) };
    let half = Schedule::Line(LineRamp::new(half).unwrap());
    assert_eq!(half.to_string(), "line from 10/s by 3/s a second to 14.5/s after 1.5s");
    let base = 10.0 * 1.5 + 3.0 * 1.5 * 1.5 / 2.0;
    let expected = 1.5 + (1_000.0 - base) / 14.5;
    assert!((half.due(1_000).as_nanos() as f64 / 1e9 - expected).abs() < 1e-8);
}

#[test]
fn stages_follow_each_other() {
    let all = stages("10s:100, 30s:500,10s:0");
    assert_eq!(all.to_string(), "stages 10s:100,30s:500,10s:0");
    // 500, 9000 and 2500.
    for (second, calls) in [(10, 500), (40, 9_500), (50, 12_000), (60, 12_000)] {
        assert_eq!(all.due_before(Offset::from_nanos(second * SECOND)), calls, "{second}");
    }
    assert_eq!(all.ends(), Some(Offset::from_nanos(50 * SECOND)));
    assert_eq!(all.due(12_000), Offset::from_nanos(u64::MAX));
    assert_eq!(all.span(12_000), Offset::from_nanos(50 * SECOND));
    let jump = stages("0s:100,2s:100,1s:0,1s:0,0s:10,1s:10");
    // Call 250 is due where the area reaches 250, at 3 s.
    assert_eq!(per_second(&jump, 6), [100, 100, 50, 1, 9, 0]);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let refused = |ramp: Ramp| (Steps::new(ramp).is_err(), LineRamp::new(ramp).is_err());
    for wrong in [
        ramp("50", "10", 1, Some("20"), None),
        ramp("50", "-10", 1, Some("80"), None),
        ramp("50", "10", 1, Some("50"), None),
        ramp("50", "10", 0, Some("80"), None),
        ramp("50", "10", 1, None, Some(0)),
    ] {
        assert_eq!(refused(wrong), (true, true), "{wrong:?}");
    }
    for text in ["", "10s", "10s:", ":10", "10:100", "10s:x", "10s:-1", "0s:100", "10s:0", "10s:100,"] {
        assert!(text.parse::<Stages>().is_err(), "{text}");
    }
}

#[test]
fn schedules_read_well() {
    for (schedule, text) in [
        (steps("50", "10", 5, Some("150"), None), "steps from 50/s by 10/s every 5s to 150/s after 50s"),
        (steps("50", "10", 5, None, None), "steps from 50/s by 10/s every 5s"),
        (line("50", "-10", Some("20"), None), "line from 50/s by -10/s a second to 20/s after 3s"),
        (line("50", "-10", None, Some(5)), "line from 50/s by -10/s a second to nothing after 5s"),
    ] {
        assert_eq!(schedule.to_string(), text);
    }
}

fn rates() -> impl Strategy<Value = Rate> {
    (1u64..2_000, prop_oneof![Just(1u64), 1u64..100]).prop_map(|(calls, s)| Rate::new(calls, s * SECOND).unwrap())
}

fn ramps() -> impl Strategy<Value = Ramp> {
    let times = prop_oneof![1u64..5_000, Just(1_000)].prop_map(Duration::from_millis);
    (rates(), rates(), any::<bool>(), times.clone(), prop::option::of(rates()), prop::option::of(times)).prop_map(
        |(start, size, down, every, end, longest)| {
            let down = end.map_or(down, |end| end.per_second() < start.per_second());
            let step = if down { Change::down(size) } else { Change::up(size) };
            Ramp { start, step, every, end: end.filter(|end| *end != start), longest }
        },
    )
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let stage = (0u64..5_000, prop::option::weighted(0.8, rates()));
    prop_oneof![
        rates().prop_map(Schedule::Constant),
        ramps().prop_map(|ramp| Schedule::Steps(Steps::new(ramp).unwrap())),
        // Fractions without a common denominator over weeks are too much for 128 bits.
        ramps().prop_filter_map("it can be counted", |ramp| LineRamp::new(ramp).ok().map(Schedule::Line)),
        prop::collection::vec(stage, 1..6).prop_filter_map("some call is due", |stages| {
            let text: Vec<String> = stages
                .iter()
                .map(|(ms, rate)| {
                    let rate = rate.map_or("0".to_owned(), |rate| {
                        let (calls, per_ns) = rate.parts();
                        format!("{calls}/{per_ns}ns")
                    });
                    format!("{ms}ms:{rate}")
                })
                .collect();
            text.join(",").parse().ok().map(Schedule::Stages)
        }),
    ]
}

/// The rate at a time, by what the options say, in floating point.
fn rate_at(schedule: &Schedule, t: f64) -> f64 {
    let ramped = |ramp: &Ramp, t: f64| {
        let every = ramp.every.as_secs_f64();
        let steps = match schedule {
            Schedule::Steps(_) => (t / every + 1e-12).floor(),
            _ => t / every,
        };
        let rate = ramp.start.per_second() + steps * ramp.step.per_second();
        match (ramp.end, ramp.step.is_down()) {
            (Some(end), true) => rate.max(end.per_second()),
            (Some(end), false) => rate.min(end.per_second()),
            (None, true) => rate.max(0.0),
            (None, false) => rate.min(1e9),
        }
    };
    let held = |ramp: &Ramp| ramp.longest.map_or(t, |longest| t.min(longest.as_secs_f64()));
    match schedule {
        Schedule::Constant(rate) => rate.per_second(),
        Schedule::Steps(steps) => ramped(&steps.ramp(), held(&steps.ramp())),
        Schedule::Line(line) => ramped(&line.ramp(), held(&line.ramp())),
        Schedule::Stages(stages) => {
            let (mut from, mut start) = (0.0, 0.0);
            for stage in stages.to_string()["stages ".len()..].split(',') {
                let (length, to) = stage.split_once(':').unwrap();
                let length = crate::units::parse_duration(length).unwrap().as_secs_f64();
                let to = if to == "0" { 0.0 } else { to.parse::<Rate>().unwrap().per_second() };
                if t < start + length {
                    return from + (to - from) * (t - start) / length;
                }
                (from, start) = (to, start + length);
            }
            0.0
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In any [0, t] as many calls are due as the area under the rate, by numerical integration, within one.
    #[test]
    fn calls_due_are_the_integral(schedule in schedules(), end_ms in 1u64..8_000) {
        // Steps and corners lie on whole milliseconds, so the midpoint rule is exact between them.
        let mut area = 0.0;
        let bend = 1e-9;
        for ms in 0..end_ms {
            area += rate_at(&schedule, (ms as f64 + 0.5) / 1e3) / 1e3;
        }
        let due = schedule.due_before(Offset::from_nanos(end_ms * 1_000_000 + 1)) as f64;
        // Where a line meets its end rate within a millisecond, the midpoint rule is off by that corner.
        let corner = match &schedule {
            Schedule::Line(line) => line.ramp().step.size().per_second() / line.ramp().every.as_secs_f64() * 1e-6,
            _ => 0.0,
        };
        let tolerance = bend * due + corner + 1e-6;
        prop_assert!(due >= area - tolerance && due <= area + 1.0 + tolerance, "{}: {} due, area {}", schedule, due, area);
    }

    #[test]
    fn due_and_due_before_agree(schedule in schedules(), index in prop_oneof![0u64..20_000, any::<u32>().prop_map(u64::from)]) {
        let due = schedule.due(index);
        prop_assert!(due <= schedule.due(index + 1), "calls are due in their order");
        prop_assert!(schedule.due_before(due) <= index);
        let after = Offset::from_nanos(due.as_nanos().saturating_add(1));
        if due < Offset::from_nanos(u64::MAX) {
            prop_assert!(schedule.due_before(after) > index);
        } else {
            prop_assert!(schedule.due_before(Offset::from_nanos(u64::MAX)) <= index, "it is never due");
        }
    }

    #[test]
    fn counts_never_fall(schedule in schedules(), one: u64, other: u64) {
        let (one, other) = (one.min(other), one.max(other));
        prop_assert!(schedule.due_before(Offset::from_nanos(one)) <= schedule.due_before(Offset::from_nanos(other)));
    }

    /// Parts of a call lie between the whole ones.
    #[test]
    fn parts_of_calls_are_in_order(schedule in schedules(), index in 0u64..10_000, part: u32) {
        let whole = u128::from(index) << 32;
        let between = schedule.reaches(whole + u128::from(part));
        prop_assert!(schedule.due(index) <= between && between <= schedule.due(index + 1));
    }

    #[test]
    fn stages_never_panic(text in "[0-9smh.:,/]{0,24}") {
        let _ = text.parse::<Stages>();
    }

    /// Also with the largest numbers: refused, or in order.
    #[test]
    fn huge_ramps_are_refused_or_counted(
        start in 1u64..1_000_000_000, size in 1u64..1_000_000_000, per in 1u64..1_000_000_000_000,
        every in 1u64..u64::MAX, longest in prop::option::of(1u64..u64::MAX), index: u64,
    ) {
        let rate = |calls: u64| Rate::new(calls, per.max(calls)).unwrap();
        let ramp = Ramp {
            start: rate(start),
            step: Change::up(rate(size)),
            every: Duration::from_nanos(every),
            end: None,
            longest: longest.map(Duration::from_nanos),
        };
        let schedules = [Steps::new(ramp).map(Schedule::Steps), LineRamp::new(ramp).map(Schedule::Line)];
        for schedule in schedules.into_iter().flatten() {
            prop_assert!(schedule.due(index) <= schedule.due(index.saturating_add(1)));
            let _ = schedule.due_before(schedule.due(index));
        }
    }
}
