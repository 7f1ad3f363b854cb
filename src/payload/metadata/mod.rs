//! Metadata of calls: checked against what gRPC and HTTP/2 allow, and brought into the form that goes over the wire.
//!
//! Rules: gRPC's "PROTOCOL-HTTP2", section Requests (names, values, `-bin`), and RFC 9113 section 8.2. Values may be
//! secrets: errors do not repeat them, and reports get [`Metadata::masked`].

mod header;
mod hide;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use crate::error::{DataError, Excerpt, Problems};
use crate::schema::Method;

use super::calls::Reading;
use super::json::{self, Json, Member, Node};
use super::mistakes::Mistakes;
use super::room::Room;
use super::template::{Call, Purpose, Source, Template, Templating, actions};
use super::{is_blank, read_shown, split};

use rules::{Refusal, check_key, wire_value};

pub(crate) use hide::hide;
pub use rules::is_secret;

/// A name in lower case with its value as it goes over the wire.
type Entry = (String, Vec<u8>);

/// How many sets in rotation a report shows.
const SETS_SHOWN: usize = 20;
/// What stands in a report for a value that differs from call to call and has no text of its own.
const VARYING: &str = "{{...}}";
/// What stands there for a secret.
const MASK: &str = "***";

/// Metadata of calls, in order: what is the same in each, and what is a call's own.
#[derive(Clone, Default, Debug)]
pub struct Metadata {
    fixed: Vec<Entry>,
    /// Call `n` has set `n` modulo their number; empty if there is nothing to take turns.
    rotation: Vec<Set>,
    /// Values that are rendered for each call, with their names.
    headers: Vec<(String, Template)>,
    shown: Vec<(String, String)>,
}

/// The JSON value that a text is. Errors show no secrets of it.
fn read<'a>(text: &'a str, origin: &str) -> Result<Node<'a>, Problems> {
    read_shown(text, 0..text.len(), origin, hide)
}

/// What one call in a rotation has.
#[derive(Clone, Debug)]
enum Set {
    Fixed(Vec<Entry>),
    /// A JSON object once it is rendered.
    Rendered(Box<Template>),
}

impl Metadata {
    /// Reads a JSON object of strings, or an array of such objects for calls in rotation; a text with nothing in it is
    /// no metadata. Upper-case keys are lowered. Values of `-bin` keys are base64 (either alphabet, with padding or
    /// without) and become unpadded base64 on the wire. A key with several values has an array of them.
    ///
    /// An object with `{{` in it is a template as a whole, keys too, and is rendered here for the first call that has it.
    ///
    /// Errors: text that is no such object; keys that are there twice, have characters that gRPC does not allow, or
    /// belong to gRPC or HTTP/2 itself; values that are no strings, not printable ASCII, or no base64. Numbers are not
    /// taken for their text: it is not always clear what that is.
    pub fn from_json(json: &str, origin: &str, method: &Method, reading: &Reading) -> Result<Metadata, Problems> {
        if reading.templating == Templating::Off || !actions::any(json) {
            return Metadata::constant(json, origin);
        }
        let json = &*actions::unescaped(json);
        let run_name = reading.run_name.as_deref();
        let source = Source::new(json, origin, method, run_name, reading.seed, reading.templating);
        let source = source.shown_as(&hide(json));
        let parts = split::elements(json, 0..json.len());
        let parts = parts.unwrap_or_else(|| vec![split::trimmed(json, 0..json.len())]);
        let mut mistakes = Mistakes::new(origin);
        let mut sets = Vec::with_capacity(parts.len());
        for part in parts {
            if mistakes.enough() {
                break;
            }
            sets.extend(mistakes.keep(Set::parse(&source, part)));
        }
        mistakes.finish()?;
        Metadata::of_sets(sets, origin)
    }

