//! The report in GitHub's Markdown: for pull requests, wikis and summaries of builds.

use std::fmt::Write as _;

use super::table::markdown::{escaped, text as of_tables};
use super::tables;
use crate::report::Report;

/// The verdict, and the tables.
pub(super) fn text(report: &Report) -> String {
    let name = report.setup.about.name.as_deref().filter(|name| !name.is_empty());
    let title = name.unwrap_or(&report.setup.about.call);
    let title = if title.is_empty() { "grpcbench" } else { title };
    let mut text = format!("## {}\n\n**Verdict: {}**\n\n", escaped(title), report.verdict);
    let findings = report.reasons().chain(report.notes());
    for finding in findings {
        let advice = finding.advice(&report.setup).map_or_else(String::new, |advice| format!(" ({advice})"));
        let _ = writeln!(text, "- {}", escaped(&format!("{}{advice}", finding.text())));
    }
    if !report.warnings.is_empty() {
        text.push('\n');
    }
    text + &of_tables(&tables::all(report))
}
