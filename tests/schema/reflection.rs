//! Servers that answer oddly, late, or not at all.

use std::time::Duration;

use grpcbench::error::Problems;
use grpcbench::schema::{Ask, Schema};
use grpcbench::target::{Background, Options};
use grpcbench::transport::{Security, Target};
use prost_reflect::prost_types::FileDescriptorSet;

use crate::server::{Manner, ReflectionServer, Version};
use crate::sources::{said, set, target};

fn bare() -> FileDescriptorSet {
    set(&[
        ("bare.proto", "syntax = \"proto3\"; import \"item.proto\"; service Bare { rpc Ping(Item) returns (Item); }"),
        ("item.proto", "syntax = \"proto3\"; message Item { string id = 1; }"),
    ])
}

/// What is said, with the port left out.
#[track_caller]
fn told<T>(server: &ReflectionServer, result: Result<T, Problems>) -> String {
    said(result).replace(&server.address(), "HOST")
}

fn ask(server: &ReflectionServer, metadata: &[(&str, &str)]) -> Result<String, Problems> {
    let metadata: Vec<_> =
        metadata.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    let schema = Schema::reflect(&target(&server.address()), &metadata, Ask::Method("Bare/Ping"))?;
    Ok(schema.method("Bare/Ping")?.path())
}

#[test]
fn c10_a_server_without_reflection() {
    let server = ReflectionServer::start(&bare(), Version::Neither, Manner::OneFile);
    assert_eq!(
        told(&server, ask(&server, &[])),
        "HOST offers no server reflection, neither v1 nor v1alpha / give the schema with --proto or --protoset"
    );
}

#[test]
fn c10_who_is_not_let_in_is_told_so_and_the_other_version_is_not_tried() {
    for version in [Version::V1, Version::V1Alpha] {
        let server = ReflectionServer::start(&bare(), version, Manner::Guarded);
        let expected = "HOST refuses server reflection: Unauthenticated: no token, no schema / give what the server asks for with --reflect-metadata, or the schema with --proto or --protoset";
        assert_eq!(told(&server, ask(&server, &[])), expected);
        assert_eq!(told(&server, ask(&server, &[("token", "wrong")])), expected);
        assert_eq!(ask(&server, &[("token", "secret")]).unwrap(), "/Bare/Ping");
    }
}

#[test]
fn c10_only_what_is_needed_is_asked_for() {
    let server = ReflectionServer::start(&bare(), Version::V1, Manner::OneFile);
    ask(&server, &[]).unwrap();
    assert_eq!(server.asked(), ["FileContainingSymbol(\"Bare\")", "FileByFilename(\"item.proto\")"]);

    let server = ReflectionServer::start(&bare(), Version::V1, Manner::WithImports);
    ask(&server, &[]).unwrap();
    assert_eq!(server.asked(), ["FileContainingSymbol(\"Bare\")"]);
}

#[test]
fn a_server_that_never_answers_is_left() {
    for manner in [Manner::Silent, Manner::Endless] {
        let mut set = bare();
        if manner == Manner::Endless {
            set.file.retain(|file| file.name() == "bare.proto");
        }
        let server = ReflectionServer::start(&set, Version::V1, manner);
        let target = Target { connect_timeout: Duration::from_millis(300), ..target(&server.address()) };
        let result = Schema::reflect(&target, &[], Ask::Method("Bare/Ping"));
        assert_eq!(
            told(&server, result),
            "server reflection of HOST took longer than 300ms / raise --connect-timeout, or give the schema with --proto or --protoset",
            "{manner:?}"
        );
    }
}

#[test]
fn an_import_that_the_server_does_not_give() {
    let mut set = bare();
    set.file.retain(|file| file.name() == "bare.proto");
    let server = ReflectionServer::start(&set, Version::V1, Manner::OneFile);
    assert_eq!(
        told(&server, ask(&server, &[])),
        "`bare.proto`, from server reflection, imports `item.proto`, which is not there / `Item` is not defined without it: the server does not give it, so name the files with --proto or --protoset"
    );
}

#[test]
fn a_peer_that_cannot_be_talked_to_is_told_apart() {
    // Nobody listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let result = Schema::reflect(&target(&address), &[], Ask::Names);
    assert_eq!(
        said(result).replace(&address, "HOST"),
        "cannot connect to HOST: connection refused / is the server running, and is this its port?"
    );

    // No HTTP/2.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        for _ in 0..2 {
            use std::io::{Read as _, Write as _};
            let (mut peer, _) = listener.accept().unwrap();
            let _ = peer.read(&mut [0; 256]);
            let _ = peer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let result = Schema::reflect(&target(&address), &[], Ask::Names);
    assert_eq!(
        said(result).replace(&address, "HOST"),
        "HOST does not speak HTTP/2: it answered in HTTP/1 / point it at the gRPC port of the service"
    );
    thread.join().unwrap();
}

#[cfg(unix)]
#[test]
fn servers_on_unix_sockets_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = Background::start_unix(&folder.path().join("s.sock"), Options::default()).unwrap();
    let target = Target { security: Security::Plaintext, ..Target::parse(server.address()).unwrap() };
    let schema = Schema::reflect(&target, &[], Ask::Method("helloworld.Greeter.SayHello")).unwrap();
    assert_eq!(schema.method("helloworld.Greeter.SayHello").unwrap().path(), "/helloworld.Greeter/SayHello");
}

#[test]
fn servers_under_tls_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let tls = grpcbench::target::Tls { cert: cert.clone(), key };
    let server = Background::start(Options { tls: Some(tls), ..Options::default() }).unwrap();
    let mut target = Target { security: Security::Tls, ..Target::parse(server.address()).unwrap() };
    let result = Schema::reflect(&target, &[], Ask::Names);
    assert!(said(result).contains("signed by an unknown issuer"));
    target.tls.roots = Some(grpcbench::transport::TlsOptions::read_roots(&cert).unwrap());
    target.authority = Some("localhost".to_owned());
    let services = Schema::reflect(&target, &[], Ask::Names).unwrap().services();
    assert!(services.contains(&"helloworld.Greeter".to_owned()), "{services:?}");
}
