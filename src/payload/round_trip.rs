//! Random messages of a wide schema: by the other library to JSON, by ours back to bytes, and they are the same.

use std::fs;

use fastrand::Rng;
use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage, SerializeOptions, Value,
};

use super::message::PREFIX;
use super::{CallSource, Reading, Room};
use crate::schema::{Method, Schema};

const WIDE: &str = r#"syntax = "proto3";
package wide;
import "google/protobuf/any.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto"; import "old.proto";
enum Hue { GREY = 0; RED = 1; BLUE = -5; }
message All {
  double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8; fixed32 i = 9;
  fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15; Hue p = 16; All q = 17;
  repeated double aa = 21; repeated float bb = 22; repeated int32 cc = 23 [packed = false]; repeated sint64 hh = 28;
  repeated bool mm = 33; repeated string nn_words = 34; repeated bytes oo = 35; repeated Hue pp = 36; repeated All qq = 37;
  map<int32, All> ca = 41; map<int64, Hue> dp = 42; map<bool, string> mn = 43; map<string, bytes> no = 44;
  map<sfixed64, double> la = 45; map<uint32, google.protobuf.Timestamp> et = 46; map<fixed32, bool> im = 47;
  optional double oa = 51; optional string on_set = 52; optional Hue op = 53; optional bytes ob = 54;
  oneof one { int32 one_c = 61; string one_n = 62; All one_q = 63; google.protobuf.NullValue one_z = 64; bool one_m = 65; }
  oneof two { google.protobuf.Duration two_t = 71; bytes two_o = 72; }
  google.protobuf.Any any = 81; google.protobuf.Duration span = 82; google.protobuf.Timestamp at = 83;
  google.protobuf.Struct st = 84; google.protobuf.Value v = 85; google.protobuf.ListValue lv = 86;
  google.protobuf.FieldMask mask = 87; google.protobuf.Empty empty = 88; repeated google.protobuf.Value vs = 89;
  google.protobuf.DoubleValue wa = 91; google.protobuf.FloatValue wb = 92; google.protobuf.Int64Value wd = 93;
  google.protobuf.UInt64Value wf = 94; google.protobuf.Int32Value wc = 95; google.protobuf.UInt32Value we = 96;
  google.protobuf.BoolValue wm = 97; google.protobuf.StringValue wn = 98; google.protobuf.BytesValue wo = 99;
  old.Old old = 101; string odd = 102 [json_name = "@odd name"];
}
service Wide { rpc Do(All) returns (All); }"#;

const OLD: &str = r#"syntax = "proto2";
package old;
enum Closed { LOW = 1; HIGH = 2; }
message Old {
  required string name = 1;
  optional group Lid = 2 { optional int32 bolts = 1; required Closed grade = 3; }
  repeated group Slot = 3 { required int64 n = 1; repeated int32 loose = 2; repeated int32 tight = 4 [packed = true]; }
  optional int32 kg = 4 [default = 12];
  optional Closed closed = 5 [default = HIGH];
  map<string, Old> more = 6;
  extensions 100 to 199;
  extend Old { optional Old spare = 101; }
}
extend Old { optional int32 heat = 100; repeated Closed grades = 102; optional string label_text = 103; }"#;

fn wide() -> Method {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old.proto"), OLD).unwrap();
    let path = folder.path().join("wide.proto");
    fs::write(&path, WIDE).unwrap();
    Schema::compile(&[path], &[]).unwrap().method("wide.Wide/Do").unwrap()
}

struct Maker {
    rng: Rng,
}

