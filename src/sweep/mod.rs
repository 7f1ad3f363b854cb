//! Sweeps: several targets under several loads, again and again, and what that says when it is seen together.
//!
//! A [`Grid`] is what is to be run; its [`Cell`]s come in the order in which they run. What came of them is made into tables,
//! curves and knees. Nothing here runs anything, reads a clock or touches a file.

mod curve;
mod figures;
mod grid;
mod knee;
mod tables;

pub use curve::{Axis, Curve, Reading};
pub use figures::Figures;
pub use grid::{Cell, Grid, Point, Target};
pub use knee::Knee;
pub use tables::{Outcome, Results};
