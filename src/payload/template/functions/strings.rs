//! Texts. Lengths and places count characters, not bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;

use super::{Function, MANY, Outcome, bounded, count, elements, integer, list, string, text};

pub(super) const FUNCTIONS: &[Function] = &[
    ("hello", 0..=0, |_| Ok(string("Hello!"))),
    ("trim", 1..=1, |args| Ok(string(text(&args[0])?.trim()))),
    ("trimAll", 2..=2, trim_all),
    ("trimall", 2..=2, trim_all),
    ("trimSuffix", 2..=2, |args| {
        let text = text(&args[1])?;
        Ok(string(text.strip_suffix(&*self::text(&args[0])?).unwrap_or(&text)))
    }),
    ("trimPrefix", 2..=2, |args| {
        let text = text(&args[1])?;
        Ok(string(text.strip_prefix(&*self::text(&args[0])?).unwrap_or(&text)))
    }),
    ("upper", 1..=1, |args| Ok(string(text(&args[0])?.to_uppercase()))),
    ("lower", 1..=1, |args| Ok(string(text(&args[0])?.to_lowercase()))),
    ("title", 1..=1, |args| Ok(string(first_letters(&text(&args[0])?, |c| c.to_uppercase().collect())))),
    ("untitle", 1..=1, |args| Ok(string(first_letters(&text(&args[0])?, |c| c.to_lowercase().collect())))),
    ("swapcase", 1..=1, |args| Ok(string(text(&args[0])?.chars().flat_map(swapped).collect::<String>()))),
    ("nospace", 1..=1, |args| Ok(string(text(&args[0])?.split_whitespace().collect::<String>()))),
    ("initials", 1..=1, |args| {
        Ok(string(text(&args[0])?.split_whitespace().filter_map(|word| word.chars().next()).collect::<String>()))
    }),
    ("substr", 3..=3, substr),
    ("trunc", 2..=2, |args| {
        let (length, text) = (integer(&args[0]), text(&args[1])?);
        let keep = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
        let skip = if length < 0 { text.chars().count().saturating_sub(keep) } else { 0 };
        Ok(string(text.chars().skip(skip).take(keep).collect::<String>()))
    }),
    ("abbrev", 2..=2, |args| Ok(string(abbreviated(&text(&args[1])?, count(&args[0])?)))),
    ("abbrevboth", 3..=3, |args| Ok(string(abbreviated_both(&text(&args[2])?, count(&args[0])?, count(&args[1])?)))),
    ("repeat", 2..=2, |args| {
        let (count, text) = (count(&args[0])?, text(&args[1])?);
        bounded(count.saturating_mul(text.len()))?;
        Ok(string(text.repeat(count)))
    }),
    ("contains", 2..=2, |args| Ok(Value::Bool(text(&args[1])?.contains(&*text(&args[0])?)))),
    ("hasPrefix", 2..=2, |args| Ok(Value::Bool(text(&args[1])?.starts_with(&*text(&args[0])?)))),
    ("hasSuffix", 2..=2, |args| Ok(Value::Bool(text(&args[1])?.ends_with(&*text(&args[0])?)))),
    // In double quotes with JSON's escapes, so that the result can stand in JSON as it is.
    ("quote", 0..=MANY, |args| {
        joined(args, " ", |value| serde_json::to_string(&*printed(value)).map_err(|error| error.to_string()))
    }),
    ("squote", 0..=MANY, |args| joined(args, " ", |value| Ok(format!("'{}'", printed(value))))),
    ("cat", 0..=MANY, |args| joined(args, " ", |value| Ok(printed(value).to_string()))),
    ("indent", 2..=2, |args| Ok(string(indented(&text(&args[1])?, count(&args[0])?)?))),
    ("nindent", 2..=2, |args| Ok(string(format!("\n{}", indented(&text(&args[1])?, count(&args[0])?)?)))),
    ("replace", 3..=3, |args| {
        let (old, new, text) = (text(&args[0])?, text(&args[1])?, text(&args[2])?);
        bounded(text.len().saturating_add(text.matches(&*old).count().saturating_mul(new.len())))?;
        Ok(string(text.replace(&*old, &new)))
    }),
    ("plural", 3..=3, |args| Ok(if integer(&args[2]) == 1 { args[0].clone() } else { args[1].clone() })),
    ("snakecase", 1..=1, |args| Ok(string(words(&text(&args[0])?).join("_").to_lowercase()))),
    ("kebabcase", 1..=1, |args| Ok(string(words(&text(&args[0])?).join("-").to_lowercase()))),
    ("camelcase", 1..=1, |args| {
        let words = words(&text(&args[0])?);
        Ok(string(
            words
                .iter()
                .map(|word| first_letters(&word.to_lowercase(), |c| c.to_uppercase().collect()))
                .collect::<String>(),
        ))
    }),
    ("wrap", 2..=2, |args| Ok(string(wrapped(&text(&args[1])?, count(&args[0])?, "\n")))),
    ("wrapWith", 3..=3, |args| Ok(string(wrapped(&text(&args[2])?, count(&args[0])?, &text(&args[1])?)))),
    ("toString", 1..=1, |args| Ok(string(printed(&args[0])))),
    ("toStrings", 1..=1, |args| Ok(list(elements(&args[0])?.iter().map(|value| string(printed(value)))))),
    ("splitList", 2..=2, |args| Ok(list(pieces(&text(&args[1])?, &text(&args[0])?, usize::MAX)))),
    ("split", 2..=2, |args| Ok(numbered(pieces(&text(&args[1])?, &text(&args[0])?, usize::MAX)))),
    ("splitn", 3..=3, |args| Ok(numbered(pieces(&text(&args[2])?, &text(&args[0])?, count(&args[1])?)))),
    ("join", 2..=2, |args| match &args[1] {
        Value::List(values) => joined(values, &text(&args[0])?, |value| Ok(printed(value).to_string())),
        value => Ok(string(printed(value))),
    }),
    ("sortAlpha", 1..=1, |args| {
        let mut texts: Vec<Arc<str>> = elements(&args[0])?.iter().map(printed).collect();
        texts.sort_unstable();
        Ok(list(texts.into_iter().map(Value::String)))
    }),
];

