//! Writing a report.

use grpcbench::export::Format;

use super::Work;

#[expect(dead_code, reason = "the tests of formats use all of it")]
#[path = "../../tests/golden/reports.rs"]
mod reports;

/// As JSON, with its histograms and the time series.
pub(crate) fn json() -> Work {
    let report = reports::duration();
    let mut out = Vec::new();
    Box::new(move || {
        out.clear();
        Format::Json.write(&report, &mut out).expect("memory does not fail");
    })
}
