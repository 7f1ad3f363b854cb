//! Descriptor sets: tidy ones are in the other files; these are concatenated, reversed, doubled, cut, broken, or no sets.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use grpcbench::error::Problems;
use grpcbench::schema::{Note, Schema};
use prost::Message as _;
use prost_reflect::prost_types::descriptor_proto::ExtensionRange;
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto,
    ServiceDescriptorProto,
};

use crate::sources::{said, set};

const ITEM: (&str, &str) =
    ("shop/v1/item.proto", "syntax = \"proto3\"; package shop.v1; message Item { string id = 1; }");
const ITEM_TOO: (&str, &str) =
    ("shop/v1/item.proto", "syntax = \"proto3\"; package shop.v1; message Item { string id = 1; int32 n = 2; }");
const ONE: (&str, &str) = (
    "one.proto",
    "syntax = \"proto3\"; package one; import \"shop/v1/item.proto\"; service One { rpc Get(shop.v1.Item) returns (shop.v1.Item); }",
);
const TWO: (&str, &str) = (
    "two.proto",
    "syntax = \"proto3\"; package two; import \"shop/v1/item.proto\"; service Two { rpc Get(shop.v1.Item) returns (shop.v1.Item); }",
);

/// Loads sets by their bytes, each from a file of its own: `0.pb`, `1.pb`.
fn load(sets: &[Vec<u8>]) -> Result<Schema, Problems> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..sets.len()).map(|number| folder.path().join(format!("{number}.pb"))).collect();
    for (path, set) in paths.iter().zip(sets) {
        fs::write(path, set).unwrap();
    }
    Schema::protosets(&paths)
}

/// What is said, without the names of folders.
#[track_caller]
fn told<T>(result: Result<T, Problems>) -> String {
    let said = said(result);
    let mut told = String::new();
    for (index, part) in said.split('`').enumerate() {
        let file = Path::new(part).file_name().and_then(|file| file.to_str());
        told.push_str(if index > 0 { "`" } else { "" });
        told.push_str(file.filter(|_| part.starts_with('/')).unwrap_or(part));
    }
    told
}

fn bytes(files: Vec<FileDescriptorProto>) -> Vec<u8> {
    FileDescriptorSet { file: files }.encode_to_vec()
}

#[test]
fn c07_sets_are_joined_in_any_order() {
    let (one, two) = (set(&[ONE, ITEM]), set(&[TWO, ITEM]));
    let mut joined = one.encode_to_vec();
    joined.extend(two.encode_to_vec());
    let mut reversed = one.file.clone();
    reversed.extend(two.file.clone());
    reversed.reverse();
    for sets in [vec![joined], vec![bytes(reversed)], vec![one.encode_to_vec(), two.encode_to_vec()]] {
        let schema = load(&sets).unwrap();
        assert_eq!(schema.services(), ["one.One", "two.Two"]);
        assert_eq!(schema.method("one.One/Get").unwrap().path(), "/one.One/Get");
        assert_eq!(schema.method("two.Two/Get").unwrap().path(), "/two.Two/Get");
    }
}

#[test]
fn c07_files_may_come_twice_if_they_say_the_same() {
    let one = set(&[ONE, ITEM]);
    let mut bare = one.clone();
    bare.file.iter_mut().for_each(|file| file.source_code_info = None);
    // The comments of one make no difference, and are kept.
    for sets in [vec![one.encode_to_vec(), bare.encode_to_vec()], vec![bare.encode_to_vec(), one.encode_to_vec()]] {
        assert!(load(&sets).unwrap().method("one.One/Get").is_ok());
    }
    assert_eq!(
        told(load(&[one.encode_to_vec(), set(&[TWO, ITEM_TOO]).encode_to_vec()])),
        "there are two different files called `shop/v1/item.proto`: one from `0.pb`, one from `1.pb` / make both from the same version of the file, or give only one of them"
    );
}

