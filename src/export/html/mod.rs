//! The report as a page: charts for the eye, and the same figures in tables.

mod chart;
mod charts;
mod over_time;

use std::fmt::Write as _;
use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::Format;
use super::page::{self, escaped};
use super::table::html::fragment;
use super::{tables, timestamp};
use crate::report::table::{Cell, Table};
use crate::report::{Details, Report, Verdict, Warning};

/// A page that offers more single calls than this is more than browsers are made for.
const CALLS_MAX: usize = 100_000;

/// Writes the page.
pub(super) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = begin(report);
    section("Summary", &(verdict(report) + &fragment(&tables::summary(report))), &mut page);
    if report.counts.done > 0 {
        section("Latency", &(charts::percentiles(report) + &tables_of(&[tables::latency(report)])), &mut page);
        section("Histogram", &(charts::histogram(report) + &tables_of(&[tables::histogram(report)])), &mut page);
    }
    section("Over time", &over_time::section(report), &mut page);
    section(
        "Statuses",
        &tables_of(&[tables::statuses(report), tables::errors(report), tables::unsent(report)]),
        &mut page,
    );
    section("Streams", &tables_of(&[tables::streams(report)]), &mut page);
    let of_client = [tables::connections(report), tables::traffic(report), tables::client(report)];
    section("Connections", &tables_of(&of_client), &mut page);
    section("Options", &(fragment(&options(report)) + &data(report)), &mut page);
    out.write_all(page.as_bytes())?;
    downloads(report, out)?;
    out.write_all(page::END.as_bytes())
}

fn begin(report: &Report) -> String {
    let about = &report.setup.about;
    let name = about.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&about.call);
    let name = if name.is_empty() { "a run" } else { name };
    let when = timestamp::seconds(report.started_at, about.utc_offset_s);
    let mut header = format!(
        "<h1>{}</h1>\n<p>{} on {}, started {when}</p>\n",
        escaped(name),
        escaped(&about.call),
        escaped(&about.host)
    );
    for (name, value) in &about.tags {
        let _ = writeln!(header, "<span class=\"tag\">{}: {}</span>", escaped(name), escaped(value));
    }
    page::begin(&format!("grpcbench - {name}"), &header)
}

/// A part of the page; none without content.
fn section(title: &str, content: &str, page: &mut String) {
    if !content.is_empty() {
        let _ = write!(page, "<section>\n<h2>{title}</h2>\n{content}</section>\n");
    }
}

fn tables_of(tables: &[Table]) -> String {
    tables.iter().filter(|table| !table.rows.is_empty()).map(fragment).collect()
}

fn verdict(report: &Report) -> String {
    let class = match report.verdict {
        Verdict::Valid => "valid",
        Verdict::Doubtful => "doubtful",
        Verdict::ClientLimited => "limited",
    };
    let mut html = format!("<div class=\"verdict {class}\">\n<p><strong>Verdict: {}</strong></p>\n", report.verdict);
    findings(report, &mut report.reasons(), &mut html);
    html.push_str("</div>\n");
    findings(report, &mut report.notes(), &mut html);
    html
}

fn findings(report: &Report, findings: &mut dyn Iterator<Item = &Warning>, html: &mut String) {
    let mut list = String::new();
    for finding in findings {
        let _ = write!(list, "<li>{}", escaped(&finding.text()));
        if let Some(advice) = finding.advice(&report.setup) {
            let _ = write!(list, " <em>{}</em>", escaped(&advice));
        }
        list.push_str("</li>\n");
    }
    if !list.is_empty() {
        let _ = write!(html, "<ul>\n{list}</ul>\n");
    }
}

/// What was asked for.
fn options(report: &Report) -> Table {
    let setup = &report.setup;
    let about = &setup.about;
    let mut table = Table::new("What was asked for", ["value"]);
    let yes = |is: bool| if is { "yes" } else { "" }.to_owned();
    let time = |time: Option<std::time::Duration>| time.map_or_else(String::new, |time| format!("{time:?}"));
    let metadata: Vec<String> = about.metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let security = if about.plaintext { "plaintext" } else { "TLS" };
    let found_out = if about.security_found_out { ", found out" } else { "" };
    for (label, value) in [
        ("Method", about.call.clone()),
        ("Target", about.host.clone()),
        ("Protos", about.protos.join(", ")),
        ("Descriptor sets", about.protosets.join(", ")),
        ("Load", setup.load.to_string()),
        ("Limits", setup.limits.to_string()),
        ("Connections", setup.connections.to_string()),
        ("Workers, at most", about.cpus.to_string()),
        ("Security", format!("{security}{found_out}")),
        ("Certificate not verified", yes(about.skip_tls)),
        ("Authority", setup.authority.clone().unwrap_or_default()),
        ("Deadline", time(setup.deadline)),
        ("Connect timeout", time(Some(setup.connect_timeout))),
        ("Keepalive", time(about.keepalive)),
        ("Compression", yes(about.compressed)),
        ("Metadata", metadata.join(", ")),
        ("Failed calls in latencies", yes(about.count_errors)),
        ("Seed", about.seed.map_or_else(String::new, |seed| seed.to_string())),
    ] {
        if !value.is_empty() {
            table.push(label, [Cell::Text(value)]);
        }
    }
    table
}

/// Data beyond so many characters is not shown, and in the JSON.
const DATA_SHOWN_MAX: usize = 10_000;

fn data(report: &Report) -> String {
    let Some(data) = report.setup.about.data.as_deref().filter(|data| !data.is_empty()) else { return String::new() };
    let shown: String = data.chars().take(DATA_SHOWN_MAX).collect();
    let rest = if shown.len() < data.len() { "..." } else { "" };
    // Line by line: what is harmless in a line would show its breaks as escapes.
    let lines: Vec<String> = shown.lines().map(escaped).collect();
    format!("<h3>Data</h3>\n<pre>{}{rest}</pre>\n", lines.join("\n"))
}

/// The JSON report, and the single calls as CSV, in the page itself.
fn downloads(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let listed = report.details.rows().len();
    let without;
    let (stored, note) = if listed <= CALLS_MAX {
        (report, String::new())
    } else {
        let details = Details::listed(Vec::new(), report.details.cap(), report.details.left_out() + listed as u64);
        without = Report { details, ..report.clone() };
        (&without, format!("<p>The {listed} single calls are too many for a page: -O json and -O csv have them.</p>\n"))
    };
    write!(out, "<section>\n<h2>Downloads</h2>\n{note}<p>\n")?;
    link(stored, Format::Json, "application/json", "report.json", out)?;
    if !stored.details.rows().is_empty() {
        link(stored, Format::Csv, "text/csv", "calls.csv", out)?;
    }
    out.write_all(b"</p>\n</section>\n")
}

fn link(report: &Report, format: Format, kind: &str, name: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    format.write(report, &mut bytes)?;
    write!(out, "<a class=\"download\" download=\"{name}\" href=\"data:{kind};base64,")?;
    out.write_all(BASE64_STANDARD.encode(bytes).as_bytes())?;
    writeln!(out, "\">{name}</a>")
}
