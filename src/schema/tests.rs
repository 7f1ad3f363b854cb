//! Each test makes a folder of files and looks at what becomes of them.

use std::fmt::Write as _;
use std::fs;

use super::*;
use crate::error::Error;

/// Makes files in a folder of their own.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text.as_bytes());
    }
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn compile(folder: &Path, protos: &[&str], roots: &[&str]) -> Result<Schema, Problems> {
    let within = |names: &[&str]| names.iter().map(|name| folder.join(name)).collect::<Vec<PathBuf>>();
    Schema::compile(&within(protos), &within(roots))
}

fn path(schema: &Schema, call: &str) -> String {
    schema.method(call).unwrap().path()
}

/// What is said about mistakes, a line each: the sentence, where, and the hint. The folder's own path is left out.
fn said(folder: &Path, result: Result<impl std::fmt::Debug, Problems>) -> String {
    let lines: Vec<String> = result.unwrap_err().iter().map(line).collect();
    lines.join("\n").replace(&format!("{}/", folder.display()), "").replace(&folder.display().to_string(), "FOLDER")
}

fn line(error: &Error) -> String {
    let mut line = error.to_string();
    if let Some(excerpt) = error.excerpt() {
        let before = &excerpt.text[..excerpt.offset];
        let number = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let shown = &excerpt.text[excerpt.offset..excerpt.offset + excerpt.len];
        write!(line, " @ {}:{number}:{column} `{shown}` {}", excerpt.origin, excerpt.label).unwrap();
    }
    line + &error.hint().map_or(String::new(), |hint| format!(" / {hint}"))
}

#[test]
fn c01_byte_order_marks_and_windows_line_ends_are_fine() {
    let folder = folder(&[
        (
            "till.proto",
            "\u{feff}syntax = \"proto3\";\r\npackage till;\r\nimport \"coin.proto\";\r\nservice Till { rpc Put(Coin) returns (Coin); }\r\n",
        ),
        ("coin.proto", "\u{feff}syntax = \"proto3\";\r\npackage till;\r\nmessage Coin { int32 cents = 1; } // end\r\n"),
    ]);
    let schema = compile(folder.path(), &["till.proto"], &[]).unwrap();
    assert_eq!(path(&schema, "till.Till/Put"), "/till.Till/Put");
}

#[test]
fn c01_lines_are_counted_as_editors_do() {
    let folder = folder(&[
        ("syntax.proto", "\u{feff}syntax = \"proto3\";\r\npackage p;\r\nmessage M { int32 = 1; }\r\n"),
        ("mark.proto", "syntax = \"proto3\";\npackage \u{feff}p;\n"),
        ("name.proto", "\u{feff}syntax = \"proto3\";\r\n// 漢字 ☃\r\nmessage M { /* ☃ */ Nope n = 1; }\r\n"),
    ]);
    let expected = [
        "`syntax.proto` is no valid proto file: expected an identifier, but found '=' @ syntax.proto:3:19 `=` found here",
        "`mark.proto` is no valid proto file: invalid token @ mark.proto:2:9 `\u{feff}` found here",
        "`name.proto` is no valid proto file: name 'Nope' is not defined @ name.proto:3:23 `Nope` found here",
    ];
    for (file, expected) in ["syntax.proto", "mark.proto", "name.proto"].into_iter().zip(expected) {
        assert_eq!(said(folder.path(), compile(folder.path(), &[file], &[])), expected);
    }
}

/// The tree of C02, with the working directory (the project) above it, and its path from there.
fn shop() -> (tempfile::TempDir, String) {
    fs::create_dir_all("target").unwrap();
    let folder = tempfile::tempdir_in("target").unwrap();
    let item = "syntax = \"proto3\"; package shop.v1; message Item { string id = 1; }";
    let api = "syntax = \"proto3\"; package shop.v1; import \"shop/v1/item.proto\"; service Shop { rpc Get(Item) returns (Item); }";
    write(folder.path(), "protos/shop/v1/item.proto", item.as_bytes());
    write(folder.path(), "protos/shop/v1/api.proto", api.as_bytes());
    let relative = format!("target/{}", folder.path().file_name().unwrap().to_str().unwrap());
    (folder, relative)
}

