//! From protobuf's Struct, which is any JSON object, to BSON.

use mongodb::bson::{Bson, Document};
use prost_types::value::Kind;
use prost_types::{Struct, Value};

/// The same object. Fields are in the order of their names: a Struct has no other.
pub(super) fn of_struct(object: Struct) -> Document {
    object.fields.into_iter().map(|(name, value)| (name, of_value(value))).collect()
}

fn of_value(value: Value) -> Bson {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Bson::Null,
        Some(Kind::BoolValue(value)) => Bson::Boolean(value),
        Some(Kind::NumberValue(value)) => Bson::Double(value),
        Some(Kind::StringValue(value)) => Bson::String(value),
        Some(Kind::StructValue(object)) => Bson::Document(of_struct(object)),
        Some(Kind::ListValue(list)) => Bson::Array(list.values.into_iter().map(of_value).collect()),
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::doc;

    use super::*;

    #[test]
    fn every_kind_of_value_has_its_like() {
        let value = |kind| Value { kind: Some(kind) };
        let list = prost_types::ListValue { values: vec![value(Kind::BoolValue(true)), Value { kind: None }] };
        let inner = Struct { fields: [("n".to_owned(), value(Kind::NumberValue(2.0)))].into() };
        let object = Struct {
            fields: [
                ("list".to_owned(), value(Kind::ListValue(list))),
                ("object".to_owned(), value(Kind::StructValue(inner))),
                ("text".to_owned(), value(Kind::StringValue("tea".to_owned()))),
            ]
            .into(),
        };
        assert_eq!(of_struct(object), doc! { "list": [true, Bson::Null], "object": { "n": 2.0 }, "text": "tea" });
    }
}
