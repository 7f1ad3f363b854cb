//! Where actions stand in the text of a template: enough of Go's lexical rules to pass over them, and to see whether
//! blocks are closed, which the parser that reads templates later takes lightly.

use std::ops::Range;

/// What an action does to blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::payload) enum Turn {
    /// It opens one: `if`, `range`, `with`, `block`, `define`.
    Opens,
    /// It is the `else` of one.
    Else,
    /// It closes one.
    Closes,
    /// None of these.
    Stays,
}

/// One `{{ ... }}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::payload) struct Action {
    /// With its braces.
    pub(in crate::payload) at: Range<usize>,
    pub(in crate::payload) turn: Turn,
}

/// What an action begins with.
pub(in crate::payload) const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// Whether a text has an action in it, or the beginning of one.
pub(in crate::payload) fn any(text: &str) -> bool {
    text.contains(OPEN)
}

/// The action that begins at `start`; `None` if it has no end.
pub(in crate::payload) fn at(text: &str, start: usize) -> Option<Action> {
    let inside = start + OPEN.len();
    let trimmed = text[inside..].strip_prefix('-').map_or(inside, |_| inside + 1);
    let body = text[trimmed..].trim_start();
    if let Some(comment) = body.strip_prefix("/*") {
        let end = text.len() - comment.len() + comment.find("*/")? + 2;
        let end = end + text[end..].find(CLOSE)? + CLOSE.len();
        return Some(Action { at: start..end, turn: Turn::Stays });
    }
    let word_len = body.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(body.len());
    let turn = match &body[..word_len] {
        "if" | "range" | "with" | "block" | "define" => Turn::Opens,
        "else" => Turn::Else,
        "end" => Turn::Closes,
        _ => Turn::Stays,
    };
    let mut at = inside;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'}' if text[at..].starts_with(CLOSE) => return Some(Action { at: start..at + CLOSE.len(), turn }),
            b'`' => at += text[at + 1..].find('`')? + 2,
            quote @ (b'"' | b'\'') => at = quoted(bytes, at, quote)?,
            _ => at += 1,
        }
    }
    None
}

/// The end of the literal that begins with `quote` at `start`.
fn quoted(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            b'\n' => return None,
            _ => at += 1,
        }
    }
}

/// The actions of a text, up to the first one without an end.
pub(in crate::payload) fn all(text: &str) -> impl Iterator<Item = Action> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(OPEN)?;
        let action = at(text, start)?;
        from = action.at.end;
        Some(action)
    })
}

/// Where the first action without an end begins.
pub(super) fn unclosed(text: &str) -> Option<usize> {
    let end = all(text).last().map_or(0, |action| action.at.end);
    text[end..].find(OPEN).map(|at| end + at)
}

/// Whether every block is closed, and nothing else. Errors with the place and what is wrong there.
pub(super) fn check_blocks(text: &str) -> Result<(), (Range<usize>, &'static str)> {
    let mut open = Vec::new();
    for action in all(text) {
        match action.turn {
            Turn::Opens => open.push(action.at),
            Turn::Closes if open.pop().is_none() => return Err((action.at, "this `end` has nothing to close")),
            Turn::Else if open.is_empty() => return Err((action.at, "this `else` is in no block")),
            Turn::Closes | Turn::Else | Turn::Stays => {}
        }
    }
    match open.pop() {
        Some(at) => Err((at, "this block has no `end`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_found() {
        for (text, shown) in [
            ("a{{b}}c{{d}}}", vec!["{{b}}", "{{d}}"]),
            (r#"{{printf "}}" `}}` '"' "\"}}"}}x"#, vec![r#"{{printf "}}" `}}` '"' "\"}}"}}"#]),
            ("{{/* }} \" */}}{{- /* a */ -}}", vec!["{{/* }} \" */}}", "{{- /* a */ -}}"]),
            ("{{a", vec![]),
            ("{{\"a}}", vec![]),
        ] {
            let found: Vec<&str> = all(text).map(|action| &text[action.at]).collect();
            assert_eq!(found, shown, "{text}");
        }
    }

    #[test]
    fn blocks_are_counted() {
        for good in
            ["", "{{if a}}b{{else if c}}d{{else}}e{{end}}", "{{- range . -}}{{with x}}{{end}}{{- end -}}", "{{iffy}}"]
        {
            assert_eq!(check_blocks(good), Ok(()), "{good}");
        }
        assert_eq!(check_blocks("a{{end}}").unwrap_err().0, 1..8);
        assert_eq!(check_blocks("{{if a}}{{range b}}{{end}}").unwrap_err().0, 0..8);
        assert_eq!(check_blocks("{{else}}").unwrap_err().0, 0..8);
    }
}