#[test]
fn c02_files_and_roots_are_found_however_they_are_written() {
    let (folder, relative) = shop();
    let absolute = fs::canonicalize(folder.path()).unwrap().display().to_string();
    #[cfg(unix)]
    std::os::unix::fs::symlink("protos", folder.path().join("p")).unwrap();
    for (proto, roots) in [
        (format!("{absolute}/protos/shop/v1/api.proto"), vec![format!("{relative}/protos")]),
        (format!("{relative}/protos/shop/v1/api.proto"), vec![format!("{absolute}/protos")]),
        (format!("{relative}/protos/shop/v1/api.proto"), vec![format!("{relative}/protos/../protos")]),
        (format!("./{relative}/protos/shop/v1/api.proto"), vec![format!("{relative}/protos/")]),
        #[cfg(unix)]
        (format!("{relative}/p/shop/v1/api.proto"), vec![format!("{relative}/protos")]),
        ("shop/v1/api.proto".to_owned(), vec![format!("{relative}/protos")]),
        (format!("{relative}/protos/shop/v1/api.proto"), vec![format!("{relative}/protos"), "other".to_owned()]),
    ] {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let schema = Schema::compile(&[PathBuf::from(&proto)], &roots).unwrap();
        assert_eq!(path(&schema, "shop.v1.Shop/Get"), "/shop.v1.Shop/Get", "{proto} {roots:?}");
        let missing = [Note::RootMissing { path: "other".into() }];
        assert_eq!(schema.notes(), if roots.len() == 2 { &missing[..] } else { &[] }, "{proto}");
    }
}

#[test]
fn c02_one_file_under_several_names_is_one_file() {
    let (folder, _) = shop();
    let both = "syntax = \"proto3\"; package shop.v1; import \"item.proto\"; import \"shop/v1/item.proto\"; import public \"v1/item.proto\"; message Cart { Item item = 1; }";
    write(folder.path(), "protos/shop/v1/cart.proto", both.as_bytes());
    write(
        folder.path(),
        "top.proto",
        b"syntax = \"proto3\"; import \"shop/v1/cart.proto\"; message T { shop.v1.Item item = 1; }",
    );
    let protos = ["protos/shop/v1/item.proto", "protos/shop/v1/cart.proto", "protos/shop/v1/api.proto", "top.proto"];
    let schema = compile(folder.path(), &protos, &["protos", "protos/shop"]).unwrap();
    assert_eq!(path(&schema, "shop.v1.Shop/Get"), "/shop.v1.Shop/Get");
    assert_eq!(schema.notes(), []);
}

const DOCK: &str = r#"syntax = "proto3";
package dock;
import "google/protobuf/timestamp.proto";
import "google/api/annotations.proto";
message Slot { google.protobuf.Timestamp at = 1; }
service Dock { rpc Book(Slot) returns (Slot) { option (google.api.http) = { post: "/book" body: "*" }; } }
"#;

const ANNOTATIONS: &str = r#"syntax = "proto3"; package google.api; import "google/api/http.proto"; import "google/protobuf/descriptor.proto";
extend google.protobuf.MethodOptions { HttpRule http = 72295728; }"#;

const HTTP: &str = r#"syntax = "proto3"; package google.api; message HttpRule { string post = 4; string body = 7; }"#;

#[test]
fn c03_an_import_for_options_may_be_missing() {
    let folder = folder(&[("dock.proto", DOCK)]);
    fs::create_dir(folder.path().join("vendor")).unwrap();
    let schema = compile(folder.path(), &["dock.proto"], &["vendor"]).unwrap();
    assert_eq!(path(&schema, "dock.Dock/Book"), "/dock.Dock/Book");
    let note = Note::ImportLeftOut {
        import: "google/api/annotations.proto".to_owned(),
        importer: folder.path().join("dock.proto"),
    };
    assert_eq!(schema.notes(), [note]);

    write(folder.path(), "vendor/google/api/annotations.proto", ANNOTATIONS.as_bytes());
    write(folder.path(), "vendor/google/api/http.proto", HTTP.as_bytes());
    let schema = compile(folder.path(), &["dock.proto"], &["vendor"]).unwrap();
    assert_eq!(path(&schema, "dock.Dock/Book"), "/dock.Dock/Book");
    assert_eq!(schema.notes(), []);
}

