//! Up to which load a target keeps pace.
//!
//! Under a **rate** that is the last of the swept rates at which, as at all below it, at least [`CARRIED`] of the calls
//! end OK, calls end at [`CARRIED`] of the offered rate or more, and the 99th percentile is no more than [`STRETCH`] times
//! that at the lowest rate.
//! A queue of one server with random arrivals and service times (M/M/1) stretches all its percentiles by 1 / (1 - load):
//! five times is a load of 80 %.
//!
//! In a **closed loop** throughput only grows with the callers or stays, and times grow with it: the knee is where power,
//! throughput / mean time, is greatest (Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in
//! computer communications", ICC 1979; Jain, "The Art of Computer Systems Performance Analysis", 1991, section 3.2).

use super::curve::{Axis, Curve, Reading};

/// The part of the calls that has to end OK, and of the offered rate that has to be kept.
const CARRIED: f64 = 0.99;
/// How many times its value at the lowest rate the 99th percentile may be.
const STRETCH: f64 = 5.0;

/// Up to where a curve is good.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Knee {
    /// Up to here, which is within what was swept.
    At(f64),
    /// At the highest of the swept loads it still is.
    Beyond(f64),
    /// At the lowest of the swept loads it no longer is.
    Below(f64),
    /// There are too few loads to tell.
    Unknown,
}

impl Knee {
    /// The knee of `curve`.
    pub fn of(curve: &Curve) -> Knee {
        let (Some(first), Some(last)) = (curve.readings.first(), curve.readings.last()) else { return Knee::Unknown };
        if curve.readings.len() < 2 {
            return Knee::Unknown;
        }
        let good = match first.offered {
            Some(_) => curve.readings.iter().take_while(|reading| is_carried(reading, first)).last(),
            None => curve.readings.iter().max_by(|one, other| power(one).total_cmp(&power(other))),
        };
        match good {
            None => Knee::Below(first.at),
            Some(good) if good.at >= last.at => Knee::Beyond(last.at),
            Some(good) => Knee::At(good.at),
        }
    }

    /// The rule by which the knee of curves along `axis` is found, in a sentence.
    pub fn rule(open: bool) -> String {
        if open {
            format!(
                "the knee is the last rate up to which at least {0:.0} % of the calls ended OK, at {0:.0} % of the offered rate \
                 or more, and p99 was at most {STRETCH:.0} times that at the lowest rate",
                CARRIED * 100.0
            )
        } else {
            "the knee is where throughput / average time (Kleinrock's power) is greatest".to_owned()
        }
    }

    /// In words.
    pub fn text(self, axis: Axis) -> String {
        match self {
            Knee::At(place) => axis.text(place),
            Knee::Beyond(place) => format!("not reached up to {}", axis.text(place)),
            Knee::Below(place) => format!("below {}", axis.text(place)),
            Knee::Unknown => "unknown: it takes at least two loads".to_owned(),
        }
    }
}

fn is_carried(reading: &Reading, lowest: &Reading) -> bool {
    let keeps_pace = reading.offered.is_none_or(|offered| reading.pace >= CARRIED * offered);
    keeps_pace && reading.ok_share >= CARRIED && reading.p99_ns as f64 <= STRETCH * lowest.p99_ns as f64
}

fn power(reading: &Reading) -> f64 {
    reading.ok_rate / reading.mean_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A curve of (offered, pace, p99 in milliseconds).
    fn open(readings: &[(f64, f64, u64)]) -> Curve {
        let reading = |(at, pace, p99): &(f64, f64, u64)| Reading {
            at: *at,
            offered: Some(*at),
            ok_rate: *pace,
            pace: *pace,
            ok_share: 1.0,
            mean_ns: MS,
            p99_ns: p99 * MS,
        };
        Curve { name: String::new(), axis: Axis::Rate, readings: readings.iter().map(reading).collect() }
    }

    #[test]
    fn a_rate_is_carried_until_calls_fail_or_take_long() {
        for (readings, knee) in [
            (vec![(10.0, 10.0, 2), (100.0, 100.0, 3)], Knee::Beyond(100.0)),
            (vec![(10.0, 10.0, 2), (100.0, 99.0, 10)], Knee::Beyond(100.0)),
            (vec![(10.0, 10.0, 2), (100.0, 98.9, 3)], Knee::At(10.0)),
            (vec![(10.0, 10.0, 2), (50.0, 50.0, 10), (100.0, 100.0, 11)], Knee::At(50.0)),
            (vec![(10.0, 10.0, 2), (50.0, 20.0, 2), (100.0, 100.0, 2)], Knee::At(10.0)),
            (vec![(10.0, 9.0, 2), (100.0, 100.0, 2)], Knee::Below(10.0)),
            (vec![(10.0, 0.0, 0), (100.0, 0.0, 0)], Knee::Below(10.0)),
            (vec![(10.0, 10.0, 2)], Knee::Unknown),
            (vec![], Knee::Unknown),
        ] {
            assert_eq!(Knee::of(&open(&readings)), knee, "{readings:?}");
        }
        let mut failing = open(&[(10.0, 10.0, 2), (100.0, 100.0, 3)]);
        failing.readings[1].ok_share = 0.98;
        assert_eq!(Knee::of(&failing), Knee::At(10.0));
    }

    #[test]
    fn in_a_closed_loop_power_decides() {
        // A server that handles 4 calls at a time, in 10 ms each: beyond 4 callers there is only more waiting.
        let reading = |callers: u64| Reading {
            at: callers as f64,
            offered: None,
            ok_rate: callers.min(4) as f64 * 100.0,
            pace: 0.0,
            ok_share: 1.0,
            mean_ns: callers.max(4) * 10 * MS / 4,
            p99_ns: 0,
        };
        let curve = |callers: &[u64]| Curve {
            name: String::new(),
            axis: Axis::Concurrency,
            readings: callers.iter().copied().map(reading).collect(),
        };
        assert_eq!(Knee::of(&curve(&[1, 2, 4, 8, 16])), Knee::At(4.0));
        assert_eq!(Knee::of(&curve(&[1, 2, 3])), Knee::Beyond(3.0));
        assert_eq!(Knee::of(&curve(&[8, 16, 32])), Knee::At(8.0), "the first is the best");
    }

    #[test]
    fn knees_are_told_in_words() {
        assert_eq!(Knee::At(50.0).text(Axis::Rate), "50/s");
        assert_eq!(Knee::Beyond(0.5).text(Axis::Rate), "not reached up to 0.5/s");
        assert_eq!(Knee::Below(2.0).text(Axis::Concurrency), "below concurrency 2");
    }
}
