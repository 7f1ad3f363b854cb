//! Why calls were not sent, in a table that a template with ever new mistakes cannot grow.

use super::failures::shortened;

/// How many different reasons are kept.
const ROWS_MAX: usize = 64;

/// Reasons and how many calls had each. The first 64 different ones have a row, all others are counted together.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reasons {
    rows: Vec<(Box<str>, u64)>,
    others: u64,
}

/// From counts by reason; those that find no room are counted together.
impl<'a> FromIterator<(&'a str, u64)> for Reasons {
    fn from_iter<I: IntoIterator<Item = (&'a str, u64)>>(rows: I) -> Reasons {
        let mut reasons = Reasons::default();
        for (reason, count) in rows {
            reasons.add_many(reason, count);
        }
        reasons
    }
}

impl Reasons {
    /// Counts one call.
    pub fn add(&mut self, reason: &str) {
        self.add_many(reason, 1);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Reasons) {
        self.others += other.others;
        for (reason, count) in &other.rows {
            self.add_many(reason, *count);
        }
    }

    /// The rows, in the order in which the reasons were first seen.
    pub fn rows(&self) -> &[(Box<str>, u64)] {
        &self.rows
    }

    /// How many calls have a reason without a row.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// All calls that have a reason.
    pub fn total(&self) -> u64 {
        self.others + self.rows.iter().map(|(_, count)| count).sum::<u64>()
    }

    fn add_many(&mut self, reason: &str, count: u64) {
        let reason = shortened(reason);
        match self.rows.iter().position(|(known, _)| **known == *reason) {
            Some(at) => self.rows[at].1 += count,
            None if self.rows.len() == ROWS_MAX => self.others += count,
            None => self.rows.push((reason.into(), count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_bounded_and_loses_no_call() {
        let mut one = Reasons::default();
        let mut other = Reasons::default();
        for number in 0..1_000 {
            one.add(&format!("reason {}", number % 10));
            other.add(&format!("reason {number}"));
        }
        one.merge(&other);
        assert_eq!((one.rows().len(), one.total()), (ROWS_MAX, 2_000));
        assert_eq!(one.rows()[0], ("reason 0".into(), 101));
    }
}
