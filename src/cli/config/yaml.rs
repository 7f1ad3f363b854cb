//! Configs in YAML 1.2, with its core schema, anchors, and merge keys (`<<`).
//!
//! The crate gives events with their places, and scalars as they are written; what they mean is decided here. So numbers keep their
//! digits, and `no` in data is the text that it looks like, where YAML 1.1 has a boolean.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::tree::{Broken, Member, Node, Value, number, whole_number};

/// How deep values nest at most.
const DEPTH: usize = 100;
/// How many values there are at most once aliases are replaced by what they stand for.
const VALUES: usize = 1_000_000;

/// Reads the one document of `text`.
pub(super) fn read(text: &str) -> Result<Node, Broken> {
    let mut reader =
        Reader { events: Parser::new_from_str(text), places: Places::of(text), anchors: HashMap::new(), values: 0 };
    let mut document = None;
    loop {
        let (event, at) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) if document.is_some() => {
                return Err(Broken {
                    at,
                    problem: "a config is one document, and a second one starts here".to_owned(),
                });
            }
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => document = Some(reader.node(event, at, DEPTH)?),
        }
    }
    Ok(document.unwrap_or(Node { at: 0..0, value: Value::Null }))
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    places: Places,
    anchors: HashMap<usize, Node>,
    values: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Broken> {
        match self.events.next() {
            Some(Ok((event, span))) => Ok((event, self.places.range(span))),
            Some(Err(error)) => Err(self.broken(&error)),
            None => Ok((Event::StreamEnd, self.places.end())),
        }
    }

    fn broken(&self, error: &ScanError) -> Broken {
        let at = self.places.byte(error.marker().index());
        Broken { at: at..at, problem: error.info().to_owned() }
    }

    /// The value that starts with `event`, with at most `depth` levels in it.
    fn node(&mut self, event: Event<'a>, at: Range<usize>, depth: usize) -> Result<Node, Broken> {
        if depth == 0 {
            return Err(Broken { at, problem: format!("values nest more than {DEPTH} deep") });
        }
        self.values += 1;
        let (anchor, node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value = if is_text { Value::Text(text.into_owned()) } else { plain(&text) };
                (anchor, Node { at, value })
            }
            Event::SequenceStart(anchor, _) => (anchor, self.list(at, depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.object(at, depth)?),
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    return Err(Broken { at, problem: "this alias stands for what it is in itself".to_owned() });
                };
                let extent = Extent::of(&node);
                self.values += extent.values;
                if extent.levels > depth {
                    return Err(Broken { at, problem: format!("values nest more than {DEPTH} deep") });
                }
                (0, Node { at, ..node })
            }
            _ => return Err(Broken { at, problem: "a value is expected".to_owned() }),
        };
        if self.values > VALUES {
            let problem = format!("there are more than {VALUES} values, with aliases replaced by what they stand for");
            return Err(Broken { at: node.at, problem });
        }
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, at: Range<usize>, depth: usize) -> Result<Node, Broken> {
        let mut values = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, end) => {
                    return Ok(Node { at: at.start..end.end.max(at.end), value: Value::List(values) });
                }
                (event, at) => values.push(self.node(event, at, depth - 1)?),
            }
        }
    }

    fn object(&mut self, at: Range<usize>, depth: usize) -> Result<Node, Broken> {
        let mut members: Vec<Member> = Vec::new();
        let mut keys = HashSet::new();
        let mut merged = Vec::new();
        loop {
            let (key, key_at) = match self.next()? {
                (Event::MappingEnd, end) => {
                    merge(&mut members, &mut keys, merged);
                    return Ok(Node { at: at.start..end.end.max(at.end), value: Value::Object(members) });
                }
                (Event::Scalar(key, style, ..), at) => ((key.into_owned(), style == ScalarStyle::Plain), at),
                (_, at) => return Err(Broken { at, problem: "a key is a text".to_owned() }),
            };
            let (event, at) = self.next()?;
            let value = self.node(event, at, depth - 1)?;
            match key {
                (key, true) if key == "<<" => merged.push(value),
                (key, _) if !keys.insert(key.clone()) => {
                    return Err(Broken { at: key_at, problem: format!("the key `{key}` is there twice") });
                }
                (key, _) => members.push(Member { key, key_at, value }),
            }
        }
    }
}

/// Adds the members of the `merged` objects that are not there yet. `keys` are those of `members`.
fn merge(members: &mut Vec<Member>, keys: &mut HashSet<String>, merged: Vec<Node>) {
    for node in merged {
        match node.value {
            Value::Object(more) => {
                for member in more {
                    if keys.insert(member.key.clone()) {
                        members.push(member);
                    }
                }
            }
            Value::List(nodes) => merge(members, keys, nodes),
            _ => {}
        }
    }
}

/// How much a value is.
struct Extent {
    values: usize,
    levels: usize,
}