impl Maker {
    fn message(&mut self, descriptor: &MessageDescriptor, depth: u32) -> DynamicMessage {
        let mut message = DynamicMessage::new(descriptor.clone());
        if self.well_known(&mut message, depth) {
            return message;
        }
        for field in descriptor.fields() {
            let nested = matches!(field.kind(), Kind::Message(_));
            let likely = if nested { 3u32.saturating_sub(depth) } else { 3 };
            if field.is_required() || self.rng.u32(0..10) < likely {
                let value = self.field(&field, depth);
                message.set_field(&field, value);
            }
        }
        for extension in descriptor.extensions() {
            if self.rng.u32(0..10) < 3u32.saturating_sub(depth) {
                let kind = extension.kind();
                let value = if extension.is_list() {
                    Value::List((0..self.rng.usize(0..3)).map(|_| self.value(&kind, depth)).collect())
                } else {
                    self.value(&kind, depth)
                };
                message.set_extension(&extension, value);
            }
        }
        message
    }

    fn field(&mut self, field: &FieldDescriptor, depth: u32) -> Value {
        let kind = field.kind();
        let count = self.rng.usize(0..4);
        match &kind {
            Kind::Message(entry) if field.is_map() => {
                let (key, value) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
                Value::Map((0..count).map(|_| (self.key(&key), self.value(&value, depth))).collect())
            }
            _ if field.is_list() => Value::List((0..count).map(|_| self.value(&kind, depth)).collect()),
            _ => self.value(&kind, depth),
        }
    }