#[test]
fn c03_an_import_for_types_may_not() {
    let folder = folder(&[
        (
            "dock.proto",
            "syntax = \"proto3\";\npackage dock;\nimport \"google/api/annotations.proto\";\nimport \"yard/v1/crane.proto\";\nmessage Slot { yard.v1.Crane crane = 1; }\n",
        ),
        (
            "short.proto",
            "syntax = \"proto3\";\npackage dock;\nimport \"google/api/annotations.proto\";\nimport \"parts.proto\";\nmessage Slot { option (google.api.x) = 1; Crane crane = 1; }\n",
        ),
        ("above.proto", "syntax = \"proto3\";\nimport \"dock.proto\";\nmessage A {}\n"),
    ]);
    let crane = |hint| {
        format!(
            "`dock.proto` imports `yard/v1/crane.proto`, which is not found (looked in `FOLDER`, `.`) @ dock.proto:4:1 `import \"yard/v1/crane.proto\";` not found / {hint}"
        )
    };
    let hint =
        "`yard.v1.Crane` is not defined without it: give the folder that has `yard/v1/crane.proto` in it with -i";
    for file in ["dock.proto", "above.proto"] {
        assert_eq!(said(folder.path(), compile(folder.path(), &[file], &[])), crane(hint), "{file}");
    }
    assert_eq!(
        said(folder.path(), compile(folder.path(), &["short.proto"], &[])),
        "`short.proto` imports `parts.proto`, which is not found (looked in `FOLDER`, `.`) @ short.proto:4:1 `import \"parts.proto\";` not found / `Crane` is not defined without it: give the folder that has `parts.proto` in it with -i"
    );

    // A typing error is not blamed on an import that only options need.
    write(folder.path(), "typo.proto", DOCK.replace("google.protobuf.Timestamp at", "Sring at").as_bytes());
    assert_eq!(
        said(folder.path(), compile(folder.path(), &["typo.proto"], &[])),
        "`typo.proto` is no valid proto file: name 'Sring' is not defined @ typo.proto:5:16 `Sring` found here"
    );

    let file = "syntax = \"proto3\"; package yard.v1; message Crane {}";
    write(folder.path(), "third/party/yard/v1/crane.proto", file.as_bytes());
    assert_eq!(said(folder.path(), compile(folder.path(), &["dock.proto"], &[])), crane("add -i third/party"));
    assert!(compile(folder.path(), &["dock.proto"], &["third/party"]).is_ok());
}

#[test]
fn c03_a_root_above_the_importer_is_suggested() {
    let (folder, _) = shop();
    write(
        folder.path(),
        "protos/shop/v1/deep/far.proto",
        b"syntax = \"proto3\"; import \"shop/v1/item.proto\"; message F { shop.v1.Item i = 1; }",
    );
    let said = said(folder.path(), compile(folder.path(), &["protos/shop/v1/deep/far.proto"], &[]));
    assert!(said.ends_with(" / add -i protos"), "{said}");
}

#[test]
fn c03_a_root_is_a_folder() {
    let folder = folder(&[
        ("dock.proto", DOCK),
        ("vendor/google/api/annotations.proto", ANNOTATIONS),
        ("odd/annotations.proto", ANNOTATIONS),
    ]);
    for (root, hint) in [
        ("vendor/google/api/annotations.proto", "give the folder that import names start from: -i vendor"),
        ("odd/annotations.proto", "give the folder that import names start from"),
    ] {
        assert_eq!(
            said(folder.path(), compile(folder.path(), &["dock.proto"], &[root])),
            format!("the import root `{root}` is a file, not a folder / {hint}")
        );
    }
}

#[test]
fn c03_copies_of_built_in_files_do_not_clash() {
    let copy =
        "syntax = \"proto3\"; package google.protobuf; message Timestamp { int64 seconds = 1; int32 nanos = 2; }";
    let folder = folder(&[
        ("dock.proto", &DOCK.replace("google/api/annotations.proto", "timestamp.proto")),
        ("vendor/google/protobuf/timestamp.proto", copy),
    ]);
    let roots = ["vendor", "vendor/google/protobuf"];
    for protos in [
        &["dock.proto"][..],
        &["vendor/google/protobuf/timestamp.proto", "dock.proto"],
        &["dock.proto", "vendor/google/protobuf/timestamp.proto"],
    ] {
        let schema = compile(folder.path(), protos, &roots).unwrap();
        assert_eq!(path(&schema, "dock.Dock/Book"), "/dock.Dock/Book", "{protos:?}");
        assert_eq!(schema.notes(), []);
    }
}

