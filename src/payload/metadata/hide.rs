//! Texts of metadata as errors show them: without secrets, also where the text is not JSON and has to be gone through by
//! its quotes alone.

use std::ops::Range;

use super::is_secret;

/// `text` with the values of secret keys starred out, byte for byte, so that all places in it stay what they are.
pub(super) fn hide(text: &str) -> String {
    let mut shown = text.to_owned();
    let mut at = 0;
    while let Some((start, end)) = quoted(text, at) {
        at = end;
        let value = text[end..].trim_start().strip_prefix(':').map(|rest| text.len() - rest.trim_start().len());
        let Some(value) = value.filter(|_| is_secret(text[start..end].trim_matches('"'))) else { continue };
        let until = value + value_len(&text[value..]);
        let inside = inside(&text[value..until]);
        let inside = value + inside.start..value + inside.end;
        let stars: String = text[inside.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }).collect();
        shown.replace_range(inside, &stars);
        at = until;
    }
    shown
}

/// Where the next string stands, its quotes included; one that has no end goes to that of the text.
fn quoted(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find('"')?;
    let mut escaped = false;
    let end = text[start + 1..].char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    Some((start, end.map_or(text.len(), |(at, _)| start + 1 + at + 1)))
}

/// How much belongs to a value at most: up to the quote, or the bracket of an array, that a comma or a brace follows, or
/// up to the end of the text. Quotes in templates are not told apart from others, so this rather hides too much.
fn value_len(text: &str) -> usize {
    let Some(last) = last_of(text) else { return text.find([',', '}']).unwrap_or(text.len()) };
    let ends = text.match_indices(last).filter(|(at, _)| *at > 0).find(|(at, _)| {
        let rest = text[at + 1..].trim_start();
        rest.is_empty() || rest.starts_with(',') || rest.starts_with('}') && !rest.starts_with("}}")
    });
    ends.map_or(text.len(), |(at, _)| at + 1)
}

/// How a text or an array ends.
fn last_of(value: &str) -> Option<char> {
    match value.chars().next()? {
        '[' => Some(']'),
        '"' => Some('"'),
        _ => None,
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
            ("{'token':'a'}", "{'token':'a'}"),
            ("", ""),
        ] {
            assert_eq!(hide(text), shown);
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_keeps_places(text in r#"([{}\[\]:," \né\\]|"token"|"x"|a){0,24}"#) {
            let hidden = hide(&text);
            proptest::prop_assert_eq!(hidden.len(), text.len());
        }
    }
}
