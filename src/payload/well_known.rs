//! Messages that JSON writes in a way of their own: those of `google.protobuf` that the mapping names.
//!
//! `google.protobuf.Empty` is not one of them; it is written as any other message is.

use std::collections::HashSet;

use prost_reflect::{Kind, MessageDescriptor};

use crate::error::DataError;
use crate::schema::near;

use super::encode::{self, Scalar, WireType};
use super::json::{Json, Member, Node};
use super::mapping::{Mapper, Step};
use super::time;

/// A message that has a JSON form of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WellKnown {
    Any,
    Timestamp,
    Duration,
    FieldMask,
    Wrapper,
    Struct,
    Value,
    ListValue,
}

/// Where the type of an `Any` is named.
const TYPE: &str = "@type";

impl WellKnown {
    /// Which one the type is, if it is one.
    pub(super) fn of(descriptor: &MessageDescriptor) -> Option<WellKnown> {
        Some(match descriptor.full_name().strip_prefix("google.protobuf.")? {
            "Any" => WellKnown::Any,
            "Timestamp" => WellKnown::Timestamp,
            "Duration" => WellKnown::Duration,
            "FieldMask" => WellKnown::FieldMask,
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value"
            | "BoolValue" | "StringValue" | "BytesValue" => WellKnown::Wrapper,
            "Struct" => WellKnown::Struct,
            "Value" => WellKnown::Value,
            "ListValue" => WellKnown::ListValue,
            _ => return None,
        })
    }

    /// Whether a JSON array is one such message.
    pub(super) fn takes_array(self) -> bool {
        matches!(self, WellKnown::ListValue | WellKnown::Value)
    }
}

impl<'a> Mapper<'a> {
    /// Writes the message that `node` stands for.
    pub(super) fn well_known(
        &mut self,
        which: WellKnown,
        descriptor: &MessageDescriptor,
        node: &Node<'a>,
        out: &mut Vec<u8>,
    ) {
        match which {
            WellKnown::Any => self.any(node, out),
            WellKnown::Timestamp => self.moment(node, time::timestamp, &TIMESTAMP, out),
            WellKnown::Duration => self.moment(node, time::duration, &DURATION, out),
            WellKnown::FieldMask => self.field_mask(node, out),
            WellKnown::Wrapper => self.wrapper(descriptor, node, out),
            WellKnown::Struct => self.structure(node, out),
            WellKnown::Value => self.value(node, out),
            WellKnown::ListValue => self.list_value(node, out),
        }
    }

    fn moment(
        &mut self,
        node: &Node<'a>,
        read: fn(&str) -> Option<(i64, i32)>,
        form: &(&str, &str),
        out: &mut Vec<u8>,
    ) {
        const SECONDS: u32 = 1;
        const NANOS: u32 = 2;
        let moment = if let Json::String(text) = &node.value { read(text) } else { None };
        let Some((seconds, nanos)) = moment else {
            return self.bad_value(form.0.to_owned(), node, Some(form.1.to_owned()));
        };
        for (number, value) in [(SECONDS, seconds), (NANOS, nanos.into())] {
            if value != 0 {
                encode::signed(value).write_field(number, out);
            }
        }
    }

    fn field_mask(&mut self, node: &Node<'a>, out: &mut Vec<u8>) {
        const PATHS: u32 = 1;
        let paths = if let Json::String(text) = &node.value { snake_paths(text) } else { None };
        let Some(paths) = paths else {
            let wanted = "a FieldMask, which is field paths in lowerCamelCase with commas between".to_owned();
            return self.bad_value(wanted, node, Some("write it as \"user.displayName,photo\"".to_owned()));
        };
        for path in paths {
            Scalar::Bytes(path.into_bytes().into()).write_field(PATHS, out);
        }
    }

    fn wrapper(&mut self, descriptor: &MessageDescriptor, node: &Node<'a>, out: &mut Vec<u8>) {
        const VALUE: u32 = 1;
        let Some(field) = descriptor.get_field(VALUE) else { return };
        if let Some(scalar) = self.scalar(&field.kind(), node).filter(|scalar| !scalar.is_default()) {
            scalar.write_field(VALUE, out);
        }
    }

