//! Metadata of calls: checked against what gRPC and HTTP/2 allow, and brought into the form that goes over the wire.
//!
//! Rules: gRPC's "PROTOCOL-HTTP2", section Requests (names, values, `-bin`), and RFC 9113 section 8.2. Values may be
//! secrets: errors do not repeat them, and reports get [`Metadata::masked`].

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::error::{DataError, Excerpt, Problems};

use super::json::{Json, Member};
use super::{is_blank, read, scalar};

/// Metadata of calls: names in lower case with their values as they go over the wire, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Metadata {
    entries: Vec<(String, Vec<u8>)>,
}

impl Metadata {
    /// Reads a JSON object of strings; a text with nothing in it is no metadata. Upper-case keys are lowered. Values of
    /// `-bin` keys are base64 (either alphabet, with padding or without) and become unpadded base64 on the wire.
    ///
    /// Errors: text that is no such object; keys that are there twice, have characters that gRPC does not allow, or
    /// belong to gRPC or HTTP/2 itself; values that are no strings, not printable ASCII, or no base64. Numbers are not
    /// taken for their text: it is not always clear what that is.
    pub fn from_json(json: &str, origin: &str) -> Result<Metadata, Problems> {
        if is_blank(json) {
            return Ok(Metadata::default());
        }
        let node = read(json, origin)?;
        let Json::Object(members) = &node.value else {
            let excerpt = excerpt(origin, json.to_owned(), node.at.start, 1);
            return Err(
                DataError::MetadataShape { origin: origin.to_owned(), found: node.value.noun(), excerpt }.into()
            );
        };
        let shown = without_secrets(json, members);
        let mut metadata = Metadata::default();
        let mut keys = HashSet::new();
        let mut problems = Problems::new();
        for member in members {
            let key = member.name.to_ascii_lowercase();
            let at_name = || excerpt(origin, shown.clone(), member.name_at.start, member.name_at.len());
            if let Err(rule) = check_key(&key) {
                problems.push(DataError::MetadataKey {
                    key: member.name.clone().into_owned(),
                    rule,
                    excerpt: at_name(),
                });
            } else if !keys.insert(key.clone()) {
                problems.push(DataError::MetadataTwice { key, excerpt: at_name() });
            } else {
                match wire_value(&key, &member.value.value) {
                    Ok(value) => metadata.entries.push((key, value)),
                    Err(Refusal { rule, advice }) => {
                        let excerpt = excerpt(origin, shown.clone(), member.value.at.start, member.value.at.len());
                        problems.push(DataError::MetadataValue { key, rule, advice, excerpt });
                    }
                }
            }
        }
        problems.into_result()?;
        Ok(metadata)
    }

    /// The entries.
    pub fn entries(&self) -> &[(String, Vec<u8>)] {
        &self.entries
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries for people to read: values that are secrets, going by their keys, are `***`.
    pub fn masked(&self) -> Vec<(String, String)> {
        let shown = |(key, value): &(String, Vec<u8>)| {
            let value = if is_secret(key) { "***".to_owned() } else { String::from_utf8_lossy(value).into_owned() };
            (key.clone(), value)
        };
        self.entries.iter().map(shown).collect()
    }
}

/// Whether what goes by the name of `key` is best not shown.
fn is_secret(key: &str) -> bool {
    const TELLING: [&str; 7] = ["authorization", "cookie", "credential", "passw", "secret", "session", "token"];
    let key = key.to_ascii_lowercase();
    let key = key.strip_suffix("-bin").unwrap_or(&key);
    key.ends_with("key") || TELLING.iter().any(|word| key.contains(word))
}

/// `text` with the values of secret keys starred out, byte for byte, so that all places in it stay what they are.
fn without_secrets(text: &str, members: &[Member<'_>]) -> String {
    let mut shown = text.to_owned();
    for member in members.iter().filter(|member| is_secret(&member.name)) {
        if let Json::String(_) = member.value.value {
            let inside = member.value.at.start + 1..member.value.at.end - 1;
            let stars = "*".repeat(inside.len());
            shown.replace_range(inside, &stars);
        }
    }
    shown
}

fn check_key(key: &str) -> Result<(), &'static str> {
    match key {
        "" => return Err("it is empty"),
        "content-type" | "te" => return Err("gRPC sets it itself"),
        "user-agent" => return Err("it says which program is calling, and is set already"),
        "host" => return Err("the authority of a call takes its place"),
        "connection" | "keep-alive" | "proxy-connection" | "transfer-encoding" | "upgrade" | "http2-settings" => {
            return Err("HTTP/2 has no headers about connections");
        }
        "content-length" => return Err("the length of a call's data is not known from its headers"),
        _ => {}
    }
    if key.starts_with(':') {
        return Err("names with a colon in front belong to HTTP/2");
    }
    if key.starts_with("grpc-") {
        return Err("names that start with `grpc-` belong to gRPC");
    }
    if !key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'_' | b'.' | b'-')) {
        return Err("only letters, digits, `_`, `-` and `.` are allowed");
    }
    Ok(())
}

