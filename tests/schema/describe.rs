//! Descriptions and templates: the same text, wherever the schema comes from.

use std::cell::RefCell;
use std::fs;

use expect_test::{Expect, expect};
use grpcbench::payload::{CallSource, Reading};
use grpcbench::schema::{Ask, Schema};

use crate::sources::{Origin, Way, each, said};

const FILES: &[(&str, &str)] = &[
    (
        "lab.proto",
        r#"syntax = "proto3";
package lab;

import "kit/parts.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";

// Works with boxes.
//
// All of them.
service Lab {
  // Opens one.
  rpc Open(Box) returns (kit.Part);
  rpc Watch(Box) returns (stream kit.Part);
  rpc Fill(stream kit.Part) returns (Box);
  rpc Talk(stream Box) returns (stream Box) {
    option deprecated = true;
  }
}

/* How loud. */
enum Mood {
  MOOD_CALM = 0;
  // Rather.
  MOOD_LOUD = 1;
  MOOD_QUIET = -1;
}

// A box.
message Box {
  // How many.
  int32 count = 1;
  optional string label = 2;
  repeated sint64 list = 3;
  map<string, kit.Part> by_name = 4;
  map<bool, int32> flags = 5;
  // One of them.
  oneof pick {
    Box inner = 6;
    bytes raw = 7;
  }
  Mood mood = 8 [json_name = "spirit"];
  Inner nested = 9 [deprecated = true];
  message Inner {
    Box around = 1;
    repeated Box more = 2;
    map<string, Box> named = 3;
    double weight = 4;
  }
  google.protobuf.Any any = 20;
  google.protobuf.Duration took = 21;
  google.protobuf.FieldMask mask = 22;
  google.protobuf.Struct fields = 23;
  google.protobuf.Value value = 24;
  google.protobuf.ListValue values = 25;
  google.protobuf.NullValue nothing = 26;
  google.protobuf.Timestamp at = 27;
  google.protobuf.StringValue text = 28;
  google.protobuf.UInt64Value big = 29;
  repeated google.protobuf.BoolValue switches = 30;
}
"#,
    ),
    (
        "kit/parts.proto",
        r#"syntax = "proto2";
package kit;

message Part {
  required string id = 1;
  optional int32 size = 2 [default = 5];
  optional string made = 3 [default = "in \"haste\""];
  repeated group Hole = 4 {
    // Across.
    required float width = 1;
  }
  extensions 100 to 199, 1000 to max;
  extend Part { optional int64 price = 100; }
}

// In grams.
extend Part { repeated Part spare = 101; }
"#,
    ),
];

/// What `show` shows, which is the same over all ways.
fn same(files: &[(&str, &str)], show: impl Fn(&Origin) -> String) -> String {
    let shown = RefCell::new(Vec::new());
    each(files, |origin| shown.borrow_mut().push(show(origin)));
    let mut shown = shown.into_inner();
    for text in &shown[1..] {
        assert_eq!(*text, shown[0]);
    }
    shown.swap_remove(0)
}

fn check(name: &str, expected: &Expect) {
    expected.assert_eq(&same(FILES, |origin| origin.text(name).unwrap()));
}

