//! JSON to protobuf: the official mapping (protobuf.dev, "ProtoJSON Format"), straight to encoded bytes.
//!
//! Written here, since the mapping that comes with the reflection library takes numbers that don't fit, drops digits,
//! and refuses spellings that are allowed. Bytes are written at once, not by way of a dynamic message: it costs less
//! for each rendered template, and the same data gives the same bytes in every run (map entries stay in order).
//!
//! A mistake does not end the work: it is noted, and the rest is looked at too. What was written then is of no use, and
//! [`Mapper::finish`] gives only the mistakes.
//!
//! Where the specification leaves a choice: names and keys that are there twice are mistakes, and so are two fields of a
//! oneof. Required fields (proto2) must be set.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor, Syntax};

use crate::error::{DataError, Excerpt, Problems};
use crate::schema::{Scope, near};

use super::encode::{self, Scalar, WireType};
use super::field::{self, Field};
use super::json::{Json, Member, Node};
use super::mistakes::SHOWN;
use super::scalar;
use super::well_known::WellKnown;

/// Maps the values of one text.
#[derive(Debug)]
pub(super) struct Mapper<'a> {
    origin: &'a str,
    text: &'a str,
    /// What an `Any` may hold.
    pub(super) scope: &'a Scope,
    path: Vec<Step<'a>>,
    mistakes: Vec<DataError>,
    more: usize,
    pub(super) allow_unknown_fields: bool,
}

