//! What of a run its reports show: percentiles, histogram, single calls.

use super::args::{HistogramArg, ViewArgs};
use super::values::invalid;
use crate::error::{Problems, UsageError};
use crate::report::{Marks, View};
use crate::units::{Offset, parse_duration};

/// How many single calls a report lists at most: 32 MB in memory.
const DETAILS_MAX: usize = 1_000_000;
/// Percentiles, and bars of a histogram, at most: more are no overview.
const ROWS_MAX: usize = 1_000;

/// The view that the flags ask for.
pub(super) fn view(args: &ViewArgs) -> Result<View, Problems> {
    let mut problems = Problems::new();
    let percentiles = problems.keep(args.percentiles.as_deref().map(percentiles).transpose()).flatten();
    let marks = problems.keep(marks(args));
    problems.into_result()?;
    let View { percentiles: usual, marks: linear } = View::default();
    Ok(View { percentiles: percentiles.unwrap_or(usual), marks: marks.unwrap_or(linear) })
}

/// How many single calls are listed, in formats that list them.
pub(super) fn details(text: Option<&str>) -> Result<usize, UsageError> {
    match text.map(str::trim) {
        None | Some("all") => Ok(DETAILS_MAX),
        Some("none") => Ok(0),
        Some(text) => text
            .parse()
            .ok()
            .filter(|count| *count <= DETAILS_MAX)
            .ok_or_else(|| invalid("--details", text, format!("it is none, all, or a number up to {DETAILS_MAX}"))),
    }
}

/// Percentages with up to four digits behind the point, in millionths.
fn percentiles(text: &str) -> Result<Vec<u32>, UsageError> {
    let wrong = || {
        let rule = "it is a list of percentages above 0 and up to 100, with at most four digits behind the point";
        invalid("--percentiles", text, rule)
    };
    let list: Option<Vec<u32>> = text.split(',').map(|percentage| millionths(percentage.trim())).collect();
    list.filter(|list| list.len() <= ROWS_MAX).ok_or_else(wrong)
}

fn millionths(percentage: &str) -> Option<u32> {
    let (whole, digits) = percentage.split_once('.').unwrap_or((percentage, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 3 || digits.len() > 4 || !plain(whole) || !plain(digits) {
        return None;
    }
    let parts: u32 = format!("{whole}{digits:0<4}").parse().ok()?;
    (1..=1_000_000).contains(&parts).then_some(parts)
}

fn marks(args: &ViewArgs) -> Result<Marks, UsageError> {
    match (&args.buckets, args.histogram) {
        (Some(_), Some(_)) => Err(UsageError::Conflict {
            one: "--buckets".to_owned(),
            other: "--histogram".to_owned(),
            because: "each of them says where the bars end",
        }),
        (Some(text), None) => buckets(text).map(Marks::At),
        (None, Some(HistogramArg::Log)) => Ok(Marks::Log),
        (None, Some(HistogramArg::Linear) | None) => Ok(Marks::Linear),
    }
}

fn buckets(text: &str) -> Result<Vec<u64>, UsageError> {
    let wrong = |rule: String| invalid("--buckets", text, rule);
    let times: Result<Vec<u64>, _> =
        text.split(',').map(|time| parse_duration(time).map(|time| Offset::from_duration(time).as_nanos())).collect();
    let times = times.map_err(|rule| wrong(rule.to_string()))?;
    if times.len() > ROWS_MAX || !times.is_sorted_by(|one, other| one < other) {
        return Err(wrong(format!("it is a list of up to {ROWS_MAX} times that rise, such as 1ms,2ms,5ms")));
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_exact() {
        assert_eq!(percentiles("50, 99,99.99,100,0.0001").unwrap(), [500_000, 990_000, 999_900, 1_000_000, 1]);
        for wrong in ["", "0", "101", "100.0001", "x", "50,,99", "-1", "+1", "1e1", "99.99999", "."] {
            assert!(percentiles(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn buckets_rise() {
        assert_eq!(buckets("1ms,2ms,1s").unwrap(), [1_000_000, 2_000_000, 1_000_000_000]);
        for wrong in ["", "1", "2ms,1ms", "1ms,1ms", "x"] {
            assert!(buckets(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn details_are_counted() {
        let found = ["none", "all", "0", "7", "1000000"].map(|text| details(Some(text)).unwrap());
        assert_eq!((found, details(None).unwrap()), ([0, DETAILS_MAX, 0, 7, DETAILS_MAX], DETAILS_MAX));
        for wrong in ["", "some", "-1", "1000001"] {
            assert!(details(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