    fn structure(&mut self, node: &Node<'a>, out: &mut Vec<u8>) {
        const FIELDS: u32 = 1;
        const KEY: u32 = 1;
        const VALUE: u32 = 2;
        let Json::Object(members) = &node.value else {
            return self.bad_value("an object (`google.protobuf.Struct`)".to_owned(), node, None);
        };
        let mut names = HashSet::with_capacity(members.len());
        for member in members {
            self.within(Step::Field(member.name.clone()), |mapper| {
                if !names.insert(&member.name) {
                    mapper.set_twice(&member.name_at);
                }
                encode::tag(FIELDS, WireType::Delimited, out);
                let entry = out.len();
                Scalar::Bytes(member.name.as_bytes().into()).write_field(KEY, out);
                encode::tag(VALUE, WireType::Delimited, out);
                let value = out.len();
                mapper.value(&member.value, out);
                encode::delimit(value, out);
                encode::delimit(entry, out);
            });
        }
    }

    /// Any JSON at all.
    fn value(&mut self, node: &Node<'a>, out: &mut Vec<u8>) {
        const NULL: u32 = 1;
        const NUMBER: u32 = 2;
        const STRING: u32 = 3;
        const BOOL: u32 = 4;
        const STRUCT: u32 = 5;
        const LIST: u32 = 6;
        match &node.value {
            Json::Null => Scalar::Varint(0).write_field(NULL, out),
            Json::Bool(value) => Scalar::Varint(u64::from(*value)).write_field(BOOL, out),
            Json::String(text) => Scalar::Bytes(text.as_bytes().into()).write_field(STRING, out),
            Json::Number(_) => {
                if let Some(number) = self.scalar(&Kind::Double, node) {
                    number.write_field(NUMBER, out);
                }
            }
            Json::Object(_) => {
                encode::tag(STRUCT, WireType::Delimited, out);
                let start = out.len();
                self.structure(node, out);
                encode::delimit(start, out);
            }
            Json::Array(_) => {
                encode::tag(LIST, WireType::Delimited, out);
                let start = out.len();
                self.list_value(node, out);
                encode::delimit(start, out);
            }
        }
    }

    fn list_value(&mut self, node: &Node<'a>, out: &mut Vec<u8>) {
        const VALUES: u32 = 1;
        let Json::Array(values) = &node.value else {
            return self.bad_value("an array (`google.protobuf.ListValue`)".to_owned(), node, None);
        };
        for (index, value) in values.iter().enumerate() {
            encode::tag(VALUES, WireType::Delimited, out);
            let start = out.len();
            self.within(Step::Index(index), |mapper| mapper.value(value, out));
            encode::delimit(start, out);
        }
    }

    fn any(&mut self, node: &Node<'a>, out: &mut Vec<u8>) {
        const TYPE_URL: u32 = 1;
        const VALUE: u32 = 2;
        let Json::Object(members) = &node.value else {
            return self.bad_value(
                "an object for a `google.protobuf.Any`".to_owned(),
                node,
                Some(ANY_ADVICE.to_owned()),
            );
        };
        if members.is_empty() {
            return;
        }
        let mut types = members.iter().filter(|member| member.name == TYPE);
        let Some(named) = types.next() else {
            let wanted = "an object with \"@type\" for a `google.protobuf.Any`".to_owned();
            return self.bad_value(wanted, node, Some(ANY_ADVICE.to_owned()));
        };
        if let Some(again) = types.next() {
            self.within(Step::Field(TYPE.into()), |mapper| mapper.set_twice(&again.name_at));
        }
        let Some((url, packed)) = self.packed_type(named) else { return };
        Scalar::Bytes(url.as_bytes().into()).write_field(TYPE_URL, out);
        encode::tag(VALUE, WireType::Delimited, out);
        let (tagged, start) = (out.len() - 1, out.len());
        match WellKnown::of(&packed) {
            Some(_) => self.packed_special(&packed, members, node, out),
            None => self.fields(&packed, members, Some(TYPE), &node.at, out),
        }
        if out.len() == start {
            out.truncate(tagged);
        } else {
            encode::delimit(start, out);
        }
    }

