//! JSON in, bytes out; what is refused, and what is said about it.

mod binary;
mod metadata;
mod shapes;
mod shown;

use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

use prost_reflect::DynamicMessage;

use super::message::{PREFIX, prefix};
use super::*;
use crate::schema::{Method, Schema};

/// The method `call` of a schema with one file.
fn method(proto: &str, call: &str) -> Method {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.proto");
    fs::write(&path, proto).unwrap();
    Schema::compile(&[path], &[]).unwrap().method(call).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The calls that constant data stands for.
fn source(json: Option<&str>, method: &Method) -> Result<CallSource, Problems> {
    CallSource::from_json(json, "--data", method, &Reading::default())
}

/// The only message of call `index`, encoded.
fn message(source: &CallSource, index: u64) -> Vec<u8> {
    let room = Room::new();
    let messages = source.call(index, &room);
    assert_eq!(messages.len(), 1, "{source:?}");
    let framed = messages.get(0).unwrap();
    assert_eq!(payload_bytes(framed) as usize, framed.len() - PREFIX);
    framed[PREFIX..].to_vec()
}

/// The encoded message that `json` gives.
fn encoded(method: &Method, json: &str) -> String {
    match source(Some(json), method) {
        Ok(source) => hex(&message(&source, 0)),
        other => panic!("{json}: {other:?}"),
    }
}

/// What is said about `json`, a line for each mistake: the sentence, where, and the hint.
fn said(method: &Method, json: &str) -> String {
    match source(Some(json), method) {
        Ok(source) => panic!("{json} is accepted: {source:?}"),
        Err(problems) => lines(&problems),
    }
}

fn lines(problems: &Problems) -> String {
    let line = |error: &crate::error::Error| {
        let mut line = error.to_string();
        if let Some(excerpt) = error.excerpt() {
            let shown = &excerpt.text[excerpt.offset..][..excerpt.len];
            write!(line, " @{} `{shown}` {}", excerpt.offset, excerpt.label).unwrap();
        }
        line + &error.hint().map_or(String::new(), |hint| format!(" / {hint}"))
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A schema with a field of each kind that the cases ask about.
const LAB: &str = r#"syntax = "proto3";
package lab;
import "google/protobuf/any.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum Mood { MOOD_CALM = 0; MOOD_LOUD = 1; MOOD_LOW = -1; }
message Leaf { int32 n = 1; string odd_key = 2; repeated int32 ns = 3; }
message Box {
  int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint32 s32 = 5; sint64 s64 = 6; double d = 7; float f = 8;
  string s = 9; bytes raw = 10; Mood mood = 11; Leaf leaf = 12; repeated int32 list = 13; bool yes = 14; fixed32 x32 = 15;
  map<string, Leaf> by_name = 16;
  oneof pick { int32 pick_num = 17; string pick_text = 18; google.protobuf.NullValue pick_nil = 19; }
  fixed64 x64 = 20; google.protobuf.Any any = 21; google.protobuf.Duration dur = 22; google.protobuf.Timestamp ts = 23;
  google.protobuf.Struct st = 24; google.protobuf.Value v = 25; google.protobuf.ListValue lv = 26;
  google.protobuf.Int64Value w64 = 27; google.protobuf.StringValue ws = 28; google.protobuf.FieldMask mask = 29;
  google.protobuf.NullValue nil = 30; sfixed32 y32 = 31; sfixed64 y64 = 32; string renamed_one = 33 [json_name = "RenamedOne"];
  repeated Leaf leaves = 34; repeated google.protobuf.Value vs = 35; optional int32 maybe = 36;
  map<int32, string> by_id = 37; map<bool, int32> by_flag = 38; repeated string words = 39; map<uint64, Mood> moods = 40;
  google.protobuf.BytesValue wb = 41; repeated google.protobuf.NullValue nils = 42; repeated Mood loud = 43;
  google.protobuf.Empty none = 44; google.protobuf.BoolValue wy = 45; google.protobuf.DoubleValue wd = 46;
}
service Boxes {
  rpc Put(Box) returns (Box); rpc Up(stream Box) returns (Box); rpc List(google.protobuf.ListValue) returns (Box);
  rpc Free(google.protobuf.Value) returns (Box); rpc Word(google.protobuf.StringValue) returns (Box);
  rpc At(google.protobuf.Timestamp) returns (Box); rpc Nothing(google.protobuf.Empty) returns (Box);
}"#;

fn put() -> Method {
    static PUT: LazyLock<Method> = LazyLock::new(|| method(LAB, "lab.Boxes/Put"));
    PUT.clone()
}

/// Each JSON text gives the bytes beside it.
fn accepts(method: &Method, table: &[(&str, &str)]) {
    for (json, bytes) in table {
        assert_eq!(encoded(method, json), *bytes, "{json}");
    }
}

/// Each JSON text is refused, and what is said contains the words beside it.
fn refuses(method: &Method, table: &[(&str, &[&str])]) {
    for (json, words) in table {
        let said = said(method, json);
        for word in *words {
            assert!(said.contains(word), "{json}: no {word} in {said}");
        }
    }
}

#[test]
fn messages_are_framed() {
    let list = MessageList::of_each([&b"abc"[..], b"", &[7; 70_000]]).unwrap();
    let all: Vec<&[u8]> = list.all().iter().collect();
    assert_eq!(all[..2], [&b"\0\0\0\0\x03abc"[..], b"\0\0\0\0\0"]);
    assert_eq!(all[2][..6], *b"\0\0\x01\x11\x70\x07");
    assert_eq!(all.iter().map(|framed| payload_bytes(framed)).collect::<Vec<_>>(), [3, 0, 70_000]);
    for (place, framed) in all.into_iter().enumerate() {
        assert_eq!(list.only(place).iter().collect::<Vec<_>>(), [framed]);
    }
    assert_eq!(prefix(0xFFFF_FFFF).unwrap(), [0, 255, 255, 255, 255]);
    let problems = prefix(0x1_0000_0000).unwrap_err();
    assert_eq!(lines(&problems), "a message of 4294967296 bytes is too long for gRPC, which allows 4294967295");
}

#[test]
fn messages_unshared_are_the_same_elsewhere() {
    let source = source(Some(r#"[{"i32":1},{"i32":2}]"#), &put()).unwrap();
    let copy = source.unshared();
    for call in 0..4 {
        assert_eq!(message(&copy, call), message(&source, call));
        let room = Room::new();
        let place = |source: &CallSource| source.call(call, &room).get(0).unwrap().as_ptr();
        assert_ne!(place(&copy), place(&source));
    }
}

#[test]
fn c04_proto2() {
    let method = method(
        r#"syntax = "proto2";
        package depot;
        message Crate {
          required string tag = 1;
          optional group Lid = 2 { optional int32 bolts = 1; }
          repeated group Slot = 3 { required int64 n = 1; }
          optional int32 kg = 4 [default = 12];
          optional Grade grade = 5;
          repeated int32 loose = 6;
          repeated int32 tight = 7 [packed = true];
          map<string, Part> parts = 8;
          extensions 100 to 199;
        }
        enum Grade { LOW = 1; HIGH = 2; }
        message Part { required int32 id = 1; extend Crate { optional Part spare = 101; repeated int32 codes = 102; } }
        extend Crate { optional int32 heat = 100; }
        service Depot { rpc Store(Crate) returns (Crate); }"#,
        "depot.Depot/Store",
    );
    accepts(
        &method,
        &[
            (
                r#"{"tag":"a","lid":{"bolts":3},"slot":[{"n":"7"}],"[depot.heat]":9}"#,
                "0a 01 61 13 08 03 14 1b 08 07 1c a0 06 09",
            ),
            (r#"{"[depot.heat]":0,"kg":0,"tag":"a"}"#, "0a 01 61 20 00 a0 06 00"),
            (r#"{"tag":""}"#, "0a 00"),
            (r#"{"tag":"a","grade":"HIGH","loose":[1,2],"tight":[1,2]}"#, "0a 01 61 28 02 30 01 30 02 3a 02 01 02"),
            (
                r#"{"tag":"a","[depot.Part.spare]":{"id":1},"[depot.Part.codes]":[5]}"#,
                "0a 01 61 aa 06 02 08 01 b0 06 05",
            ),
        ],
    );
    for (json, expected) in [
        (r#"{"lid":{"bolts":3}}"#, "`tag` is required and not set @0 `{` without `tag`"),
        (r#"{"tag":null}"#, "`tag` is required and not set @0 `{` without `tag`"),
        (r#"{"tag":"a","slot":[{}]}"#, "`slot[0].n` is required and not set @19 `{` without `n`"),
        (r#"{"tag":"a","parts":{"x":{}}}"#, "`parts[\"x\"].id` is required and not set @24 `{` without `id`"),
        (
            r#"{"tag":"a","[depot.Part.spare]":{}}"#,
            "`[depot.Part.spare].id` is required and not set @32 `{` without `id`",
        ),
        (r#"{"tag":"a","Lid":{}}"#, "depot.Crate has no field `Lid` @11 `\"Lid\"` no such field / did you mean `lid`?"),
        (
            r#"{"tag":"a","heat":9}"#,
            "depot.Crate has no field `heat` @11 `\"heat\"` no such field / did you mean `[depot.heat]`?",
        ),
        (
            r#"{"tag":"a","[depot.hat]":9}"#,
            "depot.Crate has no field `[depot.hat]` @11 `\"[depot.hat]\"` no such field / did you mean `[depot.heat]`?",
        ),
        (
            r#"{"tag":"a","grade":3}"#,
            "`grade` wants the name of a value of `depot.Grade` or its number, not 3 @19 `3` this value / its values are \"LOW\", \"HIGH\"",
        ),
    ] {
        assert_eq!(said(&method, json), expected, "{json}");
    }
    let problems = source(None, &method).unwrap_err();
    assert_eq!(lines(&problems), "`tag` is required and not set");
}

#[test]
fn c11_64_bit_integers_are_exact() {
    let method = put();
    for number in ["4611686018427387907", "-7205759403792793601", "18446744073709551615"] {
        let field = if number.len() == 20 && !number.starts_with('-') { "u64" } else { "i64" };
        for json in [format!("{{\"{field}\":{number}}}"), format!("{{\"{field}\":\"{number}\"}}")] {
            for (json, call) in [(json.clone(), 0), (format!("[{{}}, {json}]"), 1)] {
                let source = source(Some(&json), &method).unwrap();
                let message = DynamicMessage::decode(method.input(), &*message(&source, call)).unwrap();
                let value = message.get_field_by_name(field).unwrap().to_string();
                assert_eq!(value, number, "{json}");
            }
        }
    }
}

#[test]
fn c12_numbers_at_the_edge() {
    let method = put();
    accepts(
        &method,
        &[
            (r#"{"i32":"1e2"}"#, "08 64"),
            (r#"{"i32":1e2}"#, "08 64"),
            (r#"{"i32":"1.0"}"#, "08 01"),
            (r#"{"i32":1.0}"#, "08 01"),
            (r#"{"i32":-2147483648}"#, "08 80 80 80 80 f8 ff ff ff ff 01"),
            (r#"{"u32":4294967295,"s32":-1,"s64":"-2"}"#, "18 ff ff ff ff 0f 28 01 30 03"),
            (r#"{"x32":4294967295,"x64":"18446744073709551615"}"#, "7d ff ff ff ff a1 01 ff ff ff ff ff ff ff ff"),
            (r#"{"y32":-2,"y64":-2}"#, "fd 01 fe ff ff ff 81 02 fe ff ff ff ff ff ff ff"),
            (r#"{"i32":0,"d":0,"s":"","yes":false,"raw":"","list":[],"mood":0}"#, ""),
            (r#"{"d":-0.0}"#, "39 00 00 00 00 00 00 00 80"),
            (r#"{"d":"1.5","f":-0.25}"#, "39 00 00 00 00 00 00 f8 3f 45 00 00 80 be"),
            (r#"{"d":"NaN","f":"-Infinity"}"#, "39 00 00 00 00 00 00 f8 7f 45 00 00 80 ff"),
            (r#"{"f":3.4028235e38}"#, "45 ff ff 7f 7f"),
        ],
    );
    let int32 = &["`i32` wants a whole number from -2147483648 to 2147483647 (int32), not "][..];
    refuses(
        &method,
        &[
            (r#"{"i32":1.5}"#, int32),
            (r#"{"i32":"1.5"}"#, int32),
            (r#"{"i32":""}"#, int32),
            (r#"{"i32":" 1"}"#, int32),
            (r#"{"i32":true}"#, int32),
            (r#"{"i32":[1]}"#, int32),
            (r#"{"i32":2147483648}"#, &["not 2147483648 @7 `2147483648`"]),
            (r#"{"u32":-1}"#, &["`u32` wants a whole number from 0 to 4294967295 (uint32), not -1"]),
            (r#"{"u64":18446744073709551616}"#, &["`u64` wants", "(uint64)"]),
            (r#"{"u64":"18446744073709551616"}"#, &["`u64` wants", "(uint64)"]),
            (r#"{"i64":9.223372036854775808e18}"#, &["`i64` wants", "(int64)"]),
            (r#"{"u64":"1e536870000"}"#, &["`u64` wants"]),
            (r#"{"d":1e400}"#, &["`d` wants a number within ±1.7976931348623157e308 (double), not 1e400"]),
            (r#"{"d":"1e400"}"#, &["`d` wants a number within"]),
            (r#"{"f":3.5e38}"#, &["`f` wants a number within ±3.4028235e38 (float)"]),
            (r#"{"d":"inf"}"#, &["`d` wants a number, \"NaN\", \"Infinity\" or \"-Infinity\" (double), not \"inf\""]),
            (r#"{"d":"nan"}"#, &["`d` wants a number"]),
            (r#"{"d":NaN}"#, &["--data is not JSON"]),
            (r#"{"yes":"true"}"#, &["`yes` wants true or false (bool), not \"true\""]),
            (r#"{"s":5}"#, &["`s` wants a string, not 5"]),
            (r#"{"list":1}"#, &["`list` wants an array of int32, not 1"]),
            (r#"{"leaf":[]}"#, &["`leaf` wants an object for `lab.Leaf`, not an array"]),
        ],
    );
}

#[test]
fn c13_any() {
    let method = put();
    let leaf = "aa 01 22 0a 1c 74 79 70 65 2e 67 6f 6f 67 6c 65 61 70 69 73 2e 63 6f 6d 2f 6c 61 62 2e 4c 65 61 66 12 02 08 05";
    assert_eq!(encoded(&method, r#"{"any":{"@type":"type.googleapis.com/lab.Leaf","n":5}}"#), leaf);
    assert_eq!(encoded(&method, r#"{"any":{"n":5,"@type":"type.googleapis.com/lab.Leaf"}}"#), leaf);
    accepts(&method, &[(r#"{"any":{}}"#, "aa 01 00"), (r#"{"any":null}"#, "")]);
    for (json, url, value) in [
        (
            r#"{"@type":"x.y/google.protobuf.Duration","value":"1.5s"}"#,
            "x.y/google.protobuf.Duration",
            "08 01 10 80 ca b5 ee 01",
        ),
        (r#"{"@type":"x/google.protobuf.Empty"}"#, "x/google.protobuf.Empty", ""),
        (r#"{"@type":"x/google.protobuf.Int64Value","value":"7"}"#, "x/google.protobuf.Int64Value", "08 07"),
        (r#"{"@type":"x/google.protobuf.Value","value":null}"#, "x/google.protobuf.Value", "08 00"),
        (r#"{"@type":"x/google.protobuf.Struct","value":{}}"#, "x/google.protobuf.Struct", ""),
        (
            r#"{"@type":"x/google.protobuf.Any","value":{"@type":"x/lab.Leaf","n":1}}"#,
            "x/google.protobuf.Any",
            "0a 0a 78 2f 6c 61 62 2e 4c 65 61 66 12 02 08 01",
        ),
    ] {
        let source = source(Some(&format!("{{\"any\":{json}}}")), &method).unwrap();
        let message = DynamicMessage::decode(method.input(), &*message(&source, 0)).unwrap();
        let any = message.get_field_by_name("any").unwrap();
        let any = any.as_message().unwrap();
        assert_eq!(any.get_field_by_name("type_url").unwrap().as_str(), Some(url), "{json}");
        assert_eq!(hex(any.get_field_by_name("value").unwrap().as_bytes().unwrap()), value, "{json}");
    }
    let form = "write it as {\"@type\": \"type.googleapis.com/package.Message\", …} with the fields of that message";
    for (json, expected) in [
        (
            r#"{"any":{"@type":"type.googleapis.com/lab.Nope"}}"#,
            "the type `lab.Nope` (at `any.@type`) is not in the loaded files @16 `\"type.googleapis.com/lab.Nope\"` not in the loaded files / give the file that defines it with --proto as well".to_owned(),
        ),
        (
            r#"{"any":{"@type":"type.googleapis.com/lab.Laef"}}"#,
            "the type `lab.Laef` (at `any.@type`) is not in the loaded files @16 `\"type.googleapis.com/lab.Laef\"` not in the loaded files / did you mean `lab.Leaf`?".to_owned(),
        ),
        (
            r#"{"any":{"type_url":"type.googleapis.com/lab.Leaf","value":"CAU="}}"#,
            format!("`any` wants an object with \"@type\" for a `google.protobuf.Any`, not an object @7 `{{` this value / {form}"),
        ),
        (
            r#"{"any":{"@type":"lab.Leaf","n":5}}"#,
            "`any.@type` wants the name of a type after a slash, not \"lab.Leaf\" @16 `\"lab.Leaf\"` this value / write it as \"type.googleapis.com/lab.Leaf\"".to_owned(),
        ),
        (
            r#"{"any":{"@type":5}}"#,
            format!("`any.@type` wants the name of a type after a slash, not 5 @16 `5` this value / {form}"),
        ),
        (
            r#"{"any":"x"}"#,
            format!("`any` wants an object for a `google.protobuf.Any`, not \"x\" @7 `\"x\"` this value / {form}"),
        ),
        (
            r#"{"any":{"@type":"x/lab.Leaf","m":5}}"#,
            "lab.Leaf has no field `m` (at `any`) @29 `\"m\"` no such field / its fields are `n`, `oddKey` and `ns`".to_owned(),
        ),
        (
            r#"{"any":{"@type":"x/google.protobuf.Duration","value":"1"}}"#,
            "`any.value` wants a Duration, which is seconds up to 315576000000 with at most nine decimals and an `s`, not \"1\" @53 `\"1\"` this value / write it as \"1.5s\"".to_owned(),
        ),
        (
            r#"{"any":{"@type":"x/google.protobuf.Duration"}}"#,
            "`any` wants a member \"value\" for the packed `google.protobuf.Duration`, not an object @7 `{` this value".to_owned(),
        ),
        (
            r#"{"any":{"@type":"x/google.protobuf.Duration","value":"1s","n":1}}"#,
            "google.protobuf.Duration has no field `n` (at `any`) @58 `\"n\"` no such field / its fields are `value`".to_owned(),
        ),
        (
            r#"{"any":{"@type":"x/lab.Leaf","@type":"x/lab.Leaf"}}"#,
            "`any.@type` is set twice @29 `\"@type\"` here again / leave one of them out".to_owned(),
        ),
    ] {
        assert_eq!(said(&method, json), expected, "{json}");
    }
}

#[test]
fn c14_null() {
    let method = put();
    accepts(
        &method,
        &[
            (
                r#"{"i32":null,"leaf":null,"list":null,"byName":null,"w64":null,"st":null,"lv":null,"ts":null,"mask":null}"#,
                "",
            ),
            (r#"{"v":null}"#, "ca 01 02 08 00"),
            (r#"{"pickNil":null}"#, "98 01 00"),
            (r#"{"pickNum":null,"pickText":"x"}"#, "92 01 01 78"),
            (r#"{"vs":[null,1]}"#, "9a 02 02 08 00 9a 02 09 11 00 00 00 00 00 00 f0 3f"),
            (r#"{"ws":""}"#, "e2 01 00"),
            (r#"{"nil":null}"#, ""),
            (r#"{"nil":"NULL_VALUE"}"#, ""),
            (r#"{"nils":[null,null]}"#, "d2 02 02 00 00"),
            (r#"{"maybe":null}"#, ""),
            (r#"{"maybe":0}"#, "a0 02 00"),
            (r#"{"pickNum":0}"#, "88 01 00"),
        ],
    );
    refuses(
        &method,
        &[
            (r#"{"list":[1,null]}"#, &["`list[1]` wants a whole number", ", not null @11 `null`"]),
            (r#"{"byName":{"k":null}}"#, &["`byName[\"k\"]` wants an object for `lab.Leaf`, not null"]),
            (r#"{"leaves":[null]}"#, &["`leaves[0]` wants an object"]),
            (r#"{"words":[null]}"#, &["`words[0]` wants a string, not null"]),
            (r#"{"nope":null}"#, &["lab.Box has no field `nope`"]),
            (r#"{"i32":null,"i32":1}"#, &["`i32` is set twice"]),
            ("null", &["the message wants an object for `lab.Box`, not null"]),
        ],
    );
}

#[test]
fn c15_timestamp_and_duration() {
    let method = put();
    accepts(
        &method,
        &[
            (r#"{"ts":"2024-02-29T12:00:00Z"}"#, "ba 01 06 08 c0 e3 81 af 06"),
            (r#"{"ts":"1970-01-01T08:00:01+08:00"}"#, "ba 01 02 08 01"),
            (r#"{"ts":"9999-12-31T23:59:59.999999999Z"}"#, "ba 01 0d 08 ff 82 d1 ff af 07 10 ff 93 eb dc 03"),
            (r#"{"dur":"1s"}"#, "b2 01 02 08 01"),
            (r#"{"dur":"-0.5s"}"#, "b2 01 0b 10 80 b6 ca 91 fe ff ff ff ff 01"),
            (r#"{"dur":"0s"}"#, "b2 01 00"),
            (r#"{"dur":"315576000000s"}"#, "b2 01 07 08 80 bc ae ce 97 09"),
        ],
    );
    for value in [
        "\"2023-02-29T12:00:00Z\"",
        "\"0000-12-31T23:59:59Z\"",
        "\"2024-01-01t00:00:00z\"",
        "\"2024-01-01T00:00:00\"",
        "1700000000",
        "\"2016-12-31T23:59:60Z\"",
        "\"2024-01-01T00:00:00.0123456789Z\"",
        "{\"seconds\":1}",
    ] {
        let said = said(&method, &format!("{{\"ts\":{value}}}"));
        assert!(
            said.starts_with("`ts` wants a Timestamp, ") && said.contains("write it as \"2024-02-29T12:00:00.5Z\""),
            "{said}"
        );
    }
    for value in ["\"1\"", "\"1.5S\"", "\"1m\"", "\"1e3s\"", "\"315576000001s\"", "1", "{\"seconds\":1}"] {
        let said = said(&method, &format!("{{\"dur\":{value}}}"));
        assert!(said.starts_with("`dur` wants a Duration, ") && said.ends_with("write it as \"1.5s\""), "{said}");
    }
}

#[test]
fn c16_names_enums_and_duplicates() {
    let method = put();
    let by_name = "82 01 08 0a 01 6b 12 03 12 01 78";
    accepts(
        &method,
        &[
            (r#"{"by_name":{"k":{"odd_key":"x"}}}"#, by_name),
            (r#"{"byName":{"k":{"oddKey":"x"}}}"#, by_name),
            (r#"{"RenamedOne":"a"}"#, "8a 02 01 61"),
            (r#"{"renamed_one":"a"}"#, "8a 02 01 61"),
            (r#"{"mood":"MOOD_LOUD"}"#, "58 01"),
            (r#"{"mood":1}"#, "58 01"),
            (r#"{"mood":1.0}"#, "58 01"),
            (r#"{"mood":7}"#, "58 07"),
            (r#"{"mood":-1}"#, "58 ff ff ff ff ff ff ff ff ff 01"),
            (r#"{"loud":["MOOD_LOUD",0]}"#, "da 02 02 01 00"),
        ],
    );
    for (json, expected) in [
        (
            r#"{"renamedOne":"a"}"#,
            "lab.Box has no field `renamedOne` @1 `\"renamedOne\"` no such field / did you mean `RenamedOne`?",
        ),
        (
            r#"{"leaf":{"m":1}}"#,
            "lab.Leaf has no field `m` (at `leaf`) @9 `\"m\"` no such field / its fields are `n`, `oddKey` and `ns`",
        ),
        (
            r#"{"mood":"LOUD"}"#,
            "`mood` wants the name of a value of `lab.Mood` or a number, not \"LOUD\" @8 `\"LOUD\"` this value / did you mean \"MOOD_LOUD\"?",
        ),
        (
            r#"{"mood":"1"}"#,
            "`mood` wants the name of a value of `lab.Mood` or a number, not \"1\" @8 `\"1\"` this value / its values are \"MOOD_CALM\", \"MOOD_LOUD\", \"MOOD_LOW\"",
        ),
        (r#"{"i32":1,"i32":2}"#, "`i32` is set twice @9 `\"i32\"` here again / leave one of them out"),
        (r#"{"by_name":{},"byName":{}}"#, "`byName` is set twice @14 `\"byName\"` here again / leave one of them out"),
        (r#"{"byId":{"1":"a","1":"b"}}"#, "`byId[\"1\"]` is set twice @17 `\"1\"` here again / leave one of them out"),
        (r#"{"st":{"a":1,"a":2}}"#, "`st.a` is set twice @13 `\"a\"` here again / leave one of them out"),
        (
            r#"{"pickNum":1,"pickText":"x"}"#,
            "`pickNum` and `pickText` are both set, but only one field of the oneof `pick` can be @13 `\"pickText\"` `pickNum` is set already / leave one of them out",
        ),
    ] {
        assert_eq!(said(&method, json), expected, "{json}");
    }
    refuses(&method, &[(r#"{"mood":4294967296}"#, &["`mood` wants"]), (r#"{"mood":0.5}"#, &["`mood` wants"])]);
}

#[test]
fn all_mistakes_of_a_text_come_together_up_to_a_limit() {
    let method = put();
    let json = "{\n  \"i32\": \"x\",\n  \"leaf\": {\"k\": 1},\n  \"list\": [1, {}, 2.5]\n}";
    let found = said(&method, json);
    let starts: Vec<&str> =
        found.lines().map(|line| line.split(['`', ' ']).find(|word| !word.is_empty()).unwrap()).collect();
    assert_eq!(starts, ["i32", "lab.Leaf", "list[1]", "list[2]"]);
    let many: Vec<String> = (0..25).map(|n| format!("\"nope{n}\":1")).collect();
    let found = said(&method, &format!("[{{{}}},{{\"i32\":0.5}}]", many.join(",")));
    assert_eq!(found.lines().count(), 11);
    assert!(found.ends_with("--data has 16 more mistakes"), "{found}");
}

#[test]
fn bytes_come_in_both_alphabets_with_and_without_padding() {
    let method = put();
    accepts(
        &method,
        &[
            (r#"{"raw":"+/8="}"#, "52 02 fb ff"),
            (r#"{"raw":"+/8"}"#, "52 02 fb ff"),
            (r#"{"raw":"-_8="}"#, "52 02 fb ff"),
            (r#"{"raw":"-_8"}"#, "52 02 fb ff"),
            (r#"{"wb":"AAECAw"}"#, "ca 02 06 0a 04 00 01 02 03"),
        ],
    );
    for value in ["\"@@\"", "\"A\"", "\"-/8=\"", "\"AA=A\"", "\"AA AA\"", "5"] {
        let said = said(&method, &format!("{{\"raw\":{value}}}"));
        assert!(said.starts_with("`raw` wants bytes as a base64 string, not "), "{said}");
    }
}

#[test]
fn maps_take_keys_of_their_type() {
    let method = put();
    accepts(
        &method,
        &[
            (
                r#"{"byId":{"-1":"a","2":""}}"#,
                "aa 02 0e 08 ff ff ff ff ff ff ff ff ff 01 12 01 61 aa 02 04 08 02 12 00",
            ),
            (r#"{"byFlag":{"true":1,"false":0}}"#, "b2 02 04 08 01 10 01 b2 02 04 08 00 10 00"),
            (r#"{"moods":{"18446744073709551615":"MOOD_LOUD"}}"#, "c2 02 0d 08 ff ff ff ff ff ff ff ff ff 01 10 01"),
            (r#"{"byName":{"":{}}}"#, "82 01 04 0a 00 12 00"),
        ],
    );
    refuses(
        &method,
        &[
            (
                r#"{"byId":{"x":"a"}}"#,
                &[
                    "`byId[\"x\"]` wants a whole number from -2147483648 to 2147483647 (int32) as its key, not \"x\" @9 `\"x\"`",
                ],
            ),
            (r#"{"byFlag":{"1":1}}"#, &["`byFlag[\"1\"]` wants \"true\" or \"false\" as its key, not \"1\""]),
            (r#"{"byId":[]}"#, &["`byId` wants an object for a map, not an array"]),
            (r#"{"byName":{"a\"b":{"m":1}}}"#, &["(at `byName[\"a\\\"b\"]`)"]),
        ],
    );
}

#[test]
fn well_known_types_have_their_forms() {
    let method = put();
    accepts(
        &method,
        &[
            (
                r#"{"mask":"fooBar,baz.quxQuux"}"#,
                "ea 01 17 0a 07 66 6f 6f 5f 62 61 72 0a 0c 62 61 7a 2e 71 75 78 5f 71 75 75 78",
            ),
            (r#"{"mask":""}"#, "ea 01 00"),
            (r#"{"w64":"-1"}"#, "da 01 0b 08 ff ff ff ff ff ff ff ff ff 01"),
            (r#"{"w64":0}"#, "da 01 00"),
            (r#"{"wy":true,"wd":"NaN"}"#, "ea 02 02 08 01 f2 02 09 09 00 00 00 00 00 00 f8 7f"),
            (r#"{"none":{}}"#, "e2 02 00"),
            (
                r#"{"st":{"a":[true,"x",null,{}]}}"#,
                "c2 01 1a 0a 18 0a 01 61 12 13 32 11 0a 02 20 01 0a 03 1a 01 78 0a 02 08 00 0a 02 2a 00",
            ),
            (r#"{"lv":[]}"#, "d2 01 00"),
            (r#"{"v":0}"#, "ca 01 09 11 00 00 00 00 00 00 00 00"),
        ],
    );
    refuses(
        &method,
        &[
            (r#"{"mask":"foo_bar"}"#, &["`mask` wants a FieldMask", "write it as \"user.displayName,photo\""]),
            (r#"{"mask":"a,,b"}"#, &["`mask` wants a FieldMask"]),
            (r#"{"mask":["a"]}"#, &["`mask` wants a FieldMask"]),
            (r#"{"w64":{"value":1}}"#, &["`w64` wants a whole number", "not an object"]),
            (r#"{"wy":1}"#, &["`wy` wants true or false (bool), not 1"]),
            (r#"{"none":{"a":1}}"#, &["google.protobuf.Empty has no field `a` (at `none`)", "it has no fields at all"]),
            (r#"{"none":null,"st":[]}"#, &["`st` wants an object (`google.protobuf.Struct`), not an array"]),
            (r#"{"lv":{}}"#, &["`lv` wants an array (`google.protobuf.ListValue`), not an object"]),
            (r#"{"v":[1e999]}"#, &["`v[0]` wants a number within"]),
            (r#"{"st":{"a":{"b":1e999}}}"#, &["`st.a.b` wants a number within"]),
        ],
    );
}

#[test]
fn c17_shapes_of_data() {
    let method = put();
    for json in [
        r#"[{"i32":1},{"i32":2},{"i32":3}]"#,
        "  \n\t[{\"i32\":1},{\"i32\":2},{\"i32\":3}]\n",
        "\u{feff}[{\"i32\":1},{\"i32\":2},{\"i32\":3}]",
    ] {
        let source = source(Some(json), &method).unwrap();
        let sent: Vec<u8> = (0..7).map(|call| message(&source, call)[1]).collect();
        assert_eq!(sent, [1, 2, 3, 1, 2, 3, 1], "{json}");
        assert_eq!(message(&source, u64::MAX)[1], 1);
    }
    for data in [None, Some(""), Some(" \n"), Some("\u{feff}"), Some("{}")] {
        let source = source(data, &method).unwrap();
        assert_eq!(message(&source, 5), [0; 0], "{data:?}");
    }
    for (json, expected) in [
        ("[]", "--data is an empty list: there is nothing to send / leave the data out to send the empty message"),
        (
            r#"{"i32":1} {"i32":2}"#,
            "--data is not JSON: there is more after the first value: several messages go into an array @10 `{` here",
        ),
        (
            "{i32:1}",
            "--data is not JSON: a name in double quotes or `}` is expected, and there is `i32` @1 `i32` here / names and texts go in double quotes; in a shell, put single quotes around the whole: '{\"name\": \"Ann\"}'",
        ),
        ("5", "the message wants an object for `lab.Box`, not 5 @0 `5` this value"),
        (r#"[{"i32":1},[]]"#, "`[1]` wants an object for `lab.Box`, not an array @11 `[` this value"),
        (
            r#"[{},{"leaf":{"n":"x"}}]"#,
            "`[1].leaf.n` wants a whole number from -2147483648 to 2147483647 (int32), not \"x\" @17 `\"x\"` this value",
        ),
    ] {
        assert_eq!(said(&method, json), expected, "{json}");
    }
}

#[test]
fn c17_well_known_inputs_take_their_own_form() {
    let list = method(LAB, "lab.Boxes/List");
    accepts(&list, &[("[]", ""), ("[true,[]]", "0a 02 20 01 0a 02 32 00")]);
    assert_eq!(message(&source(None, &list).unwrap(), 0), [0; 0]);
    let free = method(LAB, "lab.Boxes/Free");
    accepts(&free, &[("[]", "32 00"), ("null", "08 00"), ("\"x\"", "1a 01 78"), ("{}", "2a 00"), ("false", "20 00")]);
    let word = method(LAB, "lab.Boxes/Word");
    accepts(&word, &[("\"hi\"", "0a 02 68 69")]);
    let words = source(Some(r#"["a","b"]"#), &word).unwrap();
    assert_eq!(message(&words, 3), b"\x0a\x01b");
    let at = method(LAB, "lab.Boxes/At");
    accepts(&at, &[("\"1970-01-01T00:00:01Z\"", "08 01")]);
    refuses(&at, &[("{\"seconds\":1}", &["the message wants a Timestamp", "write it as"])]);
    accepts(&method(LAB, "lab.Boxes/Nothing"), &[("{}", "")]);
}

#[test]
fn the_same_mistake_in_a_large_file_costs_little() {
    let json = format!("[{}]", vec![r#"{"nope":1}"#; 100_000].join(","));
    let problems = CallSource::from_json(Some(&json), "data.json", &put(), &Reading::default()).unwrap_err();
    assert_eq!(problems.iter().count(), 11);
    assert_eq!(problems.iter().last().unwrap().to_string(), "data.json has 99990 more mistakes");
}

#[test]
fn values_nest_as_deep_as_json_may() {
    let method = method(
        "syntax = \"proto3\"; message T { T t = 1; repeated T ts = 2; map<string, T> m = 3; } service S { rpc Do(T) returns (T); }",
        "S/Do",
    );
    for (open, close, steps) in [("{\"t\":", "}", 99), ("{\"ts\":[", "]}", 49), ("{\"m\":{\"k\":", "}}", 49)] {
        let nested = |steps: usize| format!("{}{{}}{}", open.repeat(steps), close.repeat(steps));
        assert!(source(Some(&nested(steps)), &method).is_ok(), "{open}");
        assert!(said(&method, &nested(steps + 1)).contains("values nest more than 100 deep"), "{open}");
    }
}

#[test]
fn long_values_are_not_repeated_in_errors() {
    let json = format!("{{\"i32\":\"{}\"}}", "x".repeat(1_000));
    let problems = source(Some(&json), &put()).unwrap_err();
    assert_eq!(problems.to_string(), "`i32` wants a whole number from -2147483648 to 2147483647 (int32), not a string");
}
