//! What formats have in common of showing text that may come from anybody.

/// `text` with all characters escaped that act on a terminal instead of showing: controls (newlines too), and those
/// that turn the direction of writing or show nothing at all.
pub(super) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
    }
    printable
}

/// What stands for a character that is markup in HTML, XML and Markdown alike; `None` for all others.
pub(super) fn entity(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(printable("Ünï \"q\" ∎"), "Ünï \"q\" ∎");
        assert_eq!(printable("a\nb\tc\u{1b}[31m\u{9b}\u{7f}"), r"a\nb\tc\u{1b}[31m\u{9b}\u{7f}");
        assert_eq!(printable("\u{202e}x\u{feff}"), r"\u{202e}x\u{feff}");
    }
}
