//! Mistakes in data and metadata.

use expect_test::expect;
use grpcbench::error::DataError;

use super::{check, of, with};
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &DataError) -> Option<fn()> {
    Some(match error {
        DataError::NothingToSend { .. } => nothing_to_send,
        DataError::NotJson { .. } => syntax,
        DataError::UnknownField { .. } => a_field_that_is_not_there,
        DataError::SetTwice { .. } => a_field_twice,
        DataError::OneofTwice { .. } => two_fields_of_a_oneof,
        DataError::RequiredMissing { .. } => a_required_field_left_out,
        DataError::BadValue { .. } => a_wrong_type,
        DataError::UnknownType { .. } => an_unknown_type_in_an_any,
        DataError::More { .. } => more_mistakes_than_anyone_reads,
        DataError::Rest { .. } => a_mistake_in_every_line_of_a_long_text,
        DataError::MetadataShape { .. }
        | DataError::MetadataKey { .. }
        | DataError::MetadataTwice { .. }
        | DataError::MetadataValue { .. } => metadata,
        DataError::TemplateSyntax { .. } => templates_that_cannot_be_read,
        DataError::UnknownFunction { .. } | DataError::FunctionOff { .. } => functions_that_are_not_there,
        DataError::UnknownVariable { .. } => a_variable_that_is_not_there,
        DataError::TemplateFails { .. } => a_template_that_fails_at_once,
        DataError::NotBinary { .. } | DataError::BinaryAmbiguous { .. } => messages_in_no_form_or_in_two,
        DataError::HeaderShape => headers,
        // It takes a message of four gigabytes.
        DataError::TooLong { .. } => return None,
    })
}