    /// Reads metadata that is the same for all calls: a JSON object of strings, without templates.
    ///
    /// Errors as [`from_json`](Metadata::from_json).
    pub fn fixed(json: &str, origin: &str) -> Result<Metadata, Problems> {
        if is_blank(json) {
            return Ok(Metadata::default());
        }
        Metadata::of_sets(vec![Set::Fixed(entries(&read(json, origin)?, json, origin)?)], origin)
    }

    /// Whether `json` can be metadata at all, where it is not known yet for which method.
    pub fn check_text(json: &str, origin: &str, reading: &Reading) -> Result<(), Problems> {
        if reading.templating != Templating::Off && actions::any(json) {
            return Ok(());
        }
        Metadata::constant(json, origin).map(|_| ())
    }

    /// Whether a text `key: value` can be metadata at all, where it is not known yet for which method.
    pub fn check_header(text: &str, reading: &Reading) -> Result<(), Problems> {
        header::check(text, reading)
    }

    /// Adds what a text `key: value` says, behind all others; the value can be a template.
    ///
    /// Errors: a text without a colon, and what [`from_json`](Metadata::from_json) refuses in keys and values.
    pub fn add_header(&mut self, text: &str, method: &Method, reading: &Reading) -> Result<(), Problems> {
        header::add(self, text, method, reading)
    }

    /// Metadata without templates.
    fn constant(json: &str, origin: &str) -> Result<Metadata, Problems> {
        if is_blank(json) {
            return Ok(Metadata::default());
        }
        let node = read(json, origin)?;
        let objects = match &node.value {
            Json::Array(values)
                if !values.is_empty() && values.iter().all(|value| matches!(value.value, Json::Object(_))) =>
            {
                &values[..]
            }
            _ => std::slice::from_ref(&node),
        };
        let mut mistakes = Mistakes::new(origin);
        let mut sets = Vec::with_capacity(objects.len());
        for object in objects {
            if mistakes.enough() {
                break;
            }
            sets.extend(mistakes.keep(entries(object, json, origin)).map(Set::Fixed));
        }
        mistakes.finish()?;
        Metadata::of_sets(sets, origin)
    }

    fn of_sets(mut sets: Vec<Set>, origin: &str) -> Result<Metadata, Problems> {
        let mut metadata = Metadata::default();
        let mut room = Room::new();
        let mut mistakes = Mistakes::new(origin);
        for (index, set) in sets.iter().enumerate() {
            if mistakes.enough() {
                break;
            }
            let call = Call::new(index as u64, 0, 0);
            let shown = mistakes.keep(set.shown(&call, &mut room)).unwrap_or_default();
            if index < SETS_SHOWN {
                metadata.shown.extend(shown);
            }
        }
        mistakes.finish()?;
        match sets.as_mut_slice() {
            [Set::Fixed(entries)] => metadata.fixed = std::mem::take(entries),
            _ => metadata.rotation = sets,
        }
        Ok(metadata)
    }

    /// The entries that all calls have.
    pub fn entries(&self) -> &[(String, Vec<u8>)] {
        &self.fixed
    }