/// As the value prints.
fn printed(value: &Value) -> Arc<str> {
    match value {
        Value::String(text) => Arc::clone(text),
        other => other.to_string().into(),
    }
}

fn trim_all(args: &[Value]) -> Outcome {
    let cut = text(&args[0])?;
    Ok(string(text(&args[1])?.trim_matches(|c| cut.contains(c))))
}

/// Changes the first letter of each word.
fn first_letters(text: &str, change: fn(char) -> String) -> String {
    let mut in_word = false;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if in_word {
            out.push(c);
        } else {
            out.push_str(&change(c));
        }
        in_word = !c.is_whitespace();
    }
    out
}

fn swapped(c: char) -> Vec<char> {
    if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
}

/// From one place up to, and without, another. A start below 0 is the beginning, an end below 0 the end.
fn substr(args: &[Value]) -> Outcome {
    let (start, end, text) = (integer(&args[0]).max(0), integer(&args[1]), text(&args[2])?);
    let end = if end < 0 { i64::MAX } else { end };
    let at = |place: i64| usize::try_from(place).unwrap_or(usize::MAX);
    let length = at(end).saturating_sub(at(start));
    Ok(string(text.chars().skip(at(start)).take(length).collect::<String>()))
}

/// What stands for what was left out, and how many characters it has.
const DOTS: &str = "...";

/// At most `width` characters, with dots for what is missing; a width below 4 has no room for that.
fn abbreviated(text: &str, width: usize) -> String {
    if width < 4 || text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - DOTS.len()).chain(DOTS.chars()).collect()
}

/// As [`abbreviated`], beginning near `offset`.
fn abbreviated_both(text: &str, offset: usize, width: usize) -> String {
    let length = text.chars().count();
    if width < 4 || offset > 0 && width < 7 || length <= width {
        return text.to_owned();
    }
    let room = width - DOTS.len();
    let offset = offset.min(length - room);
    if offset <= 4 {
        return abbreviated(text, width);
    }
    let rest: String = text.chars().skip(offset).collect();
    if offset + room < length {
        return format!("{DOTS}{}", abbreviated(&rest, room));
    }
    DOTS.chars().chain(text.chars().skip(length - room)).collect()
}

fn joined(values: &[Value], between: &str, show: impl Fn(&Value) -> Result<String, String>) -> Outcome {
    let shown: Vec<String> = values.iter().filter(|value| **value != Value::Nil).map(show).collect::<Result<_, _>>()?;
    Ok(string(shown.join(between)))
}

fn indented(text: &str, width: usize) -> Result<String, String> {
    bounded((text.matches('\n').count() + 1).saturating_mul(width))?;
    let space = " ".repeat(width);
    Ok(format!("{space}{}", text.replace('\n', &format!("\n{space}"))))
}

/// The words of a name in any style: `httpServer2`, `HTTP-Server 2`, `http_server_2`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut in_word = false;
    for (at, c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            in_word = false;
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        // `fooBar`, and the last capital of `HTTPServer`.
        let hump = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || before.is_some_and(char::is_uppercase) && after.is_some_and(|after| after.is_lowercase()));
        if !in_word || hump {
            words.push(String::new());
        }
        in_word = true;
        words.last_mut().expect("one was begun").push(*c);
    }
    words
}

