//! What schemas may look like, and what calls make of them.

use grpcbench::schema::{Ask, Kind};

use crate::server::Manner;
use crate::sources::{Origin, WAYS, Way, each, said, set};

#[test]
fn c10_a_service_without_a_package_and_types_from_elsewhere() {
    let files = [
        (
            "bare.proto",
            "syntax = \"proto3\"; import \"parts/item.proto\"; service Bare { rpc Ping(parts.Item) returns (parts.Item); }",
        ),
        ("parts/item.proto", "syntax = \"proto3\"; package parts; message Item { string id = 1; }"),
    ];
    each(&files, |origin| {
        for call in ["Bare.Ping", "Bare/Ping", "/Bare/Ping", ".Bare.Ping"] {
            assert_eq!(origin.method(call).unwrap().path(), "/Bare/Ping", "{call}");
        }
        assert_eq!(origin.encode("Bare/Ping", r#"{"id":"x"}"#).unwrap(), [0x0a, 1, b'x']);
    });
}

#[test]
fn c09_spellings_of_a_method() {
    let files = [(
        "greeter.proto",
        "syntax = \"proto3\"; package a.b; message M {} service Greeter { rpc Say(M) returns (M); rpc SayAll(M) returns (stream M); rpc Take(stream M) returns (M); rpc Both(stream M) returns (stream M); }",
    )];
    each(&files, |origin| {
        for call in ["a.b.Greeter.Say", "a.b.Greeter/Say", ".a.b.Greeter/Say", ".a.b.Greeter.Say", "/a.b.Greeter/Say"] {
            assert_eq!(origin.method(call).unwrap().path(), "/a.b.Greeter/Say", "{call}");
        }
        let kinds =
            ["Say", "Take", "SayAll", "Both"].map(|name| origin.method(&format!("a.b.Greeter/{name}")).unwrap().kind());
        assert_eq!(kinds, [Kind::Unary, Kind::ClientStreaming, Kind::ServerStreaming, Kind::Bidi]);

        let reflected = matches!(origin.way, Way::Server(..));
        let unknown = |service: &str, hint: &str| {
            if reflected {
                format!("symbol `{service}` not found by server reflection / {hint}")
            } else {
                format!("no service `{service}` in the loaded files / {hint}")
            }
        };
        assert_eq!(said(origin.method("a.b.greeter/Say")), unknown("a.b.greeter", "did you mean `a.b.Greeter`?"));
        assert_eq!(said(origin.method("Greeter/Say")), unknown("Greeter", "did you mean `a.b.Greeter`?"));
        let all = if reflected { "the server lists `a.b.Greeter`" } else { "the services are `a.b.Greeter`" };
        assert_eq!(said(origin.method("x.Other/Say")), unknown("x.Other", all));
        assert_eq!(said(origin.method("a.b.Greeter/say")), "no method `say` in `a.b.Greeter` / did you mean `Say`?");
        assert_eq!(
            said(origin.method("a.b.Greeter.Nope")),
            "no method `Nope` in `a.b.Greeter` / its methods are `Say`, `SayAll`, `Take` and `Both`"
        );
        for call in ["Say", "a/b/Greeter/Say", "", "/"] {
            let told = said(origin.method(call));
            let start =
                format!("`{call}` is no method name / write it as package.Service.Method or package.Service/Method");
            assert!(told.starts_with(&start), "{told}");
        }
    });
}

#[test]
fn names_that_lead_on_by_public_imports() {
    let files = [
        (
            "top.proto",
            "syntax = \"proto3\"; package top; import \"one.proto\"; message In { deep.Leaf leaf = 1; middle.Twig twig = 2; } service S { rpc Do(In) returns (deep.Leaf); }",
        ),
        ("one.proto", "syntax = \"proto3\"; import public \"two.proto\"; import \"side.proto\";"),
        (
            "two.proto",
            "syntax = \"proto3\"; package middle; import public \"three.proto\"; message Twig { int32 n = 1; }",
        ),
        ("three.proto", "syntax = \"proto3\"; import public \"four.proto\";"),
        ("four.proto", "syntax = \"proto3\"; package deep; message Leaf { int32 n = 1; }"),
        ("side.proto", "syntax = \"proto3\"; package side; message Unused {}"),
    ];
    // The compiler that makes the set follows public imports no further than one step, so it is shown the way.
    let direct = files[0].1.replace("import \"one.proto\";", "import \"two.proto\"; import \"four.proto\";");
    let mut set = set(&[(files[0].0, &direct), files[1], files[2], files[3], files[4], files[5]]);
    set.file.iter_mut().find(|file| file.name() == "top.proto").unwrap().dependency = vec!["one.proto".to_owned()];
    for way in WAYS {
        let origin = Origin::with_set(way, &files, &set);
        let bytes = origin.encode("top.S/Do", r#"{"leaf":{"n":1},"twig":{"n":2}}"#).unwrap();
        assert_eq!(bytes, [0x0a, 2, 8, 1, 0x12, 2, 8, 2], "{way:?}");
    }
}

#[test]
fn equal_short_names_are_told_apart() {
    let files = [
        (
            "names.proto",
            "syntax = \"proto3\"; package a; import \"other.proto\"; message M { message M { message M { int32 deep = 1; } M m = 1; a.b.M far = 2; } M m = 1; .a.b.M far = 2; E e = 3; enum E { ZERO = 0; INNER = 1; } } service S { rpc Do(M) returns (a.b.M); rpc Nested(M.M) returns (M); }",
        ),
        (
            "other.proto",
            "syntax = \"proto3\"; package a.b; message M { int32 n = 9; } service S { rpc Do(M) returns (M); }",
        ),
    ];
    each(&files, |origin| {
        assert_eq!(
            origin.encode("a.S/Do", r#"{"m":{"m":{"deep":1},"far":{"n":2}},"far":{"n":3},"e":"INNER"}"#).unwrap(),
            [0x0a, 8, 0x0a, 2, 8, 1, 0x12, 2, 0x48, 2, 0x12, 2, 0x48, 3, 0x18, 1]
        );
        assert_eq!(origin.encode("a.S/Nested", r#"{"m":{"deep":1}}"#).unwrap(), [0x0a, 2, 8, 1]);
        assert_eq!(origin.encode("a.b.S/Do", r#"{"n":1}"#).unwrap(), [0x48, 1]);
        assert_eq!(origin.method("a.b.S/Do").unwrap().path(), "/a.b.S/Do");
    });
}

const DEPOT: &[(&str, &str)] = &[
    (
        "depot.proto",
        r#"syntax = "proto2";
package depot;
import "crate.proto";
import "heat.proto";
service Depot { rpc Put(Crate) returns (Crate); }
"#,
    ),
    (
        "crate.proto",
        r#"syntax = "proto2";
package depot;
message Crate {
  required string label = 1;
  optional int32 count = 2 [default = 5];
  repeated int32 loose = 3;
  repeated int32 packed = 4 [packed = true];
  optional group Stamp = 5 { optional int64 at = 6; }
  extensions 100 to 199;
}
"#,
    ),
    (
        "heat.proto",
        r#"syntax = "proto2";
package depot;
import "crate.proto";
extend Crate { optional sint32 heat = 100; }
message Scope { extend Crate { repeated Scope scopes = 101; } optional bool on = 1; }
"#,
    ),
];

#[test]
fn proto2_has_groups_extensions_and_required_fields() {
    each(DEPOT, |origin| {
        let json = r#"{"label":"x","count":5,"loose":[1,2],"packed":[1,2],"stamp":{"at":"3"},"[depot.heat]":-1,"[depot.Scope.scopes]":[{"on":true}]}"#;
        let bytes = [
            0x0a, 1, b'x', 0x10, 5, 0x18, 1, 0x18, 2, 0x22, 2, 1, 2, 0x2b, 0x30, 3, 0x2c, 0xa0, 6, 1, 0xaa, 6, 2, 8, 1,
        ];
        assert_eq!(origin.encode("depot.Depot/Put", json).unwrap(), bytes);
        let told = said(origin.encode("depot.Depot/Put", r#"{"count":1}"#));
        assert!(told.contains("label"), "{told}");
    });
}

#[test]
fn extensions_are_found_in_files_that_nobody_imports() {
    let mut files = DEPOT.to_vec();
    files[0].1 =
        "syntax = \"proto2\"; package depot; import \"crate.proto\"; service Depot { rpc Put(Crate) returns (Crate); }";
    // The compiler has no reason to look into the file: it has to be named. A set and a server have it all the same.
    for way in WAYS.into_iter().filter(|way| match way {
        Way::Protos => false,
        Way::Protoset => true,
        // This one does not tell of extensions.
        Way::Server(_, manner) => *manner != Manner::Abrupt,
    }) {
        let mut listed = files.clone();
        // The set is made of what the first file leads to.
        listed.insert(0, ("all.proto", "syntax = \"proto3\"; import \"depot.proto\"; import \"heat.proto\";"));
        let origin = Origin::new(way, &listed);
        let bytes = origin.encode("depot.Depot/Put", r#"{"label":"x","[depot.heat]":1}"#).unwrap();
        assert_eq!(bytes, [0x0a, 1, b'x', 0xa0, 6, 2], "{way:?}");
    }
}

#[test]
fn optional_fields_go_over_the_wire_when_they_are_set() {
    let files = [(
        "opt.proto",
        "syntax = \"proto3\"; package opt; message M { int32 plain = 1; optional int32 maybe = 2; oneof pick { int32 one = 3; string other = 4; } } service S { rpc Do(M) returns (M); }",
    )];
    each(&files, |origin| {
        assert_eq!(origin.encode("opt.S/Do", r#"{"plain":0,"maybe":0,"one":0}"#).unwrap(), [0x10, 0, 0x18, 0]);
        assert_eq!(origin.encode("opt.S/Do", "{}").unwrap(), Vec::<u8>::new());
    });
}

#[test]
fn well_known_types_have_their_json_form() {
    let files = [(
        "known.proto",
        r#"syntax = "proto3"; package known;
import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/any.proto";
import "google/protobuf/struct.proto"; import "google/protobuf/wrappers.proto"; import "google/protobuf/empty.proto";
message M {
  google.protobuf.Timestamp at = 1; google.protobuf.Duration took = 2; google.protobuf.Any any = 3;
  google.protobuf.Value value = 4; google.protobuf.Int64Value big = 5;
}
message Packed { int32 n = 1; }
service S { rpc Do(M) returns (google.protobuf.Empty); }
"#,
    )];
    each(&files, |origin| {
        let json = r#"{"at":"1970-01-01T00:00:01Z","took":"1s","any":{"@type":"x/known.Packed","n":1},"value":true,"big":"7"}"#;
        let bytes = b"\x0a\x02\x08\x01\x12\x02\x08\x01\x1a\x12\x0a\x0ex/known.Packed\x12\x02\x08\x01\x22\x02\x20\x01\x2a\x02\x08\x07";
        let mut expected = bytes.to_vec();
        expected[9] = 20;
        assert_eq!(origin.encode("known.S/Do", json).unwrap(), expected);
    });
}

/// A set is linked only as far as a call needs it; what an `Any` holds may be anywhere else.
#[test]
fn any_holds_messages_of_all_loaded_files() {
    let files = [
        (
            "all.proto",
            "syntax = \"proto3\"; import \"call.proto\"; import \"far.proto\"; import \"google/protobuf/duration.proto\";",
        ),
        (
            "call.proto",
            "syntax = \"proto3\"; package c; import \"google/protobuf/any.proto\"; message M { google.protobuf.Any any = 1; } service S { rpc Do(M) returns (M); }",
        ),
        (
            "far.proto",
            "syntax = \"proto3\"; package far; import \"google/protobuf/any.proto\"; message Box { Leaf leaf = 1; google.protobuf.Any any = 2; } message Leaf { int32 n = 1; }",
        ),
    ];
    for way in [Way::Protos, Way::Protoset] {
        let origin = Origin::new(way, &files);
        let json =
            r#"{"any":{"@type":"x/far.Box","leaf":{"n":1},"any":{"@type":"x/google.protobuf.Duration","value":"1s"}}}"#;
        let bytes = origin.encode("c.S/Do", json).unwrap();
        assert!(bytes.windows(9).any(|part| part == b"x/far.Box"), "{way:?} {bytes:?}");
        assert_eq!(bytes[bytes.len() - 2..], [8, 1]);
        let told = said(origin.encode("c.S/Do", r#"{"any":{"@type":"x/far.Bax"}}"#));
        assert!(told.contains("did you mean `far.Box`"), "{told}");
    }
}

#[test]
fn services_are_listed() {
    let files = [
        (
            "one.proto",
            "syntax = \"proto3\"; package p; import \"two.proto\"; service B { rpc Do(q.M) returns (q.M); } service A { rpc Do(q.M) returns (q.M); }",
        ),
        ("two.proto", "syntax = \"proto3\"; package q; message M {} service C { rpc Do(M) returns (M); }"),
    ];
    each(&files, |origin| {
        for ask in [Ask::Names, Ask::Everything] {
            assert_eq!(origin.load(ask).unwrap().services(), ["p.A", "p.B", "q.C"]);
        }
    });
}