/// Each compiler brings its own age of these files, and sets of several compilers are joined all the time.
#[test]
fn files_of_google_protobuf_may_differ() {
    let uses = |name: &str| {
        let file = format!(
            "syntax = \"proto2\"; package {name}; import \"google/protobuf/descriptor.proto\"; message M {{ optional google.protobuf.FileOptions o = 1; }} service S {{ rpc Do(M) returns (M); }}"
        );
        set(&[(&format!("{name}.proto"), &file)])
    };
    let (new, mut old) = (uses("new"), uses("old"));
    let shared = old.file.iter_mut().find(|file| file.name() == "google/protobuf/descriptor.proto").unwrap();
    shared.message_type.retain(|message| message.name() != "GeneratedCodeInfo");
    for sets in [vec![new.encode_to_vec(), old.encode_to_vec()], vec![old.encode_to_vec(), new.encode_to_vec()]] {
        let schema = load(&sets).unwrap();
        assert!(schema.symbol("google.protobuf.GeneratedCodeInfo").is_ok());
        assert!(schema.method("old.S.Do").is_ok() && schema.method("new.S.Do").is_ok());
    }
    // They need not be there at all.
    let mut without = uses("without");
    without.file.retain(|file| file.name() == "without.proto");
    assert!(load(&[without.encode_to_vec()]).unwrap().method("without.S.Do").is_ok());
}

#[test]
fn c07_a_missing_import_is_named() {
    let mut one = set(&[ONE, ITEM]);
    one.file.retain(|file| file.name() == "one.proto");
    let schema = load(&[one.encode_to_vec()]).unwrap();
    assert_eq!(schema.services(), ["one.One"]);
    assert_eq!(
        told(schema.method("one.One/Get")),
        "`one.proto`, from `0.pb`, imports `shop/v1/item.proto`, which is not there / `shop.v1.Item` is not defined without it: make the set with its imports (protoc --include_imports)"
    );
}

#[test]
fn a_missing_import_that_only_options_need_is_left_out() {
    let mut one = set(&[ONE, ITEM]);
    for file in &mut one.file {
        file.dependency.insert(0, "google/api/annotations.proto".to_owned());
        file.public_dependency = vec![0];
    }
    let schema = load(&[one.encode_to_vec()]).unwrap();
    let method = schema.method("one.One/Get").unwrap();
    let [Note::ImportLeftOut { import, .. }] = method.notes() else { panic!("{:?}", method.notes()) };
    assert_eq!(import, "google/api/annotations.proto");
}

/// As some Go servers have it: the import is called otherwise than the file.
#[test]
fn a_type_is_found_though_its_import_has_another_name() {
    let mut one = set(&[ONE, ITEM]);
    one.file.iter_mut().find(|file| file.name() == "shop/v1/item.proto").unwrap().name = Some("item.proto".to_owned());
    for _ in 0..2 {
        assert!(load(&[one.encode_to_vec()]).unwrap().method("one.One/Get").is_ok());
        one.file.reverse();
    }
}

/// As a compiler of today writes it.
fn edition(number: i32) -> Vec<u8> {
    let file = |name: &str, package: &str, method: &str| FileDescriptorProto {
        name: Some(name.to_owned()),
        package: Some(package.to_owned()),
        message_type: vec![DescriptorProto { name: Some("M".to_owned()), ..DescriptorProto::default() }],
        service: vec![ServiceDescriptorProto {
            name: Some("S".to_owned()),
            method: vec![MethodDescriptorProto {
                name: Some(method.to_owned()),
                input_type: Some(format!(".{package}.M")),
                output_type: Some(".wire.M".to_owned()),
                ..MethodDescriptorProto::default()
            }],
            ..ServiceDescriptorProto::default()
        }],
        ..FileDescriptorProto::default()
    };
    let mut wire =
        FileDescriptorProto { syntax: Some("editions".to_owned()), ..file("wire.proto", "wire", "Do") }.encode_to_vec();
    // Field 14, which the library does not know.
    prost::encoding::int32::encode(14, &number, &mut wire);
    let mut uses = file("uses.proto", "uses", "Do");
    uses.dependency.push("wire.proto".to_owned());
    let mut sound = file("sound.proto", "sound", "Do");
    sound.service[0].method[0].output_type = Some(".sound.M".to_owned());
    let mut set = Vec::new();
    for file in [wire, uses.encode_to_vec(), sound.encode_to_vec()] {
        prost::encoding::bytes::encode(1, &file, &mut set);
    }
    set
}

