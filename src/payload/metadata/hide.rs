//! Texts of metadata as errors show them: without secrets, also where the text is broken, or of a format that only its
//! reader knows, and has to be gone through by its quotes, colons and lines alone.

use std::ops::Range;

use super::is_secret;

/// `text`, which is JSON, TOML, YAML or a header, with the values of secret keys starred out, byte for byte, so that all
/// places in it stay what they are. Where it is not plain how far a value goes, this rather hides too much.
pub(crate) fn hide(text: &str) -> String {
    let mut shown = text.to_owned();
    let mut at = 0;
    while let Some(name) = Name::next(text, at) {
        // Inside of a string there may be a header, and what looks like a string may be none.
        at = if name.quoted { name.at.start + 1 } else { name.at.end };
        let Some(value) = name.is_secret(text).then(|| name.value(text)).flatten() else { continue };
        let inside = inside(&text[value.clone()]);
        let inside = value.start + inside.start..value.start + inside.end;
        let stars: String = text[inside.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }).collect();
        shown.replace_range(inside, &stars);
        at = value.end;
    }
    shown
}

/// So long a string is no name. It bounds how often a text is gone through.
const NAME_MAX: usize = 200;

/// What may be the name of a value.
struct Name {
    /// With its quotes.
    at: Range<usize>,
    quoted: bool,
}

