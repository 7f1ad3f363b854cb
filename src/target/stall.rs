//! A time in which nothing is answered, as when a server collects garbage or waits for a lock.

use std::str::FromStr;
use std::time::Duration;

use crate::units::{Offset, UnitError, parse_duration};

/// A time in which no call is answered. Its start counts from the first call that the server gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stall {
    length: Duration,
    start: Offset,
    every: Option<Duration>,
}

impl Stall {
    /// When a reply may go out that is ready at `ready`, both counted from the first call: at the end of the stall that it
    /// falls into, or `None` if it may go at once. Stalls include their start and not their end.
    pub(super) fn end(&self, ready: Offset) -> Option<Offset> {
        if ready < self.start {
            return None;
        }
        let since_start = ready.since(self.start);
        // No earlier round can last into this one: a stall is shorter than the time from one to the next.
        let into_round = self.every.map_or(since_start, |every| since_start % Offset::from_duration(every).as_nanos());
        let left = self.length.checked_sub(Duration::from_nanos(into_round))?;
        (!left.is_zero()).then(|| ready + left)
    }
}

/// Reads `1s@2s` (for 1 s, 2 s after the first call) and `1s@2s/10s` (and again every 10 s after that).
impl FromStr for Stall {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Stall, UnitError> {
        let rule = "a stall is how long and when, such as 1s@2s, or 1s@2s/10s for one every 10 s";
        let (length, when) = text.split_once('@').ok_or_else(|| UnitError::new(rule))?;
        let (start, every) = when.split_once('/').map_or((when, None), |(start, every)| (start, Some(every)));
        let stall = Stall {
            length: parse_duration(length)?,
            start: Offset::from_duration(parse_duration(start)?),
            every: every.map(parse_duration).transpose()?,
        };
        if stall.length.is_zero() {
            return Err(UnitError::new("a stall lasts longer than no time at all"));
        }
        if stall.every.is_some_and(|every| every <= stall.length) {
            return Err(UnitError::new(
                "a stall is over before it comes again: the time after / is longer than itself",
            ));
        }
        Ok(stall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_ms(stall: &str, elapsed_ms: u64) -> Option<u128> {
        let stall: Stall = stall.parse().unwrap();
        stall.end(Offset::from_duration(Duration::from_millis(elapsed_ms))).map(|end| end.as_duration().as_millis())
    }

    #[test]
    fn once() {
        for (elapsed, end) in [(0, None), (1_999, None), (2_000, Some(3_000)), (2_999, Some(3_000)), (3_000, None)] {
            assert_eq!(end_ms("1s@2s", elapsed), end, "{elapsed}");
        }
        assert_eq!(end_ms("1s@2s", 1_000_000), None);
        assert_eq!(end_ms("1s@0", 0), Some(1_000));
    }

    #[test]
    fn again_and_again() {
        for (elapsed, end) in [
            (1_999, None),
            (2_500, Some(3_000)),
            (3_000, None),
            (11_999, None),
            (12_000, Some(13_000)),
            (13_000, None),
            (102_999, Some(103_000)),
        ] {
            assert_eq!(end_ms("1s@2s/10s", elapsed), end, "{elapsed}");
        }
    }

    #[test]
    fn refuses_what_is_no_stall() {
        for (text, rule) in [
            ("", "how long and when"),
            ("1s", "how long and when"),
            ("1s@", "a duration is"),
            ("1s@2", "a duration is"),
            ("0s@2s", "longer than no time"),
            ("1s@2s/1s", "before it comes again"),
            ("1s@2s/", "a duration is"),
        ] {
            let error = text.parse::<Stall>().unwrap_err().to_string();
            assert!(error.contains(rule), "{text}: {error}");
        }
    }
}
