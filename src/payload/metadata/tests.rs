use super::*;

fn wire(json: &str) -> Vec<(String, String)> {
    let metadata = Metadata::constant(json, "--metadata").unwrap();
    metadata.entries().iter().map(|(key, value)| (key.clone(), String::from_utf8(value.clone()).unwrap())).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// What is said about `json`, a line for each mistake: the sentence, where, and the hint.
fn said(json: &str) -> String {
    let problems = Metadata::constant(json, "--metadata").unwrap_err();
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
        assert!(Metadata::constant(nothing, "--metadata").unwrap().is_empty());
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
    let json =
        r#"{"Authorization":"Bearer abc","x-api-key":"k1","x-password-2":"p","cookie":"c","id-token":"t","x":"seen"}"#;
    let metadata = Metadata::constant(json, "--metadata").unwrap();
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
    let problems = Metadata::constant(broken, "--metadata").unwrap_err();
    for error in &problems {
        let text = &error.excerpt().unwrap().text;
        assert_eq!(text, r#"{"authorization":"************","x-secret":"****","x":1}"#);
    }
}

proptest::proptest! {
    #[test]
    fn never_panics(text in r#"\{("(x|Te|grpc-a|x-bin|é|token)":("[a-zA-Z=é\\n ]{0,6}"|1|null),?){0,4}\}?"#) {
        let _ = Metadata::constant(&text, "--metadata").map(|metadata| metadata.masked());
    }
}
