//! A strict JSON reader that knows where everything stands.
//!
//! Written here and not taken from a crate, because an error about data must point at the value that is wrong (line,
//! column, excerpt) and numbers must stay the text that they are: a 64-bit integer goes over the wire to the last
//! digit, and `1e536870000` must not become digits first. `serde_json` keeps no positions, and its numbers are exact
//! only by a feature that changes them for the whole program.
//!
//! The grammar is RFC 8259 and nothing more: no comments, no trailing commas, no bare words. A byte-order mark in front
//! is passed over (RFC 8259 section 8.1 allows it). Values nest at most 100 deep, as in protobuf's own parsers, so
//! that the stack is safe. Members are kept as they come, also twice of the same name: what that means is decided where
//! the object is used.

use std::borrow::Cow;
use std::ops::Range;

/// How deep values nest at most.
const DEPTH: usize = 100;

/// A value and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node<'a> {
    /// Its bytes in the text.
    pub(crate) at: Range<usize>,
    /// What it is.
    pub(crate) value: Json<'a>,
}

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(&'a str),
    /// A string without its quotes and escapes.
    String(Cow<'a, str>),
    /// Values in order.
    Array(Vec<Node<'a>>),
    /// Members in order.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Member<'a> {
    /// Its name, without quotes and escapes.
    pub(crate) name: Cow<'a, str>,
    /// The bytes of the name in the text, with its quotes.
    pub(crate) name_at: Range<usize>,
    /// Its value.
    pub(crate) value: Node<'a>,
}

/// Text that is not JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NotJson {
    /// The bytes at which it shows.
    pub(crate) at: Range<usize>,
    /// What is wrong.
    pub(crate) problem: String,
}

impl Json<'_> {
    /// What it is, with an article: `a number`.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Reads the one value that `text` consists of.
pub(crate) fn read(text: &str) -> Result<Node<'_>, NotJson> {
    read_part(text, 0..text.len())
}

