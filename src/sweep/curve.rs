//! How one target answers to more and more load.

use super::grid::Point;
use crate::units::Rate;

/// What is swept along a curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// The rate of an open loop.
    Rate,
    /// The callers of a closed loop, or the most calls in flight.
    Concurrency,
}

impl Axis {
    /// The rate, where there is more than one of them; otherwise the concurrency.
    pub fn of(points: &[Point]) -> Axis {
        let rates = points.iter().filter(|point| point.rate.is_some());
        let several = points.iter().any(|point| point.rate != points[0].rate);
        if several || (rates.count() > 0 && points.len() == 1) { Axis::Rate } else { Axis::Concurrency }
    }

    /// Where a point lies on it: calls a second, or callers. A closed loop is nowhere among rates.
    pub fn place(self, point: &Point) -> Option<f64> {
        match self {
            Axis::Rate => point.rate.map(Rate::per_second),
            Axis::Concurrency => point.concurrency.map(|count| f64::from(count.get())),
        }
    }

    /// What it is called, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Rate => "offered rate (calls/s)",
            Axis::Concurrency => "concurrency",
        }
    }

    /// A place on it, for people.
    pub fn text(self, place: f64) -> String {
        match self {
            Axis::Rate => format!("{place}/s"),
            Axis::Concurrency => format!("concurrency {place}"),
        }
    }
}

/// What came of one load; of several rounds, the median of each figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Where on the axis.
    pub at: f64,
    /// The rate that was asked for; `None` in a closed loop.
    pub offered: Option<f64>,
    /// Calls that ended OK in a second.
    pub ok_rate: f64,
    /// Calls that ended in a second, but for the time that the last ones take by themselves.
    pub pace: f64,
    /// Which part of the calls that were due ended OK.
    pub ok_share: f64,
    /// The mean time of the calls that the report is about.
    pub mean_ns: u64,
    /// Their 99th percentile.
    pub p99_ns: u64,
}

/// The readings of a target along an axis, lowest first.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// The target, and what else tells the curve from others.
    pub name: String,
    /// Which axis.
    pub axis: Axis,
    /// Lowest first.
    pub readings: Vec<Reading>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rate: Option<&str>, concurrency: Option<u32>) -> Point {
        Point {
            rate: rate.map(|rate| rate.parse().unwrap()),
            concurrency: concurrency.map(|count| count.try_into().unwrap()),
        }
    }

    #[test]
    fn the_axis_is_what_there_are_several_of() {
        for (points, axis) in [
            (vec![point(Some("1"), None), point(Some("2"), None)], Axis::Rate),
            (vec![point(Some("1"), Some(5)), point(Some("2"), Some(5)), point(Some("1"), Some(9))], Axis::Rate),
            (vec![point(None, Some(5)), point(None, Some(9))], Axis::Concurrency),
            (vec![point(Some("1"), Some(5)), point(Some("1"), Some(9))], Axis::Concurrency),
            (vec![point(Some("1"), None)], Axis::Rate),
            (vec![point(None, None)], Axis::Concurrency),
        ] {
            assert_eq!(Axis::of(&points), axis, "{points:?}");
        }
    }
}
