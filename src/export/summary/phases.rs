//! What the time of a call is made of.

use std::fmt::Write as _;

use crate::report::{Distribution, Percentile, Report};
use crate::units::Nanos;

/// A row for each phase in which any call was for any time. With a single one there is nothing to tell apart.
pub(super) fn block(report: &Report) -> String {
    const LABELS: [&str; 5] = ["stream slot", "request sent", "first header", "first message", "trailers"];
    let mut block = String::new();
    let rows = LABELS.into_iter().zip(report.phases.all()).filter(|(_, times)| times.max() > 0);
    if rows.clone().count() < 2 {
        return block;
    }
    block.push_str("Phases of the OK calls, which add up to their service times:\n");
    line!(block, "  {:>13}  {:>12}  {:>12}  {:>12}  {:>12}", "", "average", "50 %", "99 %", "slowest");
    for (label, times) in rows {
        let [average, p50, p99, slowest] = cells(times);
        line!(block, "  {label:>13}  {average:>12}  {p50:>12}  {p99:>12}  {slowest:>12}");
    }
    block
}

fn cells(times: &Distribution) -> [String; 4] {
    let quantile = |permille| Percentile::of(times, permille).ns;
    [times.mean(), quantile(500), quantile(990), times.max()].map(|ns| Nanos(ns).to_string())
}
