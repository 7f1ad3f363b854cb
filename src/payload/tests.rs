//! JSON in, bytes out; what is refused, and what is said about it.

use std::fs;

use super::*;
use crate::schema::Schema;

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

/// The encoded message that `json` gives.
fn encoded(method: &Method, json: &str) -> String {
    match CallSource::from_json(Some(json), "--data", method) {
        Ok(CallSource::Fixed(message)) => hex(&message.framed()[PREFIX..]),
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn messages_are_framed() {
    let message = Message::new(b"abc").unwrap();
    assert_eq!(message.framed(), b"\0\0\0\0\x03abc");
    assert_eq!(message.payload_bytes(), 3);
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
          extensions 100 to 199;
        }
        extend Crate { optional int32 heat = 100; }
        service Depot { rpc Store(Crate) returns (Crate); }"#,
        "depot.Depot/Store",
    );
    for (json, bytes) in [
        (
            r#"{"tag":"a","lid":{"bolts":3},"slot":[{"n":"7"}],"[depot.heat]":9}"#,
            "0a 01 61 13 08 03 14 1b 08 07 1c a0 06 09",
        ),
        (r#"{"tag":"a","kg":0}"#, "0a 01 61 20 00"),
    ] {
        assert_eq!(encoded(&method, json), bytes, "{json}");
    }
}