#[test]
fn c05_editions_are_named() {
    for (number, name) in [(1000, "2023"), (1001, "2024"), (9999, "number 9999")] {
        let schema = load(&[edition(number)]).unwrap();
        let expected = format!(
            "`wire.proto`, from `0.pb`, is written in edition {name}, and only proto2 and proto3 are supported / use a copy of the file with syntax = \"proto3\" or \"proto2\""
        );
        assert_eq!(told(schema.method("wire.S/Do")), expected);
        assert_eq!(told(schema.method("uses.S/Do")), expected);
        assert_eq!(told(schema.symbol("wire.M").map(|_| ())), expected);
        // A file that has nothing to do with it is of use all the same.
        assert_eq!(schema.method("sound.S/Do").unwrap().path(), "/sound.S/Do");
        assert_eq!(schema.services(), ["sound.S", "uses.S", "wire.S"]);
        assert!(schema.descriptor_set().is_ok());
    }
}

#[test]
fn an_unknown_syntax_is_named_and_an_empty_one_is_proto2() {
    let with = |syntax: &str| {
        let mut one = set(&[ONE, ITEM]);
        one.file.iter_mut().for_each(|file| file.syntax = Some(syntax.to_owned()));
        load(&[one.encode_to_vec()]).unwrap().method("one.One/Get")
    };
    assert_eq!(
        told(with("placeholder")),
        "`shop/v1/item.proto`, from `0.pb`, is written in `placeholder`, and only proto2 and proto3 are supported / use a copy of the file with syntax = \"proto3\" or \"proto2\""
    );
    assert!(with("").is_ok());
}

/// Found by fuzzing.
#[test]
fn ranges_with_nothing_in_them_are_not_described() {
    let file =
        "syntax = \"proto2\"; package p; message M { extensions 100 to 199; } service S { rpc Do(M) returns (M); }";
    let mut set = set(&[("p.proto", file)]);
    let ranges = &mut set.file[0].message_type[0].extension_range;
    ranges.push(ExtensionRange { start: Some(300), end: None, options: None });
    ranges.push(ExtensionRange { start: None, end: Some(0), options: None });
    let text = load(&[set.encode_to_vec()]).unwrap().symbol("p.S.Do").unwrap().text();
    assert!(text.contains("extensions 100 to 199;"), "{text}");
    assert_eq!(text.matches("extensions").count(), 1, "{text}");
}

#[test]
fn circles_are_shown() {
    let mut one = set(&[ONE, ITEM]);
    one.file.iter_mut().find(|file| file.name() == "shop/v1/item.proto").unwrap().dependency.push("one.proto".into());
    let schema = load(&[one.encode_to_vec()]).unwrap();
    let expected = "files import each other in a circle: one.proto -> shop/v1/item.proto -> one.proto / move what both need into a file of its own";
    assert_eq!(told(schema.method("one.One/Get")), expected);
    let expected = "files import each other in a circle: shop/v1/item.proto -> one.proto -> shop/v1/item.proto / move what both need into a file of its own";
    assert_eq!(told(schema.descriptor_set()), expected);
}

#[test]
fn what_makes_no_sense_is_told_with_the_file() {
    let mut one = set(&[ONE, ITEM]);
    let item = one.file.iter_mut().find(|file| file.name() == "shop/v1/item.proto").unwrap();
    item.message_type[0].field.push(FieldDescriptorProto {
        name: Some("id".to_owned()),
        number: Some(1),
        r#type: Some(9),
        ..FieldDescriptorProto::default()
    });
    let told = told(load(&[one.encode_to_vec()]).unwrap().method("one.One/Get"));
    assert!(told.starts_with("`shop/v1/item.proto`, from `0.pb`, is not valid: "), "{told}");
}

#[test]
fn an_entry_of_a_map_without_its_key_is_refused() {
    let mut files = set(&[(
        "shop.proto",
        "syntax = \"proto3\"; message Box { map<string, int32> stock = 1; } service Shop { rpc Get(Box) returns (Box); }",
    )]);
    files.file[0].message_type[0].nested_type[0].field[0].number = Some(24);
    assert_eq!(
        told(load(&[files.encode_to_vec()]).unwrap().method("Shop/Get")),
        "`shop.proto`, from `0.pb`, is not valid: `Box.StockEntry` is marked as the entry of a map, and lacks its key or value / \
         leave `map_entry` to compilers, and write the field as map<KEY, VALUE>"
    );
}

