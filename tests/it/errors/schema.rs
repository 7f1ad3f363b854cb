//! Mistakes in `.proto` files, and names that are not in them.

use expect_test::expect;
use grpcbench::error::SchemaError;
use grpcbench::target::{Background, Options};

use super::{check, of};
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &SchemaError) -> Option<fn()> {
    Some(match error {
        SchemaError::BadMethodName { .. } => no_name_of_a_method,
        SchemaError::MethodLeftOut { .. } => a_service_without_a_method,
        SchemaError::UnknownService { .. } => a_service_that_is_not_there,
        SchemaError::UnknownMethod { .. } => a_method_that_is_not_there,
        SchemaError::ProtoNotFound { .. } => a_file_that_is_not_there,
        SchemaError::ProtoIsFolder { .. } => a_folder_in_the_place_of_a_file,
        SchemaError::NotUtf8 { .. } => a_file_in_latin_1,
        SchemaError::Edition { .. } => editions,
        SchemaError::Invalid { .. } => syntax,
        SchemaError::ImportNotFound { .. } => an_import_that_is_not_there,
        SchemaError::ImportCycle { .. } => a_circle_of_imports,
        SchemaError::RootIsFile { .. } => a_file_in_the_place_of_a_folder,
        SchemaError::NoProtoset { .. } => no_descriptor_set,
        SchemaError::NotReflected { .. } => a_service_that_the_server_does_not_have,
        SchemaError::UnknownSymbol { .. } => a_name_that_is_not_there,
        SchemaError::NoTemplate { .. } => a_template_of_an_enum,
        // These need sets and servers that are made for it: tests/schema has them, with the words that are said.
        SchemaError::NoDescriptor { .. }
        | SchemaError::BadDescriptor { .. }
        | SchemaError::DescriptorEdition { .. }
        | SchemaError::UnknownSyntax { .. }
        | SchemaError::TwoContents { .. }
        | SchemaError::DependencyNotFound { .. }
        | SchemaError::NoReflection { .. }
        | SchemaError::ReflectionRefused { .. }
        | SchemaError::ReflectionTimedOut { .. }
        // It takes a quarter of a gigabyte.
        | SchemaError::ReflectionTooLarge { .. }
        // Whoever runs the tests may have the right to read everything.
        | SchemaError::Unreadable { .. } => return None,
    })
}