impl Extent {
    fn of(node: &Node) -> Extent {
        let within: Vec<Extent> = match &node.value {
            Value::List(nodes) => nodes.iter().map(Extent::of).collect(),
            Value::Object(members) => members.iter().map(|member| Extent::of(&member.value)).collect(),
            _ => Vec::new(),
        };
        Extent {
            values: 1 + within.iter().map(|extent| extent.values).sum::<usize>(),
            levels: 1 + within.iter().map(|extent| extent.levels).max().unwrap_or_default(),
        }
    }
}

/// What a scalar without quotes means: the core schema of YAML 1.2.2, section 10.3.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Text("NaN".to_owned()),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Value::Text(if text.starts_with('-') { "-Infinity" } else { "Infinity" }.to_owned());
    }
    let other = [("0x", 16), ("0o", 8)].into_iter().find_map(|(prefix, radix)| {
        let digits = text.strip_prefix(prefix)?;
        digits.chars().all(|c| c.is_digit(radix)).then(|| whole_number(digits, radix)).flatten()
    });
    match other {
        Some(value) => value,
        None if is_decimal(unsigned) => number(text),
        None => Value::Text(text.to_owned()),
    }
}

/// Digits with at most one point, and an exponent.
fn is_decimal(text: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        None => (text, None),
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
    !(whole.is_empty() && fraction.is_empty())
        && all_digits(whole)
        && all_digits(fraction)
        && exponent.is_none_or(|exponent| !exponent.is_empty() && all_digits(exponent))
}

/// Where the characters of a text are in its bytes: the crate counts characters.
struct Places {
    bytes: Vec<usize>,
}

impl Places {
    fn of(text: &str) -> Places {
        Places { bytes: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    fn byte(&self, character: usize) -> usize {
        self.bytes[character.min(self.bytes.len() - 1)]
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }

    fn end(&self) -> Range<usize> {
        let end = self.byte(usize::MAX);
        end..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        read(text).unwrap().value.json()
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (written, expected) in [
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551615", "18446744073709551615"),
            ("-7", "-7"),
            ("+.5e3", "0.5e3"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("007", "7"),
            ("1_000", "\"1_000\""),
            ("1.2.3", "\"1.2.3\""),
            ("1e", "\"1e\""),
            (".", "\".\""),
            ("-", "[null]"),
            ("true", "true"),
            ("no", "\"no\""),
            ("yes", "\"yes\""),
            ("~", "null"),
            ("-.inf", "\"-Infinity\""),
            (".nan", "\"NaN\""),
            ("'5'", "\"5\""),
            ("\"5\"", "\"5\""),
            ("!!str 5", "\"5\""),
            ("2024-01-02", "\"2024-01-02\""),
            ("localhost:50051", "\"localhost:50051\""),
        ] {
            assert_eq!(json(written), expected, "{written}");
        }
    }

    #[test]
    fn nested_values_anchors_and_merge_keys() {
        let text = "base: &b {x: 1, y: 2}\ndata:\n  - name: Ann\n    7: [a, b]\n  - <<: *b\n    y: 3\n    text: |\n      two\n      lines\nalso: *b\n";
        assert_eq!(
            json(text),
            r#"{"base":{"x":1,"y":2},"data":[{"name":"Ann","7":["a","b"]},{"y":3,"text":"two\nlines\n","x":1}],"also":{"x":1,"y":2}}"#
        );
        assert_eq!(json(""), "null");
        assert_eq!(json("---\na: 1\n...\n"), r#"{"a":1}"#);
    }

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "name: \"é\"\ntimeout:  5 # five\n";
        let Value::Object(members) = read(text).unwrap().value else { panic!("an object") };
        assert_eq!(&text[members[1].key_at.clone()], "timeout");
        assert_eq!(&text[members[1].value.at.clone()], "5");
    }

    #[test]
    fn mistakes() {
        for text in
            ["a: 1\na: 2\n", "a: [1\n", "a: 1\n---\nb: 2\n", "? [x]\n: 1\n", "a: &a [*a]\n", "a: *b\n", "a:\n\t- b\n"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn aliases_cannot_blow_up() {
        let levels: Vec<String> = (1..12)
            .map(|level| format!("a{level}: &a{level} [{}]\n", [format!("*a{}", level - 1).as_str(); 10].join(",")))
            .collect();
        let text = format!("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n{}", levels.concat());
        assert!(read(&text).unwrap_err().problem.contains("more than"));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in r#"([\[\]{}:,"'\\ \n#0-9a-e&*!|>?%-]|é|: |- |<<|---|true|0x|\t){0,30}"#) {
            if let Ok(node) = read(&text) {
                proptest::prop_assert!(serde_json::from_str::<serde_json::Value>(&node.value.json()).is_ok(), "{}", node.value.json());
            }
        }
    }
}
