//! The functions of templates beyond Go's own: ghz's and those of sprig that data for calls has a use for.
//!
//! They mean what ghz's and sprig's documentation says. Where Go would stop the program or quietly give a zero time, a
//! mistake is told. Lists and dicts cannot be changed in place here: `set`, `unset` and `merge` give a new dict.

mod collections;
mod dates;
mod encoding;
mod logic;
mod numbers;
mod random;
mod regexes;
mod strings;
mod system;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use gotmpl::{FuncMap, TemplateError, Value};

pub(super) use dates::timestamp;
pub(super) use random::{seed, uuid};

/// What a function gives, or why it cannot.
type Outcome = Result<Value, String>;

/// A function: its name, how many values it takes, what it does with them.
type Function = (&'static str, RangeInclusive<usize>, fn(&[Value]) -> Outcome);

/// As many as one likes.
const MANY: usize = usize::MAX;

/// The longest list or text that a function makes, in elements or bytes: a slip of the pen must not fill the memory.
const LARGEST: usize = 10_000_000;

/// The functions by name.
pub(super) static FUNCTIONS: LazyLock<FuncMap> = LazyLock::new(|| {
    let groups = [
        random::FUNCTIONS,
        strings::FUNCTIONS,
        numbers::FUNCTIONS,
        dates::FUNCTIONS,
        collections::FUNCTIONS,
        logic::FUNCTIONS,
        encoding::FUNCTIONS,
        regexes::FUNCTIONS,
        system::FUNCTIONS,
    ];
    groups.into_iter().flatten().map(|(name, takes, function)| registered(name, takes, *function)).collect()
});

/// Whether a template that calls the function depends on the time at which it is rendered.
pub(super) fn reads_clock(name: &str) -> bool {
    matches!(name, "now" | "ago")
}

fn registered(
    name: &'static str,
    takes: &'static RangeInclusive<usize>,
    function: fn(&[Value]) -> Outcome,
) -> (String, gotmpl::ValueFunc) {
    let checked = move |values: &[Value]| {
        let outcome =
            if takes.contains(&values.len()) { function(values) } else { Err(wrong_number(takes, values.len())) };
        outcome.map_err(|problem| TemplateError::Exec(format!("{name}: {problem}")))
    };
    (name.to_owned(), Arc::new(checked))
}

fn wrong_number(takes: &RangeInclusive<usize>, given: usize) -> String {
    let (least, most) = (*takes.start(), *takes.end());
    let wanted = match (least, most) {
        (least, MANY) => format!("at least {least}"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let s = if wanted == "1" || wanted == "at least 1" { "" } else { "s" };
    format!("it takes {wanted} value{s}, not {given}")
}

/// A text as a value.
fn string(text: impl AsRef<str>) -> Value {
    Value::String(Arc::from(text.as_ref()))
}

/// A list as a value.
fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

/// The text that a value is, or prints as. Lists, dicts and nothing are no texts.
fn text(value: &Value) -> Result<Arc<str>, String> {
    match value {
        Value::String(text) => Ok(Arc::clone(text)),
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => Ok(value.to_string().into()),
        other => Err(wants("a text", other)),
    }
}

/// The number that a value stands for as sprig sees it: texts are read, and anything else is 0.
fn integer(value: &Value) -> i64 {
    match value {
        Value::Bool(value) => i64::from(*value),
        Value::String(text) => {
            let text = text.trim();
            // A float beyond the range of integers becomes the nearest of them.
            #[allow(clippy::cast_possible_truncation)]
            text.parse().unwrap_or_else(|_| text.parse::<f64>().unwrap_or(0.0) as i64)
        }
        other => other.as_int().unwrap_or(0),
    }
}

/// As [`integer`], with a fraction.
fn float(value: &Value) -> f64 {
    match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::String(text) => text.trim().parse().unwrap_or(0.0),
        other => other.as_float().unwrap_or(0.0),
    }
}

/// A number of things: not below zero, and not so large that it fills the memory.
fn count(value: &Value) -> Result<usize, String> {
    bounded(usize::try_from(integer(value)).unwrap_or(0))
}

/// `count`, if that many are not too many.
fn bounded(count: usize) -> Result<usize, String> {
    if count > LARGEST { Err(format!("{count} are more than {LARGEST}")) } else { Ok(count) }
}

/// The elements of a list.
fn elements(value: &Value) -> Result<&[Value], String> {
    match value {
        Value::List(values) => Ok(values),
        other => Err(wants("a list", other)),
    }
}

/// The entries of a dict.
fn entries(value: &Value) -> Result<&std::collections::BTreeMap<Arc<str>, Value>, String> {
    match value {
        Value::Map(entries) => Ok(entries),
        other => Err(wants("a dict", other)),
    }
}

fn wants(wanted: impl Display, found: &Value) -> String {
    let found = match found {
        Value::Nil => "nothing (nil)",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "a number",
        Value::String(_) => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "a dict",
        Value::Function(_) => "a function",
    };
    format!("it wants {wanted}, not {found}")
}

/// Renders `template` alone, for tests of the groups.
#[cfg(test)]
fn rendered(template: &str) -> Result<String, String> {
    seed(1);
    let parsed =
        gotmpl::Template::new("").funcs(FUNCTIONS.clone()).parse(template).map_err(|error| error.to_string())?;
    parsed.execute_to_string(&Value::Nil).map_err(|error| error.to_string())
}

/// Checks what templates render to; an expectation that starts with `!` is in the error instead.
#[cfg(test)]
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (template, expected) in cases {
        match (rendered(template), expected.strip_prefix('!')) {
            (Ok(text), None) => assert_eq!(text, *expected, "{template}"),
            (Err(error), Some(expected)) => assert!(error.contains(expected), "{template}: {error}"),
            (outcome, _) => panic!("{template}: {outcome:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_once() {
        let groups = [
            random::FUNCTIONS,
            strings::FUNCTIONS,
            numbers::FUNCTIONS,
            dates::FUNCTIONS,
            collections::FUNCTIONS,
            logic::FUNCTIONS,
            encoding::FUNCTIONS,
            regexes::FUNCTIONS,
            system::FUNCTIONS,
        ];
        assert_eq!(groups.iter().map(|group| group.len()).sum::<usize>(), FUNCTIONS.len());
    }

    #[test]
    fn the_page_names_every_function() {
        let page = include_str!("../../../../docs/templates.md");
        let missing: Vec<&String> = FUNCTIONS.keys().filter(|name| !page.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn numbers_of_values_are_checked() {
        check(&[
            ("{{upper}}", "!upper: it takes 1 value, not 0"),
            ("{{randomInt 1}}", "!randomInt: it takes 2 values, not 1"),
            ("{{trunc 1 \"a\" 2}}", "!trunc: it takes 2 values, not 3"),
            ("{{coalesce}}", ""),
        ]);
    }

    proptest::proptest! {
        /// Whatever values a function gets, it gives a value or says why not.
        #[test]
        fn no_function_panics(
            name in proptest::sample::select(FUNCTIONS.keys().cloned().collect::<Vec<_>>()),
            args in proptest::collection::vec(
                proptest::sample::select(vec![
                    "\"\"", "\"é a-B_c 7\"", "0", "-1", "3", "9223372036854775807", "(sub -9223372036854775807 1)", "1.5", "nil",
                    "true", "(list)", "(list 1 \"a\" nil)", "(dict)", "(dict \"a\" 1)", "\"2006-01-02\"", "\"1h\"", "\"[\"",
                    "now", "1e300", "\"{\\\"a\\\":[1.5]}\"",
                ]),
                0..4,
            ),
        ) {
            let error = rendered(&format!("{{{{{name} {}}}}}", args.join(" "))).err().unwrap_or_default();
            proptest::prop_assert!(!error.contains("panicked"), "{}", error);
        }
    }
}
