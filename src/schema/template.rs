//! A message as JSON with each field set to something: a text to start from.
//!
//! What comes out is taken as data as it is (protobuf.dev, "ProtoJSON Format"). Of a oneof one member is there, of
//! lists and maps one element. Where a message is inside of itself, or the text gets too long, it is left empty.

use std::fmt::Write as _;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};

/// How deep messages are nested, and how many values there are, before what is not required is left empty.
const DEPTH_MAX: usize = 8;
const VALUES_MAX: usize = 2_000;
/// How many values there are before everything is left empty: the text is of no use as it is then, but it has an end.
const REQUIRED_MAX: usize = 100_000;

/// The template of a message, with a line feed at its end.
pub(super) fn of(message: &MessageDescriptor) -> String {
    let mut template = Template { text: String::new(), around: Vec::new(), values: 0 };
    template.message(message);
    template.text.push('\n');
    template.text
}

struct Template {
    text: String,
    /// The messages that the next value is inside of.
    around: Vec<String>,
    values: usize,
}

impl Template {
    fn message(&mut self, message: &MessageDescriptor) {
        self.values += 1;
        if let Some(text) = self.special(message) {
            self.text.push_str(&text);
            return;
        }
        self.around.push(message.full_name().to_owned());
        let mut fields: Vec<FieldDescriptor> = message.fields().filter(|field| self.stands_for_oneof(field)).collect();
        fields.sort_by(|one, other| one.path().cmp(other.path()));
        self.bracketed(['{', '}'], fields, |template, field| {
            template.key(field.json_name());
            template.field(&field);
        });
        self.around.pop();
    }

    fn field(&mut self, field: &FieldDescriptor) {
        let empty = self.is_cut(field);
        if let (true, Kind::Message(entry)) = (field.is_map(), field.kind()) {
            let value = entry.map_entry_value_field();
            let entries = if empty { vec![] } else { vec![entry.map_entry_key_field().kind()] };
            self.bracketed(['{', '}'], entries, |template, kind| {
                template.key(map_key(&kind));
                template.value(&value);
            });
        } else if field.is_list() {
            let elements = if empty { vec![] } else { vec![()] };
            self.bracketed(['[', ']'], elements, |template, ()| template.value(field));
        } else if empty {
            self.text.push_str("null");
        } else {
            self.value(field);
        }
    }

    /// One value of the type of a field.
    fn value(&mut self, field: &FieldDescriptor) {
        self.values += 1;
        let text = match field.kind() {
            Kind::Message(message) => return self.message(&message),
            Kind::Enum(descriptor) => first_value(&descriptor),
            Kind::Bool => "false".to_owned(),
            Kind::String | Kind::Bytes => "\"\"".to_owned(),
            Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64 => "\"0\"".to_owned(),
            Kind::Double | Kind::Float => "0.0".to_owned(),
            Kind::Int32 | Kind::Uint32 | Kind::Sint32 | Kind::Fixed32 | Kind::Sfixed32 => "0".to_owned(),
        };
        self.text.push_str(&text);
    }

    /// Whether a field is the one member of its oneof that is shown: the first that is not left empty. Others are no part
    /// of a oneof.
    fn stands_for_oneof(&self, field: &FieldDescriptor) -> bool {
        let Some(oneof) = field.containing_oneof() else { return true };
        let chosen = oneof.fields().find(|member| !self.is_cut(member)).or_else(|| oneof.fields().next());
        chosen.as_ref() == Some(field)
    }

    /// Whether a field is left empty, so that the text comes to an end.
    fn is_cut(&self, field: &FieldDescriptor) -> bool {
        let kind = match field.kind() {
            Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().kind(),
            kind => kind,
        };
        let Kind::Message(message) = kind else { return false };
        self.around.iter().any(|around| around == message.full_name())
            || self.values >= REQUIRED_MAX
            || (!field.is_required() && (self.around.len() >= DEPTH_MAX || self.values >= VALUES_MAX))
    }

    /// What stands for a message that has a JSON form of its own.
    fn special(&self, message: &MessageDescriptor) -> Option<String> {
        let text = match message.full_name().strip_prefix("google.protobuf.")? {
            "Timestamp" => "\"1970-01-01T00:00:00Z\"",
            "Duration" => "\"0s\"",
            "FieldMask" | "StringValue" | "BytesValue" => "\"\"",
            "Int64Value" | "UInt64Value" => "\"0\"",
            "Int32Value" | "UInt32Value" => "0",
            "DoubleValue" | "FloatValue" => "0.0",
            "BoolValue" => "false",
            "Struct" | "Empty" => "{}",
            "Value" => "null",
            "ListValue" => "[]",
            // Some message that is there for certain, if it can be empty: the one around.
            "Any" => match self.around.last().filter(|_| self.around_can_be_empty(message)) {
                Some(around) => return Some(format!("{{\"@type\": \"type.googleapis.com/{around}\"}}")),
                None => "{}",
            },
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn around_can_be_empty(&self, any: &MessageDescriptor) -> bool {
        let around = self.around.last().and_then(|name| any.parent_pool().get_message_by_name(name));
        around.is_some_and(|around| !around.fields().any(|field| field.is_required()))
    }

    /// `items` between brackets, a line each.
    fn bracketed<T>(&mut self, [open, close]: [char; 2], items: Vec<T>, mut write: impl FnMut(&mut Template, T)) {
        let outer = self.text.rfind('\n').map_or(self.text.as_str(), |at| &self.text[at + 1..]);
        let indent = outer.len() - outer.trim_start_matches(' ').len();
        self.text.push(open);
        let some = !items.is_empty();
        for (index, item) in items.into_iter().enumerate() {
            self.text.push_str(if index > 0 { ",\n" } else { "\n" });
            self.text.extend(std::iter::repeat_n(' ', indent + 2));
            write(self, item);
        }
        if some {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', indent));
        }
        self.text.push(close);
    }

    fn key(&mut self, name: &str) {
        self.text.push('"');
        for c in name.chars() {
            match c {
                '"' | '\\' => self.text.extend(['\\', c]),
                c if c.is_control() => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
                c => self.text.push(c),
            }
        }
        self.text.push_str("\": ");
    }
}

fn first_value(descriptor: &EnumDescriptor) -> String {
    if descriptor.full_name() == "google.protobuf.NullValue" {
        return "null".to_owned();
    }
    let first = descriptor.enum_descriptor_proto().value.first();
    first.map_or_else(|| "0".to_owned(), |value| format!("\"{}\"", value.name()))
}

/// A key of a map, which is always a string in JSON.
fn map_key(kind: &Kind) -> &'static str {
    match kind {
        Kind::String => "key",
        Kind::Bool => "false",
        _ => "0",
    }
}
