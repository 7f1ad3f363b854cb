//! The fields that JSON can name in a message: its own, and extensions of it.

use prost_reflect::{ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};

use crate::schema::near;

use super::scalar;

/// A field of a message, or an extension of it.
pub(super) enum Field {
    Own(FieldDescriptor),
    Extension(ExtensionDescriptor),
}

impl Field {
    /// By its JSON name, its name in the file, or as `[package.extension]`.
    pub(super) fn find(message: &MessageDescriptor, name: &str) -> Option<Field> {
        if name.starts_with('[') {
            return message.get_extension_by_json_name(name).map(Field::Extension);
        }
        message.get_field_by_json_name(name).or_else(|| message.get_field_by_name(name)).map(Field::Own)
    }

    pub(super) fn number(&self) -> u32 {
        match self {
            Field::Own(field) => field.number(),
            Field::Extension(extension) => extension.number(),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Field::Own(field) => field.kind(),
            Field::Extension(extension) => extension.kind(),
        }
    }

    pub(super) fn is_list(&self) -> bool {
        match self {
            Field::Own(field) => field.is_list(),
            Field::Extension(extension) => extension.is_list(),
        }
    }

    pub(super) fn is_packed(&self) -> bool {
        match self {
            Field::Own(field) => field.is_packed(),
            Field::Extension(extension) => extension.is_packed(),
        }
    }

    pub(super) fn is_group(&self) -> bool {
        match self {
            Field::Own(field) => field.is_group(),
            Field::Extension(extension) => extension.is_group(),
        }
    }

    /// Whether a value that is the default goes over the wire when it is given.
    pub(super) fn has_presence(&self) -> bool {
        match self {
            Field::Own(field) => field.supports_presence(),
            Field::Extension(extension) => extension.supports_presence(),
        }
    }

    pub(super) fn oneof(&self) -> Option<OneofDescriptor> {
        match self {
            Field::Own(field) => field.containing_oneof(),
            Field::Extension(_) => None,
        }
    }

    /// The entries of a map; `None` for other fields. Extensions are never maps.
    pub(super) fn map_entry(&self) -> Option<MessageDescriptor> {
        match (self, self.kind()) {
            (Field::Own(field), Kind::Message(entry)) if field.is_map() => Some(entry),
            _ => None,
        }
    }

    /// Whether `null` is a value. For all other fields it means that they are not set.
    pub(super) fn takes_null(&self) -> bool {
        if self.is_list() {
            return false;
        }
        match self.kind() {
            Kind::Message(message) => message.full_name() == "google.protobuf.Value",
            Kind::Enum(descriptor) => descriptor.full_name() == scalar::NULL_VALUE,
            _ => false,
        }
    }
}

/// Names that a field of `message` can be set by and that `name` may stand for, best first.
pub(super) fn similar(message: &MessageDescriptor, name: &str) -> Vec<String> {
    let json_names: Vec<String> = message.fields().map(|field| field.json_name().to_owned()).collect();
    let names: Vec<String> = message.fields().map(|field| field.name().to_owned()).collect();
    // `heat` for `[depot.heat]`: how extensions are written is not widely known.
    let short = message.extensions().filter(|extension| extension.name() == name);
    let short: Vec<String> = short.map(|extension| extension.json_name().to_owned()).collect();
    let extensions: Vec<String> = message.extensions().map(|extension| extension.json_name().to_owned()).collect();
    let nearest = |known: &[String]| near(name, known.iter().map(String::as_str));
    let candidates = [nearest(&json_names), nearest(&names), short, nearest(&extensions)];
    candidates.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}
