//! Durations in Go's syntax (`300ms`, `1.5s`, `1m30s`), as ghz and its configs write them.

use std::fmt;
use std::time::Duration;

use super::UnitError;

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

/// Reads a duration: one or more decimal numbers, each with its unit (`ns`, `us`, `ms`, `s`, `m`, `h`), or a bare `0`.
///
/// Exact to the nanosecond; smaller fractions are cut off, as Go does.
///
/// Errors: an empty text, a number without a unit, an unknown unit, a sign, or more than 584 years.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let rule = || UnitError::new("a duration is a number with a unit, such as 300ms, 1.5s or 1m30s");
    let text = text.trim();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    if text.is_empty() || text.starts_with(['-', '+']) {
        return Err(rule());
    }
    let mut rest = text;
    let mut nanos: u128 = 0;
    while !rest.is_empty() {
        let number_len = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(rule)?;
        let (number, after) = rest.split_at(number_len);
        let unit_len = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_len);
        let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(rule)?;
        nanos = nanos.checked_add(scaled(number, *scale).ok_or_else(rule)?).ok_or_else(rule)?;
        rest = after;
    }
    u64::try_from(nanos).map(Duration::from_nanos).map_err(|_| UnitError::new("a duration is at most 584 years"))
}

/// `number` (decimal digits, at most one point) times `scale`, cut to whole units.
fn scaled(number: &str, scale: u64) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Digits beyond the 20th cannot reach a nanosecond, even of hours.
    let fraction = &fraction[..fraction.len().min(20)];
    let part: u128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let power = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    whole.checked_mul(scale.into())?.checked_add(part.checked_mul(scale.into())? / power)
}

/// Nanoseconds, displayed for people the way ghz does: `812 ns`, `0.23 ms`, `1.51 ms`, `2.00 s`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Nanos(pub u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0 as f64;
        match self.0 {
            0..10_000 => write!(f, "{} ns", self.0),
            10_000..1_000_000_000 => write!(f, "{:.2} ms", nanos / 1e6),
            _ => write!(f, "{:.2} s", nanos / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_go_durations() {
        for (text, nanos) in [
            ("0", 0),
            ("0s", 0),
            ("300ms", 300_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1m30s", 90_000_000_000),
            ("2h", 7_200_000_000_000),
            ("1h2m3s4ms5us6ns", 3_723_004_005_006),
            ("7µs", 7_000),
            ("7μs", 7_000),
            ("0.1ns", 0),
            ("1.0000000019s", 1_000_000_001),
            (" 20s ", 20_000_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_duration() {
        for text in
            ["", "10", "s", "ms", "-1s", "+1s", "1 s", "1,5s", "1.2.3s", ".s", "10x", "1s2", "1d", "9999999999h", "１s"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn prints_like_ghz() {
        for (nanos, text) in [
            (0, "0 ns"),
            (9_999, "9999 ns"),
            (10_000, "0.01 ms"),
            (1_510_000, "1.51 ms"),
            (999_999_999, "1000.00 ms"),
            (1_000_000_000, "1.00 s"),
            (19_900_123_456, "19.90 s"),
        ] {
            assert_eq!(Nanos(nanos).to_string(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[0-9.nuµmsh+-]{0,40}") {
            let _ = parse_duration(&text);
        }
    }
}
