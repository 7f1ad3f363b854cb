//! What calls send: messages and metadata, from the texts and files that say what they are.
//!
//! Constant data is encoded before the first connection is made, and costs nothing per call. Templates are parsed then,
//! and rendered for their first calls. Data that cannot be sent is refused there, all mistakes of a text at once; a
//! template that fails later leaves its call unsent, with a reason.

mod binary;
mod calls;
mod encode;
mod field;
mod gzip;
pub(crate) mod json;
mod mapping;
mod message;
mod metadata;
mod mistakes;
mod number;
mod room;
#[cfg(test)]
mod round_trip;
mod scalar;
mod shown;
mod split;
mod template;
#[cfg(test)]
mod tests;
mod time;
mod well_known;
mod wire_format;

use std::ops::Range;

use crate::error::{DataError, Excerpt, Problems};

use json::Node;
use mistakes::Mistakes;

pub use calls::{BinaryForm, CallSource, Reading};
pub use message::{MessageList, Messages, payload_bytes};
pub(crate) use metadata::hide;
pub use metadata::{Fields, Metadata, is_secret};
pub use room::Room;
pub use shown::shown;
pub use template::{Call, Templating};

/// The JSON value that `text` is.
fn read<'a>(text: &'a str, origin: &str) -> Result<Node<'a>, Problems> {
    read_part(text, 0..text.len(), origin)
}

/// The JSON value that a part of `text` is.
fn read_part<'a>(text: &'a str, part: Range<usize>, origin: &str) -> Result<Node<'a>, Problems> {
    read_shown(text, part, origin, str::to_owned)
}

/// The JSON values that the `lines` of `text` are.
fn read_lines<'a>(text: &'a str, lines: Vec<Range<usize>>, origin: &str) -> Result<Vec<Node<'a>>, Problems> {
    let mut mistakes = Mistakes::new(origin);
    let mut nodes = Vec::with_capacity(lines.len());
    for line in lines {
        if mistakes.enough() {
            break;
        }
        nodes.extend(mistakes.keep(read_part(text, line, origin)));
    }
    mistakes.finish()?;
    Ok(nodes)
}

/// The same as [`read_part`]; `shown` makes the text that an error shows, in which every place is where it was.
fn read_shown<'a>(
    text: &'a str,
    part: Range<usize>,
    origin: &str,
    shown: impl Fn(&str) -> String,
) -> Result<Node<'a>, Problems> {
    json::read_part(text, part).map_err(|error| {
        let (offset, len) = (error.at.start, error.at.len());
        let bare = text[offset..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\'');
        let excerpt = Excerpt { origin: origin.to_owned(), text: shown(text), offset, len, label: "here".to_owned() };
        DataError::NotJson { origin: origin.to_owned(), problem: error.problem, bare, excerpt }.into()
    })
}

/// Whether a text says nothing, be it with a byte-order mark.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}
