//! Messages of answers as JSON, for people to read.

use prost_reflect::{DescriptorPool, DynamicMessage, FileDescriptor, MessageDescriptor, ReflectMessage, Value};

use crate::schema::{Method, Scope};

/// What stands between the host and the name in the type of an `Any`.
const TYPE_SEPARATOR: char = '/';

/// An encoded message of the method's answers, in the JSON form of protobuf. What an `Any` holds is looked for in all
/// loaded files.
///
/// Errors with the reason if there is none: bytes that are no such message, or an `Any` that holds what nobody knows.
pub fn shown(encoded: &[u8], method: &Method) -> Result<String, String> {
    let output = method.output();
    let message = DynamicMessage::decode(output.clone(), encoded)
        .map_err(|error| format!("it is no `{}`: {error}", output.full_name()))?;
    let mut held = Vec::new();
    let mut unknown = None;
    find_held(&message, method.scope(), &mut held, &mut unknown);
    if let Some(name) = unknown {
        return Err(format!("it holds a `{name}`, which is in none of the loaded files"));
    }
    let message = if held.is_empty() { message } else { knowing(&held, &output, encoded).unwrap_or(message) };
    serde_json::to_string(&message).map_err(|error| error.to_string())
}

/// The types of what is held in each `Any` of a message, and in theirs; the name of one that is not known.
fn find_held(message: &DynamicMessage, scope: &Scope, held: &mut Vec<MessageDescriptor>, unknown: &mut Option<String>) {
    if message.descriptor().full_name() == "google.protobuf.Any" {
        let (url, value) = (message.get_field_by_name("type_url"), message.get_field_by_name("value"));
        let url = url.as_deref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = url.rsplit(TYPE_SEPARATOR).next().unwrap_or_default();
        let Some(descriptor) = scope.message(name) else {
            if !name.is_empty() {
                unknown.get_or_insert_with(|| name.to_owned());
            }
            return;
        };
        let bytes = value.as_deref().and_then(Value::as_bytes).cloned().unwrap_or_default();
        if let Ok(inside) = DynamicMessage::decode(descriptor.clone(), bytes) {
            find_held(&inside, scope, held, unknown);
        }
        held.push(descriptor);
        return;
    }
    for (_, value) in message.fields() {
        find_in_value(value, scope, held, unknown);
    }
}

fn find_in_value(value: &Value, scope: &Scope, held: &mut Vec<MessageDescriptor>, unknown: &mut Option<String>) {
    match value {
        Value::Message(message) => find_held(message, scope, held, unknown),
        Value::List(values) => values.iter().for_each(|value| find_in_value(value, scope, held, unknown)),
        Value::Map(values) => values.values().for_each(|value| find_in_value(value, scope, held, unknown)),
        _ => {}
    }
}

/// The message once more, where the files of these types are known beside its own.
fn knowing(types: &[MessageDescriptor], output: &MessageDescriptor, encoded: &[u8]) -> Option<DynamicMessage> {
    let mut pool = output.parent_pool().clone();
    for held in types {
        add_file(&mut pool, &held.parent_file());
    }
    DynamicMessage::decode(pool.get_message_by_name(output.full_name())?, encoded).ok()
}

fn add_file(pool: &mut DescriptorPool, file: &FileDescriptor) {
    if pool.get_file_by_name(file.name()).is_some() {
        return;
    }
    for import in file.dependencies() {
        add_file(pool, &import);
    }
    // If it contradicts what is there, what it defines stays unknown.
    let _ = pool.add_file_descriptor_proto(file.file_descriptor_proto().clone());
}
