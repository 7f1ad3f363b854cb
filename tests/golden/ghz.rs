//! A script that was written for ghz's JSON report must be able to read ours: the same keys with the same types, order
//! and units. `ghz-shape.json` says what ghz writes in which kind of run.

use std::fs;

use grpcbench::report::Report;
use serde_json::Value;

use super::{document, golden, reports};

/// The one key that ghz does not have.
const OURS: &str = "grpcbench";

/// A key of ghz's report.
struct Key {
    path: String,
    of_type: String,
    kinds: Vec<String>,
}

fn keys() -> Vec<Key> {
    let text = fs::read_to_string(golden("ghz-shape.json")).expect("the shape is in the repository");
    let shape: Value = serde_json::from_str(&text).expect("the shape is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    shape["keys"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| Key {
            path: text(&row[0]),
            of_type: text(&row[1]),
            kinds: row[2].as_array().expect("a list").iter().map(text).collect(),
        })
        .collect()
}

/// Reports, and the kinds of run they are.
fn runs() -> Vec<(Report, Vec<&'static str>)> {
    vec![
        (reports::closed(), vec!["successes"]),
        (reports::open(), vec!["successes", "open", "named"]),
        (reports::errors(), vec!["successes", "failures"]),
        (reports::all_failed(), vec!["failures"]),
        (reports::duration(), vec!["successes", "failures", "open", "duration"]),
        (reports::tls(), vec!["successes", "private-ca"]),
        (reports::ramp(), vec!["successes", "failures", "duration", "unlimited"]),
    ]
}

/// All keys of a document with their values, in order; the keys of list items once per item.
fn flatten<'a>(prefix: &str, value: &'a Value, free: &[&str], into: &mut Vec<(String, &'a Value)>) {
    match value {
        _ if prefix == "options.data" || prefix == OURS => {}
        Value::Object(object) => {
            for (name, value) in object {
                let name = if free.contains(&prefix) { "*" } else { name };
                let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
                into.push((path.clone(), value));
                flatten(&path, value, free, into);
            }
        }
        Value::Array(items) => {
            for item in items {
                let path = format!("{prefix}[]");
                if !item.is_object() {
                    into.push((path.clone(), item));
                }
                flatten(&path, item, free, into);
            }
        }
        _ => {}
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "any" => true,
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        _ => panic!("{name} is no type of the shape"),
    }
}

#[test]
fn every_key_of_ghz_is_there_with_its_type_in_its_place() {
    let keys = keys();
    for (report, kinds) in runs() {
        let document = document(&report);
        let free = ["errorDistribution", "statusCodeDistribution", "options.metadata", "tags"];
        let mut found = Vec::new();
        flatten("", &document, &free, &mut found);
        for key in &keys {
            let unlimited = key.path == "options.concurrency" && kinds.contains(&"unlimited");
            let expected = !unlimited && key.kinds.iter().any(|kind| kind == "every" || kinds.contains(&kind.as_str()));
            let values: Vec<&Value> =
                found.iter().filter(|(path, _)| *path == key.path).map(|(_, value)| *value).collect();
            assert!(!expected || !values.is_empty(), "{kinds:?}: {} is missing", key.path);
            let allowed = expected || key.kinds.iter().any(|kind| kind == "documented");
            assert!(allowed || values.is_empty(), "{kinds:?}: ghz has no {} here", key.path);
            for value in values {
                assert!(is_of_type(value, &key.of_type), "{kinds:?}: {} is {value}, no {}", key.path, key.of_type);
            }
        }
        let mut places = Vec::new();
        for (path, _) in found.iter().filter(|(path, _)| path != OURS) {
            let place = keys.iter().position(|key| key.path == *path);
            let place = place.unwrap_or_else(|| panic!("{kinds:?}: ghz has no key {path}"));
            // Items of a list come again and again: their order is looked at in the first.
            if !places.contains(&place) {
                places.push(place);
            }
        }
        assert!(places.is_sorted(), "{kinds:?}: the order of ghz");
        assert_eq!(document.as_object().unwrap().keys().next_back().unwrap(), OURS, "ours comes last");
    }
}

/// Relations that hold in every report of ghz, and tell seconds from nanoseconds and parts from percentages.
#[test]
fn units_are_those_of_ghz() {
    for (report, kinds) in runs() {
        let document = document(&report);
        let number = |key: &str| document[key].as_f64().unwrap();
        let about = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1e-9);
        assert!(about(number("rps"), number("count") * 1e9 / number("total")), "{kinds:?}: rps, total in ns");
        assert!(number("fastest") <= number("average") && number("average") <= number("slowest"));

        let histogram = document["histogram"].as_array().unwrap();
        let latencies = document["latencyDistribution"].as_array().unwrap();
        let percentages: Vec<u64> = latencies.iter().map(|row| row["percentage"].as_u64().unwrap()).collect();
        if kinds.contains(&"successes") {
            assert_eq!(percentages, [10, 25, 50, 75, 90, 95, 99]);
            assert_eq!(histogram.len(), 11);
            assert!(about(histogram[0]["mark"].as_f64().unwrap() * 1e9, number("fastest")), "marks are seconds");
            assert!(about(histogram[10]["mark"].as_f64().unwrap() * 1e9, number("slowest")));
            let sum = |key: &str| histogram.iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>();
            assert!((sum("frequency") - 1.0).abs() < 1e-9, "frequencies are parts");
            assert!(about(sum("count"), report.times.headline().count() as f64));
        } else {
            assert!(histogram.is_empty() && latencies.is_empty());
        }
        for row in latencies {
            let latency = row["latency"].as_f64().unwrap();
            assert!(number("fastest") <= latency && latency <= number("slowest"), "percentiles are nanoseconds");
        }
        let counts = document["statusCodeDistribution"].as_object().unwrap().values();
        assert!(about(counts.map(|count| count.as_f64().unwrap()).sum(), number("count")));
    }
}

#[test]
fn a_run_that_sent_nothing_is_still_a_whole_document() {
    let document = document(&reports::nothing());
    for key in ["count", "average", "fastest", "slowest", "rps"] {
        assert!(document[key].as_f64().unwrap().abs() < f64::EPSILON, "{key} is 0");
    }
    for key in ["latencyDistribution", "histogram", "details"] {
        assert_eq!(document[key], Value::Array(Vec::new()), "{key} is an empty list");
    }
    for key in ["errorDistribution", "statusCodeDistribution"] {
        assert!(document[key].as_object().unwrap().is_empty());
    }
    assert_eq!(document["endReason"], "cancel");
    assert_eq!(document["options"]["rps"], 0.5);
}

#[test]
fn calls_are_listed_as_ghz_lists_them() {
    let document = document(&reports::errors());
    let calls = document["details"].as_array().unwrap();
    assert_eq!(calls.len(), 20);
    assert_eq!(calls[0]["timestamp"], "2026-11-30T11:09:30.980116Z", "the end of the call");
    assert_eq!(
        (&calls[0]["latency"], &calls[0]["status"], &calls[0]["error"]),
        (&116_000.into(), &"OK".into(), &"".into())
    );
    let failed = calls.iter().find(|call| call["status"] == "Unavailable").unwrap();
    assert_eq!(failed["error"], "rpc error: code = Unavailable desc = injected failure");
    assert_eq!(document["statusCodeDistribution"], serde_json::json!({"OK": 15, "Unavailable": 3, "Code(99)": 2}));
}