#[test]
fn c03_built_in_files_need_nothing_on_disk() {
    let names = [
        "any",
        "api",
        "descriptor",
        "duration",
        "empty",
        "field_mask",
        "source_context",
        "struct",
        "timestamp",
        "type",
        "wrappers",
        "compiler/plugin",
    ];
    let imports = names.map(|name| format!("import \"google/protobuf/{name}.proto\";")).concat();
    let folder = folder(&[(
        "all.proto",
        &format!(
            "syntax = \"proto3\"; {imports} service S {{ rpc M(google.protobuf.Api) returns (google.protobuf.compiler.CodeGeneratorRequest); }}"
        ),
    )]);
    let schema = compile(folder.path(), &["all.proto"], &[]).unwrap();
    assert_eq!(path(&schema, "S/M"), "/S/M");
}

#[test]
fn c05_editions_are_named() {
    let folder = folder(&[
        ("wire.proto", "// first\n\nedition = \"2023\";\npackage wire;\nmessage M { int32 a = 1; }\n"),
        ("odd.proto", "/* edition = \"1\"; */ ; edition /* x */ = '2024' ; "),
        ("uses.proto", "syntax = \"proto3\"; import \"wire.proto\"; message N { wire.M m = 1; }"),
        (
            "field.proto",
            "syntax = \"proto3\"; // edition = \"2023\";\nmessage M { string edition = 1; } service S { rpc Do(M) returns (M); }",
        ),
    ]);
    let wire = "`wire.proto` is written in edition 2023, and only proto2 and proto3 are supported @ wire.proto:3:1 `edition = \"2023\"` this edition is not supported / use a copy of the file with syntax = \"proto3\" or \"proto2\"";
    for file in ["wire.proto", "uses.proto"] {
        assert_eq!(said(folder.path(), compile(folder.path(), &[file], &[])), wire, "{file}");
    }
    let said = said(folder.path(), compile(folder.path(), &["odd.proto"], &[]));
    assert!(said.contains("edition 2024") && said.contains("@ odd.proto:1:24 "), "{said}");
    assert!(compile(folder.path(), &["field.proto"], &[]).is_ok());
}

#[test]
fn c06_services_are_found_in_imported_files() {
    let part = |package: &str, method: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; message Cog {{}} service Parts {{ rpc {method}(Cog) returns (Cog); }}"
        )
    };
    let folder = folder(&[
        ("public.proto", "syntax = \"proto3\"; package hub; import public \"parts.proto\";"),
        ("plain.proto", "syntax = \"proto3\"; package hub; import \"parts.proto\"; import \"spare.proto\";"),
        ("parts.proto", &part("hub", "Spin")),
        ("spare.proto", &part("hub.spare", "Stop")),
    ]);
    for entry in ["public.proto", "plain.proto"] {
        let schema = compile(folder.path(), &[entry], &[]).unwrap();
        assert_eq!(path(&schema, "hub.Parts/Spin"), "/hub.Parts/Spin", "{entry}");
    }
    let schema = compile(folder.path(), &["plain.proto"], &[]).unwrap();
    assert_eq!(path(&schema, "hub.spare.Parts/Stop"), "/hub.spare.Parts/Stop");
    assert_eq!(
        said(folder.path(), schema.method("Parts/Spin")),
        "no service `Parts` in the loaded files / did you mean `hub.Parts` or `hub.spare.Parts`?"
    );
}