/// Broken between words so that lines have at most `width` characters, if their words allow it.
fn wrapped(text: &str, width: usize, line_end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width.max(1) {
            out.push_str(line_end);
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

/// The pieces between the separators, `most` of them at most; with nothing as separator, the characters.
fn pieces(text: &str, separator: &str, most: usize) -> Vec<Value> {
    if separator.is_empty() && most == usize::MAX {
        return text.chars().map(|c| string(c.to_string())).collect();
    }
    text.splitn(most, separator).map(string).collect()
}

/// A dict of the values, with the keys `_0`, `_1`, ...
fn numbered(values: Vec<Value>) -> Value {
    let entries = values.into_iter().enumerate().map(|(at, value)| (Arc::from(format!("_{at}")), value));
    Value::Map(Arc::new(entries.collect::<BTreeMap<_, _>>()))
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn parts() {
        check(&[
            (
                "{{trim \" a \"}}|{{trimAll \"$\" \"$5.00$\"}}|{{trimSuffix \"-\" \"a-\"}}|{{trimPrefix \"-\" \"-a\"}}",
                "a|5.00|a|a",
            ),
            (
                "{{substr 1 3 \"hello\"}}|{{substr -1 2 \"hello\"}}|{{substr 3 -1 \"hello\"}}|{{substr 9 2 \"é\"}}",
                "el|he|lo|",
            ),
            ("{{trunc 3 \"hello\"}}|{{trunc -3 \"hello\"}}|{{trunc 9 \"é\"}}", "hel|llo|é"),
            (
                "{{abbrev 5 \"hello world\"}}|{{abbrev 3 \"hello\"}}|{{abbrevboth 5 10 \"1234 5678 9123\"}}",
                "he...|hello|...5678...",
            ),
            ("{{nospace \"a b  c\"}}|{{initials \"First Try\"}}|{{repeat 3 \"ab\"}}", "abc|FT|ababab"),
            ("{{upper (list 1)}}", "!upper: it wants a text, not a list"),
            ("{{repeat 10000000 \"ab\"}}", "!repeat: 20000000 are more than 10000000"),
        ]);
    }

    #[test]
    fn case() {
        check(&[
            (
                "{{upper \"aé\"}}|{{lower \"AÉ\"}}|{{title \"hello world\"}}|{{untitle \"Hello World\"}}|{{swapcase \"aBc\"}}",
                "AÉ|aé|Hello World|hello world|AbC",
            ),
            (
                "{{snakecase \"FirstName\"}}|{{kebabcase \"HTTPServer2Go\"}}|{{camelcase \"http_server\"}}",
                "first_name|http-server2-go|HttpServer",
            ),
            ("{{snakecase \"a b--C\"}}|{{upper 7}}", "a_b_c|7"),
        ]);
    }

    #[test]
    fn whole() {
        check(&[
            ("{{contains \"b\" \"abc\"}}{{hasPrefix \"a\" \"abc\"}}{{hasSuffix \"a\" \"abc\"}}", "truetruefalse"),
            ("{{quote \"a\\\"b\" 1}}|{{squote \"a\" 1}}|{{cat \"a\" 1 nil true}}", "\"a\\\"b\" \"1\"|'a' '1'|a 1 true"),
            ("{{indent 2 \"a\\nb\"}}|{{nindent 1 \"a\"}}|{{replace \" \" \"-\" \"a b c\"}}", "  a\n  b|\n a|a-b-c"),
            ("{{plural \"one\" \"many\" 1}}{{plural \"one\" \"many\" 2}}", "onemany"),
            ("{{wrap 5 \"aa bb cc\"}}|{{wrapWith 2 \";\" \"aaa b c\"}}", "aa bb\ncc|aaa;b;c"),
        ]);
    }

    #[test]
    fn lists_of_texts() {
        check(&[
            (
                "{{splitList \",\" \"a,b\"}}{{(split \"$\" \"foo$bar\")._1}}{{splitn \"$\" 2 \"a$b$c\"}}",
                "[a b]barmap[_0:a _1:b$c]",
            ),
            (
                "{{join \"-\" (list 1 \"a\")}}{{join \"-\" \"x\"}}|{{sortAlpha (list \"b\" \"a\" 10 9)}}",
                "1-ax|[10 9 a b]",
            ),
            ("{{toString 1.5}}{{toStrings (list 1 true)}}", "1.5[1 true]"),
        ]);
    }
}