struct Refusal {
    rule: String,
    advice: Option<&'static str>,
}

fn wire_value(key: &str, value: &Json<'_>) -> Result<Vec<u8>, Refusal> {
    let Json::String(text) = value else {
        let rule = format!("must be a string, not {}", value.noun());
        let quoted = matches!(value, Json::Number(_) | Json::Bool(_));
        return Err(Refusal { rule, advice: quoted.then_some("put the value in double quotes") });
    };
    if key.ends_with("-bin") {
        return match scalar::base64_bytes(text) {
            Some(bytes) => Ok(STANDARD_NO_PAD.encode(bytes).into_bytes()),
            None => Err(Refusal {
                rule: "must be base64, as its key ends in `-bin`".to_owned(),
                advice: Some("encode the bytes, as in `printf '\\x01\\x02' | base64`"),
            }),
        };
    }
    if let Some(c) = text.chars().find(|c| !matches!(c, ' '..='~')) {
        let (rule, advice) = if c == '\n' || c == '\r' {
            ("has a line break, and must be printable ASCII".to_owned(), Some("check for a line break at its end"))
        } else {
            let advice = "send other bytes as base64 under a key that ends in `-bin`";
            (format!("has the character U+{:04X}, and must be printable ASCII", u32::from(c)), Some(advice))
        };
        return Err(Refusal { rule, advice });
    }
    if text.trim() != &**text {
        let rule = "has a space at its start or end, which HTTP/2 does not allow".to_owned();
        return Err(Refusal { rule, advice: None });
    }
    Ok(text.as_bytes().to_vec())
}