#[test]
fn c08_heavy_option_syntax_is_read_and_passed_over() {
    let folder = folder(&[(
        "knot.proto",
        r#"// Überschrift ☃ 漢字
syntax = 'proto3'
;;
package knot ;
import "google/protobuf/descriptor.proto";
import "google/protobuf/any.proto";
enum Kind { KIND_A = 0; KIND_B = 0x1; KIND_N = -0x80000000; ; }
message Rule { string re = 1; repeated int32 nums = 2; map<string,int32> m = 3; Rule sub = 4; double d = 5; Kind k = 6; bytes raw = 7; }
extend google.protobuf.FieldOptions { Rule rule = 50001; repeated string note = 50002; }
extend google.protobuf.MethodOptions { Rule http = 50003; }
extend google.protobuf.MessageOptions { google.protobuf.Any extra = 50004; }
message Rope {
  option (extra) = { [type.googleapis.com/knot.Rule] { re: "\x41\101" 'tail' } };
  string a = 010 [(rule) = { re: "^\\d+$", nums: [1, 2, 0x3], m: { key: "k" value: 1 } m { key: "z", value: 2 }, sub < re: 'x' >; d: -inf k: KIND_B raw: "\377" }, (note) = "n1", (note) = "n2"];
  string b = 9 [(rule).re = "p", (rule).sub.re = "q"];
}
service Loft { rpc Tie ( Rope ) returns ( stream Rope ) { option (http) = { re: "/v1/{a=**}" # at the end
  nums: 1 nums: 2 }; ; } ; } ;
"#,
    )]);
    let schema = compile(folder.path(), &["knot.proto"], &[]).unwrap();
    let method = schema.method("knot.Loft/Tie").unwrap();
    assert_eq!((method.path().as_str(), method.kind()), ("/knot.Loft/Tie", Kind::ServerStreaming));
    assert_eq!(method.input().get_field_by_name("a").unwrap().number(), 8);
}

const GREETER: &str = r#"syntax = "proto3"; package a.b;
message M {}
service Greeter { rpc Say(M) returns (M); rpc SayAll(M) returns (stream M); rpc Hear(stream M) returns (M); rpc Talk(stream M) returns (stream M); }
service Idle {}"#;

const BARE: &str = "syntax = \"proto3\"; message N {} service Bare { rpc Ping(N) returns (N); }";

#[test]
fn c09_spellings_of_a_method() {
    let folder = folder(&[("greeter.proto", GREETER), ("bare.proto", BARE)]);
    let schema = compile(folder.path(), &["greeter.proto", "bare.proto"], &[]).unwrap();
    for (call, expected) in [
        ("a.b.Greeter.Say", "/a.b.Greeter/Say"),
        ("a.b.Greeter/Say", "/a.b.Greeter/Say"),
        (".a.b.Greeter/Say", "/a.b.Greeter/Say"),
        (".a.b.Greeter.Say", "/a.b.Greeter/Say"),
        ("/a.b.Greeter/Say", "/a.b.Greeter/Say"),
        ("Bare.Ping", "/Bare/Ping"),
        ("Bare/Ping", "/Bare/Ping"),
    ] {
        assert_eq!(path(&schema, call), expected, "{call}");
    }
    let forms = "write it as package.Service.Method or package.Service/Method";
    for (call, expected) in [
        ("a.b.greeter/Say", "no service `a.b.greeter` in the loaded files / did you mean `a.b.Greeter`?".to_owned()),
        ("a.b.Greeter/say", "no method `say` in `a.b.Greeter` / did you mean `Say`?".to_owned()),
        ("Say", format!("`Say` is no method name / {forms}: `a.b.Greeter/Say`")),
        ("Pong", format!("`Pong` is no method name / {forms}: `Bare/Ping`")),
        ("Bravo", format!("`Bravo` is no method name / {forms}")),
        ("", format!("`` is no method name / {forms}")),
        ("/", format!("`/` is no method name / {forms}")),
        ("a/b/Greeter/Say", format!("`a/b/Greeter/Say` is no method name / {forms}")),
        ("//a.b.Greeter/Say", format!("`//a.b.Greeter/Say` is no method name / {forms}")),
        (
            "a.b.Greeter/",
            "`a.b.Greeter` is a service, and no method of it is named / its methods are `Say`, `SayAll`, `Hear` and `Talk`"
                .to_owned(),
        ),
        ("a.b.Idle", "`a.b.Idle` is a service, and no method of it is named / the service has no methods".to_owned()),
        (
            "a.b.Nope/Say",
            "no service `a.b.Nope` in the loaded files / the services are `a.b.Greeter`, `a.b.Idle` and `Bare`".to_owned(),
        ),
        (
            "a.b.Greeter/Nope",
            "no method `Nope` in `a.b.Greeter` / its methods are `Say`, `SayAll`, `Hear` and `Talk`".to_owned(),
        ),
        ("Greeter/Say", "no service `Greeter` in the loaded files / did you mean `a.b.Greeter`?".to_owned()),
        ("x.Greeter/Say", "no service `x.Greeter` in the loaded files / did you mean `a.b.Greeter`?".to_owned()),
    ] {
        assert_eq!(said(folder.path(), schema.method(call)), expected, "{call}");
    }
}