/// What no compiler writes, and what the library that links descriptors would look for in vain, or trip over.
#[test]
fn names_and_defaults_that_are_none_are_refused() {
    type Break = fn(&mut FileDescriptorProto);
    let hint = " / names are made of letters, digits and `_`";
    let cases: [(Break, &str); 12] = [
        (|file| file.package = Some("shop..v1".to_owned()), "`shop..v1` is no name of a package"),
        (|file| file.package = Some("sh op".to_owned()), "`sh op` is no name of a package"),
        (
            |file| file.message_type[0].name = Some(".shop.Box".to_owned()),
            "`.shop.Box` is no name of a message in `shop`",
        ),
        (|file| file.message_type[0].name = None, "a message in `shop` has no name"),
        (
            |file| file.message_type[0].nested_type[0].name = Some("Lid.".to_owned()),
            "`Lid.` is no name of a message in `Box`",
        ),
        (|file| file.message_type[0].field[0].name = Some("a b".to_owned()), "`a b` is no name of a field in `Box`"),
        (
            |file| file.message_type[0].oneof_decl[0].name = Some("\0".to_owned()),
            "`\\0` is no name of a oneof in `Box`",
        ),
        (
            |file| file.message_type[0].enum_type[0].name = Some("Gr\u{fc}n".to_owned()),
            "`Grün` is no name of an enum in `Box`",
        ),
        (|file| file.enum_type[0].value[0].name = Some(String::new()), "a value in `Colour` has no name"),
        (
            |file| file.extension[0].name = Some("more.or.less".to_owned()),
            "`more.or.less` is no name of a field in `shop`",
        ),
        (|file| file.service[0].name = Some("Sh-op".to_owned()), "`Sh-op` is no name of a service in `shop`"),
        (|file| file.service[0].method[0].name = Some("Get.".to_owned()), "`Get.` is no name of a method in `Shop`"),
    ];
    let whole = set(&[(
        "shop.proto",
        r#"syntax = "proto2"; package shop;
        message Box {
            message Lid {}
            enum Form { ROUND = 0; }
            optional bytes seal = 1 [default = "\xe9\\777"];
            oneof content { string text = 2; }
            extensions 100;
        }
        enum Colour { RED = 0; }
        extend Box { optional int32 more = 100; }
        service Shop { rpc Get(Box) returns (Box); }"#,
    )]);
    // By whatever name the service has now.
    let link = |files: &FileDescriptorSet| {
        let schema = load(&[files.encode_to_vec()]).unwrap();
        schema.symbol(&schema.services()[0]).map(drop)
    };
    link(&whole).unwrap();
    for (break_it, problem) in cases {
        let mut files = whole.clone();
        break_it(&mut files.file[0]);
        assert_eq!(told(link(&files)), format!("`shop.proto`, from `0.pb`, is not valid: {problem}{hint}"));
    }
    for default in ["\\xa\u{e9}", "\\777", "\u{e9}"] {
        let mut files = whole.clone();
        files.file[0].message_type[0].field[0].default_value = Some(default.to_owned());
        let problem = "the default of the field `seal` is not escaped as that of a field of bytes is";
        assert_eq!(told(link(&files)), format!("`shop.proto`, from `0.pb`, is not valid: {problem}"), "{default}");
    }
}

/// Two files in each of forty layers, each with public imports of both below: a million million ways down.
#[test]
fn public_imports_that_meet_again_are_followed_once() {
    let mut files = Vec::new();
    for layer in 0..40 {
        for side in ["a", "b"] {
            files.push(FileDescriptorProto {
                name: Some(format!("{side}{layer}.proto")),
                dependency: if layer == 0 {
                    vec![]
                } else {
                    ["a", "b"].map(|below| format!("{below}{}.proto", layer - 1)).to_vec()
                },
                public_dependency: if layer == 0 { vec![] } else { vec![0, 1] },
                message_type: vec![DescriptorProto {
                    name: Some(format!("M{side}{layer}")),
                    ..DescriptorProto::default()
                }],
                ..FileDescriptorProto::default()
            });
        }
    }
    files.push(FileDescriptorProto {
        name: Some("top.proto".to_owned()),
        dependency: vec!["a39.proto".to_owned()],
        service: vec![ServiceDescriptorProto {
            name: Some("Top".to_owned()),
            method: vec![MethodDescriptorProto {
                name: Some("Get".to_owned()),
                input_type: Some(".Ma0".to_owned()),
                output_type: Some(".Mb38".to_owned()),
                ..MethodDescriptorProto::default()
            }],
            ..ServiceDescriptorProto::default()
        }],
        ..FileDescriptorProto::default()
    });
    load(&[bytes(files.clone())]).unwrap().method("Top/Get").unwrap();
    // What is not passed on is still not seen.
    files[2].public_dependency.clear();
    files[3].public_dependency.clear();
    assert!(told(load(&[bytes(files)]).unwrap().method("Top/Get")).contains("Ma0"));
}