    /// The type that a member called `@type` names, and the name as it is written.
    fn packed_type<'m>(&mut self, named: &'m Member<'a>) -> Option<(&'m str, MessageDescriptor)> {
        let split = match &named.value.value {
            Json::String(url) => url.rsplit_once('/').filter(|(_, name)| !name.is_empty()).map(|(_, name)| (url, name)),
            _ => None,
        };
        self.within(Step::Field(TYPE.into()), |mapper| {
            let Some((url, name)) = split else {
                let wanted = "the name of a type after a slash".to_owned();
                let advice = match &named.value.value {
                    Json::String(name) if !name.is_empty() && !name.contains('/') => {
                        format!("write it as \"type.googleapis.com/{name}\"")
                    }
                    _ => ANY_ADVICE.to_owned(),
                };
                mapper.bad_value(wanted, &named.value, Some(advice));
                return None;
            };
            let packed = mapper.scope.message(name);
            if packed.is_none() {
                let label = || "not in the loaded files".to_owned();
                mapper.note(&named.value.at, label, |place, excerpt| {
                    let all = mapper.scope.message_names();
                    let near = near(name, all.iter().map(String::as_str));
                    DataError::UnknownType { place, name: name.to_owned(), near, excerpt }
                });
            }
            packed.map(|packed| (&**url, packed))
        })
    }

    /// Writes what is packed when its type has a JSON form of its own, which stands in the member `value`.
    fn packed_special(
        &mut self,
        packed: &MessageDescriptor,
        members: &[Member<'a>],
        node: &Node<'a>,
        out: &mut Vec<u8>,
    ) {
        let mut value = None;
        for member in members.iter().filter(|member| member.name != TYPE) {
            match (&*member.name, value) {
                ("value", None) => value = Some(&member.value),
                ("value", Some(_)) => {
                    self.within(Step::Field("value".into()), |mapper| mapper.set_twice(&member.name_at));
                }
                _ if self.allow_unknown_fields => {}
                _ => self.note(
                    &member.name_at,
                    || "no such field".to_owned(),
                    |place, excerpt| DataError::UnknownField {
                        place,
                        message: packed.full_name().to_owned(),
                        name: member.name.clone().into_owned(),
                        near: Vec::new(),
                        known: vec!["value".to_owned()],
                        excerpt,
                    },
                ),
            }
        }
        if let Some(value) = value {
            self.within(Step::Field("value".into()), |mapper| mapper.message(packed, value, out));
        } else {
            self.bad_value(format!("a member \"value\" for the packed `{}`", packed.full_name()), node, None);
        }
    }
}

/// What a Timestamp is, and how to write it.
const TIMESTAMP: (&str, &str) = (
    "a Timestamp, which is a point in time of the years 1 to 9999 in RFC 3339 with at most nine decimals",
    "write it as \"2024-02-29T12:00:00.5Z\" or with an offset such as +01:00 for Z",
);

/// What a Duration is, and how to write it.
const DURATION: (&str, &str) =
    ("a Duration, which is seconds up to 315576000000 with at most nine decimals and an `s`", "write it as \"1.5s\"");

const ANY_ADVICE: &str =
    "write it as {\"@type\": \"type.googleapis.com/package.Message\", …} with the fields of that message";

/// The paths of a field mask with their names in `snake_case`.
fn snake_paths(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(snake_path).collect()
}

/// `fooBar.baz` as `foo_bar.baz`. Only names that come back the same are allowed.
fn snake_path(path: &str) -> Option<String> {
    let mut snake = String::with_capacity(path.len() + 4);
    for name in path.split('.') {
        let allowed = |c: char| c.is_ascii_alphanumeric();
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(allowed) {
            return None;
        }
        if !snake.is_empty() {
            snake.push('.');
        }
        for c in name.chars() {
            if c.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
    }
    Some(snake)
}