#[test]
fn methods_know_their_kind_and_names() {
    let folder = folder(&[("greeter.proto", GREETER)]);
    let schema = compile(folder.path(), &["greeter.proto"], &[]).unwrap();
    for (name, kind, shown) in [
        ("Say", Kind::Unary, "unary"),
        ("SayAll", Kind::ServerStreaming, "server streaming"),
        ("Hear", Kind::ClientStreaming, "client streaming"),
        ("Talk", Kind::Bidi, "bidirectional streaming"),
    ] {
        let method = schema.method(&format!("a.b.Greeter.{name}")).unwrap();
        assert_eq!((method.kind(), method.kind().to_string().as_str()), (kind, shown));
        assert_eq!((method.service(), method.name()), ("a.b.Greeter", name));
        assert_eq!(method.full_name(), format!("a.b.Greeter.{name}"));
        assert_eq!((method.input().full_name(), method.output().full_name()), ("a.b.M", "a.b.M"));
    }
}

#[test]
fn descriptors_that_lead_to_themselves_can_be_printed() {
    let folder =
        folder(&[("tree.proto", "syntax = \"proto3\"; message T { T t = 1; } service S { rpc Do(T) returns (T); }")]);
    let schema = compile(folder.path(), &["tree.proto"], &[]).unwrap();
    assert_eq!(format!("{:?}", schema.method("S/Do").unwrap()), "Method(\"/S/Do\")");
    assert_eq!(format!("{schema:?}"), "Schema { files: 1, notes: [] }");
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = folder(&[("empty.proto", "")]);
    write(folder.path(), "latin.proto", b"syntax = \"proto3\";\n// gr\xFC\xDFe\n");
    for (file, expected) in [
        ("gone.proto", "no file `gone.proto` / check the spelling of the path"),
        ("", "`` is a folder, not a .proto file / give the .proto file that defines the service"),
        (
            "latin.proto",
            "`latin.proto` is not UTF-8: byte 0xfc in line 2 / save it as UTF-8; if it is no text but a descriptor set, give it with --protoset",
        ),
    ] {
        assert_eq!(said(folder.path(), compile(folder.path(), &[file], &[])), expected);
    }
    let schema = compile(folder.path(), &["empty.proto"], &[]).unwrap();
    assert_eq!(
        said(folder.path(), schema.method("a.B/C")),
        "no service `a.B` in the loaded files / the files define no service; give the file that does"
    );
    assert_eq!(
        said(folder.path(), Schema::compile(&["no/such.proto".into()], &[folder.path().to_owned()])),
        "no file `no/such.proto` (looked in `.`, `FOLDER`) / give the path from the working directory, or from a folder given with -i"
    );
}

#[test]
fn circles_of_imports_are_refused() {
    let folder = folder(&[
        ("entry.proto", "syntax = \"proto3\"; import \"a.proto\";"),
        ("a.proto", "syntax = \"proto3\";\nimport \"b.proto\";\nmessage A {}"),
        ("b.proto", "syntax = \"proto3\";\n  import public \"a.proto\" ;\nmessage B {}"),
        ("self.proto", "syntax = \"proto3\"; import \"self.proto\";"),
    ]);
    let hint = "move what both need into a file of its own";
    assert_eq!(
        said(folder.path(), compile(folder.path(), &["entry.proto"], &[])),
        format!(
            "files import each other in a circle: a.proto -> b.proto -> a.proto @ b.proto:2:3 `import public \"a.proto\" ;` this import closes the circle / {hint}"
        )
    );
    assert_eq!(
        said(folder.path(), compile(folder.path(), &["self.proto"], &[])),
        format!(
            "files import each other in a circle: self.proto -> self.proto @ self.proto:1:20 `import \"self.proto\";` this import closes the circle / {hint}"
        )
    );
}

