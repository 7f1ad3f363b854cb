//! A check of a document against a JSON Schema (2020-12), for the part of the language that our schema uses.
//!
//! Stricter than the standard in two ways, so that schema and documents cannot drift apart: a keyword that is not
//! understood here is a mistake, and so is a property of the document that the schema does not describe.

use serde_json::{Map, Value};

/// What is wrong with `document`, each with its place; empty if nothing is.
pub(crate) fn violations(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema, found: &mut found }.check(schema, document, "$");
    found
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Value, value: &Value, place: &str) {
        if schema == &Value::Bool(true) {
            return;
        }
        let Some(rules) = schema.as_object() else {
            return self.wrong(place, "the schema is no object here");
        };
        for (keyword, rule) in rules {
            match keyword.as_str() {
                // Words for people, and what is looked at elsewhere: properties below, definitions by reference.
                "$schema" | "title" | "description" | "$defs" | "properties" | "additionalProperties" => {}
                "$ref" => {
                    let target = rule.as_str().and_then(|to| to.strip_prefix('#')).and_then(|to| self.root.pointer(to));
                    match target {
                        Some(target) => self.check(target, value, place),
                        None => self.wrong(place, &format!("there is no {rule}")),
                    }
                }
                "type" => {
                    let names: Vec<&str> = match rule {
                        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                        _ => rule.as_str().into_iter().collect(),
                    };
                    if !names.iter().any(|name| is_of_type(value, name)) {
                        self.wrong(place, &format!("{value} is not of type {rule}"));
                    }
                }
                "const" => {
                    if value != rule {
                        self.wrong(place, &format!("{value} is not {rule}"));
                    }
                }
                "enum" => {
                    if !rule.as_array().is_some_and(|values| values.contains(value)) {
                        self.wrong(place, &format!("{value} is none of {rule}"));
                    }
                }
                "minimum" | "maximum" => {
                    let out = |number, limit| if keyword == "minimum" { number < limit } else { number > limit };
                    if let (Some(number), Some(limit)) = (value.as_f64(), rule.as_f64())
                        && out(number, limit)
                    {
                        self.wrong(place, &format!("{value} breaks the {keyword} {rule}"));
                    }
                }
                "required" => {
                    for name in rule.as_array().into_iter().flatten().filter_map(Value::as_str) {
                        if value.as_object().is_some_and(|object| !object.contains_key(name)) {
                            self.wrong(place, &format!("{name} is missing"));
                        }
                    }
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{place}[{at}]"));
                    }
                }
                _ => self.wrong(place, &format!("the schema has a keyword that is not understood: {keyword}")),
            }
        }
        if let Some(object) = value.as_object() {
            self.properties(rules, object, place);
        }
    }

    fn properties(&mut self, rules: &'a Map<String, Value>, object: &Map<String, Value>, place: &str) {
        if rules.contains_key("$ref") {
            return;
        }
        for (name, value) in object {
            let place = format!("{place}.{name}");
            match rules
                .get("properties")
                .and_then(|known| known.get(name))
                .or_else(|| rules.get("additionalProperties"))
            {
                Some(schema) => self.check(schema, value, &place),
                None => self.wrong(&place, "the schema does not describe it"),
            }
        }
    }

    fn wrong(&mut self, place: &str, what: &str) {
        self.found.push(format!("{place}: {what}"));
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

/// The checker itself must be able to say no.
#[test]
fn finds_what_is_wrong() {
    let schema: Value = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"$ref": "#/$defs/count"},
            "b": {"type": "array", "items": {"enum": ["x", "y"]}},
            "c": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "$defs": {"count": {"type": "integer", "minimum": 0}},
    });
    let wrong = |document: Value| violations(&schema, &document);
    assert_eq!(wrong(serde_json::json!({"a": 1, "b": ["x"], "c": {"d": "e"}})), [""; 0]);
    assert_eq!(wrong(serde_json::json!({})), ["$: a is missing"]);
    assert_eq!(wrong(serde_json::json!({"a": -1})), ["$.a: -1 breaks the minimum 0"]);
    assert_eq!(wrong(serde_json::json!({"a": 1.5})), ["$.a: 1.5 is not of type \"integer\""]);
    assert_eq!(wrong(serde_json::json!({"a": 1, "b": ["z"]})), ["$.b[0]: \"z\" is none of [\"x\",\"y\"]"]);
    assert_eq!(wrong(serde_json::json!({"a": 1, "c": {"d": 1}})), ["$.c.d: 1 is not of type \"string\""]);
    assert_eq!(wrong(serde_json::json!({"a": 1, "z": 1})), ["$.z: the schema does not describe it"]);
    let typo = serde_json::json!({"typ": "object"});
    assert_eq!(violations(&typo, &Value::Null), ["$: the schema has a keyword that is not understood: typ"]);
}
