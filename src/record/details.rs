//! Single calls, for the formats that list each one. The only thing that grows with a run, hence the cap.

use std::time::Duration;

use crate::units::Offset;

/// One finished call in 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// Its end.
    pub done: Offset,
    /// From its planned start to its end.
    pub response_ns: u64,
    /// From its real start to its end.
    pub service_ns: u64,
    /// The gRPC status by number.
    pub status: u32,
    /// The row of its text among the failures; `None` for OK, and for texts that found no room.
    pub failure: Option<u16>,
}

const _: () = assert!(size_of::<Detail>() <= 32, "a million of them are 32 MB");

/// Finished calls in the order of their end, as many as fit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Details {
    rows: Vec<Detail>,
    cap: usize,
    left_out: u64,
}

impl Details {
    /// Room for `cap` calls; with 0 none is listed.
    pub fn with_cap(cap: usize) -> Details {
        Details { rows: Vec::new(), cap, left_out: 0 }
    }

    /// `rows` in the order of their end, of which there could have been `cap`, and `left_out` more were.
    pub fn listed(rows: Vec<Detail>, cap: usize, left_out: u64) -> Details {
        Details { rows, cap, left_out }
    }

    /// Keeps the first `most` of them.
    pub fn keep(&mut self, most: usize) {
        self.left_out += self.rows.len().saturating_sub(most) as u64;
        self.rows.truncate(most);
        self.cap = self.cap.min(most);
    }

    /// Lists a call if there is room.
    pub fn push(&mut self, detail: Detail) {
        if self.rows.len() < self.cap {
            self.rows.push(detail);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds the calls of `other`, whose failure rows have the numbers `failures` here. Both caps add up.
    pub fn merge(&mut self, other: Details, failures: &[Option<u16>]) {
        self.cap = self.cap.saturating_add(other.cap);
        self.left_out += other.left_out;
        self.rows.extend(other.rows.into_iter().map(|detail| Detail {
            failure: detail.failure.and_then(|at| failures.get(usize::from(at)).copied().flatten()),
            ..detail
        }));
        self.rows.sort_by_key(|detail| detail.done);
    }

    /// Lets all of them end so much later.
    pub(super) fn delay(&mut self, by: Duration) {
        for row in &mut self.rows {
            row.done = row.done + by;
        }
    }

    /// The calls, by their end.
    pub fn rows(&self) -> &[Detail] {
        &self.rows
    }

    /// The most calls that are listed.
    pub fn cap(&self) -> usize {
        self.cap
    }

    /// How many calls found no room: above 0, the cap was met.
    pub fn left_out(&self) -> u64 {
        if self.cap == 0 { 0 } else { self.left_out }
    }
}