    /// Whether there are none, in any call.
    pub fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.rotation.is_empty() && self.headers.is_empty()
    }

    /// The entries for people to read: values that [are secrets](is_secret), going by their keys, are `***`. Of values
    /// that differ from call to call there is the text of the template, or all that take turns.
    pub fn masked(&self) -> Vec<(String, String)> {
        let masked = |key: &String, value: &String| if is_secret(key) { MASK.to_owned() } else { value.clone() };
        self.shown.iter().map(|(key, value)| (key.clone(), masked(key, value))).collect()
    }

    /// The same with secrets in it.
    pub fn unmasked(&self) -> Vec<(String, String)> {
        self.shown.clone()
    }

    /// Makes what is to be made for `call` alone; nothing for metadata that takes turns at most.
    ///
    /// Errors with the reason why the call cannot be sent.
    pub fn render(&self, call: &Call, room: &mut Room) -> Result<(), String> {
        if self.rotation.is_empty() && self.headers.is_empty() {
            return Ok(());
        }
        room.metadata.clear();
        room.field_ends.clear();
        if let Some(Set::Rendered(template)) = self.set(call.index) {
            let brief = |problems: &Problems| problems.iter().next().map_or_else(String::new, ToString::to_string);
            let entries = rendered(template, call, room, Template::failure_in_brief);
            for (key, value) in entries.map_err(|problems| brief(&problems))? {
                room.push_field(&key, &value);
            }
        }
        for (place, (key, template)) in self.headers.iter().enumerate() {
            let value = header::render(key, template, place, call, &mut room.text)?;
            room.push_field(key, &value);
        }
        Ok(())
    }

    /// What call `index` has besides the [entries](Metadata::entries) of all calls. `room` is that in which it was
    /// [rendered](Metadata::render).
    pub fn of_call<'a>(&'a self, index: u64, room: &'a Room) -> Fields<'a> {
        let fixed = match self.set(index) {
            Some(Set::Fixed(entries)) => entries.as_slice(),
            Some(Set::Rendered(_)) | None => &[],
        };
        let rendered = !self.headers.is_empty() || matches!(self.set(index), Some(Set::Rendered(_)));
        let ends = if rendered { room.field_ends.as_slice() } else { &[] };
        Fields { fixed, bytes: &room.metadata, at: 0, ends }
    }

    /// Whether values depend on the time at which they are rendered.
    pub fn reads_clock(&self) -> bool {
        let of_set = |set: &Set| matches!(set, Set::Rendered(template) if template.reads_clock());
        self.rotation.iter().any(of_set) || self.headers.iter().any(|(_, template)| template.reads_clock())
    }

    /// Whether values are made for each call.
    pub fn is_rendered(&self) -> bool {
        !self.headers.is_empty() || self.rotation.iter().any(|set| matches!(set, Set::Rendered(_)))
    }

    /// The same metadata in memory of its own, so that threads don't share cache lines.
    #[must_use]
    pub fn unshared(&self) -> Metadata {
        let rotation = self.rotation.iter().map(|set| match set {
            Set::Fixed(entries) => Set::Fixed(entries.clone()),
            Set::Rendered(template) => Set::Rendered(template.unshared(&template.source().unshared()).into()),
        });
        let headers = self.headers.iter();
        let headers = headers.map(|(key, template)| (key.clone(), template.unshared(&template.source().unshared())));
        Metadata { rotation: rotation.collect(), headers: headers.collect(), ..self.clone() }
    }

    fn set(&self, index: u64) -> Option<&Set> {
        if self.rotation.is_empty() {
            return None;
        }
        // The remainder is below a length in memory.
        #[allow(clippy::cast_possible_truncation)]
        self.rotation.get((index % self.rotation.len() as u64) as usize)
    }
}

impl Set {
    fn parse(source: &Source, at: Range<usize>) -> Result<Set, Problems> {
        if actions::any(&source.text[at.clone()]) {
            return Template::parse(source, at).map(|template| Set::Rendered(template.into()));
        }
        let node = read_shown(&source.text, at, &source.origin, hide)?;
        entries(&node, &source.text, &source.origin).map(Set::Fixed)
    }

    /// The entries as a report shows them; those that are rendered are tried for `call`.
    fn shown(&self, call: &Call, room: &mut Room) -> Result<Vec<(String, String)>, Problems> {
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        match self {
            Set::Fixed(entries) => Ok(entries.iter().map(|(key, value)| (key.clone(), text(value))).collect()),
            Set::Rendered(template) => {
                let entries = rendered(template, call, room, |template, problem| {
                    template.failure(call, Purpose::Metadata(0), problem)
                })?;
                // The template itself says more than what it gave once, if it can be read as it stands.
                let own = json::read(template.text()).ok().and_then(|node| match node.value {
                    Json::Object(members) => members.iter().map(own_text).collect::<Option<Vec<_>>>(),
                    _ => None,
                });
                let varying = || entries.iter().map(|(key, _)| (key.clone(), VARYING.to_owned())).collect();
                Ok(own.unwrap_or_else(varying))
            }
        }
    }
}

