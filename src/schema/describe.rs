//! Parts of a schema as text, close to the language of `.proto` files: full names for types, comments where they are
//! known, the kind of each method at the end of its line.
//!
//! The text is for a terminal, and much of it may come from a server: control characters are replaced.

use std::fmt::Write as _;

use prost_reflect::prost_types::{FieldOptions, FileDescriptorProto};
use prost_reflect::{
    Cardinality, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    MethodDescriptor, ServiceDescriptor, Syntax,
};

use super::method;

/// A service with its methods.
pub(super) fn service(service: &ServiceDescriptor) -> String {
    let mut text = Text::default();
    text.comment(service.parent_file_descriptor_proto(), service.path());
    text.line(&format!("service {} {{", service.full_name()));
    text.inside(|text| {
        for method in service.methods() {
            text.rpc(&method, method.name());
        }
    });
    text.line("}");
    text.finish()
}

/// A method, and the messages that it takes and gives.
pub(super) fn method(method: &MethodDescriptor) -> String {
    let mut text = Text::default();
    text.rpc(method, method.full_name());
    text.line("");
    text.message(&method.input());
    if method.output() != method.input() {
        text.line("");
        text.message(&method.output());
    }
    text.finish()
}

/// A message with its fields.
pub(super) fn message(message: &MessageDescriptor) -> String {
    let mut text = Text::default();
    text.message(message);
    text.finish()
}

/// An enum with its values.
pub(super) fn enumeration(descriptor: &EnumDescriptor) -> String {
    let mut text = Text::default();
    let file = descriptor.parent_file_descriptor_proto();
    text.comment(file, descriptor.path());
    text.line(&format!("enum {} {{", descriptor.full_name()));
    text.inside(|text| {
        let mut values: Vec<EnumValueDescriptor> = descriptor.values().collect();
        values.sort_by(|one, other| one.path().cmp(other.path()));
        for value in values {
            text.comment(file, value.path());
            text.line(&format!("{} = {};", value.name(), value.number()));
        }
    });
    text.line("}");
    text.finish()
}

/// Lines with indents.
#[derive(Default)]
struct Text {
    text: String,
    depth: usize,
}

