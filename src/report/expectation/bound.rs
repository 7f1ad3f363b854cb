//! What a metric is compared with: a time, a number of calls, a share of them, a rate, or a part of the offered rate.

use std::cmp::Ordering;
use std::fmt;

use super::super::metric::{Metric, NoData, Value};
use crate::units::{Offset, Rate, parse_duration};

/// What a metric is compared with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// A time, in nanoseconds.
    Nanos(u64),
    /// So many calls.
    Calls(u64),
    /// Such a part of the calls.
    ShareOfCalls(Share),
    /// So many in a second.
    PerSecond(f64),
    /// Such a part of the offered rate.
    ShareOfOffered(Share),
}

impl Bound {
    /// Reads what `metric` can be compared with. The error is the rule that was broken.
    pub(super) fn parse(text: &str, metric: Metric) -> Result<Bound, &'static str> {
        match metric {
            Metric::Time(..) => parse_duration(text)
                .map(|time| Bound::Nanos(Offset::from_duration(time).as_nanos()))
                .map_err(|_| "a time is compared with a number and its unit, such as 20ms or 1.5s"),
            Metric::Calls(_) => match text.strip_suffix('%') {
                Some(share) => Share::parse(share).map(Bound::ShareOfCalls),
                None => text.parse().ok().map(Bound::Calls),
            }
            .ok_or("calls are compared with a whole number, or a share such as 1%"),
            Metric::Rate(_) => rate(text).ok_or(
                "a rate is compared with calls a second, such as 100, or with the plan: offered, or 99% of offered",
            ),
        }
    }

    /// Whether it speaks of the offered rate, which a closed loop does not have.
    pub(super) fn needs_rate(self) -> bool {
        matches!(self, Bound::ShareOfOffered(_))
    }

    /// How `value`, which is of the kind that this bounds, stands to it.
    pub(super) fn compare(self, value: Value) -> Result<Ordering, NoData> {
        match (value, self) {
            (Value::Nanos(value), Bound::Nanos(bound)) => Ok(value.cmp(&bound)),
            (Value::Calls { count, .. }, Bound::Calls(bound)) => Ok(count.cmp(&bound)),
            (Value::Calls { whole: 0, .. }, Bound::ShareOfCalls(_)) => Err(NoData::NoCalls),
            (Value::Calls { count, whole }, Bound::ShareOfCalls(share)) => Ok(share.compare(count, whole)),
            (Value::PerSecond { rate, .. }, Bound::PerSecond(bound)) => Ok(rate.total_cmp(&bound)),
            (Value::PerSecond { rate, offered }, Bound::ShareOfOffered(share)) => {
                Ok(rate.total_cmp(&(offered.ok_or(NoData::ClosedLoop)? * share.as_part())))
            }
            _ => unreachable!("a bound was read for the kind of its metric"),
        }
    }
}

/// `20ms`, `3`, `1%`, `100/s`, `99% of offered`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Nanos(nanos) => {
                let (number, unit) = exact(*nanos);
                write!(f, "{number}{unit}")
            }
            Bound::Calls(calls) => write!(f, "{calls}"),
            Bound::ShareOfCalls(share) => write!(f, "{share}"),
            Bound::PerSecond(rate) => write!(f, "{rate}/s"),
            Bound::ShareOfOffered(share) => write!(f, "{share} of offered"),
        }
    }
}

/// `100`, `0.5`, `1000/m`, `0`, `offered`, `99% of offered`.
fn rate(text: &str) -> Option<Bound> {
    if text == "offered" {
        return Some(Bound::ShareOfOffered(Share::WHOLE));
    }
    if let Some(share) = text.strip_suffix("offered") {
        let share = share.trim_end().strip_suffix("of")?.trim_end().strip_suffix('%')?;
        return Share::parse(share).map(Bound::ShareOfOffered);
    }
    if text == "0" {
        return Some(Bound::PerSecond(0.0));
    }
    text.parse().ok().map(|rate: Rate| Bound::PerSecond(rate.per_second()))
}

/// A percentage as it was written, in billionths of a percent, so that 2 of 200 is exactly 1 %.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share(u64);

impl Share {
    /// One percent.
    const PERCENT: u64 = 1_000_000_000;
    const WHOLE: Share = Share(100 * Share::PERCENT);

    /// Reads a number of percent with up to nine decimals.
    pub(crate) fn parse(text: &str) -> Option<Share> {
        let (whole, part) = text.trim_end().split_once('.').unwrap_or((text.trim_end(), ""));
        let digits = format!("{whole}{part:0<9}");
        if whole.is_empty() || part.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok().map(Share)
    }

    /// The same as a part of 1.
    pub fn as_part(self) -> f64 {
        self.0 as f64 / Share::WHOLE.0 as f64
    }

    /// How `count` of `whole` stands to it.
    fn compare(self, count: u64, whole: u64) -> Ordering {
        (u128::from(count) * u128::from(Share::WHOLE.0)).cmp(&(u128::from(self.0) * u128::from(whole)))
    }
}

/// `1%`, `0.1%`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / Share::PERCENT, format!("{:09}", self.0 % Share::PERCENT));
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}%"),
            part => write!(f, "{whole}.{part}%"),
        }
    }
}

/// A time to the nanosecond, so that it can be told from its bound: a number and its unit.
pub(super) fn exact(nanos: u64) -> (f64, &'static str) {
    match nanos {
        0..10_000 => (nanos as f64, "ns"),
        10_000..1_000_000_000 => (nanos as f64 / 1e6, "ms"),
        _ => (nanos as f64 / 1e9, "s"),
    }
}