fn own_text(member: &Member<'_>) -> Option<(String, String)> {
    match &member.value.value {
        Json::String(text) => Some((member.name.to_ascii_lowercase(), text.clone().into_owned())),
        _ => None,
    }
}

/// The entries that a template gives for `call`. `failure` makes the error of a template that fails.
fn rendered(
    template: &Template,
    call: &Call,
    room: &mut Room,
    failure: impl Fn(&Template, String) -> DataError,
) -> Result<Vec<Entry>, Problems> {
    let text = &mut room.text;
    text.clear();
    template.render(call, Purpose::Metadata(0), text).map_err(|problem| failure(template, problem))?;
    let origin = &*template.source().origin;
    entries(&read(text, origin)?, text, origin)
}

/// The entries of an object.
fn entries(node: &Node<'_>, json: &str, origin: &str) -> Result<Vec<Entry>, Problems> {
    let Json::Object(members) = &node.value else {
        let excerpt = excerpt(origin, hide(json), node.at.start..node.at.start + 1);
        return Err(DataError::MetadataShape { origin: origin.to_owned(), found: node.value.noun(), excerpt }.into());
    };
    let mut entries = Vec::with_capacity(members.len());
    let mut keys = HashSet::with_capacity(members.len());
    let mut mistakes = Mistakes::new(origin);
    let shown = || hide(json);
    for member in members {
        if mistakes.enough() {
            break;
        }
        let key = member.name.to_ascii_lowercase();
        let at_name = || excerpt(origin, shown(), member.name_at.clone());
        if let Err(rule) = check_key(&key) {
            let key = member.name.clone().into_owned();
            mistakes.push(DataError::MetadataKey { key, rule, excerpt: at_name() });
            continue;
        }
        if !keys.insert(key.clone()) {
            mistakes.push(DataError::MetadataTwice { key, excerpt: at_name() });
            continue;
        }
        let values = match &member.value.value {
            Json::Array(values) => values.as_slice(),
            _ => std::slice::from_ref(&member.value),
        };
        for value in values {
            if mistakes.enough() {
                break;
            }
            match string(value).and_then(|text| wire_value(&key, text)) {
                Ok(value) => entries.push((key.clone(), value)),
                Err(Refusal { rule, advice }) => {
                    let excerpt = excerpt(origin, shown(), value.at.clone());
                    mistakes.push(DataError::MetadataValue { key: key.clone(), rule, advice, excerpt });
                }
            }
        }
    }
    mistakes.finish()?;
    Ok(entries)
}

fn string<'n>(value: &'n Node<'_>) -> Result<&'n str, Refusal> {
    let Json::String(text) = &value.value else {
        let rule = format!("must be a string, not {}", value.value.noun());
        let quoted = matches!(value.value, Json::Number(_) | Json::Bool(_));
        return Err(Refusal { rule, advice: quoted.then_some("put the value in double quotes") });
    };
    Ok(text)
}

fn excerpt(origin: &str, text: String, at: Range<usize>) -> Excerpt {
    Excerpt { origin: origin.to_owned(), text, offset: at.start, len: at.len(), label: "here".to_owned() }
}

/// Metadata of one call: names and values.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    fixed: &'a [Entry],
    bytes: &'a [u8],
    at: usize,
    ends: &'a [(usize, usize)],
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(((key, value), rest)) = self.fixed.split_first() {
            self.fixed = rest;
            return Some((key.as_bytes(), value));
        }
        let ((key_end, value_end), rest) = self.ends.split_first()?;
        let (start, bytes) = (self.at, self.bytes);
        (self.at, self.ends) = (*value_end, rest);
        Some((&bytes[start..*key_end], &bytes[*key_end..*value_end]))
    }
}