impl Text {
    fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        }
        self.text.extend(line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }));
        self.text.push('\n');
    }

    fn inside(&mut self, write: impl FnOnce(&mut Text)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn finish(self) -> String {
        self.text
    }

    /// The comment above the definition at `path`, if there is one.
    fn comment(&mut self, file: &FileDescriptorProto, path: &[i32]) {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let comment = locations.into_iter().find(|location| location.path == path);
        for line in comment.map_or("", |location| location.leading_comments()).trim_end().lines() {
            self.line(format!("// {}", line.strip_prefix(' ').unwrap_or(line)).trim_end());
        }
    }

    fn rpc(&mut self, method: &MethodDescriptor, name: &str) {
        let stream = |streams: bool| if streams { "stream " } else { "" };
        self.comment(method.parent_file().file_descriptor_proto(), method.path());
        self.line(&format!(
            "rpc {name}({}{}) returns ({}{});  // {}",
            stream(method.is_client_streaming()),
            method.input().full_name(),
            stream(method.is_server_streaming()),
            method.output().full_name(),
            method::Kind::of(method),
        ));
    }

    fn message(&mut self, message: &MessageDescriptor) {
        self.comment(message.parent_file_descriptor_proto(), message.path());
        self.line(&format!("message {} {{", message.full_name()));
        self.inside(|text| text.fields(message));
        self.line("}");
    }

    /// What stands in the braces of a message, in the order of the file.
    fn fields(&mut self, message: &MessageDescriptor) {
        let file = message.parent_file_descriptor_proto();
        let mut fields: Vec<FieldDescriptor> = message.fields().collect();
        fields.sort_by(|one, other| one.path().cmp(other.path()));
        let mut oneofs_written = Vec::new();
        for field in &fields {
            match field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                None => self.field(field),
                Some(oneof) if oneofs_written.contains(&oneof.name().to_owned()) => {}
                Some(oneof) => {
                    self.comment(file, oneof.path());
                    self.line(&format!("oneof {} {{", oneof.name()));
                    self.inside(|text| oneof.fields().for_each(|member| text.field(&member)));
                    self.line("}");
                    oneofs_written.push(oneof.name().to_owned());
                }
            }
        }
        // A set may have one with nothing in it, which no file can have.
        for range in message.extension_ranges().filter(|range| range.start < range.end) {
            self.line(&format!("extensions {};", span(range.start, range.end - 1)));
        }
        for extension in message.extensions() {
            self.extension(&extension);
        }
    }

    fn field(&mut self, field: &FieldDescriptor) {
        self.comment(field.parent_message().parent_file_descriptor_proto(), field.path());
        let label = label(field);
        if let (true, Kind::Message(group)) = (field.is_group(), field.kind())
            && group.parent_message().as_ref() == Some(field.parent_message())
        {
            self.line(&format!("{label}group {} = {} {{", group.name(), field.number()));
            self.inside(|text| text.fields(&group));
            self.line("}");
            return;
        }
        let kind = match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
                format!("map<{:?}, {:?}>", key.kind(), value.kind())
            }
            kind => format!("{kind:?}"),
        };
        self.line(&format!("{label}{kind} {} = {}{};", field.name(), field.number(), options(field)));
    }

    fn extension(&mut self, extension: &ExtensionDescriptor) {
        let label = if extension.is_list() { "repeated " } else { "optional " };
        self.comment(extension.parent_file_descriptor_proto(), extension.path());
        self.line(&format!("extend {label}{:?} {} = {};", extension.kind(), extension.json_name(), extension.number()));
    }
}

/// What stands before the type of a field.
fn label(field: &FieldDescriptor) -> &'static str {
    let in_oneof = field.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic());
    match field.cardinality() {
        Cardinality::Required => "required ",
        Cardinality::Repeated if field.is_map() => "",
        Cardinality::Repeated => "repeated ",
        Cardinality::Optional if in_oneof => "",
        Cardinality::Optional if field.field_descriptor_proto().proto3_optional() => "optional ",
        Cardinality::Optional if field.parent_message().parent_file().syntax() == Syntax::Proto2 => "optional ",
        Cardinality::Optional => "",
    }
}

/// Options that matter to who fills a message, in brackets.
fn options(field: &FieldDescriptor) -> String {
    let descriptor = field.field_descriptor_proto();
    let mut options = Vec::new();
    if let Some(default) = &descriptor.default_value {
        let quoted = matches!(field.kind(), Kind::String | Kind::Bytes);
        options.push(if quoted { format!("default = {default:?}") } else { format!("default = {default}") });
    }
    if field.json_name() != json_name(field.name()) {
        options.push(format!("json_name = {:?}", field.json_name()));
    }
    if descriptor.options.as_ref().is_some_and(FieldOptions::deprecated) {
        options.push("deprecated = true".to_owned());
    }
    if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) }
}

/// The JSON name that a field has when it is not given one: without underscores, each letter after one in upper case.
fn json_name(name: &str) -> String {
    let mut after_underscore = false;
    let mut json = String::with_capacity(name.len());
    for c in name.chars() {
        if c != '_' {
            json.push(if after_underscore { c.to_ascii_uppercase() } else { c });
        }
        after_underscore = c == '_';
    }
    json
}

/// A range of field numbers, both ends in it.
fn span(start: u32, end: u32) -> String {
    /// The highest number that a field can have.
    const MAX: u32 = (1 << 29) - 1;
    let mut text = start.to_string();
    if end >= MAX {
        text.push_str(" to max");
    } else if end > start {
        let _ = write!(text, " to {end}");
    }
    text
}
