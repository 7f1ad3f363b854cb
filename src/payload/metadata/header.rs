//! Metadata from texts like `x-tenant: acme`, as on the command line of other programs.

use std::ops::Range;

use crate::error::{DataError, Excerpt, Problems};
use crate::payload::calls::Reading;
use crate::payload::template::{Call, Purpose, Source, Template, Templating, actions};
use crate::schema::Method;

use super::Metadata;
use super::rules::{Refusal, check_key, is_secret, wire_value};

/// Where such texts come from.
const ORIGIN: &str = "--header";

/// Adds what `text` says.
pub(super) fn add(metadata: &mut Metadata, text: &str, method: &Method, reading: &Reading) -> Result<(), Problems> {
    let header = Header::read(text, reading)?;
    let (key, value) = (header.key.clone(), header.value.clone());
    if let Some(sent) = header.sent {
        metadata.shown.push((key.clone(), String::from_utf8_lossy(&sent).into_owned()));
        metadata.fixed.push((key, sent));
        return Ok(());
    }
    let source = Source::new(text, ORIGIN, method, reading.run_name.as_deref(), reading.seed, reading.templating);
    let source = source.shown_as(&shown(text, &key, &value));
    let template = Template::parse(&source, value)?;
    let place = metadata.headers.len();
    let first = Call::new(0, 0, 0);
    let purpose = purpose(place);
    let mut value = String::new();
    template.render(&first, purpose, &mut value).map_err(|problem| template.failure(&first, purpose, problem))?;
    wire_value(&key, &value).map_err(|refusal| refused(&key, refusal, rendered_excerpt(&key, &value)))?;
    metadata.shown.push((key.clone(), template.text().to_owned()));
    metadata.headers.push((key, template));
    Ok(())
}

/// Whether `text` can be a header at all, where it is not known yet for which method.
pub(super) fn check(text: &str, reading: &Reading) -> Result<(), Problems> {
    Header::read(text, reading).map(drop)
}

/// A header as far as it can be read without its method.
struct Header {
    key: String,
    /// Where the value stands.
    value: Range<usize>,
    /// The value as it is sent, unless it is a template.
    sent: Option<Vec<u8>>,
}

impl Header {
    fn read(text: &str, reading: &Reading) -> Result<Header, Problems> {
        // Names that begin with a colon are refused for that, and not for being empty.
        let colon = text.char_indices().skip(1).find(|(_, c)| *c == ':').map(|(at, _)| at);
        let colon = colon.ok_or(DataError::HeaderShape)?;
        let name = text[..colon].trim();
        let value = colon + 1 + (text[colon + 1..].len() - text[colon + 1..].trim_start().len());
        let value = value..value + text[value..].trim_end().len();
        let key = name.to_ascii_lowercase();
        let excerpt = |at: Range<usize>| Excerpt {
            origin: ORIGIN.to_owned(),
            text: shown(text, &key, &value),
            offset: at.start,
            len: at.len(),
            label: "here".to_owned(),
        };
        check_key(&key).map_err(|rule| DataError::MetadataKey {
            key: name.to_owned(),
            rule,
            excerpt: excerpt(0..colon),
        })?;
        let template = reading.templating != Templating::Off && actions::any(&text[value.clone()]);
        let sent = (!template).then(|| wire_value(&key, &text[value.clone()])).transpose();
        let sent = sent.map_err(|refusal| refused(&key, refusal, excerpt(value.clone())))?;
        Ok(Header { key, value, sent })
    }
}

/// A header as errors show it.
fn shown(text: &str, key: &str, value: &Range<usize>) -> String {
    let mut shown = text.to_owned();
    if is_secret(key) {
        shown.replace_range(value.clone(), &"*".repeat(value.len()));
    }
    shown
}

/// The value of header number `place` in a call. `text` is room for it.
///
/// Errors with the reason why it cannot be sent.
pub(super) fn render(
    key: &str,
    template: &Template,
    place: usize,
    call: &Call,
    text: &mut String,
) -> Result<Vec<u8>, String> {
    text.clear();
    let rendered = template.render(call, purpose(place), text);
    rendered.map_err(|problem| template.failure_in_brief(problem).to_string())?;
    wire_value(key, text).map_err(|refusal| refused(key, refusal, rendered_excerpt(key, text)).to_string())
}

/// A sequence of random values for each; the first is that of metadata in JSON.
fn purpose(place: usize) -> Purpose {
    Purpose::Metadata(u32::try_from(place + 1).unwrap_or(u32::MAX))
}

fn refused(key: &str, refusal: Refusal, excerpt: Excerpt) -> DataError {
    DataError::MetadataValue { key: key.to_owned(), rule: refusal.rule, advice: refusal.advice, excerpt }
}

fn rendered_excerpt(key: &str, value: &str) -> Excerpt {
    let text = if is_secret(key) { "*".repeat(value.len()) } else { value.to_owned() };
    let origin = format!("{ORIGIN} {key}, rendered");
    Excerpt { origin, offset: 0, len: text.len(), text, label: "here".to_owned() }
}
