//! Counts by gRPC status number.

/// How many statuses gRPC names: 0 (OK) to 16.
pub(super) const NAMED: usize = 17;
/// How many different unknown numbers are kept apart; a server that makes up more gets them counted together.
const UNKNOWN_MAX: usize = 32;

/// How many calls ended with which status. Unknown numbers keep their number, up to a bound.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Statuses {
    named: [u64; NAMED],
    unknown: Vec<(u32, u64)>,
    unlisted: u64,
}

/// From counts by status number; `None` stands for the numbers that found no room.
impl FromIterator<(Option<u32>, u64)> for Statuses {
    fn from_iter<I: IntoIterator<Item = (Option<u32>, u64)>>(rows: I) -> Statuses {
        let mut statuses = Statuses::default();
        for (status, count) in rows {
            match status {
                Some(status) => statuses.add_many(status, count),
                None => statuses.unlisted += count,
            }
        }
        statuses
    }
}

impl Statuses {
    /// Counts one call.
    pub fn add(&mut self, status: u32) {
        self.add_many(status, 1);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Statuses) {
        for (status, count) in other.iter() {
            self.add_many(status, count);
        }
        self.unlisted += other.unlisted;
    }

    fn add_many(&mut self, status: u32, count: u64) {
        if let Some(named) = self.named.get_mut(status as usize) {
            *named += count;
        } else if let Some((_, known)) = self.unknown.iter_mut().find(|(known, _)| *known == status) {
            *known += count;
        } else if self.unknown.len() < UNKNOWN_MAX {
            self.unknown.push((status, count));
        } else {
            self.unlisted += count;
        }
    }

    /// How many ended with `status`.
    pub fn count(&self, status: u32) -> u64 {
        self.iter().find(|(known, _)| *known == status).map_or(0, |(_, count)| count)
    }

    /// How many ended with any status.
    pub fn total(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum::<u64>() + self.unlisted
    }

    /// The statuses that occurred with their counts: known ones by number, then unknown ones as they came.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let named = (0u32..).zip(self.named).filter(|(_, count)| *count > 0);
        named.chain(self.unknown.iter().copied())
    }

    /// Calls whose unknown status number found no room in the table.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }
}