#[test]
fn what_is_no_set_is_told_what_it_is() {
    let hint = "make one with `protoc --include_imports --descriptor_set_out=FILE` or `buf build -o FILE.binpb`";
    for (bytes, problem) in [
        (&b""[..], "it is empty"),
        (b"\x1f\x8b\x08\x00", "it is compressed; unpack it with gunzip first"),
        (b"{\"file\":[]}", "it is JSON; the binary form is wanted"),
        (b"syntax = \"proto3\";", "it does not start as one"),
        (b"\x0a\x7f", "it is damaged, cut short, or something else"),
    ] {
        let told = told(load(&[bytes.to_vec()]));
        assert!(told.starts_with(&format!("`0.pb` is no descriptor set: {problem}")), "{told}");
        assert!(told.ends_with(hint), "{told}");
    }
    let folder = tempfile::tempdir().unwrap();
    let proto = folder.path().join("a.proto");
    fs::write(&proto, "\nsyntax = \"proto3\";").unwrap();
    let told = said(Schema::protosets(&[proto]));
    assert!(told.contains("it is a .proto file; give it with --proto"), "{told}");
    let told = said(Schema::protosets(&[folder.path().to_owned()]));
    assert!(told.contains("it is a folder"), "{told}");
    let told = said(Schema::protosets(&[folder.path().join("gone.pb")]));
    assert!(told.starts_with("cannot read `"), "{told}");

    let nameless = bytes(vec![FileDescriptorProto::default()]);
    assert_eq!(self::told(load(&[nameless])), "a file from `0.pb` is no descriptor: it has no name");
    // All that is wrong comes together.
    assert_eq!(said(load(&[Vec::new(), Vec::new()])).lines().count(), 2);
}

/// Thousands of files, of which a call needs a few: the others are not looked into.
#[test]
fn a_set_of_many_files() {
    let mut files = Vec::new();
    for number in 0..3_000 {
        let package = format!("p{number}");
        let field = FieldDescriptorProto {
            name: Some("other".to_owned()),
            number: Some(1),
            label: Some(1),
            r#type: Some(11),
            type_name: Some(format!(".p{}.M", number / 2)),
            ..FieldDescriptorProto::default()
        };
        files.push(FileDescriptorProto {
            name: Some(format!("{number}.proto")),
            package: Some(package.clone()),
            syntax: Some("proto3".to_owned()),
            dependency: if number > 0 { vec![format!("{}.proto", number / 2)] } else { Vec::new() },
            message_type: vec![DescriptorProto {
                name: Some("M".to_owned()),
                field: vec![field],
                ..DescriptorProto::default()
            }],
            service: vec![ServiceDescriptorProto {
                name: Some("S".to_owned()),
                method: vec![MethodDescriptorProto {
                    name: Some("Do".to_owned()),
                    input_type: Some(format!(".{package}.M")),
                    output_type: Some(format!(".{package}.M")),
                    ..MethodDescriptorProto::default()
                }],
                ..ServiceDescriptorProto::default()
            }],
            ..FileDescriptorProto::default()
        });
    }
    let schema = load(&[bytes(files)]).unwrap();
    assert_eq!(schema.services().len(), 3_000);
    let method = schema.method("p2999.S/Do").unwrap();
    // The file, and those that it leads to: 2999, 1499, 749 and so on down to 1 and 0.
    assert_eq!(method.input().parent_pool().files().len(), 13);
    assert!(method.scope().message("p2998.M").is_some());
    assert_eq!(method.scope().message_names().len(), 3_000);
}