/// Reads the one value that a part of `text` consists of. Places are those in the whole text.
pub(super) fn read_part(text: &str, part: Range<usize>) -> Result<Node<'_>, NotJson> {
    let text = &text[..part.end];
    let mark = if text[part.start..].starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader { text, at: part.start + mark, depth: 0 };
    let value = reader.value("a value")?;
    reader.blank();
    if reader.at < text.len() {
        let end = value.at.end;
        let problem = match value.value {
            Json::Object(_) if reader.peek() == Some(b'{') => {
                "there is more after the first value: several messages go into an array".to_owned()
            }
            _ => format!("there is more after the end of the value at byte {end}"),
        };
        return Err(NotJson { at: reader.next_char(), problem });
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, wanted: &str) -> Result<Node<'a>, NotJson> {
        self.blank();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Reader::object)?,
            Some(b'[') => self.nested(Reader::array)?,
            Some(b'"') => Json::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Json::Number(self.number()?),
            _ if self.word("null") => Json::Null,
            _ if self.word("true") => Json::Bool(true),
            _ if self.word("false") => Json::Bool(false),
            _ => return Err(self.unexpected(wanted)),
        };
        Ok(Node { at: start..self.at, value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json<'a>, NotJson>) -> Result<Json<'a>, NotJson> {
        if self.depth == DEPTH {
            return Err(NotJson { at: self.next_char(), problem: format!("values nest more than {DEPTH} deep") });
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// What follows a `{`.
    fn object(&mut self) -> Result<Json<'a>, NotJson> {
        let mut members = Vec::new();
        self.blank();
        if self.skip(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.blank();
            let start = self.at;
            if self.peek() != Some(b'"') {
                let wanted =
                    if members.is_empty() { "a name in double quotes or `}`" } else { "a name in double quotes" };
                return Err(self.unexpected(wanted));
            }
            let name = self.string()?;
            let name_at = start..self.at;
            self.blank();
            if !self.skip(b':') {
                return Err(self.unexpected("`:` after the name"));
            }
            let value = self.value("a value after `:`")?;
            members.push(Member { name, name_at, value });
            self.blank();
            if self.skip(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.skip(b',') {
                return Err(self.unexpected("`,` or `}` after the value"));
            }
        }
    }

    /// What follows a `[`.
    fn array(&mut self) -> Result<Json<'a>, NotJson> {
        let mut values = Vec::new();
        self.blank();
        if self.skip(b']') {
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value(if values.is_empty() { "a value or `]`" } else { "a value after `,`" })?);
            self.blank();
            if self.skip(b']') {
                return Ok(Json::Array(values));
            }
            if !self.skip(b',') {
                return Err(self.unexpected("`,` or `]` after the value"));
            }
        }
    }

    /// A string, from its opening quote on. Borrowed as long as it has no escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, NotJson> {
        let open = self.at;
        self.at += 1;
        let mut unescaped: Option<String> = None;
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            let plain = &self.text[start..self.at];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match unescaped {
                        None => Cow::Borrowed(plain),
                        Some(text) => Cow::Owned(text + plain),
                    });
                }
                Some(b'\\') => {
                    let text = unescaped.get_or_insert_default();
                    text.push_str(plain);
                    text.push(self.escape()?);
                }
                Some(control) => {
                    let problem =
                        format!("a string has the raw control character U+{control:04X}; write it as an escape");
                    return Err(NotJson { at: self.at..self.at + 1, problem });
                }
                None => {
                    let problem = "this string has no closing quote".to_owned();
                    return Err(NotJson { at: open..open + 1, problem });
                }
            }
        }
    }

    /// A character written as an escape, from the backslash on.
    fn escape(&mut self) -> Result<char, NotJson> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(start);
            }
            _ => {
                let at = start..self.next_char().end;
                return Err(NotJson { at, problem: "no such escape in a string".to_owned() });
            }
        };
        self.at += 1;
        Ok(plain)
    }

    /// What `\u` at `start` means, with its second half if it is the first of a surrogate pair (RFC 8259 section 7).
    fn unicode(&mut self, start: usize) -> Result<char, NotJson> {
        let first = self.hex(start)?;
        let code = match first {
            0xD800..0xDC00 if self.text[self.at..].starts_with("\\u") => {
                self.at += 2;
                let second = self.hex(start)?;
                if !(0xDC00..0xE000).contains(&second) {
                    return Err(self.half(start));
                }
                0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(|| self.half(start))
    }

    fn half(&self, start: usize) -> NotJson {
        NotJson { at: start..self.at, problem: "half of a surrogate pair is no character".to_owned() }
    }

    fn hex(&mut self, start: usize) -> Result<u32, NotJson> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let code = digits.and_then(|digits| {
            digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
        });
        let Some(code) = code else {
            let at = start..self.at;
            return Err(NotJson { at, problem: "four hexadecimal digits must follow `\\u`".to_owned() });
        };
        self.at += 4;
        Ok(code)
    }

    /// A number, checked and kept as it is written.
    fn number(&mut self) -> Result<&'a str, NotJson> {
        let start = self.at;
        self.skip(b'-');
        let whole = self.digits("a digit")?;
        if self.text.as_bytes()[whole] == b'0' && self.at > whole + 1 {
            return Err(NotJson { at: start..self.at, problem: "a number has no leading zeros".to_owned() });
        }
        if self.skip(b'.') {
            self.digits("a digit after the point")?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            if !self.skip(b'+') {
                self.skip(b'-');
            }
            self.digits("a digit in the exponent")?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Passes over at least one digit; returns where they start.
    fn digits(&mut self, wanted: &str) -> Result<usize, NotJson> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected(wanted)) } else { Ok(start) }
    }

    fn word(&mut self, word: &str) -> bool {
        let after = self.text[self.at..].strip_prefix(word);
        let whole = after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if whole {
            self.at += word.len();
        }
        whole
    }

    fn skip(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The bytes of the character that comes next; empty at the end.
    fn next_char(&self) -> Range<usize> {
        self.at..self.at + self.text[self.at..].chars().next().map_or(0, char::len_utf8)
    }

    fn unexpected(&self, wanted: &str) -> NotJson {
        let rest = &self.text[self.at..];
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len()).min(20);
        let (at, found) = match rest.chars().next() {
            None => (self.at..self.at, "the text ends".to_owned()),
            Some('\'') => (self.next_char(), "there is a single quote; JSON has double quotes".to_owned()),
            Some(_) if word > 1 => (self.at..self.at + word, format!("there is `{}`", &rest[..word])),
            Some(c) if c.is_control() => (self.next_char(), format!("there is the character U+{:04X}", u32::from(c))),
            Some(c) => (self.next_char(), format!("there is `{c}`")),
        };
        NotJson { at, problem: format!("{wanted} is expected, and {found}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_places_and_numbers_their_text() {
        let text = " {\"a\": [1.50e+3, \"x\\u00e9\"], \"b\":{}}\n";
        let Json::Object(members) = read(text).unwrap().value else { panic!("an object") };
        assert_eq!(&text[members[0].name_at.clone()], "\"a\"");
        let Json::Array(values) = &members[0].value.value else { panic!("an array") };
        assert_eq!(values[0], Node { at: 8..15, value: Json::Number("1.50e+3") });
        assert_eq!(values[1].value, Json::String("xé".into()));
        assert_eq!(&text[values[1].at.clone()], "\"x\\u00e9\"");
        assert_eq!(members[1].value.value, Json::Object(Vec::new()));
    }

    #[test]
    fn agrees_with_another_reader_on_what_is_json() {
        for text in [
            "null",
            "true",
            "0",
            "-0",
            "1e5",
            "-1.5E-7",
            "\"\"",
            "[]",
            "[1,2]",
            "{}",
            "{\"a\":1,\"a\":2}",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
            "\"\\ud83d\\ude00\"",
            "\" \u{7f}\u{2028}\"",
            "\t\r\n1 ",
            "",
            " ",
            "nul",
            "nulls",
            "True",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e",
            "1e+",
            "0x1",
            "1_000",
            "NaN",
            "Infinity",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83d\\u0041\"",
            "\"\n\"",
            "\"\t\"",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{a:1}",
            "{'a':1}",
            "{\"a\" 1}",
            "{1:2}",
            "1 2",
            "{} {}",
            "[]]",
            "// c\n1",
            "1 // c",
            "\u{a0}1",
            "\u{1}",
            "-\u{e9}",
            "\"\\u00\u{e9}\"",
            "\"\\\u{e9}\"",
        ] {
            let theirs = serde_json::from_str::<serde_json::Value>(text);
            match (read(text), theirs) {
                (Ok(ours), Ok(theirs)) => assert_eq!(plain(&ours), theirs, "{text}"),
                (Err(_), Err(_)) => {}
                (ours, theirs) => panic!("{text}: {ours:?}, {theirs:?}"),
            }
        }
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, at, problem) in [
            ("", 0..0, "a value is expected, and the text ends"),
            ("{\"a\" 1}", 5..6, "`:` after the name is expected, and there is `1`"),
            ("{\"a\":1 \"b\"", 7..8, "`,` or `}` after the value is expected, and there is `\"`"),
            ("{\"a\":1,}", 7..8, "a name in double quotes is expected, and there is `}`"),
            (
                "{'a':1}",
                1..2,
                "a name in double quotes or `}` is expected, and there is a single quote; JSON has double quotes",
            ),
            ("{name:1}", 1..5, "a name in double quotes or `}` is expected, and there is `name`"),
            ("[1,]", 3..4, "a value after `,` is expected, and there is `]`"),
            ("[tru]", 1..4, "a value or `]` is expected, and there is `tru`"),
            ("{\"s\":\"line\nbreak\"}", 10..11, "a string has the raw control character U+000A; write it as an escape"),
            ("{\"s\":\"open}", 5..6, "this string has no closing quote"),
            ("{\"n\":007}", 5..8, "a number has no leading zeros"),
            ("{\"n\":1.}", 7..8, "a digit after the point is expected, and there is `}`"),
            ("\"a\\q\"", 2..4, "no such escape in a string"),
            ("{} {}", 3..4, "there is more after the first value: several messages go into an array"),
            ("1 x", 2..3, "there is more after the end of the value at byte 1"),
        ] {
            assert_eq!(read(text), Err(NotJson { at, problem: problem.to_owned() }), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_in_front_only() {
        assert_eq!(read("\u{feff}[]").unwrap().at, 3..5);
        assert!(read("[\u{feff}]").is_err());
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(DEPTH)).is_ok());
        assert_eq!(read(&nested(DEPTH + 1)).unwrap_err().at, DEPTH..DEPTH + 1);
        assert!(read(&"[".repeat(1_000_000)).is_err());
        assert!(read(&"{\"a\":".repeat(1_000_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_agrees_with_another_reader(text in r#"([\[\]{}:,"\\ eE.+\-a-u0-9é\u{1}]|\\u|true|null|"a":){0,16}"#) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text).ok();
            // The other reader has limits of its own for exponents; ours judges numbers where they are used.
            let ours = read(&text).ok();
            proptest::prop_assert!(theirs.is_none() || ours.is_some(), "{:?}", text);
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                proptest::prop_assert_eq!(plain(&ours), theirs);
            }
        }
    }

    fn plain(node: &Node<'_>) -> serde_json::Value {
        match &node.value {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => (*value).into(),
            Json::Number(text) => serde_json::from_str(text).expect("numbers were checked"),
            Json::String(text) => text.as_ref().into(),
            Json::Array(values) => values.iter().map(plain).collect(),
            Json::Object(members) => {
                members.iter().map(|member| (member.name.clone().into_owned(), plain(&member.value))).collect()
            }
        }
    }
}