    // Numbers of all sizes are cut from wide ones.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn value(&mut self, kind: &Kind, depth: u32) -> Value {
        match kind {
            Kind::Double => Value::F64(self.double()),
            Kind::Float => Value::F32(self.float()),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(self.edge(i64::from(i32::MIN)) as i32),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(self.edge(i64::MIN)),
            Kind::Uint32 | Kind::Fixed32 => Value::U32(self.edge(-1) as u32),
            Kind::Uint64 | Kind::Fixed64 => Value::U64(self.edge(-1) as u64),
            Kind::Bool => Value::Bool(self.rng.bool()),
            Kind::String => Value::String(self.text()),
            Kind::Bytes => Value::Bytes((0..self.rng.usize(0..9)).map(|_| self.rng.u8(..)).collect::<Vec<u8>>().into()),
            Kind::Enum(descriptor) => {
                let all: Vec<i32> = descriptor.values().map(|value| value.number()).collect();
                Value::EnumNumber(all[self.rng.usize(0..all.len())])
            }
            Kind::Message(descriptor) => Value::Message(self.message(descriptor, depth + 1)),
        }
    }

    fn key(&mut self, kind: &Kind) -> MapKey {
        self.value(kind, 0).into_map_key().unwrap()
    }

    /// Any number, or one at an edge.
    fn edge(&mut self, special: i64) -> i64 {
        match self.rng.u32(0..6) {
            0 => special,
            1 => special.wrapping_sub(1),
            2 => 0,
            3 => self.rng.i64(-200..200),
            _ => self.rng.i64(..),
        }
    }

    fn double(&mut self) -> f64 {
        match self.rng.u32(0..8) {
            0 => [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1e17]
                [self.rng.usize(0..7)],
            _ => Some(f64::from_bits(self.rng.u64(..))).filter(|value| !value.is_nan()).unwrap_or(1.5),
        }
    }

    fn float(&mut self) -> f32 {
        match self.rng.u32(0..8) {
            0 => [0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45, 16_777_216.0]
                [self.rng.usize(0..7)],
            _ => Some(f32::from_bits(self.rng.u32(..))).filter(|value| !value.is_nan()).unwrap_or(1.5),
        }
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 12] = ["a", "Z9", " ", "\"", "\\", "\n", "\u{0}", "é", "漢", "😀", "\u{2028}", "/"];
        (0..self.rng.usize(0..5)).map(|_| PARTS[self.rng.usize(0..PARTS.len())]).collect()
    }

    /// Fills a message whose values have rules of their own; false if it has none.
    fn well_known(&mut self, message: &mut DynamicMessage, depth: u32) -> bool {
        const YEAR_1: i64 = -62_135_596_800;
        const YEAR_10000: i64 = 253_402_300_800;
        const LONGEST: i64 = 315_576_000_000;
        let descriptor = message.descriptor();
        match descriptor.full_name() {
            "google.protobuf.Timestamp" => {
                let seconds = self.rng.i64(YEAR_1..YEAR_10000);
                message.set_field_by_name("seconds", Value::I64(seconds));
                message.set_field_by_name("nanos", Value::I32(self.nanos()));
            }
            "google.protobuf.Duration" => {
                let sign: i32 = if self.rng.bool() { 1 } else { -1 };
                message.set_field_by_name("seconds", Value::I64(self.rng.i64(0..=LONGEST) * i64::from(sign)));
                message.set_field_by_name("nanos", Value::I32(self.nanos() * sign));
            }
            "google.protobuf.FieldMask" => {
                let paths = ["a", "foo_bar", "a.b_c.d", "x1", "long_name_of_field"];
                let count = self.rng.usize(0..4);
                let paths = (0..count).map(|_| Value::String(paths[self.rng.usize(0..5)].to_owned())).collect();
                message.set_field_by_name("paths", Value::List(paths));
            }
            "google.protobuf.Value" => {
                let which = if depth > 3 { self.rng.u32(1..=4) } else { self.rng.u32(1..=6) };
                let field = descriptor.get_field(which).unwrap();
                let mut value = self.value(&field.kind(), depth);
                if let Value::F64(number) = &mut value
                    && !number.is_finite()
                {
                    *number = 2.5;
                }
                message.set_field(&field, value);
            }
            // The other library writes those that are not finite as `null`, which is no value.
            "google.protobuf.DoubleValue" | "google.protobuf.FloatValue" => {
                let number = self.rng.i16(..);
                let float = descriptor.full_name() == "google.protobuf.FloatValue";
                let value = if float { Value::F32(number.into()) } else { Value::F64(number.into()) };
                message.set_field_by_name("value", value);
            }
            "google.protobuf.Any" => {
                // Not `Empty`: the other library gives it a member `value`, which is not the mapping.
                let types = [
                    "old.Old",
                    "google.protobuf.Duration",
                    "google.protobuf.BytesValue",
                    "google.protobuf.Value",
                    "wide.All",
                ];
                let name = types[self.rng.usize(0..if depth > 2 { 4 } else { 5 })];
                let packed = self.message(&descriptor.parent_pool().get_message_by_name(name).unwrap(), depth + 1);
                message.set_field_by_name("type_url", Value::String(format!("type.googleapis.com/{name}")));
                message.set_field_by_name("value", Value::Bytes(packed.encode_to_vec().into()));
            }
            _ => return false,
        }
        true
    }

    fn nanos(&mut self) -> i32 {
        let places = [1_000_000_000, 1_000_000, 1_000, 1][self.rng.usize(0..4)];
        self.rng.i32(0..1_000_000_000 / places) * places
    }
}

/// What `json` gives, read by the other library.
fn decoded(method: &Method, json: &str) -> Result<DynamicMessage, String> {
    let source = CallSource::from_json(Some(json), "--data", method, &Reading::default())
        .map_err(|problems| problems.to_string())?;
    DynamicMessage::decode(method.input(), &source.call(0, &Room::new()).get(0).expect("one message")[PREFIX..])
        .map_err(|error| error.to_string())
}

