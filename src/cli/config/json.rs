//! Configs in JSON (RFC 8259), read by the reader of data.

use super::tree::{Broken, Member, Node, Value};
use crate::payload::json::{self, Json};

/// Reads the one value that `text` consists of.
pub(super) fn read(text: &str) -> Result<Node, Broken> {
    match json::read(text) {
        Ok(node) => Ok(owned(node)),
        Err(json::NotJson { at, problem }) => Err(Broken { at, problem }),
    }
}

fn owned(node: json::Node<'_>) -> Node {
    let value = match node.value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(digits) => Value::Number(digits.to_owned()),
        Json::String(text) => Value::Text(text.into_owned()),
        Json::Array(values) => Value::List(values.into_iter().map(owned).collect()),
        Json::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|member| Member {
                    key: member.name.into_owned(),
                    key_at: member.name_at,
                    value: owned(member.value),
                })
                .collect(),
        ),
    };
    Node { at: node.at, value }
}