#[test]
fn mistakes_of_all_files_come_together() {
    let folder = folder(&[
        ("one.proto", "syntax = \"proto3\";\nmessage M {\n  int32 n = 1\n}\n"),
        ("two.proto", "syntax = \"proto4\";"),
        ("three.proto", "syntax = \"proto3\"; import \"one.proto\"; message N { M m = 1; }"),
    ]);
    let found = said(
        folder.path(),
        compile(folder.path(), &["one.proto", "two.proto", "three.proto", "four.proto"], &["one.proto"]),
    );
    let expected = "\
the import root `one.proto` is a file, not a folder / give the folder that import names start from
`one.proto` is no valid proto file: expected ';' or '[', but found '}' @ one.proto:4:1 `}` found here
`two.proto` is no valid proto file: unknown syntax 'proto4' @ two.proto:1:10 `\"proto4\"` defined here / possible values are 'proto2' and 'proto3'
no file `four.proto` / check the spelling of the path";
    assert_eq!(found, expected);
}

#[test]
fn clashing_names_are_shown() {
    let folder = folder(&[
        ("one.proto", "syntax = \"proto3\"; package p; message M {}"),
        ("two.proto", "syntax = \"proto3\"; package p;\nmessage M {}"),
        ("sub/one.proto", "syntax = \"proto3\"; package q; message M {} service S { rpc Do(M) returns (M); }"),
    ]);
    let found = said(folder.path(), compile(folder.path(), &["one.proto", "two.proto"], &[]));
    assert_eq!(
        found,
        "`two.proto` is no valid proto file: name 'p.M' is already defined in file 'one.proto' @ two.proto:2:9 `M` defined again here"
    );
    // Files of the same name in different folders are different files.
    let schema = compile(folder.path(), &["one.proto", "sub/one.proto"], &[]).unwrap();
    assert_eq!(path(&schema, "q.S/Do"), "/q.S/Do");
}

#[test]
fn enum_aliases_are_allowed_where_the_file_says_so() {
    let aliases = "syntax = \"proto3\"; enum E { option allow_alias = true; A = 0; B = 0; }";
    let folder = folder(&[("yes.proto", aliases), ("no.proto", &aliases.replace("option allow_alias = true;", ""))]);
    assert!(compile(folder.path(), &["yes.proto"], &[]).is_ok());
    let found = said(folder.path(), compile(folder.path(), &["no.proto"], &[]));
    assert!(found.ends_with(" / set the 'allow_alias' option allow re-using enum numbers"), "{found}");
}

#[test]
fn packing_is_what_the_file_says() {
    let folder = folder(&[
        (
            "two.proto",
            "syntax = \"proto2\"; package two; message M { repeated int32 a = 1; repeated int32 b = 2 [packed = true]; } service S { rpc Do(M) returns (M); }",
        ),
        (
            "three.proto",
            "syntax = \"proto3\"; package three; message M { repeated int32 a = 1 [packed = false]; repeated int32 b = 2; } service S { rpc Do(M) returns (M); }",
        ),
    ]);
    let schema = compile(folder.path(), &["two.proto", "three.proto"], &[]).unwrap();
    for call in ["two.S/Do", "three.S/Do"] {
        let fields: Vec<bool> = schema.method(call).unwrap().input().fields().map(|field| field.is_packed()).collect();
        assert_eq!(fields, [false, true], "{call}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    /// Files are cut, doubled and stuffed with odd words in random places.
    #[test]
    fn never_panics(cuts in proptest::collection::vec((0usize..2_000, 0usize..40, 0usize..14), 1..6), which in 0usize..4) {
        const WORDS: [&str; 14] = [
            "", ";", "}", "{", "\"", "message", "= 1", "int32", "/*", "\u{feff}", "é", "edition = \"", "import \"", "option (x).y = ",
        ];
        let mut text = [DOCK, GREETER, BARE, ANNOTATIONS][which].to_owned();
        for (at, len, word) in cuts {
            let boundary = |at: usize| (at % (text.len() + 1)..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
            let start = boundary(at);
            let end = boundary(start + len).max(start);
            text.replace_range(start..end, WORDS[word]);
        }
        if let Ok(source) = ProtoFile::parse("random.proto".into(), text.into_bytes()) {
            let folder = folder(&[("random.proto", &source.text)]);
            let _ = compile(folder.path(), &["random.proto"], &[]).map(|schema| schema.method("a.b.Greeter/Say").is_ok());
        }
    }

    #[test]
    fn never_panics_on_bytes(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64)) {
        let _ = ProtoFile::parse("random.proto".into(), bytes);
    }
}