#[test]
fn a_method_that_is_not_there() {
    let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
    check(
        run("helloworld.Greeter.SayHelo"),
        expect![[r"
        error: no method `SayHelo` in `helloworld.Greeter`
        hint: did you mean `SayHello` or `SayHellos`?
    "]],
    );
    check(
        run("helloworld.Greeter/Bye"),
        expect![[r"
        error: no method `Bye` in `helloworld.Greeter`
        hint: its methods are `SayHello`, `SayHellos`, `SayHelloCS` and `SayHelloBidi`
    "]],
    );
}

#[test]
fn a_service_that_is_not_there() {
    let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
    check(
        run("helloworld.Greter.SayHello"),
        expect![[r"
        error: no service `helloworld.Greter` in the loaded files
        hint: did you mean `helloworld.Greeter`?
    "]],
    );
    check(
        run("shop.Orders/List"),
        expect![[r"
        error: no service `shop.Orders` in the loaded files
        hint: the services are `helloworld.Greeter`
    "]],
    );
}

#[test]
fn no_name_of_a_method() {
    let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
    check(
        run("SayHello"),
        expect![[r"
        error: `SayHello` is no method name
        hint: write it as package.Service.Method or package.Service/Method: `helloworld.Greeter/SayHello`, `helloworld.Greeter/SayHellos` or `helloworld.Greeter/SayHelloCS`
    "]],
    );
    check(
        run("a/b/Greeter/Say"),
        expect![[r"
        error: `a/b/Greeter/Say` is no method name
        hint: write it as package.Service.Method or package.Service/Method
    "]],
    );
}

#[test]
fn syntax() {
    check(
        of("syntax = \"proto3\";\nmessage Person {\n  string name 1;\n}\n", "a.B.C"),
        expect![[r"
        error: `greeter.proto` is no valid proto file: expected '=', but found '1'
         --> greeter.proto:3:15
          |
        3 |   string name 1;
          |               ^ found here
    "]],
    );
}

#[test]
fn a_type_that_is_not_there() {
    let proto = "syntax = \"proto3\";\npackage a;\nservice B {\n  rpc C(Request) returns (Request);\n}\n";
    check(
        of(proto, "a.B.C"),
        expect![[r"
        error: `greeter.proto` is no valid proto file: name 'Request' is not defined
         --> greeter.proto:4:9
          |
        4 |   rpc C(Request) returns (Request);
          |         ^^^^^^^ found here

        error: `greeter.proto` is no valid proto file: name 'Request' is not defined
         --> greeter.proto:4:27
          |
        4 |   rpc C(Request) returns (Request);
          |                           ^^^^^^^ found here
    "]],
    );
}

#[test]
fn an_import_that_is_not_there() {
    let proto = "syntax = \"proto3\";\npackage a;\nimport \"shared/money.proto\";\n\
        message M {\n  shared.Money price = 1;\n}\nservice B {\n  rpc C(M) returns (M);\n}\n";
    check(
        of(proto, "a.B.C").args(["-i", "vendor"]),
        expect![[r#"
            error: `greeter.proto` imports `shared/money.proto`, which is not found (looked in `.`)
             --> greeter.proto:3:1
              |
            3 | import "shared/money.proto";
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ not found
            hint: `shared.Money` is not defined without it: give the folder that has `shared/money.proto` in it with -i
        "#]],
    );
}

#[test]
fn a_service_without_a_method() {
    let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter", "127.0.0.1:9"]);
    check(
        run.status(2),
        expect![[r"
        error: `helloworld.Greeter` is a service, and no method of it is named
        hint: its methods are `SayHello`, `SayHellos`, `SayHelloCS` and `SayHelloBidi`
    "]],
    );
}

#[test]
fn names_in_capitals() {
    let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.greeter/sayHello", "127.0.0.1:9"]);
    check(
        run.status(2),
        expect![[r"
        error: no service `helloworld.greeter` in the loaded files
        hint: did you mean `helloworld.Greeter`?
    "]],
    );
}

#[test]
fn a_folder_in_the_place_of_a_file() {
    let run = Run::new().args(["--proto", ".", "--call", "a.B.C", "127.0.0.1:9"]).status(2);
    check(
        run,
        expect![[r"
        error: `.` is a folder, not a .proto file
        hint: give the .proto file that defines the service
    "]],
    );
}

#[test]
fn a_file_in_the_place_of_a_folder() {
    let run = Run::new().args(["--proto", "helloworld.proto", "-i", "helloworld.proto", "--call", "a.B.C"]);
    check(
        run.args(["127.0.0.1:9"]).status(2),
        expect![[r"
        error: the import root `helloworld.proto` is a file, not a folder
        hint: give the folder that import names start from
    "]],
    );
}

#[test]
fn a_file_in_latin_1() {
    let run = Run::new().file("latin.proto", b"syntax = \"proto3\";\n// Gr\xfc\xdfe\n").status(2);
    check(
        run.args(["--proto", "latin.proto", "--call", "a.B.C", "127.0.0.1:9"]),
        expect![[r"
            error: `latin.proto` is not UTF-8: byte 0xfc in line 2
            hint: save it as UTF-8; if it is no text but a descriptor set, give it with --protoset
        "]],
    );
}

#[test]
fn editions() {
    check(
        of("edition = \"2023\";\npackage a;\n", "a.B.C"),
        expect![[r#"
        error: `greeter.proto` is written in edition 2023, and only proto2 and proto3 are supported
         --> greeter.proto:1:1
          |
        1 | edition = "2023";
          | ^^^^^^^^^^^^^^^^ this edition is not supported
        hint: use a copy of the file with syntax = "proto3" or "proto2"
    "#]],
    );
}

#[test]
fn a_circle_of_imports() {
    let run = of("syntax = \"proto3\";\nimport \"other.proto\";\n", "a.B.C");
    check(
        run.file("other.proto", "syntax = \"proto3\";\nimport \"greeter.proto\";\n"),
        expect![[r#"
        error: files import each other in a circle: greeter.proto -> other.proto -> greeter.proto
         --> other.proto:2:1
          |
        2 | import "greeter.proto";
          | ^^^^^^^^^^^^^^^^^^^^^^^ this import closes the circle
        hint: move what both need into a file of its own
    "#]],
    );
}

#[test]
fn a_file_that_is_not_there() {
    let run = Run::new().args(["--proto", "no.proto", "--call", "a.B.C", "127.0.0.1:9"]).status(2);
    check(
        run,
        expect![[r"
        error: no file `no.proto` (looked in `.`)
        hint: give the path from the working directory, or from a folder given with -i
    "]],
    );
}

#[test]
fn no_descriptor_set() {
    let run = Run::new().args(["--protoset", "helloworld.proto", "--call", "a.B.C", "127.0.0.1:9"]).status(2);
    check(
        run,
        expect![[r"
        error: `helloworld.proto` is no descriptor set: it is a .proto file; give it with --proto
        hint: make one with `protoc --include_imports --descriptor_set_out=FILE` or `buf build -o FILE.binpb`
    "]],
    );
}

#[test]
fn a_service_that_the_server_does_not_have() {
    let server = Background::start(Options::default()).unwrap();
    let run = |call| Run::new().args(["--insecure", "--call", call, server.address()]).status(2);
    check(
        run("helloworld.Greter.SayHello"),
        expect![[r"
        error: symbol `helloworld.Greter` not found by server reflection
        hint: did you mean `helloworld.Greeter`?
    "]],
    );
    check(
        run("shop.Orders/List"),
        expect![[r"
        error: symbol `shop.Orders` not found by server reflection
        hint: the server lists `grpc.health.v1.Health`, `grpc.reflection.v1.ServerReflection` and `helloworld.Greeter`
    "]],
    );
    check(
        run("helloworld.Greeter.SayHelo"),
        expect![[r"
        error: no method `SayHelo` in `helloworld.Greeter`
        hint: did you mean `SayHello` or `SayHellos`?
    "]],
    );
}

#[test]
fn a_name_that_is_not_there() {
    let run = Run::new().args(["describe", "--proto", "helloworld.proto", "helloworld.Hello"]).status(2);
    check(
        run,
        expect![[r"
        error: no `helloworld.Hello` in the loaded files
        hint: did you mean `helloworld.HelloReply`?
    "]],
    );
}

#[test]
fn a_template_of_an_enum() {
    let run = Run::new().file("e.proto", "syntax = \"proto3\"; package e; enum E { A = 0; }");
    check(
        run.args(["describe", "--proto", "e.proto", "--template", "e.E"]).status(2),
        expect![[r"
        error: `e.E` is an enum, and a template is made of a message or a method
        hint: name a method, such as package.Service.Method
    "]],
    );
}

/// Compilers mark the entries of maps; one that is marked by hand need not be whole.
#[test]
fn an_entry_of_a_map_by_hand() {
    let proto = r#"syntax = "proto3";
message Shop { message Entry { option map_entry = true; string name = 3; } repeated Entry stock = 1; }
service Shops { rpc Get(Shop) returns (Shop); }
"#;
    check(
        of(proto, "Shops.Get"),
        expect![[r"
        error: `greeter.proto` is no valid proto file: `Shop.Entry` is marked as the entry of a map, and lacks its key or value
        hint: leave `map_entry` to compilers, and write the field as map<KEY, VALUE>
    "]],
    );
}
