//! Metadata that differs from call to call: turns, templates, and values from the command line.

use super::*;

fn read(json: &str) -> Result<Metadata, Problems> {
    Metadata::from_json(json, "--metadata", &put(), &Reading::default())
}

/// All metadata of a call, those of every call first.
fn of_call(metadata: &Metadata, index: u64) -> Vec<(String, String)> {
    let mut room = Room::new();
    metadata.render(&Call::new(index, 2, 1), &mut room).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let fixed = metadata.entries().iter().map(|(key, value)| (key.clone(), text(value)));
    fixed.chain(metadata.of_call(index, &room).map(|(key, value)| (text(key), text(value)))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn an_array_takes_turns() {
    for json in [r#"[{"x":"a"},{"x":"b","y":"1"}]"#, r#"[{"X":"a"},{"x":"{{`b`}}","y":"1"}]"#] {
        let metadata = read(json).unwrap();
        assert!(metadata.entries().is_empty() && !metadata.is_empty());
        assert_eq!(of_call(&metadata, 0), pairs(&[("x", "a")]), "{json}");
        assert_eq!(of_call(&metadata, 1), pairs(&[("x", "b"), ("y", "1")]), "{json}");
        assert_eq!(of_call(&metadata, 2), pairs(&[("x", "a")]), "{json}");
        assert_eq!(of_call(&metadata.unshared(), 3), pairs(&[("x", "b"), ("y", "1")]), "{json}");
    }
    assert_eq!(read(r#"[{"x":"a"}]"#).unwrap().entries().len(), 1, "one for all calls");
    assert!(lines(&read(r#"[{"x":"a"},1]"#).unwrap_err()).contains("must be a JSON object of strings, not an array"));
}

#[test]
fn several_values_of_a_key() {
    let metadata = read(r#"{"x":["a","b"],"y-bin":["AA==","/w"],"z":[]}"#).unwrap();
    assert_eq!(of_call(&metadata, 0), pairs(&[("x", "a"), ("x", "b"), ("y-bin", "AA"), ("y-bin", "/w")]));
    assert_eq!(
        lines(&read(r#"{"x":["a",1]}"#).unwrap_err()),
        "the value of metadata `x` must be a string, not a number @10 `1` here / put the value in double quotes"
    );
}

#[test]
fn templates_in_keys_and_values() {
    let metadata = read(
        r#"{"X-{{.MethodName}}":"{{printf "%02d" .RequestNumber}}","w":"{{.WorkerID}}","b-bin":"{{b64enc "\xff"}}"}"#,
    );
    let metadata = metadata.unwrap_or_else(|problems| panic!("{}", lines(&problems)));
    assert_eq!(of_call(&metadata, 7)[..2], pairs(&[("x-put", "07"), ("w", "g2c1")]));
    assert_eq!(of_call(&metadata, 8)[0].1, "08");
    assert_eq!(of_call(&metadata.unshared(), 9)[0].1, "09");
    assert_eq!(metadata.masked()[0], ("x-put".to_owned(), "{{...}}".to_owned()), "a quote in an action hides the text");
    let metadata = read(r#"{"rn":"{{.RequestNumber}}","x-token":"{{newUUID}}"}"#).unwrap();
    assert_eq!(metadata.masked(), pairs(&[("rn", "{{.RequestNumber}}"), ("x-token", "***")]));
    for (json, expected) in [
        (r#"{"x":"{{nope}}"}"#, "templates have no function `nope` @8 `nope`"),
        (r#"{"{{`te`}}":"a"}"#, "`te` cannot be a metadata key: gRPC sets it itself @1 `\"te\"`"),
        (r#"{"x":"{{fail "no"}}"}"#, "the template in --metadata fails: fail: no @6 `{{fail \"no\"}}`"),
        (r#"{"x":{{1}}}"#, "the value of metadata `x` must be a string, not a number @5 `1`"),
        (r#"{"b-bin":"{{`?`}}"}"#, "the value of metadata `b-bin` must be base64, as its key ends in `-bin`"),
    ] {
        let said = lines(&read(json).unwrap_err());
        assert!(said.starts_with(expected), "{json}: {said}");
    }
}

#[test]
fn a_failure_on_a_later_call_is_its_reason() {
    let metadata = read(r#"{"x":"{{if gt .RequestNumber 2}}{{fail "no more"}}{{end}}"}"#).unwrap();
    let mut room = Room::new();
    assert_eq!(metadata.render(&Call::new(2, 0, 0), &mut room), Ok(()));
    let reason = metadata.render(&Call::new(3, 0, 0), &mut room).unwrap_err();
    assert_eq!(reason, "the template in --metadata fails: fail: no more");
}

#[test]
fn headers_are_added_behind() {
    let mut metadata = read(r#"{"x":"a"}"#).unwrap();
    for header in [
        "X: b",
        "x-none:",
        "x-colon: a:b ",
        "x-rn:  {{.RequestNumber}}",
        "x-tr-bin: {{b64enc \"a\"}}",
        "x-pass: {{.UUID}}",
    ] {
        metadata.add_header(header, &put(), &Reading::default()).unwrap();
    }
    let found = of_call(&metadata, 4);
    let expected = [("x", "a"), ("x", "b"), ("x-none", ""), ("x-colon", "a:b"), ("x-rn", "4"), ("x-tr-bin", "YQ")];
    assert_eq!(found[..6], pairs(&expected));
    assert_eq!(of_call(&metadata.unshared(), 4), found);
    let shown = metadata.masked();
    assert_eq!(shown[4..6], pairs(&[("x-rn", "{{.RequestNumber}}"), ("x-tr-bin", "{{b64enc \"a\"}}")]));
    assert!(metadata.is_rendered() && !metadata.reads_clock());
}

#[test]
fn headers_that_cannot_be_sent_are_refused() {
    for (header, expected) in [
        ("x-a", "a header has no colon in it / write it as 'key: value'"),
        ("", "a header has no colon in it / write it as 'key: value'"),
        (":path: /x", "`:path` cannot be a metadata key: names with a colon in front belong to HTTP/2 @0 `:path` here"),
        ("te: x", "`te` cannot be a metadata key: gRPC sets it itself @0 `te` here"),
        (
            "authorization: h\u{e9}",
            "the value of metadata `authorization` has the character U+00E9, and must be printable ASCII @15 `***` here / send other bytes as base64 under a key that ends in `-bin`",
        ),
        ("x: {{nope}}", "templates have no function `nope` @5 `nope` no such function"),
        (
            "x: {{`é`}}",
            "the value of metadata `x` has the character U+00E9, and must be printable ASCII @0 `é` here / send other bytes as base64 under a key that ends in `-bin`",
        ),
    ] {
        let problems = Metadata::default().add_header(header, &put(), &Reading::default()).unwrap_err();
        assert_eq!(lines(&problems), expected, "{header}");
    }
}

proptest::proptest! {
    #[test]
    fn never_panics(text in r#"(x|:| |te|-bin|é|\{\{|\}\}|\.UUID|"|\{|\}|\[|\]|,){0,12}"#) {
        let mut metadata = read(&text).unwrap_or_default();
        let _ = metadata.add_header(&text, &put(), &Reading::default());
        let _ = metadata.masked();
        let mut room = Room::new();
        for index in 0..2 {
            if metadata.render(&Call::new(index, 0, 0), &mut room).is_ok() {
                let _ = metadata.of_call(index, &room).count();
            }
        }
    }
}
