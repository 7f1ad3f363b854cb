//! A change of a rate: how much faster or slower, with its sign.

use std::fmt;
use std::str::FromStr;

use super::{Rate, UnitError};

/// By how much a rate rises or falls; never nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    down: bool,
    by: Rate,
}

impl Change {
    /// Faster by `by`.
    pub fn up(by: Rate) -> Change {
        Change { down: false, by }
    }

    /// Slower by `by`.
    pub fn down(by: Rate) -> Change {
        Change { down: true, by }
    }

    /// Whether it makes a rate smaller.
    pub fn is_down(self) -> bool {
        self.down
    }

    /// How much, without the sign.
    pub fn size(self) -> Rate {
        self.by
    }

    /// In calls a second, negative when it falls.
    pub fn per_second(self) -> f64 {
        if self.down { -self.by.per_second() } else { self.by.per_second() }
    }
}

/// Reads a rate with a sign before it: `10`, `+10`, `-0.5`, `-600/m`.
impl FromStr for Change {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Change, UnitError> {
        let text = text.trim();
        let rule = |_| UnitError::new("a change of a rate is a number other than 0, such as 10 or -10");
        match text.strip_prefix('-') {
            Some(by) => by.parse().map(Change::down).map_err(rule),
            None => text.strip_prefix('+').unwrap_or(text).parse().map(Change::up).map_err(rule),
        }
    }
}

/// `10/s`, `-10/s`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.down { "-" } else { "" }, self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_signs() {
        for (text, shown, per_second) in
            [("10", "10/s", 10.0), ("+10", "10/s", 10.0), ("-10", "-10/s", -10.0), (" -30/m ", "-0.5/s", -0.5)]
        {
            let change: Change = text.parse().unwrap();
            assert_eq!(change.to_string(), shown, "{text}");
            assert!((change.per_second() - per_second).abs() < 1e-12, "{text}");
            assert_eq!(change.is_down(), per_second < 0.0);
        }
        for text in ["", "0", "-0", "--1", "+-1", "x", "- 1x"] {
            assert!(text.parse::<Change>().is_err(), "{text}");
        }
    }
}