#[test]
fn a_service() {
    check(
        "lab.Lab",
        &expect![[r"
        // Works with boxes.
        //
        // All of them.
        service lab.Lab {
          // Opens one.
          rpc Open(lab.Box) returns (kit.Part);  // unary
          rpc Watch(lab.Box) returns (stream kit.Part);  // server streaming
          rpc Fill(stream kit.Part) returns (lab.Box);  // client streaming
          rpc Talk(stream lab.Box) returns (stream lab.Box);  // bidirectional streaming
        }
    "]],
    );
}

#[test]
fn a_method() {
    check(
        "lab.Lab.Watch",
        &expect![[r#"
        rpc lab.Lab.Watch(lab.Box) returns (stream kit.Part);  // server streaming

        // A box.
        message lab.Box {
          // How many.
          int32 count = 1;
          optional string label = 2;
          repeated sint64 list = 3;
          map<string, kit.Part> by_name = 4;
          map<bool, int32> flags = 5;
          // One of them.
          oneof pick {
            lab.Box inner = 6;
            bytes raw = 7;
          }
          lab.Mood mood = 8 [json_name = "spirit"];
          lab.Box.Inner nested = 9 [deprecated = true];
          google.protobuf.Any any = 20;
          google.protobuf.Duration took = 21;
          google.protobuf.FieldMask mask = 22;
          google.protobuf.Struct fields = 23;
          google.protobuf.Value value = 24;
          google.protobuf.ListValue values = 25;
          google.protobuf.NullValue nothing = 26;
          google.protobuf.Timestamp at = 27;
          google.protobuf.StringValue text = 28;
          google.protobuf.UInt64Value big = 29;
          repeated google.protobuf.BoolValue switches = 30;
        }

        message kit.Part {
          required string id = 1;
          optional int32 size = 2 [default = 5];
          optional string made = 3 [default = "in \"haste\""];
          repeated group Hole = 4 {
            // Across.
            required float width = 1;
          }
          extensions 100 to 199;
          extensions 1000 to max;
          extend optional int64 [kit.Part.price] = 100;
          extend repeated kit.Part [kit.spare] = 101;
        }
    "#]],
    );
    each(FILES, |origin| {
        assert_eq!(origin.text("lab.Lab/Watch").unwrap(), origin.text("lab.Lab.Watch").unwrap());
        assert_eq!(origin.text("/lab.Lab/Watch").unwrap(), origin.text("lab.Lab.Watch").unwrap());
    });
}

#[test]
fn a_message() {
    check(
        "lab.Box",
        &expect![[r#"
        // A box.
        message lab.Box {
          // How many.
          int32 count = 1;
          optional string label = 2;
          repeated sint64 list = 3;
          map<string, kit.Part> by_name = 4;
          map<bool, int32> flags = 5;
          // One of them.
          oneof pick {
            lab.Box inner = 6;
            bytes raw = 7;
          }
          lab.Mood mood = 8 [json_name = "spirit"];
          lab.Box.Inner nested = 9 [deprecated = true];
          google.protobuf.Any any = 20;
          google.protobuf.Duration took = 21;
          google.protobuf.FieldMask mask = 22;
          google.protobuf.Struct fields = 23;
          google.protobuf.Value value = 24;
          google.protobuf.ListValue values = 25;
          google.protobuf.NullValue nothing = 26;
          google.protobuf.Timestamp at = 27;
          google.protobuf.StringValue text = 28;
          google.protobuf.UInt64Value big = 29;
          repeated google.protobuf.BoolValue switches = 30;
        }
    "#]],
    );
}

#[test]
fn a_message_of_proto2() {
    check(
        "kit.Part",
        &expect![[r#"
        message kit.Part {
          required string id = 1;
          optional int32 size = 2 [default = 5];
          optional string made = 3 [default = "in \"haste\""];
          repeated group Hole = 4 {
            // Across.
            required float width = 1;
          }
          extensions 100 to 199;
          extensions 1000 to max;
          extend optional int64 [kit.Part.price] = 100;
          extend repeated kit.Part [kit.spare] = 101;
        }
    "#]],
    );
}

#[test]
fn a_message_inside_of_another() {
    check(
        "lab.Box.Inner",
        &expect![[r"
        message lab.Box.Inner {
          lab.Box around = 1;
          repeated lab.Box more = 2;
          map<string, lab.Box> named = 3;
          double weight = 4;
        }
    "]],
    );
}

#[test]
fn an_enum() {
    check(
        "lab.Mood",
        &expect![[r"
            // How loud.
            enum lab.Mood {
              MOOD_CALM = 0;
              // Rather.
              MOOD_LOUD = 1;
              MOOD_QUIET = -1;
            }
        "]],
    );
}

#[test]
fn a_name_that_is_not_there() {
    each(FILES, |origin| {
        let told = said(origin.text("lab.Mod"));
        if matches!(origin.way, Way::Server(..)) {
            assert_eq!(told, "symbol `lab.Mod` not found by server reflection / the server lists `lab.Lab`");
        } else {
            assert_eq!(told, "no `lab.Mod` in the loaded files / did you mean `lab.Mood` or `lab.Box`?");
        }
        assert_eq!(said(origin.text("lab.Lab.Opn")), "no method `Opn` in `lab.Lab` / did you mean `Open`?");
        // Servers are asked for what is around it, and then not for a list of what else there is.
        let told = said(origin.text("lab.Box.Nothing"));
        assert!(told.starts_with("no `lab.Box.Nothing` in the loaded files / "), "{told}");
    });
}

#[test]
fn a_template() {
    let expected = expect![[r#"
        {
          "count": 0,
          "label": "",
          "list": [
            "0"
          ],
          "byName": {
            "key": {
              "id": "",
              "size": 0,
              "made": "",
              "hole": [
                {
                  "width": 0.0
                }
              ]
            }
          },
          "flags": {
            "false": 0
          },
          "raw": "",
          "spirit": "MOOD_CALM",
          "nested": {
            "around": null,
            "more": [],
            "named": {},
            "weight": 0.0
          },
          "any": {"@type": "type.googleapis.com/lab.Box"},
          "took": "0s",
          "mask": "",
          "fields": {},
          "value": null,
          "values": [],
          "nothing": null,
          "at": "1970-01-01T00:00:00Z",
          "text": "",
          "big": "0",
          "switches": [
            false
          ]
        }
    "#]];
    expected.assert_eq(&same(FILES, |origin| origin.template("lab.Lab.Open").unwrap()));
    each(FILES, |origin| {
        assert_eq!(origin.template("lab.Box").unwrap(), origin.template("lab.Lab/Open").unwrap());
        for (name, what) in [("lab.Lab", "a service"), ("lab.Mood", "an enum")] {
            assert_eq!(
                said(origin.template(name)),
                format!(
                    "`{name}` is {what}, and a template is made of a message or a method / name a method, such as package.Service.Method"
                )
            );
        }
    });
}

/// Templates are taken as data as they are: of messages with each well-known type as the whole input, of messages that
/// lead to themselves in several ways, and of proto2.
#[test]
fn templates_are_data() {
    const KNOWN: [&str; 17] = [
        "Any",
        "BoolValue",
        "BytesValue",
        "DoubleValue",
        "Duration",
        "Empty",
        "FieldMask",
        "FloatValue",
        "Int32Value",
        "Int64Value",
        "ListValue",
        "StringValue",
        "Struct",
        "Timestamp",
        "UInt32Value",
        "UInt64Value",
        "Value",
    ];
    let known = KNOWN.map(|name| format!("rpc Take{name}(google.protobuf.{name}) returns (Box);")).concat();
    let imports = ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"];
    let imports = imports.map(|name| format!("import \"google/protobuf/{name}.proto\";")).concat();
    let all = format!(
        "syntax = \"proto3\"; package all; import \"lab.proto\"; import \"kit/parts.proto\"; {imports}
        message Box {{ repeated google.protobuf.Any anys = 1; map<int64, google.protobuf.Value> values = 2; Tree tree = 3; oneof first {{ Box box = 4; int32 n = 5; }} }}
        message Tree {{ Tree left = 1; Tree right = 2; repeated Forest forests = 3; }}
        message Forest {{ map<string, Tree> trees = 1; Forest next = 2; }}
        service All {{ {known} rpc TakeBox(Box) returns (Box); rpc TakeLab(lab.Box) returns (Box); rpc TakePart(kit.Part) returns (Box); rpc TakeTree(Tree) returns (Box); }}"
    );
    let mut files = vec![("all.proto", all.as_str())];
    files.extend(FILES);
    let origin = Origin::new(Way::Protos, &files);
    let names = KNOWN.into_iter().chain(["Box", "Lab", "Part", "Tree"]).map(|name| format!("all.All.Take{name}"));
    for name in names {
        let template = origin.template(&name).unwrap();
        let method = origin.method(&name).unwrap();
        if let Err(problems) = CallSource::from_json(Some(&template), "--data", &method, &Reading::default()) {
            panic!("{name}: {problems}\n{template}");
        }
    }
}

/// A message that would fill a disk, were each of its fields written out.
#[test]
fn templates_come_to_an_end() {
    const WIDTH: usize = 12;
    let mut file = "syntax = \"proto3\"; package wide; service S { rpc Do(M0) returns (M0); }".to_owned();
    for depth in 0..20 {
        let fields: Vec<String> = (1..=WIDTH).map(|n| format!("M{} f{n} = {n};", depth + 1)).collect();
        file.extend(["message M", &depth.to_string(), "{", &fields.concat(), "}"]);
    }
    file += "message M20 { int32 n = 1; }";
    let origin = Origin::new(Way::Protos, &[("wide.proto", &file)]);
    let template = origin.template("wide.S.Do").unwrap();
    assert!((1_000..1_000_000).contains(&template.len()), "{}", template.len());
    origin.encode("wide.S.Do", &template).unwrap();
}

#[test]
fn what_is_saved_can_be_loaded_again() {
    each(FILES, |origin| {
        let whole = origin.load(Ask::Everything).unwrap().descriptor_set().unwrap();
        let part = origin.load(Ask::Symbol("lab.Lab.Open")).unwrap().descriptor_set().unwrap();
        for set in [whole, part] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("saved.pb");
            fs::write(&path, set).unwrap();
            let again = Schema::protosets(&[path]).unwrap();
            for name in ["lab.Lab", "lab.Box", "kit.Part", "lab.Lab.Watch"] {
                assert_eq!(again.symbol(name).unwrap().text(), origin.text(name).unwrap());
            }
        }
    });
}

/// Names and comments may come from a server that means no good.
#[test]
fn nothing_in_a_description_can_control_a_terminal() {
    let files = [(
        "evil.proto",
        "syntax = \"proto3\"; package evil;\n// Red: \u{1b}[31m\u{9b}31m\nmessage M { string n = 1 [json_name = \"\\033[2J\"]; }\nservice S { rpc Do(M) returns (M); }",
    )];
    each(&files, |origin| {
        for text in [origin.text("evil.M").unwrap(), origin.template("evil.M").unwrap()] {
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
        origin.encode("evil.S.Do", &origin.template("evil.M").unwrap()).unwrap();
    });
}
