//! Texts with more than one message: JSON arrays that have templates in them, and files with a value in each line.
//!
//! What templates give is not known here, so this goes by brackets, strings and actions alone; whether the parts are
//! JSON is seen when they are read.

use std::ops::Range;

use super::template::actions::{self, Turn};

/// How far the reading of a text has come.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Open brackets and braces.
    depth: usize,
    /// Open blocks of templates.
    blocks: usize,
    /// Whether `{{` begins an action.
    templates: bool,
}

impl Scan<'_> {
    /// Passes over a character outside of strings, a string, or an action. `None` at the end, or if one has no end.
    fn step(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        if self.templates && self.text[self.at..].starts_with(actions::OPEN) {
            self.action()?;
            return Some(b' ');
        }
        match byte {
            b'"' => return self.string().map(|()| b'"'),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.checked_sub(1)?,
            _ => {}
        }
        self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        Some(byte)
    }

    fn action(&mut self) -> Option<()> {
        let action = actions::at(self.text, self.at)?;
        self.at = action.at.end;
        match action.turn {
            Turn::Opens => self.blocks += 1,
            Turn::Closes => self.blocks = self.blocks.checked_sub(1)?,
            Turn::Else | Turn::Stays => {}
        }
        Some(())
    }

    /// A string, which may have actions in it, and these strings of their own.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            if self.templates && rest.starts_with(actions::OPEN) {
                self.action()?;
                continue;
            }
            match rest.chars().next()? {
                '"' => {
                    self.at += 1;
                    return Some(());
                }
                '\\' => self.at += 1 + rest[1..].chars().next()?.len_utf8(),
                '\n' => return None,
                c => self.at += c.len_utf8(),
            }
        }
    }
}

/// The part of `at` in `text` without the blanks around it, and without a byte-order mark.
pub(super) fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let part = &text[at.clone()];
    let part = part.trim_start_matches('\u{feff}');
    let start = at.end - part.trim_start().len();
    start..start + part.trim().len()
}

/// The elements of the array that stands at `at`, each a text that is a template of its own.
///
/// `None` if it is no array, or blocks of a template stand between its elements, which may be any number then: only the
/// whole of it is a template.
pub(super) fn elements(text: &str, at: Range<usize>) -> Option<Vec<Range<usize>>> {
    let at = trimmed(text, at);
    let mut scan = Scan { text: &text[..at.end], at: at.start, depth: 0, blocks: 0, templates: true };
    if scan.step()? != b'[' {
        return None;
    }
    let mut elements = Vec::new();
    let mut start = scan.at;
    loop {
        let before = scan.at;
        let byte = scan.step()?;
        if scan.blocks > 0 && scan.depth == 1 {
            return None;
        }
        let ends = byte == b']' && scan.depth == 0;
        if !(ends || byte == b',' && scan.depth == 1) {
            continue;
        }
        let element = trimmed(text, start..before);
        if !(ends && element.is_empty() && elements.is_empty()) {
            elements.push(element);
        }
        start = scan.at;
        if ends {
            return (scan.at == at.end).then_some(elements);
        }
    }
}

/// The lines of a text with a JSON object or array in each line (NDJSON, JSON Lines); blank ones are left out.
///
/// `None` if the first line is no whole object or array, or the only one.
pub(super) fn lines(text: &str, templates: bool) -> Option<Vec<Range<usize>>> {
    let whole = trimmed(text, 0..text.len());
    let mut scan = Scan { text: &text[..whole.end], at: whole.start, depth: 0, blocks: 0, templates };
    let starts = |at: usize| {
        let rest = &text[at..];
        (rest.starts_with('{') && !(templates && rest.starts_with(actions::OPEN))) || rest.starts_with('[')
    };
    if !starts(scan.at) {
        return None;
    }
    while !(scan.depth == 0 && text[scan.at..].trim_start_matches([' ', '\t', '\r']).starts_with('\n')) {
        if scan.step()? == b'\n' && scan.depth > 0 {
            return None;
        }
    }
    if scan.blocks > 0 {
        return None;
    }
    let mut lines = vec![trimmed(text, whole.start..scan.at)];
    let mut at = scan.at;
    for line in text[scan.at..whole.end].split_inclusive('\n') {
        let part = trimmed(text, at..at + line.len());
        at += line.len();
        if !part.is_empty() {
            lines.push(part);
        }
    }
    Some(lines).filter(|lines| lines.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, parts: Option<Vec<Range<usize>>>) -> Option<Vec<&str>> {
        parts.map(|parts| parts.into_iter().map(|part| &text[part]).collect())
    }

    #[test]
    fn elements_are_found_whatever_is_in_them() {
        for (text, parts) in [
            ("[]", Some(vec![])),
            (" [ {\"a\":[1,2]} , {{.X}} ]\n", Some(vec!["{\"a\":[1,2]}", "{{.X}}"])),
            (
                r#"[{"a":"{{printf "," | f "]"}},"},"],\""]"#,
                Some(vec![r#"{"a":"{{printf "," | f "]"}},"}"#, r#""],\"""#]),
            ),
            ("[{\"a\":{{if .A}}1{{else}}2{{end}}},3]", Some(vec!["{\"a\":{{if .A}}1{{else}}2{{end}}}", "3"])),
            ("[{{if .A}}1{{else}}2{{end}},3]", None),
            ("[[1],[2,3]]", Some(vec!["[1]", "[2,3]"])),
            ("[1,]", Some(vec!["1", ""])),
            ("[{{range .A}}1,{{end}}2]", None),
            ("{{if .A}}[1]{{end}}", None),
            ("[1] 2", None),
            ("[1", None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(shown(text, elements(text, 0..text.len())), parts, "{text}");
        }
    }

    #[test]
    fn lines_are_found_if_the_first_one_is_whole() {
        for (text, parts) in [
            ("{\"a\":1}\n{\"a\":2}", Some(vec!["{\"a\":1}", "{\"a\":2}"])),
            ("\u{feff}{\"a\":1} \r\n\r\n [2]\r\nx\n", Some(vec!["{\"a\":1}", "[2]", "x"])),
            ("{\"a\":\"{{printf \"\\n\" }}\"}\n{}", Some(vec!["{\"a\":\"{{printf \"\\n\" }}\"}", "{}"])),
            ("{\"a\":1}\n", None),
            ("{\"a\":\n1}\n{}", None),
            ("{} {}", None),
            ("{{if true}}\n{}\n{{end}}", None),
            ("1\n2", None),
        ] {
            assert_eq!(shown(text, lines(text, true)), parts, "{text}");
        }
        assert_eq!(lines("{\"a\":\"{{\"}\n{}", true), None);
        assert_eq!(lines("{\"a\":\"{{\"}\n{}", false).unwrap().len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in r#"([\[\]{},"\\ \né]|\{\{|\}\}|1|\{\{if |\{\{end\}\}){0,24}"#) {
            let _ = elements(&text, 0..text.len());
            let _ = (lines(&text, true), lines(&text, false));
        }
    }
}
