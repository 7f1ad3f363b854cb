//! Texts of metadata as errors show them: without secrets, also where the text is not JSON and has to be gone through by
//! its quotes alone.

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
        let stars: String = text[value..until].bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }).collect();
        shown.replace_range(value..until, &stars);
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

/// How much belongs to a value at most: an array up to its end; others up to a quote that a comma or a brace follows, or
/// up to the end of the text. Quotes in templates are not told apart from others, so this rather hides too much.
fn value_len(text: &str) -> usize {
    if text.starts_with('[') {
        return text.find(']').unwrap_or(text.len());
    }
    let ends = text.char_indices().skip(1).find(|(at, c)| {
        let rest = text[at + 1..].trim_start();
        *c == '"' && (rest.is_empty() || rest.starts_with(',') || rest.starts_with('}') && !rest.starts_with("}}"))
    });
    ends.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_whatever_is_near_json() {
        for (text, shown) in [
            (r#"{"authorization":"Bearer abc","x":"y"}"#, r#"{"authorization":************,"x":"y"}"#),
            (r#"{"x-api-key": "abc" "x":"y"}"#, r#"{"x-api-key": ***************"#),
            (r#"{"Token":"ab"#, r#"{"Token":***"#),
            (r#"{"x":"token","y":"a"}"#, r#"{"x":"token","y":"a"}"#),
            (r#"{"token":["a","b"],"x":1}"#, r#"{"token":********],"x":1}"#),
            (r#"{"token":"{{env "T"}}","x":"{{bad}}"}"#, r#"{"token":**************,"x":"{{bad}}"}"#),
            (r#"{"secret":"a\"b","x":"ü"}"#, r#"{"secret":******,"x":"ü"}"#),
            ("{'token':'a'}", "{'token':'a'}"),
            ("", ""),
        ] {
            let hidden = hide(text);
            assert_eq!(hidden.len(), text.len(), "{text}");
            if shown.len() == text.len() {
                assert_eq!(hidden, shown);
            } else {
                assert!(hidden.starts_with(shown), "{hidden}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_keeps_places(text in r#"([{}\[\]:," \né\\]|"token"|"x"|a){0,24}"#) {
            let hidden = hide(&text);
            proptest::prop_assert!(hidden.len() == text.len() || !text.is_ascii());
        }
    }
}
