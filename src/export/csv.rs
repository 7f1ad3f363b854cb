//! Single calls as comma-separated values: ghz's three columns, quoted where they have to be.

use std::io;

use super::table::csv::line;
use crate::report::{Report, status_name};

/// Writes a line for each call that is listed.
pub(super) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    io::Write::write_all(&mut out, line(["duration (ms)", "status", "error"].into_iter()).as_bytes())?;
    for row in report.details.rows() {
        let duration = milliseconds(row.response_ns);
        let (status, error) = (status_name(row.status), report.call_error(row));
        io::Write::write_all(&mut out, line([&*duration, &*status, &*error].into_iter()).as_bytes())?;
    }
    io::Write::flush(&mut out)
}

/// To the nanosecond: ghz's two digits hide what makes fast calls differ.
fn milliseconds(nanos: u64) -> String {
    format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
}