/// Where two messages differ first. What is packed in an `Any` is compared as a message: its bytes depend on the order
/// of map entries and extensions, which says nothing.
fn difference(a: &DynamicMessage, b: &DynamicMessage) -> Option<String> {
    if a.descriptor().full_name() == "google.protobuf.Any" {
        let url = |any: &DynamicMessage| any.get_field_by_name("type_url").unwrap().as_str().unwrap().to_owned();
        let unpacked = |any: &DynamicMessage| {
            let name = url(any).rsplit('/').next().unwrap().to_owned();
            let descriptor = any.descriptor().parent_pool().get_message_by_name(&name).unwrap();
            DynamicMessage::decode(descriptor, any.get_field_by_name("value").unwrap().as_bytes().unwrap().clone())
                .unwrap()
        };
        return if url(a) == url(b) { difference(&unpacked(a), &unpacked(b)) } else { Some("type".to_owned()) };
    }
    let names = |message: &DynamicMessage| {
        let fields = message.fields().map(|(field, _)| field.name().to_owned());
        fields.chain(message.extensions().map(|(extension, _)| extension.full_name().to_owned())).collect::<Vec<_>>()
    };
    if names(a) != names(b) || a.unknown_fields().next().is_some() {
        return Some(format!("{:?} {:?}", names(a), names(b)));
    }
    let fields = a.fields().map(|(field, value)| (field.name().to_owned(), value, b.get_field(&field)));
    let extensions = a.extensions().map(|(field, value)| (field.name().to_owned(), value, b.get_extension(&field)));
    fields.chain(extensions).find_map(|(name, a, b)| differing(a, &b).map(|path| format!("{name}.{path}")))
}

fn differing(a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Message(a), Value::Message(b)) => difference(a, b),
        (Value::List(a), Value::List(b)) if a.len() == b.len() => a.iter().zip(b).find_map(|(a, b)| differing(a, b)),
        (Value::Map(a), Value::Map(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, a)| b.get(key).map_or(Some(format!("{key:?}")), |b| differing(a, b)))
        }
        (a, b) => (a != b).then(|| format!("{a} {b}")),
    }
}

fn to_json(message: &DynamicMessage, options: &SerializeOptions) -> String {
    let mut json = Vec::new();
    message.serialize_with_options(&mut serde_json::Serializer::new(&mut json), options).unwrap();
    String::from_utf8(json).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn messages_survive_json(seed: u64, words: bool, names: bool, numbers: bool, defaults: bool) {
        let method = wide();
        let message = Maker { rng: Rng::with_seed(seed) }.message(&method.input(), 0);
        let options = SerializeOptions::new()
            .stringify_64_bit_integers(words)
            .use_proto_field_name(names)
            .use_enum_numbers(numbers)
            .skip_default_fields(defaults);
        let json = to_json(&message, &options);
        // Through bytes, since what is not on the wire cannot be the same.
        let expected = DynamicMessage::decode(method.input(), message.encode_to_vec().as_slice()).unwrap();
        let found = decoded(&method, &json).map_err(|said| TestCaseError::fail(format!("{said}: {json}")))?;
        prop_assert_eq!(difference(&found, &expected), None, "{}", json);
    }

    /// Texts that were valid, with pieces of them replaced, doubled or left out.
    #[test]
    fn never_panics(seed: u64, edits in proptest::collection::vec((0usize..4_000, 0usize..30, 0usize..16), 0..5)) {
        const WORDS: [&str; 16] = [
            "", "null", "{}", "[]", "\"", ":", ",", "1e999", "-", "\"@type\":\"x/wide.All\",", "\\u", "é", "{", "[", "}", "true",
        ];
        let method = wide();
        let message = Maker { rng: Rng::with_seed(seed) }.message(&method.input(), 0);
        let mut json = to_json(&message, &SerializeOptions::new());
        for (at, len, word) in edits {
            let boundary = |at: usize| (at.min(json.len())..=json.len()).find(|at| json.is_char_boundary(*at)).unwrap();
            let start = boundary(at % (json.len() + 1));
            json.replace_range(start..boundary(start + len), WORDS[word]);
        }
        if let Ok(source) = CallSource::from_json(Some(&json), "--data", &method, &Reading::default()) {
            for call in 0..3 {
                prop_assert!(DynamicMessage::decode(method.input(), &source.call(call, &Room::new()).get(0).expect("one message")[PREFIX..]).is_ok(), "{}", json);
            }
        }
    }
}
