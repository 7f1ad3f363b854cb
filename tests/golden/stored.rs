//! Reading our own documents back: the same report again, and clear words for all that is none.

use grpcbench::export::{self, Format, ReadError};
use grpcbench::report::{Report, Run};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{any, document, reports, written};

fn read(text: &str) -> Result<Run, ReadError> {
    export::read(text.as_bytes())
}

/// What is said of a document that someone has changed.
fn refused(report: &Report, change: impl FnOnce(&mut Value)) -> String {
    let mut document = document(report);
    change(&mut document);
    read(&document.to_string()).expect_err("it is refused").to_string()
}

#[test]
fn reports_come_back_whole() {
    for (name, report) in reports::all() {
        // What is expected is a matter of whoever reads it.
        let report = report.expecting(&[]);
        for format in [Format::Json, Format::Pretty] {
            let again = read(&written(format, &report)).unwrap_or_else(|error| panic!("{name}: {error}")).report();
            assert_eq!(again, report, "{name}");
            assert_eq!(written(format, &again), written(format, &report), "{name}");
        }
    }
}

#[test]
fn what_is_no_report_is_told_apart() {
    let whole = written(Format::Json, &reports::closed());
    for text in ["", "{", "no", "{\"a\":1}}", &whole[..whole.len() / 2]] {
        assert!(matches!(read(text), Err(ReadError::NoJson { .. })), "{text}");
    }
    for text in ["[]", "1", "null", "{}", r#"{"grpcbench":null}"#] {
        assert_eq!(read(text), Err(ReadError::Foreign { ghz: false }), "{text}");
    }
    let mut ghz = document(&reports::closed());
    ghz.as_object_mut().unwrap().remove("grpcbench");
    assert_eq!(read(&ghz.to_string()), Err(ReadError::Foreign { ghz: true }));
    assert!(matches!(export::read(b"{\"a\":\"\xff\"}"), Err(ReadError::NoJson { .. })));
}

#[test]
fn a_mark_at_the_beginning_is_no_mistake() {
    let text = format!("\u{feff}{}", written(Format::Json, &reports::closed()));
    assert!(read(&text).is_ok());
}

#[test]
fn later_schemas_are_told_before_anything_else_in_them() {
    let newer = read(r#"{"grpcbench":{"schema":7,"whatever":[]}}"#);
    assert_eq!(newer, Err(ReadError::Newer { schema: 7, known: 1 }));
}

#[test]
fn mistakes_have_a_place() {
    let ramp = reports::ramp();
    let at = |place: &'static str, value: Value| {
        move |document: &mut Value| *document.pointer_mut(place).expect("the place is there") = value
    };
    for (place, value, said) in [
        ("/grpcbench/elapsed_ns", json!("x"), "`grpcbench.elapsed_ns`"),
        ("/grpcbench/times/ok/service/hdr", json!("%"), "`grpcbench.times.ok.service.hdr`"),
        ("/grpcbench/times/ok/service/hdr", json!("AAAA"), "`grpcbench.times.ok.service`"),
        ("/grpcbench/times/ok/service/sum_ns", json!(1), "the sum, minimum, maximum"),
        ("/grpcbench/times/ok/service/count", json!(1), "values and not 1"),
        ("/grpcbench/statuses/0/count", json!(7), "OK calls and their times: 7"),
        ("/grpcbench/counts/limited", json!(u64::MAX), "a count is at most 281474976710656"),
        ("/grpcbench/counts/sent", json!(1), "`grpcbench.counts`"),
        ("/grpcbench/series/done", json!([1]), "`grpcbench.series.done`"),
        ("/grpcbench/load/schedule/start", json!("0/s"), "`grpcbench.load.schedule.start`"),
        ("/grpcbench/load/schedule", json!({"kind": "dance"}), "`grpcbench.load.schedule"),
        ("/grpcbench/load/model", json!("closed"), "`callers` is missing"),
        ("/grpcbench/limits/duration_ns", json!(0), "`grpcbench.limits`"),
        ("/grpcbench/started_at", json!("noon"), "`grpcbench.started_at`"),
        ("/grpcbench/warmup/calls/counts/sent", json!(1), "`grpcbench.warmup.calls.counts`"),
        ("/grpcbench/plan", json!({}), "missing field"),
    ] {
        let told = refused(&ramp, at(place, value.clone()));
        assert!(told.contains(said), "{place} {value}: {told}");
    }
    let told = refused(&reports::closed(), at("/details/3/timestamp", json!("noon")));
    assert!(told.starts_with("`details` ") && told.contains("`noon` is no time"), "{told}");
    let told = refused(&reports::closed(), at("/details/3/status", json!("fine")));
    assert!(told.contains("`fine` is no status"), "{told}");
}

#[test]
fn lists_that_take_much_memory_are_bounded() {
    let told = refused(&reports::errors(), |document| {
        let rows = &mut document["grpcbench"]["times"]["failed_by_status"];
        *rows = Value::Array(vec![rows[0].clone(); 1_000]);
    });
    assert!(told.contains("it has 1000 entries, and there are at most 17"), "{told}");
}

/// Every value of a document, replaced by another: whatever it is, it is read or refused.
#[test]
fn any_value_may_be_another() {
    fn places(value: &Value, place: String, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                object.iter().for_each(|(key, value)| places(value, format!("{place}/{key}"), found));
            }
            Value::Array(list) => {
                list.iter().take(2).enumerate().for_each(|(at, value)| places(value, format!("{place}/{at}"), found));
            }
            _ => {}
        }
        found.push(place);
    }
    let odd = [json!(0), json!(u64::MAX), json!(-1), json!(1.5), json!("x"), json!(null), json!([]), json!({})];
    let whole = document(&reports::ramp());
    let mut found = Vec::new();
    places(&whole["grpcbench"], "/grpcbench".to_owned(), &mut found);
    assert!(found.len() > 200, "{}", found.len());
    for (place, value) in found.iter().zip(odd.iter().cycle()) {
        let mut changed = whole.clone();
        *changed.pointer_mut(place).expect("the place is there") = value.clone();
        if let Ok(stored) = read(&changed.to_string()) {
            written(Format::Summary, &stored.report());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_report_comes_back_whole((setup, recording) in any::run()) {
        let report = Report::of(&recording, setup);
        let again = read(&written(Format::Json, &report)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.report(), report);
    }

    /// As a fuzzer would.
    #[test]
    fn any_bytes_are_read_or_refused(
        (setup, recording) in any::run(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = written(Format::Json, &Report::of(&recording, setup)).into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(stored) = export::read(&bytes) {
            written(Format::Json, &stored.report());
        }
    }
}
