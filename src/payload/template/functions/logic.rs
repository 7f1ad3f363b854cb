//! Defaults, choices by a condition, and what kind of thing a value is.

use gotmpl::Value;

use super::{Function, MANY, elements, list, string, text};

pub(super) const FUNCTIONS: &[Function] = &[
    ("default", 1..=2, |args| match args {
        [_, given] if given.is_truthy() => Ok(given.clone()),
        _ => Ok(args[0].clone()),
    }),
    ("empty", 1..=1, |args| Ok(Value::Bool(!args[0].is_truthy()))),
    ("coalesce", 0..=MANY, |args| {
        let first = args.iter().find(|value| value.is_truthy()).cloned();
        // Nothing at all prints nothing.
        Ok(first.unwrap_or(if args.is_empty() { string("") } else { Value::Nil }))
    }),
    ("all", 0..=MANY, |args| Ok(Value::Bool(args.iter().all(Value::is_truthy)))),
    ("any", 0..=MANY, |args| Ok(Value::Bool(args.iter().any(Value::is_truthy)))),
    ("compact", 1..=1, |args| Ok(list(elements(&args[0])?.iter().filter(|value| value.is_truthy()).cloned()))),
    ("mustCompact", 1..=1, |args| Ok(list(elements(&args[0])?.iter().filter(|value| value.is_truthy()).cloned()))),
    ("ternary", 3..=3, |args| Ok(if args[2].is_truthy() { args[0].clone() } else { args[1].clone() })),
    ("fail", 1..=1, |args| Err(text(&args[0])?.to_string())),
    ("deepCopy", 1..=1, |args| Ok(args[0].clone())),
    ("mustDeepCopy", 1..=1, |args| Ok(args[0].clone())),
    ("deepEqual", 2..=2, |args| Ok(Value::Bool(args[0] == args[1]))),
    ("typeOf", 1..=1, |args| Ok(string(type_name(&args[0])))),
    ("typeIs", 2..=2, |args| Ok(Value::Bool(*text(&args[0])? == *type_name(&args[1])))),
    ("typeIsLike", 2..=2, |args| {
        let wanted = text(&args[0])?;
        Ok(Value::Bool(wanted.trim_start_matches('*') == type_name(&args[1])))
    }),
    ("kindOf", 1..=1, |args| Ok(string(kind(&args[0])))),
    ("kindIs", 2..=2, |args| Ok(Value::Bool(*text(&args[0])? == *kind(&args[1])))),
];

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
        other => kind(other),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nil => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Uint(_) => "uint64",
        Value::Float(_) => "float64",
        Value::String(_) => "string",
        Value::List(_) => "slice",
        Value::Map(_) => "map",
        Value::Function(_) => "func",
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn choices() {
        check(&[
            ("{{default \"x\" \"\"}}{{default \"x\" \"y\"}}{{default 5 0}}{{\"\" | default \"z\"}}", "xy5z"),
            ("{{coalesce 0 \"\" \"a\" \"b\"}} {{empty (list)}} {{all 1 0}} {{any 1 0}}", "a true false true"),
            ("{{ternary \"yes\" \"no\" true}}{{false | ternary \"yes\" \"no\"}}", "yesno"),
            ("{{compact (list 1 0 \"\" 2)}}", "[1 2]"),
            ("{{fail \"so it is\"}}", "!fail: so it is"),
            ("{{deepEqual (list 1 2) (list 1 2)}}{{deepEqual 1 2}}", "truefalse"),
        ]);
    }

    #[test]
    fn kinds() {
        check(&[
            (
                "{{typeOf 1}} {{kindOf (list)}} {{kindIs \"map\" (dict)}} {{typeIs \"string\" \"a\"}}",
                "int slice true true",
            ),
            ("{{typeIsLike \"*int\" 1}}", "true"),
        ]);
    }
}
