//! What a linker takes for granted about a file, and what a file that no compiler made need not have.
//!
//! The library that links descriptors, and the ones that use them, find things again by names and numbers that they do
//! not check, and panic where nothing is found. So those are checked here, as protobuf's own `DescriptorPool` does.

use prost_reflect::prost_types::field_descriptor_proto::Type;
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, ServiceDescriptorProto,
};
use prost_reflect::{DescriptorPool, FileDescriptor};

/// A thing in a file that is not as it must be.
pub(super) struct Flaw {
    /// What is wrong.
    pub(super) problem: String,
    /// What would help.
    pub(super) advice: Option<String>,
}

/// Looks through a file before it is linked.
pub(super) fn check(file: &FileDescriptorProto) -> Result<(), Flaw> {
    if !file.package().is_empty() && !file.package().split('.').all(is_name) {
        return Err(no_name("a package", file.package(), ""));
    }
    let scope = file.package();
    file.message_type.iter().try_for_each(|message| check_message(message, scope))?;
    file.enum_type.iter().try_for_each(|enumeration| check_enum(enumeration, scope))?;
    file.extension.iter().try_for_each(|field| check_field(field, scope))?;
    file.service.iter().try_for_each(|service| check_service(service, scope))
}

/// Looks through a file of `pool` that has just been linked: what cannot be seen before, for options may still be text.
pub(super) fn check_linked(pool: &DescriptorPool, file: &str) -> Result<(), Flaw> {
    const KEY: u32 = 1;
    const VALUE: u32 = 2;
    let file = pool.get_file_by_name(file);
    let mut messages: Vec<_> = file.iter().flat_map(FileDescriptor::messages).collect();
    while let Some(message) = messages.pop() {
        if message.is_map_entry() && [KEY, VALUE].iter().any(|number| message.get_field(*number).is_none()) {
            return Err(Flaw {
                problem: format!(
                    "`{}` is marked as the entry of a map, and lacks its key or value",
                    message.full_name()
                ),
                advice: Some("leave `map_entry` to compilers, and write the field as map<KEY, VALUE>".to_owned()),
            });
        }
        messages.extend(message.child_messages());
    }
    Ok(())
}

fn check_message(message: &DescriptorProto, scope: &str) -> Result<(), Flaw> {
    check_name("a message", message.name(), scope)?;
    let scope = message.name();
    message.field.iter().chain(&message.extension).try_for_each(|field| check_field(field, scope))?;
    message.oneof_decl.iter().try_for_each(|oneof| check_name("a oneof", oneof.name(), scope))?;
    message.enum_type.iter().try_for_each(|enumeration| check_enum(enumeration, scope))?;
    message.nested_type.iter().try_for_each(|message| check_message(message, scope))
}

fn check_enum(enumeration: &EnumDescriptorProto, scope: &str) -> Result<(), Flaw> {
    check_name("an enum", enumeration.name(), scope)?;
    enumeration.value.iter().try_for_each(|value| check_name("a value", value.name(), enumeration.name()))
}

fn check_service(service: &ServiceDescriptorProto, scope: &str) -> Result<(), Flaw> {
    check_name("a service", service.name(), scope)?;
    service.method.iter().try_for_each(|method| check_name("a method", method.name(), service.name()))
}

fn check_field(field: &FieldDescriptorProto, scope: &str) -> Result<(), Flaw> {
    check_name("a field", field.name(), scope)?;
    if field.r#type() == Type::Bytes && !field.default_value.as_deref().is_none_or(is_escaped) {
        return Err(Flaw {
            problem: format!(
                "the default of the field `{}` is not escaped as that of a field of bytes is",
                field.name()
            ),
            advice: None,
        });
    }
    Ok(())
}

fn check_name(what: &str, name: &str, scope: &str) -> Result<(), Flaw> {
    if is_name(name) { Ok(()) } else { Err(no_name(what, name, scope)) }
}

/// Whether protobuf takes this as the name of something.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether these are bytes as C escapes them, which is how descriptors carry them: in ASCII, an octal number within a
/// byte.
fn is_escaped(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        // The character after a backslash is used up by it, so that `\\777` is no octal number.
        let escape = &rest[at + 1..];
        if matches!(escape, [b'4'..=b'7', b'0'..=b'7', b'0'..=b'7', ..]) {
            return false;
        }
        rest = escape.get(1..).unwrap_or_default();
    }
    text.is_ascii()
}

fn no_name(what: &str, name: &str, scope: &str) -> Flaw {
    let place = if scope.is_empty() { String::new() } else { format!(" in `{scope}`") };
    let problem = if name.is_empty() {
        format!("{what}{place} has no name")
    } else {
        format!("`{}` is no name of {what}{place}", name.escape_debug())
    };
    Flaw { problem, advice: Some("names are made of letters, digits and `_`".to_owned()) }
}
