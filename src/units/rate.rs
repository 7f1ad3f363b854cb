//! Rates: so many calls in so much time, kept as the exact fraction that was written.

use std::fmt;
use std::str::FromStr;

use super::{Offset, UnitError, parse_duration};

const SECOND_NS: u64 = 1_000_000_000;

/// A positive rate, `calls` in every `per_ns` nanoseconds, in lowest terms.
///
/// A fraction of whole numbers, so that the millionth call is due exactly where the rate says and not where a
/// floating-point sum has drifted to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rate {
    calls: u64,
    per_ns: u64,
}

impl Rate {
    /// `calls` in every `per_ns` nanoseconds.
    ///
    /// Errors when either is 0 or the rate is above a billion calls a second.
    pub fn new(calls: u64, per_ns: u64) -> Result<Rate, UnitError> {
        if calls == 0 || per_ns == 0 {
            return Err(UnitError::new("a rate is above 0"));
        }
        if calls > per_ns {
            return Err(UnitError::new("a rate is at most 1000000000 calls a second"));
        }
        let divisor = greatest_common_divisor(calls, per_ns);
        Ok(Rate { calls: calls / divisor, per_ns: per_ns / divisor })
    }

    /// The fraction: so many calls, in so many nanoseconds.
    pub(crate) fn parts(self) -> (u64, u64) {
        (self.calls, self.per_ns)
    }

    /// As it can be read back to the last digit: `10/1000000000ns`.
    pub fn exactly(self) -> String {
        format!("{}/{}ns", self.calls, self.per_ns)
    }

    /// Calls in a second.
    pub fn per_second(self) -> f64 {
        self.calls as f64 * (SECOND_NS as f64 / self.per_ns as f64)
    }

    /// When call `index` (from 0) is due: call 0 at once, each later one `1 / rate` after the one before, to the
    /// nanosecond below. Saturates at the end of time.
    pub fn due(self, index: u64) -> Offset {
        let nanos = u128::from(index) * u128::from(self.per_ns) / u128::from(self.calls);
        Offset::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// How many calls are due before `end`: those with `due(index) < end`.
    pub fn due_before(self, end: Offset) -> u64 {
        // floor(i * per / calls) < end  <=>  i < end * calls / per, since `end` is whole.
        let count = (u128::from(end.as_nanos()) * u128::from(self.calls)).div_ceil(u128::from(self.per_ns));
        u64::try_from(count).unwrap_or(u64::MAX)
    }
}

/// Reads `10`, `0.5`, `10/s`, `50/1s`, `1000/m`, `3/1m30s`: a number of calls, then optionally `/` and a duration or unit.
impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Rate, UnitError> {
        let rule = || {
            UnitError::new(
                "a rate is a number of calls a second, such as 10 or 0.5, or calls in a time, such as 50/1s or 1000/m",
            )
        };
        let text = text.trim();
        let (number, per) =
            text.split_once('/').map_or((text, None), |(number, per)| (number.trim_end(), Some(per.trim())));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || fraction.len() > 9 {
            return Err(rule());
        }
        let calls: u64 = digits.parse().map_err(|_| rule())?;
        let per_ns = match per {
            None => SECOND_NS,
            Some(per) => {
                let per = if per.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                    per.to_owned()
                } else {
                    format!("1{per}")
                };
                u64::try_from(parse_duration(&per).map_err(|_| rule())?.as_nanos()).map_err(|_| rule())?
            }
        };
        // Shift the decimal point out of the number of calls and into the time.
        let shift = 10u64.pow(u32::try_from(fraction.len()).map_err(|_| rule())?);
        let divisor = greatest_common_divisor(calls, shift).max(1);
        Rate::new(calls / divisor, per_ns.checked_mul(shift / divisor).ok_or_else(rule)?)
    }
}

/// Calls a second with as many decimals as it takes, and `/s`: `10/s`, `0.5/s`, `16.666667/s`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.6}", self.per_second());
        write!(f, "{}/s", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        text.parse().unwrap()
    }

    #[test]
    fn reads_and_prints() {
        for (text, shown) in [
            ("10", "10/s"),
            ("0.5", "0.5/s"),
            ("10/s", "10/s"),
            ("50/1s", "50/s"),
            ("1000/m", "16.666667/s"),
            ("3/1m30s", "0.033333/s"),
            ("1.50", "1.5/s"),
            ("2 / 4s", "0.5/s"),
            ("1000000000", "1000000000/s"),
        ] {
            assert_eq!(rate(text).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_rate() {
        for text in [
            "",
            "0",
            "0.0",
            "-1",
            "+1",
            "x",
            "1/",
            "1/0s",
            "1/x",
            "1e3",
            "1.2.3",
            ".",
            "1000000001",
            "2/1ns",
            "99999999999999999999",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn calls_are_due_on_the_nanosecond() {
        assert_eq!(rate("10").due(0), Offset::ZERO);
        assert_eq!(rate("10").due(199), Offset::from_nanos(19_900_000_000));
        assert_eq!(rate("3").due(1), Offset::from_nanos(333_333_333));
        assert_eq!(rate("3").due(3_000_000_000), Offset::from_nanos(1_000_000_000 * SECOND_NS));
        assert_eq!(rate("0.5").due(2), Offset::from_nanos(4 * SECOND_NS));
    }

    proptest::proptest! {
        #[test]
        fn due_and_due_before_agree(calls in 1u64..1_000_000, per_ns in 1_000_000u64..1_000_000_000_000, index in 0u64..1_000_000_000) {
            let rate = Rate::new(calls, per_ns).unwrap();
            let due = rate.due(index);
            proptest::prop_assert!(rate.due_before(due) <= index);
            proptest::prop_assert!(rate.due_before(Offset::from_nanos(due.as_nanos() + 1)) > index);
        }

        #[test]
        fn never_panics(text in "[0-9./smh]{0,24}") {
            let _ = text.parse::<Rate>();
        }
    }
}
