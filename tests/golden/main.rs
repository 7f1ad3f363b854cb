//! Each format on reports made by hand, without a server: byte for byte against the files beside this one, against the
//! shape of ghz's document, and against the published schema.
//!
//! After a change that is meant, `UPDATE_GOLDEN=1 cargo test --test golden` writes the files anew: read the difference
//! before you commit it.

mod any;
mod ghz;
mod merged;
mod reports;
mod schema;
mod stored;

use std::fs;
use std::path::{Path, PathBuf};

use grpcbench::export::Format;
use grpcbench::report::Report;
use serde_json::Value;

fn written(format: Format, report: &Report) -> String {
    let mut bytes = Vec::new();
    format.write(report, &mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

fn document(report: &Report) -> Value {
    serde_json::from_str(&written(Format::Json, report)).expect("the report is JSON")
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn assert_golden(name: &str, text: &str) {
    let path = golden(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the golden file can be written");
        return;
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE_GOLDEN=1 makes it", path.display()));
    if expected != text {
        let at = expected.lines().zip(text.lines()).position(|(expected, found)| expected != found);
        let line = at.unwrap_or_else(|| expected.lines().count().min(text.lines().count()));
        panic!(
            "{name} differs from line {}:\n  expected: {:?}\n  found:    {:?}\nwhole text:\n{text}",
            line + 1,
            expected.lines().nth(line),
            text.lines().nth(line),
        );
    }
}

#[test]
fn summaries() {
    for (name, report) in reports::all() {
        assert_golden(&format!("{name}.txt"), &written(Format::Summary, &report));
    }
}

/// The packed histograms and our version are left out: they change with a library's compression and with each release.
#[test]
fn documents() {
    for (name, report) in reports::all() {
        let text: String = written(Format::Pretty, &report)
            .lines()
            .map(|line| match line.trim_start().split_once("\": \"") {
                Some((key @ ("\"hdr" | "\"version"), _)) => {
                    let comma = if line.ends_with(',') { "," } else { "" };
                    let indent = &line[..line.len() - line.trim_start().len()];
                    format!("{indent}{key}\": \"...\"{comma}\n")
                }
                _ => format!("{line}\n"),
            })
            .collect();
        assert_golden(&format!("{name}.json"), &text);
    }
}

#[test]
fn both_layouts_are_the_same_document() {
    for (name, report) in reports::all() {
        let (line, pretty) = (written(Format::Json, &report), written(Format::Pretty, &report));
        assert_eq!(line.matches('\n').count(), 1, "{name}: one line, also where the data had several");
        assert!(pretty.lines().count() > 50);
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("the report is JSON");
        assert_eq!(read(&line), read(&pretty), "{name}");
    }
}

fn published() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.schema.json");
    let text = fs::read_to_string(path).expect("the schema is in the repository");
    serde_json::from_str(&text).expect("the schema is JSON")
}

#[test]
fn documents_satisfy_the_published_schema() {
    for (name, report) in reports::all() {
        assert_eq!(schema::violations(&published(), &document(&report)), [""; 0], "{name}");
    }
}

/// Any figure can be made again from the document alone.
#[test]
fn histograms_are_whole() {
    use base64::Engine as _;
    use hdrhistogram::serialization::Deserializer;

    for (name, report) in reports::all() {
        let document = document(&report);
        let times = &document["grpcbench"]["times"];
        let places = [
            (&times["ok"]["service"], Some(&report.ok.service)),
            (&times["ok"]["response"], report.ok.response.as_ref()),
            (&times["failed"]["service"], Some(&report.failed.service)),
            (&times["failed"]["response"], report.failed.response.as_ref()),
            (&times["lag"], report.lag.as_ref()),
            (&times["own_lag"], report.own_lag.as_ref()),
            (&times["connect"], Some(&report.connect.total)),
        ];
        for (written, times) in places {
            let Some(times) = times else {
                assert_eq!(written, &Value::Null, "{name}: not there in a closed loop");
                continue;
            };
            let packed = base64::prelude::BASE64_STANDARD.decode(written["hdr"].as_str().unwrap()).unwrap();
            let read: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut packed.as_slice()).unwrap();
            assert_eq!(&read, times.buckets(), "{name}");
            assert_eq!(written["count"], times.count());
        }
    }
}

#[test]
fn text_from_outside_arrives_whole_in_json_and_harmless_in_text() {
    let report = reports::errors();
    let document = document(&report);
    let said = format!("rpc error: code = Code(99) desc = {}", reports::HOSTILE);
    assert_eq!(document["errorDistribution"][&said], 2);
    assert_eq!(document["details"][7]["error"], said.as_str());
    let summary = written(Format::Summary, &report);
    assert!(summary.contains(r"a=b\c\n2nd \u{1b}[31m\u{202e}"), "{summary}");
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!summary.contains(acts), "nothing acts on the terminal");
}

#[test]
fn data_keeps_its_digits() {
    for format in [Format::Json, Format::Pretty] {
        let text = written(format, &reports::open());
        assert!(text.contains(r#"{"name":"Ann","id":18446744073709551615}"#), "{format}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// Whatever was measured: documents keep their schema, their numbers add up, and text stays harmless.
    #[test]
    fn any_run_can_be_written((setup, recording) in any::run()) {
        let report = Report::of(&recording, setup);
        let document = document(&report);
        proptest::prop_assert_eq!(schema::violations(&published(), &document), [""; 0]);

        let ours = &document["grpcbench"];
        let count = |name: &str| ours["counts"][name].as_u64().unwrap();
        proptest::prop_assert_eq!(count("arrivals"), count("sent") + count("unsent"));
        proptest::prop_assert_eq!(count("sent"), count("done") + count("abandoned"));
        proptest::prop_assert_eq!(count("done"), count("ok") + count("failed"));
        for (list, whole) in [("statuses", "done"), ("errors", "failed")] {
            let rows = ours[list].as_array().unwrap();
            let sum: u64 = rows.iter().map(|row| row["count"].as_u64().unwrap()).sum();
            proptest::prop_assert_eq!(sum, count(whole), "{}", list);
        }
        let of_errors = document["errorDistribution"].as_object().unwrap().values();
        proptest::prop_assert_eq!(of_errors.map(|count| count.as_u64().unwrap()).sum::<u64>(), count("failed"));

        let summary = written(Format::Summary, &report);
        let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
        proptest::prop_assert!(!summary.contains(acts), "{}", summary);
        proptest::prop_assert!(!summary.contains("NaN"), "{}", summary);
    }
}

/// A writer that is full, as a disk is.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told() {
    for format in Format::ALL {
        let error = format.write(&reports::closed(), &mut Full).expect_err("it cannot be written");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{format}");
    }
}
