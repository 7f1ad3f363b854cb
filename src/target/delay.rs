//! How long a reply is held back.

use std::str::FromStr;
use std::time::Duration;

use super::portion::{Portion, percentage};
use crate::units::{UnitError, parse_duration};

/// How long a reply is held back: a fixed time, or a distribution of times.
///
/// The times come by chance and seed, so their shares hold in the long run and not in each hundred replies. A delay
/// above 0 lasts up to a millisecond longer than it says, which is how fine the timers of the runtime are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delay {
    /// Each time with the end of its part of the whole; the last ends with the whole.
    steps: Vec<(Duration, u64)>,
}

impl Delay {
    /// The same delay for each reply.
    pub fn fixed(delay: Duration) -> Delay {
        Delay { steps: vec![(delay, Portion::WHOLE.parts().into())] }
    }

    /// The delay for a reply that drew `drawn`, of `0..Portion::WHOLE`.
    pub(super) fn at(&self, drawn: u32) -> Duration {
        let step = self.steps.iter().find(|(_, end)| u64::from(drawn) < *end).or(self.steps.last());
        step.map_or(Duration::ZERO, |(delay, _)| *delay)
    }

    /// Whether all replies wait equally long, so that there is nothing to draw.
    pub(super) fn is_fixed(&self) -> bool {
        self.steps.len() == 1
    }
}

/// Reads `5ms`, or times with their shares such as `1ms:90%,20ms:9%,200ms:1%`, which add up to 100 %.
impl FromStr for Delay {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Delay, UnitError> {
        if !text.contains([':', ',']) {
            return parse_duration(text).map(Delay::fixed);
        }
        let rule = || UnitError::new("a delay is a time, or times with their shares, such as 1ms:90%,20ms:9%,200ms:1%");
        let mut steps = Vec::new();
        let mut sum: u64 = 0;
        for part in text.split(',') {
            let (delay, portion) = part.split_once(':').ok_or_else(rule)?;
            sum += u64::from(portion.parse::<Portion>()?.parts());
            steps.push((parse_duration(delay)?, sum));
        }
        if sum != u64::from(Portion::WHOLE.parts()) {
            let sum = percentage(sum);
            return Err(UnitError::new(format!("the shares of the delays add up to 100%, and these to {sum}")));
        }
        Ok(Delay { steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn one_time_for_all() {
        let delay: Delay = "5ms".parse().unwrap();
        assert_eq!(delay, Delay::fixed(5 * MS));
        assert!(delay.is_fixed());
        assert_eq!((delay.at(0), delay.at(999_999_999)), (5 * MS, 5 * MS));
    }

    #[test]
    fn times_by_share() {
        let delay: Delay = "1ms:90%, 20ms:9%, 200ms:1%".parse().unwrap();
        assert!(!delay.is_fixed());
        for (drawn, ms) in
            [(0, 1), (899_999_999, 1), (900_000_000, 20), (989_999_999, 20), (990_000_000, 200), (999_999_999, 200)]
        {
            assert_eq!(delay.at(drawn), ms * MS, "{drawn}");
        }
    }

    #[test]
    fn refuses_what_is_no_delay() {
        for (text, rule) in [
            ("", "a duration is"),
            ("5", "a duration is"),
            ("1ms:90%", "add up to 100%, and these to 90%"),
            ("1ms:60%,2ms:60%", "add up to 100%, and these to 120%"),
            ("1ms:90%,2ms", "times with their shares"),
            ("1ms:0%,2ms:100%", "above 0%"),
            ("x:100%", "a duration is"),
            ("1ms:100%,", "times with their shares"),
        ] {
            let error = text.parse::<Delay>().unwrap_err().to_string();
            assert!(error.contains(rule), "{text}: {error}");
        }
        let many = vec!["1ms:100%"; 50].join(",");
        assert!(many.parse::<Delay>().unwrap_err().to_string().contains("5000%"));
    }
}
