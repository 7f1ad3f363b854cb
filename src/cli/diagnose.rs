//! How mistakes and notes look on standard error.
//!
//! One block for each mistake: `error:` with the sentence, the place in the text if there is one, `caused by:` for each
//! cause, `hint:` with one action. Text from outside never reaches the terminal raw: control characters, and those that
//! reorder text, are shown escaped, and continued lines are indented so that none can pass for a line of ours.

use std::collections::HashSet;
use std::error::Error as _;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use super::live;
use crate::error::{Error, Excerpt, Problems};

/// The widest piece of a line that is shown, in characters.
const WINDOW: usize = 100;
/// How much of it is kept free before the mistake when a line is cut.
const BEFORE: usize = 40;

/// Shows mistakes.
pub(super) fn show(problems: &Problems) {
    say(&rendered(problems));
}

/// Shows a note: something worth knowing that stops nothing.
pub(super) fn note(text: &str) {
    say(&format!("note: {}\n", escaped(text)));
}

/// Shows what went wrong in a run that came to its end.
pub(super) fn failure(text: &str) {
    say(&format!("error: {}\n", escaped(text)));
}

/// Shows a text of our own. There is nobody to tell when standard error is gone.
pub(super) fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    live::above(&mut stderr);
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// All mistakes, with an empty line between them. What several parts of a run found alike is told once.
pub(super) fn rendered(problems: &Problems) -> String {
    let mut told = HashSet::new();
    let blocks: Vec<String> = problems.iter().map(block).filter(|block| told.insert(block.clone())).collect();
    blocks.join("\n")
}

fn block(error: &Error) -> String {
    let mut block = format!("error: {}\n", escaped(&error.to_string()));
    if let Some(excerpt) = error.excerpt() {
        block.push_str(&drawn(excerpt));
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = writeln!(block, "caused by: {}", escaped(&error.to_string()));
        cause = error.source();
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(block, "hint: {}", escaped(&hint));
    }
    block
}

/// The place, the line, and a caret under the mistake:
///
/// ```text
///  --> greeter.proto:3:9
///   |
/// 3 | message { }
///   |         ^ expected a name
/// ```
fn drawn(excerpt: &Excerpt) -> String {
    let place = Place::find(excerpt);
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let (shown, caret) = place.window();
    let label = escaped(&excerpt.label);
    let origin = escaped(&excerpt.origin);
    format!(
        "{margin}--> {origin}:{}:{}\n{margin} |\n{number} | {shown}\n{margin} | {caret} {label}",
        place.line,
        place.before.chars().count() + 1,
    )
    .trim_end()
    .to_owned()
        + "\n"
}

/// A place in a text: its line, cut in what comes before, what is marked, and what comes after.
struct Place<'a> {
    line: usize,
    before: &'a str,
    marked: &'a str,
    after: &'a str,
}

impl<'a> Place<'a> {
    /// Offsets outside of the text, or inside of a character, are moved down to the next place that exists.
    fn find(excerpt: &'a Excerpt) -> Place<'a> {
        let text = excerpt.text.as_str();
        let start = floor(text, excerpt.offset);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let start = (start - line_start).min(line.len());
        let end = floor(line, start.saturating_add(excerpt.len)).max(start);
        Place {
            line: text[..line_start].matches('\n').count() + 1,
            before: &line[..start],
            marked: &line[start..end],
            after: &line[end..],
        }
    }

    /// The line as it is shown and the carets below it, both cut to a window around the mistake if the line is long.
    fn window(&self) -> (String, String) {
        let before: Vec<char> = self.before.chars().collect();
        let room_before = if self.len() > WINDOW { BEFORE } else { before.len() };
        let cut = before.len().saturating_sub(room_before);
        let mut shown = if cut > 0 { "…".to_owned() } else { String::new() };
        shown.extend(before[cut..].iter().copied().map(visible));
        let indent = shown.chars().count();

        let marked: String = self.marked.chars().take(WINDOW - BEFORE).map(visible).collect();
        let width = marked.chars().count();
        shown.push_str(&marked);
        let room = if self.len() > WINDOW { (WINDOW - BEFORE).saturating_sub(width) } else { usize::MAX };
        let mut after = self.after.chars();
        shown.extend(after.by_ref().take(room).map(visible));
        if after.next().is_some() || width < self.marked.chars().count() {
            shown.push('…');
        }
        (shown.trim_end().to_owned(), " ".repeat(indent) + &"^".repeat(width.max(1)))
    }

    fn len(&self) -> usize {
        self.before.chars().count() + self.marked.chars().count() + self.after.chars().count()
    }
}

/// The last place between two characters of `text` that is not after `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A character in one column, so that carets stay under what they mark.
fn visible(c: char) -> char {
    if c == '\t' {
        ' '
    } else if deceives(c) {
        '\u{fffd}'
    } else {
        c
    }
}

/// `text` without characters that a terminal would obey; lines after the first are indented.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        match c {
            '\n' => escaped.push_str("\n  "),
            '\t' => escaped.push(' '),
            c if deceives(c) => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether a terminal would act on a character, or show text in another order than it is written because of it.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::error::{OutputError, UsageError};