/// A step from a value to one inside it.
#[derive(Clone, Debug)]
pub(super) enum Step<'a> {
    /// To a member of a message, by its name as it is written.
    Field(Cow<'a, str>),
    /// To an element of an array.
    Index(usize),
    /// To a value of a map.
    Key(Cow<'a, str>),
}

impl<'a> Mapper<'a> {
    /// `text` is where the values come from, and `origin` where the text comes from.
    /// Members that a message has no field for are passed over if they are allowed.
    pub(super) fn new(origin: &'a str, text: &'a str, scope: &'a Scope, allow_unknown_fields: bool) -> Mapper<'a> {
        Mapper { origin, text, scope, path: Vec::new(), mistakes: Vec::new(), more: 0, allow_unknown_fields }
    }

    /// Whether no mistake was made so far.
    pub(super) fn is_fine(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// The mistakes that were made, if any.
    pub(super) fn finish(self) -> Result<(), Problems> {
        let mut problems = Problems::new();
        for mistake in self.mistakes {
            problems.push(mistake);
        }
        if self.more > 0 {
            problems.push(DataError::More { origin: self.origin.to_owned(), count: self.more });
        }
        problems.into_result()
    }

    /// Runs `work` on a value that is a step away.
    pub(super) fn within<T>(&mut self, step: Step<'a>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let result = work(self);
        self.path.pop();
        result
    }

    /// Writes the message that `node` stands for.
    pub(super) fn message(&mut self, descriptor: &MessageDescriptor, node: &Node<'a>, out: &mut Vec<u8>) {
        if let Some(well_known) = WellKnown::of(descriptor) {
            return self.well_known(well_known, descriptor, node, out);
        }
        match &node.value {
            Json::Object(members) => self.fields(descriptor, members, None, &node.at, out),
            _ => self.bad_value(format!("an object for `{}`", descriptor.full_name()), node, None),
        }
    }

    /// Writes the fields of a message, in the order of their numbers, except a member called `apart_from`.
    pub(super) fn fields(
        &mut self,
        descriptor: &MessageDescriptor,
        members: &[Member<'a>],
        apart_from: Option<&str>,
        at: &Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        let mut written: Vec<(u32, Range<usize>)> = Vec::with_capacity(members.len());
        let mut named = HashSet::with_capacity(members.len());
        let mut oneofs: Vec<(OneofDescriptor, &str)> = Vec::new();
        for member in members.iter().filter(|member| apart_from != Some(&*member.name)) {
            let Some(field) = Field::find(descriptor, &member.name) else {
                if !self.allow_unknown_fields {
                    self.unknown_field(descriptor, member);
                }
                continue;
            };
            if !named.insert(field.number()) {
                self.within(Step::Field(member.name.clone()), |mapper| mapper.set_twice(&member.name_at));
                continue;
            }
            if matches!(member.value.value, Json::Null) && !field.takes_null() {
                continue;
            }
            if let Some(oneof) = field.oneof() {
                match oneofs.iter().find(|(known, _)| *known == oneof) {
                    Some((_, first)) => self.oneof_twice(&oneof, first, member),
                    None => oneofs.push((oneof, &member.name)),
                }
            }
            let from = out.len();
            self.within(Step::Field(member.name.clone()), |mapper| mapper.field(&field, &member.value, out));
            written.push((field.number(), from..out.len()));
        }
        self.check_required(descriptor, &written, at);
        in_order(&mut written, start, out);
    }

    fn check_required(&mut self, descriptor: &MessageDescriptor, written: &[(u32, Range<usize>)], at: &Range<usize>) {
        if descriptor.parent_file().syntax() != Syntax::Proto2 {
            return;
        }
        for field in descriptor.fields().filter(FieldDescriptor::is_required) {
            if !written.iter().any(|(number, _)| *number == field.number()) {
                // The whole message may go over many lines; its opening brace is enough.
                let brace = at.start..at.end.min(at.start + 1);
                self.within(Step::Field(field.json_name().to_owned().into()), |mapper| {
                    let label = || format!("without `{}`", field.json_name());
                    mapper.note(&brace, label, |place, excerpt| DataError::RequiredMissing {
                        place,
                        excerpt: Some(excerpt).filter(|excerpt| !excerpt.text.is_empty()),
                    });
                });
            }
        }
    }

    fn field(&mut self, field: &Field, node: &Node<'a>, out: &mut Vec<u8>) {
        let kind = field.kind();
        if let Some(entry) = field.map_entry() {
            return self.map(field.number(), &entry, node, out);
        }
        if !field.is_list() {
            return self.single(field, &kind, node, out);
        }
        let Json::Array(values) = &node.value else {
            return self.bad_value(format!("an array of {}", scalar::type_name(&kind)), node, None);
        };
        let packed = field.is_packed() && !values.is_empty();
        if packed {
            encode::tag(field.number(), WireType::Delimited, out);
        }
        let start = out.len();
        for (index, value) in values.iter().enumerate() {
            self.path.push(Step::Index(index));
            match &kind {
                Kind::Message(message) => self.nested(field.number(), field.is_group(), message, value, out),
                _ => {
                    if let Some(scalar) = self.scalar(&kind, value) {
                        if packed { scalar.write(out) } else { scalar.write_field(field.number(), out) }
                    }
                }
            }
            self.path.pop();
        }
        if packed {
            encode::delimit(start, out);
        }
    }

    fn single(&mut self, field: &Field, kind: &Kind, node: &Node<'a>, out: &mut Vec<u8>) {
        if let Kind::Message(message) = kind {
            self.nested(field.number(), field.is_group(), message, node, out);
        } else if let Some(scalar) = self.scalar(kind, node)
            && (field.has_presence() || !scalar.is_default())
        {
            scalar.write_field(field.number(), out);
        }
    }

    /// Writes a message as field `number`.
    pub(super) fn nested(
        &mut self,
        number: u32,
        group: bool,
        message: &MessageDescriptor,
        node: &Node<'a>,
        out: &mut Vec<u8>,
    ) {
        if group {
            encode::tag(number, WireType::GroupStart, out);
            self.message(message, node, out);
            encode::tag(number, WireType::GroupEnd, out);
        } else {
            encode::tag(number, WireType::Delimited, out);
            let start = out.len();
            self.message(message, node, out);
            encode::delimit(start, out);
        }
    }

    fn map(&mut self, number: u32, entry: &MessageDescriptor, node: &Node<'a>, out: &mut Vec<u8>) {
        const KEY: u32 = 1;
        const VALUE: u32 = 2;
        let Json::Object(members) = &node.value else {
            return self.bad_value("an object for a map".to_owned(), node, None);
        };
        let (key_kind, value_kind) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
        let mut keys = HashSet::with_capacity(members.len());
        for member in members {
            self.path.push(Step::Key(member.name.clone()));
            encode::tag(number, WireType::Delimited, out);
            let start = out.len();
            match scalar::map_key(&key_kind, &member.name) {
                Ok(key) => {
                    key.write_field(KEY, out);
                    if !keys.insert(out[start..].to_vec()) {
                        self.set_twice(&member.name_at);
                    }
                }
                Err(wanted) => {
                    self.note(
                        &member.name_at,
                        || "this key".to_owned(),
                        |place, excerpt| DataError::BadValue {
                            place,
                            wanted: format!("{wanted} as its key"),
                            found: format!("\"{}\"", member.name),
                            advice: None,
                            excerpt,
                        },
                    );
                }
            }
            match &value_kind {
                Kind::Message(message) => self.nested(VALUE, false, message, &member.value, out),
                kind => {
                    if let Some(value) = self.scalar(kind, &member.value) {
                        value.write_field(VALUE, out);
                    }
                }
            }
            encode::delimit(start, out);
            self.path.pop();
        }
    }

    /// The value of a field that is no message; `None` if it was a mistake.
    pub(super) fn scalar<'n>(&mut self, kind: &Kind, node: &'n Node<'a>) -> Option<Scalar<'n>> {
        match scalar::read(kind, &node.value) {
            Ok(scalar) => Some(scalar),
            Err(wanted) => {
                let advice = match (kind, &node.value) {
                    (Kind::Enum(descriptor), Json::String(name)) => Some(enum_advice(descriptor, name)),
                    (Kind::Enum(descriptor), _) => Some(enum_advice(descriptor, "")),
                    _ => None,
                };
                self.bad_value(wanted, node, advice);
                None
            }
        }
    }

    /// Notes that a message has no field of the name of `member`.
    fn unknown_field(&mut self, descriptor: &MessageDescriptor, member: &Member<'a>) {
        let label = || "no such field".to_owned();
        self.note(&member.name_at, label, |place, excerpt| DataError::UnknownField {
            place,
            message: descriptor.full_name().to_owned(),
            name: member.name.clone().into_owned(),
            near: field::similar(descriptor, &member.name),
            known: descriptor.fields().map(|field| field.json_name().to_owned()).collect(),
            excerpt,
        });
    }

    fn oneof_twice(&mut self, oneof: &OneofDescriptor, first: &str, member: &Member<'a>) {
        let label = || format!("`{first}` is set already");
        self.note(&member.name_at, label, |place, excerpt| DataError::OneofTwice {
            place,
            oneof: oneof.name().to_owned(),
            first: first.to_owned(),
            second: member.name.clone().into_owned(),
            excerpt,
        });
    }

    /// Notes that what the present place names was set before.
    pub(super) fn set_twice(&mut self, name_at: &Range<usize>) {
        self.note(name_at, || "here again".to_owned(), |place, excerpt| DataError::SetTwice { place, excerpt });
    }

    /// Notes that a value is not what it should be.
    pub(super) fn bad_value(&mut self, wanted: String, node: &Node<'a>, advice: Option<String>) {
        let found = self.shown(node);
        // An object or array may go over many lines; its opening bracket is enough.
        let end = if matches!(node.value, Json::Object(_) | Json::Array(_)) { node.at.start + 1 } else { node.at.end };
        self.note(
            &(node.at.start..end),
            || "this value".to_owned(),
            |place, excerpt| DataError::BadValue { place, wanted, found, advice, excerpt },
        );
    }

    /// Notes a mistake at the present place, shown at `at` in the text. Nothing is made of it once enough are listed:
    /// each has a copy of the text, and a large file may have the same mistake in each of its messages.
    pub(super) fn note(
        &mut self,
        at: &Range<usize>,
        label: impl FnOnce() -> String,
        mistake: impl FnOnce(String, Excerpt) -> DataError,
    ) {
        if self.mistakes.len() == SHOWN {
            self.more += 1;
            return;
        }
        let (origin, text) = (self.origin.to_owned(), self.text.to_owned());
        let excerpt = Excerpt { origin, text, offset: at.start, len: at.len(), label: label() };
        self.mistakes.push(mistake(place(&self.path), excerpt));
    }

    /// A value as it is written, if it is short; else what it is.
    fn shown(&self, node: &Node<'_>) -> String {
        const LONGEST: usize = 40;
        match &node.value {
            Json::Number(_) | Json::String(_) | Json::Bool(_) if node.at.len() <= LONGEST => {
                self.text[node.at.clone()].to_owned()
            }
            value => value.noun().to_owned(),
        }
    }
}

/// Puts the parts of `out` after `start` in the order of their field numbers.
fn in_order(parts: &mut [(u32, Range<usize>)], start: usize, out: &mut Vec<u8>) {
    if parts.is_sorted_by_key(|(number, _)| *number) {
        return;
    }
    parts.sort_by_key(|(number, _)| *number);
    let sorted: Vec<u8> = parts.iter().flat_map(|(_, part)| &out[part.clone()]).copied().collect();
    out.truncate(start);
    out.extend(sorted);
}

/// The path in the way people write it: `leaf.list[2].n`, `byName["k"]`.
fn place(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() || name.starts_with('[') => text.push_str(name),
            Step::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            Step::Key(key) => text.extend(["[\"", &key.escape_debug().to_string(), "\"]"]),
        }
    }
    text
}

fn enum_advice(descriptor: &EnumDescriptor, name: &str) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> =
        descriptor.enum_descriptor_proto().value.iter().map(|value| value.name().to_owned()).collect();
    let mut likely = near(name, names.iter().map(String::as_str));
    if likely.is_empty() && !name.is_empty() {
        // `LOUD` for `MOOD_LOUD`: the prefix was left out.
        likely.extend(names.iter().filter(|known| known.ends_with(&format!("_{name}"))).cloned());
    }
    let quoted = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    if !likely.is_empty() {
        return format!("did you mean {}?", quoted(&likely));
    }
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    format!("its values are {}{more}", quoted(&names[..names.len().min(SHOWN)]))
}
