//! Configs in TOML 1.1.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::tree::{Broken, Member, Node, Value, number, whole_number};

/// Reads the table that `text` consists of.
pub(super) fn read(text: &str) -> Result<Node, Broken> {
    let table = DeTable::parse(text).map_err(|error| Broken {
        at: error.span().unwrap_or(0..0),
        problem: error.message().trim().replace('\n', ", "),
    })?;
    Ok(Node { at: 0..text.len(), value: object(table.get_ref())? })
}

fn node(value: &Spanned<DeValue<'_>>) -> Result<Node, Broken> {
    let at = value.span();
    let value = match value.get_ref() {
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(integer) => whole(integer, &at)?,
        DeValue::Float(float) => fraction(float),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(values) => Value::List(values.iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(table) => object(table)?,
    };
    Ok(Node { at, value })
}

/// The members of a table in the order in which they are written.
fn object(table: &DeTable<'_>) -> Result<Value, Broken> {
    let mut members = table
        .iter()
        .map(|(key, value)| Ok(Member { key: key.get_ref().to_string(), key_at: key.span(), value: node(value)? }))
        .collect::<Result<Vec<_>, _>>()?;
    members.sort_by_key(|member| member.key_at.start);
    Ok(Value::Object(members))
}

fn whole(integer: &DeInteger<'_>, at: &Range<usize>) -> Result<Value, Broken> {
    match integer.radix() {
        10 => Ok(number(integer.as_str())),
        radix => whole_number(integer.as_str(), radix)
            .ok_or_else(|| Broken { at: at.clone(), problem: "the number is too large".to_owned() }),
    }
}

/// What JSON has no numbers for are the texts that protobuf's JSON has for them.
fn fraction(float: &DeFloat<'_>) -> Value {
    match float.as_str().trim_start_matches('+') {
        "inf" => Value::Text("Infinity".to_owned()),
        "-inf" => Value::Text("-Infinity".to_owned()),
        "nan" | "-nan" => Value::Text("NaN".to_owned()),
        digits => number(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn becomes_json_in_the_order_written() {
        let text = "total = 5\nz = [1_000, 0x1F, +2.50, inf, nan, 18446744073709551615]\nb.c = true\n\
                    [data]\nwhen = 2024-01-02T03:04:05Z\nname = 'Ann \"A\"'\n[[data.list]]\nx = 1\n[[data.list]]\n";
        assert_eq!(
            read(text).unwrap().value.json(),
            r#"{"total":5,"z":[1000,31,2.50,"Infinity","NaN",18446744073709551615],"b":{"c":true},"data":{"when":"2024-01-02T03:04:05Z","name":"Ann \"A\"","list":[{"x":1},{}]}}"#
        );
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "\"load-step\" = 5 # five\n";
        let Value::Object(members) = read(text).unwrap().value else { panic!("an object") };
        assert_eq!(&text[members[0].key_at.clone()], "\"load-step\"");
        assert_eq!(&text[members[0].value.at.clone()], "5");
    }

    #[test]
    fn mistakes_have_their_place() {
        let broken = read("total = 5\ncall = helloworld\n").unwrap_err();
        assert_eq!(&"total = 5\ncall = helloworld\n"[broken.at], "helloworld");
        assert!(read("a = 1\na = 2\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in r#"([\[\]{}=.,"'\\ \n#0-9a-e_+-]|é|"""|nan|inf|true|0x){0,30}"#) {
            if let Ok(node) = read(&text) {
                proptest::prop_assert!(serde_json::from_str::<serde_json::Value>(&node.value.json()).is_ok(), "{}", node.value.json());
            }
        }
    }
}
