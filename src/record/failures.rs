//! The texts of failed calls, in a table that a hostile or chatty server cannot grow.

/// How many different failures are kept.
const ROWS_MAX: usize = 64;
/// How much of a text is kept, in bytes.
const TEXT_MAX: usize = 1_024;

/// One kind of failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The gRPC status by number.
    pub status: u32,
    /// What the server, or our side for it, said.
    pub text: Box<str>,
    /// How often.
    pub count: u64,
}

/// Failures by status and text. The first 64 different ones have a row each, all others are counted together.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Failures {
    rows: Vec<Failure>,
    others: u64,
}

/// From counts by status and text; `None` stands for the failures without a row.
impl<'a> FromIterator<(Option<(u32, &'a str)>, u64)> for Failures {
    fn from_iter<I: IntoIterator<Item = (Option<(u32, &'a str)>, u64)>>(rows: I) -> Failures {
        let mut failures = Failures::default();
        for (row, count) in rows {
            match row {
                Some((status, text)) => drop(failures.add_many(status, text, count)),
                None => failures.others += count,
            }
        }
        failures
    }
}

impl Failures {
    /// Counts one failure. Returns the number of its row, or `None` if the table is full.
    pub fn add(&mut self, status: u32, text: &str) -> Option<u16> {
        self.add_many(status, text, 1)
    }

    /// Adds the counts of `other`; returns for each row of `other` the number of its row here.
    pub fn merge(&mut self, other: &Failures) -> Vec<Option<u16>> {
        self.others += other.others;
        other.rows.iter().map(|row| self.add_many(row.status, &row.text, row.count)).collect()
    }

    fn add_many(&mut self, status: u32, text: &str, count: u64) -> Option<u16> {
        let text = shortened(text);
        if let Some(at) = self.rows.iter().position(|row| row.status == status && *row.text == *text) {
            self.rows[at].count += count;
            return u16::try_from(at).ok();
        }
        if self.rows.len() == ROWS_MAX {
            self.others += count;
            return None;
        }
        self.rows.push(Failure { status, text: text.into(), count });
        u16::try_from(self.rows.len() - 1).ok()
    }

    /// The rows, in the order in which the failures were first seen.
    pub fn rows(&self) -> &[Failure] {
        &self.rows
    }

    /// How many failures there are.
    pub fn total(&self) -> u64 {
        self.others + self.rows.iter().map(|row| row.count).sum::<u64>()
    }

    /// How many failures have no row.
    pub fn others(&self) -> u64 {
        self.others
    }
}

pub(super) fn shortened(text: &str) -> &str {
    let end = (0..=text.len().min(TEXT_MAX)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