fn excerpt(origin: &str, text: String, offset: usize, len: usize) -> Excerpt {
    Excerpt { origin: origin.to_owned(), text, offset, len, label: "here".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(json: &str) -> Vec<(String, String)> {
        let metadata = Metadata::from_json(json, "--metadata").unwrap();
        metadata.entries().iter().map(|(key, value)| (key.clone(), String::from_utf8(value.clone()).unwrap())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    /// What is said about `json`, a line for each mistake: the sentence, where, and the hint.
    fn said(json: &str) -> String {
        let problems = Metadata::from_json(json, "--metadata").unwrap_err();
        let line = |error: &crate::error::Error| {
            let excerpt = error.excerpt().unwrap();
            let hint = error.hint().map_or(String::new(), |hint| format!(" / {hint}"));
            format!("{error} @{} `{}`{hint}", excerpt.offset, &excerpt.text[excerpt.offset..][..excerpt.len])
        };
        problems.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn c18_binary_values_are_encoded_once() {
        for (json, value) in [
            (r#"{"trace-bin":"AAECAw=="}"#, "AAECAw"),
            (r#"{"trace-bin":"AAECAw"}"#, "AAECAw"),
            (r#"{"Trace-Bin":"-_8="}"#, "+/8"),
            (r#"{"trace-bin":""}"#, ""),
        ] {
            assert_eq!(wire(json), pairs(&[("trace-bin", value)]), "{json}");
        }
        assert_eq!(
            said(r#"{"trace-bin":"@@"}"#),
            "the value of metadata `trace-bin` must be base64, as its key ends in `-bin` @13 `\"@@\"` / encode the bytes, as in `printf '\\x01\\x02' | base64`"
        );
    }

    #[test]
    fn c19_keys_are_lowered_and_kept_in_order() {
        assert_eq!(
            wire(r#"{"X-Tenant":"Acme","x-run":"7","a_b.c-1":"","x":" "}"#.replace(r#","x":" ""#, "").as_str()),
            pairs(&[("x-tenant", "Acme"), ("x-run", "7"), ("a_b.c-1", "")])
        );
        for nothing in ["", " \n", "{}"] {
            assert!(Metadata::from_json(nothing, "--metadata").unwrap().is_empty());
        }
    }

    #[test]
    fn c19_what_cannot_be_sent_is_refused() {
        for (json, expected) in [
            (
                r#"{"x-a":5}"#,
                "the value of metadata `x-a` must be a string, not a number @7 `5` / put the value in double quotes",
            ),
            (r#"{"x-a":null}"#, "the value of metadata `x-a` must be a string, not null @7 `null`"),
            (
                r#"["x"]"#,
                "the metadata in --metadata must be a JSON object of strings, not an array @0 `[` / write it as {\"key\": \"value\"}",
            ),
            (
                r#"{"bad key":"v"}"#,
                "`bad key` cannot be a metadata key: only letters, digits, `_`, `-` and `.` are allowed @1 `\"bad key\"`",
            ),
            (r#"{"":"v"}"#, "`` cannot be a metadata key: it is empty @1 `\"\"`"),
            (
                r#"{"x":"line\nbreak"}"#,
                "the value of metadata `x` has a line break, and must be printable ASCII @5 `\"line\\nbreak\"` / check for a line break at its end",
            ),
            (
                r#"{"x":"caf\u00e9"}"#,
                "the value of metadata `x` has the character U+00E9, and must be printable ASCII @5 `\"caf\\u00e9\"` / send other bytes as base64 under a key that ends in `-bin`",
            ),
            (
                r#"{"x":" v"}"#,
                "the value of metadata `x` has a space at its start or end, which HTTP/2 does not allow @5 `\" v\"`",
            ),
            (r#"{"x-a":"1","X-A":"2"}"#, "the metadata key `x-a` is there twice @11 `\"X-A\"` / leave one of them out"),
            (r#"{"x":1"#, "--metadata is not JSON: `,` or `}` after the value is expected, and the text ends @6 ``"),
        ] {
            assert_eq!(said(json), expected, "{json}");
        }
        for (key, reason) in [
            ("content-type", "gRPC sets it itself"),
            ("TE", "gRPC sets it itself"),
            ("grpc-timeout", "names that start with `grpc-` belong to gRPC"),
            (":path", "names with a colon in front belong to HTTP/2"),
            ("host", "the authority of a call takes its place"),
            ("Connection", "HTTP/2 has no headers about connections"),
            ("transfer-encoding", "HTTP/2 has no headers about connections"),
            ("content-length", "the length of a call's data is not known from its headers"),
            ("user-agent", "it says which program is calling, and is set already"),
        ] {
            let said = said(&format!("{{\"{key}\":\"v\"}}"));
            assert!(said.starts_with(&format!("`{key}` cannot be a metadata key: {reason} @")), "{said}");
        }
        assert_eq!(said(r#"{"te":"v","x":1,"y":2}"#).lines().count(), 3);
    }

    #[test]
    fn c19_secrets_are_in_no_report_and_no_error() {
        let json = r#"{"Authorization":"Bearer abc","x-api-key":"k1","x-password-2":"p","cookie":"c","id-token":"t","x":"seen"}"#;
        let metadata = Metadata::from_json(json, "--metadata").unwrap();
        let stars = "***";
        let expected = [
            ("authorization", stars),
            ("x-api-key", stars),
            ("x-password-2", stars),
            ("cookie", stars),
            ("id-token", stars),
            ("x", "seen"),
        ];
        assert_eq!(metadata.masked(), pairs(&expected));
        let broken = r#"{"authorization":"Bearer abc\n","x-secret":"hush","x":1}"#;
        let said = said(broken);
        assert!(!said.contains("abc") && said.contains("`authorization` has a line break"), "{said}");
        let problems = Metadata::from_json(broken, "--metadata").unwrap_err();
        for error in &problems {
            let text = &error.excerpt().unwrap().text;
            assert_eq!(text, r#"{"authorization":"************","x-secret":"****","x":1}"#);
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in r#"\{("(x|Te|grpc-a|x-bin|é|token)":("[a-zA-Z=é\\n ]{0,6}"|1|null),?){0,4}\}?"#) {
            let _ = Metadata::from_json(&text, "--metadata").map(|metadata| metadata.masked());
        }
    }
}
