//! What fails a comparison: `worse`, or `worse:5%`.

use std::fmt;
use std::str::FromStr;

use super::groups::{Change, Comparison, Finding};
use crate::report::expectation::Share;

/// When a comparison fails.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FailOn {
    /// A metric that is worse fails it if it changed by at least this part.
    pub by: f64,
}

impl FailOn {
    /// The changes that fail a comparison.
    pub fn failures<'a>(&self, comparison: &'a Comparison) -> impl Iterator<Item = &'a Change> {
        let by = self.by;
        comparison.changes.iter().filter(move |change| change.finding == Finding::Worse && change.estimate.abs() >= by)
    }
}

/// A text that says of nothing when to fail. Displays as the rule that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownFailOn;

impl fmt::Display for UnknownFailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is worse, or worse and by how much at least, such as worse:5%")
    }
}

impl std::error::Error for UnknownFailOn {}

impl FromStr for FailOn {
    type Err = UnknownFailOn;

    fn from_str(text: &str) -> Result<FailOn, UnknownFailOn> {
        let by = text.trim().strip_prefix("worse").ok_or(UnknownFailOn)?;
        if by.is_empty() {
            return Ok(FailOn { by: 0.0 });
        }
        let share = by.strip_prefix(':').and_then(|by| by.trim().strip_suffix('%')).ok_or(UnknownFailOn)?;
        let by = Share::parse(share).ok_or(UnknownFailOn)?.as_part();
        Ok(FailOn { by })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::metric::{Metric, RateOf};
    use super::*;

    #[test]
    fn texts_are_read() {
        for (text, by) in [("worse", 0.0), ("worse:5%", 0.05), ("worse: 0.5 %", 0.005), (" worse:100% ", 1.0)] {
            assert_eq!(text.parse(), Ok(FailOn { by }), "{text}");
        }
        for text in ["", "better", "worse:", "worse:5", "worse5%", "worse:-5%", "worse:x%"] {
            assert_eq!(text.parse::<FailOn>(), Err(UnknownFailOn), "{text}");
        }
    }

    #[test]
    fn what_is_worse_by_enough_fails() {
        let change = |estimate, finding| Change {
            metric: Metric::Rate(RateOf::Throughput),
            before: 1.0,
            after: 1.0,
            estimate,
            interval: None,
            p: 0.01,
            finding,
        };
        let changes = vec![
            change(-0.04, Finding::Worse),
            change(-0.05, Finding::Worse),
            change(0.20, Finding::Worse),
            change(0.30, Finding::Better),
            change(0.40, Finding::NoDifference),
        ];
        let comparison = Comparison { before: 5, after: 5, changes, left_out: Vec::new() };
        let failures = |text: &str| text.parse::<FailOn>().unwrap().failures(&comparison).count();
        assert_eq!((failures("worse"), failures("worse:5%"), failures("worse:50%")), (3, 2, 0));
    }
}
