//! Rates, changes of rates, durations, sizes and stages: what is read has the properties that the arithmetic relies on.

#![no_main]

use grpcbench::load::{LineRamp, Ramp, Schedule, Stages, Steps};
use grpcbench::units::{ByteCount, Change, Offset, Rate, parse_duration};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = text.parse::<ByteCount>();
    if let Ok(stages) = text.parse::<Stages>() {
        assert_eq!(stages.to_string().strip_prefix("stages ").map(str::parse), Some(Ok(stages.clone())));
        keeps_order(&Schedule::Stages(stages));
    }
    if let Ok(rate) = text.parse::<Rate>() {
        assert!(rate.per_second() > 0.0 && rate.per_second() <= 1e9);
        keeps_order(&Schedule::Constant(rate));
    }
    ramp(text);
});

/// The five parts of a ramp, with `|` between them.
fn ramp(text: &str) {
    let mut parts = text.split('|');
    let mut part = || parts.next().unwrap_or_default();
    let (Ok(start), Ok(step), Ok(every)) = (part().parse(), part().parse::<Change>(), parse_duration(part())) else {
        return;
    };
    let ramp = Ramp { start, step, every, end: part().parse().ok(), longest: parse_duration(part()).ok() };
    let _ = LineRamp::new(ramp).map(|line| keeps_order(&Schedule::Line(line)));
    let _ = Steps::new(ramp).map(|steps| keeps_order(&Schedule::Steps(steps)));
}

/// Calls are due in order, and as many by a time as its area says.
fn keeps_order(schedule: &Schedule) {
    assert!(!schedule.to_string().is_empty());
    let mut last = Offset::ZERO;
    for index in [0, 1, 2, 3, 1000, 1 << 20, 1 << 40, 1 << 63, u64::MAX] {
        let due = schedule.due(index);
        assert!(due >= last, "call {index} of {schedule}");
        last = due;
        if due.as_nanos() < u64::MAX {
            assert!(schedule.due_before(due) <= index, "call {index} of {schedule} is due at {due:?}");
            let after = Offset::from_nanos(due.as_nanos() + 1);
            assert!(schedule.due_before(after) > index, "call {index} of {schedule} is due at {due:?}");
        }
    }
}