impl Name {
    /// The next one: a string, or a word. Of a string that is no name it is the quote at its beginning.
    fn next(text: &str, from: usize) -> Option<Name> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let (start, first) = text[from..].char_indices().find(|(_, c)| is_word(*c) || is_quote(*c))?;
        let start = from + start;
        if is_word(first) {
            let len = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
            return Some(Name { at: start..start + len, quoted: false });
        }
        let mut escaped = false;
        let end = text[start + 1..].char_indices().take(NAME_MAX).find(|(_, c)| {
            let ends = *c == first && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        Some(Name { at: start..end.map_or(start + 1, |(at, _)| start + 1 + at + 1), quoted: true })
    }

    /// Whether it is the name of a secret. What is written with escapes may be any.
    fn is_secret(&self, text: &str) -> bool {
        let word = text[self.at.clone()].trim_matches(is_quote);
        is_secret(word) || word.contains("\\u") || word.contains("\\x") || word.contains("\\U")
    }

    /// Where its value stands, if it has one.
    fn value(&self, text: &str) -> Option<Range<usize>> {
        // A name in a text within a text has its quotes behind backslashes.
        let rest = &text[self.at.end..];
        let rest = rest.strip_prefix("\\\"").unwrap_or(rest).trim_start();
        let sign = rest.chars().next().filter(|sign| matches!(sign, ':' | '='))?;
        let rest = rest[1..].trim_start();
        // TOML and YAML end values by lines, JSON does not.
        let by_line = !self.quoted || sign == '=';
        let start = text.len() - rest.len();
        Some(start..start + value_len(rest, by_line))
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'')
}

/// How much belongs to a value at most: up to the quote, or the bracket of an array, that a comma, a brace or the end of a
/// line follows, or up to the end of the text. Quotes in templates are not told apart from others.
fn value_len(text: &str, by_line: bool) -> usize {
    let line = || text.find('\n').unwrap_or(text.len());
    match text.chars().next() {
        Some('[') => array_len(text),
        Some(quote) if is_quote(quote) => {
            let ends = text.match_indices(quote).filter(|(at, _)| *at > 0 && !is_escaped(text, *at)).find(|(at, _)| {
                let after = &text[at + 1..];
                let rest = after.trim_start();
                rest.is_empty()
                    || rest.starts_with(',')
                    || rest.starts_with('}') && !rest.starts_with("}}")
                    || by_line && after.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
            });
            // Three quotes begin a text of several lines, whose end is not looked for.
            ends.filter(|_| !text.starts_with("\"\"\"") && !text.starts_with("'''"))
                .map_or(text.len(), |(at, _)| at + 1)
        }
        // The lines below are its text.
        Some('|' | '>') => text.len(),
        Some('{' | '-' | 't' | 'f' | 'n' | '0'..='9') if !by_line => text.find([',', '}']).unwrap_or(text.len()),
        _ => line(),
    }
}

/// Up to the bracket that closes the one at the beginning, or to the end of the text.
fn array_len(text: &str) -> usize {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        if let Some(open) = quote {
            quote = Some(open).filter(|open| *open != c || is_escaped(text, at));
            continue;
        }
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c => quote = Some(c).filter(|c| is_quote(*c)),
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// Whether an odd number of backslashes stands before `at`.
fn is_escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// How a text or an array ends.
fn last_of(value: &str) -> Option<char> {
    match value.chars().next()? {
        '[' => Some(']'),
        quote => Some(quote).filter(|quote| is_quote(*quote)),
    }
}

/// A value without its quotes or brackets.
fn inside(value: &str) -> Range<usize> {
    match last_of(value) {
        Some(last) if value.len() > 1 && value.ends_with(last) => 1..value.len() - 1,
        Some(_) => 1..value.len(),
        None => 0..value.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_whatever_is_near_json() {
        for (text, shown) in [
            (r#"{"authorization":"Bearer abc","x":"y"}"#, r#"{"authorization":"**********","x":"y"}"#),
            (r#"{"x-api-key": "abc" "x":"y"}"#, r#"{"x-api-key": "***********"}"#),
            (r#"{"Token":"ab"#, r#"{"Token":"**"#),
            (r#"{"Token":"é","x":1}"#, r#"{"Token":"**","x":1}"#),
            (r#"{"token":12,"x":1}"#, r#"{"token":**,"x":1}"#),
            (r#"{"x":"token","y":"a"}"#, r#"{"x":"token","y":"a"}"#),
            (r#"{"token":["a]","b"],"x":1}"#, r#"{"token":[********],"x":1}"#),
            (r#"{"token":"{{env "T"}}","x":"{{bad}}"}"#, r#"{"token":"***********","x":"{{bad}}"}"#),
            (r#"{"secret":"a\"b","x":"ü"}"#, r#"{"secret":"****","x":"ü"}"#),
            // Found by fuzzing: letters of several bytes where an end is looked for.
            ("{\"token\":\"{{ ޞ", "{\"token\":\"*****"),
            ("{\"token\":{{ ޞޞ }}ޞ,\"x\":1}", "{\"token\":********}}ޞ,\"x\":1}"),
            ("{'token':'a'}", "{'token':'*'}"),
            ("Authorization: Bearer a, b", "Authorization: ***********"),
            ("authorization:\tBearer a\nx: y", "authorization:\t********\nx: y"),
            (r#"["authorization: Bearer a", "x: y"]"#, r#"["authorization: ******************"#),
            ("x: don't\ntoken: a'b\n", "x: don't\ntoken: ***\n"),
            ("token = \"a\"\nx = \"y\"\n", "token = \"*\"\nx = \"y\"\n"),
            ("'token' = 'a'\nx = 'y'", "'token' = '*'\nx = 'y'"),
            ("{ token = \"a\", x = \"y\" }", "{ token = \"*\", x = \"y\" }"),
            ("\"token\": Bearer a, b\nx: y", "\"token\": ***********\nx: y"),
            ("token: |\n  a\nx: y", "token: *\n***\n****"),
            (r#"{"cookie":"a=\"1\", b","x":1}"#, r#"{"cookie":"**********","x":1}"#),
            (r#"{"token":["a],","b"],"x":1}"#, r#"{"token":[*********],"x":1}"#),
            (r#"{"token":[["a"],"b"],"x":1}"#, r#"{"token":[*********],"x":1}"#),
            (r#"{"\u0061uthorization":"a","x":1}"#, r#"{"\u0061uthorization":"*","x":1}"#),
            (r#"{"metadata":"{\"token\":\"a\"}","x":1}"#, r#"{"metadata":"{\"token\":**************"#),
            ("token = \"\"\"\na\"\"\" x", "token = \"**\n******"),
            ("", ""),
        ] {
            assert_eq!(hide(text), shown);
        }
    }

    #[test]
    fn long_texts_take_no_long_time() {
        for part in ["token:a\n", "\\\"", "\"", "a:[", "token:[", "'token", "token ", "token:\"\\"] {
            let text = part.repeat(300_000);
            assert_eq!(hide(&text).len(), text.len());
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_keeps_places(text in r#"([{}\[\]:=|," '\né\\]|"token"|token|"x"|a){0,24}"#) {
            let hidden = hide(&text);
            proptest::prop_assert_eq!(hidden.len(), text.len());
        }
    }
}
