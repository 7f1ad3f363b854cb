//! Answers as people read them.

use super::*;

const ANSWERS: &str = r#"syntax = "proto3"; package answers; import "google/protobuf/any.proto";
import "google/protobuf/timestamp.proto";
message Inner { int64 n = 1; google.protobuf.Any more = 2; }
message Answer { string text = 1; repeated google.protobuf.Any held = 2; map<string, Inner> inner = 3;
  google.protobuf.Timestamp at = 4; bytes raw = 5; }
service Answers { rpc Ask(Answer) returns (Answer); }"#;

#[test]
fn what_is_sent_can_be_shown() {
    let ask = method(ANSWERS, "answers.Answers/Ask");
    for json in [
        "{}",
        r#"{"text":"a\"b","at":"2026-11-30T11:09:30Z","raw":"AAEC"}"#,
        r#"{"held":[{"@type":"type.googleapis.com/answers.Inner","n":"5"}]}"#,
        r#"{"inner":{"k":{"n":"1","more":{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"2026-11-30T11:09:30Z"}}}}"#,
    ] {
        let encoded = message(&source(Some(json), &ask).unwrap(), 0);
        assert_eq!(shown(&encoded, &ask).unwrap(), json);
    }
}

#[test]
fn what_is_held_is_looked_for_in_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let files = [
        file("answers.proto", ANSWERS),
        file("base.proto", r#"syntax = "proto3"; package far; message Base { int32 b = 1; }"#),
        file("far.proto", r#"syntax = "proto3"; package far; import "base.proto"; message Away { Base base = 1; }"#),
    ];
    let ask = Schema::compile(&files, &[folder.path().to_owned()]).unwrap().method("answers.Answers/Ask").unwrap();
    let json = r#"{"held":[{"@type":"x/answers.Inner","n":"1","more":{"@type":"x/far.Away","base":{"b":7}}}]}"#;
    let encoded = message(&source(Some(json), &ask).unwrap(), 0);
    assert_eq!(shown(&encoded, &ask).unwrap(), json);
}

#[test]
fn what_cannot_be_shown_says_why() {
    let ask = method(ANSWERS, "answers.Answers/Ask");
    assert!(shown(b"\xff", &ask).unwrap_err().starts_with("it is no `answers.Answer`: "));
    let unknown = b"\x12\x0c\x0a\x0ax/no.Where";
    assert_eq!(shown(unknown, &ask).unwrap_err(), "it holds a `no.Where`, which is in none of the loaded files");
}

proptest::proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
        let _ = shown(&bytes, &put());
    }
}
