//! What the formats have in common: values, each with its place in the file.
//!
//! Numbers stay the digits that were written, so that data reaches its message exactly.

use std::ops::Range;

/// A value and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node {
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
    /// What it is.
    pub(super) value: Value,
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number as JSON writes it.
    Number(String),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Members in order.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Member {
    /// Its key.
    pub(super) key: String,
    /// The bytes of the key in the file.
    pub(super) key_at: Range<usize>,
    /// Its value.
    pub(super) value: Node,
}

/// A text that is not of its format.
#[derive(Debug)]
pub(super) struct Broken {
    /// The bytes at which it shows.
    pub(super) at: Range<usize>,
    /// What is wrong.
    pub(super) problem: String,
}

impl Value {
    /// What it is, with an article.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// The value as JSON.
    pub(super) fn json(&self) -> String {
        let mut json = String::new();
        self.write_json(&mut json);
        json
    }

    fn write_json(&self, json: &mut String) {
        match self {
            Value::Null => json.push_str("null"),
            Value::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
            Value::Number(digits) => json.push_str(digits),
            Value::Text(text) => json.push_str(&quoted(text)),
            Value::List(values) => {
                json.push('[');
                for (index, node) in values.iter().enumerate() {
                    json.push_str(if index > 0 { "," } else { "" });
                    node.value.write_json(json);
                }
                json.push(']');
            }
            Value::Object(members) => {
                json.push('{');
                for (index, member) in members.iter().enumerate() {
                    json.push_str(if index > 0 { "," } else { "" });
                    json.push_str(&quoted(&member.key));
                    json.push(':');
                    member.value.value.write_json(json);
                }
                json.push('}');
            }
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("texts can be written as JSON")
}

/// The number that `digits` of a radix of 10 mean, as JSON writes it: no plus, no leading zeros, digits on both sides
/// of the point. `digits` have an optional sign, digits with at most one point, and an optional exponent.
pub(super) fn number(digits: &str) -> Value {
    let (minus, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.strip_prefix('+').unwrap_or(digits)),
    };
    let (mantissa, exponent) = digits.split_at(digits.find(['e', 'E']).unwrap_or(digits.len()));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    Value::Number(format!("{minus}{whole}{point}{fraction}{exponent}"))
}

/// A whole number in another radix.
pub(super) fn whole_number(digits: &str, radix: u32) -> Option<Value> {
    let (minus, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.strip_prefix('+').unwrap_or(digits)),
    };
    let number = u128::from_str_radix(digits, radix).ok()?;
    Some(Value::Number(format!("{minus}{number}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_those_of_json_to_the_last_digit() {
        for (written, json) in [
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551615", "18446744073709551615"),
            ("-7", "-7"),
            ("+7", "7"),
            ("007", "7"),
            ("0", "0"),
            ("-0.0", "-0.0"),
            (".5", "0.5"),
            ("1.", "1"),
            ("1.10", "1.10"),
            ("+01.5e+3", "1.5e+3"),
            ("6E7", "6E7"),
        ] {
            assert_eq!(number(written), Value::Number(json.to_owned()), "{written}");
            assert!(serde_json::from_str::<serde_json::Number>(json).is_ok(), "{json}");
        }
        assert_eq!(whole_number("ff", 16), Some(Value::Number("255".to_owned())));
        assert_eq!(whole_number("-10", 8), Some(Value::Number("-8".to_owned())));
        assert_eq!(whole_number("8", 8), None);
    }
}
