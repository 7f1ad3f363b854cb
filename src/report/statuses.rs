//! Names of gRPC statuses, spelled as Go and ghz spell them, and what failed calls said.

use std::borrow::Cow;

use crate::record::{Failures, Reasons, Statuses};

/// The statuses that gRPC names, by number (the gRPC status code list), in Go's spelling.
const NAMES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// The row of calls whose status number found no room in the bounded table of a recording.
const OTHER_STATUSES: &str = "Code(others)";
/// The row of failures whose text found no room in the bounded table of a recording.
const OTHER_TEXTS: &str = "others (texts beyond the first ones)";
/// Stands for the text of a single call whose text was not kept.
const TEXT_NOT_KEPT: &str = "(text not kept)";

/// The name of a status: `OK`, `Canceled`, ..., and `Code(99)` for a number without a name.
pub fn status_name(code: u32) -> Cow<'static, str> {
    match NAMES.get(code as usize) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(format!("Code({code})")),
    }
}

/// The status of that name in any of its usual spellings (`Unavailable`, `UNAVAILABLE`, `DEADLINE_EXCEEDED`), or of that
/// number. It reads whatever [`status_name`] writes.
pub fn status_code(name: &str) -> Option<u32> {
    let folded = |name: &str| name.replace('_', "").to_ascii_lowercase().replace("cancelled", "canceled");
    let number = name.strip_prefix("Code(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
    if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) {
        return number.parse().ok();
    }
    NAMES.iter().position(|known| folded(known) == folded(name)).and_then(|at| u32::try_from(at).ok())
}

/// What a failed call said, in the form that Go programs print: `rpc error: code = Unavailable desc = no backend`.
pub fn error_text(code: u32, text: &str) -> String {
    format!("rpc error: code = {} desc = {text}", status_name(code))
}

/// How many calls ended with one status.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatusCount {
    /// The number; `None` for the row of all that found no room.
    pub code: Option<u32>,
    /// The name.
    pub name: Cow<'static, str>,
    /// How many.
    pub count: u64,
}

impl StatusCount {
    /// The rows of `statuses`. Their counts add up to the calls that are done.
    pub fn rows(statuses: &Statuses) -> Vec<StatusCount> {
        let mut rows: Vec<StatusCount> = statuses
            .iter()
            .map(|(code, count)| StatusCount { code: Some(code), name: status_name(code), count })
            .collect();
        rows.sort_by_key(|row| row.code);
        if statuses.unlisted() > 0 {
            rows.push(StatusCount { code: None, name: OTHER_STATUSES.into(), count: statuses.unlisted() });
        }
        rows
    }
}

/// How many calls failed in the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorCount {
    /// The status by number; `None` for the row of all that found no room.
    pub code: Option<u32>,
    /// What the server said, raw: it may hold any character.
    pub said: String,
    /// How many.
    pub count: u64,
}

impl ErrorCount {
    /// The rows of `failures` in the order of their first sight, which [`Detail::failure`](crate::record::Detail)
    /// counts by; the row of the others last. Their counts add up to the calls that failed.
    pub fn rows(failures: &Failures) -> Vec<ErrorCount> {
        let mut rows: Vec<ErrorCount> = failures
            .rows()
            .iter()
            .map(|row| ErrorCount { code: Some(row.status), said: row.text.to_string(), count: row.count })
            .collect();
        if failures.others() > 0 {
            rows.push(ErrorCount { code: None, said: OTHER_TEXTS.to_owned(), count: failures.others() });
        }
        rows
    }

    /// The text by which ghz counts errors.
    pub fn text(&self) -> String {
        self.code.map_or_else(|| self.said.clone(), |code| error_text(code, &self.said))
    }
}

/// How many calls could not be sent for the same reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsentCount {
    /// The reason.
    pub reason: String,
    /// How many.
    pub count: u64,
}

impl UnsentCount {
    /// The rows of `reasons`, the most frequent first; the row of the others last.
    pub fn rows(reasons: &Reasons) -> Vec<UnsentCount> {
        let mut rows: Vec<UnsentCount> = reasons
            .rows()
            .iter()
            .map(|(reason, count)| UnsentCount { reason: reason.to_string(), count: *count })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        if reasons.others() > 0 {
            rows.push(UnsentCount { reason: OTHER_TEXTS.to_owned(), count: reasons.others() });
        }
        rows
    }
}

/// The error text of a single call that ended with `code` and whose text is row `row` of `errors`; empty for OK.
pub(super) fn call_error(errors: &[ErrorCount], code: u32, row: Option<u16>) -> String {
    if code == 0 {
        return String::new();
    }
    match row.and_then(|row| errors.get(usize::from(row))) {
        Some(error) => error.text(),
        None => error_text(code, TEXT_NOT_KEPT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_ghz() {
        for (code, name) in [
            (0, "OK"),
            (1, "Canceled"),
            (2, "Unknown"),
            (4, "DeadlineExceeded"),
            (14, "Unavailable"),
            (16, "Unauthenticated"),
            (17, "Code(17)"),
            (99, "Code(99)"),
            (u32::MAX, "Code(4294967295)"),
        ] {
            assert_eq!(status_name(code), name);
            assert_eq!(status_code(name), Some(code));
        }
    }

    #[test]
    fn what_is_no_name_has_no_number() {
        for name in ["", "okay", "Code()", "Code(x)", "Code(others)", "Code(4294967296)"] {
            assert_eq!(status_code(name), None, "{name}");
        }
    }

    #[test]
    fn rows_are_sorted_and_complete() {
        let mut statuses = Statuses::default();
        // The second failure text of a number beyond the table ends in the last row.
        for status in [99, 14, 0, 0, 14].into_iter().chain(1_000..1_040) {
            statuses.add(status);
        }
        let rows = StatusCount::rows(&statuses);
        assert_eq!(rows[0], StatusCount { code: Some(0), name: "OK".into(), count: 2 });
        assert_eq!(rows[1], StatusCount { code: Some(14), name: "Unavailable".into(), count: 2 });
        assert_eq!(rows[2], StatusCount { code: Some(99), name: "Code(99)".into(), count: 1 });
        assert_eq!(rows.last().unwrap().code, None);
        assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), statuses.total());
    }

    #[test]
    fn errors_read_as_in_go() {
        let mut failures = Failures::default();
        assert_eq!(failures.add(14, "no backend"), Some(0));
        assert_eq!(failures.add(99, ""), Some(1));
        let rows = ErrorCount::rows(&failures);
        assert_eq!(rows[0].text(), "rpc error: code = Unavailable desc = no backend");
        assert_eq!(rows[1].text(), "rpc error: code = Code(99) desc = ");
        assert_eq!(call_error(&rows, 14, Some(0)), rows[0].text());
        assert_eq!(call_error(&rows, 0, None), "");
        assert_eq!(call_error(&rows, 5, None), "rpc error: code = NotFound desc = (text not kept)");
    }

    #[test]
    fn a_full_table_has_a_row_for_the_rest() {
        let mut failures = Failures::default();
        for n in 0..100 {
            failures.add(13, &format!("id {n}"));
        }
        let rows = ErrorCount::rows(&failures);
        assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), 100);
        assert_eq!(rows.last().unwrap().text(), OTHER_TEXTS);
    }
}
