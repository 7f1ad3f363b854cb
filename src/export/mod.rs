//! Report formats: one file for each, and the [`Format`] that names it.

use std::io;

use crate::report::Report;

/// A report format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text for people.
    Summary,
    /// JSON in one line.
    Json,
    /// JSON with indents.
    Pretty,
}

impl Format {
    /// Writes `report` in this format.
    pub fn write(self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let _ = (report, out);
        todo!()
    }
}
