//! Texts that come with the command line or by it: data, tags, names; and what of them a report may show.

use std::path::Path;

use super::values::invalid;
use crate::error::UsageError;
use crate::files;

/// A text, and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Text {
    /// The text.
    pub(super) text: String,
    /// Where it comes from, for errors.
    pub(super) origin: String,
}

/// The value of `--data`: itself, `@` for standard input, or `@FILE`.
pub(super) fn data(value: &str) -> Result<Text, UsageError> {
    match value.strip_prefix('@') {
        None => Ok(Text { text: value.to_owned(), origin: "--data".to_owned() }),
        Some("") => stdin("--data"),
        Some(path) => file("--data", Path::new(path)),
    }
}

/// The whole of a file.
pub(super) fn file(what: &'static str, path: &Path) -> Result<Text, UsageError> {
    let origin = path.display().to_string();
    match files::read_text(path) {
        Ok(text) => Ok(Text { text, origin }),
        Err(source) => Err(UsageError::Unreadable { what, from: format!("`{origin}`"), source }),
    }
}

/// The bytes of a file.
pub(super) fn file_bytes(what: &'static str, path: &Path) -> Result<Vec<u8>, UsageError> {
    files::read(path).map_err(|source| UsageError::Unreadable { what, from: format!("`{}`", path.display()), source })
}

/// All bytes of standard input.
pub(super) fn stdin_bytes(what: &'static str) -> Result<Vec<u8>, UsageError> {
    files::stdin().map_err(|source| UsageError::Unreadable { what, from: STDIN.to_owned(), source })
}

/// How errors call it.
pub(super) const STDIN: &str = "standard input";

fn stdin(what: &'static str) -> Result<Text, UsageError> {
    let origin = STDIN.to_owned();
    match files::stdin_text() {
        Ok(text) => Ok(Text { text, origin }),
        Err(source) => Err(UsageError::Unreadable { what, from: origin, source }),
    }
}

/// The labels of a run: a JSON object of strings, in the order given.
pub(super) fn tags(json: Option<&str>) -> Result<Vec<(String, String)>, UsageError> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let rule = r#"it is a JSON object of strings, such as {"env":"staging"}"#;
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).map_err(|_| invalid("--tags", json, rule))?;
    let tags = object.into_iter().map(|(name, value)| match value {
        serde_json::Value::String(value) => Ok((name, value)),
        _ => Err(invalid("--tags", json, format!("{rule}; the value of `{name}` is no string"))),
    });
    tags.collect()
}

/// A name for `:authority`: a host, or a host and a port (RFC 3986, section 3.2, without user names).
pub(super) fn authority(flag: &'static str, name: &str) -> Result<String, UsageError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:[]%".contains(c);
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(invalid(flag, name, "it is a host name or a host name with a port"));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_an_object_of_strings() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(tags(None).unwrap(), []);
        assert_eq!(tags(Some(r#"{"b":"2","a":"1"}"#)).unwrap(), [pair("b", "2"), pair("a", "1")], "in order");
        for wrong in ["", "x", "[]", r#"{"a":1}"#, r#"{"a":"#] {
            assert!(tags(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn authorities() {
        for good in ["greeter", "greeter.example:443", "[::1]:50051", "10.0.0.1"] {
            assert_eq!(authority("--cname", good).unwrap(), good);
        }
        for bad in ["", "a b", "user@host", "host/path", "höst", "a\r\nb"] {
            assert!(authority("--cname", bad).is_err(), "{bad}");
        }
    }
}