/// A chain of imports as long as there are files: nothing that recurses would survive it.
#[test]
fn a_long_chain_of_imports() {
    let file = |number: usize| FileDescriptorProto {
        name: Some(format!("{number}.proto")),
        dependency: (number > 0).then(|| format!("{}.proto", number - 1)).into_iter().collect(),
        message_type: vec![DescriptorProto { name: Some(format!("M{number}")), ..DescriptorProto::default() }],
        ..FileDescriptorProto::default()
    };
    let schema = load(&[bytes((0..20_000).map(file).collect())]).unwrap();
    assert!(schema.symbol("M1000").is_ok());
    assert!(schema.descriptor_set().is_ok());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]

    /// Bytes of sets are changed, dropped and doubled in random places; whatever comes out is used as far as it goes.
    #[test]
    fn never_panics(
        edits in proptest::collection::vec((0usize..4_000, 0usize..6, proptest::num::u8::ANY), 1..5),
        which in 0usize..2,
    ) {
        let mut wild = COMPILED.clone();
        if which == 0 {
            wild.file.iter_mut().for_each(|file| file.source_code_info = None);
        }
        let mut bytes = wild.encode_to_vec();
        for (at, drop, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
            let end = (at + drop).min(bytes.len());
            if drop > 1 { bytes.drain(at + 1..end); }
        }
        if let Ok(schema) = load(&[bytes]) {
            use_all(&schema);
        }
    }

    /// Descriptors are changed where their meaning is: numbers, labels, names, indices.
    #[test]
    fn never_panics_on_nonsense(
        changes in proptest::collection::vec((0usize..12, 0usize..12, proptest::num::i32::ANY, 0usize..8), 1..4),
    ) {
        const NAMES: [&str; 8] = ["", ".", ".wild.M", "wild.M", ".wild.E", "M", ".shop.v1.Item", ".wild.M.MapEntry"];
        let mut wild = COMPILED.clone();
        let file = wild.file.iter_mut().find(|file| file.name() == "wild.proto").unwrap();
        for (what, which, number, name) in changes {
            let name = NAMES[name].to_owned();
            let message = &mut file.message_type[0];
            let fields = message.field.len();
            let field = &mut message.field[which % fields];
            match what {
                0 => field.number = Some(number),
                1 => field.label = Some(number % 5),
                2 => field.r#type = Some(number % 20),
                3 => field.type_name = Some(name),
                4 => field.oneof_index = Some(number % 4),
                5 => field.name = Some(name),
                6 => field.default_value = Some(name),
                7 => message.oneof_decl.clear(),
                8 => message.nested_type.clear(),
                9 => file.extension[0].extendee = Some(name),
                10 => file.public_dependency = vec![number],
                _ => message.field[which % fields].proto3_optional = Some(number % 2 == 0),
            }
        }
        if let Ok(schema) = load(&[wild.encode_to_vec()]) {
            use_all(&schema);
        }
    }
}

static COMPILED: LazyLock<FileDescriptorSet> = LazyLock::new(|| set(&[("wild.proto", WILD), ITEM]));

const WILD: &str = r#"syntax = "proto2"; package wild; import "shop/v1/item.proto";
message M {
  optional int32 a = 1 [default = 7, deprecated = true]; required string b = 2; repeated M c = 3; map<string, M> d = 4;
  oneof pick { E e = 5; shop.v1.Item f = 6; }
  optional group Sub = 7 { optional bytes g = 1 [default = "\001"]; }
  extensions 100 to 200;
  reserved 50; reserved "x";
}
enum E { ZERO = 0; ONE = 1; }
extend M { optional M more = 100; }
service S { rpc Do(M) returns (stream shop.v1.Item); }
"#;

fn use_all(schema: &Schema) {
    for name in ["wild.S", "wild.S.Do", "wild.M", "wild.M.Sub", "wild.M.DEntry", "wild.E", "shop.v1.Item"] {
        if let Ok(symbol) = schema.symbol(name) {
            let _ = (symbol.text(), symbol.template().is_ok());
        }
    }
    if let Ok(method) = schema.method("wild.S/Do") {
        let _ = grpcbench::payload::CallSource::from_json(
            Some(r#"{"a":1,"d":{"x":{}},"[wild.more]":{}}"#),
            "--data",
            &method,
            &grpcbench::payload::Reading::default(),
        );
    }
    let _ = schema.descriptor_set();
}
