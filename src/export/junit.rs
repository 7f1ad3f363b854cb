//! What was expected of runs and what came of it, as `JUnit` XML: what CI servers show as tests.
//!
//! A suite for each run; in it a case for each expectation, one for calls that succeed at all, and one for the verdict. A run
//! whose numbers are doubtful did not fail: its case is skipped, unless the verdict was to count.

use std::fmt::Write as _;
use std::io;

use super::escape::{entity, printable};
use super::timestamp;
use crate::report::expectation::Outcome;
use crate::report::{EndReason, Report, Verdict, Warning};

/// Writes the suites of `runs`, each with its name.
///
/// Errors when `out` does.
pub fn write_junit(runs: &[(&str, &Report)], strict: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let suites: Vec<Suite<'_>> = runs.iter().map(|(name, report)| Suite::new(name, report, strict)).collect();
    let sum = |of: &dyn Fn(&Suite<'_>) -> usize| suites.iter().map(of).sum::<usize>();
    let (tests, failures, skipped) =
        (sum(&|suite| suite.tests()), sum(&|suite| suite.failures()), sum(&|suite| suite.skipped()));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"grpcbench\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n"
    );
    for suite in &suites {
        suite.write(&mut xml);
    }
    xml.push_str("</testsuites>\n");
    out.write_all(xml.as_bytes())?;
    out.flush()
}

struct Suite<'a> {
    name: &'a str,
    report: &'a Report,
    cases: Vec<Case>,
}

/// A test in the sense of `JUnit`.
struct Case {
    name: String,
    result: CaseResult,
}

enum CaseResult {
    Passed,
    /// With a message in a line, and what is to be said besides.
    Failed(String, String),
    Skipped(String),
}

impl<'a> Suite<'a> {
    fn new(name: &'a str, report: &'a Report, strict: bool) -> Suite<'a> {
        let expectations = report.expectations.iter().map(expectation);
        Suite { name, report, cases: expectations.chain([calls(report), verdict(report, strict)]).collect() }
    }

    fn tests(&self) -> usize {
        self.cases.len()
    }

    fn failures(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.result, CaseResult::Failed(..))).count()
    }

    fn skipped(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.result, CaseResult::Skipped(_))).count()
    }

    /// Adds it to `xml`. Writing to a string cannot fail.
    fn write(&self, xml: &mut String) {
        let about = &self.report.setup.about;
        let class = escaped(if about.call.is_empty() { "grpcbench" } else { &about.call });
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\" timestamp=\"{}\">",
            escaped(self.name),
            self.tests(),
            self.failures(),
            self.skipped(),
            self.report.elapsed.as_duration().as_secs_f64(),
            timestamp::seconds(self.report.started_at, about.utc_offset_s),
        );
        for Case { name, result } in &self.cases {
            let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{}\" time=\"0\"", escaped(name));
            let _ = match result {
                CaseResult::Passed => writeln!(xml, "/>"),
                CaseResult::Failed(message, text) => writeln!(
                    xml,
                    ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                    escaped(message),
                    escaped(text)
                ),
                CaseResult::Skipped(message) => {
                    writeln!(xml, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(message))
                }
            };
        }
        xml.push_str("  </testsuite>\n");
    }
}

fn expectation(outcome: &Outcome) -> Case {
    let (expected, found) = (outcome.expectation.to_string(), outcome.found());
    let result = if outcome.held {
        CaseResult::Passed
    } else {
        CaseResult::Failed(found.clone(), format!("expected {expected}, found {found}"))
    };
    Case { name: expected, result }
}

fn calls(report: &Report) -> Case {
    let counts = &report.counts;
    let result = if report.end_reason == EndReason::Failures {
        CaseResult::Failed("the run was stopped: too many calls failed".to_owned(), errors(report))
    } else if counts.ok == 0 {
        CaseResult::Failed(format!("none of {} calls succeeded", counts.done), errors(report))
    } else {
        CaseResult::Passed
    };
    Case { name: "calls succeed".to_owned(), result }
}

/// What failed calls said.
fn errors(report: &Report) -> String {
    let lines: Vec<String> =
        report.errors.iter().map(|row| format!("{} x {}", row.count, printable(&row.text()))).collect();
    lines.join("\n")
}

fn verdict(report: &Report, strict: bool) -> Case {
    let reasons: Vec<String> = report.reasons().map(Warning::text).collect();
    let message = || report.verdict.to_string();
    let result = match report.verdict {
        Verdict::Valid => CaseResult::Passed,
        _ if strict => CaseResult::Failed(message(), reasons.join("\n")),
        _ => CaseResult::Skipped(format!("{}: {}", message(), reasons.join("; "))),
    };
    Case { name: "verdict".to_owned(), result }
}

/// `text` for XML: nothing in it is markup, and what XML does not have (most controls, U+FFFE) is shown instead of sent.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        for c in printable(line.trim_end_matches('\n')).chars() {
            match entity(c) {
                Some(entity) => escaped.push_str(entity),
                None if matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(char::REPLACEMENT_CHARACTER),
                None => escaped.push(c),
            }
        }
        if line.ends_with('\n') {
            escaped.push_str("&#10;");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            escaped("<a b='c'>&\"\n\u{1b}\u{0}\u{ffff}]]>"),
            "&lt;a b=&#39;c&#39;&gt;&amp;&quot;&#10;\\u{1b}\\u{0}\u{fffd}]]&gt;"
        );
    }
}
