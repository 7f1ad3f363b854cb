//! What requests carry, byte for byte, whichever way it was given.

use serde_json::Value;

use super::frames::fine;
use super::harness::Run;
use super::run::go;
use super::server::Server;

const LAB: &str = r#"syntax = "proto3"; package lab;
message Box { int64 i64 = 2; uint64 u64 = 4; string s = 9; }
service Boxes { rpc Put(Box) returns (Box); }"#;

/// One call of `Put`.
fn put(server: &Server) -> Run {
    Run::new()
        .file("lab.proto", LAB)
        .args(["--insecure", "--proto", "lab.proto", "--call", "lab.Boxes.Put", "-n", "1", "-c", "1"])
        .args([server.address()])
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(u8::try_from(value & 127).unwrap() | 128);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// A way to give data to the program.
type Route = (&'static str, fn(Run, &str) -> Run);

const ROUTES: [Route; 8] = [
    ("-d", |run, json| run.args(["-d", json])),
    ("-D", |run, json| run.file("data.json", json).args(["-D", "data.json"])),
    ("-d @", |run, json| run.stdin(json).args(["-d", "@"])),
    ("an array", |run, json| run.args(["-d", &format!("[{json},{{}}]")])),
    ("a config in JSON", |run, json| {
        run.file("run.json", format!(r#"{{"data": {json}}}"#)).args(["--config", "run.json"])
    }),
    ("a config in TOML", |run, json| {
        let table = json.replacen('"', "", 2).replace(':', " = ");
        run.file("run.toml", format!("data = {table}\n")).args(["--config", "run.toml"])
    }),
    ("a config in YAML", |run, json| {
        let block = json.trim_matches(['{', '}']).replacen('"', "", 2).replace(':', ": ");
        run.file("run.yaml", format!("data:\n  {block}\n")).args(["--config", "run.yaml"])
    }),
    ("beside a template", |run, json| run.args(["-d", &json.replace('}', r#","s":"{{.RequestNumber}}"}"#)])),
];

#[test]
fn c11_64_bit_integers_stay_exact_on_every_route() {
    for (field, key, number, value) in [
        ("i64", 0x10, "4611686018427387907", 4_611_686_018_427_387_907),
        ("i64", 0x10, "-7205759403792793601", (-7_205_759_403_792_793_601_i64).cast_unsigned()),
        ("u64", 0x20, "18446744073709551615", u64::MAX),
    ] {
        for written in [number.to_owned(), format!("\"{number}\"")] {
            for (route, give) in ROUTES {
                // As the TOML of most programs ends with an i64, this one is only quoted there.
                if route.ends_with("TOML") && written == "18446744073709551615" {
                    continue;
                }
                let server = Server::answering(fine());
                let outcome = go(give(put(&server), &format!("{{\"{field}\":{written}}}")));
                outcome.all_ok(1);
                let mut expected = [vec![key], varint(value)].concat();
                if route == "beside a template" {
                    expected.extend(b"\x4a\x010");
                }
                assert_eq!(server.seen().first_body[5..], expected, "{written} by {route}");
                let data = &outcome.report["options"]["data"];
                let echo = if data.is_array() { &data[0][field] } else { &data[field] };
                let echo = if let Value::String(text) = echo { format!("\"{text}\"") } else { echo.to_string() };
                assert_eq!(echo, written, "as it was written, by {route}");
            }
        }
    }
}

#[test]
fn c18_binary_metadata_is_encoded_once() {
    for (given, on_the_wire) in [("AAECAw==", "AAECAw"), ("AAECAw", "AAECAw"), ("-_8=", "+/8"), ("", "")] {
        let server = Server::answering(fine());
        go(put(&server).args(["-m", &format!(r#"{{"trace-bin":"{given}"}}"#)])).all_ok(1);
        assert_eq!(server.seen().field("trace-bin"), Some(on_the_wire), "{given}");
    }
    let server = Server::answering(fine());
    let done = put(&server).args(["-m", r#"{"trace-bin":"@@"}"#]).status(2).go();
    assert!(done.stderr.contains("trace-bin"), "{}", done.stderr);
    assert_eq!(server.seen().connections, 0);
}