    fn excerpt(text: &str, offset: usize, len: usize) -> Excerpt {
        Excerpt { origin: "x.proto".to_owned(), text: text.to_owned(), offset, len, label: "wrong".to_owned() }
    }

    fn check(text: &str, offset: usize, len: usize, expected: &Expect) {
        expected.assert_eq(&drawn(&excerpt(text, offset, len)));
    }

    #[test]
    fn points_at_the_place() {
        check(
            "syntax = \"proto3\";\r\nmessage { }\r\n",
            28,
            1,
            &expect![[r"
                  --> x.proto:2:9
                   |
                 2 | message { }
                   |         ^ wrong
            "]],
        );
    }

    #[test]
    fn columns_count_characters_and_tabs_are_one() {
        check(
            "\t\"é\": nope, x",
            7,
            4,
            &expect![[r#"
                 --> x.proto:1:7
                  |
                1 |  "é": nope, x
                  |       ^^^^ wrong
            "#]],
        );
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        check(
            "{\"a\":",
            5,
            0,
            &expect![[r#"
                  --> x.proto:1:6
                   |
                 1 | {"a":
                   |      ^ wrong
            "#]],
        );
    }

    #[test]
    fn an_empty_text_and_an_offset_beyond_the_end_are_drawn() {
        check(
            "",
            0,
            0,
            &expect![[r"
                  --> x.proto:1:1
                   |
                 1 | 
                   | ^ wrong
            "]],
        );
        check(
            "ab\ncd",
            99,
            99,
            &expect![[r"
                  --> x.proto:2:3
                   |
                 2 | cd
                   |   ^ wrong
            "]],
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_mistake() {
        let text = format!("{}BAD{}", "a".repeat(5_000), "b".repeat(5_000));
        check(
            &text,
            5_000,
            3,
            &expect![[r"
                  --> x.proto:1:5001
                   |
                 1 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaBADbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
                   |                                          ^^^ wrong
            "]],
        );
    }

    #[test]
    fn a_mark_longer_than_the_window_is_cut_too() {
        let text = "x".repeat(500);
        let drawing = drawn(&excerpt(&text, 0, 500));
        assert!(drawing.lines().all(|line| line.chars().count() < 120), "{drawing}");
    }

    #[test]
    fn blocks_have_their_causes_and_hints_and_nothing_raw() {
        let mut problems = Problems::new();
        problems.push(OutputError::Unwritable {
            path: PathBuf::from("no/\u{1b}[31mred"),
            source: io::Error::from(io::ErrorKind::NotFound),
        });
        problems.push(UsageError::NoCalls);
        problems.push(UsageError::NoCalls);
        problems.push(UsageError::Invalid {
            what: "--total",
            value: "1\u{202e}\nerror: forged".to_owned(),
            rule: "it is a whole number".to_owned(),
        });
        expect![[r"
            error: cannot write `no/\u{1b}[31mred`
            caused by: entity not found
            hint: make the folder `no` first

            error: `0` is no good value for --total: a run makes at least one call
            hint: to run for a time instead of a number of calls, give -z

            error: `1\u{202e}
              error: forged` is no good value for --total: it is a whole number
        "]]
        .assert_eq(&rendered(&problems));
    }

    proptest::proptest! {
        #[test]
        fn draws_any_place_of_any_text(text in "\\PC{0,40}\\n?\\t?[\\x00-\\x20]{0,3}\\PC{0,200}", offset in 0usize..300, len in 0usize..300) {
            let drawing = drawn(&excerpt(&text, offset, len));
            proptest::prop_assert_eq!(drawing.lines().count(), 4);
            proptest::prop_assert!(drawing.contains('^'));
        }
    }
}
