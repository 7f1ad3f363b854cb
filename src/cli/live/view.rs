//! The texts of a run that goes on: a few lines for a terminal, or one line for a log.

use std::time::Duration;

use super::progress::Progress;
use super::screen::Size;
use crate::report::status_name;
use crate::units::Nanos;

/// The bar is as wide as that, where there is room.
const BAR_MAX: usize = 30;
/// The widest line that is worth reading.
const LINE_MAX: usize = 100;
const RED: &str = "\u{1b}[31m";
const PLAIN: &str = "\u{1b}[0m";

/// The lines of the view: no wider than the terminal, so that none takes two rows, and less than its rows.
pub(super) fn block(title: Option<&str>, progress: Option<&Progress>, size: Size, colours: bool) -> Vec<String> {
    // A character in the last column makes some terminals begin a row.
    let width = size.columns.saturating_sub(1).clamp(1, LINE_MAX);
    let mut lines: Vec<(String, bool)> = title.map(|title| (title.to_owned(), false)).into_iter().collect();
    match progress {
        None => lines.push(("connecting".to_owned(), false)),
        Some(progress) => {
            lines.push((bar(progress, width), false));
            lines.push((now(progress), false));
            if !progress.failures.is_empty() {
                lines.push((failures(progress), true));
            }
        }
    }
    lines.truncate(size.rows.saturating_sub(1).max(1));
    let cut = |(text, failed): (String, bool)| {
        let text: String = text.chars().take(width).collect();
        if failed && colours { format!("{RED}{text}{PLAIN}") } else { text }
    };
    lines.into_iter().map(cut).collect()
}

/// All of it in a line.
pub(super) fn line(progress: &Progress) -> String {
    // Lines may come several times a second.
    let elapsed = progress.elapsed;
    let elapsed = if elapsed.as_secs() < 60 { format!("{:.1}s", elapsed.as_secs_f64()) } else { seconds(elapsed) };
    let mut parts = vec![elapsed, now(progress)];
    if !progress.failures.is_empty() {
        parts.push(failures(progress));
    }
    parts.push(place(progress));
    parts.join("   ")
}

/// `∎∎∎∎····  34 %, 20s left`
fn bar(progress: &Progress, width: usize) -> String {
    let place = place(progress);
    let room = width.saturating_sub(place.chars().count() + 1).min(BAR_MAX);
    let Some(part) = progress.part.filter(|_| room >= 5) else { return place };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a few columns")]
    let full = ((part * room as f64) as usize).min(room);
    format!("{}{} {place}", "∎".repeat(full), "·".repeat(room - full))
}

/// How far it is: `34 %, 20s left`.
fn place(progress: &Progress) -> String {
    let mut text = match progress.part {
        Some(part) => format!("{:.0} %", (part * 100.0).floor()),
        None => seconds(progress.elapsed),
    };
    if progress.warming_up {
        text += " of the warm-up";
    }
    if let Some(left) = progress.left.filter(|left| !left.is_zero()) {
        text.extend([", ", &seconds(left), " left"]);
    }
    text
}

/// `1002/s   12 in flight   p50 0.31 ms   p99 0.47 ms   3002 done`
fn now(progress: &Progress) -> String {
    let time = |nanos: Option<u64>| nanos.map_or_else(|| "-".to_owned(), |nanos| Nanos(nanos).to_string());
    let rate =
        if progress.rate < 100.0 { format!("{:.1}/s", progress.rate) } else { format!("{:.0}/s", progress.rate) };
    let Progress { in_flight, counted, .. } = progress;
    let (p50, p99) = (time(progress.p50_ns), time(progress.p99_ns));
    format!("{rate}   {in_flight} in flight   p50 {p50}   p99 {p99}   {counted} done")
}

/// `12 failed: 10 Unavailable, 2 DeadlineExceeded`
fn failures(progress: &Progress) -> String {
    let all: u64 = progress.failures.iter().map(|(_, count)| count).sum();
    let by_status: Vec<String> = progress
        .failures
        .iter()
        .map(|(code, count)| format!("{count} {}", code.map_or("others".into(), status_name)))
        .collect();
    format!("{all} failed: {}", by_status.join(", "))
}

/// Whole seconds, or minutes and hours of them: `7s`, `1m05s`, `2h00m`.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_millis() >= 500);
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn progress() -> Progress {
        Progress {
            warming_up: false,
            elapsed: Duration::from_secs(10),
            part: Some(1.0 / 3.0),
            left: Some(Duration::from_secs(65)),
            counted: 3_002,
            rate: 1_002.4,
            in_flight: 12,
            p50_ns: Some(310_000),
            p99_ns: None,
            failures: vec![(Some(14), 10), (Some(4), 2), (None, 1)],
        }
    }

    fn check(progress: Option<&Progress>, columns: usize, rows: usize, expected: &Expect) {
        let lines = block(Some("2 of 24: sync1 at 10/s"), progress, Size { columns, rows }, false);
        assert!(lines.len() < rows.max(2));
        assert!(lines.iter().all(|line| line.chars().count() < columns.max(2)), "{lines:?}");
        expected.assert_eq(&(lines.join("\n") + "\n"));
    }

    #[test]
    fn the_view_fits_the_terminal() {
        check(
            Some(&progress()),
            80,
            24,
            &expect![[r"
            2 of 24: sync1 at 10/s
            ∎∎∎∎∎∎∎∎∎∎···················· 33 %, 1m05s left
            1002/s   12 in flight   p50 0.31 ms   p99 -   3002 done
            13 failed: 10 Unavailable, 2 DeadlineExceeded, 1 others
        "]],
        );
        check(
            Some(&progress()),
            26,
            4,
            &expect![[r"
            2 of 24: sync1 at 10/s
            ∎∎······ 33 %, 1m05s left
            1002/s   12 in flight   p
        "]],
        );
        check(Some(&progress()), 1, 1, &expect![["2\n"]]);
        check(None, 80, 24, &expect![["2 of 24: sync1 at 10/s\nconnecting\n"]]);
    }

    #[test]
    fn failures_are_red_where_there_are_colours() {
        let size = Size { columns: 80, rows: 24 };
        let lines = block(None, Some(&progress()), size, true);
        assert_eq!(lines.iter().filter(|line| line.contains('\u{1b}')).count(), 1);
        assert!(lines[2].starts_with(RED) && lines[2].ends_with(PLAIN));
        let fine = Progress { failures: Vec::new(), ..progress() };
        assert_eq!(block(None, Some(&fine), size, true).len(), 2);
    }

    #[test]
    fn a_line_has_all_of_it() {
        assert_eq!(
            line(&progress()),
            "10.0s   1002/s   12 in flight   p50 0.31 ms   p99 -   3002 done   \
             13 failed: 10 Unavailable, 2 DeadlineExceeded, 1 others   33 %, 1m05s left"
        );
        let warming = Progress { warming_up: true, part: Some(0.5), left: None, failures: Vec::new(), ..progress() };
        assert!(line(&warming).ends_with("3002 done   50 % of the warm-up"));
    }

    #[test]
    fn times_are_short() {
        for (ms, text) in [(0, "0s"), (1_499, "1s"), (59_500, "1m00s"), (65_000, "1m05s"), (7_260_000, "2h01m")] {
            assert_eq!(seconds(Duration::from_millis(ms)), text);
        }
    }
}
