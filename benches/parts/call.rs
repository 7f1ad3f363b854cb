//! Planning a call, driving it, and recording it.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use grpcbench::drive::{closed_loop_unconnected, open_loop_unconnected};
use grpcbench::load::{Arrivals, Limits, LineRamp, Load, Ramp, Schedule, Share, Spacing, Tickets};
use grpcbench::record::{Recorder, Sample};
use grpcbench::units::Offset;

use super::Work;

/// The next arrival of a constant rate.
pub(crate) fn arrival() -> Work {
    arrivals(Schedule::Constant("1000000".parse().unwrap()))
}

/// The next arrival of a rate that grows for longer than anyone looks.
pub(crate) fn arrival_on_a_ramp() -> Work {
    let ramp = Ramp {
        start: "1000".parse().unwrap(),
        step: "1000".parse().unwrap(),
        every: Duration::from_secs(1),
        end: None,
        longest: Some(Duration::from_secs(1_000_000)),
    };
    arrivals(Schedule::Line(LineRamp::new(ramp).unwrap()))
}

fn arrivals(schedule: Schedule) -> Work {
    let limits = Limits::new(Some(u64::MAX), None).unwrap();
    let load = Load::Open { schedule, spacing: Spacing::default(), in_flight: NonZeroU32::MAX };
    let mut arrivals = Arrivals::new(&load, limits, Share::WHOLE, Arc::new(Tickets::new(limits, 1)));
    Box::new(move || {
        black_box(arrivals.next(false, || Offset::ZERO));
    })
}

/// A call's times, of which one in ten failed.
pub(crate) fn record() -> Work {
    let mut recorder = Recorder::new(true, 0);
    let mut index = 0_u64;
    Box::new(move || {
        let spread = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let due = Offset::from_nanos(index * 1_000);
        let done = Offset::from_nanos(due.as_nanos() + spread);
        let status = if index % 10 == 7 { 5 } else { 0 };
        let (bytes_received, bytes_unpacked) = (13, 13);
        let sample =
            Sample { bytes_received, bytes_unpacked, bytes_sent: 5, status, ..Sample::answered(due, due, done) };
        recorder.record(black_box(&sample), if status == 0 { "" } else { "no such thing" });
        index += 1;
    })
}

/// A worker, and a thousand calls that are answered at once.
pub(crate) fn thousand_in_a_closed_loop() -> Work {
    Box::new(|| closed_loop_unconnected(black_box(1_000), false))
}

/// The same for a run that is looked at while it goes on.
pub(crate) fn thousand_in_a_closed_loop_seen() -> Work {
    Box::new(|| closed_loop_unconnected(black_box(1_000), true))
}

/// A worker, and a thousand calls under a rate at which all are due.
pub(crate) fn thousand_under_a_rate() -> Work {
    Box::new(|| open_loop_unconnected(black_box(1_000)))
}
