//! The formats for other programs and for browsers: byte for byte against the files in `formats`, and harmless whatever a
//! server says.

use grpcbench::export::Format;
use grpcbench::report::{Marks, Report, View};

use super::{assert_golden, reports, written};

/// Formats that have a file for some reports, with its ending.
const FILES: [(Format, &str); 8] = [
    (Format::Csv, "csv"),
    (Format::Html, "html"),
    (Format::InfluxSummary, "influx-summary"),
    (Format::InfluxDetails, "influx-details"),
    (Format::Prometheus, "prom"),
    (Format::Markdown, "md"),
    (Format::Hdr, "hdr"),
    (Format::Hlog, "hlog"),
];

/// An open loop with names that hold anything, hostile errors, nothing at all, and steps with all that there is.
fn some() -> Vec<(&'static str, Report)> {
    reports::all().into_iter().filter(|(name, _)| ["open", "errors", "nothing", "ramp"].contains(name)).collect()
}

/// Without what changes with a library's compression and with each release.
fn steady(text: &str) -> String {
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut steady = String::new();
    for line in text.split_inclusive('\n') {
        let packed = line.find("HISTFAA").or_else(|| line.find(";base64,").map(|at| at + 8));
        match packed {
            Some(at) => {
                let rest = &line[at..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '='));
                steady.push_str(&line[..at]);
                steady.push_str("...");
                steady.push_str(&rest[end.unwrap_or(rest.len())..]);
            }
            None => steady.push_str(line),
        }
    }
    steady
}

#[test]
fn files() {
    for (name, report) in some() {
        for (format, ending) in FILES {
            assert_golden(&format!("formats/{name}.{ending}"), &steady(&written(format, &report)));
        }
    }
}

#[test]
fn every_format_is_finite_and_acts_on_nothing() {
    for (name, report) in reports::all() {
        for format in Format::ALL {
            let text = written(format, &report);
            let acts = |c: char| c.is_control() && c != '\n' && c != '\t' && c != '\r';
            assert!(!text.contains(acts), "{name} as {format}");
            assert!(!text.contains("NaN") && !text.contains("inf,"), "{name} as {format}");
        }
    }
}

/// The error text has quotes, markup, a line break and a backslash.
#[test]
fn hostile_text_stays_text() {
    let report = reports::errors();
    let said = format!("rpc error: code = Code(99) desc = {}", reports::HOSTILE);

    let csv = written(Format::Csv, &report);
    let field = said.replace('"', "\"\"").replace('\u{1b}', r"\u{1b}").replace('\u{202e}', r"\u{202e}");
    assert_eq!(csv.matches(&format!("\"{field}\"\r\n")).count(), 2, "{csv}");

    let html = written(Format::Html, &report);
    assert!(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));

    let influx = written(Format::InfluxDetails, &report);
    assert_eq!(influx.lines().count(), 20, "one line a call");
    assert!(influx.contains(r"a=b\\c\\n2nd"), "{influx}");

    let markdown = written(Format::Markdown, &report);
    assert!(!markdown.contains("<script"));

    for (format, lines) in [(Format::InfluxSummary, 1), (Format::InfluxDetails, 3)] {
        assert_eq!(written(format, &reports::open()).lines().count(), lines, "{format}");
    }
    let labels = written(Format::Prometheus, &reports::open());
    assert!(labels.contains(r#"tag_created_by="J, D=1",tag_env="a\"b""#), "{labels}");
}

/// Buckets of Prometheus count all that is below them, and the last one all.
#[test]
fn buckets_are_cumulative() {
    let text = written(Format::Prometheus, &reports::open());
    let counts: Vec<u64> = text
        .lines()
        .filter(|line| line.starts_with("ghz_run_latency_seconds_bucket"))
        .map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap())
        .collect();
    assert!(counts.is_sorted() && counts.last() == Some(&200), "{counts:?}");
    let sum: f64 = reports::open().times.headline().sum() as f64 / 1e9;
    assert!(
        text.lines().any(|line| line.starts_with("ghz_run_latency_seconds_sum") && line.ends_with(&sum.to_string()))
    );
}

#[test]
fn other_percentiles_and_marks_are_shown_everywhere() {
    let view = View { percentiles: vec![500_000, 999_900], marks: Marks::At(vec![1_000_000, 1_500_000]) };
    let report = reports::open().seen(&view);
    let text = written(Format::Summary, &report);
    assert!(text.contains("  99.99 % in 1.67 ms\n") && !text.contains("  90 % in"), "{text}");
    assert!(text.contains("  1.500 [") && text.contains("the 99.99th takes 100000"), "{text}");
    let labels = written(Format::Prometheus, &report);
    assert!(labels.contains("quantile=\"0.9999\"") && labels.contains("le=\"0.0015\""), "{labels}");
}
