//! What pages have in common: each is one file that needs neither network nor script, for light and dark, wide and narrow
//! screens, and paper.

use super::escape::{entity, printable};

const STYLE: &str = include_str!("page.css");

/// What ends a page that `begin` began.
pub(super) const END: &str = "</main>\n</body>\n</html>\n";

/// A page up to its content: its title as text, and what stands above the content as HTML.
pub(super) fn begin(title: &str, header: &str) -> String {
    let header = if header.is_empty() { String::new() } else { format!("<header>\n{header}</header>\n") };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{header}<main>\n",
        escaped(title)
    )
}

/// `text` as it reads, whatever is in it: no markup, and nothing that acts.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match entity(c) {
            Some(entity) => escaped.push_str(entity),
            None => escaped.push(c),
        }
    }
    escaped
}
