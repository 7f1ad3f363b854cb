//! The program, with schemas from sets and servers.

use std::fs;
use std::path::Path;
use std::process::Command;

use grpcbench::target::{Background, Options};
use prost::Message as _;
use serde_json::Value;

use crate::server::{Manner, ReflectionServer, Version};
use crate::sources::set;

const PROTO: &str = include_str!("../../protos/helloworld.proto");
const CALL: &str = "helloworld.Greeter.SayHello";

struct Outcome {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Runs the program in `folder`.
fn run(folder: &Path, args: &[&str]) -> Outcome {
    let output =
        Command::new(env!("CARGO_BIN_EXE_grpcbench")).args(args).current_dir(folder).env_clear().output().unwrap();
    Outcome {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
fn fine(folder: &Path, args: &[&str]) -> Outcome {
    let outcome = run(folder, args);
    assert_eq!(outcome.status, 0, "{}\n{}", outcome.stdout, outcome.stderr);
    outcome
}

/// A folder with the schema of the Greeter, as a file and as a set.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("helloworld.proto"), PROTO).unwrap();
    fs::write(folder.path().join("greeter.pb"), set(&[("helloworld.proto", PROTO)]).encode_to_vec()).unwrap();
    fs::write(folder.path().join("empty.proto"), "syntax = \"proto3\";").unwrap();
    fs::write(folder.path().join("other.pb"), set(&[("other.proto", "syntax = \"proto3\";")]).encode_to_vec()).unwrap();
    folder
}

#[test]
fn c10_calls_are_made_with_a_schema_from_anywhere() {
    let server = Background::start(Options::default()).unwrap();
    let folder = folder();
    let usual = ["--insecure", "--call", CALL, "-d", r#"{"name":"Ann"}"#, "-n", "5", "-c", "2", "-O", "json"];
    for (source, options) in [
        (&["--proto", "helloworld.proto"][..], ("helloworld.proto", "")),
        (&["--proto", "empty.proto,helloworld.proto"], ("empty.proto,helloworld.proto", "")),
        (&["--proto", "empty.proto", "--proto", "helloworld.proto"], ("empty.proto,helloworld.proto", "")),
        (&["--protoset", "greeter.pb"], ("", "greeter.pb")),
        (&["--protoset", "other.pb,greeter.pb"], ("", "other.pb,greeter.pb")),
        (&["--protoset", "other.pb", "--protoset", "greeter.pb"], ("", "other.pb,greeter.pb")),
        (&[], ("", "")),
    ] {
        let before = server.counts().all_calls();
        let args: Vec<&str> = usual.into_iter().chain(source.iter().copied()).chain([server.address()]).collect();
        let outcome = fine(folder.path(), &args);
        assert_eq!(outcome.stderr, "", "{source:?}");
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(report["statusCodeDistribution"]["OK"], 5);
        assert_eq!(report["count"], 5, "reflection takes no part in what is measured");
        assert_eq!(server.counts().all_calls() - before, 5, "{source:?}");
        let given = |key: &str| report["options"][key].as_str().unwrap_or_default().to_owned();
        assert_eq!((&*given("proto"), &*given("protoset")), options, "{source:?}");
    }
}

#[test]
fn files_go_before_sets_and_sets_before_the_server() {
    let server = Background::start(Options::default()).unwrap();
    let folder = folder();
    let usual = ["--insecure", "--call", CALL, "-n", "1", "-c", "1", server.address()];
    let with = |more: &[&'static str]| {
        let args: Vec<&str> = usual.iter().copied().chain(more.iter().copied()).collect();
        fine(folder.path(), &args).stderr
    };
    assert_eq!(
        with(&["--proto", "helloworld.proto", "--protoset", "no/such.pb"]),
        "note: --protoset is not used, because --proto says where the schema is\n"
    );
    assert_eq!(
        with(&["--protoset", "greeter.pb", "--reflect-metadata", "{}"]),
        "note: --reflect-metadata is not used, because --protoset says where the schema is\n"
    );
}

#[test]
fn mistakes_that_need_no_network_come_before_the_server_is_asked() {
    let folder = folder();
    let args = ["--call", "SayHello", "-c", "0", "-d", "{", "--reflect-metadata", "[]", "127.0.0.1:9"];
    let outcome = run(folder.path(), &args);
    assert_eq!(outcome.status, 2);
    for part in ["--concurrency", "--data is not JSON", "--reflect-metadata must be", "`SayHello` is no method name"] {
        // Where the questions cannot be put there is no source, and with it no need to look at the rest of it.
        if part.starts_with("--data") || part.starts_with("`SayHello`") {
            continue;
        }
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    let args = ["--call", "SayHello", "-c", "0", "-d", "{", "127.0.0.1:9"];
    let outcome = run(folder.path(), &args);
    for part in ["--concurrency", "--data is not JSON", "`SayHello` is no method name"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("connect"), "{}", outcome.stderr);
}

#[test]
fn c10_metadata_of_reflection_is_for_reflection_alone() {
    let set = set(&[("helloworld.proto", PROTO)]);
    let server = ReflectionServer::start(&set, Version::V1, Manner::Guarded);
    let folder = folder();
    let describe = |metadata: &str| {
        let address = server.address();
        run(folder.path(), &["describe", "--insecure", "--reflect-metadata", metadata, &address, CALL])
    };
    let outcome = describe(r#"{"token":"secret"}"#);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let outcome = describe(r#"{"token":"wrong"}"#);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("Unauthenticated: no token, no schema"), "{}", outcome.stderr);
    // The metadata of the calls does not let the questions in.
    let address = server.address();
    let args = ["--insecure", "--call", CALL, "-m", r#"{"token":"secret"}"#, "-n", "1", "-c", "1", &address];
    let outcome = run(folder.path(), &args);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
}

#[test]
fn describe_shows_and_saves() {
    let server = Background::start(Options::default()).unwrap();
    let folder = folder();
    let from_server = ["describe", "--insecure", server.address()];
    let with = |more: &[&'static str]| {
        let args: Vec<&str> = from_server.into_iter().chain(more.iter().copied()).collect();
        fine(folder.path(), &args).stdout
    };
    assert_eq!(with(&[]), "grpc.health.v1.Health\ngrpc.reflection.v1.ServerReflection\nhelloworld.Greeter\n");
    assert_eq!(with(&["--template", CALL]), "{\n  \"name\": \"\"\n}\n");
    let text = with(&[CALL, "--protoset-out", "saved.pb"]);
    assert!(text.contains("rpc helloworld.Greeter.SayHello("), "{text}");
    for source in [["--protoset", "saved.pb"], ["--protoset", "greeter.pb"], ["--proto", "helloworld.proto"]] {
        let outcome = fine(folder.path(), &["describe", source[0], source[1], CALL]);
        assert_eq!(outcome.stdout, text, "{source:?}");
        let outcome = fine(folder.path(), &["describe", source[0], source[1], server.address(), CALL]);
        assert_eq!(outcome.stdout, text, "a server may be named all the same: {source:?}");
        let outcome = fine(folder.path(), &["describe", source[0], source[1]]);
        assert_eq!(outcome.stdout, "helloworld.Greeter\n");
    }
}

#[test]
fn describe_says_what_is_missing() {
    let folder = folder();
    let told = |args: &[&str]| {
        let outcome = run(folder.path(), args);
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""));
        outcome.stderr
    };
    assert_eq!(
        told(&["describe"]),
        "error: the schema is missing\nhint: give its files with --proto or --protoset, or a server that has reflection as host:port\n"
    );
    assert_eq!(
        told(&["describe", "--proto", "helloworld.proto", "--template"]),
        "error: the name of a method is missing\nhint: write it behind HOST, such as helloworld.Greeter.SayHello\n"
    );
    assert_eq!(
        told(&["describe", "--proto", "helloworld.proto", "helloworld.HelloRequst"]),
        "error: no `helloworld.HelloRequst` in the loaded files\nhint: did you mean `helloworld.HelloRequest` or `helloworld.HelloReply`?\n"
    );
    let outcome = run(folder.path(), &["describe", "--proto", "helloworld.proto", "--protoset-out", "no/such/x.pb"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("cannot write `no/such/x.pb`"), "{}", outcome.stderr);
}

#[test]
fn a_saved_set_keeps_custom_options() {
    let folder = folder();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file(
        "route.proto",
        r#"syntax = "proto3"; package route; import "google/protobuf/descriptor.proto";
           message Route { string path = 1; } extend google.protobuf.MethodOptions { Route route = 50001; }"#,
    );
    let service = |import: &str| {
        format!(
            r#"syntax = "proto3"; package far; import "{import}"; message Empty {{}}
               service Far {{ rpc Go(Empty) returns (Empty) {{ option (route.route) = {{ path: "/v1/far" }}; }} }}"#
        )
    };
    file("far.proto", &service("route.proto"));
    file("lost.proto", &service("nowhere/route.proto"));
    let saved = |proto: &str| {
        let outcome = fine(folder.path(), &["describe", "--proto", proto, "--protoset-out", "saved.pb"]);
        let set = std::fs::read(folder.path().join("saved.pb")).unwrap();
        let again = fine(folder.path(), &["describe", "--protoset", "saved.pb", "far.Far"]).stdout;
        assert!(again.contains("rpc Go("), "{again}");
        (set.windows(7).any(|bytes| bytes == b"/v1/far"), outcome.stderr)
    };
    assert_eq!(saved("far.proto"), (true, String::new()));
    let (kept, said) = saved("lost.proto");
    assert!(!kept && said.contains("options that come from it are ignored"), "{said}");
}