#[test]
fn syntax() {
    check(
        with(&["-d", r#"{"name": "Ann",}"#]),
        expect![[r#"
        error: --data is not JSON: a name in double quotes is expected, and there is `}`
         --> --data:1:16
          |
        1 | {"name": "Ann",}
          |                ^ here
    "#]],
    );
}

#[test]
fn syntax_in_a_file_has_its_line() {
    let text = "[\n  {\"name\": \"Ann\"},\n  {\"name\": Ben}\n]\n";
    check(
        with(&["-D", "names.json"]).file("names.json", text),
        expect![[r#"
            error: names.json is not JSON: a value after `:` is expected, and there is `Ben`
             --> names.json:3:12
              |
            3 |   {"name": Ben}
              |            ^^^ here
            hint: names and texts go in double quotes; in a shell, put single quotes around the whole: '{"name": "Ann"}'
        "#]],
    );
}

#[test]
fn a_field_that_is_not_there() {
    check(
        with(&["-d", r#"{"nmae": "Ann"}"#]),
        expect![[r#"
        error: helloworld.HelloRequest has no field `nmae`
         --> --data:1:2
          |
        1 | {"nmae": "Ann"}
          |  ^^^^^^ no such field
        hint: did you mean `name`?
    "#]],
    );
    check(
        with(&["-d", r#"[{"name": "Ann"}, {"age": 7}]"#]),
        expect![[r#"
        error: helloworld.HelloRequest has no field `age` (at `[1]`)
         --> --data:1:20
          |
        1 | [{"name": "Ann"}, {"age": 7}]
          |                    ^^^^^ no such field
        hint: its fields are `name`
    "#]],
    );
}

#[test]
fn a_wrong_type() {
    check(
        with(&["-d", r#"{"name": 7}"#]),
        expect![[r#"
        error: `name` wants a string, not 7
         --> --data:1:10
          |
        1 | {"name": 7}
          |          ^ this value
    "#]],
    );
    check(
        with(&["-d", r#""Ann""#]),
        expect![[r#"
        error: the message wants an object for `helloworld.HelloRequest`, not "Ann"
         --> --data:1:1
          |
        1 | "Ann"
          | ^^^^^ this value
    "#]],
    );
}

/// A run whose input has all kinds of fields.
fn order(json: &str) -> Run {
    let proto = "syntax = \"proto2\";\npackage shop;\nimport \"google/protobuf/any.proto\";\n\
        message Order {\n  required string id = 1;\n  optional int64 cents = 2;\n  repeated Order parts = 3;\n  \
        oneof way {\n    string street = 4;\n    string box = 5;\n  }\n  optional google.protobuf.Any more = 6;\n}\n\
        service Orders {\n  rpc Put(Order) returns (Order);\n}\n";
    of(proto, "shop.Orders/Put").args(["-d", json])
}

#[test]
fn a_number_out_of_range() {
    check(
        order(r#"{"id": "a", "cents": 9223372036854775808}"#),
        expect![[r#"
        error: `cents` wants a whole number from -9223372036854775808 to 9223372036854775807 (int64), not 9223372036854775808
         --> --data:1:22
          |
        1 | {"id": "a", "cents": 9223372036854775808}
          |                      ^^^^^^^^^^^^^^^^^^^ this value
    "#]],
    );
}

#[test]
fn a_required_field_left_out() {
    check(
        order(r#"{"id": "a", "parts": [{"id": "b"}, {}]}"#),
        expect![[r#"
        error: `parts[1].id` is required and not set
         --> --data:1:36
          |
        1 | {"id": "a", "parts": [{"id": "b"}, {}]}
          |                                    ^ without `id`
    "#]],
    );
}

#[test]
fn two_fields_of_a_oneof() {
    check(
        order(r#"{"id": "a", "street": "x", "box": "y"}"#),
        expect![[r#"
        error: `street` and `box` are both set, but only one field of the oneof `way` can be
         --> --data:1:28
          |
        1 | {"id": "a", "street": "x", "box": "y"}
          |                            ^^^^^ `street` is set already
        hint: leave one of them out
    "#]],
    );
}

#[test]
fn a_field_twice() {
    check(
        order(r#"{"id": "a", "id": "b"}"#),
        expect![[r#"
        error: `id` is set twice
         --> --data:1:13
          |
        1 | {"id": "a", "id": "b"}
          |             ^^^^ here again
        hint: leave one of them out
    "#]],
    );
}

#[test]
fn an_unknown_type_in_an_any() {
    check(
        order(r#"{"id": "a", "more": {"@type": "type.googleapis.com/shop.Ordr"}}"#),
        expect![[r#"
        error: the type `shop.Ordr` (at `more.@type`) is not in the loaded files
         --> --data:1:31
          |
        1 | {"id": "a", "more": {"@type": "type.googleapis.com/shop.Ordr"}}
          |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ not in the loaded files
        hint: did you mean `shop.Order`?
    "#]],
    );
}

#[test]
fn more_mistakes_than_anyone_reads() {
    let many = (0..40).map(|n| format!(r#"{{"x{n}": 1}}"#)).collect::<Vec<_>>().join(",");
    let done = with(&["-d", &format!("[{many}]")]).go();
    assert!(done.stderr.lines().count() < 150, "{}", done.stderr);
    assert!(done.stderr.contains("more mistakes"), "{}", done.stderr);
}

/// Each is told with a copy of the text, so that all of them would cost the square of its length.
#[test]
fn a_mistake_in_every_line_of_a_long_text() {
    let (lines, parts) = (|one: &str| vec![one; 40_000].join("\n"), |one: &str| vec![one; 40_000].join(","));
    let members: Vec<String> = (0..40_000).map(|n| format!(r#""grpc-{n}":"v""#)).collect();
    for (flag, text) in [
        ("-D", lines(r#"{"name": Ann}"#).replacen("Ann", "\"Ann\"", 1)),
        ("-D", format!("[{}]", parts(r#"{"name": "{{nope}}"}"#))),
        ("-M", format!("[{}]", parts(r#"{"x": 1}"#))),
        ("-M", format!("[{}]", parts(r#"{"x": "{{nope}}"}"#))),
        ("-M", format!("{{{}}}", members.join(","))),
    ] {
        let done = with(&[flag, "long.txt"]).file("long.txt", &text).go();
        let rest = "error: the rest of long.txt was not read after so many mistakes\n";
        assert!(done.stderr.ends_with(rest), "{flag} {:.40}: {:.1000}", text, done.stderr);
        assert_eq!(done.stderr.matches("error: ").count(), 11, "{flag} {:.40}: {}", text, done.stderr);
    }
}

#[test]
fn standard_input_that_is_no_text() {
    check(
        with(&["-d", "@"]).stdin(b"\xff\xfe"),
        expect![[r"
        error: cannot read standard input for --data
        caused by: stream did not contain valid UTF-8
    "]],
    );
}

#[test]
fn nothing_to_send() {
    check(
        with(&["-d", "[]"]),
        expect![[r"
        error: --data is an empty list: there is nothing to send
        hint: leave the data out to send the empty message
    "]],
    );
}

#[test]
fn metadata() {
    check(
        with(&["-m", r#"{"a": "1", "A": "2"}"#]),
        expect![[r#"
        error: the metadata key `a` is there twice
         --> --metadata:1:12
          |
        1 | {"a": "1", "A": "2"}
          |            ^^^ here
        hint: leave one of them out
    "#]],
    );
    check(
        with(&["-m", "[1]"]),
        expect![[r#"
        error: the metadata in --metadata must be a JSON object of strings, not an array
         --> --metadata:1:1
          |
        1 | [1]
          | ^ here
        hint: write it as {"key": "value"}
    "#]],
    );
    check(
        with(&["-m", r#"{"x-trace": 1}"#]),
        expect![[r#"
        error: the value of metadata `x-trace` must be a string, not a number
         --> --metadata:1:13
          |
        1 | {"x-trace": 1}
          |             ^ here
        hint: put the value in double quotes
    "#]],
    );
    check(
        with(&["-m", r#"{"te": "gzip"}"#]),
        expect![[r#"
        error: `te` cannot be a metadata key: gRPC sets it itself
         --> --metadata:1:2
          |
        1 | {"te": "gzip"}
          |  ^^^^ here
    "#]],
    );
    check(
        with(&["-m", r#"{"raw-bin": "%%"}"#]),
        expect![[r#"
        error: the value of metadata `raw-bin` must be base64, as its key ends in `-bin`
         --> --metadata:1:13
          |
        1 | {"raw-bin": "%%"}
          |             ^^^^ here
        hint: encode the bytes, as in `printf '\x01\x02' | base64`
    "#]],
    );
}

#[test]
fn templates_that_cannot_be_read() {
    check(
        with(&["-d", r#"{"name":"{{if .UUID}}a"}"#]),
        expect![[r#"
        error: the template in --data cannot be read: this block has no `end`
         --> --data:1:10
          |
        1 | {"name":"{{if .UUID}}a"}
          |          ^^^^^^^^^^^^ here
        hint: if this is meant as plain text, add --disable-template-data
    "#]],
    );
    check(
        with(&["-D", "names.json"]).file("names.json", "[\n  {\"name\": \"{{.UUID\"}\n]"),
        expect![[r#"
            error: the template in names.json cannot be read: this action has no `}}`
             --> names.json:2:13
              |
            2 |   {"name": "{{.UUID"}
              |             ^^ here
            hint: if this is meant as plain text, add --disable-template-data
        "#]],
    );
    check(
        with(&["-d", r#"{"name":"{{$x}}"}"#]),
        expect![[r#"
        error: the template in --data cannot be read: `$x` is not declared
         --> --data:1:12
          |
        1 | {"name":"{{$x}}"}
          |            ^^ declared nowhere before this
        hint: if this is meant as plain text, add --disable-template-data
    "#]],
    );
}

#[test]
fn functions_that_are_not_there() {
    check(
        with(&["-D", "names.json"])
            .file("names.json", "[\n  {\"name\": \"{{.UUID}}\"},\n  {\"name\": \"{{newUuid}}\"}\n]"),
        expect![[r#"
            error: templates have no function `newUuid`
             --> names.json:3:15
              |
            3 |   {"name": "{{newUuid}}"}
              |               ^^^^^^^ no such function
            hint: did you mean `newUUID`?
        "#]],
    );
    check(
        with(&["-d", r#"{"name":"{{nope}}"}"#]),
        expect![[r#"
        error: templates have no function `nope`
         --> --data:1:12
          |
        1 | {"name":"{{nope}}"}
          |            ^^^^ no such function
    "#]],
    );
    check(
        with(&["--disable-template-functions", "-d", r#"{"name":"{{newUUID}}"}"#]),
        expect![[r#"
        error: `newUUID` is a function, and --disable-template-functions was given
         --> --data:1:12
          |
        1 | {"name":"{{newUUID}}"}
          |            ^^^^^^^ not in this run
    "#]],
    );
}

#[test]
fn a_variable_that_is_not_there() {
    check(
        with(&["-m", r#"{"x-rn":"{{.RequestNo}}"}"#]),
        expect![[r#"
        error: templates have no variable `.RequestNo`
         --> --metadata:1:12
          |
        1 | {"x-rn":"{{.RequestNo}}"}
          |            ^^^^^^^^^^ no such variable
        hint: the variables are `WorkerID`, `RequestNumber`, `MessageNumber`, `FullyQualifiedName`, `MethodName`, `ServiceName`, `InputName`, `OutputName`, `IsClientStreaming`, `IsServerStreaming`, `Timestamp`, `TimestampUnix` and 3 more
    "#]],
    );
}

#[test]
fn a_template_that_fails_at_once() {
    check(
        with(&["-d", r#"{"name":"{{.UUID}}{{randomInt 5 5}}"}"#]),
        expect![[r#"
        error: the template in --data fails: randomInt: there is no number from 5 up to, and without, 5
         --> --data:1:19
          |
        1 | {"name":"{{.UUID}}{{randomInt 5 5}}"}
          |                   ^^^^^^^^^^^^^^^^^ here
    "#]],
    );
    check(
        with(&["-d", r#"{"name":{{.RequestNumber}}}"#]),
        expect![[r#"
        error: `name` wants a string, not 0
         --> --data, rendered for call 0:1:9
          |
        1 | {"name":0}
          |         ^ this value
    "#]],
    );
    check(
        with(&["-d", r#"{"name":{{.MethodName}}}"#]),
        expect![[r#"
        error: --data, rendered for call 0 is not JSON: a value after `:` is expected, and there is `SayHello`
         --> --data, rendered for call 0:1:9
          |
        1 | {"name":SayHello}
          |         ^^^^^^^^ here
        hint: names and texts go in double quotes; in a shell, put single quotes around the whole: '{"name": "Ann"}'
    "#]],
    );
}

#[test]
fn messages_in_no_form_or_in_two() {
    check(
        with(&["-B", "a.bin"]).file("a.bin", b"\x05\x0a\x03Ann\x05\x0a"),
        expect![[r"
        error: a.bin has no `helloworld.HelloRequest` in it: as one message, there is no field number 0 (at byte 0); with lengths in front, the 2 bytes from byte 6 on are no whole message 2
    "]],
    );
    check(
        with(&["-B", "a.bin"]).file("a.bin", b"\x0a\x0a\x08aaaaaaaa\0"),
        expect![[r"
        error: a.bin can be one `helloworld.HelloRequest`, or 2 of them with their lengths in front
        hint: say which with --binary-format single or --binary-format delimited
    "]],
    );
    check(
        with(&["-b", "--binary-format", "single"]).stdin("\x10\x01"),
        expect![[r"
        error: standard input has no `helloworld.HelloRequest` in it: as one message, `helloworld.HelloRequest` has no field with the number 2 (at byte 0)
        hint: fields that the schema does not have can be let through with --allow-unknown-fields
    "]],
    );
}

#[test]
fn headers() {
    check(
        with(&["-H", "x-trace", "-H", ":path: /x", "-H", "x-a: caf\u{e9}", "-H", "x-token: a\nb"]),
        expect![[r"
        error: a header has no colon in it
        hint: write it as 'key: value'

        error: `:path` cannot be a metadata key: names with a colon in front belong to HTTP/2
         --> --header:1:1
          |
        1 | :path: /x
          | ^^^^^ here

        error: the value of metadata `x-a` has the character U+00E9, and must be printable ASCII
         --> --header:1:6
          |
        1 | x-a: café
          |      ^^^^ here
        hint: send other bytes as base64 under a key that ends in `-bin`

        error: the value of metadata `x-token` has a line break, and must be printable ASCII
         --> --header:1:10
          |
        1 | x-token: ***
          |          ^^^ here
        hint: check for a line break at its end
    "]],
    );
}
