//! Runs held against each other.
//!
//! Side by side, any number of runs is a table. Whether one server is better than another is another question: runs of one
//! server differ too, by the day, by the machine, by what lies where in memory. So that is asked of two groups of repeated
//! runs, and a run is one observation, however many calls it made. Of a single pair only how steady each was is known.

mod chance;
mod gate;
mod groups;
mod likeness;
mod pair;
mod ranks;
mod shift;
mod side_by_side;
mod summary;
#[cfg(test)]
mod tests;

pub use gate::{FailOn, UnknownFailOn};
pub use groups::{Change, Comparison, Finding, LEVEL, Values, can_tell, metrics};
pub use likeness::differences;
pub use pair::{Apart, apart};
pub use side_by_side::{Column, side_by_side};
pub use summary::{expected, pair, tables, verdicts};
